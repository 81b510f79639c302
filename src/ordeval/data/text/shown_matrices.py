"""A confusion matrix as text, a table, records and a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Cell, Table
from ordeval.exceptions import CountsError

if TYPE_CHECKING:
    import pandas

    from ordeval.data.confusion import ConfusionMatrix

_SHOWN_LEVELS: Final = 15


def as_table(cm: ConfusionMatrix) -> Table:
    """One matrix, rows truth, columns prediction."""
    _only_one(cm, "table")
    levels = [str(x) for x in cm.scale]
    rows = tuple(
        (Cell(name), *(Cell(_cell(x)) for x in row))
        for name, row in zip(levels, cm.counts.tolist(), strict=True)
    )
    return Table(("", *levels), rows, f"{_head(cm)}, rows truth, columns prediction")


def as_records(cm: ConfusionMatrix) -> list[dict[str, Any]]:
    """One record per cell of one matrix."""
    _only_one(cm, "rows")
    return [
        {"truth": t, "prediction": p, "count": cm.counts[i, j].item()}
        for i, t in enumerate(cm.scale)
        for j, p in enumerate(cm.scale)
    ]


def as_frame(cm: ConfusionMatrix) -> pandas.DataFrame:
    """One matrix as a pandas DataFrame, index truth, columns prediction."""
    pd = import_extra("pandas", extra="frames", purpose="to_frame")
    _only_one(cm, "to_frame")
    levels = list(cm.scale.levels)
    frame: pandas.DataFrame = pd.DataFrame(
        cm.counts.copy(),
        index=pd.Index(levels, name="truth", tupleize_cols=False),
        columns=pd.Index(levels, name="prediction", tupleize_cols=False),
    )
    return frame


def as_text(cm: ConfusionMatrix, width: int | None) -> str:
    """The matrix as plain text; for a stack or many classes, a summary."""
    if cm.shape:
        by = "" if cm.by is None else f", by {_shown(cm.by)}"
        return f"ConfusionMatrix stack of shape {cm.shape}, {cm.scale}{by}"
    if cm.k > _SHOWN_LEVELS:
        return f"{_head(cm)}, {cm.k} classes, {cm.scale}"
    return as_table(cm).to_text(width)


def as_html(cm: ConfusionMatrix) -> str:
    """Return the matrix as HTML."""
    if cm.shape or cm.k > _SHOWN_LEVELS:
        from html import escape

        return f"<pre>{escape(str(cm))}</pre>"
    return as_table(cm).to_html()


def _only_one(cm: ConfusionMatrix, method: str) -> None:
    if cm.shape:
        raise CountsError(
            f"{method} shows one matrix; this is a stack of shape {cm.shape}. "
            f"Take one out first, for example cm[0].{method}()."
        )


def _head(cm: ConfusionMatrix) -> str:
    dropped = f" (dropped: {cm.dropped})" if cm.dropped else ""
    return f"ConfusionMatrix of {cm.size}{dropped}"


def _shown(by: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, by[:5])) + (", ..." if len(by) > 5 else "")


def _cell(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"
