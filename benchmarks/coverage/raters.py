"""Many raters with gaps, and a judge beside humans: intervals, false claims, margin, alt-test.

Raters err independently given the true class, and any rating may be missing. So the shares of pairs
of ratings are known, and with them the true value of every measure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

import ordeval as oe
from benchmarks.coverage.bounds import (
    FEW_RATED,
    Bound,
    Rate,
    of_claims,
    of_margins,
    of_raters,
)
from benchmarks.coverage.populations import (
    MANY,
    Design,
    Floats,
    Integers,
    Population,
    generator,
    mixed,
    predicted,
)
from benchmarks.coverage.stacks import LEVEL, same, some
from ordeval.inference.raters.alt_test import alt_test
from ordeval.inference.raters.judges import Panel
from ordeval.measures import Metric
from ordeval.measures.raters import Habits, Tally, value_of
from ordeval.measures.registry import AGREEMENT

Kind = Literal["as good", "worse"]

RATERS: Final = (3, 5)
KINDS: Final[tuple[Kind, ...]] = ("as good", "worse")
CLUSTERS: Final = (20, 50)
CLUSTER: Final = 10  # items of one
GAPS: Final = 0.2
HARD: Final = 0.4  # share of the items that are hard, where a judge skips some
ANSWERED: Final = (0.9, 0.4)  # shares of easy and of hard items that it answers
JUDGED_BY: Final = ("weighted_kappa", "accuracy", "mean_absolute_error")
# Raters differ in how often they err, and in which direction.
_FALLS: Final = (1.2, 0.9, 1.5, 1.2, 1.0)
_LEANS: Final = (0.15, -0.4, 0.5, 0.0, -0.15)


class Where(NamedTuple):
    """A cell of the tables: so many items, or so many clusters of ten."""

    items: int
    design: Design = "balanced"
    clusters: int = 0

    def __str__(self) -> str:
        return f"{self.clusters} clusters" if self.clusters else f"{self.items:,} {self.design}"

    @property
    def units(self) -> int:
        """How many are independent."""
        return self.clusters or self.items

    @property
    def groups(self) -> Integers | None:
        """The cluster of each item."""
        return np.repeat(np.arange(self.clusters), CLUSTER) if self.clusters else None


def people(raters: int, design: Design) -> tuple[Population, ...]:
    """Raters of one population of items, each of whom errs in an own way."""
    each = zip(_FALLS[:raters], _LEANS[:raters], strict=True)
    return tuple(Population(5, design, fall, lean) for fall, lean in each)


def joint(a: Population, b: Population) -> Floats:
    """The shares (K, K) of the ratings of two raters."""
    return np.asarray(a.rows.T @ (a.shares[:, None] * b.rows))


def true_value(metric: Metric, raters: Sequence[Population]) -> float:
    """The value of a measure of many raters, any of whose ratings may be missing."""
    pairs = np.mean([joint(a, b) for a, b in itertools.permutations(raters, 2)], axis=0) * MANY
    used = np.array([p.joint.sum(axis=0) for p in raters]) * MANY
    return float(value_of(metric, Tally(pairs, pairs, used.mean(axis=0), Habits.of(used))))


def draw(
    raters: Sequence[Population],
    where: Where,
    data_sets: int,
    rng: np.random.Generator,
    *,
    gaps: float = GAPS,
    truth: bool = False,
) -> Integers:
    """Ratings (D, N, R) in positions, -1 where there is none; ``truth``: the true class is last."""

    def normal() -> Floats:
        own = rng.standard_normal((data_sets, where.items))
        if not where.clusters:
            return own
        common = rng.standard_normal((data_sets, where.clusters))
        return mixed(np.repeat(common, CLUSTER, axis=1), own, 0.3)

    true = np.searchsorted(np.cumsum(raters[0].shares)[:-1], ndtr(normal())).astype(np.int64)
    given = np.stack([predicted(p, true, ndtr(normal())) for p in raters], axis=-1)
    found = np.where(rng.random(given.shape) < gaps, -1, given)
    return np.concatenate([found, true[..., None]], axis=-1) if truth else found


def many(raters: int, n: int, design: Design, data_sets: int, seed: int) -> Iterator[Rate]:
    """Intervals of the measures of many raters."""
    yield from _many(raters, Where(n, design), data_sets, seed)


def clustered(raters: int, clusters: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """The same with clusters of items that are alike."""
    yield from _many(raters, Where(CLUSTER * clusters, clusters=clusters), data_sets, seed)


def _many(raters: int, where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    rng = generator(seed, "raters", raters, where)
    each = people(raters, where.design)
    held, of = dict.fromkeys(AGREEMENT, 0), dict.fromkeys(AGREEMENT, 0)
    true = {name: true_value(oe.get_metric(name), each) for name in AGREEMENT}
    for codes in draw(each, where, data_sets, rng):
        found = _ratings(codes, where).agreement(level=LEVEL).intervals
        for name in AGREEMENT:
            of[name] += found[name].low == found[name].low
            held[name] += true[name] in found[name]
    bound = of_raters(where.units, where.design)
    for name in AGREEMENT:
        yield Rate(f"raters, {raters} of them", name, str(where), held[name], of[name], bound)


def _ratings(codes: Integers, where: Where) -> oe.Ratings:
    return oe.Ratings(np.where(codes < 0, np.nan, codes), range(5), clusters=where.groups)


def judged(
    kind: Kind, n: int, design: Design, data_sets: int, seed: int, names: Sequence[str] = JUDGED_BY
) -> Iterator[Rate]:
    """A judge beside three humans: as good as they are, or worse."""
    for name in names:
        yield from _judged(name, kind, Where(n, design), data_sets, seed)


def judged_in_clusters(
    kind: Kind, clusters: int, data_sets: int, seed: int, names: Sequence[str] = JUDGED_BY
) -> Iterator[Rate]:
    """The same with clusters of items that are alike."""
    where = Where(CLUSTER * clusters, clusters=clusters)
    for name in names:
        yield from _judged(name, kind, where, data_sets, seed)


def _judged(name: str, kind: Kind, where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    rng = generator(seed, "judges", kind, where)
    human, metric = Population(5, where.design), oe.get_metric(name)
    judge = human if kind == "as good" else replace(human, fall=0.8, lean=0.3)
    ceiling, agreement = (
        float(metric.values((joint(human, other) * MANY)[None])[0]) for other in (human, judge)
    )
    true = {"ceiling": ceiling, "agreement": agreement, "gap": agreement - ceiling}
    drawn = draw((human, human, human, judge), where, data_sets, rng)
    whole = [
        Panel(humans=codes[:, :3], runs=codes[:, 3:], k=5, metric=metric, level=LEVEL,
              cluster=where.groups)
        for codes in drawn
    ]  # fmt: skip
    panels = [panel.answered() for panel in whole]
    for i in some(data_sets, rng, 1):
        _same_as_public(panels[i], drawn[i], where)
    bound = of_raters(where.units, where.design)
    for part, value in true.items():
        used = whole if part == "ceiling" else panels
        held = sum(value in getattr(panel, part) for panel in used)
        yield Rate(f"judges, {kind}", f"{name}, {part}", str(where), held, data_sets, bound)
    if kind == "as good":
        told = sum(0.0 not in panel.gap for panel in panels)
        bound = of_claims(where.units, where.design)
        yield Rate("judges told apart", name, str(where), told, data_sets, bound)
    else:
        yield from _by_margin(panels, abs(true["gap"]), name, where)


def skipping(
    n: int, design: Design, data_sets: int, seed: int, names: Sequence[str] = JUDGED_BY
) -> Iterator[Rate]:
    """A judge that skips hard items more often than easy ones, on which humans agree better.

    The agreement and the gap are those on the items that the judge answers.
    """
    for name in names:
        yield from _skipping(name, Where(n, design), data_sets, seed)


def _skipping(name: str, where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    rng = generator(seed, "skipping", where)
    metric, easy = oe.get_metric(name), Population(5, where.design)
    hard = replace(easy, fall=0.6)
    # Judges err a little more than humans do, on items of both kinds.
    judges = [replace(p, fall=0.8 * p.fall) for p in (easy, hard)]
    answered = np.array([(1 - HARD) * ANSWERED[0], HARD * ANSWERED[1]])
    kinds = {"ceiling": np.array([1 - HARD, HARD]), "gap": answered / answered.sum()}

    def value(of: str, others: Sequence[Population]) -> float:
        pairs = zip(kinds[of], (easy, hard), others, strict=True)
        mixed_pairs = sum(share * joint(human, other) for share, human, other in pairs)
        return float(metric.values((mixed_pairs * MANY)[None])[0])

    agreement = value("gap", judges)
    true = {
        "ceiling": value("ceiling", (easy, hard)), "agreement": agreement,
        "gap": agreement - value("gap", (easy, hard)),
    }  # fmt: skip
    both = [
        draw((p, p, p, j), where, data_sets, rng) for p, j in zip((easy, hard), judges, strict=True)
    ]
    is_hard = rng.random((data_sets, where.items)) < HARD
    skipped = rng.random(is_hard.shape) > np.where(is_hard, ANSWERED[1], ANSWERED[0])
    drawn = np.where(is_hard[..., None], both[1], both[0])
    drawn[..., 3] = np.where(skipped, -1, drawn[..., 3])
    whole = [
        Panel(humans=codes[:, :3], runs=codes[:, 3:], k=5, metric=metric, level=LEVEL)
        for codes in drawn
    ]
    panels = [panel.answered() for panel in whole]
    for i in some(data_sets, rng, 1):
        _same_as_public(panels[i], drawn[i], where)
    for part, wanted in true.items():
        used = whole if part == "ceiling" else panels
        # The judge leaves about half of the items.
        bound = of_raters(where.units if part == "ceiling" else where.units // 2, where.design)
        held = sum(wanted in getattr(panel, part) for panel in used)
        yield Rate("judges, skipping", f"{name}, {part}", str(where), held, data_sets, bound)


def alt_tested(n: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """The alt-test of a judge that is worse than a human by just epsilon."""
    yield _alt_tested(Where(n), data_sets, seed)


def alt_tested_in_clusters(clusters: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """The same with clusters of items that are alike."""
    yield _alt_tested(Where(CLUSTER * clusters, clusters=clusters), data_sets, seed)


def _alt_tested(where: Where, data_sets: int, seed: int) -> Rate:
    rng = generator(seed, "alt-test", where)
    human = Population(5, where.design)
    judge = replace(human, fall=0.8, lean=0.3)
    epsilon = advantage(human, judge)
    drawn = draw((human, human, human, judge), where, data_sets, rng)

    def tested(codes: Integers) -> float:
        given = np.where(codes < 0, np.nan, codes)
        found = alt_test(
            given[:, 3], given[:, :3], "abc", epsilon=epsilon, min_items=2, cluster=where.groups
        )
        return found.p_values["a"]

    p = np.array([tested(codes) for codes in drawn])
    for i in some(data_sets, rng, 1):
        answers = {"judge": np.where(drawn[i, :, 3] < 0, np.nan, drawn[i, :, 3])}
        public = oe.judge(_ratings(drawn[i, :, :3], where), answers, epsilon=epsilon, min_items=2)
        same("alt-test", p[[i]], [public.alt_test["judge"].p_values["rater 1"]])
    bound = Bound(0.03, 0.07) if where.units >= 200 else Bound(0.02, 0.08, FEW_RATED)
    return Rate(
        "alt-test", "worse by just epsilon", str(where), int((p <= 0.05).sum()), data_sets, bound
    )


def advantage(human: Population, judge: Population) -> float:
    """How much more often a human is nearer to two others, of whom one may be missing."""
    levels = np.arange(5.0)
    one = (levels[:, None] - levels) ** 2  # own, other
    two = one[:, :, None] + one[:, None, :]
    shares = human.shares
    each = []
    for apart, others in ((one, "ad"), (two, "ade")):
        sign = np.sign(apart[None] - apart[:, None])  # human, judge, others
        tables = [human.rows] * (1 + apart.ndim - 1)
        letters = ["ca", *(f"c{x}" for x in others[1:])]
        each.append(
            np.einsum(
                f"c,cb,{','.join(letters)},ab{others[1:]}->", shares, judge.rows, *tables, sign
            )
        )
    # Both of the others have rated, or one of them.
    both, single = (1 - GAPS) ** 2, 2 * GAPS * (1 - GAPS)
    return float((single * each[0] + both * each[1]) / (single + both))


def _by_margin(panels: list[Panel], margin: float, name: str, where: Where) -> Iterator[Rate]:
    """How often a judge that is worse by just the margin is found non-inferior."""
    greater = oe.get_metric(name).greater_is_better
    worst = [panel.gap.low if greater else -panel.gap.high for panel in panels]
    shown = {
        "by the interval": (sum(low > -margin for low in worst), 0.025),
        "p <= 0.05": (sum(p.noninferior(margin) <= 0.05 for p in panels), 0.05),
    }
    for how, (hits, size) in shown.items():
        bound, table = of_margins(where.units, size), f"judges worse by the margin, {how}"
        yield Rate(table, name, str(where), hits, len(panels), bound)


def _same_as_public(panel: Panel, codes: Integers, where: Where) -> None:
    """The numbers of the simulation are those that users get."""
    answers = np.where(codes[:, 3] < 0, np.nan, codes[:, 3])
    public = oe.judge(_ratings(codes[:, :3], where), {"judge": answers}, panel.metric)
    for part, made in (("agreement", public.agreement["judge"]), ("gap", public.gap["judge"])):
        ours = getattr(panel, part)
        same(f"{panel.metric.name}, {part}", (ours.low, ours.high), (made.low, made.high))
