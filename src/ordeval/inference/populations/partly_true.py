"""Partial truth: humans labelled some items, and proxies, such as LLM judges, labelled all.

By each measure and model three values are found: of the human labels, of a proxy's on the same
items, and of the proxy's on the others. The last two estimate one thing, and their difference
tells how far the labelled items happen to be off: ``lam`` of it is taken back. What units
contribute to all of them is known, so that ``lam`` is what makes the variance least (Angelopoulos,
Duchi & Zrnic 2023), and differences, ranks and margins follow as from any other contributions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.ends.range_ends import ends_reached
from ordeval.inference.influence import Contributions, contributions
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

_FLAT: Final = 1e-20  # of the squares of what units contribute, below which nothing varies
_STRATA: Final = 50  # different chances of being chosen, up to which each is a stratum


@dataclass(frozen=True, eq=False)
class PartlyTrue(Sample):
    """Items of which some have a true class; that of the others is negative."""

    proxies: Integers | None = None  # (U, P)
    inclusion: Floats | None = None  # (U,), how likely it was that a row was chosen
    within: Integers | None = None  # (U,), the stratum within which rows were chosen at random

    @cached_property
    def labelled(self) -> NDArray[np.bool_]:
        """The rows whose true class is known (U,)."""
        return np.asarray(self.truth >= 0)

    @cached_property
    def chance(self) -> Floats | None:
        """How likely it was that each row was chosen; None if all were equally likely."""
        member = self.drawn_within
        if member is None:
            return self.inclusion
        every = np.bincount(member, self.count)
        known = np.bincount(member, self.count * self.labelled, minlength=len(every))
        return np.asarray((known / every)[member])

    @cached_property
    def drawn_within(self) -> Integers | None:
        """The strata within which all rows are equally likely to be chosen, if there are such.

        How many of each were chosen is known, and says more than how many were expected.
        """
        if self.within is not None or self.inclusion is None:
            return self.within
        levels, member = np.unique(self.inclusion, return_inverse=True)
        known = np.bincount(member, self.count * self.labelled)
        return member if len(levels) <= _STRATA and known.min() > 1 else None

    def _plain(self, rows: Any, truth: Integers, weight: Floats | None) -> Sample:
        return Sample(
            truth=truth[rows],
            predictions=self.predictions[rows],
            count=self.count[rows],
            k=self.k,
            weight=None if weight is None else weight[rows],
            cluster=None if self.cluster is None else self.cluster[rows],
        )

    @cached_property
    def with_truth(self) -> Sample:
        """The items that humans labelled, weighted by how likely they were to be chosen."""
        weight = None if self.chance is None else 1 / np.where(self.labelled, self.chance, 1.0)
        return self._plain(self.labelled, self.truth, weight)

    @property
    def elsewhere(self) -> NDArray[np.bool_]:
        """The rows that stand for all items: the others, or all if some were likelier chosen."""
        return ~self.labelled if self.chance is None else np.ones(len(self.truth), dtype=bool)

    def judged(self, proxy: int) -> tuple[Sample, Sample]:
        """The items that humans labelled, and the others, as if a proxy were right."""
        assert self.proxies is not None
        truth = self.proxies[:, proxy]
        there = replace(self.with_truth, truth=truth[self.labelled])
        return there, self._plain(self.elsewhere, truth, None)

    @cached_property
    def lam(self) -> dict[Metric, Floats]:
        """How much of what the proxies say is taken (M, P), of measures that were asked for."""
        return {}

    def trusted(self, metric: Metric, model: int) -> bool:
        """Whether values use more than the items that humans labelled at random."""
        return self.chance is not None or bool(self.lam[metric][model].any())

    def take(self, rows: Any) -> PartlyTrue:
        """Some of the rows."""
        columns = {"proxies": self.proxies, "inclusion": self.inclusion, "within": self.within}
        taken: dict[str, Any] = {n: None if x is None else x[rows] for n, x in columns.items()}
        found = replace(super().take(rows), **taken)
        assert isinstance(found, PartlyTrue)
        return found

    @cached_property
    def matrices(self) -> Floats:
        """The matrices of the items that humans labelled."""
        return self.with_truth.matrices

    @cached_property
    def given(self) -> NDArray[Any]:
        """The items as they were given."""
        return self.with_truth.given

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The items as values are computed from them."""
        return self.with_truth.counts

    @cached_property
    def units_by_class(self) -> Floats:
        """How many independent units with a human label each true class is seen in."""
        return self.with_truth.units_by_class

    @cached_property
    def class_items(self) -> Floats:
        """How many items with a human label each true class has."""
        return self.with_truth.class_items

    @property
    def outcome(self) -> NDArray[Any]:
        """The true classes that are known."""
        return self.with_truth.outcome


class _Three(NamedTuple):
    """What units (U, M) add to the values of human labels and to those of a proxy."""

    human: Floats
    there: list[Floats]  # by proxy
    elsewhere: list[Floats]


def corrected(metric: Metric, sample: PartlyTrue) -> Contributions:
    """What units contribute to a measure that proxies correct."""
    human = contributions(metric, sample.with_truth)
    sides = [_sides(metric, sample, p) for p in range(_count(sample))]
    place = _Places.of(sample)
    three = _Three(
        place.of_units(human.parts, place.labelled),
        [place.of_units(a.parts, place.labelled) for a, _ in sides],
        [place.of_units(b.parts, place.elsewhere) for _, b in sides],
    )
    proxy = np.stack([a - b for a, b in zip(three.there, three.elsewhere, strict=True)], axis=2)
    # Where all are labelled, both sides are the same: what is left of their difference is noise.
    proxy[place.certain] = 0.0
    weight = place.count * place.factor
    human_parts = place.within(three.human) + place.between(three.human)
    raw, proxy = proxy, place.within(proxy)
    # A proxy that is constant within strata teaches nothing: what is left of it is rounding.
    most = np.einsum("u,ump->mp", weight, raw**2)
    proxy = np.where(np.einsum("u,ump->mp", weight, proxy**2) > _FLAT * most, proxy, 0.0)
    usable = _usable(metric, sample, human, sides)
    lam, without = _believed(human_parts, proxy, weight, usable)
    if _count(sample) == 1 and place.simple:
        centres = tuple(x.centre for x in sides[0])
        lam, without = _pooled(sample, three, centres, usable)
    sample.lam[metric] = lam
    gaps = {
        name: np.stack([getattr(a, name) - getattr(b, name) for a, b in sides], axis=1)
        for name in ("values", "centre", "bias")
    }
    moved = {n: getattr(human, n) - (lam * np.nan_to_num(g)).sum(axis=1) for n, g in gaps.items()}
    parts = human_parts - (without * proxy).sum(axis=2)
    units = float(place.count.sum())
    parts = parts * np.sqrt(place.factor * (units - 1) / units)[:, None]
    pseudo = human.pseudo + sum(
        np.outer(x, x) * np.nan_to_num(a.pseudo + b.pseudo)
        for x, (a, b) in zip(lam.T, sides, strict=True)
    )
    low, high = metric.range.at(sample.k)
    found = Contributions(
        values=np.clip(moved["values"], low, high),
        centre=np.clip(moved["centre"], low, high),
        parts=parts,
        count=place.count,
        pseudo=pseudo,
        bias=moved["bias"],
        most_freedom=human.freedom,
    )
    # A few errors of a good proxy, to both sides, do not make the variance less certain.
    others = max(units - human.units, 1.0)
    known = place.labelled_units
    own = (place.count * known) @ parts**2
    rest = (place.count * ~known) @ parts**2
    doubt = own**2 / human.own_freedom + rest**2 / others
    freedom = np.where(doubt > 0, (own + rest) ** 2 / np.where(doubt > 0, doubt, 1.0), units - 1)
    vars(found).update(own_freedom=np.where(usable, freedom, human.own_freedom))
    return found


def _count(sample: PartlyTrue) -> int:
    assert sample.proxies is not None
    return int(sample.proxies.shape[1])


def _sides(metric: Metric, sample: PartlyTrue, proxy: int) -> tuple[Contributions, Contributions]:
    """What units contribute if a proxy is taken as the truth, of labelled items and of others."""
    there, elsewhere = sample.judged(proxy)
    return contributions(metric, there), contributions(metric, elsewhere)


def _usable(metric: Metric, sample: PartlyTrue, human: Contributions, sides: Any) -> Any:
    """Which models (M,) a proxy can correct: those whose three values are known and vary.

    Human labels without errors cannot show whether the proxy predicts errors.
    """
    known = ~ends_reached(metric, sample.k, human.values) & (human.errors > 0)
    if sample.labelled.all():
        return known & False
    for a, b in sides:
        known = known & ~np.isnan(a.values + b.values + a.centre + b.centre)
    return known


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the units of the parts of a sample stand among all of its units."""

    size: int
    count: Floats  # (U,)
    labelled: Integers  # of the units with human labels
    elsewhere: Integers  # of those that stand for all items
    stratum: Integers  # (U,)
    certain: NDArray[np.bool_]  # (U,), the units that are labelled for sure
    simple: bool  # items alone, of which a random part was labelled

    @classmethod
    def of(cls, sample: PartlyTrue) -> _Places:
        """The units are rows, or clusters."""
        there = np.flatnonzero(sample.labelled), np.flatnonzero(sample.elsewhere)
        member = sample.drawn_within
        alone = sample.cluster is None
        doubtful = np.ones(len(sample.truth)) if sample.chance is None else sample.chance < 1
        if alone:
            size, count = len(sample.truth), sample.count.astype(np.float64)
            own = sample.labelled.astype(np.int64)
            if sample.chance is not None and member is None:
                own = np.zeros(size, dtype=np.int64)
            stratum = own if member is None else own + 2 * member
            certain, simple = doubtful == 0, sample.chance is None
            return cls(size, count, *there, stratum, certain=certain, simple=simple)
        assert sample.cluster is not None
        names, number = np.unique(sample.cluster, return_inverse=True)
        places = [np.unique(number[rows]) for rows in there]
        stratum = np.zeros(len(names), dtype=np.int64)
        stratum[places[0]] = 1
        certain, each = np.bincount(number, doubtful) == 0, np.ones(len(names))
        return cls(len(names), each, places[0], places[1], stratum, certain=certain, simple=False)

    def of_units(self, parts: Floats, rows: Integers) -> Floats:
        """The parts of some units among all of them."""
        found = np.zeros((self.size, *parts.shape[1:]))
        found[rows] = parts
        return found

    @cached_property
    def labelled_units(self) -> NDArray[np.bool_]:
        """The units with human labels (U,)."""
        found = np.zeros(self.size, dtype=bool)
        found[self.labelled] = True
        return found

    def within(self, parts: Floats) -> Floats:
        """Parts without the mean of the labelled units, or of the others, of their stratum."""
        return parts - self.means(parts, self.stratum)

    def between(self, parts: Floats) -> Floats:
        """What strata contribute as a whole: how many units they have is not given."""
        return np.zeros_like(parts) if self.simple else self.means(parts, self.stratum // 2)

    def means(self, parts: Floats, member: Integers) -> Floats:
        """The mean of the members of its group, for each unit."""
        size, other = int(member.max(initial=0)) + 1, [1] * (parts.ndim - 1)
        n, sums = np.bincount(member, self.count, size), np.zeros((size, *parts.shape[1:]))
        np.add.at(sums, member, parts * self.count.reshape(-1, *other))
        return np.asarray((sums / np.where(n > 0, n, 1.0).reshape(-1, *other))[member])

    @cached_property
    def factor(self) -> Floats:
        """What squares are multiplied by (U,), for the mean that was taken off."""
        n = np.bincount(self.stratum, self.count)
        return np.asarray((n / np.maximum(n - 1, 0.5))[self.stratum])


def _believed(human: Floats, proxy: Floats, weight: Floats, usable: Any) -> tuple[Floats, Floats]:
    """How much of each proxy is taken (M, P), and the same without each unit (U, M, P).

    A share that fits the units too well would make values seem surer than they are.
    """
    u, m, p = proxy.shape
    lam, without = np.zeros((m, p)), np.zeros((u, m, p))
    for i in np.flatnonzero(usable):
        x, y = proxy[:, i], human[:, i]
        spread = (x * weight[:, None]).T @ x
        inverse = np.linalg.pinv(spread, hermitian=True)
        lam[i] = inverse @ (x.T @ (weight * y))
        hat = weight * np.einsum("up,pq,uq->u", x, inverse, x)
        rest = (y - x @ lam[i]) * weight / np.maximum(1 - hat, 1e-3)
        without[:, i] = lam[i] - (rest[:, None] * x) @ inverse
    return lam, without


def _pooled(
    sample: PartlyTrue, three: _Three, centres: tuple[Floats, ...], usable: Any
) -> tuple[Floats, Floats]:
    """The estimate for one proxy and a random part, as in prediction-powered inference.

    The proxy varies alike in both parts, so that its variance is that of all items.
    """
    human, count, known = sample.with_truth, sample.count.astype(np.float64), sample.labelled
    items, others = float(human.items), float(count[~known].sum())
    # From contributions to the mean back to those of an item.
    each, h = three.there[0] * (items + 1) + centres[0], three.human * (items + 1)
    each = np.where(known[:, None], each, three.elsewhere[0] * (others + 1) + centres[1])
    pooled = count @ (each - count @ each / count.sum()) ** 2 / max(count.sum() - 1, 1)
    own = count * known
    middle = own @ each / items
    one = known[:, None] * (h - own @ h / items) * (each - middle)
    spread = items * (1 + items / others) * pooled
    safe = np.where(spread > 0, spread, np.inf)
    total = count @ one
    lam, without = (np.clip(x / safe, 0.0, 1.0) * usable for x in (total, total - one))
    return lam[:, None], without[:, :, None]
