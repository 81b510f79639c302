"""Pinto da Costa, Alonso & Cardoso 2014: the corrected formula of r_int."""

import itertools
import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.association import r_int
from ordeval.papers._exhibits import Draft, Paper, exhibit
from ordeval.papers._pictures import PairSetsDisplay
from ordeval.papers._values import Value
from ordeval.papers.printed.pinto_da_costa2014 import ELEMENTS_OF_BOTH, R_INT, S1, S2, V1, V2

ObjectPairs = frozenset[tuple[int, int]]
_CASES: Final = 200


def ordered_pairs(v: Any) -> ObjectPairs:
    """Pairs of different objects, numbered from 1, of which the first is not above the second.

    >>> sorted(ordered_pairs([2, 1]))
    [(2, 1)]
    """
    objects = itertools.permutations(enumerate(v, start=1), 2)
    return frozenset((i, j) for (i, a), (j, b) in objects if a <= b)


def r_int_of_pairs(v1: Any, v2: Any) -> float:
    """r_int by its definition: -1 + 2 card(S1 and S2) / sqrt(card(S1) card(S2)).

    >>> r_int_of_pairs([3, 2, 1, 4], [1, 2, 3, 4])
    0.0
    """
    s1, s2 = ordered_pairs(v1), ordered_pairs(v2)
    return -1 + 2 * len(s1 & s2) / math.sqrt(len(s1) * len(s2))


def cardinalities(n: Integers, *, from_one: bool = False) -> tuple[int, int, int]:
    """Sizes of S1, S2 and their intersection from a table; ``from_one`` as the sums are printed."""
    k = len(n)
    rows, columns, items = n.sum(axis=1), n.sum(axis=0), int(n.sum())

    def ordered(sizes: Integers) -> int:
        return sum(int(sizes[i] * sizes[0 if from_one else i :].sum()) for i in range(k))

    both = sum(int(x * n[0 if from_one else i :, j:].sum()) for (i, j), x in np.ndenumerate(n))
    return ordered(rows) - items, ordered(columns) - items, both - items


@exhibit("Table 1", "Worked example: two variables and the sets of their ordered pairs")
def _example(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.r_int({list(V1)}, {list(V2)})"
    s1, s2 = ordered_pairs(V1), ordered_pairs(V2)
    for name, found, printed in (("S1", s1, S1), ("S2", s2, S2)):
        place = draft.printed(name, "elements", _listed(printed))
        if found == printed:
            yield place.judged(_listed(found), "equal")
        else:
            why = f"only one of the two has {_listed(found ^ printed)}"
            yield place.judged(_listed(found), "differs", why)
    yield draft.printed("S1 and S2", "elements", ELEMENTS_OF_BOTH).exact(len(s1 & s2))
    measured = float(r_int(V1, V2))
    claim = draft.claim("r_int of the example is −1 + 2·3/√(6·6) = 0")
    yield claim.tried(measured == r_int_of_pairs(V1, V2) == R_INT, f"oe.r_int gives {measured:g}")


@exhibit("Figure 1", "The intersection of S1 and S2")
def _figure(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.papers.pinto_da_costa2014.ordered_pairs({list(V1)})"
    s1, s2 = ordered_pairs(V1), ordered_pairs(V2)
    yield draft.printed("S1 ∩ S2", "elements", ELEMENTS_OF_BOTH).exact(len(s1 & s2))
    draft.pictures.append(PairSetsDisplay(s1, s2))


@exhibit("Formula", "r_int by pairs and by the contingency table")
def _identity(draft: Draft) -> Iterator[Value]:
    draft.call = "oe.r_int.from_confusion([[3, 1], [0, 2]])"
    rng = np.random.default_rng(draft.run.seed)
    worst, counted = 0.0, True
    for _ in range(_CASES):
        k, items = int(rng.integers(2, 6)), int(rng.integers(2, 16))
        a, b = rng.integers(1, k + 1, (2, items)).tolist()
        table = ConfusionMatrix.from_labels(a, b, range(1, k + 1)).counts
        s1, s2 = ordered_pairs(a), ordered_pairs(b)
        counted &= cardinalities(table) == (len(s1), len(s2), len(s1 & s2))
        worst = max(worst, abs(float(r_int.from_confusion(table)) - r_int_of_pairs(a, b)))
    claim = draft.claim("The table formula gives the sizes of the sets of pairs")
    yield claim.tried(counted, f"{_CASES} random tables of up to 5 classes and 15 items, both ways")
    claim = draft.claim("r_int from the table equals r_int from the pairs")
    yield claim.tried(worst < 1e-12, f"largest difference {worst:.1g} in {_CASES} random tables")
    yield from _extremes(draft)
    example = ConfusionMatrix.from_labels(V1, V2, [1, 2, 3, 4]).counts
    literal, right = cardinalities(example, from_one=True), cardinalities(example)
    sums = "card(S1), card(S2), card(S1 ∩ S2)"
    yield draft.printed("lower limits of the inner sums", sums, "1").contradicted(
        f"i and j: {right}",
        counted and literal != right,
        f"for the example of Table 1, sums from 1 give {literal}, and sums from i and j give "
        f"{right}, the sizes of the printed sets. The limits rest on the layout of the text, so "
        f"they may be lost in transcription and not in print",
    )


def _extremes(draft: Draft) -> Iterator[Value]:
    """The ends of the range, the cost, and the error that the note corrects."""
    same, opposite = (float(r_int([1, 2, 3, 4], x)) for x in ([1, 2, 3, 4], [4, 3, 2, 1]))
    claim = draft.claim("r_int is 1 for identical variables and −1 for completely opposite ones")
    yield claim.tried((same, opposite) == (1, -1), f"{same:g} and {opposite:g} without ties")
    tied = float(r_int.from_confusion([[0, 0, 2], [0, 2, 0], [2, 0, 0]]))
    claim = draft.claim("With ties, opposite classes do not reach −1", ours=True)
    yield claim.tried(
        tied > -1, f"{tied:.3f} for three classes of two items in reverse: S1 ∩ S2 holds the ties"
    )
    terms = {k: sum((k - i) * (k - j) for i in range(k) for j in range(k)) for k in (5, 10, 20, 40)}
    claim = draft.claim("The sum over the table has of the order of K⁴ terms")
    yield claim.tried(
        abs(np.log2(terms[40] / terms[20]) - 4) < 0.2,
        f"{terms[20]:,} terms for K = 20 and {terms[40]:,} for K = 40",
    )
    yield draft.printed("the formula of 2008", "card(S1), card(S2)", "in error").missing(
        "in the text the formula in error and the corrected one read the same, their limits being "
        "lost, so it does not show where the error of 2008 was"
    )


def _listed(pairs: ObjectPairs) -> str:
    return " ".join(f"({i},{j})" for i, j in sorted(pairs))


PAPER: Final = Paper(
    key="pinto_da_costa2014",
    citation="Pinto da Costa, Alonso & Cardoso 2014, Corrigendum to “The unimodal model for the "
    "classification of ordinal data”, Neural Networks",
    about="A coefficient of association that counts the ordered pairs that two variables share, "
    "and a quick formula for it from the confusion matrix.",
    parts=(_example, _figure, _identity),
)
