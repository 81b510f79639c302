"""The catalogue of advice: each code is documented, used, and reached by a call."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.inference.advice import CATALOGUE, Advice

SOURCE = Path(oe.__file__).parent
PERFECT = np.repeat([0, 1, 2], 20)


def codes_in(text: str) -> set[str]:
    return set(re.findall(r"OE\d{3}", text))


def of_matrix(counts: Any, *metrics: str) -> set[str]:
    cm = oe.ConfusionMatrix(counts)
    return {a.code for a in oe.score(cm, metrics=metrics or ("accuracy",)).advice}


def of_labels(truth: Any, pred: Any, **options: Any) -> set[str]:
    return {a.code for a in oe.score(truth, pred, "accuracy", **options).advice}


def of_comparison(**options: Any) -> set[str]:
    models = {"a": PERFECT, "b": np.roll(PERFECT, 2)}
    result = oe.compare(
        PERFECT,
        models,
        labels=[0, 1, 2],
        metrics=["accuracy"],
        rng=0,
        **{"n_resamples": 99, **options},
    )
    return {a.code for a in result.advice}


def warned(metric: str, *data: Any, **options: Any) -> set[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        oe.confidence_interval(metric, *data, rng=0, n_resamples=99, **options)
    assert all(w.category is oe.ResamplingWarning for w in caught)
    return codes_in(" ".join(str(w.message) for w in caught))


SHIFTED = [[10, 20, 0], [0, 10, 20], [0, 0, 30]]
FAR = [[20, 5, 5], [5, 20, 5], [5, 5, 20]]
CLUSTERED = {"clusters": np.tile(range(15), 4)}

TRIGGERS: dict[str, Callable[[], set[str]]] = {
    "OE101": lambda: of_labels(PERFECT, PERFECT),
    "OE102": lambda: of_matrix([[20, 0, 0], [0, 0, 0], [0, 1, 20]]),
    "OE103": lambda: of_matrix([[20, 0], [1, 8]]),
    "OE104": lambda: of_matrix([[20, 0], [20, 0]]),
    "OE105": lambda: of_matrix([[20, 10], [0, 0]]),
    "OE106": lambda: of_matrix([[20, 5, 0], [5, 20, 0], [10, 10, 0]]),
    "OE107": lambda: of_labels([0, 1, 9], [0, 1, 1], labels=[0, 1], unknown="drop"),
    "OE201": lambda: of_matrix([[70, 5], [5, 20]], "weighted_kappa"),
    "OE202": lambda: of_matrix(FAR, "accuracy_within"),
    "OE203": lambda: of_matrix([[70, 5], [5, 20]], "mean_absolute_error"),
    "OE204": lambda: of_matrix(SHIFTED, "kendall_tau_b"),
    "OE205": lambda: codes_in(str(oe.score([1, 3], [1, 1], "mean_absolute_error", labels=[1, 3]))),
    "OE301": lambda: warned("kendall_tau_b", [[20, 0], [20, 0]], method="bca"),
    "OE302": lambda: warned("accuracy", PERFECT, PERFECT, method="percentile"),
    "OE303": of_comparison,
    "OE304": lambda: warned("accuracy", PERFECT, np.roll(PERFECT, 3), **CLUSTERED),
    "OE306": lambda: warned("mutual_information", np.full((3, 3), 30), method="bca"),
    "OE307": lambda: warned("accuracy", PERFECT, PERFECT, sample_weight=[100.0, *[1.0] * 59]),
    "OE308": lambda: warned("mutual_information", [[1, 1], [0, 1]]),
    "OE309": lambda: {
        a.code
        for a in oe.corrected_distribution([0] * 20 + [None] * 40, PERFECT, labels=[0, 1, 2]).advice
    },
    "OE310": lambda: warned("ordinal_log_loss", PERFECT, np.eye(3)[np.roll(PERFECT, 1)]),
}


def test_every_code_has_a_trigger() -> None:
    assert list(TRIGGERS) == list(CATALOGUE)


@pytest.mark.parametrize("code", list(CATALOGUE))
def test_every_code_is_reachable(code: str) -> None:
    assert code in TRIGGERS[code]()


def test_codes_in_the_source_are_those_of_the_catalogue() -> None:
    """Whatever names a code, in words or in examples, names one that is explained."""
    used: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        used |= codes_in(path.read_text(encoding="utf-8"))
    assert used == set(CATALOGUE)


@pytest.mark.parametrize("code", list(CATALOGUE))
def test_every_code_is_explained(code: str) -> None:
    entry = CATALOGUE[code]
    assert re.fullmatch(r"OE\d{3}", code)
    assert entry.title
    assert not entry.title.endswith(".")
    assert entry.meaning.endswith(".")
    assert oe.explain(code) == f"{code}, {entry.title}: {entry.meaning}"
    assert Advice(code, "x").entry is entry


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(oe.ParameterError, match="no warning has the code 'OE999'; codes: OE101"):
        oe.explain("OE999")


@pytest.mark.parametrize(
    "name",
    sorted(set(re.findall(r"[a-z]+_[a-z0-9_]+", " ".join(e.meaning for e in CATALOGUE.values())))),
)
def test_names_in_the_catalogue_exist(name: str) -> None:
    options = {"confidence_interval", "n_resamples"}
    assert name in oe.metrics() or name in options


SOUND = [[30, 5, 0], [4, 30, 5], [0, 5, 30]]


def test_sound_data_get_no_advice() -> None:
    assert of_matrix(SOUND, "accuracy") == set()
    assert of_matrix(SOUND, "kendall_tau_b", "cohen_kappa") == set()
    assert of_matrix(np.zeros((3, 3), int)) == set()


@pytest.mark.parametrize(
    ("counts", "metric", "code"),
    [
        ([[58, 1], [1, 39]], "accuracy", "OE203"),
        ([[58, 1], [1, 39]], "weighted_kappa", "OE201"),
        ([[9, 1], [2, 8]], "accuracy", "OE103"),
        (np.eye(5, dtype=int) * 20, "accuracy_within", "OE202"),
        ([[30, 5, 2], [0, 30, 5], [0, 5, 30]], "kendall_tau_b", "OE204"),
    ],
)
def test_just_inside_the_bounds(counts: Any, metric: str, code: str) -> None:
    assert code not in of_matrix(counts, metric)


@pytest.mark.parametrize(
    ("code", "metric", "other"),
    [
        ("OE201", "cohen_kappa", "accuracy"),
        ("OE203", "accuracy", "kendall_tau_b"),
        ("OE204", "spearman_rho", "accuracy"),
        ("OE202", "accuracy_within", "accuracy"),
    ],
)
def test_advice_about_a_measure_comes_with_the_measure(code: str, metric: str, other: str) -> None:
    counts = [[10, 60, 0], [0, 5, 10], [0, 0, 15]]
    assert code in of_matrix(counts, metric)
    assert code not in of_matrix(counts, other)


def test_a_constant_prediction_is_not_told_twice() -> None:
    assert "OE106" not in of_matrix([[20, 0], [20, 0]])
    assert "OE104" not in of_matrix([[20, 0], [0, 0]])


def test_advice_of_scores() -> None:
    scores = oe.score([1, 2, 3, 3], [1, 2, 2, 3], ["accuracy"])
    assert [str(a) for a in scores.advice] == [
        "[OE101] the integers imply Scale(1 < 2 < 3); declare labels= if it is longer.",
        "[OE103] small classes (under 10 items): 1 (n = 1), 2 (n = 1), 3 (n = 2).",
    ]
    for advice in scores.advice:
        assert str(advice) in repr(scores)
        assert advice.code in scores._repr_html_()


def test_messages_say_what_was_found() -> None:
    cm = oe.ConfusionMatrix([[70, 5, 0], [5, 11, 0], [0, 9, 0]], ["low", "mid", "high"])
    told = {a.code: a.message for a in oe.score(cm, metrics=["accuracy", "cohen_kappa"]).advice}
    assert told["OE106"] == "'high' is never predicted."
    assert told["OE103"] == "small classes (under 10 items): 'high' (n = 9)."
    assert told["OE203"] == "75% of the items are 'low'."
    assert told["OE201"] == "kappa depends on the class sizes, and 75% of the items are 'low'."
    high = oe.score(oe.ConfusionMatrix(SHIFTED), metrics=["pearson_r"]).advice
    assert "predictions are 0.44 classes too high on average." in [a.message for a in high]
    low = oe.score(oe.ConfusionMatrix(np.transpose(SHIFTED)), metrics=["pearson_r"]).advice
    assert "predictions are 0.44 classes too low on average." in [a.message for a in low]


def test_advice_on_the_intervals_of_scores_is_attached() -> None:
    """Warnings are for a lone interval; of many measures, one line names those that share it."""
    cm = oe.ConfusionMatrix(np.diag([20, 20, 20]))
    names = ["accuracy", "cem_ord", "mean_absolute_error"]
    scores = oe.score(cm, metrics=names, method="bca", n_resamples=99, rng=0)
    assert [str(a) for a in scores.advice] == [
        (
            "[OE302] every resample gives the same accuracy, cem_ord and mean_absolute_error, "
            'so the interval has no width. Use method="auto".'
        )
    ]
    without = oe.score(cm, metrics=names)
    assert without.advice == ()


def test_undefined_draws_of_several_measures_are_one_line() -> None:
    counts = [[40, 5, 0], [0, 40, 5], [0, 0, 2]]
    names = ["cost_accuracy_distance", "misclassification_cost", "accuracy"]
    scores = oe.score(
        oe.ConfusionMatrix(counts), metrics=names, method="bca", n_resamples=499, rng=0
    )
    share = max(i.undefined_share for i in scores.intervals.values())
    assert [a.message for a in scores.advice if a.code == "OE301"] == [
        (
            f"cost_accuracy_distance and misclassification_cost are undefined in up to {share:.1%} "
            f"of the resamples; their intervals are from the others only."
        )
    ]


def test_a_measure_that_is_undefined_anyway_is_not_told_twice() -> None:
    scores = oe.score(
        oe.ConfusionMatrix([[20, 0], [20, 0]]), metrics=["accuracy", "kendall_tau_b"],
        level=0.95, n_resamples=99, rng=0,
    )  # fmt: skip
    assert np.isnan(scores["kendall_tau_b"])
    assert "OE301" not in {a.code for a in scores.advice}


def test_clusters_of_scores_are_counted() -> None:
    near = np.roll(PERFECT, 3)
    options: dict[str, Any] = {"labels": [0, 1, 2], "level": 0.95, "n_resamples": 99, "rng": 0}
    scores = oe.score(PERFECT, near, "accuracy", **CLUSTERED, **options)
    assert "OE304" in {a.code for a in scores.advice}
    assert "OE304" not in {a.code for a in oe.score(PERFECT, near, "accuracy", **options).advice}


def test_one_sided_intervals_of_several_measures_are_one_line() -> None:
    uniform = oe.ConfusionMatrix(np.full((3, 3), 30))
    names = ["mutual_information", "purity"]
    scores = oe.score(uniform, metrics=names, method="bca", n_resamples=99, rng=0)
    assert [a.message for a in scores.advice if a.code == "OE306"] == [
        (
            "the intervals of mutual_information and purity do not contain their "
            "estimates: the resamples are on one side of them, as happens at the end of "
            "the range."
        )
    ]


def test_weights_do_not_make_a_class_rare() -> None:
    light = of_labels(PERFECT, PERFECT, labels=[0, 1, 2], sample_weight=np.full(60, 0.01))
    assert "OE103" not in light
