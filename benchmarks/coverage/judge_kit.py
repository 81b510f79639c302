"""Judges beside judges, then and now, by covariates, and against the votes of humans.

Raters err independently given the true class, so the shares of pairs of ratings are known, and with
them the true value of everything that is asked of judges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate, of_claims, of_raters
from benchmarks.coverage.populations import MANY, Integers, Population, generator
from benchmarks.coverage.raters import CLUSTER, GAPS, JUDGED_BY, Where, draw, joint
from benchmarks.coverage.stacks import LEVEL, same, some
from ordeval.inference.raters.drift import moved
from ordeval.inference.raters.judge_effects import columns_of, effects
from ordeval.inference.raters.judge_pairs import compare_judges
from ordeval.inference.raters.judges import Panel
from ordeval.inference.raters.noisy_reference import noisy_reference

HUMANS: Final = 3
RATERS: Final = (5, 10)  # of whom other ones might have been asked
_APART: Final = 0.8  # the standard deviation of raters' leanings
_FEW_RATERS: Final = (
    "the spread of a few raters is estimated from them, and is added to that of their items"
)
_HUMAN: Final = Population(5, "balanced")
_WORSE: Final = replace(_HUMAN, fall=0.8, lean=0.3)


def places() -> list[Where]:
    """The cells of the tables."""
    return [Where(50), Where(200), *(Where(CLUSTER * c, clusters=c) for c in (20, 50))]


def pairs(where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    """Four judges: three are equal, the fourth is worse."""
    rng = generator(seed, "judge pairs", where)
    given = [_HUMAN] * (HUMANS + 3) + [_WORSE]
    drawn = draw(given, where, data_sets, rng, gaps=0.0)
    missing = rng.random(drawn.shape) < GAPS
    missing[..., HUMANS:] = False
    drawn = np.where(missing, -1, drawn)
    for name in JUDGED_BY:
        metric = oe.get_metric(name)
        best, worst = (
            float(metric.values((joint(_HUMAN, j) * MANY)[None])[0]) for j in (_HUMAN, _WORSE)
        )
        claims = held = 0
        for codes in drawn:
            answers = {f"{j}": codes[:, [HUMANS + j]] for j in range(4)}
            three = {j: answers[j] for j in "012"}
            found = compare_judges(
                codes[:, :HUMANS], three, metric, k=5, level=LEVEL, cluster=where.groups
            )
            claims += any(d.p_adjusted <= 1 - LEVEL for d in found.differences)
            two = {j: answers[j] for j in "03"}
            found = compare_judges(
                codes[:, :HUMANS], two, metric, k=5, level=LEVEL, cluster=where.groups
            )
            d = found.differences[0]
            held += int(d.low <= best - worst <= d.high)
        yield Rate("judge pairs, claims", name, str(where), claims, data_sets, _claims(where))
        yield Rate(
            "judge pairs, held",
            name,
            str(where),
            held,
            data_sets,
            of_raters(where.units, "balanced"),
        )


def drift(where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    """A judge that did not change, and one that now grades higher."""
    rng = generator(seed, "drift", where)
    levels = np.arange(5.0)
    for kind, now in (("the same", _HUMAN), ("another", _WORSE)):
        drawn = draw([_HUMAN] * (HUMANS + 1) + [now], where, data_sets, rng)
        shift = float((joint(_HUMAN, now).sum(axis=0) - joint(_HUMAN, _HUMAN).sum(axis=0)) @ levels)
        for name in JUDGED_BY[:1]:
            metric = oe.get_metric(name)
            before, after = (
                float(metric.values((joint(_HUMAN, j) * MANY)[None])[0]) for j in (_HUMAN, now)
            )
            together = float(metric.values((joint(_HUMAN, now) * MANY)[None])[0])
            held = dict.fromkeys(("shift", "agreement of both", "change of agreement"), 0)
            for codes in drawn:
                panel = Panel(
                    humans=codes[:, :HUMANS], runs=codes[:, HUMANS + 1 :], k=5, metric=metric,
                    level=LEVEL, cluster=where.groups,
                )  # fmt: skip
                found = moved(panel, codes[:, [HUMANS]], ("now", "before"))
                assert found is not None
                assert found.change is not None
                held["shift"] += shift in found.shift
                held["agreement of both"] += together in found.agreement
                held["change of agreement"] += int(
                    found.change.low <= after - before <= found.change.high
                )
            bound = of_raters(where.units, "balanced")
            for what, hits in held.items():
                yield Rate(f"drift, {kind}", f"{name}, {what}", str(where), hits, data_sets, bound)


def covariates(where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    """Better items are longer, and the judge does not care: with two humans, and with one."""
    rng = generator(seed, "covariates", where)
    unit = np.arange(where.items) if where.groups is None else where.groups
    for humans in (2, 1):
        hits = 0
        for codes in draw([_HUMAN] * (humans + 1), where, data_sets, rng, gaps=0.0, truth=True):
            length = codes[:, -1] + rng.normal(0, 1, where.items)
            given = codes[:, :-1].astype(float)
            found = effects(
                given[:, humans], given[:, :humans], columns_of({"length": length.tolist()}), unit
            )
            away = abs(found.values[0] / found.errors[0])
            hits += int(_quantile(found.units - 1) >= away)
        bound = of_raters(where.units, "balanced") if humans > 1 else Bound()
        yield Rate(
            "covariates",
            f"no effect, {humans} human{'s' * (humans > 1)}",
            str(where),
            hits,
            data_sets,
            bound,
        )


def votes(where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    """The votes of three humans who err differently."""
    rng = generator(seed, "votes", where)
    each = [replace(_HUMAN, lean=lean) for lean in (-0.3, 0.0, 0.3)]
    drawn = draw([*each, _WORSE], where, data_sets, rng)
    for name in JUDGED_BY:
        metric = oe.get_metric(name)
        table = np.mean([joint(h, _WORSE) for h in each], axis=0) * MANY
        true = float(metric.values(table[None])[0])
        held = sum(true in noisy_reference(*_asked(codes, where, name)).votes for codes in drawn)
        bound = of_raters(where.units, "balanced")
        yield Rate("votes", f"{name}, over items", str(where), held, data_sets, bound)
    for i in some(data_sets, rng, 1):
        _same_as_public(drawn[i], where)


def votes_of_raters(raters: int, where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    """The same, with raters drawn anew from many."""
    rng = generator(seed, "votes of raters", raters, where)
    leanings = np.random.default_rng(0).normal(0, _APART, 400)
    tables = np.mean([joint(replace(_HUMAN, lean=x), _WORSE) for x in leanings], axis=0) * MANY
    true = {name: float(oe.get_metric(name).values(tables[None])[0]) for name in JUDGED_BY}
    held = {name: [0, 0] for name in JUDGED_BY}
    for _ in range(data_sets):
        each = [replace(_HUMAN, lean=float(x)) for x in rng.choice(leanings, raters)]
        (codes,) = draw([*each, _WORSE], where, 1, rng)
        for name in JUDGED_BY:
            found = noisy_reference(*_asked(codes, where, name))
            held[name][0] += true[name] in found.votes
            held[name][1] += true[name] in found.votes_over_raters
    for name, (items, both) in held.items():
        column = f"{raters} raters, {where}"
        yield Rate("votes of raters", f"{name}, over items", column, items, data_sets)
        bound = Bound(0.90, 0.99, _FEW_RATERS)
        yield Rate("votes of raters", f"{name}, over raters too", column, both, data_sets, bound)


def _asked(codes: Integers, where: Where, name: str) -> tuple[Panel, Integers]:
    """The panel of a data set whose last column is the judge, and an unused consensus."""
    panel = Panel(
        humans=codes[:, :-1], runs=codes[:, -1:], k=5, metric=oe.get_metric(name), level=LEVEL,
        cluster=where.groups,
    )  # fmt: skip
    return panel, np.full(len(codes), -1)


def _claims(where: Where) -> Bound:
    """Three judges: Holm errs in less than 5% where their differences are correlated."""
    return Bound(
        0.0, of_claims(where.units, "balanced").high, "corrected for three correlated pairs"
    )


def _quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))


def _same_as_public(codes: Integers, where: Where) -> None:
    """The numbers of the simulation are those that users get."""
    given = np.where(codes < 0, np.nan, codes.astype(float))
    ratings = oe.Ratings(given[:, :-1], range(5), clusters=where.groups)
    public = oe.judge(ratings, {"judge": given[:, -1]}).references["judge"].votes
    ours = noisy_reference(*_asked(codes, where, "weighted_kappa")).votes
    same("votes", (ours.low, ours.high), (public.low, public.high))
