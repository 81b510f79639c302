"""Systems that err in known ways, on truths of known imbalance (Amigó et al. 2020, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval.data.scale import Scale
from ordeval.exceptions import ParameterError
from ordeval.inference.samples import as_rng
from ordeval.meta.outputs import SystemOutputs

Integers = NDArray[np.int64]
Behaviour = Literal[
    "majority", "random", "tag displacement", "ordinal displacement", "proximity"
]  # fmt: skip

BEHAVIOURS: Final[tuple[Behaviour, ...]] = get_args(Behaviour)
RATES: Final = tuple(i / 10 for i in range(1, 11))


@dataclass(frozen=True, eq=False)
class SimulatedSystems:
    """Truths (cases, items) and outputs (cases, systems, items), as classes 1 .. K."""

    truth: Integers
    predictions: Integers
    behaviours: tuple[Behaviour, ...]  # of each system
    rates: tuple[float, ...]  # of each system
    k: int

    @property
    def systems(self) -> tuple[str, ...]:
        """The name of each system: how it errs, and how often."""
        return tuple(f"{b} {r:g}" for b, r in zip(self.behaviours, self.rates, strict=True))

    def outputs(self, *, without: Behaviour | None = None) -> SystemOutputs:
        """The outputs counted, for the study of measures; ``without`` leaves a behaviour out."""
        cases, systems, _ = self.predictions.shape
        k = self.k
        first = np.arange(cases * systems).reshape(cases, systems, 1) * k * k
        cells = first + (self.truth[:, None] - 1) * k + self.predictions - 1
        counts = np.bincount(cells.ravel(), minlength=cases * systems * k * k)
        shape = (cases, systems, k, k)
        scale = Scale.range(1, k)
        whole = SystemOutputs(counts.reshape(shape), self.systems, tuple(range(cases)), scale)
        gone = [s for s, b in zip(self.systems, self.behaviours, strict=True) if b == without]
        return whole.without(*gone)


def simulate_systems(
    *,
    cases: int = 100,
    items: int = 200,
    k: int = 11,
    centre: float = 4.0,
    deviation: tuple[float, float] = (1.0, 3.0),
    rates: Sequence[float] = RATES,
    behaviours: Sequence[Behaviour] = BEHAVIOURS,
    rng: np.random.Generator | int | None = None,
) -> SimulatedSystems:
    """Outputs of systems that err in five ways; by default the design of Amigó et al. 2020.

    Parameters
    ----------
    cases, items, k
        Test cases, items in each, classes.
    centre, deviation
        Truths are normal around ``centre``, rounded to the nearest class; the standard deviation of
        each test case is uniform between the two of ``deviation``. The smaller it is, the fewer
        classes hold most of the items.
    rates
        How often a system errs: each item is an error with this probability.
    behaviours
        What an error is. ``"majority"``: the class nearest to the centre; ``"random"``: uniform
        from 1 to K, rounded; ``"tag displacement"``: the next class; ``"ordinal displacement"``:
        the class of the item a tenth of the items further in order, an item that has none keeps
        its class; ``"proximity"``: the class of the item half-way to a random one.
    rng
        Seed or generator.

    Examples
    --------
    >>> simulated = simulate_systems(cases=5, items=50, rng=0)
    >>> simulated.predictions.shape
    (5, 50, 50)
    >>> simulated.outputs(without="random")
    SystemOutputs(5 test cases, 40 systems, 11 classes)
    """
    _check_design(cases, items, k, deviation, rates, behaviours)
    if not np.isfinite(centre):
        raise ParameterError(f"centre must be a number; got {centre!r}.")
    generator = as_rng(rng)
    spread = generator.uniform(min(deviation), max(deviation), (cases, 1))
    truth = _nearest_class(generator.normal(centre, spread, (cases, items)), k)
    order = np.argsort(truth, axis=1, kind="stable")
    position = np.argsort(order, axis=1)
    in_order = np.take_along_axis(truth, order, axis=1)
    made = []
    for behaviour in behaviours:
        for rate in rates:
            error = _error(behaviour, truth, position, in_order, centre, k, generator)
            wrong = generator.random(truth.shape) < rate
            made.append(np.where(wrong, error, truth))
    names = tuple(b for b in behaviours for _ in rates)
    return SimulatedSystems(truth, np.stack(made, axis=1), names, tuple(rates) * len(behaviours), k)


def _error(
    behaviour: Behaviour,
    truth: Integers,
    position: Integers,
    in_order: Integers,
    centre: float,
    k: int,
    rng: np.random.Generator,
) -> Integers:
    """The class of each item if it is an error."""
    n = truth.shape[1]
    match behaviour:
        case "majority":
            return np.full_like(truth, _nearest_class(np.array(centre), k))
        case "random":
            return _nearest_class(rng.uniform(1, k, truth.shape), k)
        case "tag displacement":
            return np.minimum(truth + 1, k)
        case "ordinal displacement":
            further = position + n // 10
            moved = np.take_along_axis(in_order, np.minimum(further, n - 1), axis=1)
            return np.where(further < n, moved, truth)
        case "proximity":
            half_way = (position + rng.integers(0, n, truth.shape)) // 2
            return np.take_along_axis(in_order, half_way, axis=1)


def _nearest_class(values: NDArray[np.float64], k: int) -> Integers:
    return np.clip(np.rint(values), 1, k).astype(np.int64)


def _check_design(
    cases: int,
    items: int,
    k: int,
    deviation: tuple[float, float],
    rates: Sequence[float],
    behaviours: Sequence[str],
) -> None:
    if cases < 1 or items < 1 or k < 2:
        raise ParameterError(
            f"a design needs a case, an item and two classes; got cases={cases}, items={items}, "
            f"k={k}."
        )
    if len(deviation) != 2 or not all(0 < d < np.inf for d in deviation):
        raise ParameterError(f"deviation must be two positive numbers; got {deviation!r}.")
    if not len(rates) or not all(0 <= r <= 1 for r in rates):
        raise ParameterError(f"rates must be numbers from 0 to 1; got {list(rates)!r}.")
    for name in behaviours:
        if name not in BEHAVIOURS:
            raise ParameterError(f"behaviours are {', '.join(BEHAVIOURS)}; got {name!r}.")
    if not len(behaviours):
        raise ParameterError("behaviours is empty; name at least one.")
