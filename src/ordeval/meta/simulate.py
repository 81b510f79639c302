"""Systems with known kinds of errors (Amigó et al. 2020, section 5.3)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np

from ordeval._shared.arguments import check_amount, checked
from ordeval._shared.types import Integers, Rng, as_rng, check_choice
from ordeval.data.scale import Scale
from ordeval.exceptions import ParameterError
from ordeval.meta.matrices import check_k
from ordeval.meta.outputs import SystemOutputs, count_outputs

Behaviour = Literal["majority", "random", "tag displacement", "ordinal displacement", "proximity"]

BEHAVIOURS: Final[tuple[Behaviour, ...]] = get_args(Behaviour)
RATES: Final = tuple(i / 10 for i in range(1, 11))


@dataclass(frozen=True, eq=False)
class SimulatedSystems:
    """Truths (cases, items) and outputs (cases, systems, items), as classes 1 .. K."""

    y_true: Integers
    y_pred: Integers
    behaviours: tuple[Behaviour, ...]  # one per system
    rates: tuple[float, ...]  # one per system
    k: int

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the name of each system: its kind of error and its error rate."""
        return tuple(f"{b} {r:g}" for b, r in zip(self.behaviours, self.rates, strict=True))

    @checked
    def outputs(self, *, without: Behaviour | None = None) -> SystemOutputs:
        """Return the outputs as counts; ``without`` leaves out a behaviour."""
        cases, items = self.y_true.shape
        by_system = self.y_pred.swapaxes(0, 1).reshape(-1, cases * items)
        case = np.repeat(np.arange(cases), items)
        counts = count_outputs(case, self.y_true.ravel() - 1, by_system - 1, cases, self.k)
        whole = SystemOutputs(counts, self.systems, tuple(range(cases)), Scale.range(1, self.k))
        gone = [s for s, b in zip(self.systems, self.behaviours, strict=True) if b == without]
        return whole.without(*gone)


@checked
def simulate_systems(
    *,
    cases: int = 100,
    items: int = 200,
    k: int = 11,
    centre: float = 4.0,
    deviation: tuple[float, float] = (1.0, 3.0),
    rates: Sequence[float] = RATES,
    behaviours: Sequence[Behaviour] = BEHAVIOURS,
    rng: Rng = None,
) -> SimulatedSystems:
    """Simulate systems with five kinds of errors; the defaults follow Amigó et al. 2020.

    Parameters
    ----------
    cases, items, k
        Test cases, items in each, classes.
    centre, deviation
        Truths are normal around ``centre``, rounded to the nearest class; the standard deviation of
        each test case is uniform between the two of ``deviation``. The smaller it is, the fewer
        classes hold most of the items.
    rates
        Error rates of the systems: each item is an error with this probability.
    behaviours
        What an error is. ``"majority"``: the class nearest to the centre; ``"random"``: uniform
        from 1 to K, rounded; ``"tag displacement"``: the next class; ``"ordinal displacement"``:
        the class of the item a tenth of the items further in order, where an item that has none
        keeps its class; ``"proximity"``: the class of the item halfway to a random one.
    rng
        Seed or generator.

    Returns
    -------
    SimulatedSystems
        The truth and the predictions of each system in each test case.

    Raises
    ------
    ParameterError
        If an option is outside its domain.

    Examples
    --------
    >>> simulated = simulate_systems(cases=5, items=50, rng=0)
    >>> simulated.y_pred.shape
    (5, 50, 50)
    >>> simulated.outputs(without="random")
    SystemOutputs(5 test cases, 40 systems, 11 classes)
    """
    cases = check_amount("cases", cases)
    items = check_amount("items", items, 1, max(10**8 // cases, 1))
    k = check_k(k)
    _check_design(centre, deviation, rates, behaviours)
    centre = float(centre)
    generator = as_rng(rng)
    spread = generator.uniform(min(deviation), max(deviation), (cases, 1))
    truth = _Truth(_nearest_class(generator.normal(centre, spread, (cases, items)), k), centre, k)
    made = []
    for behaviour in behaviours:
        for rate in rates:
            error = truth.errors(behaviour, generator)
            wrong = generator.random(error.shape) < rate
            made.append(np.where(wrong, error, truth.classes))
    y_pred, each = np.stack(made, axis=1), tuple(b for b in behaviours for _ in rates)
    return SimulatedSystems(truth.classes, y_pred, each, tuple(rates) * len(behaviours), k)


class _Truth:
    """Classes (cases, items), with each test case also in sorted order."""

    def __init__(self, classes: Integers, centre: float, k: int) -> None:
        self.classes, self.centre, self.k = classes, centre, k
        order = np.argsort(classes, axis=1, kind="stable")
        self.position = np.argsort(order, axis=1)
        self.in_order = np.take_along_axis(classes, order, axis=1)

    def errors(self, behaviour: Behaviour, rng: np.random.Generator) -> Integers:
        """Return the class that each item would have as an error."""
        shape, n = self.classes.shape, self.classes.shape[1]
        match behaviour:
            case "majority":
                return np.full(shape, _nearest_class(self.centre, self.k))
            case "random":
                return _nearest_class(rng.uniform(1, self.k, shape), self.k)
            case "tag displacement":
                return np.minimum(self.classes + 1, self.k)
            case "ordinal displacement":
                further = self.position + n // 10
                return np.where(further < n, self._at(np.minimum(further, n - 1)), self.classes)
            case "proximity":
                return self._at((self.position + rng.integers(0, n, shape)) // 2)

    def _at(self, position: Integers) -> Integers:
        return np.take_along_axis(self.in_order, position, axis=1)


def _nearest_class(values: Any, k: int) -> Integers:
    return np.asarray(np.clip(np.rint(values), 1, k), dtype=np.int64)


def _check_design(
    centre: float, deviation: Sequence[float], rates: Sequence[float], behaviours: Sequence[str]
) -> None:
    if not math.isfinite(centre):
        raise ParameterError(f"centre must be a number; got {centre!r}.")
    if len(deviation) != 2 or not all(0 < d < np.inf for d in deviation):
        raise ParameterError(f"deviation must be two positive numbers; got {deviation!r}.")
    if not list(rates) or not all(0 <= r <= 1 for r in rates):
        raise ParameterError(f"rates must be numbers from 0 to 1; got {list(rates)!r}.")
    if not list(behaviours):
        raise ParameterError("behaviours is empty; name at least one.")
    for name in behaviours:
        check_choice("behaviours", name, BEHAVIOURS)
