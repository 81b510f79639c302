"""How many items show that a judge is non-inferior to a human, with some of a pilot's humans.

What units of the pilot contribute to the gap says how surely studies of another size find it.
Studies are drawn from these contributions, and tested as the judgement tests them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ordeval.inference.ends.skewed_t import Skewed
from ordeval.inference.influence import Contributions
from ordeval.inference.raters.judges import Panel
from ordeval.inference.study_design import Powers, power_of

_SEED: Final = 20_261_121
_CHOICES: Final = 20  # of humans, over which a power is averaged
_UNITS: Final = 4_000_000  # of all studies that are drawn for one power
_STUDIES: Final = 2000
_LEAST: Final = 50  # for each choice


@dataclass(frozen=True, eq=False)
class JudgePower(Powers):
    """The power to show a judge non-inferior, by the number of units: a mean over some gaps."""

    gaps: Sequence[Contributions]  # one for each choice of humans
    margin: float
    sign: float  # 1 if greater is better
    tail: float
    least: int = 2

    @classmethod
    def of(cls, panel: Panel, humans: int, margin: float, tail: float) -> JudgePower:
        """With some of the humans of a pilot; no gaps if too few items were rated by them."""
        every = range(panel.humans.shape[1])
        found = [panel.gap_without(out) for out in _choices(every, len(every) - humans)]
        known = [x for x in found if x is not None]
        # The gaps of choices differ by chance in a small pilot, which must not cost power.
        apart = [np.mean([x.values[0] for x in known]) - x.values for x in known]
        gaps = [
            replace(x, values=x.values + d, centre=x.centre + d)
            for x, d in zip(known, apart, strict=True)
        ]
        return cls(gaps, margin, 1.0 if panel.metric.greater_is_better else -1.0, tail)

    def expected(self, units: int) -> float:
        """The power by the noncentral t distribution."""
        each = [self._power(gap, units) for gap in self.gaps]
        return float(np.mean(each))

    def _power(self, gap: Contributions, units: int) -> float:
        lead = self.sign * float(gap.values[0]) + self.margin
        error = float(gap.errors[0]) * math.sqrt(gap.units / units)
        freedom = min(float(gap.own_freedom[0]) * units / gap.units, units - 1.0)
        return power_of(lead / error, max(freedom, 1.0), self.tail)

    def drawn(self, units: int) -> float:
        """The share of studies, drawn from the contributions of the pilot, that show it."""
        rng = np.random.default_rng(_SEED)
        wanted = min(_STUDIES, _UNITS // units) // len(self.gaps)
        number = max(wanted, _LEAST)
        share = float(np.mean([self._shown(gap, units, number, rng) for gap in self.gaps]))
        # No number of draws shows that something never fails.
        least = 0.5 / (number * len(self.gaps))
        return min(max(share, least), 1 - least)

    def _shown(
        self, gap: Contributions, units: int, number: int, rng: np.random.Generator
    ) -> float:
        own = gap.parts[:, 0] * gap.units / units
        shift = gap.centre - gap.values
        found = 0
        for _ in range(number):
            parts = own[rng.integers(len(own), size=units)]
            value = gap.values + parts.sum()
            study = replace(
                gap,
                values=value,
                centre=value + shift * gap.units / units,
                parts=(parts - parts.mean())[:, None],
                count=np.ones(units),
                pseudo=gap.pseudo * (gap.units / units) ** 2,
            )
            found += Skewed.of(study).beyond(-self.sign * self.margin, self.sign) < self.tail
        return found / number


def _choices(humans: range, out: int) -> list[tuple[int, ...]]:
    """Which humans are left out: all choices, or some at random."""
    if math.comb(len(humans), out) <= _CHOICES:
        return list(itertools.combinations(humans, out))
    rng = np.random.default_rng(_SEED)
    return [tuple(rng.permutation(len(humans))[:out].tolist()) for _ in range(_CHOICES)]
