"""The scale of a target, and positions on it; needs no scikit-learn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.data.columns import Column
from ordeval.data.scale import Scale, resolve_scale

Positions = NDArray[np.intp]


def scale_of(column: Column, labels: Any) -> Scale:
    """The scale that is declared, or that the target carries or implies."""
    return resolve_scale([column], labels)[0]
