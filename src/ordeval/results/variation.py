"""Whether the difference of two models varies between subgroups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ordeval._shared.text import joined
from ordeval.inference.many_models.multiplicity import holm
from ordeval.inference.paired import Delta
from ordeval.inference.subgroup_differences import Gaps, variation
from ordeval.results.comparison import Comparison
from ordeval.results.phrases import exact_p


@dataclass(frozen=True, kw_only=True)
class Variation:
    """Whether the difference of two models varies between subgroups."""

    model: str
    against: str
    test: str
    statistic: float
    df: tuple[float, float]
    p_value: float
    p_adjusted: float  # for the models that are compared with the reference (Holm)
    level: float = field(default=0.95, compare=False)

    @property
    def significant(self) -> bool:
        """Whether it varies significantly."""
        return self.p_adjusted <= 1 - self.level

    def row(self) -> dict[str, Any]:
        """One record."""
        known = {name: x for name, x in vars(self).items() if name != "level"}
        return {**known, "significant": self.significant}


def variations_of(deltas: Iterable[Delta], first: Comparison) -> tuple[Variation, ...]:
    """Tests of two models, or of each model and the reference, from the differences in subgroups.

    There is none by measures that a few items of one class determine, as of subgroups themselves.
    """
    metric, against = first.primary, first.reference
    if against is None and len(first.models) == 2:
        against = first.models[1]
    if against is None or metric.by_class is not None or metric.biased:
        return ()
    by_model: dict[str, list[tuple[float, ...]]] = {}
    for d in deltas:
        model, sign = (d.a, 1.0) if d.b == against else (d.b, -1.0)
        units = d.clusters or min(float(d.items), d.effective or d.items)
        gap = sign * d.delta, d.standard_error, d.freedom, units
        by_model.setdefault(model, []).append(gap)
    gaps = {model: Gaps(*np.array(each).T) for model, each in by_model.items()}
    tests = {model: variation(metric, first.scale.k, g) for model, g in gaps.items()}
    known = {model: test for model, test in tests.items() if test.subgroups}
    adjusted = holm([test.p_value for test in known.values()]).tolist()
    return tuple(
        Variation(
            model=model,
            against=against,
            test=test.test,
            statistic=test.statistic,
            df=test.df,
            p_value=test.p_value,
            p_adjusted=p,
            level=first.level,
        )
        for (model, test), p in zip(known.items(), adjusted, strict=True)
    )


def variation_words(found: tuple[Variation, ...]) -> Iterator[str]:
    """Which differences vary between subgroups, in plain words."""
    for significant, verb in ((True, "varies"), (False, "does not vary")):
        shown = [v for v in found if v.significant == significant]
        if shown:
            corrected = "corrected " if len(found) > 1 else ""
            p = joined([f"{corrected}{exact_p(v.p_adjusted)}" for v in shown])
            yield (
                f"The difference of {joined([v.model for v in shown])} from {shown[0].against} "
                f"{verb} significantly between subgroups ({shown[0].test}, {p})."
            )
