"""The picture of a run: seconds over items, classes and matrices, on logarithmic axes."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from benchmarks.peers.contenders import (
    DLORDINAL,
    IMBLEARN,
    LISTING,
    NUMPY,
    PYCM,
    QUADRATURE,
    SCIPY,
    SKLEARN,
    SKORDINAL,
    TORCH,
    US,
)
from benchmarks.peers.growth import CLASSES, ITEMS, MATRICES
from ordeval.plots._style import FAINT, INK, PAGE, SOFT, style

# Okabe and Ito's colours; markers differ too, so that nothing rests on colour alone.
_LOOKS = {
    US: (INK, "o"), NUMPY: (SOFT, "_"), SKLEARN: ("#d55e00", "s"), SCIPY: ("#0072b2", "^"),
    IMBLEARN: ("#cc79a7", "D"), DLORDINAL: ("#009e73", "v"), SKORDINAL: ("#e69f00", "P"),
    PYCM: ("#56b4e9", "X"), TORCH: ("#7f3c8d", "*"), LISTING: ("#a6761d", "h"),
    QUADRATURE: ("#666666", "1"),
}  # fmt: skip
_PANELS = (
    ("counting", ITEMS), ("quadratic kappa", ITEMS), ("AMAE", ITEMS), ("tau-b", ITEMS),
    ("counting", CLASSES), ("OC", CLASSES), ("AUOC", CLASSES), ("quadratic kappa", MATRICES),
)  # fmt: skip
_RING = "A ring ends a curve whose next point would take too long or too much memory"


def growth(record: Mapping[str, Any]) -> Any:
    """The figure."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    with style():
        figure, grid = plt.subplots(4, 2, figsize=(9, 12), facecolor=PAGE, layout="constrained")
        seen: dict[str, Any] = {}
        for ax, (operation, axis) in zip(grid.flat, _PANELS, strict=True):
            for curve in record["growth"]:
                if (curve["operation"], curve["axis"]) == (operation, axis) and curve["points"]:
                    seen[curve["contender"]] = _draw(ax, curve)
            ax.set(xscale="log", yscale="log", facecolor=PAGE)
            ax.set_title(operation)
            ax.set_xlabel(_xlabel(operation, axis, record))
            ax.yaxis.set_major_locator(LogLocator(numticks=6))
            ax.grid(visible=True, color=FAINT, linewidth=0.6)
            ax.minorticks_off()
            if axis == CLASSES:
                classes = record["plan"]["classes"]
                ax.set_xticks(classes, [str(k) for k in classes])
        for ax in grid[:, 0]:
            ax.set_ylabel("seconds")
        order = [name for name in _LOOKS if name in seen]
        figure.legend(
            [seen[n] for n in order], order, loc="outside lower center", ncols=4, title=_RING
        )
    return figure


def _xlabel(operation: str, axis: str, record: Mapping[str, Any]) -> str:
    if axis != CLASSES:
        return axis
    fixed = "one matrix" if operation in ("OC", "AUOC") else f"{record['plan']['items']:,} items"
    return f"{axis}, {fixed}"


def _draw(ax: Any, curve: Mapping[str, Any]) -> Any:
    colour, marker = _LOOKS[curve["contender"]]
    x, y = zip(*curve["points"], strict=True)
    ours = curve["contender"] == US
    (line,) = ax.plot(
        x, y, color=colour, marker=marker, markersize=6 if ours else 5,
        linewidth=2.6 if ours else 1.3, linestyle="--" if curve["contender"] == NUMPY else "-",
        zorder=3 if ours else 2,
    )  # fmt: skip
    if curve["stopped"]:
        ax.plot(x[-1], y[-1], color=colour, marker="o", markersize=9, fillstyle="none", zorder=4)
    return line


def as_svg(record: Mapping[str, Any]) -> str:
    """The figure as text, the same for the same record."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    figure = growth(record)
    out = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "ordeval", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return out.getvalue()
