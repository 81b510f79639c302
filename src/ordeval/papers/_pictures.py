"""The figures of the papers that no display of ``ordeval.plots`` draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval.plots._display import Display
from ordeval.plots._style import BLUE, COLOURS, FAINT, MARKERS, ORANGE, SOFT, line_of

Floats = NDArray[np.float64]
_MARKS = 10  # a curve carries about so many markers


class CurvesDisplay(Display):
    """Named curves over a common axis."""

    def __init__(
        self, name: str, x: Sequence[float], curves: Mapping[str, Any], xlabel: str, ylabel: str
    ) -> None:
        self.name, self.x = name, np.asarray(x, dtype=np.float64)
        self.curves: dict[str, Floats] = {k: np.asarray(v, float) for k, v in curves.items()}
        self.xlabel, self.ylabel = xlabel, ylabel

    def title(self) -> str:
        """What is drawn."""
        return self.name

    def describe(self) -> str:
        """Where each curve begins and ends."""
        ends = "; ".join(f"{k} from {v[0]:.2f} to {v[-1]:.2f}" for k, v in self.curves.items())
        return f"{self.name}. Curves over {self.xlabel}: {ends}."

    def _draw(self, ax: Any) -> None:
        every = max(1, len(self.x) // _MARKS)
        for i, (name, y) in enumerate(self.curves.items()):
            ax.plot(self.x, y, label=name, markevery=every, **line_of(i))
        ax.set(xlabel=self.xlabel, ylabel=self.ylabel)
        ax.grid(axis="y", color=FAINT, linewidth=0.6)
        ax.legend(fontsize=8)


class PointsDisplay(Display):
    """Items in a plane, a colour and a marker a class."""

    size = (4.8, 4.6)

    def __init__(self, name: str, data: Any, target: Any) -> None:
        self.name, self.data, self.target = name, np.asarray(data), np.asarray(target)

    def title(self) -> str:
        """What is drawn."""
        return self.name

    def describe(self) -> str:
        """How many items each class has."""
        classes, sizes = np.unique(self.target, return_counts=True)
        pairs = zip(classes.tolist(), sizes.tolist(), strict=True)
        return f"{self.name}. Items by class: {', '.join(f'{c}: {n}' for c, n in pairs)}."

    def _draw(self, ax: Any) -> None:
        for i, level in enumerate(np.unique(self.target).tolist()):
            x, y = self.data[self.target == level].T
            ax.plot(
                x, y, linestyle="none", marker=MARKERS[i], color=COLOURS[i], markersize=5,
                label=f"class {level}",
            )  # fmt: skip
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="x₁", ylabel="x₂")
        ax.set_aspect("equal")
        ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))


class SizesDisplay(Display):
    """Items of each class."""

    size = (4.2, 2.8)

    def __init__(self, name: str, levels: Sequence[Any], sizes: Sequence[int]) -> None:
        self.name, self.levels, self.sizes = name, [str(x) for x in levels], list(map(int, sizes))

    def title(self) -> str:
        """What is drawn."""
        return self.name

    def describe(self) -> str:
        """The sizes."""
        pairs = zip(self.levels, self.sizes, strict=True)
        return f"{self.name}. Items by class: {', '.join(f'{c}: {n}' for c, n in pairs)}."

    def _draw(self, ax: Any) -> None:
        ax.bar(self.levels, self.sizes, color=BLUE, width=0.7)
        for i, n in enumerate(self.sizes):
            ax.text(i, n, str(n), ha="center", va="bottom", fontsize=8)
        ax.set(xlabel="class", ylabel="items")
        ax.tick_params(axis="x", length=0)


class SpreadDisplay(Display):
    """Printed values, each on the distribution that recomputes."""

    def __init__(
        self, name: str, draws: Mapping[str, Floats], printed: Mapping[str, float]
    ) -> None:
        self.name, self.draws, self.printed = name, dict(draws), dict(printed)

    def title(self) -> str:
        """What is drawn."""
        return self.name

    def describe(self) -> str:
        """The range of each distribution and what is printed."""
        shown = "; ".join(
            f"{k} {v.min():.2f} to {v.max():.2f}, printed {self.printed[k]:.2f}"
            for k, v in self.draws.items()
        )
        return f"{self.name}. {shown}."

    def _size(self) -> tuple[float, float]:
        return 5.6, 1.1 + 0.32 * len(self.draws)

    def _draw(self, ax: Any) -> None:
        for i, (name, v) in enumerate(self.draws.items()):
            ax.plot([v.min(), v.max()], [i, i], color=SOFT, linewidth=1.2, zorder=1)
            ax.plot(v, np.full(len(v), i), "o", color=BLUE, alpha=0.35, markersize=4, zorder=2)
            mark = ax.plot(self.printed[name], i, "D", color=ORANGE, markersize=6, zorder=3)
        mark[0].set_label("printed")
        ax.set_yticks(range(len(self.draws)), list(self.draws))
        ax.set_ylim(len(self.draws) - 0.5, -0.5)
        ax.legend(fontsize=8)


class PairSetsDisplay(Display):
    """Two sets of pairs as circles that overlap."""

    size = (4.6, 3.0)

    def __init__(
        self, first: frozenset[tuple[int, int]], second: frozenset[tuple[int, int]]
    ) -> None:
        self.parts = [sorted(first - second), sorted(first & second), sorted(second - first)]

    def title(self) -> str:
        """What is drawn."""
        return "S₁ and S₂"

    def describe(self) -> str:
        """The elements of each part."""
        names = ("S1 only", "both", "S2 only")
        listed = zip(names, self.parts, strict=True)
        return "Sets of pairs: " + "; ".join(f"{n} {_pairs(p, ' ')}" for n, p in listed) + "."

    def _draw(self, ax: Any) -> None:
        patches = import_extra("matplotlib.patches", extra="plots", purpose="drawing")
        for x, colour in ((-0.55, BLUE), (0.55, ORANGE)):
            ax.add_patch(patches.Circle((x, 0), 1, facecolor=colour, alpha=0.16, edgecolor=colour))
        for x, part in zip((-1.0, 0.0, 1.0), self.parts, strict=True):
            ax.text(x, 0, _pairs(part, "\n"), ha="center", va="center")
        ax.text(-1.35, 0.85, "S₁", ha="center")
        ax.text(1.35, 0.85, "S₂", ha="center")
        ax.set(xlim=(-1.7, 1.7), ylim=(-1.1, 1.1))
        ax.set_aspect("equal")
        ax.set_axis_off()


def _pairs(pairs: list[tuple[int, int]], between: str) -> str:
    return between.join(f"(o{i}, o{j})" for i, j in pairs)
