"""What a decision needs to know: every cut of the scale, calibration and net benefit."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import bracketed, capital, joined, named, number, p_value, plural, signed
from ordeval.data.items import Items
from ordeval.evaluate._observed import of_some
from ordeval.evaluate.probabilities import calibrations_of, decision_curve_of
from ordeval.evaluate.thresholds import cut_differences, of_items
from ordeval.inference.forecasts.recalibration import Coefficient
from ordeval.inference.intervals import Estimation
from ordeval.measures.parts.cut_levels import LevelOnScale, level_above
from ordeval.plots import CalibrationDisplay, DecisionCurveDisplay
from ordeval.report.exhibits import in_words
from ordeval.report.nouns import Nouns
from ordeval.report.pictures import Picture, drawn
from ordeval.results.calibration import Calibration
from ordeval.results.comparison import Comparison
from ordeval.results.decision_curve import DecisionCurve
from ordeval.results.phrases import estimate_cell, percent
from ordeval.results.thresholds import CutDifference, ModelThresholds, Thresholds

_ALL_CUTS: Final = 4  # of which all are shown at once
_MODELS: Final = 5
_CALIBRATED: Final = 200_000  # items; the band of more takes long, and would be a line
_DECISIONS: Final = (0.1, 0.2, 0.3)  # the probabilities of the table of net benefit
_HEADINGS: Final = {
    "prevalence": "prevalence",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "PPV",
    "npv": "NPV",
    "auc": "AUC",
}


@dataclass(frozen=True)
class CutExhibit:
    """A title that says the finding, how to read what follows, a table and pictures."""

    title: str
    lead: str
    table: Table  # its first column is the cut
    pictures: tuple[Picture, ...] = ()
    of_cut: tuple[str, ...] = ()  # the columns that are alike in all rows of a cut

    @property
    def columns(self) -> list[str]:
        """The headings of the columns of a row below its cut."""
        return [h for h in self.table.head[1:] if h not in self.of_cut]

    def groups(self) -> Iterator[tuple[str, str, list[list[Cell]]]]:
        """Each cut, what is alike in its rows, and the rest of its rows."""
        head = self.table.head
        for cut, found in itertools.groupby(self.table.rows, key=lambda row: row[0].text):
            rows = list(found)
            pairs = zip(head, rows[0], strict=True)
            about = [f"{h} {x.text} {x.remark}".strip() for h, x in pairs if h in self.of_cut]
            kept = [
                [x for h, x in zip(head[1:], row[1:], strict=True) if h not in self.of_cut]
                for row in rows
            ]
            yield cut, ", ".join(about), kept


@dataclass(frozen=True)
class Clinical:
    """The models at the cuts of the scale, for those who act on them."""

    cuts: CutExhibit
    every_cut: Table | None  # if not all cuts are shown at once
    differences: tuple[Table, ...]
    calibration: CutExhibit | None
    benefit: CutExhibit | None
    records: Mapping[str, Sequence[Mapping[str, Any]]]  # the numbers behind tables and pictures

    def exhibits(self) -> Iterator[CutExhibit]:
        """Each table that is shown at once, with its title."""
        yield from (x for x in (self.cuts, self.calibration, self.benefit) if x is not None)

    def more(self) -> Iterator[Table]:
        """The tables that the page collapses."""
        yield from self.differences
        yield from () if self.every_cut is None else (self.every_cut,)

    def tables(self) -> Iterator[Table]:
        """All tables, those without a caption below their title."""
        yield from (replace(x.table, caption=x.title) for x in self.exhibits())
        yield from self.more()


@dataclass(frozen=True, eq=False)
class AtCuts:
    """What was computed at the cuts of the scale, for the best models."""

    models: tuple[str, ...]  # best first
    shown: tuple[int, ...]  # the cuts to show at once, as positions from 0
    events: tuple[int, ...]  # those that were named
    rule: str  # how probabilities became labels; empty if none did
    thresholds: Mapping[str, Thresholds]
    differences: tuple[CutDifference, ...]
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    curve: DecisionCurve | None = None


def at_cuts(c: Comparison, at_least: Any = None) -> AtCuts | None:
    """Compute what a decision needs, if models give probabilities or an event is named.

    Parameters
    ----------
    c
        The comparison.
    at_least
        The lowest level of the event; the measures of ``c`` may name more.

    Returns
    -------
    AtCuts or None
        The values of all cuts; None if not requested, or if some true classes are unknown.

    Raises
    ------
    ParameterError
        If ``at_least`` is no level of the scale, or the lowest.
    """
    bound = [m.bound["at_least"] for m in c.metrics if "at_least" in m.bound]
    found_on = [x if isinstance(x, LevelOnScale) else level_above(x, c.scale) for x in bound]
    if at_least is not None:
        found_on.append(level_above(at_least, c.scale, named("at_least")))
    events = {x.position - 1 for x in found_on}
    if c.on is None or c.scale.k < 2:
        return None
    items = c.on.items
    unknown = (items.shares, items.losses, items.strata, items.partial)
    if not (events or items.prob) or any(x is not None for x in unknown):
        return None
    models = c.models[:_MODELS]
    if c.reference is not None and c.reference not in models:
        models = (*models[:-1], c.reference)
    items, clusters, how = _of_models(items, models), c.on.clusters, Estimation(level=c.level)
    found = {m: of_items(of_some(items, [m]), clusters, how) for m in models}
    shown = tuple(sorted(events)) or _to_show(found[models[0]])
    forecasts = of_some(items, list(items.prob))
    return AtCuts(
        models=models,
        shown=shown,
        events=tuple(sorted(events)),
        rule=c.on.rule if items.prob and items.y_pred else "",
        thresholds=found,
        differences=cut_differences(items, clusters, how, cuts=shown),
        calibrations=calibrations_of(forecasts, clusters, c.level)
        if items.prob and c.items <= _CALIBRATED
        else {},
        curve=decision_curve_of(forecasts, clusters, c.level) if items.prob else None,
    )


def _of_models(items: Items, models: Sequence[str]) -> Items:
    """The items with the outputs of some of the models, in the order of these."""
    return replace(
        items,
        y_pred={m: items.y_pred[m] for m in models if m in items.y_pred},
        prob={m: items.prob[m] for m in models if m in items.prob},
        score={m: items.score[m] for m in models if m in items.score},
    )


def _to_show(found: Thresholds) -> tuple[int, ...]:
    """All cuts if they are few, else the one that divides the items most evenly."""
    if len(found.cuts) <= _ALL_CUTS:
        return tuple(range(len(found.cuts)))
    shares = [abs(cut["prevalence"].estimate - 0.5) for cut in found.cuts]
    return (shares.index(min(shares)),)


def clinical_of(found: AtCuts, c: Comparison, nouns: Nouns) -> Clinical:
    """Turn what was computed at the cuts into tables, pictures and titles.

    Parameters
    ----------
    found
        What ``at_cuts`` computed.
    c
        The comparison.
    nouns
        What items and levels are called.

    Returns
    -------
    Clinical
        The facts that every rendering shows.
    """
    some = len(found.shown) < len(c.scale.levels) - 1
    return Clinical(
        cuts=CutExhibit(
            _cuts_title(found),
            _cuts_lead(found, c, nouns),
            _cut_table(found),
            of_cut=("prevalence",),
        ),
        every_cut=_cut_table(found, every=True) if some else None,
        differences=tuple(_difference_tables(found, c)),
        calibration=_calibration(found, c, nouns) if found.calibrations else None,
        benefit=_benefit(found, found.curve) if found.curve is not None else None,
        records=_records(found),
    )


def _level(found: AtCuts, cut: int) -> Any:
    return found.thresholds[found.models[0]].cuts[cut].level


def _event(found: AtCuts, cut: int) -> str:
    return f"≥ {_level(found, cut)}"


def _cut_table(found: AtCuts, *, every: bool = False) -> Table:
    """One row for each cut and model."""
    names = list(dict.fromkeys(n for m in found.models for n in found.thresholds[m].measures))
    names.sort(key=list(_HEADINGS).index)
    places = range(len(found.thresholds[found.models[0]].cuts)) if every else found.shown
    rows = tuple(
        (
            Cell(_event(found, t)),
            Cell(m),
            *(estimate_cell(cut.intervals[n]) if n in cut.intervals else Cell("—") for n in names),
        )
        for t in places
        for m in found.models
        for cut in [found.thresholds[m].cuts[t]]
    )
    head = ("cut", "model", *(_HEADINGS[n] for n in names))
    return Table(head, rows, "Every cut" if every else "", (), ("model",), named_by=2)


def _cuts_title(found: AtCuts) -> str:
    """What the best model finds at the cut that matters, or which model ranks items best."""
    first, cuts = found.models[0], found.shown
    areas = {
        m: [found.thresholds[m].cuts[t].intervals["auc"].estimate for t in cuts]
        for m in found.models
        if "auc" in found.thresholds[m].measures
    }
    if len(cuts) == 1:
        values = found.thresholds[first].cuts[cuts[0]].intervals
        if "sensitivity" in values:
            pair = [number(values[n].estimate, 2) for n in ("sensitivity", "specificity")]
            words = f"{first} has sensitivity {pair[0]} and specificity {pair[1]}"
            return f"At {_event(found, cuts[0])}, {words}"
        return f"At {_event(found, cuts[0])}, {first} has AUC {number(areas[first][0], 2)}"
    if len(areas) > 1:
        top = [max(areas, key=lambda m: areas[m][i]) for i in range(len(cuts))]
        best = max(areas, key=top.count)
        of_cuts = f"all {in_words(len(cuts))}" if set(top) == {best} else ""
        of_cuts = of_cuts or f"{in_words(top.count(best))} of {in_words(len(cuts))}"
        return f"{best} has the highest AUC at {of_cuts} cuts"
    model = next(iter(areas), first)
    what = "auc" if areas else "sensitivity"
    each = [found.thresholds[model].cuts[t].intervals[what].estimate for t in cuts]
    name = "an AUC" if areas else "a sensitivity"
    ends = f"{number(min(each), 2)} to {number(max(each), 2)}"
    return f"{model} has {name} of {ends} at the {in_words(len(cuts))} cuts"


def _cuts_lead(found: AtCuts, c: Comparison, nouns: Nouns) -> str:
    """What is positive, how labels were found, and on which items."""
    said = ["Positive: at or above the cut. PPV and NPV depend on the prevalence."]
    if any("auc" not in found.thresholds[m].measures for m in found.models):
        said.append("AUC needs probabilities or scores.")
    if found.rule:
        said.append(f"Labels from probabilities: {found.rule}.")
    dropped = f"; {c.left_out:,} dropped" if c.left_out else ""
    together = "All models on the same" if len(found.models) > 1 else "On"
    said.append(f"{together} {nouns.count(c.items)}{dropped}. {percent(c.level)} CIs.")
    if len(found.models) < len(c.models):
        said.append(f"{len(found.models)} of {len(c.models)} models.")
    if not found.events and len(found.shown) < c.scale.k - 1:
        said.append(f"Name the cut that matters with {named('at_least')}.")
    return " ".join(said)


def _difference_tables(found: AtCuts, c: Comparison) -> Iterator[Table]:
    """Paired differences at the cuts, and of net benefit."""
    note = (
        f"Paired differences on the same items, {percent(c.level)} CIs, each by itself. An "
        f"interval that excludes 0 is a significant difference."
    )
    if found.differences:
        table = ModelThresholds({}, found.differences).difference_table()
        caption, words = "Differences at the cuts", ("difference",)
        yield replace(table, caption=caption, notes=(note,), words=words, named_by=2)
    if found.curve is not None and found.curve.differences:
        rows = tuple(
            cells(
                f"{_event(found, t)}, {percent(p)}",
                f"{a} − {b}",
                Cell(signed(gap.mean.value[i]), _ends(gap.mean, i)),
                p_value(float(gap.p_value[i])),
            )
            for t in found.shown
            for i, p in _decisions(found.curve)
            for (a, b), gaps in found.curve.differences.items()
            for gap in [gaps[t]]
        )
        head = ("decision", "difference", "net benefit", "p")
        caption = "Differences in net benefit"
        yield Table(head, rows, caption, (note,), ("difference",), named_by=2)


def _ends(mean: Any, i: int) -> str:
    return bracketed(mean.low[i], mean.high[i], signed)


def _decisions(curve: DecisionCurve) -> list[tuple[int, float]]:
    """The decision probabilities of the tables, and their places."""
    held = [round(float(p), 6) for p in curve.probabilities]
    return [(held.index(p), p) for p in _DECISIONS]


def _calibration(found: AtCuts, c: Comparison, nouns: Nouns) -> CutExhibit:
    """Intercept and slope of each model at each cut."""
    rows = tuple(
        cells(
            _event(found, t),
            model,
            number(x.share),
            number(x.mean),
            *(Cell(number(k.value), bracketed(k.low, k.high)) for k in (x.intercept, x.slope)),
        )
        for t in found.shown
        for model, parts in found.calibrations.items()
        for x in [parts.thresholds[t]]
    )
    model, parts = next(iter(found.calibrations.items()))
    at = [parts.thresholds[t] for t in found.shown]
    wrong = sum(_off(x.intercept, 0) or _off(x.slope, 1) for x in at)
    where = _event(found, found.shown[0])
    if len(at) > 1:
        some = f"{wrong} of {in_words(len(at))}"
        where = f"{f'all {in_words(len(at))}' if wrong == len(at) else some} cuts"
    title = f"No significant miscalibration of {model}"
    if any(x.intercept.value != x.intercept.value for x in at):
        title = f"Calibration of {joined(list(found.calibrations), most=3)}"
    elif wrong:
        title = f"{model} is miscalibrated at {where}"
        if all(x.intercept.high < 0 for x in at):
            title = f"The probabilities of {model} are too high"
        elif all(x.intercept.low > 0 for x in at):
            title = f"The probabilities of {model} are too low"
    lead = (
        f"{capital(nouns.items)} at or above the cut: observed share and mean predicted "
        f"probability. A perfect intercept is 0; below 0, probabilities are too high. A perfect "
        f"slope is 1; below 1, they are too extreme."
    )
    head = ("cut", "model", "observed", "predicted", "intercept", "slope")
    table = Table(head, rows, "", (), ("model",), named_by=2)
    display = CalibrationDisplay(parts, _only(found), values=False)
    picture = replace(drawn("cut-calibration", display), title=f"Calibration of {model}")
    return CutExhibit(title, lead, table, (picture,), ("observed",))


def _off(x: Coefficient, perfect: float) -> bool:
    """Whether an interval excludes the perfect value."""
    return x.high < perfect or x.low > perfect


def _benefit(found: AtCuts, curve: DecisionCurve) -> CutExhibit:
    """Net benefit at some decision probabilities."""
    places = [(t, i, p) for t in found.shown for i, p in _decisions(curve)]
    rows = tuple(
        cells(
            _event(found, t),
            percent(p),
            number(next(iter(curve.benefit.values()))[t].always[i]),
            *(
                Cell(number(b.value[i]), bracketed(b.low[i], b.high[i]))
                for model in curve.models
                for b in [curve.benefit[model][t].model]
            ),
        )
        for t, i, p in places
    )
    gains = {
        m: sum(bool(curve.benefit[m][t].gain.low[i] > 0) for t, i, _ in places)
        for m in curve.models
    }
    best = max(gains, key=lambda m: (gains[m], _total(curve, m, places)))
    every = plural(len(places), "decision")
    title = f"{best} beats acting on all and on none at {gains[best]} of {every}"
    if gains[best] == len(places):
        title = f"{best} beats acting on all and on none at all {every}"
    lead = (
        "Act if the probability of the cut is at least p. Net benefit: true positives less "
        "false positives at p / (1 − p), per item. Acting on none is worth 0."
    )
    head = ("cut", "act at", "act on all", *curve.models)
    picture = drawn("decision-curves", DecisionCurveDisplay(curve, _only(found)))
    return CutExhibit(title, lead, Table(head, rows, named_by=2), (picture,))


def _total(curve: DecisionCurve, model: str, places: Sequence[tuple[int, int, float]]) -> float:
    return sum(float(curve.benefit[model][t].model.value[i]) for t, i, _ in places)


def _only(found: AtCuts) -> Any:
    """The level of the cut that is shown, if it is the only one."""
    return _level(found, found.shown[0]) if len(found.shown) == 1 else None


def _records(found: AtCuts) -> dict[str, list[dict[str, Any]]]:
    """The numbers behind the tables and pictures."""
    shown = {str(_level(found, t)) for t in found.shown}
    records: dict[str, list[dict[str, Any]]] = {
        "cuts": [
            {"model": m, **row} for m, parts in found.thresholds.items() for row in parts.rows()
        ],
        "differences": ModelThresholds({}, found.differences).difference_rows(),
        "calibration": [
            {"model": m, **row} for m, parts in found.calibrations.items() for row in parts.rows()
        ],
    }
    if found.curve is not None:
        kept = {
            "net_benefit": found.curve.rows(),
            "net_benefit_differences": found.curve.difference_rows(),
        }
        for name, rows in kept.items():
            records[name] = [row for row in rows if row["threshold"] in shown]
    return records
