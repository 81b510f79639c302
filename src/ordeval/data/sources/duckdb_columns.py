"""Columns of a query of DuckDB as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.data.columns import as_column
from ordeval.data.numbering import Coded, coded

# NumPy has no such numbers: DuckDB would give the nearest floats.
_EXACT: Final = ("hugeint", "uhugeint", "decimal", "bignum", "varint")


def fetched(
    relation: Any, labels: Sequence[str], numbers: Sequence[str]
) -> tuple[list[Coded], list[Floats]]:
    """The labels and the numbers of each row, in columns with plain names."""
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    exact = [c for c in labels if kinds[c].id in _EXACT]
    as_text = [*exact, *(c for c in labels if kinds[c].id == "enum")]
    given = [
        f"{c}::varchar as l{i}" if c in as_text else f"{c} as l{i}" for i, c in enumerate(labels)
    ]
    given += [f"{c}::double as n{i}" for i, c in enumerate(numbers)]
    table = relation.project(", ".join(given)).fetchnumpy()
    found = [coded(as_column(table[f"l{i}"], c)) for i, c in enumerate(labels)]
    found = [_exact(x) if c in exact else x for c, x in zip(labels, found, strict=True)]
    return found, [_floats(table[f"n{i}"]) for i in range(len(numbers))]


def _exact(column: Coded) -> Coded:
    """Numbers that came as text, so that none was rounded."""
    read = (None if x is None else Decimal(x) for x in column.labels)
    return Coded([x if x is None or x % 1 else int(x) for x in read], column.code)


def _floats(values: Any) -> Floats:
    return np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
