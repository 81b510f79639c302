"""plan: how many human labels a study needs beside a proxy, and how many items a judge study."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import ordeval as oe
from ordeval.inference.raters.judges import Panel

LEVELS = range(1, 6)
ITEMS = 3000


def graded(rng: np.random.Generator, level: Any, noise: float) -> Any:
    return np.clip(np.rint(level + rng.normal(0, noise, len(level))), 1, 5).astype(int)


def columns(seed: int, labels: int) -> tuple[Any, Any, dict[str, Any], Any]:
    """Which items humans labelled, the truth, the labels of two models and those of a judge."""
    rng = np.random.default_rng(seed)
    level = rng.normal(3, 1.1, ITEMS)
    truth, old, new, judge = (graded(rng, level, x) for x in (0.2, 0.9, 0.7, 0.3))
    return rng.permutation(ITEMS) < labels, truth, {"new": new, "old": old}, judge


def labelled(seed: int, labels: int, *, models: int = 1, proxy: Any = None) -> oe.Predictions:
    """A study in which a good judge graded all items, and humans some of them."""
    known, truth, both, judge = columns(seed, labels)
    outputs = both if models == 2 else {"old": both["old"]}
    proxy = judge if proxy is None else proxy
    return oe.Predictions(np.where(known, truth, np.nan), outputs, labels=LEVELS, proxy=proxy)


# Human labels beside a proxy


def test_the_plan_says_how_many_human_labels_with_the_proxy_and_without() -> None:
    found = oe.plan("cem_ord", labelled(0, 1000), half_width=0.03)
    assert found.items < 0.8 * found.without_proxy
    assert found.labelled_of == ITEMS
    said = f"plan {found.items} human labels of the 3,000 items (without the proxy, "
    assert f"{said}{found.without_proxy})" in found.conclusion()
    assert "Draw the items to label at random." in found.assumptions()
    assert "human labels" in found.table().to_text()
    assert found.items_low < found.items < found.items_high < ITEMS
    assert f'"without_proxy": {found.without_proxy}' in found.to_json()
    assert max(p.items for p in found.curve) <= ITEMS


def test_without_the_proxy_the_plan_is_that_of_the_human_labels() -> None:
    known, truth, both, _ = columns(0, 1000)
    alone = oe.Predictions(truth[known], both["old"][known], labels=LEVELS)
    plain = oe.plan("cem_ord", alone, half_width=0.03)
    found = oe.plan("cem_ord", labelled(0, 1000), half_width=0.03)
    assert found.without_proxy == pytest.approx(plain.items, rel=0.02)


def test_a_useless_proxy_gains_nothing_and_several_gain_more_than_one() -> None:
    noise = np.random.default_rng(1).integers(1, 6, ITEMS)
    useless = oe.plan("cem_ord", labelled(0, 1000, proxy=noise), half_width=0.03)
    assert useless.items == pytest.approx(useless.without_proxy, rel=0.02)
    rng, truth = np.random.default_rng(2), columns(0, 1000)[1]
    judges = {f"j{i}": graded(rng, truth, 0.6) for i in range(3)}
    both = oe.plan("cem_ord", labelled(0, 1000, proxy=judges), half_width=0.03)
    one = oe.plan("cem_ord", labelled(0, 1000, proxy=judges["j0"]), half_width=0.03)
    assert both.items < one.items < one.without_proxy


@pytest.mark.parametrize(
    ("metric", "half_width"),
    [("cem_ord", 0.04), ("weighted_kappa", 0.06), ("mean_absolute_error", 0.07)],
)
def test_studies_of_the_planned_labels_are_as_precise_as_planned(
    metric: str, half_width: float
) -> None:
    found = oe.plan(metric, labelled(0, 1500), half_width=half_width)
    widths = []
    for seed in range(1, 16):
        scores = oe.score(labelled(seed, found.items), [metric])
        x = scores.intervals[metric]  # type: ignore[union-attr]
        widths.append((x.high - x.low) / 2)
    assert np.mean(widths) == pytest.approx(half_width, rel=0.08)


@pytest.mark.parametrize("margin", [None, 0.02])
def test_studies_of_the_planned_labels_have_the_planned_power(margin: float | None) -> None:
    """Next to the error of 80 studies, 0.045; the expected difference is that of the studies."""
    pilot = labelled(0, 1500, models=2)
    found = oe.plan("cem_ord", pilot, power=0.8, margin=margin)
    assert found.names == ("new", "old")
    assert found.items < found.without_proxy
    gains, shown = [], 0
    for seed in range(1, 81):
        study = labelled(seed, found.items, models=2)
        (delta,) = oe.compare(study, ["cem_ord"], margin=margin).deltas()
        turn = 1 if delta.a == "new" else -1
        gains.append(turn * delta.delta)
        low = delta.low if turn == 1 else -delta.high
        shown += low > -(margin or 0.0)
    lead = found.gain + (margin or 0.0)
    aimed = norm.cdf((np.mean(gains) + (margin or 0)) / lead * (1.96 + 0.84) - 1.96)
    assert shown / 80 == pytest.approx(aimed, abs=0.12)


def test_labels_of_all_items_may_be_too_few() -> None:
    with pytest.raises(oe.ParameterError, match="even human labels of all 3,000 items give only"):
        oe.plan("cem_ord", labelled(0, 1000), half_width=0.002)


def test_what_a_plan_of_labels_refuses() -> None:
    with pytest.raises(oe.LabelError, match="every item of the pilot has a human label"):
        oe.plan("cem_ord", labelled(0, ITEMS), half_width=0.03)
    with pytest.raises(oe.LabelError, match="at least 10 items with a human label"):
        oe.plan("cem_ord", labelled(0, 1), half_width=0.03)
    with pytest.raises(oe.ParameterError, match="plans for one model, but the pilot has two"):
        oe.plan("cem_ord", labelled(0, 200, models=2), half_width=0.03)
    with pytest.raises(oe.ParameterError, match="compares two models, but the pilot has one"):
        oe.plan("cem_ord", labelled(0, 200), power=0.8)
    with pytest.raises(oe.ParameterError, match="independent items"):
        oe.plan("cem_ord", labelled(0, 200), half_width=0.03, cluster_size=3, icc=0.1)
    with pytest.raises(oe.ParameterError, match="cannot be corrected by a proxy"):
        oe.plan("min_sensitivity", labelled(0, 200), half_width=0.1)
    known, truth, _, judge = columns(0, 200)
    human = np.where(known, truth, np.nan)
    perfect = oe.Predictions(human, {"model": truth}, labels=LEVELS, proxy=judge)
    with pytest.raises(oe.LabelError, match="at an end of its range"):
        oe.plan("accuracy", perfect, half_width=0.05)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("labels", [10, 25, ITEMS - 5])
def test_a_small_pilot_still_has_a_plan(labels: int) -> None:
    found = oe.plan("accuracy", labelled(0, labels), half_width=0.1)
    assert 2 <= found.items <= found.without_proxy


# Judge studies


def rated(seed: int, items: int, *, humans: int = 4, prompts: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    prompt = np.arange(items) % prompts if prompts else None
    level = rng.normal(3.2, 1.1, items)
    if prompt is not None:
        level = 0.8 * rng.normal(0, 1.1, prompts)[prompt] + 0.6 * level + 1.2
    people = np.stack([graded(rng, level, 0.6) for _ in range(humans)], axis=1)
    return people, graded(rng, level + 0.1, 0.7), prompt


def judged(seed: int, items: int, **design: Any) -> Any:
    people, judge, prompt = rated(seed, items, **design)
    return oe.judge(people, {"llm": judge}, labels=LEVELS, margin=0.1, clusters=prompt)


@pytest.mark.parametrize(
    ("metric", "margin"), [("weighted_kappa", 0.1), ("mean_absolute_error", 0.15)]
)
def test_judge_studies_of_the_planned_size_have_the_planned_power(
    metric: str, margin: float
) -> None:
    """Next to the error of 100 studies, 0.04; the expected gap is that of the studies."""
    found = oe.plan(metric, judged(0, 1500), power=0.8, margin=margin)
    assert found.names == ("llm", "a human")
    assert sorted(found.by_humans) == [2, 3, 4]
    assert found.by_humans[4] == found.items
    assert found.by_humans[2] > found.by_humans[3] > found.by_humans[4]
    measure = oe.get_metric(metric)
    for humans in (2, 4):
        shown, gaps = 0, []
        for seed in range(1, 101):
            people, judge, _ = rated(seed, found.by_humans[humans], humans=humans)
            panel = Panel(humans=people - 1, runs=judge[:, None] - 1, k=5, metric=measure)
            shown += panel.noninferior(margin) < 0.025
            both = np.array([panel.agreement.estimate, panel.ceiling.estimate])
            gaps.append(float(-np.diff(measure.utility(both))[0]))
        ratio = (np.mean(gaps) + margin) / (found.gain + margin)
        aimed = norm.cdf(ratio * (1.96 + 0.84) - 1.96)
        assert shown / 100 == pytest.approx(aimed, abs=0.11)


def test_the_verdict_of_the_planned_size_is_that_of_judge() -> None:
    found = oe.plan("weighted_kappa", judged(0, 1500), power=0.8, margin=0.1)
    verdicts = [judged(s, found.items).verdict("llm") for s in range(1, 9)]
    assert verdicts.count("non-inferior") >= 4


def test_clusters_of_the_pilot_are_those_of_the_study() -> None:
    found = oe.plan("weighted_kappa", judged(0, 400, prompts=100), power=0.8, margin=0.1)
    assert (found.cluster_size, found.items) == (4, 4 * found.clusters)
    assert f"plan {found.clusters} clusters of 4 items" in found.conclusion()
    assert "with the 4 humans of the pilot of 400 items" in found.assumptions()
    assert found.items_low < found.items < found.items_high


def test_a_judge_is_named_if_there_are_several() -> None:
    people, judge, _ = rated(0, 300)
    both = oe.judge(people, {"a": judge, "b": rated(1, 300)[1]}, labels=LEVELS)
    with pytest.raises(oe.ParameterError, match=r"several judges.*names=: a and b"):
        oe.plan("weighted_kappa", both, power=0.8, margin=0.1)
    found = oe.plan("weighted_kappa", both, power=0.8, margin=0.1, names="a")
    alone = oe.judge(people, {"a": judge}, labels=LEVELS)
    assert found.items == oe.plan("weighted_kappa", alone, power=0.8, margin=0.1).items
    assert "Items by the number of humans" in found.assumptions()
    assert '"by_humans"' in found.to_json()


def test_what_a_plan_for_a_judge_refuses() -> None:
    pilot = judged(0, 300)
    loss = -pilot.gap["llm"].estimate
    assert loss > 0
    wish: dict[str, Any] = {"power": 0.8, "margin": 0.1}
    for less in ({"power": 0.8}, {"half_width": 0.1}):
        with pytest.raises(oe.ParameterError, match="needs power= and margin="):
            oe.plan("weighted_kappa", pilot, **less)  # type: ignore[arg-type]
    with pytest.raises(oe.ParameterError, match="margin that is not above the loss"):
        oe.plan("weighted_kappa", pilot, power=0.8, margin=loss / 2)
    with pytest.raises(oe.ParameterError, match="no judge 'x'"):
        oe.plan("weighted_kappa", pilot, names="x", **wish)
    with pytest.raises(oe.LabelError, match="already has a scale"):
        oe.plan("weighted_kappa", pilot, labels=LEVELS, **wish)
    with pytest.raises(oe.ParameterError, match="those of the pilot"):
        oe.plan("weighted_kappa", pilot, cluster_size=4, icc=0.1, **wish)
    people, judge, _ = rated(0, 300, humans=1)
    alone = oe.judge(people, {"llm": judge}, labels=LEVELS)
    with pytest.raises(oe.LabelError, match="the pilot has one human"):
        oe.plan("weighted_kappa", alone, **wish)
    with pytest.raises(oe.ParameterError, match="names must be"):
        oe.plan("accuracy", accuracy=[0.8, 0.7], k=3, power=0.8, names="AB")
