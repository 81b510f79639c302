"""Several models are judged on the items that all of them have, whatever is asked."""

from typing import Any

import numpy as np
import pytest

import ordeval as oe

LEVELS = ["none", "mild", "moderate", "severe"]
N = 240
RNG = np.random.default_rng(8)
CODES = RNG.integers(0, 4, N)
Y = np.array(LEVELS)[CODES].astype(object)
PATIENT, SITE = np.arange(N) // 3, np.where(np.arange(N) % 2, "north", "south")


def guesses(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    moved = np.clip(CODES + rng.choice([-1, 0, 0, 1], N), 0, 3)
    found = np.array(LEVELS)[moved].astype(object)
    found[rng.choice(N, 15 + 10 * seed, replace=False)] = None
    return found


def probabilities(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    prob = rng.dirichlet(np.ones(4), N) + np.eye(4)[CODES]
    prob /= prob.sum(axis=1, keepdims=True)
    prob[rng.choice(N, 12, replace=False)] = np.nan
    return prob


A, B, P = guesses(1), guesses(2), probabilities(3)
KEPT = np.array([x is not None and y is not None for x, y in zip(A, B, strict=True)])
WITH_P = KEPT & ~np.isnan(P[:, 0])


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"clusters": PATIENT},
        {"by": {"site": SITE}},
        {"by": {"site": SITE}, "clusters": PATIENT},
    ],
    ids=["plain", "clusters", "subgroups", "both"],
)
def test_scores_and_cuts_are_those_of_the_items_that_all_have(
    mixed: bool, more: dict[str, Any]
) -> None:
    models = {"a": A, "b": B, **({"p": P} if mixed else {})}
    kept = WITH_P if mixed else KEPT
    data = oe.Predictions(Y, models, labels=LEVELS, missing="drop", **more)
    few = {
        name: {k: v[kept] for k, v in x.items()} if isinstance(x, dict) else x[kept]
        for name, x in more.items()
    }
    alone = oe.Predictions(Y[kept], {m: x[kept] for m, x in models.items()}, labels=LEVELS, **few)
    measures = ["accuracy", "cem_ord"]
    found, expected = oe.score(data, measures), oe.score(alone, measures)
    for row, other in zip(found.rows(), expected.rows(), strict=True):
        assert row == pytest.approx(other, nan_ok=True)
    cuts, those = oe.thresholds(data), oe.thresholds(alone)
    for row, other in zip(cuts.rows(), those.rows(), strict=True):
        assert row == pytest.approx(other, nan_ok=True)
    if not more:
        assert {x.basis.items for x in cuts.values()} == {int(kept.sum())}
        assert {x.basis.dropped for x in cuts.values()} == {N - int(kept.sum())}
        assert f"dropped: {N - int(kept.sum())}" in " ".join(str(cuts).split())


@pytest.mark.parametrize("clusters", [None, PATIENT], ids=["items", "clusters"])
def test_differences_at_cuts_are_those_of_paired_delta(clusters: Any) -> None:
    p, q = probabilities(3), probabilities(5)
    there = ~np.isnan(p[:, 0]) & ~np.isnan(q[:, 0])
    models = {"p": p[there], "q": q[there]}
    more = {"labels": LEVELS, "clusters": None if clusters is None else clusters[there]}
    found = oe.thresholds(Y[there], models, **more)
    data = oe.Predictions(Y[there], models, **more)
    assert len(found.differences) == 3 * 5
    for d in found.differences:
        metric = oe.get_metric(d.measure).with_params(at_least=d.level)
        expected = oe.paired_delta(metric, data, names=("p", "q"))
        assert d.delta == expected
    rows = found.difference_rows()
    assert [x["difference"] for x in rows] == [d.delta.delta for d in found.differences]
    assert "Labels from probabilities: the most probable level." in str(found)
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert "Differences" in text


def test_labels_and_probabilities_have_the_differences_that_both_have() -> None:
    p = np.nan_to_num(P, nan=0.25)
    a = np.where(A == None, "none", A)  # noqa: E711
    b = np.where(B == None, "none", B)  # noqa: E711
    found = oe.thresholds(Y, {"a": a, "p": p, "q": p[::-1]}, labels=LEVELS)
    pairs = {(d.measure, d.delta.a, d.delta.b) for d in found.differences}
    assert ("auc", "p", "q") in pairs
    assert ("sensitivity", "a", "p") in pairs
    assert ("auc", "a", "p") not in pairs
    lone = oe.thresholds(Y, {"a": a, "b": b}, labels=LEVELS)
    assert {d.measure for d in lone.differences} == {"sensitivity", "specificity", "ppv", "npv"}
