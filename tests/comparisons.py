"""Models to compare: three of them on the same items, and two that measures rank differently."""

import functools
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import ordeval as oe

Array = NDArray[Any]

N = 300
TRUTH = np.random.default_rng(0).permutation(np.repeat([0, 1, 2, 3], [90, 80, 70, 60]))
LEVELS = [0, 1, 2, 3]
FEW = ["mean_absolute_error", "accuracy", "kendall_tau_b"]


def noisy(share: float, seed: int, reach: int = 1, truth: Array = TRUTH) -> Array:
    """The truth with a share of the items moved by up to ``reach`` classes."""
    rng = np.random.default_rng(seed)
    off = rng.integers(1, reach + 1, len(truth)) * rng.choice([-1, 1], len(truth))
    return np.clip(truth + off * (rng.random(len(truth)) < share), 0, 3)


MODELS = {"weak": noisy(0.7, 1, 2), "good": noisy(0.2, 2), "fair": noisy(0.4, 3, 2)}


def run(models: Any = None, truth: Any = TRUTH, **options: Any) -> oe.results.Comparison:
    defaults = {"labels": LEVELS, "metrics": FEW, "n_resamples": 199, "rng": 0}
    return oe.compare(truth, MODELS if models is None else models, **{**defaults, **options})


@functools.cache
def whole_panel() -> oe.results.Comparison:
    """All measures of the default panel."""
    return run(metrics=None, n_resamples=499)


def far_or_often() -> dict[str, Array]:
    """One model errs often and near, the other seldom and far."""
    often, far = TRUTH.copy(), TRUTH.copy()
    often[::3] = np.where(often[::3] < 3, often[::3] + 1, 2)
    far[::5] = 3 - far[::5]
    far[::10] = np.where(TRUTH[::10] < 2, 3, 0)
    return {"often": often, "far": far}


def rendered(what: Any, width: int = 80) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(what)
    return console.export_text()
