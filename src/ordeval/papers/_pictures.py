"""The figures of the papers that no display of ``ordeval.plots`` draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Floats
from ordeval.papers._tables import Heading, tridiagonal
from ordeval.plots._display import Display
from ordeval.plots._style import BLUE, COLOURS, FAINT, MARKERS, ORANGE, SOFT, line_of

_MARKS: Final = 10  # about how many markers a curve carries


class NamedDisplay(Display):
    """A display whose title is given."""

    def __init__(self, name: str) -> None:
        self.name = name

    def title(self) -> str:
        """What is drawn."""
        return self.name


class CurvesDisplay(NamedDisplay):
    """Named curves over a common axis."""

    def __init__(
        self, name: str, x: Any, curves: Mapping[str, Any], *, xlabel: str, ylabel: str
    ) -> None:
        super().__init__(name)
        self.x = np.asarray(x, dtype=np.float64)
        self.curves: dict[str, Floats] = {k: np.asarray(v, float) for k, v in curves.items()}
        self.xlabel, self.ylabel = xlabel, ylabel

    @classmethod
    def of_tridiagonal(cls, columns: Iterable[Heading], ylabel: str) -> CurvesDisplay:
        """Measures of tridiagonal matrices, over the number of classes."""
        ks = range(2, 41)
        curves = {c.heading: [c.of(tridiagonal(k)) for k in ks] for c in columns}
        return cls("Tridiagonal matrices", ks, curves, xlabel="number of classes K", ylabel=ylabel)

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


class SizesDisplay(NamedDisplay):
    """Items of each class."""

    size = (4.2, 2.8)

    def __init__(self, name: str, levels: Sequence[Any], sizes: Sequence[int]) -> None:
        super().__init__(name)
        self.levels, self.sizes = [str(x) for x in levels], list(map(int, sizes))

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


class PointsDisplay(SizesDisplay):
    """Items in a plane, with a colour and a marker for each class."""

    size = (4.8, 4.6)

    def __init__(self, name: str, data: Any, target: Any) -> None:
        self.data, self.target = np.asarray(data), np.asarray(target)
        levels, sizes = np.unique(self.target, return_counts=True)
        super().__init__(name, levels.tolist(), sizes.tolist())

    def _draw(self, ax: Any) -> None:
        for i, level in enumerate(np.unique(self.target).tolist()):
            look = {"marker": MARKERS[i], "color": COLOURS[i], "markersize": 5}
            x, y = self.data[self.target == level].T
            ax.plot(x, y, linestyle="none", label=f"class {level}", **look)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="x₁", ylabel="x₂")
        ax.set_aspect("equal")
        ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))


class SpreadDisplay(NamedDisplay):
    """Printed values, each on the distribution of those computed."""

    def __init__(
        self, name: str, draws: Mapping[str, Floats], printed: Mapping[str, float]
    ) -> None:
        super().__init__(name)
        self.draws, self.printed = dict(draws), dict(printed)

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


class PairSetsDisplay(NamedDisplay):
    """Two sets of pairs as circles that overlap."""

    size = (4.6, 3.0)

    def __init__(
        self, first: frozenset[tuple[int, int]], second: frozenset[tuple[int, int]]
    ) -> None:
        super().__init__("S₁ and S₂")
        self.parts = [sorted(first - second), sorted(first & second), sorted(second - first)]

    def describe(self) -> str:
        """The elements of each part."""
        listed = zip(("S1 only", "both", "S2 only"), self.parts, strict=True)
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
