"""Simulated systems, matrices and degradations: what their designs promise, and George et al."""

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval import meta
from ordeval.meta.matrices import class_sizes

# George et al. 2016, Table 3: accuracy 0.60, then 0.80; largest class balanced, 0.50, 0.75.
TABLE_3: dict[str, tuple[dict[str, Any], dict[str, tuple[float, ...]]]] = {
    "Simulation 2": (
        {"items": 400, "k": 4},
        {
            "cost_accuracy_distance": (1, 1, 1, 1, 1, 1),
            "average_mae": (1, 0.571, 0.646, 1, 0.592, 0.666),
            "kendall_tau_b": (0.905, 0.671, 0.606, 0.956, 0.703, 0.443),
        },
    ),
    "Simulation 3": (
        {"items": 800, "k": 4},
        {
            "cost_accuracy_distance": (1, 1, 1, 1, 1, 1),
            "average_mae": (1, 0.57, 0.651, 1, 0.572, 0.661),
            "kendall_tau_b": (0.908, 0.683, 0.606, 0.961, 0.724, 0.443),
        },
    ),
    "Simulation 4": (
        {"items": 1000, "k": 5},
        {
            "cost_accuracy_distance": (1, 1, 1, 1, 1, 1),
            "average_mae": (1, 0.601, 0.686, 0.996, 0.599, 0.717),
            "kendall_tau_b": (0.909, 0.667, 0.662, 0.953, 0.708, 0.516),
        },
    ),
}
SETTINGS = [(accuracy, largest) for accuracy in (0.6, 0.8) for largest in (None, 0.5, 0.75)]


# Systems


@pytest.fixture(scope="module")
def systems() -> meta.SimulatedSystems:
    return meta.simulate_systems(cases=40, items=200, rng=0)


def of(simulated: meta.SimulatedSystems, name: str) -> Any:
    return simulated.y_pred[:, simulated.systems.index(name)]


def test_shapes_and_names(systems: meta.SimulatedSystems) -> None:
    assert systems.y_pred.shape == (40, 50, 200)
    assert len(set(systems.systems)) == 50
    outputs = systems.outputs()
    assert outputs.counts.shape == (40, 50, 11, 11)
    np.testing.assert_array_equal(outputs.counts.sum(axis=(2, 3)), 200)
    assert len(systems.outputs(without="majority").systems) == 40
    n = oe.ConfusionMatrix.from_labels(systems.y_true[3], systems.y_pred[3, 7], range(1, 12))
    np.testing.assert_array_equal(outputs.counts[3, 7], n.counts)


def test_the_truth_is_normal_and_its_imbalance_varies(systems: meta.SimulatedSystems) -> None:
    assert systems.y_true.mean() == pytest.approx(4, abs=0.1)
    spread = systems.y_true.std(axis=1)
    assert 0.9 < spread.min() < 1.4
    assert 2.4 < spread.max() < 3.1
    assert np.argmax(np.bincount(systems.y_true.ravel())) == 4


def test_a_system_errs_as_often_as_its_rate(systems: meta.SimulatedSystems) -> None:
    for rate in (0.1, 0.5, 1.0):
        wrong = (of(systems, f"tag displacement {rate:g}") != systems.y_true).mean()
        assert wrong == pytest.approx(rate, abs=0.02)


def test_each_behaviour_is_what_it_is_called(systems: meta.SimulatedSystems) -> None:
    truth = systems.y_true
    assert (of(systems, "majority 1") == 4).all()
    np.testing.assert_array_equal(of(systems, "tag displacement 1"), np.minimum(truth + 1, 11))
    counts = np.bincount(of(systems, "random 1").ravel(), minlength=12)[1:] / truth.size
    np.testing.assert_allclose(counts[1:-1], 0.1, atol=0.01)  # rounding halves the ends
    displaced = of(systems, "ordinal displacement 1")
    assert (displaced >= truth).all()
    order = np.argsort(truth[0], kind="stable")
    np.testing.assert_array_equal(displaced[0][order][:-20], truth[0][order][20:])
    np.testing.assert_array_equal(displaced[0][order][-20:], truth[0][order][-20:])
    near = np.abs(of(systems, "proximity 1") - truth).mean()
    any_item = np.random.default_rng(1).permuted(truth, axis=1)
    assert near < 0.75 * np.abs(any_item - truth).mean()


def test_tag_displacement_ranks_perfectly_and_is_never_right(
    systems: meta.SimulatedSystems,
) -> None:
    """As section 5.3 of Amigó et al. 2020 says of it."""
    outputs = systems.outputs()
    n = outputs.counts[:, outputs.systems.index("tag displacement 1")].sum(axis=0)
    assert oe.goodman_kruskal_gamma.from_confusion(n) == 1
    assert oe.accuracy.from_confusion(n) < 0.02  # the highest class has no next one


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ({"k": 1}, "k must be an integer >= 2"),
        ({"deviation": (0, 1)}, "two positive numbers"),
        ({"rates": [1.5]}, "from 0 to 1"),
        ({"behaviours": ["lazy"]}, "or \"proximity\"; got 'lazy'"),
        ({"behaviours": []}, "at least one"),
    ],
)
def test_a_design_that_cannot_be_drawn_is_refused(design: dict[str, Any], message: str) -> None:
    with pytest.raises(oe.ParameterError, match=message):
        meta.simulate_systems(**design)


# Matrices


@pytest.mark.parametrize("design", ["sequential", "multinomial", "dirichlet"])
@pytest.mark.parametrize("fixed", ["overall", "classwise"])
def test_matrices_have_the_accuracy_and_the_class_sizes(design: Any, fixed: Any) -> None:
    n = meta.simulate_matrices(
        200, items=400, k=4, accuracy=0.8, largest=0.75, design=design, fixed=fixed, rng=0
    )
    sizes = class_sizes(400, 4, 0.75)
    np.testing.assert_array_equal(n.sum(axis=2), np.broadcast_to(sizes, (200, 4)))
    assert (n >= 0).all()
    correct = np.diagonal(n, axis1=1, axis2=2)
    if fixed == "classwise":
        np.testing.assert_allclose(correct / sizes, 0.8, atol=0.02)
    else:
        np.testing.assert_array_equal(correct.sum(axis=1), 320)
        assert len(np.unique(correct[:, 0])) > 5


@pytest.mark.parametrize("simulation", TABLE_3)
def test_table_3_of_george_et_al(simulation: str) -> None:
    design, printed = TABLE_3[simulation]
    for column, (accuracy, largest) in enumerate(SETTINGS):
        found = meta.favours_lower_cost(
            list(printed), pairs=4000, accuracy=accuracy, largest=largest, rng=column, **design
        )
        expected = {name: row[column] for name, row in printed.items()}
        assert dict(found) == pytest.approx(expected, abs=0.04)


def test_other_designs_do_not_give_table_3() -> None:
    """So the agreement above says something about how the paper drew its matrices."""
    expected = TABLE_3["Simulation 2"][1]["average_mae"]
    for design in ("multinomial", "dirichlet"):
        found = [
            meta.favours_lower_cost(
                "average_mae", pairs=2000, accuracy=a, largest=s, design=design, rng=0
            )["average_mae"]
            for a, s in SETTINGS
        ]
        assert np.abs(np.array(found) - expected).max() > 0.06


def test_progress_and_errors_of_matrices() -> None:
    seen: list[tuple[str, int, int]] = []
    meta.favours_lower_cost(
        ["accuracy", "cem_ord"], pairs=10, rng=0, progress=lambda *step: seen.append(step)
    )
    assert seen == [("measures", i, 2) for i in range(3)]
    with pytest.raises(oe.ParameterError, match="accuracy must lie"):
        meta.simulate_matrices(1, accuracy=60)
    with pytest.raises(oe.ParameterError, match='design must be "sequential"'):
        meta.simulate_matrices(1, design="uniform")  # type: ignore[arg-type]
    with pytest.raises(oe.ParameterError, match="largest must lie"):
        meta.simulate_matrices(1, largest=0.1)
    with pytest.raises(oe.ParameterError, match="items at least k; got items=3"):
        meta.simulate_matrices(1, items=3, k=4)


# Degradations


@pytest.mark.parametrize("degradation", meta.DEGRADATIONS)
def test_degraded_matrices_start_perfect_and_keep_the_truth(degradation: Any) -> None:
    sizes = np.array([10, 60, 100, 20, 10])
    n = meta.degraded_matrices(sizes, degradation, [0, 0.3, 1])
    np.testing.assert_allclose(n[0], np.diag(sizes))
    np.testing.assert_allclose(n.sum(axis=2), np.broadcast_to(sizes, (3, 5)))
    moved = oe.mean_absolute_error.from_confusion(n)
    assert moved[0] == 0 < moved[1] < moved[2]


def test_the_ends_of_degradations() -> None:
    n = {d: meta.degraded_matrices([4, 2, 2], d, [1])[0] for d in meta.DEGRADATIONS}
    np.testing.assert_allclose(n["noise"], np.outer([4, 2, 2], [1 / 3] * 3))
    np.testing.assert_allclose(n["shift"], [[0, 4, 0], [0, 0, 2], [0, 0, 2]])
    np.testing.assert_allclose(n["shrink"], [[0, 4, 0], [0, 2, 0], [0, 2, 0]])
    np.testing.assert_allclose(n["majority"], [[4, 0, 0], [2, 0, 0], [2, 0, 0]])


def test_curves_show_what_a_measure_cannot_see() -> None:
    curves = meta.degradation_curves(["cem_ord", "goodman_kruskal_gamma", "kendall_tau_b"])
    shift = curves.degradations.index("shift")
    assert curves.notices[shift].tolist() == [True, False, True]
    assert curves.falls[shift].tolist() == [True, True, False]
    assert curves.notices[:, 0].all()
    assert curves.falls[:, 0].all()
    assert "blind" in repr(curves)
    assert "rises" in repr(curves)
    records = curves.rows()
    assert len(records) == 4 * 3 * 21
    assert records[0] == {"degradation": "noise", "metric": "cem_ord", "rate": 0, "value": 1}


def test_curves_heed_the_direction() -> None:
    curves = meta.degradation_curves(["accuracy", "misclassification_error", "mean_signed_error"])
    np.testing.assert_array_equal(curves.notices[:, 0], curves.notices[:, 1])
    np.testing.assert_array_equal(curves.falls[:, 0], curves.falls[:, 1])
    assert curves.notices[curves.degradations.index("shift"), 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([5], "noise"), "at least two classes"),
        (([5, -1], "noise"), "not negative"),
        (([5, 5], "age"), '"shrink" or "majority"; got \'age\''),
        (([5, 5], "noise", [2]), "from 0 to 1"),
    ],
)
def test_degradations_that_make_no_sense(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(oe.ParameterError, match=message):
        meta.degraded_matrices(*arguments)
