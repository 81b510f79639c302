"""Types of facts about measures, and facts shared by several families."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from ordeval._shared.arguments import is_number, shown
from ordeval._shared.types import Floats
from ordeval.exceptions import ParameterError

Kernel = Callable[..., Any]
Ends = Callable[[int], tuple[float, float]]  # number of classes -> smallest and largest value


class Range(tuple[float, float]):
    """Bounds on the values of a measure, for all numbers of classes and integer counts."""

    text: str
    _at: Ends | None

    def __new__(
        cls, low: float, high: float, at: Ends | None = None, text: str | None = None
    ) -> Range:
        """Create a range; if the ends depend on K, ``at`` returns them and ``text`` shows them."""
        for name, end in (("low", low), ("high", high)):
            if not is_number(end):
                raise ParameterError(f"{name} must be a number; got {shown(end)}.")
        self = super().__new__(cls, (float(low), float(high)))
        self._at = at
        self.text = _show_ends(low, high) if text is None else text
        return self

    @classmethod
    def of(cls, ends: Any) -> Range:
        """Return a range from a range or from its two ends."""
        try:
            return ends if isinstance(ends, cls) else cls(*ends)
        except (TypeError, ValueError):
            raise ParameterError(
                f"range must be the least and the largest value; got {ends!r}."
            ) from None

    def at(self, k: int) -> tuple[float, float]:
        """Return the ends for K classes."""
        return (self[0], self[1]) if self._at is None else self._at(k)

    def show(self, k: int) -> str:
        """Format the ends for K classes."""
        return _show_ends(*self.at(k))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self, self._at, self.text)


def _show_ends(low: float, high: float) -> str:
    return f"[{float(low):.3g}, {float(high):.3g}]".replace("inf", "∞")


class ByClass(NamedTuple):
    """A measure that is the extreme of the classes' values, or a mean over the end classes."""

    kernel: Kernel  # counts (..., K, K) -> values of the classes (..., K)
    combine: Literal["largest", "smallest", "ends"]


class OrdinalProperties(NamedTuple):
    """The claims of Amigó et al. 2020, Table 2, about a measure."""

    ordinal_invariance: bool
    ordinal_monotonicity: bool
    imbalance: bool


UNIT: Final = Range(0, 1)
SIGNED: Final = Range(-1, 1)
NO_ITEMS: Final = "there are no items"
ONE_TRUE_CLASS: Final = "the truth has only one class"
ONE_CLASS: Final = "truth or prediction has only one class"


def turns(matrix: Floats) -> dict[str, bool]:
    """Return symmetry and reversal invariance for weights or costs (K, K)."""
    return {
        "symmetric": bool((matrix == matrix.T).all()),
        "reversal_invariant": bool((matrix == matrix[::-1, ::-1]).all()),
    }


def steps(k: int) -> tuple[float, float]:
    """Return the ends of a measure that counts steps of the scale."""
    return 0.0, k - 1.0
