"""What is said of labels that do not fit: shifted ones, misspelt ones, and all of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ordeval as oe

N = 60
TRUTH = np.array([1, 2, 3, 4, 5] * 12)
PRED = np.array([1, 2, 3, 5, 5, 1] * 10)
PARTLY = [*TRUTH[: N // 2].tolist(), *[None] * (N // 2)]
LEVELS = ["mild", "moderate", "severe"]
SHIFTED = "The labels look shifted by one: {} starts and ends one {} than"


def frame(pred: Any) -> pl.DataFrame:
    return pl.DataFrame({"y": TRUTH, "p": pred, "id": np.arange(N), "site": ["n", "s"] * 30})


def in_a_file(pred: Any, kind: str, folder: Path) -> Path:
    path = folder / f"data.{kind}"
    frame(pred).write_csv(path) if kind == "csv" else frame(pred).write_parquet(path)
    return path


# Every way to ask, of predictions of integers on a scale that they imply.
ASKED: dict[str, Callable[[Any], Any]] = {
    "a measure": lambda p: oe.weighted_kappa(TRUTH, p),
    "a list": lambda p: oe.weighted_kappa(TRUTH.tolist(), p.tolist()),
    "counting": lambda p: oe.ConfusionMatrix.from_labels(TRUTH, p),
    "weights": lambda p: oe.weighted_kappa(TRUTH, p, sample_weight=np.ones(N)),
    "score": lambda p: oe.score(TRUTH, p),
    "several models": lambda p: oe.score(oe.Predictions(TRUTH, {"p": p, "q": TRUTH})),
    "compare": lambda p: oe.compare(TRUTH, {"p": p, "q": TRUTH}),
    "subgroups": lambda p: oe.score(oe.Predictions(TRUTH, p, by=["n", "s"] * 30)),
    "compare subgroups": lambda p: oe.compare(
        oe.Predictions(TRUTH, {"p": p, "q": TRUTH}, by=["n", "s"] * 30)
    ),
    "clusters": lambda p: oe.score(TRUTH, p, clusters=np.arange(N) // 2),
    "an interval": lambda p: oe.confidence_interval("accuracy", TRUTH, p),
    "a difference": lambda p: oe.paired_delta("accuracy", TRUTH, p, TRUTH),
    "thresholds": lambda p: oe.thresholds(TRUTH, p),
    "a frame": lambda p: oe.score(oe.Predictions.from_frame(frame(p), "y", "p")),
    "a lazy frame": lambda p: oe.score(oe.Predictions.from_frame(frame(p).lazy(), "y", "p")),
    "pandas": lambda p: oe.ConfusionMatrix.from_frame(frame(p).to_pandas(), "y", "p"),
    "frames that are joined": lambda p: oe.score(
        oe.Predictions.from_frame(
            frame(p), "y", on="id", pred_frames={"m": (frame(p), "p")}
        )
    ),
    "a proxy": lambda p: oe.score(oe.Predictions(PARTLY, TRUTH, proxy=p), ["accuracy"]),
    "a corrected value": lambda p: oe.corrected("accuracy", PARTLY, TRUTH, proxy=p),
    "a corrected distribution": lambda p: oe.corrected_distribution(PARTLY, p),
    "raters": lambda p: oe.Ratings(np.stack([TRUTH, TRUTH, p], axis=1)),
    "raters in a long table": lambda p: oe.Ratings.from_long(
        frame(p).with_columns(z=TRUTH).unpivot(["p", "y", "z"], index="id"),
        item="id", rater="variable", rating="value",
    ),
    "agreement": lambda p: oe.fleiss_kappa(np.stack([TRUTH, p], axis=1)),
}  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("by", [-1, 1])
def test_integers_that_are_shifted_by_one_are_a_warning_everywhere(asked: str, by: int) -> None:
    match = "The labels look shifted by one.* one " + ("lower" if by < 0 else "higher")
    with pytest.warns(oe.exceptions.EmptyLevelWarning, match=match):
        ASKED[asked](PRED + by)


@pytest.mark.parametrize("asked", ASKED)
def test_integers_of_one_range_are_none(asked: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ASKED[asked](PRED)
    assert not [w for w in told if "shifted" in str(w.message)]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_integers_of_a_file_too(kind: str, tmp_path: Path) -> None:
    path = in_a_file(PRED - 1, kind, tmp_path)
    with pytest.warns(oe.exceptions.EmptyLevelWarning, match="p starts and ends one lower"):
        oe.score(oe.Predictions.from_file(path, "y", "p"))
    with pytest.raises(oe.LabelError, match=SHIFTED.format("p", "lower")):
        oe.score(oe.Predictions.from_file(path, "y", "p", labels=range(1, 6)))


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 3]),  # a level is never predicted
        ([1, 2, 3, 4], [0, 1, 2, 4]),  # the highest is
        ([1, 1, 1], [0, 0, 0]),  # one level each tells nothing
        ([0, 1, 2, 3], [1, 2, 3, 3]),
    ],
)
def test_other_ranges_are_not_called_shifted(truth: list[int], pred: list[int]) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        oe.accuracy(truth, pred)
    assert not [w for w in told if "shifted" in str(w.message)]


def refused(*given: Any, **options: Any) -> str:
    with pytest.raises(oe.LabelError) as error:
        oe.score(*given, **options)
    return str(error.value)


@pytest.mark.parametrize(("by", "which"), [(-1, "lower"), (1, "higher")])
def test_labels_shifted_against_a_declared_scale(by: int, which: str) -> None:
    said = refused(TRUTH, PRED + by, labels=range(1, 6))
    assert SHIFTED.format("y_pred", which) in said
    assert ("Add 1 to them" if by < 0 else "Subtract 1 from them") in said
    assert "add the level" not in said
    assert "drop" not in said
    texts = [str(x) for x in PRED + by]
    assert SHIFTED.format("y_pred", which) in refused(
        [str(x) for x in TRUTH], texts, labels=list("12345")
    )


def test_a_judge_that_counts_from_zero() -> None:
    humans = oe.Ratings(np.stack([TRUTH, PRED, TRUTH], axis=1), labels=range(1, 6))
    with pytest.raises(oe.LabelError, match=SHIFTED.format("j", "lower")) as error:
        oe.judge(humans, {"j": PRED - 1})
    assert "add the level" not in str(error.value)


def test_a_zero_beside_the_highest_level_is_not_called_shifted() -> None:
    said = refused(TRUTH, np.where(PRED == 2, 0, PRED), labels=range(1, 6))
    assert "shifted" not in said
    assert "add the level to labels=" in said


MISSPELT = [("sever", "severe"), ("modrate", "moderate"), ("midl", "mild"), ("sevre", "severe"),
            ("moderrate", "moderate"), (" Severe", "severe"), ("moferate", "moderate")]  # fmt: skip


@pytest.mark.parametrize(("label", "level"), MISSPELT)
def test_near_spellings_are_offered(label: str, level: str) -> None:
    said = refused([*LEVELS, label], [*LEVELS, "mild"], labels=LEVELS)
    assert f"{label!r} looks like {level!r}." in said


# Levels of a longer scale are no slips of those of a shorter one.
LONGER = [
    ("proliferative", ["none", "mild", "moderate"]),
    ("stage III", ["stage I", "stage II"]),
    ("stage 4", ["stage 2", "stage 3"]),
    ("IIIb", ["II", "IIIa"]),
    ("disagree", ["neutral", "agree"]),
    ("strongly disagree", ["neutral", "strongly agree"]),
    ("unimportant", ["neutral", "important"]),
    ("atypical", ["unclear", "typical"]),
    ("gradeC", ["gradeA", "gradeB"]),
    ("highest", ["low", "high"]),
    ("very high", ["low", "high"]),
    ("T2", ["T0", "T1"]),
]


@pytest.mark.parametrize(("label", "levels"), LONGER)
def test_other_levels_are_not_offered(label: str, levels: list[str]) -> None:
    said = refused([*levels, label], [*levels, levels[0]], labels=levels)
    assert "looks like" not in said
    assert "add the level to labels=" in said


def test_to_drop_all_items_is_no_advice() -> None:
    said = refused(["I", "II", "III"] * 9, ["I", "II", "II"] * 9, labels=["i", "ii", "iii"])
    assert (
        "They differ from the levels only in case or spaces: use labels=['I', 'II', 'III']." in said
    )
    assert "Correct" not in said
    assert "drop" not in said
    assert "drop" not in refused([1, 2, 3], [7, 8, 9], labels=[1, 2, 3])
    assert "drop" not in refused([1, 2], [None, None], labels=[1, 2])
    assert 'unknown="drop"' in refused([1, 2, 3], [1, 8, 9], labels=[1, 2, 3])


RAGGED = [[[1, 2], [3]] * 30, [[1]] + [1] * 59, [1.0] * 59 + [(1, 2)]]


@pytest.mark.parametrize("weights", RAGGED)
def test_weights_that_are_lists_of_any_length(weights: Any) -> None:
    for call in (oe.score, oe.weighted_kappa, oe.ConfusionMatrix.from_labels):
        with pytest.raises(oe.LabelError, match="must hold one number per item; got lists of dif"):
            call(TRUTH, PRED, sample_weight=weights)  # type: ignore[operator]


@pytest.mark.parametrize("given", [np.array(["drop", "raise"]), np.array([1, 2]), ["drop"], None])
@pytest.mark.parametrize("name", ["unknown", "missing"])
def test_policies_that_are_none(name: str, given: Any) -> None:
    options: Any = {name: given}
    for make in (
        lambda: oe.score(TRUTH, PRED, **options),
        lambda: oe.Predictions(TRUTH, PRED, **options),
        lambda: oe.Predictions.from_frame(frame(PRED), "y", "p", **options),
        lambda: oe.ConfusionMatrix.from_labels(TRUTH, PRED, **options),
        lambda: oe.Accumulator([1, 2], **options),
    ):
        with pytest.raises(
            oe.exceptions.OrdevalError, match=f'^{name} must be "raise" or "drop"; got'
        ):
            make()
