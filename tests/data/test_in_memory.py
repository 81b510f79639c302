"""What users hold that once gave a wrong number, a traceback or a misleading sentence."""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.asking import of_frame

import ordeval as oe

LEVELS = [1, 2, 3]
FRAME = pd.DataFrame({"t": [1, 2, 3] * 20, "p": [1, 2, 2] * 20, 0: [1.0] * 60})
SEVERAL = [[1, 0], [0, 1]]


class TestLargeNumbers:
    def test_integers_beyond_floats_beside_a_missing_value(self) -> None:
        labels = [2**53, 2**53 + 1, None] * 3
        table = pa.table({"t": labels, "p": labels, "g": ["x"] * 9})
        frames = {
            "objects": table.to_pandas(integer_object_nulls=True),
            "Arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
            "polars": pl.from_arrow(table),
        }
        for name, frame in frames.items():
            for by in (None, "g"):
                cm = oe.ConfusionMatrix.from_frame(frame, "t", "p", missing="drop", by=by)
                assert cm.counts.reshape(2, 2).tolist() == [[3, 0], [0, 3]], (name, by)

    def test_floats_cannot_tell_them_apart(self) -> None:
        floats = np.array([2.0**53, 2.0**53 + 2])
        with pytest.raises(oe.LabelError, match="cannot represent every integer"):
            oe.accuracy(floats, floats, labels=[2**53, 2**53 + 1])

    def test_levels_merged_near_the_end_of_64_bits(self) -> None:
        cm = oe.ConfusionMatrix(np.full((4, 4), 2**62), list("abcd"))
        for levels in ([["a", "b"], ["c", "d"]], [["a", "b", "c", "d"]]):
            with pytest.raises(oe.CountsError, match="collapsed counts do not fit a 64-bit"):
                cm.collapse(levels)
        large = oe.ConfusionMatrix(np.diag([2**62, 2**62 - 1, 5]), list("abc"))
        assert large.collapse([["a", "b"], ["c"]]).counts.tolist() == [[2**63 - 1, 0], [0, 5]]

    @pytest.mark.parametrize("counts", [np.full((3, 3), 2**62), np.full((3, 3), 1e76)])
    def test_more_items_than_64_bits_count_have_no_interval(self, counts: Any) -> None:
        for call in (oe.score, lambda cm: oe.confidence_interval("accuracy", cm)):
            with pytest.raises(oe.CountsError, match="more items than a 64-bit integer"):
                call(oe.ConfusionMatrix(counts))
        with pytest.raises(oe.CountsError, match="more items than a 64-bit integer"):
            oe.paired_delta("accuracy", np.full((3, 3, 3), counts.flat[0]))
        assert oe.score(oe.ConfusionMatrix(counts), metrics=["accuracy"], level=None) == {
            "accuracy": pytest.approx(1 / 3)
        }

    @pytest.mark.parametrize("unit", [1e-300, 1e-76, 1e76, 1e300])
    def test_intervals_do_not_depend_on_the_unit_of_weights(self, unit: float) -> None:
        rng = np.random.default_rng(1)
        truth, pred, weights = rng.integers(1, 4, 60), rng.integers(1, 4, 60), rng.random(60)
        for metric in ("kendall_tau_b", "weighted_kappa", "krippendorff_alpha", "cem_ord"):
            one, other = (
                oe.confidence_interval(metric, truth, pred, labels=LEVELS, sample_weight=w)
                for w in (weights, weights * unit)
            )
            assert (other.estimate, other.low, other.high) == pytest.approx(
                (one.estimate, one.low, one.high)
            )

    def test_weights_whose_sum_is_infinite(self) -> None:
        with pytest.raises(oe.LabelError, match="divide all of them by the same number"):
            oe.accuracy([1, 2], [1, 2], sample_weight=[1.7e308, 1.7e308])

    @pytest.mark.parametrize(
        "make", [np.asarray, pd.Series, pl.Series, pa.array, list], ids=lambda m: m.__module__
    )
    def test_nanoseconds_are_not_run_together(self, make: Callable[[Any], Any]) -> None:
        moments = np.array(["2024-01-01T00:00:00.000000001", "2024-01-01"], dtype="M8[ns]")
        with pytest.raises(oe.OrdevalError, match="microseconds"):
            oe.accuracy(make(moments), make(moments), labels=moments)
        whole = moments[1:]
        assert oe.accuracy(make(whole), make(whole), labels=whole) == 1

    def test_nor_in_a_frame_of_polars(self) -> None:
        moments = np.array(["2024-01-01T00:00:00.000000001", "2024-01-01"], dtype="M8[ns]")
        frame = pl.DataFrame({"t": moments, "p": moments})
        with pytest.raises(oe.LabelError, match="'t' holds nanoseconds"):
            oe.ConfusionMatrix.from_frame(frame, "t", "p", labels=[moments[1]])


class TestContainers:
    def test_integers_of_128_bits(self) -> None:
        wide = pl.Series(LEVELS, dtype=pl.Int128)
        assert oe.accuracy(wide, wide) == 1

    def test_record_batches(self) -> None:
        batch = pa.RecordBatch.from_pydict({"t": LEVELS, "p": [1, 2, 2], "g": ["x"] * 3})
        assert (
            oe.score(oe.Predictions.from_frame(batch, "t", "p", labels=LEVELS), "accuracy")[
                "accuracy"
            ]
            == 2 / 3
        )
        stack = oe.ConfusionMatrix.from_frame(batch, "t", "p", LEVELS, by="g")
        assert stack.total.tolist() == [3]
        models = batch.select(["t", "p"])
        assert oe.compare(LEVELS, models, ["accuracy"], labels=LEVELS).models == ("t", "p")
        table = pa.table(models.to_pydict())
        assert oe.compare(LEVELS, table, ["accuracy"], labels=LEVELS).models == ("t", "p")

    def test_tensors(self) -> None:
        import torch

        truth = torch.tensor(LEVELS)
        for kind in (torch.float32, torch.float16, torch.bfloat16, torch.int8):
            given = torch.tensor(LEVELS, dtype=kind, requires_grad=kind.is_floating_point)
            assert oe.accuracy(given, given, labels=LEVELS) == 1
            assert oe.accuracy(truth, truth, sample_weight=given) == 1
            assert oe.score(truth, truth, "accuracy", labels=LEVELS, clusters=given) == {
                "accuracy": 1
            }
        assert oe.accuracy(truth, truth, labels=torch.arange(5)) == 1
        assert oe.Scale(torch.arange(5)) == oe.Scale.range(0, 4)
        cost = torch.tensor([[0, 1.0], [1, 0]], requires_grad=True)
        assert oe.expected_cost([1, 2], [1, 1], cost=cost) == 0.5
        assert oe.accuracy.from_confusion(torch.eye(3, requires_grad=True)) == 1
        logits = torch.tensor([[2.0, 1, 0], [0, 1, 2], [1, 1, 1]], requires_grad=True)
        right = oe.ranked_probability_score(truth, torch.softmax(logits, 1), labels=LEVELS)
        for kind in (torch.float16, torch.bfloat16):
            half = torch.softmax(logits, 1).to(kind)
            found = oe.ranked_probability_score(truth, half, labels=LEVELS)
            assert found == pytest.approx(right, abs=0.01)

    def test_weights_as_text(self) -> None:
        assert oe.accuracy([1, 2], [1, 1], sample_weight=["1.0", "3.0"]) == 0.25
        for bad in ("13", ["1.0", "x"]):
            with pytest.raises(oe.LabelError, match="sample_weight must"):
                oe.accuracy([1, 2], [1, 1], sample_weight=bad)
        frame = pl.DataFrame({"t": [1, 2], "p": [1, 1], "w": ["1.0", "x"]})
        with pytest.raises(oe.LabelError, match="the weights in 'w' must be numbers; as text"):
            oe.ConfusionMatrix.from_frame(frame, "t", "p", weight="w")


class TestNamesOfColumns:
    def test_a_frame_with_other_names_is_read(self) -> None:
        scores = oe.score(
            oe.Predictions.from_frame(FRAME, "t", "p", labels=LEVELS, by="t"), "accuracy"
        )
        assert scores.confusion.by == (1, 2, 3)

    @pytest.mark.parametrize(
        "named",
        [{"truth": 0}, {"pred": 0}, {"by": 0}, {"clusters": 0}, {"weight": 0}, {"truth": "0"}],
        ids=str,
    )
    def test_numbers_are_refused_with_the_fix(self, named: dict[str, Any]) -> None:
        arguments = {"truth": "t", "pred": "p", "labels": LEVELS} | named
        with pytest.raises(oe.LabelError, match=r"frame\.rename\(columns=str\)"):
            of_frame(oe.score, FRAME, arguments.pop("truth"), arguments.pop("pred"), **arguments)

    @pytest.mark.parametrize("argument", ["by", "clusters", "weight"])
    @pytest.mark.parametrize("values", [FRAME["t"], FRAME["t"].tolist(), FRAME["t"].to_numpy()])
    def test_values_are_refused_with_the_fix(self, argument: str, values: Any) -> None:
        for verb in (oe.score, oe.compare):
            with pytest.raises(oe.LabelError, match="put them into a column of the frame") as e:
                of_frame(verb, FRAME, "t", "p", ["accuracy"], **{argument: values})
            assert len(str(e.value)) < 300

    def test_a_name_in_place_of_clusters(self) -> None:
        with pytest.raises(oe.LabelError, match=r"got 'patient'\..*Predictions\.from_frame takes"):
            oe.score([1, 2], [1, 2], "accuracy", labels=[1, 2], clusters="patient")


class TestSentences:
    def test_a_measure_is_no_scorer(self) -> None:
        from sklearn.dummy import DummyClassifier
        from sklearn.model_selection import cross_val_score

        for metric in (oe.weighted_kappa, oe.ranked_probability_score):
            fix = rf'oe\.scorer\("{metric.name}"\)'
            with pytest.raises(oe.LabelError, match=fix):
                cross_val_score(
                    DummyClassifier(), np.zeros((9, 1)), LEVELS * 3, scoring=metric, cv=3,
                    error_score="raise",
                )  # fmt: skip
        with pytest.raises(oe.LabelError, match="labels="):
            oe.accuracy([1, 2], [1, 2], [1, 2])

    @pytest.mark.parametrize("values", [[1, 2, np.nan], pd.Series([1, 2, None]), [np.nan] * 3])
    def test_missing_values_are_called_missing(self, values: Any) -> None:
        with pytest.raises(oe.ScaleError, match=r"missing value.*missing=\"drop\"") as caught:
            oe.accuracy(values, [1, 2, 2])
        assert "floating-point" not in str(caught.value)

    def test_a_number_between_two_levels(self) -> None:
        with pytest.raises(oe.LabelError, match=r"3\.5 lies between the levels 3 and 4.*rint"):
            oe.accuracy([1, 3.5], [1, 2], labels=range(1, 6))
        with pytest.raises(oe.LabelError) as caught:
            oe.accuracy([1, 6.5], [1, 2], labels=range(1, 6))
        assert "between" not in str(caught.value)

    @pytest.mark.parametrize("word", ["NA", "null", "NaN", "None", "n/a", ""])
    @pytest.mark.parametrize("levels", [["a", "b"], [1, 2]])
    def test_words_for_missing_values(self, word: str, levels: list[Any]) -> None:
        labels = np.array([levels[0], word], dtype=object)
        with pytest.raises(oe.LabelError, match=r"stands for a missing value.*missing=\"drop\""):
            oe.accuracy(labels, labels, labels=levels)

    @pytest.mark.parametrize("k", [3, 7, 50])
    def test_probabilities_that_were_rounded(self, k: int) -> None:
        prob = np.random.default_rng(k).dirichlet(np.ones(k), 200)
        truth = np.arange(200) % k
        right = oe.ranked_probability_score(truth, prob, labels=range(k))
        for given in (prob.round(4), prob.astype(np.float16)):
            assert oe.ranked_probability_score(truth, given, labels=range(k)) == pytest.approx(
                right, rel=0.01
            )
        with pytest.raises(
            oe.LabelError, match=r"each row of y_prob must sum to 1; 200 of 200 do not"
        ):
            oe.ranked_probability_score(truth, prob * 0.98, labels=range(k))


class TestLimits:
    @pytest.mark.parametrize("labels", [range(20_000), range(10**6), range(10**30), count()])
    def test_scales(self, labels: Any) -> None:
        with pytest.raises(oe.ScaleError, match="at most 2,000 levels"):
            oe.accuracy([1, 2], [1, 2], labels=labels)

    @pytest.mark.parametrize("n", [10**18, 10_000_000])
    def test_draws(self, n: int) -> None:
        calls: list[Callable[[], Any]] = [
            lambda: oe.confidence_interval("accuracy", SEVERAL, method="bca", n_resamples=n),
            lambda: oe.score(SEVERAL, n_resamples=n),
            lambda: oe.compare([1, 2], {"a": [1, 2]}, n_resamples=n),
            lambda: oe.paired_delta("accuracy", [1, 2], [1, 2], [1, 2], n_resamples=n),
            lambda: oe.compare_cases({"a": [1, 2, 3], "b": [1, 2, 4]}, n_resamples=n),
        ]
        for call in calls:
            with pytest.raises(oe.ParameterError, match="at most 1,000,000"):
                call()
