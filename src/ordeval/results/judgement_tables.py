"""The tables of a judgement next to that of the judges: tests, grades, humans, runs, subgroups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    argument,
    bracketed,
    joined,
    name_of,
    number,
    p_value,
    plural,
    signed,
)
from ordeval.inference.intervals import Interval
from ordeval.inference.paired import Delta
from ordeval.results.overview import levels, meaning
from ordeval.results.phrases import cut_short, estimate_cell, in_clusters, percent

if TYPE_CHECKING:
    from ordeval.results.judgement import Effect, Judgement

_MOST_PAIRS: Final = 40
_SHOWN_JUDGES: Final = 40
_BESIDE: Final = {"above": "higher", "below": "lower"}  # in a column of differences
NOT_CORRECTED: Final = (
    "With one human per item the human's errors cannot be removed: a covariate "
    "that correlates with quality seems to affect every judge."
)


def overview_of_judges(j: Judgement) -> Table:
    """The judges by their agreement with humans, and below them the humans' with each other."""
    level = percent(j.ceiling.level)
    head = ("", f"{j.metric.symbol} [{level} CI]", "vs humans", "verdict")
    rows = [
        (
            Cell(name),
            estimate_cell(j.agreement[name]),
            estimate_cell(j.gap[name], signed),
            Cell(_BESIDE.get(verdict := j.verdict(name), verdict)),
        )
        for name in j.judges
    ]
    rows.append((Cell("(humans)"), estimate_cell(j.ceiling), Cell(""), Cell("")))
    return cut_short(Table(head, tuple(rows), words=head[1:]), _SHOWN_JUDGES, "rows", ".table()")


def asked_tables(j: Judgement) -> list[Table]:
    """The tables of what was asked for: earlier answers, covariates, subgroups and systems."""
    found = [_drift(j), _shifts(j)] if j.drift else []
    found += [_effects(j)] if j.effects else []
    found += [_subgroups(j)] if j.subgroups else []
    found += [_runs(j)] if j.same_grade else []
    return found + ([_ranking(j)] if j.systems else [])


def footer_of_judges(j: Judgement) -> list[str]:
    """What the table is of, how many caveats there are, and how to see more."""
    sizes = f"{plural(j.items, 'item')}{in_clusters(j.clusters)}, {plural(len(j.raters), 'human')}"
    lines = [f"{sizes}, {levels(j.scale)}. {meaning(j.metric, j.scale.k, j.metric.symbol)}"]
    lines.append(
        "(humans): agreement of humans with each other. vs humans: the judge's agreement minus "
        "theirs, on the same items."
    )
    dropped = [] if j.shown & {"all", "verbose"} else dropped_ratings(j)
    lines += dropped
    caveats = len([*j.remarks(), *j.lost()]) - len(dropped)
    if caveats and "verbose" not in j.shown:
        lines.append(f"{plural(caveats, 'caveat')}: {argument('.details()', 'verbose')}")
    names = [*(["pairs"] if j.differences else []), "all", "verbose"]
    left = [argument(".details()", x) for x in names if x not in j.shown]
    lines.append(f"More: {', '.join([*left, argument('.to_html()', 'judges.html')])}")
    return ["\n".join(lines)]


def dropped_ratings(j: Judgement) -> list[str]:
    """How many ratings were outside the scale, if any were."""
    return [f"Dropped: {plural(j.outside, 'rating')} outside the scale."] if j.outside else []


def detail_tables(j: Judgement) -> list[Table]:
    """The alt-test over epsilon, bias by grade, the humans, and what else was asked or found."""
    alone = len(j.raters) == 1
    found = [] if alone else [_epsilons(j), _grades(j), _humans(j)]
    found += pairs_tables(j)
    found += [_references(j)] if j.references else []
    found += [_drift(j), _shifts(j)] if j.drift else []
    found += [_effects(j)] if j.effects else []
    found += [_without(j)] if j.without_each else []
    found += [_prmse(j)] if j.prmse else []
    found += [_subgroups(j)] if j.subgroups else []
    found += [_runs(j)] if j.same_grade else []
    return found + ([_ranking(j)] if j.systems else [])


def pairs_tables(j: Judgement) -> list[Table]:
    """The differences of the judges, if there are any."""
    return [_differences(j)] if j.differences else []


def _differences(j: Judgement) -> Table:
    """Judges side by side."""
    rows = tuple(
        (
            *cells(d.a, d.b),
            Cell(signed(d.delta), bracketed(d.low, d.high, signed)),
            *cells(p_value(d.p_value), p_value(d.p_adjusted)),
            Cell(d.favours if d.favours and d.p_adjusted <= 1 - d.level else ""),
        )
        for d in j.differences
    )
    first = j.differences[0]
    how = "by exchanging judges within clusters" if j.exchanged else "Holm"
    note = (
        f"Agreement with humans of the judge minus that of the other, on the "
        f"{plural(first.items, 'item')} that all of them answered. p adj.: corrected for "
        f"{plural(len(rows), 'pair')} ({how}). Favours: the judge that agrees significantly more."
    )
    lost = f"Too few answers: {joined(j.not_compared)}." if j.not_compared else ""
    head = ("judge", "other", "difference", "p", "p adj.", "favours")
    notes = tuple(x for x in (note, lost) if x)
    caption = "agreement with humans: judges compared"
    table = Table(head, rows, caption, notes, ("other", "favours"), named_by=2)
    if "pairs" in j.shown:
        return table
    return cut_short(table, _MOST_PAIRS, "differences", ".to_json()")


def _drift(j: Judgement) -> Table:
    """Judges next to their answers before."""
    rows = tuple(
        (
            *cells(name, f"{d.items:,}"),
            estimate_cell(d.agreement),
            estimate_cell(d.shift, signed),
            *_change(d.change),
        )
        for name, d in j.drift.items()
    )
    head = ("judge", "items", "agreement", "shift", "change", "p adj.")
    note = (
        "Now compared with before, on the items answered both times. Agreement: of "
        "the two; shift: steps "
        "of the scale, now minus before; change: of the agreement with humans, with p-values "
        "corrected for all judges (Holm)."
    )
    return Table(head, rows, "drift: judges compared with their earlier answers", (note,))


def _change(change: Delta | None) -> tuple[Cell, Cell]:
    if change is None:
        return Cell("—"), Cell("—")
    ends = bracketed(change.low, change.high, signed)
    return Cell(signed(change.delta), ends), Cell(p_value(change.p_adjusted))


def _effects(j: Judgement) -> Table:
    """What moves judges besides the true grade."""
    rows = tuple(
        (
            *cells(name, e.label),
            estimate_cell(e.steps, _steps),
            *cells(signed(e.steps.estimate * e.spread), p_value(e.p_adjusted)),
        )
        for name, found in j.effects.items()
        for e in found
    )
    first = next(iter(j.effects.values()))
    than = dict.fromkeys(f"{e.reference} of {e.covariate}" for e in first if e.level is not None)
    note = (
        f"Effect: steps of the scale by which the judge grades higher, at the same true grade and "
        f"the same other covariates, per unit of a number{' or than ' * bool(than)}"
        f"{joined(list(than))}; per SD: per standard deviation. p-values are corrected for all "
        f"covariates of a judge (Holm)."
    )
    unknown = [name for name, found in j.effects.items() if any(_is_unknown(e) for e in found)]
    notes = [note, *([] if j.effects_corrected else [NOT_CORRECTED])]
    if unknown:
        notes.append(
            f"No effects on {joined(unknown)}: the answers are too few, or on the answered items a "
            f"covariate is constant or determined by the others."
        )
    head = ("judge", "covariate", "effect", "per SD", "p adj.")
    return Table(
        head, rows, "effects of covariates on the judges", tuple(notes), ("covariate",), named_by=2
    )


def _is_unknown(e: Effect) -> bool:
    return e.p_value != e.p_value


def _steps(x: float) -> str:
    return "—" if x != x else f"{x:+.3g}"


def _epsilons(j: Judgement) -> Table:
    each = list(next(iter(j.alt_test.values())).by_epsilon)
    rows = tuple(
        cells(name, *(number(j.alt_test[name].by_epsilon[e], 2) for e in each)) for name in j.judges
    )
    note = "Epsilon is a policy: how much better a human may be and still be replaced."
    clusters = ("The t tests are over clusters.",) if j.clusters else ()
    head = ("judge", *(f"ε = {e:g}" for e in each))
    return Table(head, rows, "share of humans beaten (alt-test)", (note, *clusters))


def _grades(j: Judgement) -> Table:
    """The judges beyond the other humans; below, the humans' own row."""
    head = ("judge", *map(str, j.scale), "never given")
    rows = [
        cells(
            name,
            *map(_beyond, j.bias[name].beyond_humans.values()),
            ", ".join(map(str, j.bias[name].unused)),
        )
        for name in j.judges
    ]
    own = (signed(x.estimate) for x in j.humans_by_grade.values())
    rows.append(cells("(humans)", *own, ""))
    caption = "steps above the other humans, by the grade that a human gave"
    level = percent(j.ceiling.level)
    note = (
        f"(humans): the other humans above the human who gave the grade. Low grades look lifted "
        f"and high ones lowered even by a perfect judge (regression to the mean), so judges are "
        f"compared with the other humans. * The {level} interval excludes zero, for all grades of "
        f"a judge at once."
    )
    return Table(head, tuple(rows), caption, (note,), ("never given",))


def _beyond(x: Interval) -> str:
    return signed(x.estimate) + "*" * (x.low > 0 or x.high < 0)


def _humans(j: Judgement) -> Table:
    rows = tuple(
        cells(r.name, f"{r.ratings:,}", estimate_cell(r.severity, signed), number(r.agreement))
        for r in j.raters
    )
    head = ("human", "ratings", "severity", j.metric.symbol)
    note = "Severity: steps above the mean of the other humans on shared items."
    return Table(head, rows, "humans compared with each other", (note,))


def _without(j: Judgement) -> Table:
    """The ceiling and the gaps if one human had not been there."""
    first = (
        Cell("(nobody)"),
        estimate_cell(j.ceiling),
        *(_gap(j, name, None) for name in j.judges),
    )
    rows = [
        (Cell(human), estimate_cell(found.ceiling), *(_gap(j, name, human) for name in j.judges))
        for human, found in j.without_each.items()
    ]
    head = ("without", "ceiling", *j.judges)
    note = "Below each judge: the gap, and the verdict if it changes."
    return Table(head, (first, *rows), "ceiling and gaps without each human", (note,))


def _gap(j: Judgement, judge: str, without: str | None) -> Cell:
    gap = j.gap[judge] if without is None else j.without_each[without].gap[judge]
    other = without is not None and j.verdict(judge, without=without) != j.verdict(judge)
    return Cell(signed(gap.estimate), j.verdict(judge, without=without) if other else "")


def _prmse(j: Judgement) -> Table:
    rows = tuple(
        cells(
            name,
            number(x.value),
            number(x.true_variance),
            number(x.error_variance),
            f"{x.repeated:,}",
        )
        for name, x in j.prmse.items()
    )
    head = ("judge", "PRMSE", "true variance", "error variance", "items")
    note = (
        "PRMSE: share of the variance of the humans' true grades that the judge "
        "explains: 1 is perfect, 0 is no better than their mean, below 0 is worse. "
        "True variance: the denominator; if it is small compared with the error "
        "variance of one human rating, PRMSE is unreliable. Items: those with two or "
        "more human ratings."
    )
    return Table(head, rows, "the humans' true grades explained (PRMSE)", (note,))


def _subgroups(j: Judgement) -> Table:
    rows = tuple(
        (
            *cells(name, name_of(s.subgroup), f"{s.items:,}"),
            *map(estimate_cell, (s.agreement, s.ceiling)),
            *(estimate_cell(x, signed) for x in (s.gap, s.from_rest)),
            Cell(p_value(s.p_adjusted)),
        )
        for name, found in j.subgroups.items()
        for s in found
    )
    head = ("judge", j.by, "items", j.metric.symbol, "ceiling", "gap", "from the rest", "p adj.")
    tests = len(next(iter(j.subgroups.values())))
    at_once = ""
    if tests > 2:
        at_once = f", with intervals and p-values for all {tests:,} subgroups of a judge (Šidák)"
    note = (
        f"Items: those that the judge answered. From the rest: the gap minus that in all other "
        f"subgroups together{at_once}."
    )
    verdict = (
        "There is no verdict by subgroup, because each interval covers its own gap, "
        "not those of all subgroups at once."
    )
    words = head[1:2]
    return Table(head, rows, "judges in subgroups", (note, verdict), words, named_by=2)


def furthest_items(j: Judgement, judge: str) -> Table:
    """The items on which a judge is furthest from the humans."""
    rows = tuple(
        cells(name_of(w.item), str(w.judge), ", ".join(map(str, w.humans)), number(w.distance, 2))
        for w in j.worst[judge]
    )
    caption = f"items on which {judge} is furthest from the humans' mean"
    return Table(("item", "judge", "humans", "distance"), rows, caption, (), ("humans",))


def _runs(j: Judgement) -> Table:
    """Judges next to themselves, when they were asked again."""
    rows = tuple(
        (
            Cell(name),
            estimate_cell(j.self_consistency[name]),
            estimate_cell(x.whole),
            *(Cell(number(g.estimate, 2)) for g in x.by_grade.values()),
        )
        for name, x in j.same_grade.items()
    )
    head = ("judge", j.metric.symbol, "same grade", *map(str, j.scale))
    note = (
        "Pairs of a judge's answers to the same prompt. Same grade: the share of pairs with the "
        "same label; then that share by the grade that a human gave."
    )
    return Table(head, rows, "self-consistency: repeated answers of a judge", (note,))


def _references(j: Judgement) -> Table:
    """Judges against references made of all humans' ratings."""
    rows = tuple(
        (
            *(Cell(name), estimate_cell(x.votes)),
            Cell(bracketed(x.votes_over_raters.low, x.votes_over_raters.high, number)),
            *map(estimate_cell, (x.consensus, x.unanimous)),
        )
        for name, x in j.references.items()
    )
    first = next(iter(j.references.values()))
    note = (
        f"{j.metric.symbol} of judges against the votes: an item spreads its count over its "
        f"raters, so not even a perfect judge reaches the best value. Over raters: the interval if "
        f"raters are a sample too, as items are. Consensus: the median; of "
        f"{plural(j.items, 'item')} {j.ties:,} "
        f"{'is a tie' if j.ties == 1 else 'are ties'}, which go to the lower grade. Unanimous: "
        f"{plural(first.unanimous.items, 'item')} on which two humans or more all agree."
    )
    head = ("judge", "votes", "over raters", "consensus", "unanimous")
    return Table(head, rows, "noisy reference: judges against votes and consensus", (note,))


def _shifts(j: Judgement) -> Table:
    """The shift of judges since before by the grade that a human gave."""
    rows = tuple(
        (Cell(name), *(estimate_cell(x, signed) for x in d.by_grade.values()))
        for name, d in j.drift.items()
    )
    caption = "drift: steps above the answers before, by the grade that a human gave"
    return Table(("judge", *map(str, j.scale)), rows, caption)


def _ranking(j: Judgement) -> Table:
    rows = tuple((Cell(name), estimate_cell(j.systems[name])) for name in j.judges)
    note = (
        "Agreement of the order of the systems' means: 1, the same order; -1, the opposite. "
        "The items of each system were resampled."
    )
    return Table(("judge", "τb"), rows, "systems ranked by judges and by humans", (note,))
