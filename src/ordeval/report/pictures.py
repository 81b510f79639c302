"""The pictures of a report, as SVG that takes its ink from the page, the same in every run."""

import io
import re
import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval.data.confusion import ConfusionMatrix
from ordeval.plots import (
    CalibrationDisplay,
    ClassDistributionDisplay,
    ConfusionDisplay,
    DeltaDisplay,
    IntervalDisplay,
    PathDisplay,
    PerformanceGridDisplay,
    RankAgreementDisplay,
    RPSDecompositionDisplay,
    SignedErrorDisplay,
    UOCCurveDisplay,
)
from ordeval.plots._display import Display
from ordeval.plots._panels import ThresholdPanels
from ordeval.plots._style import FAINT, INK, PAGE, SOFT, style
from ordeval.results.calibration import Calibration
from ordeval.results.comparison import Comparison

_DRAWN_TOGETHER = 8  # models; more of them would hide each other
_NARROW = 3.7  # inches, at 96 pixels each
_ACROSS = 0.1  # of the spread along the main direction
_ID = re.compile(r'(\bid="|url\(#|href="#)([^")]+)')
_TAG = re.compile(r"<[^>]*>")
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
# Nothing that names people or dates; the page has the one rule of style that every picture brings.
_METADATA = re.compile(r"\s*<(metadata|style)\b.*?</\1>", re.DOTALL)
# What an inline picture takes from the page, so that it can be read in the dark.
_FROM_PAGE = {INK: "currentColor", SOFT: "var(--soft)", FAINT: "var(--faint)", PAGE: "var(--page)"}


class Drawing:
    """What a picture shows, drawn when it is first asked for and kept."""

    def __init__(self, name: str, display: Display) -> None:
        self.name, self.display = name, display

    @cached_property
    def svg(self) -> str:
        """The drawing as inline SVG."""
        return _svg(self.name, self.display)


@dataclass(frozen=True)
class Picture:
    """A picture with its words: a title above it, and a description for those who cannot see it."""

    name: str
    title: str
    description: str
    exhibit: bool = False  # the page shows the same as an exhibit; documents show the picture
    drawing: Drawing | None = field(default=None, repr=False, compare=False)

    @property
    def svg(self) -> str:
        """The picture as inline SVG."""
        assert self.drawing is not None
        return self.drawing.svg

    @property
    def wide(self) -> bool:
        """Whether it has panels side by side, which need the width of the page."""
        display = None if self.drawing is None else self.drawing.display
        return isinstance(display, ThresholdPanels) and len(display.positions) > 1


def of_comparison(c: Comparison) -> tuple[Picture, ...]:
    """The pictures of all models together."""
    few = {name: c.matrices[name] for name in c.models[:_DRAWN_TOGETHER] if name in c.matrices}
    displays: dict[str, Display] = {"intervals": IntervalDisplay(c)}
    if len(c.models) > 1:
        displays["differences"] = DeltaDisplay(c)
    exhibits = set(displays)
    # A measure without a better direction, such as a bias, ranks otherwise by its nature.
    ranking = [i for i, m in enumerate(c.metrics) if m.greater_is_better is not None]
    apart = c.rank_agreement[np.ix_(ranking, ranking)]
    if len(c.models) > 2 and (apart < 1 - 1e-12).any():
        displays["agreement"] = RankAgreementDisplay(c)
    together: dict[str, Display] = {}
    if few:
        grid = PerformanceGridDisplay({m: c.matrices[m] for m in c.models if m in c.matrices})
        if _spread(grid.accuracy, grid.cost):
            displays["grid"] = grid
        together = {"uoc": UOCCurveDisplay(few), "classes": ClassDistributionDisplay(few)}
    part = f" (the best {len(few)} of {len(c.models)} models)" if len(few) < len(c.models) else ""
    return (
        *(drawn(n, display, exhibit=n in exhibits) for n, display in displays.items()),
        *(drawn(name, display, part) for name, display in together.items()),
    )


def _spread(x: Any, y: Any) -> bool:
    """Whether points are spread in two directions, so that a picture says more than a list."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() < 2:
        return False
    centred = np.column_stack([x[known] - x[known].mean(), y[known] - y[known].mean()])
    along, across = np.linalg.svd(centred, compute_uv=False)
    return bool(across > _ACROSS * along)


def of_model(
    cm: ConfusionMatrix, name: str, number: int, parts: Calibration | None = None
) -> tuple[Picture, ...]:
    """The pictures of one model; ``number`` tells their names from those of the other models."""
    displays: dict[str, Display] = {"matrix": ConfusionDisplay(cm)}
    if cm.k > 1:
        displays["path"] = PathDisplay(cm)
        displays["errors"] = SignedErrorDisplay(cm)
    if parts is not None:
        displays["rps"] = RPSDecompositionDisplay(parts)
        displays["calibration"] = CalibrationDisplay(parts)
    made = [drawn(f"{k}{number}", d, exhibit=k == "matrix") for k, d in displays.items()]
    return tuple(replace(p, description=f"{name}: {p.description}") for p in made)


def drawn(name: str, display: Display, part: str = "", *, exhibit: bool = False) -> Picture:
    """A display as a picture with its words."""
    title, words = display.title() + part, display.describe()
    return Picture(name, title, words, exhibit, Drawing(name, display))


def _svg(name: str, display: Display) -> str:
    """A display as inline SVG; its identifiers carry the picture's name, so that none collide.

    They are numbers, since Matplotlib makes them of chance and of places in memory.
    """
    plain_text = {"svg.fonttype": "none"}
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    options = {"format": "svg", "transparent": True, "metadata": nothing}
    try:
        made = _saved(display, _narrow(display), plain_text, **options)
    except UserWarning:  # long names leave no room for the picture
        width, height = display._size()
        made = _saved(display, (1.5 * width, height), plain_text, **options)
    svg = _METADATA.sub("", _PROLOGUE.sub("", made.decode()))
    places: dict[str, str] = {}
    return _TAG.sub(lambda tag: _of_the_page(tag[0], name, places), svg)


def _narrow(display: Display) -> tuple[float, float]:
    """A size that fits a telephone and a third of the page; panels side by side stay wide."""
    width, height = display._size()
    if isinstance(display, ThresholdPanels) or width <= _NARROW:
        return width, height
    # Rows keep their height; what is about square stays so.
    return _NARROW, height if height < 0.7 * width else height * _NARROW / width


def as_png(picture: Picture) -> bytes:
    """A picture for documents that take no SVG."""
    assert picture.drawing is not None
    display = picture.drawing.display
    return _saved(display, display._size(), {}, format="png", dpi=200, metadata={"Software": None})


def _saved(
    display: Display, size: tuple[float, float], settings: dict[str, Any], **options: Any
) -> bytes:
    """The bytes of a display that is drawn on a figure of its own."""
    figure = import_extra("matplotlib.figure", extra="report", purpose="a report")
    # Filters of warnings belong to the whole process too: one thread at a time sets them.
    with style(settings), warnings.catch_warnings():
        # A letter that the font lacks is drawn by the reader's browser.
        warnings.filterwarnings("ignore", message="Glyph")
        warnings.filterwarnings("error", message="constrained_layout not applied")
        fig = figure.Figure(figsize=size, layout="constrained")
        display.plot(ax=fig.subplots(), title="")
        out = io.BytesIO()
        fig.savefig(out, **options)
    return out.getvalue()


def _of_the_page(tag: str, name: str, places: dict[str, str]) -> str:
    """A tag with colours of the page and identifiers of its own; text between tags stays."""
    for colour, of_page in _FROM_PAGE.items():
        tag = tag.replace(colour, of_page)
    return _ID.sub(lambda m: m[1] + places.setdefault(m[2], f"{name}-{len(places) + 1}"), tag)
