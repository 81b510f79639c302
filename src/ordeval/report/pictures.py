"""The pictures of a report, as SVG that takes its ink from the page."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass

from ordeval._optional import import_extra
from ordeval.confusion import ConfusionMatrix
from ordeval.plots import (
    ClassDistributionDisplay,
    ConfusionDisplay,
    CriticalDifferenceDisplay,
    DeltaDisplay,
    IntervalDisplay,
    PathDisplay,
    PerformanceGridDisplay,
    ProbabilityBestDisplay,
    RankAgreementDisplay,
    SignedErrorDisplay,
    UOCCurveDisplay,
)
from ordeval.plots._display import Display
from ordeval.plots._style import FAINT, INK, SOFT, style
from ordeval.results import Comparison

_DRAWN_TOGETHER = 8  # models; more of them hide each other
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
# What an inline picture takes from the page, so that it can be read in the dark.
_FROM_PAGE = {INK: "currentColor", SOFT: "var(--soft)", FAINT: "var(--faint)"}


@dataclass(frozen=True)
class Picture:
    """A picture with its words: a title above it, and a description for those who cannot see it."""

    name: str
    title: str
    svg: str
    description: str


def of_comparison(c: Comparison) -> tuple[Picture, ...]:
    """The pictures of all models together."""
    few = {name: c.matrices[name] for name in c.models[:_DRAWN_TOGETHER]}
    displays: dict[str, Display] = {"intervals": IntervalDisplay(c)}
    if len(c.models) > 1:
        displays["differences"] = DeltaDisplay(c)
        displays["best"] = ProbabilityBestDisplay(c)
    if len(c.models) > 2:
        displays["apart"] = CriticalDifferenceDisplay.of_comparison(c)
        if len(c.metrics) > 1:
            displays["agreement"] = RankAgreementDisplay(c)
    displays["grid"] = PerformanceGridDisplay(dict(c.matrices))
    displays["uoc"] = UOCCurveDisplay(few)
    displays["classes"] = ClassDistributionDisplay(few)
    return tuple(drawn(name, display) for name, display in displays.items())


def of_model(cm: ConfusionMatrix, number: int) -> tuple[Picture, ...]:
    """The pictures of one model, the so-and-so-many-th of the report."""
    displays: dict[str, Display] = {"matrix": ConfusionDisplay(cm)}
    if cm.k > 1:
        displays["path"] = PathDisplay(cm)
        displays["errors"] = SignedErrorDisplay(cm)
    return tuple(drawn(f"{kind}{number}", d) for kind, d in displays.items())


def drawn(name: str, display: Display) -> Picture:
    """A display as inline SVG; its identifiers carry the picture's name, so that none collide."""
    figure = import_extra("matplotlib.figure", extra="report", purpose="a report")
    matplotlib = import_extra("matplotlib", extra="report", purpose="a report")
    plain_text = {"svg.fonttype": "none"}
    with warnings.catch_warnings(), style(), matplotlib.rc_context(plain_text):
        # A letter that the font lacks is drawn by the reader's browser.
        warnings.filterwarnings("ignore", message="Glyph")
        fig = figure.Figure(figsize=display._size(), layout="constrained")
        display.plot(ax=fig.subplots(), title="")
        out = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        fig.savefig(out, format="svg", transparent=True, metadata=nothing)
    svg = _METADATA.sub("", _PROLOGUE.sub("", out.getvalue()))
    for colour, of_page in _FROM_PAGE.items():
        svg = svg.replace(colour, of_page)
    svg = _ID.sub(lambda m: f"{m[1]}{name}-", svg)
    return Picture(name, display.title(), svg, display.describe())
