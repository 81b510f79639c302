"""Pinto da Costa, Alonso & Cardoso 2014: the corrected formula of r_int."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.association import r_int
from ordeval.papers._pictures import PairSetsDisplay
from ordeval.papers._values import Exhibit, Maker, Paper, Part, Run

KEY: Final = "pinto_da_costa2014"

# Table 1: two ordinal variables of four objects, and the sets of pairs below it.
V1: Final = (3, 2, 1, 4)
V2: Final = (1, 2, 3, 4)
S1: Final = frozenset({(1, 4), (2, 1), (2, 4), (3, 1), (3, 2), (3, 4)})
S2: Final = frozenset({(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)})
ELEMENTS_OF_BOTH: Final = "3"

_CASES: Final = 200


def ordered_pairs(v: Any) -> frozenset[tuple[int, int]]:
    """Pairs of different objects, numbered from 1, of which the first is not above the second.

    >>> sorted(ordered_pairs([2, 1]))
    [(2, 1)]
    """
    n = len(v)
    return frozenset(
        (i + 1, j + 1) for i in range(n) for j in range(n) if i != j and v[i] <= v[j]
    )  # fmt: skip


def r_int_of_pairs(v1: Any, v2: Any) -> float:
    """r_int by its definition: -1 + 2 card(S1 and S2) / sqrt(card(S1) card(S2)).

    >>> r_int_of_pairs([3, 2, 1, 4], [1, 2, 3, 4])
    0.0
    """
    s1, s2 = ordered_pairs(v1), ordered_pairs(v2)
    return -1 + 2 * len(s1 & s2) / math.sqrt(len(s1) * len(s2))


def cardinalities(n: NDArray[Any], *, from_one: bool = False) -> tuple[int, int, int]:
    """Sizes of S1, S2 and their intersection from a table; ``from_one`` as the sums are printed."""
    k = len(n)
    rows, columns, items = n.sum(axis=1), n.sum(axis=0), int(n.sum())

    def later(i: int) -> range:
        return range(0 if from_one else i, k)

    s1 = sum(int(rows[i] * rows[j]) for i in range(k) for j in later(i)) - items
    s2 = sum(int(columns[i] * columns[j]) for i in range(k) for j in later(i)) - items
    both = sum(
        int(n[i, j] * n[a, b])
        for i in range(k) for j in range(k) for a in later(i) for b in range(j, k)
    )  # fmt: skip
    return s1, s2, both - items


def _example(run: Run) -> Exhibit:
    make = Maker(KEY, "Table 1")
    s1, s2 = ordered_pairs(V1), ordered_pairs(V2)
    measured = float(r_int(V1, V2))
    values = (
        make.judged("S1", "elements", _listed(S1), _listed(s1), _same(s1, S1), _why(s1, S1)),
        make.judged("S2", "elements", _listed(S2), _listed(s2), _same(s2, S2), _why(s2, S2)),
        make.exact("S1 and S2", "elements", ELEMENTS_OF_BOTH, len(s1 & s2)),
        make.statement(
            "r_int of the example is −1 + 2·3/√(6·6) = 0",
            measured == r_int_of_pairs(V1, V2) == 0.0,
            f"oe.r_int gives {measured:g}",
        ),
    )
    return Exhibit(
        KEY, "Table 1", "Worked example: two variables and the sets of their ordered pairs",
        values, call="oe.r_int([3, 2, 1, 4], [1, 2, 3, 4])",
    )  # fmt: skip


def _figure(run: Run) -> Exhibit:
    s1, s2 = ordered_pairs(V1), ordered_pairs(V2)
    value = Maker(KEY, "Figure 1").exact("S1 ∩ S2", "elements", ELEMENTS_OF_BOTH, len(s1 & s2))
    return Exhibit(
        KEY, "Figure 1", "The intersection of S1 and S2", (value,),
        call="oe.papers.pinto_da_costa2014.ordered_pairs([3, 2, 1, 4])",
        pictures=(PairSetsDisplay(s1, s2),),
    )  # fmt: skip


def _identity(run: Run) -> Exhibit:
    make = Maker(KEY, "Formula")
    rng = np.random.default_rng(run.seed)
    worst = 0.0
    counted = True
    for _ in range(_CASES):
        k, items = int(rng.integers(2, 6)), int(rng.integers(2, 16))
        a, b = rng.integers(1, k + 1, (2, items)).tolist()
        table = ConfusionMatrix.from_labels(a, b, range(1, k + 1)).counts
        s1, s2 = ordered_pairs(a), ordered_pairs(b)
        counted &= cardinalities(table) == (len(s1), len(s2), len(s1 & s2))
        worst = max(worst, abs(float(r_int.from_confusion(table)) - r_int_of_pairs(a, b)))
    example = ConfusionMatrix.from_labels(V1, V2, [1, 2, 3, 4]).counts
    literal = cardinalities(example, from_one=True)
    right = cardinalities(example)
    values = (
        make.statement(
            "The table formula gives the sizes of the sets of pairs",
            counted,
            f"{_CASES} random tables of up to 5 classes and 15 items, both ways",
        ),
        make.statement(
            "r_int from the table equals r_int from the pairs",
            worst < 1e-12,
            f"largest difference {worst:.1e} in {_CASES} random tables",
        ),
        make.formula(
            "lower limits of the inner sums", "card(S1), card(S2), card(S1 ∩ S2)",
            "1", f"i and j: {right}", counted and literal != right,
            f"lost in print or in its transcription: for the example of Table 1, sums from 1 give "
            f"{literal}, sums from i and j give {right}, the sizes of the printed sets",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Formula", "r_int by pairs and by the contingency table", values,
        call="oe.r_int.from_confusion([[3, 1], [0, 2]])",
    )  # fmt: skip


def _listed(pairs: frozenset[tuple[int, int]]) -> str:
    return " ".join(f"({i},{j})" for i, j in sorted(pairs))


def _same(found: frozenset[tuple[int, int]], printed: frozenset[tuple[int, int]]) -> Any:
    return "equal" if found == printed else "differs"


def _why(found: frozenset[tuple[int, int]], printed: frozenset[tuple[int, int]]) -> str:
    apart = found ^ printed
    return f"in one of the two only: {_listed(apart)}" if apart else ""


PAPER: Final = Paper(
    KEY,
    "Pinto da Costa, Alonso & Cardoso 2014, Corrigendum to “The unimodal model for the "
    "classification of ordinal data”, Neural Networks",
    "A coefficient of association that counts the ordered pairs that two variables share, and a "
    "quick formula for it from the confusion matrix.",
    (Part("Table 1", _example), Part("Figure 1", _figure), Part("Formula", _identity)),
)
