"""The public surface: what is promised exists, and nothing else is exported."""

import types
from importlib.metadata import version

import pytest

import ordeval as oe

PINNED = [
    "Accumulator", "ConfusionMatrix", "Scale", "get_metric", "george_cost", "metrics",
    "optimal_path", "proximity", "register", "score", "uoc_curve",
]  # fmt: skip

ERRORS = [
    "CountsError", "EmptyLevelWarning", "LabelError", "MissingExtraError", "OrdevalError",
    "OrdevalWarning", "ParameterError", "ScaleError", "SolverError", "UndefinedMetricWarning",
    "UnknownMetricError",
]  # fmt: skip

TYPES = [
    "Dropped", "Metric", "Metrics", "OptimalPath", "OrdinalProperties", "Range", "Reference",
    "Scores", "UOCCurve",
]  # fmt: skip

MEASURES = [
    # nominal
    "accuracy", "misclassification_error", "accuracy_within", "balanced_accuracy", "f1_macro",
    "matthews_corrcoef", "min_sensitivity", "geometric_mean_sensitivity", "extreme_sensitivity",
    # distance
    "mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "average_mae",
    "maximum_mae", "average_mse", "mean_signed_error", "cosine_similarity",
    # agreement
    "cohen_kappa", "weighted_kappa", "scott_pi", "brennan_prediger", "gwet_ac2",
    "krippendorff_alpha",
    # association
    "pearson_r", "spearman_rho", "kendall_tau_a", "kendall_tau_b", "stuart_tau_c",
    "goodman_kruskal_gamma", "somers_d", "concordance_index", "r_int", "order_reliability",
    "order_sensitivity", "reliability_sensitivity",
    # information
    "mutual_information", "purity", "inverse_purity",
    # cost
    "expected_cost", "normalized_expected_cost", "misclassification_cost",
    "cost_accuracy_distance", "chance_line_distance",
    # path
    "oc_index", "oc_index_unnormalized", "oc_index_general", "uoc_index", "auoc",
    # closeness
    "cem_ord", "cem_nom", "cem_int", "cem_ord_flat",
    # probability
    "ranked_probability_score", "ranked_probability_skill_score",
]  # fmt: skip


def test_the_list_is_sorted_and_without_repetition() -> None:
    assert oe.__all__ == sorted(set(oe.__all__))


@pytest.mark.parametrize("name", oe.__all__)
def test_every_listed_name_can_be_imported(name: str) -> None:
    namespace: dict[str, object] = {}
    exec(f"from ordeval import {name}", namespace)
    assert namespace[name] is getattr(oe, name)


@pytest.mark.parametrize("name", [*PINNED, *ERRORS, *TYPES, *MEASURES])
def test_every_promised_name_exists(name: str) -> None:
    assert name in oe.__all__


def test_nothing_public_is_left_out_of_the_list() -> None:
    present = {
        name
        for name, value in vars(oe).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and getattr(value, "__module__", "ordeval").startswith("ordeval")
    }
    for_typing = {"TYPE_CHECKING", "annotations"}
    assert present - for_typing <= set(oe.__all__)


def test_every_measure_is_exported_under_its_name() -> None:
    assert sorted(oe.metrics().names) == sorted(MEASURES)
    for metric in oe.metrics():
        assert getattr(oe, metric.name) is metric
        assert metric.__name__ == metric.name  # type: ignore[attr-defined]


def test_every_public_name_is_documented() -> None:
    for name in oe.__all__:
        if name != "__version__":
            text = getattr(oe, name).__doc__
            assert text, name
            assert text.strip(), name


def test_the_version_is_that_of_the_package() -> None:
    assert oe.__version__ == version("ordeval")


@pytest.mark.parametrize(
    ("owner", "names"),
    [
        (oe.Scale, ["range", "infer", "levels", "k", "encode", "decode"]),
        (
            oe.ConfusionMatrix,
            [
                "from_labels", "counts", "scale", "total", "support", "predicted", "k", "shape",
                "T", "normalized", "collapse", "to_frame", "dropped", "__add__", "_repr_html_",
            ],
        ),
        (oe.Accumulator, ["update", "merge", "confusion_matrix", "reset", "scale"]),
        (oe.Scores, ["to_frame", "_repr_html_", "confusion", "measures"]),
        (
            oe.oc_index,
            [
                "name", "symbol", "family", "best", "range", "greater_is_better", "symmetric",
                "reversal_invariant", "needs", "reference", "undefined_when", "from_confusion",
                "with_params", "expensive",
            ],
        ),
    ],
    ids=["Scale", "ConfusionMatrix", "Accumulator", "Scores", "Metric"],
)  # fmt: skip
def test_promised_attributes(owner: object, names: list[str]) -> None:
    declared = {*dir(owner), *getattr(owner, "__annotations__", {})}
    assert [name for name in names if name not in declared] == []


def test_the_promised_calls() -> None:
    assert oe.Scale(["low", "medium", "high"]).k == 3
    cm = oe.ConfusionMatrix.from_labels([1, 2], [1, 1], labels=[1, 2], sample_weight=None)
    assert oe.ConfusionMatrix(cm.counts, labels=[1, 2]) == cm
    assert oe.oc_index([1, 2], [1, 1], labels=[1, 2], sample_weight=None, share=0.75, beta=None,
                       gamma=1.0) == oe.oc_index.from_confusion(cm, share=0.75)  # fmt: skip
    assert oe.score([1, 2], [1, 1], metrics=["oc_index"])["oc_index"] == oe.oc_index([1, 2], [1, 1])
    assert oe.oc_index.from_confusion(cm.counts[None]).shape == (1,)
    assert isinstance(oe.oc_index.from_confusion(cm), float)
