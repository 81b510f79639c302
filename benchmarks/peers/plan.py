"""How much is measured: a full run takes minutes, a quick one shows that everything works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """Sizes and limits of a run."""

    quick: bool = False
    items: int = 10**6
    floor_items: int = 10**7  # for the claim against np.bincount
    rounds: int = 7
    budget: float = 2.0  # seconds for all rounds of one contender at one size
    stacks: tuple[int, ...] = (1, 10, 100, 1_000, 10_000, 100_000)
    growth_items: tuple[int, ...] = (10**4, 10**5, 10**6, 10**7, 10**8)
    classes: tuple[int, ...] = (2, 5, 10, 20, 50, 100, 200)
    longest: float = 30.0  # seconds; a curve ends before a call that would take longer
    memory_items: int = 10**7
    draws: int = 2_000
    bootstrap_items: tuple[int, ...] = (10**4, 10**5)
    bootstrap_in_full: int = 10**4  # up to this many items, however long it takes
    bootstrap_budget: float = 5.0  # seconds; above it, the usual code gets fewer draws


FULL = Plan()
QUICK = Plan(
    quick=True,
    items=2_000,
    floor_items=10**5,
    rounds=2,
    budget=0.1,
    stacks=(1, 10, 100),
    growth_items=(10**3, 10**4),
    classes=(2, 5, 10),
    longest=0.2,
    memory_items=10**5,
    draws=200,
    bootstrap_items=(10**3,),
    bootstrap_in_full=0,
    bootstrap_budget=0.1,
)
