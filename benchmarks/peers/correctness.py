"""Who gives the right number: on the matrices of the papers, and on ordered data.

Right is what a paper prints, or the definition in fractions (``exact.py``). Every answer comes from
calling the library.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from benchmarks.listing import listing_1
from benchmarks.peers import answers, exact
from benchmarks.peers.answers import (
    AMAE,
    ANSWERS,
    AUOC,
    LINEAR,
    MAE,
    OC_HIGH,
    OC_LOW,
    QUADRATIC,
    RPS,
    TAU,
    Answer,
    Data,
)
from benchmarks.peers.contenders import PEERS, US, installed
from ordeval.papers._tables import Row
from ordeval.papers._values import agrees
from ordeval.papers.printed import cardoso2011, george2016, silva2018

Verdict = Literal["right", "wrong", "error", "no such measure", "not installed"]
PACKAGES = (US, *PEERS)
_CLOSE = 1e-6  # torchmetrics computes in single precision
_HEADINGS = {
    "MAE": MAE, "AMAE": AMAE, "τ_b": TAU, "OC β₁": OC_LOW, "OC β₂": OC_HIGH, "A_UOC": AUOC,
}  # fmt: skip
_DEFINITIONS: dict[str, Callable[[Any, Any], float]] = {
    QUADRATIC: exact.quadratic_kappa, LINEAR: exact.linear_kappa, MAE: exact.mae,
    AMAE: exact.amae, TAU: exact.tau_b,
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What came of one call."""

    verdict: Verdict
    value: float | None = None  # None: no number
    remark: str = ""  # of an error its kind; of a value the warning that came with it

    @property
    def text(self) -> str:
        """As a cell of a table."""
        if self.verdict != "wrong":
            return self.verdict
        shown = "undefined" if self.value is None else f"{self.value:.3f}"
        return f"WRONG {shown}" + (", warns" if self.remark else "")


@dataclass(frozen=True)
class Judged:
    """One library on one case: as it is called, and with the order declared."""

    case: str
    measure: str
    package: str
    expected: str
    plain: Outcome
    declared: Outcome | None = None
    argument: str = ""

    @property
    def text(self) -> str:
        """As a cell of a table."""
        mended = self.declared is not None and self.declared.verdict == "right"
        if self.plain.verdict == "right" or not mended:
            return self.plain.text
        return f"{self.plain.text}; right with {self.argument}"

    @property
    def safe(self) -> bool:
        """Never a wrong number, and the right one to be had."""
        told = self.declared or self.plain
        return "wrong" not in (self.plain.verdict, told.verdict) and told.verdict == "right"


def _judge(
    case: str, measure: str, data: Data, expected: str, right: Callable[[float], bool]
) -> Iterator[Judged]:
    """All libraries on one case; those without the measure too."""
    by_package = {a.package: a for a in ANSWERS[measure]}
    for package in PACKAGES:
        answer = by_package.get(package)
        if answer is None or not installed(package):
            missing: Verdict = "no such measure" if answer is None else "not installed"
            yield Judged(case, measure, package, expected, Outcome(missing))
        else:
            yield _asked(case, measure, answer, data, expected, right)


def _asked(
    case: str,
    measure: str,
    answer: Answer,
    data: Data,
    expected: str,
    right: Callable[[float], bool],
) -> Judged:
    plain = _outcome(answer.plain, data, right)
    declared = answer.declared and _outcome(answer.declared, data, right)
    return Judged(case, measure, answer.package, expected, plain, declared or None, answer.argument)


def _outcome(call: answers.Call, data: Data, right: Callable[[float], bool]) -> Outcome:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = float(call(data))
        except Exception as error:
            # Whatever a library raises on data that it does not take is its answer.
            return Outcome("error", remark=f"{type(error).__name__}: {error}".split("\n")[0][:200])
    told = [w for w in caught if not issubclass(w.category, (DeprecationWarning, FutureWarning))]
    remark = f"{told[0].category.__name__}: {told[0].message}"[:200] if told else ""
    number = None if math.isnan(value) else value
    return Outcome("right" if right(value) else "wrong", number, remark)


def paper_cases() -> Iterator[Judged]:
    """Every matrix of three papers: printed figures, and kappa by its definition."""
    _, _, cm6 = cardoso2011.TABLE_4.rows  # the others are CM5, whose matrix is misprinted
    tables = (cardoso2011.TABLE_1, cardoso2011.TABLE_2, cardoso2011.TABLE_3)
    cardoso = (*(row for t in tables for row in t.rows), cm6, *cardoso2011.TABLE_5.rows)
    george = tuple(row for data in george2016.DATA.values() for row in data.rows)
    for paper, columns, rows in (
        ("Cardoso & Sousa 2011", cardoso2011.COLUMNS, cardoso),
        ("George et al. 2016", george2016.COLUMNS, george),
        ("Silva et al. 2018", silva2018.COLUMNS, silva2018.TABLE_I.rows),
    ):
        headings = [c.heading for c in columns]
        for row in rows:
            yield from _printed(paper, headings, row)


@dataclass(frozen=True)
class Tally:
    """How many figures of a measure a library gets right, and those that it does not."""

    measure: str
    package: str
    right: int
    told: int  # right when told the classes, where it has an argument for them
    of: int  # 0 if it was not asked; the verdict says why
    verdict: str
    wrong: list[dict[str, str]]


def tally(judged: Sequence[Judged]) -> list[Tally]:
    """By measure and library."""
    found = []
    for measure, package in dict.fromkeys((j.measure, j.package) for j in judged):
        own = [j for j in judged if (j.measure, j.package) == (measure, package)]
        asked = [j for j in own if j.plain.verdict not in ("no such measure", "not installed")]
        wrong = [j for j in asked if j.plain.verdict != "right"]
        verdict = own[0].plain.verdict if not asked else "wrong" if wrong else "right"
        said = [{"case": j.case, "expected": j.expected, "text": j.text} for j in wrong]
        told = sum((j.declared or j.plain).verdict == "right" for j in asked)
        right = len(asked) - len(wrong)
        found.append(Tally(measure, package, right, told, len(asked), verdict, said))
    return found


def _printed(paper: str, headings: Sequence[str], row: Row) -> Iterator[Judged]:
    case, data = f"{paper}, {row.name}", items_of(row.matrix)
    for heading, text in zip(headings, row.texts, strict=True):
        measure = _HEADINGS.get(heading)
        # Silva et al. count an absent class as no error in AMAE: another measure.
        other = measure == AMAE and paper.startswith("Silva") and not np.all(np.sum(row.matrix, 1))
        if measure is None or other or heading in row.misprints:
            continue
        yield from _judge(case, measure, data, text, partial(agrees, text))
    for measure in (QUADRATIC, LINEAR):
        value = _DEFINITIONS[measure](data.truth.tolist(), data.pred.tolist())
        yield from _judge(case, measure, data, _shown(value), _equals(value))


def items_of(matrix: Any) -> Data:
    """The items of a matrix, as integers from 0."""
    counts = np.asarray(matrix)
    rows, columns = np.divmod(np.arange(counts.size), len(counts))
    truth, pred = (np.repeat(x, counts.ravel()) for x in (rows, columns))
    return Data(truth, pred, list(range(len(counts))))


def _equals(value: float) -> Callable[[float], bool]:
    return lambda x: bool(np.isclose(x, value, rtol=0, atol=_CLOSE, equal_nan=True))


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"


# Items of four classes, as positions; some errors go further than one class.
_TRUTH = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3)
_PRED = (0, 0, 0, 2, 1, 0, 3, 2, 2, 1, 3, 3, 3, 0)
_WORDS = ["low", "medium", "high", "severe"]
STANDARD = (
    "Printed figures without misprints; for kappa, which the papers do not print, the value of its "
    "definition in fractions. Every library gets the items as integers from 0, without the number "
    "of classes unless it requires it. The AMAE of E in Silva et al. 2018 is excluded: it counts "
    "an absent class as free of errors, which is a different measure."
)
NOTES = (
    "error: the library raises an error, which is better than a wrong number.",
    "right with labels= (or classes=): the value is correct once the order is passed.",
    "warns: the wrong number comes with a warning.",
    "The codes of a categorical (`.cat.codes`) are integers from 0.",
    "OC depends on the number of classes, and integers cannot show that an end class is absent.",
)


def ordered_cases() -> Iterator[Judged]:
    """Labels as people have them: words, categoricals, integers; with a class that is absent."""
    for case, data, truth, pred in _ordered_data():
        expected = {m: definition(truth, pred) for m, definition in _DEFINITIONS.items()}
        expected[RPS] = exact.rps(truth, data.prob.tolist())
        expected[OC_HIGH] = listing_1(_matrix(truth, pred, len(data.levels)))
        for measure, value in expected.items():
            yield from _judge(case, measure, data, _shown(value), _equals(value))


def _ordered_data() -> Iterator[tuple[str, Data, list[int], list[int]]]:
    """Name, data, and the positions that they stand for."""

    def keep(*classes: int) -> tuple[list[int], list[int]]:
        both = [(t, p) for t, p in zip(_TRUTH, _PRED, strict=True) if t in classes and p in classes]
        return [t for t, _ in both], [p for _, p in both]

    def words(x: list[int]) -> list[str]:
        return [_WORDS[i] for i in x]

    def categorical(x: list[int]) -> Any:
        return pd.Series(pd.Categorical(words(x), categories=_WORDS, ordered=True))

    def three(x: list[int]) -> Any:
        return pd.Series(pd.Categorical(words(x), categories=_WORDS[:3], ordered=True))

    def from_1(x: list[int]) -> Any:
        return np.array(x) + 1

    for name, make, levels, classes in (
        ("strings low, medium, high", words, _WORDS[:3], (0, 1, 2)),
        ("ordered categorical of these", three, _WORDS[:3], (0, 1, 2)),
        ("ordered categorical, 2nd of 4 absent", categorical, _WORDS, (0, 2, 3)),
        ("ordered categorical, 4th of 4 absent", categorical, _WORDS, (0, 1, 2)),
        ("integers 0 to 3, class 2 absent", np.array, [0, 1, 2, 3], (0, 1, 3)),
        ("integers 1 to 4, class 4 absent", from_1, [1, 2, 3, 4], (0, 1, 2)),
    ):
        t, p = keep(*classes)
        prob = _probabilities(len(t), len(levels))
        yield name, Data(make(t), make(p), levels, prob), t, p


def _matrix(truth: list[int], pred: list[int], k: int) -> Any:
    cells = np.array(truth) * k + np.array(pred)
    return np.bincount(cells, minlength=k * k).reshape(k, k)


def _probabilities(n: int, k: int) -> Any:
    weights = np.random.default_rng(7).integers(1, 9, (n, k)).astype(float)
    return weights / weights.sum(axis=1, keepdims=True)
