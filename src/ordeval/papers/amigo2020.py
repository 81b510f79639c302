"""Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020: the closeness evaluation measure."""

from __future__ import annotations

from typing import Any, Final

from ordeval.exceptions import ParameterError
from ordeval.measures.closeness import cem_ord, proximity
from ordeval.measures.nominal import accuracy
from ordeval.meta import PAPER as PAPER_PROPERTIES
from ordeval.meta import SystemOutputs, check_properties, coverage, simulate_systems
from ordeval.papers import _amigo_claims as claims
from ordeval.papers._amigo_printed import (
    CAMPAIGNS,
    MEASURES,
    REAL,
    SAMPLES,
    SATISFIED,
    SYNTHETIC,
    SYNTHETIC_COLUMNS,
    WITHOUT,
)
from ordeval.papers._tables import Matrix, transposed
from ordeval.papers._values import Exhibit, Maker, Paper, Part, Run, Value
from ordeval.plots.meta import CoverageDisplay

KEY: Final = claims.KEY
_CLASSES: Final = ("negative", "neutral", "positive")
_REVIEWS: Final = ("reject", "weak reject", "undecided", "weak accept", "accept")

# Figure 1 and the text on it. On the right only the middle sizes and the total of 376 are printed;
# how the outer classes share the other 353 items does not enter the value.
LEFT: Final = (7, 105, 193, 90, 7)
RIGHT: Final = (176, 10, 3, 10, 177)
FIGURE_1: Final = (
    ("left", LEFT, "weak reject", "weak accept", "0.23"),
    ("right", RIGHT, "weak reject", "weak accept", "4.38"),
    ("left", LEFT, "reject", "reject", "6.84"),
    ("left", LEFT, "undecided", "undecided", "2.06"),
)

# Appendix A, Figure 3; printed with the system's classes as rows, here rows are the truth.
SIZES: Final = (10, 60, 30)
PROXIMITY: Final = (("4.32", "1.32", "0.23"), ("0.62", "1.74", "0.42"), ("0.07", "0.74", "2.74"))
SYSTEM_A: Final[Matrix] = transposed(((5, 5, 7), (1, 50, 8), (4, 5, 15)))
SYSTEM_B: Final[Matrix] = transposed(((7, 12, 4), (1, 45, 8), (2, 3, 18)))
SCORES: Final = (("system A", SYSTEM_A, "0.71", "0.70"), ("system B", SYSTEM_B, "0.76", "0.70"))

_TOLERANCE: Final = 0.04
_EXCHANGED: Final = {"MAEm": "MSE", "MSE": "MAEm"}
_NO_CAMPAIGNS: Final = (
    "the outputs of the systems that took part are needed, and ordeval does not carry them; who "
    "has them calls oe.papers.amigo2020.campaign, or types ordeval meta FILE --truth COL --pred "
    "COL --case COL"
)


def _figure_1(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 1")
    values = [
        make.exact(
            f"{side}, true {truth}", f"predicted {predicted}", text,
            proximity(sizes)[_REVIEWS.index(truth), _REVIEWS.index(predicted)],
        )
        for side, sizes, truth, predicted, text in FIGURE_1
    ]  # fmt: skip
    return Exhibit(
        KEY, "Figure 1", "Proximity of paper reviews, in bits", tuple(values),
        call=f"oe.proximity({list(LEFT)})",
    )  # fmt: skip


def _appendix_a(run: Run) -> Exhibit:
    make = Maker(KEY, "Appendix A")
    near = proximity(SIZES)
    values = [
        make.exact(f"true {_CLASSES[i]}", f"predicted {_CLASSES[j]}", text, near[i, j])
        for i, row in enumerate(PROXIMITY)
        for j, text in enumerate(row)
    ]
    for name, matrix, cem, acc in SCORES:
        values.append(make.exact(name, "CEM_ORD", cem, cem_ord.from_confusion(matrix)))
        values.append(make.exact(name, "accuracy", acc, accuracy.from_confusion(matrix)))
    return Exhibit(
        KEY, "Appendix A", "CEM of two systems of equal accuracy", tuple(values),
        call=f"oe.cem_ord.from_confusion({[list(r) for r in SYSTEM_A]})",
    )  # fmt: skip


def _table_2(run: Run) -> Exhibit:
    make = Maker(KEY, "Table 2")
    known = [m for m in SATISFIED if m != "rennie_srebro_loss"]
    found = check_properties(known, PAPER_PROPERTIES, rng=run.seed, progress=run.tell("Table 2"))
    values = []
    for metric, satisfied in SATISFIED.items():
        for name, claimed in zip(PAPER_PROPERTIES, satisfied, strict=True):
            row, column, printed = metric, name.replace("_", " "), _yes(claimed)
            if metric not in known:
                values.append(make.missing(row, column, printed, _RENNIE))
                continue
            finding = found.find(name, metric)
            if finding.holds == bool(claimed):
                how = f"{finding.cases:,} cases tried" if finding.holds else "by a counterexample"
                values.append(make.judged(row, column, printed, printed, "equal", how))
                continue
            values.append(
                make.judged(row, column, printed, _yes(finding.holds), "differs", _apart(finding))
            )
    return Exhibit(
        KEY, "Table 2", "Which measure has which property", tuple(values),
        method="“no” is proven by a counterexample, “yes” means that none was found among all "
        "small data and random larger ones. Ordinal invariance is tried on label values, as the "
        "paper means it.",
        call='oe.meta.check_properties("cem_ord", oe.meta.PAPER)',
    )  # fmt: skip


_RENNIE: Final = (
    "a loss of real-valued predictions and thresholds, not a measure of predicted labels; ordeval "
    "has no such measure"
)


def _apart(finding: Any) -> str:
    """Why what was found is not what the table claims: the counterexample, on one line."""
    if finding.counterexample is None:
        return f"no counterexample in {finding.cases:,} cases"
    lines = [x.strip() for x in str(finding.counterexample).splitlines()]
    shown = f"a counterexample: {'; '.join(lines[1:])}"
    if (finding.metric, finding.property_name) == ("oc_index", "ordinal_invariance"):
        shown += (
            ". The text of the same page says that it is not satisfied; on the positions of "
            "declared classes, in place of label values, it is"
        )
    return " ".join(shown.split())


def _yes(holds: Any) -> str:
    return "yes" if holds else "no"


def _table_3(run: Run) -> Exhibit:
    make = Maker(KEY, "Table 3")
    simulated = simulate_systems(rng=run.seed)
    tell = run.tell("Table 3")
    found = []
    for done, left_out in enumerate(WITHOUT, start=1):
        found.append(coverage(simulated.outputs(without=left_out), list(MEASURES.values())))
        tell("", done, len(WITHOUT))
    values: list[Value] = []
    for row, printed in SYNTHETIC.items():
        for column, text, covered in zip(SYNTHETIC_COLUMNS, printed.split(), found, strict=True):
            own = covered[MEASURES[row]]
            if row in _EXCHANGED:
                other = covered[MEASURES[_EXCHANGED[row]]]
                values.append(_exchanged(make, row, column, text, own, other))
            else:
                values.append(make.near(row, column, text, own, _TOLERANCE, _why(row, column)))
    values += [
        make.missing(row, campaign, text, _NO_CAMPAIGNS)
        for row, printed in REAL.items()
        for campaign, text in zip(CAMPAIGNS, printed.split(), strict=True)
    ]
    values.append(_best_coverage(make, found))
    return Exhibit(
        KEY, "Table 3", "Coverage of the unanimous improvements", tuple(values),
        method="The synthetic half is simulated anew by the printed design: 100 test cases of 200 "
        "items, 11 classes, 50 systems. From seed to seed values move by up to 0.02; the "
        "tolerance is for what the design leaves open.",
        call="oe.meta.coverage(oe.meta.simulate_systems(cases=20, rng=0).outputs(), ['cem_ord'])",
        pictures=(CoverageDisplay(found[0]),),
    )  # fmt: skip


def _exchanged(make: Maker, row: str, column: str, text: str, own: float, other: float) -> Value:
    """Of the rows MAEm and MSE, which look exchanged."""
    near, exchanged = (abs(x - float(text)) <= _TOLERANCE for x in (own, other))
    if near:
        return make.near(row, column, text, own, _TOLERANCE, "")
    if exchanged:
        note = f"the rows MAEm and MSE look exchanged in print: {_EXCHANGED[row]} is {other:.3f}"
        return make.judged(row, column, text, own, "misprint", note)
    why = (
        f"the rows MAEm and MSE look exchanged in print, but {_EXCHANGED[row]}, {other:.3f}, is "
        f"not near either: {_why(row, column)}"
    )
    return make.judged(row, column, text, own, "differs", why)


def _why(row: str, column: str) -> str:
    if row == "Spearman":
        return (
            "in every simulation of the design it covers nearly as much as Kendall and Pearson; "
            "ranks without correction for ties do not bring it down either. How the paper "
            "computed it is not known"
        )
    if column == "minus sRand":
        return (
            "without the systems that err at random, measures of distance cover more and "
            "F-measure less than in print; what the paper does with classes that no item has, and "
            "how it rounds random classes, is not said"
        )
    return "the printed design leaves open how outputs are rounded and sorted"


def _best_coverage(make: Maker, found: list[Any]) -> Value:
    rivals = [max((f[m], m) for m in MEASURES.values()) for f in found]
    best = [m for _, m in rivals]
    shown = ", ".join(f"{c}: {m}" for c, m in zip(SYNTHETIC_COLUMNS, best, strict=True))
    return make.statement(
        "CEM_ORD covers more than every other measure in every synthetic column",
        set(best) == {"cem_ord"}, f"best by column: {shown}",
        "in some columns another measure comes out a little ahead",
    )  # fmt: skip


def _section_5_4(run: Run) -> Exhibit:
    make = Maker(KEY, "Section 5.4")
    why = (
        "ordeval does not carry the files; those that SemEval published hold 10,681 and 8,987 "
        "items (2014 A, B) and 3,092, 2,390 and 2,383 (2015 A, B, C), so that the counts in print "
        "look exchanged between tasks"
    )
    values = [make.missing(task, "samples", text, why) for task, text in SAMPLES.items()]
    return Exhibit(
        KEY, "Section 5.4", "Samples of the SemEval tasks", tuple(values),
        call='outputs = oe.meta.simulate_systems(cases=10, rng=0).outputs()\n'
        'oe.meta.robustness(outputs, ["cem_ord"])',
    )  # fmt: skip


def campaign(
    file: str,
    truth: str,
    pred: str | list[str],
    case: str,
    *,
    name: str,
    system: str | None = None,
    labels: Any = None,
) -> Exhibit:
    """A column of the real-data half of Table 3, for those who have the outputs of the campaign.

    Parameters
    ----------
    file, truth, pred, case, system, labels
        As for ``oe.meta.SystemOutputs.from_file``: the items with their true label, the labels that
        systems gave them, and the test case of each; SemEval's items were divided at random into
        10 test cases.
    name
        Which column: one of ``CAMPAIGNS``.
    """
    make = Maker(KEY, "Table 3")
    outputs = SystemOutputs.from_file(file, truth, pred, case, system=system, labels=labels)
    found = coverage(outputs, list(MEASURES.values()))
    if name not in CAMPAIGNS:
        raise ParameterError(f"name must be one of {', '.join(CAMPAIGNS)}; got {name!r}.")
    place = CAMPAIGNS.index(name)
    values = [
        make.near(
            row, name, printed.split()[place], found[MEASURES[row]], _TOLERANCE,
            "the random division into test cases, or the outputs, are not the paper's",
        )
        for row, printed in REAL.items()
    ]  # fmt: skip
    return Exhibit(KEY, "Table 3", f"Coverage: {name}", tuple(values))


PAPER: Final = Paper(
    KEY,
    "Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020, An effectiveness metric for ordinal "
    "classification: formal properties and experimental results, ACL",
    "The closeness evaluation measure CEM: two classes are close when few items lie between them, "
    "and an error costs what it leaves out in information.",
    (
        Part("Figure 1", _figure_1),
        Part("Proposition 1", claims.proposition_1),
        Part("Proposition 2", claims.proposition_2),
        Part("Table 2", _table_2),
        Part("Table 3", _table_3),
        Part("Section 5.4", _section_5_4),
        Part("Appendix A", _appendix_a, also="Figure 3"),
        Part("Appendix B", claims.appendix_b),
    ),
)
