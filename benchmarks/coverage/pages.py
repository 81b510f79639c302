# ruff: noqa: E501 - lines of the page that is written
"""The tables, as text for the terminal and as a page of the documentation."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.coverage.bounds import FEW, STEPS, Amount, Rate
from benchmarks.coverage.record import Part

Found = Sequence[Rate | Amount]

# Order, title and what the table shows. A name that ends in a comma is that of several tables.
_TABLES: Final = {
    "intervals,": ("Intervals of one model", "Share of 95% intervals that contain the true value."),
    "clusters": ("Clusters", ("Coverage with correlated items (clusters of 10, correlation 0.3), "
                 "with and without `clusters=`.")),
    "weights": ("Weights", ("Coverage with uninformative weights (log-normal; 200 items are worth "
                "about 105), and with weights that correct a sample of equal classes to a "
                "population with 75% in one class.")),
    "differences,": ("Differences of two equal models", ("Share of data sets in which the interval "
                     "excludes zero, which is when p is at most 0.05.")),
    "agreement,": ("", ""),
    "differences in clusters": ("Differences on clusters of one class", ("As above, with clusters "
                                "of eight items of one class that are equally hard; K = 5, "
                                "imbalanced, so each of four classes has a sixteenth of the "
                                "clusters.")),
    "opposite biases": ("Opposite biases", ("As above, with two equally good models, one too high "
                        "and one too low; K = 5, balanced.")),
    "true differences": ("True differences", ("Share of intervals that contain the difference of "
                         "two models, one of which is better.")),
    "non-inferiority": ("Non-inferiority of a new version", ("Share of data sets in which a model "
                        "that is worse by exactly the margin is found non-inferior (nominal: 2.5%). "
                        "The new version is the old one with extra errors on 5 to 8% of the items.")),
    "too few items that differ": ("Too few items that differ", ("Share of these data sets in which "
                                  "too few items carry the difference, so that only the worst case "
                                  "can show the margin.")),
    "false claims in clusters": ("Many equal models on few clusters", ("As many equal models, on "
                                 "clusters of Poisson sizes.")),
    "equal correlated models": ("Two versions that are equally good", ("Share of data sets in which "
                                "they are found to differ; they agree on 83% to 99% of the items.")),
    "power of correlated models": ("Power with two versions", ("Share of data sets in which a worse "
                                   "version is found to differ, by the default test.")),
    "power of the permutation": ("Power with two versions, by permutation", ("The same by exchanging "
                                 "the answers of items, 299 times.")),
    "intervals in fields": ("Fields of use", ("Share of 95% intervals that contain the true value: "
                            "essays, retinopathy, credit, triage, judges with a ceiling, wine.")),
    "paths on long scales": ("Long scales", ("The same for paths, with 10 to 20 classes and flat "
                             "errors, so that many paths are nearly tied.")),
    "areas of labels": ("Areas under the curve of labels", ("The same for `threshold_auc` of labels, "
                        "by the items below and above the cut.")),
    "weights tied to errors": ("Weights tied to errors", ("The same if errors were sampled three "
                               "times as often as hits, and weights undo that.")),
    "rare, far errors": ("Rare, far errors", ("The same if one in ten of the highest class, which has "
                         "10 of 500 items, is predicted as the lowest.")),
    "few clusters, one model": ("Few clusters", ("Share of 95% intervals of one model that contain "
                                "the true value.")),
    "few clusters, jackknife": ("Few clusters, by jackknife", ("The same of the jackknife over "
                                "clusters with a t distribution.")),
    "wider than 1.25 times": ("Few clusters, width", ("Share of intervals that are more than 1.25 "
                              "times as wide as the jackknife's, where that covers 93% or more.")),
    "few clusters, two models: size": ("Two models on few clusters", ("Share of data sets in which "
                                       "two equally good models are found to differ.")),
    "few clusters, jackknife: size": ("Two models on few clusters, by jackknife", "The same."),
    "few clusters, two models: power": ("Two models on few clusters, power", ("Share of data sets in "
                                        "which a better model is found to differ.")),
    "few clusters, jackknife: power": ("Two models on few clusters, power by jackknife", "The same."),
    "heterogeneity: size": ("Small subgroups that are equal", ("Share of data sets in which they are "
                            "found to differ, taken together.")),
    "chi-squared: size": ("Small subgroups that are equal, chi-squared", "The same of right and wrong."),
    "heterogeneity: power": ("Small subgroups that differ", ("Share of data sets in which every other "
                             "subgroup has a higher accuracy, and this is found.")),
    "chi-squared: power": ("Small subgroups that differ, chi-squared", "The same of right and wrong."),
    "false claims": ("Many equal models", ("Share of data sets in which any pair has a corrected p "
                     "of at most 0.05; K = 5.")),
    "the best, all equal": ("Plausible bests of equal models",
                            "Share of data sets in which the set contains a given model."),
    "the best": ("Plausible bests", ("Share of data sets in which the set contains the best of "
                 "models of different quality; K = 5, balanced.")),
    "all ranks": ("Possible ranks", ("Share of data sets in which the possible ranks are right for "
                  "all models at once.")),
    "best shown to be best": ("Power", ("Share of data sets in which the best model is "
                              "significantly better than every other.")),
    "models that may be best": ("Number of plausible bests", "Mean size of the set."),
    "subgroups, each": ("Equal subgroups", ("Share of data sets in which any subgroup is found to "
                        "differ from the rest.")),
    "subgroups, together": ("Equal subgroups, all at once",
                            ("Share of data sets in which the test of heterogeneity is significant "
                            "at 5%.")),
    "few labels,": ("Few human labels, many judged ones",
                   ("Share of intervals of `corrected` and `corrected_distribution` that contain "
                   "the true value; K = 5, balanced. A good judge is right on 87% of the items, a "
                   "poor one on 44%, and a useless one guesses.")),
    "gain,": ("Value of the judge", ("Median percentage by which the interval is narrower than "
                               "with the human labels alone.")),
    "naive,": ("The judge's labels as ground truth", ("Coverage of the usual interval if the "
                          "judge's labels are treated as ground truth.")),
    "target prevalence,": ("A target population", ("Share of intervals that contain the value in a "
                           "population with another prevalence, which is known or was counted; K = 5. "
                           "Enriched: a balanced test set for a population with 75% in one class. "
                           "Rare classes: the other way round.")),
    "partial truth,": ("Partial truth", ("Share of intervals that contain the true value, by how the "
                       "items with a human label were chosen, of 1,000; K = 5, balanced. Unequal: "
                       "more often where model and judge disagree. A pair of equal models (test at "
                       "5%), and a model that is worse by the margin (at 2.5%).")),
    "tasks,": ("Averages over tasks", ("Share of data sets of ten tasks with 60 items in which the "
               "interval of a model contains the true value, in which any of equal models differ "
               "significantly, and in which the possible ranks are right for all models at once; "
               "K = 5.")),
    "raters,": ("Agreement of many raters", ("Share of 95% intervals that contain the true value, "
                "for raters who err in different ways and skip 20% of the items; K = 5. The last "
                "columns have clusters of 10 items (correlation 0.3).")),
    "judges,": ("A judge and three humans", ("Share of 95% intervals that contain the agreement of "
                "the humans (ceiling), that of the judge with them, and the gap; K = 5, 20% of "
                "the ratings are missing. A skipping judge answers 90% of the easy items "
                "and 40% of the hard ones, and is evaluated on those.")),
    "judges told apart": ("A judge as good as a human", ("Share of data sets in which the "
                          "interval of the gap excludes zero.")),
    "judges worse by the margin,": ("A judge that is worse by the margin", ("Share of data "
                                    "sets in which it is found non-inferior: by the interval of "
                                    "the gap (a test at 2.5%), or by a one-sided p of 0.05.")),
    "alt-test": ("The alt-test", ("Share of data sets in which a judge that is worse than a human "
                 "by epsilon beats that human, at 5%; K = 5.")),
    "judge pairs, claims": ("Three equal judges", ("Share of data sets in which any pair of "
                            "judges has a corrected p of at most 0.05; three humans, K = 5.")),
    "judge pairs, held": ("True differences of judges", ("Share of intervals that contain the "
                          "difference in agreement with humans of two judges, one of which is "
                          "worse.")),
    "drift,": ("Drift of a judge", ("Share of 95% intervals that contain the true value: the "
               "shift in steps, the agreement of both versions, and the change in agreement with "
               "humans. The other version errs more and grades higher.")),
    "covariates": ("Covariates of a judge", ("Share of 95% intervals that contain the effect of "
                   "length, which is zero, where better items are longer. With one human, the "
                   "human's errors cannot be removed; these cells have no bounds.")),
    "votes": ("Votes of humans as the reference", ("Share of 95% intervals over items that "
              "contain the measure of a judge against the votes of three humans, who err "
              "differently and skip 20% of the items.")),
    "votes of raters": ("Votes of other raters", ("Share of 95% intervals that contain the value "
                        "against the votes of all raters of a population, from which 5 or 10 were "
                        "drawn; intervals over items alone have no bounds.")),
    "calibration": ("Calibrated probabilities", ("Share of 95% intervals that contain the "
                    "intercept 0 and the slope 1 of calibrated probabilities at each threshold of "
                    "four classes, and the true net benefit at 20% and 50%; clusters have 10 items "
                    "(correlation 0.3).")),
    "forecasts,": ("Probabilities and scores", ("Share of 95% intervals that contain the true "
                   "value. The score is the class plus noise (a standard deviation of one step; "
                   "near perfect 0.215), and the probabilities are those of the classes given the "
                   "score.")),
    "overconfident,": ("Overconfident probabilities", ("As above, with log odds multiplied by "
                       "2.5.")),
    "shares": ("Raters' shares as the truth", ("As above, with the shares of three raters, who err "
               "as the model does, as the truth; K = 5.")),
    "clustered": ("Probabilities and scores in clusters", ("Clusters of 10 items with correlated "
                  "class and noise (correlation 0.3), with and without `clusters=`; K = 5, "
                  "balanced.")),
    "equal forecasts,": ("Differences of two equal forecasters", ("Share of data sets in which the "
                         "interval excludes zero, which is when p is at most 0.05. Compared models "
                         "share half of their noise.")),
    "agreeing forecasts,": ("", ""),
    "opposite forecasts": ("Forecasters with opposite biases", ("As above, with one model half a "
                           "step too high and the other half a step too low; K = 5, "
                           "balanced.")),
    "unequal forecasts": ("True differences of forecasters", ("Share of intervals that contain the "
                          "difference of two models, one of which is noisier (1.25 times) or "
                          "overconfident (log odds times 2.5); K = 5.")),
    "worse forecasts": ("Non-inferior forecasts", ("Share of data sets in which a model that is "
                        "worse by the whole margin is found non-inferior at 5%.")),
    "equivalent forecasts": ("Equivalent forecasts", ("Share of data sets in which a model that "
                             "differs by the whole margin is found equivalent at 5%.")),
    "claims of forecasts": ("Five equal forecasters", ("Share of data sets in which any pair has a "
                            "corrected p of at most 0.05; K = 5.")),
    "the best forecasts": ("Plausible bests of five equal forecasters",
                           "Share of data sets in which the set contains a given model."),
    "methods,": ("Other methods", ("Coverage of the methods on request next to the default, with "
                 "999 draws; K = 5. These methods have no bounds.")),
    "tuned decisions": ("Tuned decisions", ("Share of 95% intervals of a cross-fitted gain that "
                        "contain the gain on new items: of the cut points that were returned, and "
                        "its mean over data sets. Tuning gains much, little or nothing.")),
}  # fmt: skip


class _Table(NamedTuple):
    name: str
    title: str
    text: str
    cells: list[Rate | Amount]

    @property
    def rows(self) -> list[str]:
        return list(dict.fromkeys(c.row for c in self.cells))

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(c.column for c in self.cells))

    @property
    def values(self) -> list[list[str]]:
        by = {(c.row, c.column): _shown(c) for c in self.cells}
        return [[by.get((r, c), "") for c in self.columns] for r in self.rows]


def _shown(cell: Rate | Amount) -> str:
    if isinstance(cell, Amount):
        return f"{cell.value:.1f}"
    if not cell.of:
        return "none"
    return f"{cell.share:.3f}" + ("!" if cell.broken else "")


def _tables(found: Found) -> Iterator[_Table]:
    for key, (title, text) in _TABLES.items():
        if not title:
            continue
        names = dict.fromkeys(
            x.table for x in found if x.table == key or (key[-1] == "," and x.table.startswith(key))
        )
        for name in names:
            part = name.removeprefix(key).strip()
            whole = f"{title}: {part}" if part else title
            yield _Table(name, whole, text, [x for x in found if x.table == name])


def as_text(found: Found) -> str:
    """The tables for the terminal; an exclamation mark stands beside a broken bound."""
    lines = []
    for table in _tables(found):
        width = max(map(len, table.rows))
        columns = [max(len(c), 6) for c in table.columns]
        head = "  ".join(c.rjust(w) for c, w in zip(table.columns, columns, strict=True))
        lines += ["", table.title, f"{table.text}", f"{'':<{width}}  {head}"]
        for row, values in zip(table.rows, table.values, strict=True):
            shown = "  ".join(v.rjust(w) for v, w in zip(values, columns, strict=True))
            lines.append(f"{row:<{width}}  {shown}")
    return "\n".join(lines)


def verdict(found: Found) -> str:
    """What is relaxed and why, then what is broken."""
    rates = [x for x in found if isinstance(x, Rate)]
    lines = ["", "Bounds that are relaxed, and why:"]
    for why in dict.fromkeys(r.bound.why for r in rates if r.bound.why):
        of = [r for r in rates if r.bound.why == why]
        least, most = min(of, key=_share), max(of, key=_share)
        lines.append(f"- {why}: {len(of)} rates, {_place(least)} to {_place(most)}")
    broken = [r for r in rates if r.broken]
    lines += ["", f"{len(rates):,} rates, of which {len(broken)} break their bounds."]
    for r in broken:
        lines.append(f"- {r.table}: {_place(r)}, bounds {r.bound.low:g} to {r.bound.high:g}")
    return "\n".join(lines)


def _share(rate: Rate) -> float:
    return rate.share if rate.of else 0.95


def _place(rate: Rate) -> str:
    return f"{rate.share:.3f} ({rate.row}, {rate.column})"


_INTRODUCTION: Final = """\
# Validation

<!-- Made from docs/benchmarks/coverage.json by `python -m benchmarks.coverage --write`; the text is in benchmarks/coverage/pages.py. -->

Do 95% intervals contain the true value 95% of the time, and do tests at 5% find differences between equal models
5% of the time? `make coverage` estimates {rates:,} rates, each from {data_sets} data sets drawn from populations whose
values are known. Two standard errors of a rate of 0.95 are at most {error:.3f}.

| what | result |
|---|---|
| Intervals of smooth measures, rarest class with 5 items or more | cover 92.5% to 97.5%, never less than 90% |
| Intervals of measures that are not smooth | cover 90% or more, or are not reported |
| Two equal models | 3% to 7% of intervals of the difference exclude zero, exactly those with p at most 0.05 |
| Many equal models | at most 6% of data sets have a significant pair; at least 94% of the sets of ranks hold |
| A new version of a model that is worse by the whole margin | found non-inferior in at most 3.5% (nominal: 2.5%) |
| Two versions of one model, equally good | found to differ in at most 6% |
| Equal subgroups | any subgroup found different in at most 7% |
| A judge that is worse than a human by the margin | found non-inferior in at most 3.5% by the interval |
| Few human labels, corrected with a judge | cover 92.5% to 97.5% |

## Where this does not hold

- **Rare classes.** With fewer than 5 expected items of a class, coverage is {few[0]:.3f} to {few[1]:.3f}, and tests are
  conservative.
- **Few errors.** The number of errors is discrete: coverage is {steps[0]:.3f} to {steps[1]:.3f}.
- **Rare, far errors.** Intervals of average MAE contain the value in as little as 63% of data sets.
- **Extremes of the classes**, such as the lowest sensitivity, have conservative intervals: {worst[0]:.3f} to {worst[1]:.3f}.
- **Margins of losses.** An overconfident model that is worse by the margin passes in up to 10% with 50 items.
- **Few judged items.** With 50 items or clusters, a judge that is worse by the margin passes in up to 5% by its interval
  and 8% by its p-value.

The simulation fails if a rate leaves its bounds by more than chance explains, also with four times as many new data
sets.

:::{{dropdown}} All tables as CSV files
Each file has one table: rates by measure (rows) and situation (columns).

{downloads}
:::
"""


def as_page(parts: Mapping[str, Part]) -> str:
    """Return the page of the documentation, made from the parts of a record."""
    rates = [x for part in parts.values() for x in part.found if isinstance(x, Rate)]
    error = 2 * (0.95 * 0.05 / min(part.data_sets for part in parts.values())) ** 0.5
    return _INTRODUCTION.format(
        data_sets=_data_sets(parts),
        rates=len(rates),
        error=error,
        few=_covered(rates, FEW),
        steps=_covered(rates, STEPS),
        worst=_covered(rates, "the smallest of the classes' values"),
        downloads="\n".join(_downloads(parts)),
    )


def _covered(rates: Sequence[Rate], why: str) -> tuple[float, float]:
    """The lowest and the highest coverage where bounds are relaxed for one reason."""
    found = [r.share for r in rates if r.bound.why == why and r.of and r.bound.low > 0.5]
    return min(found, default=float("nan")), max(found, default=float("nan"))


def _downloads(parts: Mapping[str, Part]) -> Iterator[str]:
    """One line for each title, with a link for each of its tables."""
    by_title: dict[str, list[str]] = {}
    for table in _tables([x for part in parts.values() for x in part.found]):
        title, _, part = table.title.partition(": ")
        link = (
            f"{{download}}`{part.replace('<=', '≤') or 'table'} <_tables/{file_name(table.title)}>`"
        )
        by_title.setdefault(f"**{title}.** {table.text}", []).append(link)
    yield from (f"- {about} {', '.join(links)}" for about, links in by_title.items())


def file_name(title: str) -> str:
    """Return the name of the file of a table.

    >>> file_name("Intervals of one model: K = 3")
    'intervals-of-one-model-k-3.csv'
    """
    return "-".join(re.findall(r"[a-z0-9]+", title.lower())) + ".csv"


def write_tables(parts: Mapping[str, Part], folder: Path) -> None:
    """Write every table as CSV into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in _tables([x for part in parts.values() for x in part.found]):
        with (folder / file_name(table.title)).open("w", newline="", encoding="utf-8") as file:
            write = csv.writer(file)
            write.writerow(["measure", *table.columns])
            write.writerows([r, *v] for r, v in zip(table.rows, table.values, strict=True))


def _data_sets(parts: Mapping[str, Part]) -> str:
    """Return from how many data sets a rate is."""
    sizes = [part.data_sets for part in parts.values()]
    return f"{min(sizes):,}" if len(set(sizes)) == 1 else f"{min(sizes):,} to {max(sizes):,}"
