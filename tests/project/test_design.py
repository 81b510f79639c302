"""The experiment of training on a measure: its slopes, its splits, its record and its page."""

import json
from typing import Any

import numpy as np
import pytest
from benchmarks import design, design_page
from scipy.special import softmax

import ordeval as oe


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return design_page.read()


def test_the_page_says_what_the_record_says(record: dict[str, Any]) -> None:
    assert design_page.PAGE.read_text(encoding="utf-8") == design_page.page(record)


def test_the_record_is_whole(record: dict[str, Any]) -> None:
    assert (record["splits"], record["seed"]) == (design.SPLITS, design.SEED)
    assert record["splits"] >= 20
    assert list(record["values"]) == list(design.DATA)
    keys = [
        f"{model}|{measure}|{way}"
        for model in design.MODELS
        for measure in design.MEASURES
        for way in design_page.WAYS
    ]
    for values in record["values"].values():
        assert list(values) == keys
        assert {len(x) for x in values.values()} == {record["splits"]}
        assert np.isfinite(list(values.values())).all()


def test_tuned_decisions_beat_the_most_probable_class(record: dict[str, Any]) -> None:
    found = design_page.Experiment(record)
    for model in found.models:
        cells = found.cells(model, "tuned", "plain")
        assert cells.of == 25
        assert cells.better >= 20
        assert cells.clearly_worse == 0


def test_gains_and_their_errors_by_hand() -> None:
    values = {"linear|average_mae|plain": [1.0, 0.8], "linear|average_mae|tuned": [0.7, 0.6]}
    found = design_page.Experiment({"values": {"ESL": values}, "splits": 2, "test": 0.4})
    ((gain, error),) = found.gains("linear", "tuned", "plain")
    assert gain == pytest.approx(0.25)  # a lower MAE is better
    assert error == pytest.approx((0.05**2 * 2 * (1 / 2 + 0.4 / 0.6)) ** 0.5)
    assert found.cells("linear", "plain", "tuned") == (0, 0, 1, 1)


@pytest.mark.parametrize("measure", design.MEASURES)
def test_slopes_of_the_loss(measure: str) -> None:
    rng = np.random.default_rng(0)
    part = design.Part(rng.normal(size=(40, 2)), np.arange(40) % 4, 4)
    logits, metric = rng.normal(size=(40, 4)), oe.get_metric(measure)
    _, slopes = design.soft_loss(metric, part, softmax(logits, axis=1))
    step, direction = 1e-4, rng.normal(size=logits.shape)
    ends = [
        design.soft_loss(metric, part, softmax(logits + s * direction, axis=1))[0]
        for s in (step, -step)
    ]
    assert (slopes * direction).sum() == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-3)


def test_parts_of_a_split_share_no_item() -> None:
    data = oe.datasets.load_esl()
    train, test = design.split(data, 0)
    assert len(train.y) + len(test.y) == len(data.target)
    assert set(train.y) == set(test.y) == set(range(9))
    assert len(test.y) / len(data.target) == pytest.approx(design.TEST, abs=0.01)


def test_the_record_is_what_a_run_finds(record: dict[str, Any]) -> None:
    """One split again, by one measure: cut points and L-BFGS end where they did."""
    found = design.run(("LEV", 0), ["average_mae"])
    for key, value in found.items():
        model, _, way = key.split("|")
        exact = way in ("plain", "tuned") and model == "linear"
        kept = record["values"]["LEV"][key][0]
        assert value == pytest.approx(kept, abs=0.02 if exact else 0.1)


def test_a_tiny_run_makes_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design, "MEASURES", ("average_mae",))
    values = {f"{k}": [v, v] for k, v in design.run(("SWD", 1), ["average_mae"]).items()}
    made = {"splits": 2, "test": 0.4, "seed": 0, "values": {"SWD": values}}
    page = design_page.page(json.loads(json.dumps(made)))
    assert "average MAE" in page
    assert "of 1" in page
