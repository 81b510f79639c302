"""One look for all pictures: safe for the colour-blind, readable in grey, calm.

Colours are Okabe and Ito's. Lines differ in dash and marker too, and cells carry their number, so
that nothing rests on colour alone. Names are drawn as they are: never as mathematics or LaTeX.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import shown
from ordeval._shared.extras import import_extra
from ordeval._shared.text import visible
from ordeval.exceptions import ParameterError

INK: Final = "#1b1f24"
SOFT: Final = "#6b7280"
FAINT: Final = "#d7dbe0"
BLUE: Final = "#0072b2"
ORANGE: Final = "#d55e00"
COLOURS: Final = (BLUE, ORANGE, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#4d4d4d")
DASHES: Final = ("-", "--", "-.", ":")
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
PAGE: Final = "#fefefe"  # the background of a picture
# Text that lies on a coloured cell, which stays as it is when the ink of a page changes.
ON_DARK: Final = "#ffffff"
ON_LIGHT: Final = "#0b0d10"

_RC: Final = {
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "font.size": 9.5,
    "legend.frameon": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.usetex": False,
}
_DRAWING: Final = threading.RLock()


@contextmanager
def style(more: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Draw in the common look; settings of the caller come back afterwards.

    Matplotlib's settings belong to the whole process, so one thread draws at a time. Only what was
    set here is set back: ``rc_context`` would also undo what other threads set meanwhile.
    """
    matplotlib = import_extra("matplotlib", extra="plots", purpose="drawing")
    wanted = {**_RC, **(more or {})}
    with _DRAWING:
        before = {name: matplotlib.rcParams[name] for name in wanted}
        try:
            matplotlib.rcParams.update(wanted)
            yield
        finally:
            matplotlib.rcParams.update(before)


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """The given axes, or those of a new figure."""
    if ax is not None:
        if not all(hasattr(ax, part) for part in ("figure", "findobj", "get_position")):
            raise ParameterError(f"ax must be matplotlib axes; got {shown(ax)}.")
        return ax
    pyplot = import_extra("matplotlib.pyplot", extra="plots", purpose="drawing")
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def short(text: Any, limit: int = 24) -> str:
    """A name on one line, not too long."""
    shown = " ".join(visible(text).split())
    if len(shown) > limit:
        # Names of a family often differ at the end.
        shown = f"{shown[: limit - limit // 3 - 1]}…{shown[-(limit // 3) :]}"
    return shown


def literal(text: str) -> str:
    """Text that is drawn as it is: a dollar is a dollar and begins no mathematics."""
    return text.replace("$", r"\$")


def plain(text: Any, limit: int = 24) -> str:
    """A name as it can be drawn."""
    return literal(short(text, limit))


def entry(text: str) -> str:
    """A line of a legend, which leaves out those that begin with an underscore."""
    return f" {text}" if text.startswith("_") else text


def without_tex(ax: Any) -> None:
    """No LaTeX for the text of these axes, whatever the settings: it would obey names."""
    text = import_extra("matplotlib.text", extra="plots", purpose="drawing")
    for drawn in ax.findobj(text.Text):
        drawn.set_usetex(False)


def plain_all(names: Sequence[Any], limit: int = 24) -> list[str]:
    """Names as they can be drawn."""
    return [plain(n, limit) for n in names]


def mark_of(i: int) -> dict[str, Any]:
    """Colour and marker of the i-th of several points; 64 of them differ."""
    turn = i // len(MARKERS)
    return {"color": COLOURS[(i + turn) % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}


def line_of(i: int) -> dict[str, Any]:
    """Colour, dash and marker of the i-th of several lines."""
    return {
        **mark_of(i),
        "linestyle": DASHES[(i // len(COLOURS) + i) % len(DASHES)],
        "markersize": 4.5,
        "linewidth": 1.8,
    }


def level_ticks(axis: Any, levels: Sequence[Any], most: int = 20, limit: int = 14) -> None:
    """Ticks at the levels, or at some of them if there are many."""
    step = -(-len(levels) // most)
    places = list(range(0, len(levels), step))
    names = [plain(levels[i], limit) for i in places]
    long = axis.axis_name == "x" and max(map(len, names)) * len(names) > 36
    axis.set_ticks(
        places,
        names,
        rotation=45 if long else 0,
        ha="right" if long or axis.axis_name == "y" else "center",
        rotation_mode="anchor" if long else "default",
    )
    axis.set_tick_params(length=0)


def percent_ticks(axis: Any) -> None:
    """Percents along an axis, with as many decimals as its ticks have."""

    def shown(value: float, _: Any) -> str:
        ticks = 100 * np.asarray(axis.get_majorticklocs())
        digits = [d for d in range(4) if np.allclose(ticks, ticks.round(d), rtol=0, atol=1e-6)]
        return f"{value:.{min(digits, default=4)}%}"

    axis.set_major_formatter(shown)


def without_frame(ax: Any, *sides: str) -> None:
    """No lines at some sides of the axes, or at all of them."""
    for side, spine in ax.spines.items():
        if side in sides or not sides:
            spine.set_visible(False)


def lines_behind(ax: Any, axis: str = "both") -> None:
    """Faint lines that lead the eye to the numbers of an axis."""
    ax.grid(axis=axis, color=FAINT, linewidth=0.6)


def row_names(ax: Any, names: Sequence[str]) -> None:
    """One row for each name, from the top."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    without_frame(ax, "left")


def estimate(
    ax: Any, row: int, found: tuple[float, float, float], colour: str, *, sure: bool
) -> None:
    """A value with the ends of its interval in a row; filled if something is shown by it."""
    value, low, high = found
    ax.hlines(row, low, high, color=colour, linewidth=2)
    inside = colour if sure else PAGE
    ax.plot(value, row, "o" if sure else "s", color=colour, markersize=6.5, markerfacecolor=inside)


def write_cells(
    ax: Any, values: Any, show: Callable[[int, int], str], ink: Callable[[float], str], size: float
) -> None:
    """A text in the middle of each cell, in an ink that fits its value."""
    for (i, j), value in np.ndenumerate(values):
        ax.text(j, i, show(i, j), ha="center", va="center", fontsize=size, color=ink(value))


def bars(ax: Any, names: Sequence[str], values: Sequence[float], form: str, size: float) -> None:
    """Bars from the left, one below the other, each with its value."""
    ax.barh(range(len(names)), values, color=BLUE, height=0.65)
    for i, value in enumerate(values):
        ax.text(max(value, 0) + 0.01, i, f"{value:{form}}", va="center", fontsize=size)
    row_names(ax, names)


def legend_under(ax: Any, down: float, ncols: int, **more: Any) -> None:
    """A legend in the middle under the axes, so far down."""
    anchor = (0.5, -down)
    ax.legend(loc="upper center", bbox_to_anchor=anchor, ncols=ncols, fontsize=8, **more)


def legend_below(ax: Any, rows: float, ncols: int) -> None:
    """A legend under the label of the axis, however many rows there are above."""
    # Flush right, since there is room below the names of the rows.
    ax.legend(
        loc="upper right",
        bbox_to_anchor=(1, -0.55 / (0.5 + 0.3 * max(rows, 4))),
        ncols=ncols,
        fontsize=8,
        columnspacing=1.4,
        handletextpad=0.6,
    )


def ink_on(shade: float) -> str:
    """The colour of text that can be read on a cell of this shade, from 0 to 1."""
    return ON_DARK if shade > 0.55 else ON_LIGHT  # NaN is drawn as white


def count_text(count: Any) -> str:
    """A number of items, or a weight, that fits in a cell."""
    return f"{count:.4g}" if count.dtype.kind == "f" else f"{count:,}"
