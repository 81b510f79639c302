# ruff: noqa: E501 - lines of the page that is written
"""The tables, as text for the terminal and as a page of the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from benchmarks.coverage.bounds import Amount, Rate
from benchmarks.coverage.record import Part

Found = Sequence[Rate | Amount]

# Order, title and what the table shows. A name that ends in a comma is that of several tables.
_TABLES: Final = {
    "intervals,": ("Intervals of one model", "Share of 95 % intervals that hold the true value."),
    "clusters": ("Clusters", ("Clusters of 10 items that are alike (correlation 0.3): coverage with "
                 "`clusters=`, and if the clusters are not told.")),
    "weights": ("Weights", ("Coverage with weights that say nothing (log-normal; 200 items say as "
                "much as about 105), and with weights that undo a sample of equal classes from a "
                "population with 75 % in one class.")),
    "differences,": ("Differences of two equal models", ("Share of data sets in which the interval "
                     "leaves out zero, which is when p is at most 0.05.")),
    "agreement,": ("", ""),
    "differences in clusters": ("Differences on clusters of one class", ("The same, where the eight "
                                "items of a cluster have one class and are alike in how hard they "
                                "are; K = 5, imbalanced, so that each of four classes has a "
                                "sixteenth of the clusters.")),
    "opposite biases": ("Opposite biases", ("The same, where one model errs upwards and the other "
                        "downwards, and both are equally good; K = 5, balanced.")),
    "true differences": ("True differences", ("Share of intervals that hold the difference of two "
                         "models, one of which is better.")),
    "non-inferiority": ("Non-inferiority of a new version", ("Share of data sets in which a model "
                        "that is worse by exactly the margin is found non-inferior (nominal: 2.5%). "
                        "The new version is the old one with extra errors on 5 to 8% of the items.")),
    "too few items that differ": ("Too few items that differ", ("Share of these data sets in which "
                                  "too few items carry the difference, so that only a worst case "
                                  "can show the margin.")),
    "false claims": ("Many equal models", ("Share of data sets in which any of all pairs has a "
                     "corrected p of at most 0.05; K = 5.")),
    "the best, all equal": ("The set that may hold the best, of equal models",
                            "Share of data sets in which the set holds a given one of them."),
    "the best": ("The set that may hold the best", "Models of different quality; K = 5, balanced."),
    "all ranks": ("Sets of ranks", ("Share of data sets in which the sets hold the ranks of all "
                  "models at once.")),
    "best shown to be best": ("Power", ("Share of data sets in which the best model is shown to be "
                              "better than each other.")),
    "models that may be best": ("How many models may be the best", "Mean size of the set."),
    "subgroups, each": ("Equal subgroups", ("Share of data sets in which any subgroup is claimed to "
                        "differ from the rest.")),
    "subgroups, together": ("Equal subgroups, all at once",
                            ("Share of data sets in which the test of heterogeneity is significant "
                            "at 5 %.")),
    "few labels,": ("Few human labels, many judged ones",
                   ("Share of intervals of `corrected` and `corrected_distribution` that hold the "
                   "true value, with so many human labels of so many items; K = 5, balanced. A good "
                   "judge is right in 87 % of items, a poor one in 44 %, a useless one guesses.")),
    "gain,": ("What the judge is worth", ("By how many percent the interval is "
                               "shorter than that of the human labels alone, in the median.")),
    "naive,": ("The judge taken for the truth", ("Coverage of the usual interval if the "
                          "judge's labels are taken for the truth.")),
    "raters,": ("Agreement of many raters", ("Share of 95 % intervals that hold the true value, of "
                "raters who err in different ways and leave out 20 % of the items; K = 5. The last "
                "columns are of clusters of 10 items (correlation 0.3).")),
    "judges,": ("A judge beside three humans", ("Share of 95 % intervals that hold the agreement of "
                "the humans (ceiling), that of the judge with them, and the gap; K = 5, 20 % of "
                "the ratings are missing. A judge that is skipping answers 90 % of the easy items "
                "and 40 % of the hard ones, and is judged on those.")),
    "judges told apart": ("A judge that is as good as a human", ("Share of data sets in which the "
                          "interval of the gap leaves out zero.")),
    "judges worse by the margin,": ("A judge that is worse by just the margin", ("Share of data "
                                    "sets in which it is found non-inferior: by the interval of "
                                    "the gap, a test at 2.5 %, or by a one-sided p of 0.05.")),
    "alt-test": ("The alt-test", ("Share of data sets in which a judge that is worse than a human "
                 "by just epsilon beats that human, at 5 %; K = 5.")),
    "calibration": ("Calibrated probabilities", ("Share of 95 % intervals that hold the intercept 0 "
                    "and the slope 1 of calibrated probabilities at each threshold of four classes, "
                    "and the true net benefit of acting on them at 20 % and 50 %; clusters of 10 "
                    "items are alike (correlation 0.3).")),
    "forecasts,": ("Probabilities and scores", ("Share of 95 % intervals that hold the true value. "
                   "The score is the class seen through noise (a standard deviation of one step, "
                   "near perfect 0.215), and the probabilities are those of the classes given the "
                   "score.")),
    "overconfident,": ("Overconfident probabilities", ("The same, where log odds are 2.5 times "
                       "as far out as they should be.")),
    "shares": ("Raters' shares as the truth", ("The same, where the truth of an item is what three "
               "raters say, who err as the model does; K = 5.")),
    "clustered": ("Probabilities and scores in clusters", ("Clusters of 10 items that are alike in "
                  "class and noise (correlation 0.3), told or not; K = 5, balanced.")),
    "equal forecasts,": ("Differences of two equal forecasters", ("Share of data sets in which the "
                         "interval leaves out zero, which is when p is at most 0.05. Models that "
                         "are compared share half of their noise.")),
    "agreeing forecasts,": ("", ""),
    "opposite forecasts": ("Forecasters with opposite biases", ("The same, where one model is "
                           "half a step too high and the other half a step too low; K = 5, "
                           "balanced.")),
    "unequal forecasts": ("True differences of forecasters", ("Share of intervals that hold the "
                          "difference of two models, one of which is noisier (1.25 times) or too "
                          "sure (log odds times 2.5); K = 5.")),
    "worse forecasts": ("Non-inferior forecasts", ("Share of data sets in which a model that is "
                        "worse by just the margin is found non-inferior at 5 %.")),
    "equivalent forecasts": ("Equivalent forecasts", "The same for equivalence within the margin."),
    "claims of forecasts": ("Five equal forecasters", ("Share of data sets in which any of all "
                            "pairs has a corrected p of at most 0.05; K = 5.")),
    "the best forecasts": ("The set that may hold the best of five equal forecasters",
                           "Share of data sets in which the set holds a given one of them."),
    "methods,": ("The methods on request", ("Coverage beside that of the default, with 999 draws; "
                 "K = 5. These methods are not judged.")),
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
# How often intervals hold and tests err

<!-- Made from docs/benchmarks/coverage.json by `python -m benchmarks.coverage --write`; the text is in benchmarks/coverage/pages.py. -->

Data sets are drawn from populations whose values are known, {data_sets} for a cell unless a table
says otherwise, and judged as yours would be. Errors become 3.3 times rarer with every step, and lean
upwards a little. *Balanced*: all classes have the same share. *Imbalanced*: 75 % of the items are in the
lowest class. *Near perfect*: balanced, and 98 % of the items are right. Models that are compared find the
same items hard. Two standard errors of a rate of 0.95 are {error:.3f}.

The run fails if a rate lies beyond its bounds by more than that. Of thousands of rates some do by chance: what
holds one of them is simulated again with new data sets, four times as many, and the second run is shown and judged.

- Intervals of smooth measures hold the true value in 92.5 to 97.5 % of data sets if the rarest class has 5
  items or more in expectation, and never in fewer than 90 %.
- Measures that are no smooth functions of the counts hold it in 90 % or more, or are refused.
- Intervals of differences leave out zero in 3 to 7 % of data sets with equal models, exactly when p is at
  most 0.05.
- Margins: a model that is just not non-inferior, or just not equivalent, is called so in at most 7 %; many equal
  models: any difference is claimed in at most 6 %; the set that may hold the best, and the sets of all ranks, hold
  them in 94 % or more; equal subgroups: any is called different in at most 7 %.
- A judge that is worse than a human by just the margin passes in at most 3.5 % by its interval and in 7 % by its p of
  0.05; of 50 items, or of 20 or 50 clusters, this is not kept: it is up to 5 % and 8 %.
- Probabilities and scores keep the same bounds, but for margins of losses: of 50 items a model that is too sure and
  worse by just the margin passes in up to 10 %, of 200 items in up to 8 %; scores that are worse
  by just the margin, in up to 10 % if a class has fewer than 20 items.
- Intervals from few human labels and many judged ones hold the true value in 92.5 to 97.5 %.

Some bounds are relaxed, towards caution or where nothing better was found; so often it happens there:

{relaxed}
"""


def as_page(parts: Mapping[str, Part]) -> str:
    """The page of the documentation, from the parts of a record."""
    found = [x for part in parts.values() for x in part.found]
    rates = [x for x in found if isinstance(x, Rate)]
    relaxed = []
    for why in dict.fromkeys(r.bound.why for r in rates if r.bound.why):
        of = [r for r in rates if r.bound.why == why and r.of]
        names = list(dict.fromkeys(r.row for r in of))
        which = f" (`{names[0]}`)" if len(names) == 1 else ""
        least, most = min(r.share for r in of), max(r.share for r in of)
        if any(r.bound.low > 0.5 for r in of) and any(r.bound.low < 0.5 for r in of):
            held = [r.share for r in of if r.bound.low > 0.5]
            claimed = [r.share for r in of if r.bound.low < 0.5]
            rate = (
                f"intervals hold in {min(held):.3f} to {max(held):.3f}, zero is left out in "
                f"{min(claimed):.3f} to {max(claimed):.3f}"
            )
        else:
            rate = f"{least:.3f} to {most:.3f}"
        relaxed.append(f"- {why[0].upper()}{why[1:]}{which}: {rate}.")
    error = 2 * (0.95 * 0.05 / min(part.data_sets for part in parts.values())) ** 0.5
    text = _INTRODUCTION.format(
        data_sets=_data_sets(parts), error=error, relaxed="\n".join(relaxed)
    )
    blocks, before = [text], ""
    for table in _tables(found):
        title, _, part = table.title.partition(": ")
        if title != before:
            blocks.append(f"## {title}\n{table.text}\n")
        before = title
        if part:
            blocks.append(f"**{part}**\n")
        blocks.append(_markdown(table))
    return "\n".join(blocks)


def _data_sets(parts: Mapping[str, Part]) -> str:
    """How many data sets a cell has, and in which parts it has fewer."""
    most = max(part.data_sets for part in parts.values())
    fewer = [f"{name}: {p.data_sets:,}" for name, p in parts.items() if p.data_sets < most]
    return f"{most:,}" + (f" ({', '.join(fewer)})" if fewer else "")


def _markdown(table: _Table) -> str:
    lines = [
        "| measure | " + " | ".join(table.columns) + " |",
        "|---" * (len(table.columns) + 1) + "|",
    ]
    for row, values in zip(table.rows, table.values, strict=True):
        lines.append(f"| `{row}` | " + " | ".join(values) + " |")
    return "\n".join(lines) + "\n"
