"""The pictures of the cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

import ordeval as oe
from ordeval.plots._style import INK, SOFT, style

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "ordeval"  # the same picture gives the same file
_PLAIN = {"Date": None}
_SAME = 1e-9


def draw_four(
    metric: oe.Metric,
    levels: Sequence[str],
    matrices: dict[str, Any],
    values: dict[str, float],
    path: Path,
) -> str:
    """Four matrices side by side, each with its value; the sentence that the picture shows."""
    with style():
        figure, axes = plt.subplots(1, 4, figsize=(9.6, 2.9), layout="constrained", sharey=True)
        for ax, (name, matrix) in zip(axes, matrices.items(), strict=True):
            _draw_matrix(ax, np.asarray(matrix), levels)
            ax.set_title(name, fontsize=10.5)
            ax.set_xlabel(f"{metric.symbol} = {values[name]:.3f}", fontsize=11.5, color=INK)
        axes[0].set_ylabel("truth")
        _save(figure, path)
    return ranking(metric, values)


def draw_panels(
    metric: oe.Metric,
    levels: Sequence[str],
    panels: dict[str, Any],
    values: dict[str, float],
    path: Path,
) -> str:
    """Four tables of items by raters side by side; the sentence that the picture shows."""
    with style():
        figure, axes = plt.subplots(1, 4, figsize=(9.6, 3.2), layout="constrained", sharey=True)
        for ax, (name, table) in zip(axes, panels.items(), strict=True):
            _draw_panel(ax, table, levels)
            ax.set_title(name, fontsize=10.5)
            ax.set_xlabel(f"{metric.symbol} = {values[name]:.3f}", fontsize=11.5, color=INK)
        axes[0].set_ylabel("patient")
        _save(figure, path)
    return ranking(metric, values)


def _draw_panel(ax: Any, table: Any, levels: Sequence[str]) -> None:
    codes = np.array([[np.nan if x is None else levels.index(x) for x in row] for row in table])
    ax.imshow(np.ma.masked_invalid(codes), cmap="Blues", vmin=-0.4, vmax=len(levels), aspect="auto")
    for (i, j), code in np.ndenumerate(codes):
        shown = "" if np.isnan(code) else levels[int(code)]
        ax.text(j, i, shown, ha="center", va="center", fontsize=9.5,
                color="white" if code > len(levels) / 2 else INK)  # fmt: skip
    ax.set_xticks(range(codes.shape[1]), [f"rater {j + 1}" for j in range(codes.shape[1])],
                  fontsize=8)  # fmt: skip
    ax.set_yticks(range(len(codes)), range(1, len(codes) + 1))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def ranking(metric: oe.Metric, values: dict[str, float]) -> str:
    """Which of them the measure takes for better, in words."""
    known = {name: float(metric.utility(v)) for name, v in values.items() if v == v}
    groups: list[list[str]] = []
    for name in sorted(known, key=lambda name: -known[name]):
        if groups and abs(known[groups[-1][0]] - known[name]) < _SAME:
            groups[-1].append(name)
        else:
            groups.append([name])
    undefined = [name for name in values if name not in known]
    last = f" Undefined for {_and(undefined)}." if undefined else ""
    if len(groups) == 1 and not undefined:
        return f"{metric.symbol} gives all four models the same value."
    order = ", then ".join(_and(group) for group in groups)
    return f"{metric.symbol} puts them in this order, best first: {order}.{last}"


def _and(names: list[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    return " and ".join(quoted) if len(quoted) < 3 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _draw_matrix(ax: Any, matrix: Any, levels: Sequence[str]) -> None:
    shares = matrix / matrix.sum(axis=1, keepdims=True)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (i, j), value in np.ndenumerate(matrix):
        colour = "white" if shares[i, j] > 0.55 else INK if value else SOFT
        ax.text(j, i, f"{value:g}", ha="center", va="center", fontsize=9.5, color=colour)
    ax.set_xticks(range(len(levels)), levels)
    ax.set_yticks(range(len(levels)), levels)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def draw_in_depth(
    metric: oe.Metric, cm: oe.ConfusionMatrix, folder: Path
) -> Iterator[tuple[str, str]]:
    """Pictures made for this very measure: what is seen on them, and their file."""
    if metric.name in ("oc_index", "oc_index_unnormalized"):
        display: Any = oe.plots.PathDisplay.from_confusion(cm, name="one step off")
        said = "The path that the index takes through the matrix of “one step off”."
    elif metric.name in ("uoc_index", "auoc"):
        display = oe.plots.UOCCurveDisplay.from_confusion({"one step off": cm})
        said = "UOC over all beta, and the area below it, for “one step off”."
    elif metric.name in ("cost_accuracy_distance", "misclassification_cost"):
        display = oe.plots.PerformanceGridDisplay.from_confusion({"one step off": cm})
        said = "The performance grid of George, Lu & Chang 2016, with “one step off”."
    else:
        return
    file = f"{metric.name}_in_depth.svg"
    _save(display.figure_, folder / file)
    yield said, file


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, metadata=_PLAIN)
    plt.close(figure)
