"""A dataset with an ordered target, as the loaders return it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.types import Floats
from ordeval.data.scale import Scale

if TYPE_CHECKING:
    import pandas

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalDataset(Result):
    """Features and an ordered target, with their source; prints its classes."""

    _kind = "ordeval.dataset"

    name: str
    data: Floats  # (items, features)
    target: NDArray[Any]  # one label for each item
    scale: Scale  # their order
    feature_names: tuple[str, ...]
    description: str
    source: str
    licence: str

    @property
    def class_sizes(self) -> Codes:
        """Items of each level, lowest first."""
        codes = self.scale.encode(self.target, name=f"the target of {self.name}")
        return np.bincount(codes, minlength=self.scale.k)

    def rows(self) -> list[dict[str, Any]]:
        """One record for each item: its features and its target."""
        names = (*self.feature_names, "target")
        items = zip(self.data.tolist(), self.target.tolist(), strict=True)
        return [dict(zip(names, (*x, y), strict=True)) for x, y in items]

    def table(self) -> Table:
        """One row for each class: how many items it has."""
        sizes, total = self.class_sizes.tolist(), len(self.target)
        rows = tuple(
            tuple(map(Cell, (str(level), f"{n:,}", f"{n / total:.1%}")))
            for level, n in zip(self.scale, sizes, strict=True)
        )
        caption = f"{self.name}: {total:,} items, {len(self.feature_names)} features"
        notes = (self.description, f"Source: {self.source}. Licence: {self.licence}.")
        return Table(("class", "items", "share"), rows, caption, notes)

    def to_frame(self) -> pandas.DataFrame:
        """Features and target as a pandas DataFrame, the target an ordered categorical."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        frame: pandas.DataFrame = pd.DataFrame(self.data, columns=list(self.feature_names))
        frame["target"] = pd.Categorical(self.target, categories=list(self.scale), ordered=True)
        return frame
