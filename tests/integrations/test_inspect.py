"""Inspect's own package computes the measures, and its logs are compared; no network is used."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.integrations import inspect_predictions

pytestmark = [  # the package's own; ours are errors as everywhere
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Streams that Inspect leaves open are collected here, where their warnings are ignored."""
    yield
    gc.collect()


LABELS = [1, 2, 3, 4, 5]
NAMES = ["weighted_kappa", "cem_ord", "mean_absolute_error"]


def grade(item: int, version: int) -> int:
    return max(1, min(5, 1 + item % 5 + (item % 3 == version)))


def evaluated(folder: Path, version: int, scorer: Any = None, **options: Any) -> Any:
    """The log of a task whose model grades 40 items, of which it refuses the eighth."""
    import inspect_ai
    from inspect_ai import dataset, model, solver

    from ordeval.integrations.inspect import label_scorer, ordinal_metric

    def echo(messages: Any, *_: Any) -> Any:
        item = int(messages[-1].text)
        text = "I cannot rate this." if item == 7 else f"Score: {grade(item, version)}"
        made = model.ModelOutput.from_content("mockllm", text)
        made.usage = model.ModelUsage()  # counting tokens would need the network
        return made

    samples = [
        dataset.Sample(
            input=str(i), target=str(1 + i % 5), id=f"a{i}", metadata={"doc": i // 2, "human": 3}
        )
        for i in range(40)
    ]
    metrics = [ordinal_metric(name, LABELS) for name in NAMES]
    metrics.append(ordinal_metric("weighted_kappa", LABELS, cluster="doc"))
    task = inspect_ai.Task(
        dataset=samples, solver=solver.generate(), scorer=scorer or label_scorer(LABELS),
        metrics=metrics[:3] if options else metrics[3:] + metrics[1:3], **options,
    )  # fmt: skip
    (log,) = inspect_ai.eval(
        task, model=model.get_model("mockllm/model", custom_outputs=echo),
        log_dir=str(folder), display="none",
    )  # fmt: skip
    assert log.status == "success", log.error
    return log


def values(log: Any) -> dict[str, float]:
    return {name: x.value for name, x in log.results.scores[0].metrics.items()}


def expected(clusters: Any, repeats: int = 1) -> oe.results.Scores:
    items = [i for i in range(40) if i != 7] * repeats
    data = oe.Predictions(
        [1 + i % 5 for i in items], [grade(i, 0) for i in items], labels=LABELS,
        clusters=[clusters(i) for i in items] if clusters else None,
    )  # fmt: skip
    return oe.score(data, NAMES)


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
def test_metrics_are_those_of_score(tmp_path: Path) -> None:
    found = values(evaluated(tmp_path, 0))
    own = expected(lambda i: i // 2)
    assert found["weighted_kappa"] == pytest.approx(own["weighted_kappa"])
    assert found["weighted_kappa_low"] == pytest.approx(own.intervals["weighted_kappa"].low)
    own = expected(None)
    for name in NAMES[1:]:
        assert found[name] == pytest.approx(own[name])
        assert found[f"{name}_high"] == pytest.approx(own.intervals[name].high)
        assert found[f"{name}_items"] == 39
    errors = [abs(grade(i, 0) - 1 - i % 5) for i in range(40) if i != 7]
    error = np.std(errors, ddof=1) / 39**0.5
    assert found["mean_absolute_error_stderr"] == pytest.approx(error, rel=0.1)


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
def test_epochs_of_a_sample_are_a_cluster(tmp_path: Path) -> None:
    once, twice = (values(evaluated(tmp_path, 0, epochs=n)) for n in (1, 2))
    own = expected(lambda i: i, repeats=2)
    for name in NAMES:
        assert twice[name] == pytest.approx(own[name])
        assert twice[f"{name}_low"] == pytest.approx(own.intervals[name].low)
        # The same answers again say nothing new.
        assert twice[f"{name}_stderr"] == pytest.approx(once[f"{name}_stderr"], rel=0.15)
        assert twice[f"{name}_items"] == 78


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
def test_a_list_of_scores_is_several_ratings(tmp_path: Path) -> None:
    from inspect_ai import scorer

    @scorer.scorer(metrics=[])
    def both() -> Any:
        async def score(state: Any, target: Any) -> Any:
            item = int(state.input_text)
            return scorer.Score(
                value=[grade(item, 0), grade(item, 1)], metadata={"target": target.text}
            )

        return score

    log = evaluated(tmp_path, 0, both(), epochs=1)
    assert values(log)["cem_ord_items"] == 80
    data = inspect_predictions([log.location], LABELS)
    assert oe.score(data, ["accuracy"]).confusion.counts.sum() == 80
    other = inspect_predictions({"a": log.location}, LABELS, truth="human")
    assert other.confusion("a").counts.sum(axis=1).tolist() == [0, 0, 80, 0, 0]


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
def test_logs_are_compared(tmp_path: Path) -> None:
    logs = {f"v{v}": evaluated(tmp_path, v, epochs=2).location for v in (0, 1)}
    data = inspect_predictions(logs, LABELS, scorer="label_scorer", missing="drop")
    found = oe.compare(data, ["weighted_kappa"])
    items = [i for i in range(40) if i != 7] * 2
    models = {f"v{v}": [grade(i, v) for i in items] for v in (0, 1)}
    own = oe.compare(
        [1 + i % 5 for i in items], models, ["weighted_kappa"], labels=LABELS, clusters=items
    )
    assert found.models == own.models
    (delta,), (expected_delta,) = found.pairs, own.pairs
    assert (delta.delta, delta.low, delta.clusters) == pytest.approx(
        (expected_delta.delta, expected_delta.low, 39)
    )


def test_what_a_metric_needs() -> None:
    from inspect_ai.scorer import SampleScore, Score

    from ordeval.integrations.inspect import ordinal_metric

    with pytest.raises(oe.UnknownMetricError):
        ordinal_metric("kapa", LABELS)
    metric = ordinal_metric("cem_ord", LABELS)
    assert np.isnan(metric([])["cem_ord"])
    unknown = SampleScore(score=Score(value=4), sample_id="a1")
    with pytest.raises(oe.LabelError, match=r"the sample a1 has no label .* under 'target'"):
        metric([unknown])
    several = SampleScore(score=Score(value={"clarity": 4}), sample_id="a1")
    with pytest.raises(oe.LabelError, match="several values"):
        metric([several])
    held = SampleScore(score=Score(value=4, metadata={"target": "4"}), sample_id="a1")
    with pytest.raises(oe.LabelError, match="no 'doc' in its metadata"):
        ordinal_metric("cem_ord", LABELS, cluster="doc")([held])
