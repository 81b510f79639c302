"""The population that a question is about: shares of classes or strata that differ from the data.

Every item weighs its stratum's share in that population over the share that it has in the data. The
strata are the true classes (a prevalence) or subgroups (a mix).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from ordeval._shared.arguments import shown
from ordeval._shared.text import did_you_mean, joined, name_of, named, nearest, plural
from ordeval._shared.types import Floats, Integers
from ordeval.data.items import Items
from ordeval.exceptions import LabelError, ParameterError

_SUM: Final = 1e-6  # by how much shares may miss 1


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each row, and the shares that strata have in a population."""

    member: Integers  # (U,)
    shares: Floats  # (S,)
    covariance: Floats | None = None  # (S, S), if the shares were estimated
    names: tuple[str, ...] = ()  # and the shares, in words

    def take(self, rows: Any) -> Strata:
        """The strata of some of the rows."""
        return replace(self, member=self.member[rows])

    def sums(self, amount: Floats) -> Floats:
        """What rows (U, ...) add up to in each stratum (S, ...)."""
        found = np.zeros((len(self.shares), *amount.shape[1:]))
        np.add.at(found, self.member, amount)
        return found

    def empty(self, amount: Floats) -> str:
        """The strata that have a share in the population and nothing in the data, in words."""
        lacking = np.flatnonzero((self.sums(amount) == 0) & (self.shares > 0))
        return joined([self.names[i] for i in lacking]) if len(lacking) else ""

    def weights(self, weights: Floats, count: Integers) -> Floats:
        """The weights of an item of each row, so that strata have their shares."""
        sums = self.sums(weights * count)
        factor = self.shares * sums.sum() / np.where(sums > 0, sums, 1.0)
        return np.asarray(weights * factor[self.member])


class Shares(NamedTuple):
    """The shares of S strata in a population."""

    values: Floats  # (S,)
    covariance: Floats | None = None  # (S, S), if they were estimated
    items: int = 0  # how many items they were estimated from


@dataclass(frozen=True, eq=False)
class Population:
    """Shares of the true classes, or of the strata that some columns name."""

    given: Any  # a mapping, a sequence, or shares that were counted
    columns: tuple[str, ...] = ()  # of strata; empty: the strata are the true classes

    @property
    def argument(self) -> str:
        """The keyword that gave the shares."""
        return "mix" if self.columns else "prevalence"

    def shares(self, names: Sequence[Any]) -> Shares:
        """The shares of strata with these names, in their order."""
        if isinstance(self.given, Counted):
            return self.given.on(names)
        values = _numbers(_in_order(self.given, names, self.argument), self.argument)
        total = float(values.sum())
        if total > 1 + _SUM and (values % 1 == 0).all():
            return _of_counts(values)
        if abs(total - 1) > _SUM:
            raise ParameterError(
                f"{named(self.argument)} must hold shares that sum to 1, or counts, which are "
                f"whole numbers; these sum to {total:.6g}."
            )
        return Shares(values / total)

    def words(self, names: Sequence[Any]) -> str:
        """Which population the values are of."""
        found = self.shares(names)
        each = joined(_each(names, found))
        counted = f", estimated from {plural(found.items, 'item')}" if found.items else ""
        what = "shares of the strata" if self.columns else "prevalence"
        return f"Values are for the target {what}: {each}{counted}."

    def weigh(self, items: Items, member: Integers, names: Sequence[Any]) -> Items:
        """The items with the weights that they have in the population.

        ``member`` is the stratum of each row, ``names`` are what the strata are called.
        """
        if items.shares is not None:
            raise LabelError(
                f"{named(self.argument)} needs one true class for each item; y_true holds shares "
                f"of classes."
            )
        shares = self.shares(names)
        strata = Strata(member, shares.values, shares.covariance, tuple(_each(names, shares)))
        weights = np.ones(len(member)) if items.weights is None else items.weights
        if empty := strata.empty(weights * items.count):
            what = "stratum" if self.columns else "true class"
            raise LabelError(
                f"{named(self.argument)} gives a share to {empty}, but no item has this {what}: "
                f"nothing is known about that part of the population."
            )
        weighed = strata.weights(weights, items.count)
        return replace(items, weights=weighed, strata=strata, population=self.words(names))


class Counted(NamedTuple):
    """Classes that were counted elsewhere, in a registry for example."""

    names: tuple[Any, ...]
    shares: Shares

    def on(self, names: Sequence[Any]) -> Shares:
        """The shares of the classes of a scale."""
        if tuple(names) != self.names:
            raise ParameterError(
                f"{named('prevalence')} was counted on another scale, "
                f"{joined(list(map(name_of, self.names)))}; the data have "
                f"{joined(list(map(name_of, names)))}."
            )
        return self.shares


def _each(names: Sequence[Any], shares: Shares) -> list[str]:
    """Each stratum with its share in percent."""
    each = zip(names, shares.values.tolist(), strict=True)
    return [f"{name_of(n)} ({100 * v:.3g}%)" for n, v in each]


def _of_counts(counts: Floats) -> Shares:
    """The shares of counts, which are independent items."""
    total = float(counts.sum())
    values = counts / total
    return Shares(values, (np.diag(values) - np.outer(values, values)) / total, int(total))


def _in_order(given: Any, names: Sequence[Any], what: str) -> list[Any]:
    """The numbers of a mapping or a sequence, in the order of the names."""
    given = _as_mapping(given)
    if isinstance(given, Mapping):
        return _by_name(given, names, what)
    listed = None
    if what == "prevalence" and not isinstance(given, (str, bytes, Set)):
        with suppress(TypeError):  # of what cannot be iterated over
            listed = list(given)
    if listed is None:
        takes = " or a sequence in the order of the scale" * (what == "prevalence")
        raise ParameterError(
            f"{named(what)} must be a mapping of names to shares{takes}; got {shown(given)}."
        )
    if len(listed) != len(names):
        raise ParameterError(
            f"{named(what)} must hold one share for each of the {len(names)} levels, "
            f"{joined([name_of(n) for n in names])}; got {len(listed)}."
        )
    return listed


def _as_mapping(given: Any) -> Any:
    """A Series whose index names the classes, such as value counts, as a mapping."""
    index = getattr(given, "index", None)
    if not hasattr(given, "to_dict") or index is None or list(index) == list(range(len(index))):
        return given
    return given.to_dict()


def _by_name(given: Mapping[Any, Any], names: Sequence[Any], what: str) -> list[Any]:
    by_text = {name_of(key): value for key, value in given.items()}
    if len(by_text) < len(given):
        raise ParameterError(f"the names in {named(what)} must differ as text; got {list(given)}.")
    wanted = list(map(name_of, names))
    if unknown := [key for key in by_text if key not in wanted]:
        hint = did_you_mean(nearest(unknown[0], wanted))
        raise ParameterError(
            f"{named(what)} names {unknown[0]!r}, which is not in the data; they have "
            f"{joined(wanted)}.{hint}"
        )
    if lacking := [name for name in wanted if name not in by_text]:
        raise ParameterError(
            f"{named(what)} has no share for {joined(lacking)}; give 0 if there are none in the "
            f"population."
        )
    return [by_text[name] for name in wanted]


def _numbers(listed: Sequence[Any], what: str) -> Floats:
    try:
        values = np.asarray([float(x) for x in listed])
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{named(what)} must hold numbers; got {shown(listed)}.") from None
    if not (np.isfinite(values) & (values >= 0)).all() or not values.any():
        raise ParameterError(
            f"{named(what)} must hold finite numbers that are not negative; got {shown(listed)}."
        )
    return values
