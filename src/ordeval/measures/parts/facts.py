"""Facts that measures of several families share."""

from __future__ import annotations

from typing import Final

from ordeval._shared.types import Floats
from ordeval.measures.metric import Range

UNIT: Final = Range(0, 1)
SIGNED: Final = Range(-1, 1)
NO_ITEMS: Final = "there are no items"
ONE_TRUE_CLASS: Final = "the truth holds one class only"
ONE_CLASS: Final = "truth or prediction holds one class only"


def turns(matrix: Floats) -> dict[str, bool]:
    """What weights or costs (K, K) make of the two facts about turning a table around."""
    return {
        "symmetric": bool((matrix == matrix.T).all()),
        "reversal_invariant": bool((matrix == matrix[::-1, ::-1]).all()),
    }


def steps(k: int) -> tuple[float, float]:
    """The ends of a measure that counts steps of the scale."""
    return 0.0, k - 1.0
