"""ordeval compare"""

from collections.abc import Iterable, Iterator
from typing import Any

import ordeval as oe
from ordeval._shared.text import name_of
from ordeval._shared.types import Progress
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.costs import with_costs, without_costs
from ordeval.cli.options.gates import Gates, Kept, Outcome, ends_of
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.measures import deciding_cut
from ordeval.cli.options.option_groups import grouped
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import BriefOut, Comparing, Details, SummaryOnly, check_summary
from ordeval.evaluate._scoring import PANELS
from ordeval.results.comparisons import Comparisons


@app.command(cls=Strict)
@grouped
def compare(
    columns: JoinedColumns,
    comparing: Comparing,
    *,
    summary: SummaryOnly = False,
    details: Details,
    out: BriefOut,
    gates: Gates,
) -> None:
    """Compare models on the same items: intervals, paired tests, ranks and a conclusion.

    The first --metric ranks the models. Default: cem_ord for labels, ranked_probability_score
    for probabilities, concordance_index for scores, each with a panel of other measures.

    \b
    Examples:
      ordeval compare preds.parquet --truth grade --pred a --pred b --labels A,B,C,D
      ordeval compare preds.csv --truth y --pred new --pred old --reference old --margin 0.03
      ordeval compare preds.csv --truth y --pred a --pred b --clusters patient --format latex
      ordeval compare preds.csv --truth y --pred a --pred b --metric auoc --method bca --seed 1
      ordeval compare preds.csv --truth y --prob a=a_ --prob b=b_ --labels low,mid,high
      ordeval compare long.csv --truth y --item id --model-col model --pred-col grade
      ordeval compare preds.csv --truth-file gold.parquet --truth y --on id --pred a --pred b
      ordeval compare a.eval b.eval --scorer grade --labels 1..5
      ordeval compare gold.csv --truth y --on id --pred-file a=a.csv:grade --pred-file b=b.csv:grade
      ordeval compare preds.csv --truth y --pred a --pred b --prevalence 1=0.7,2=0.2,3=0.1
      ordeval compare long.csv --truth y --item id --model-col model --pred-col grade --over task
      ordeval compare preds.csv --truth human --pred a --pred b --proxy judge
    """
    columns.need()
    usual = PANELS[columns.given]
    demands = gates.read(reference=comparing.reference, by=comparing.by)
    out.chosen()
    check_summary(summary, comparing.by)
    files = (*columns.files, *comparing.target_files, comparing.cost)
    check_files(files, out.output, junit=gates.junit)
    again = bool(demands.whole and comparing.by)
    if again and columns.source(None).once:
        raise oe.ParameterError(
            "A whole: gate with --by reads the data twice, so standard input cannot be "
            "used; name a file."
        )
    metrics = demands.measures(comparing.metric, usual)
    with progress() as shown:
        found = compare_columns(
            columns, comparing, metrics, by=comparing.by or None, progress=shown
        )
        whole = compare_columns(columns, comparing, metrics, progress=shown) if again else None
    shorter = summary and isinstance(found, Comparisons)
    demands.refuse_ambiguous(outcomes(found))
    show(found.summary() if shorter else found.details(*details.names), out, quiet=gates.quiet)
    demands.check(outcomes(found), kept(found), None if whole is None else outcomes(whole))


def compare_columns(
    columns: JoinedColumns,
    comparing: Comparing,
    metrics: list[oe.Metric] | None,
    progress: Progress | None,
    by: list[str] | None = None,
) -> Any:
    """The comparison that was asked for."""
    data = columns.predictions(
        progress,
        decide=columns.rule(comparing.cost),
        weight=comparing.weight,
        by=comparing.subgroups(comparing.by if comparing.mix else by),
        clusters=comparing.clusters,
        partial=comparing.partial,
    )
    measures = with_costs(metrics, comparing.cost, columns)
    measures = deciding_cut(measures, lambda: data.scale)
    found = oe.compare(data, measures, progress=progress, **comparing.options())
    return found.in_units(comparing.unit, comparing.cluster_unit)


def outcomes(found: Any) -> Iterator[Outcome]:
    """The values of each measure, by model and subgroup."""
    if isinstance(found, Comparisons) and (records := found.estimates()) is not None:
        yield from _outcomes_of(records)
        reference = next(iter(found.values())).reference
        for key, brief in found.briefs.items():
            yield from _gains(brief.deltas, reference, name_of(key))
        parts: Any = {}
    else:
        parts = found if isinstance(found, Comparisons) else {None: found}
    for key, c in parts.items():
        place = None if key is None else name_of(key)
        for model in c.models:
            values: dict[str, float] = {}
            for m, by in c.estimates.items():
                values |= {m: by[model].estimate, **ends_of(m, by[model])}
            yield Outcome(_placed(model, place), without_costs(values), subgroup=place)
        deltas = (d for d in c.pairs if d.metric == c.primary.name)
        yield from _gains(deltas, c.reference, place)
    if isinstance(found, Comparisons):
        for key, why in found.left_out.items():
            place = name_of(key)
            yield Outcome(f"{place} ({why.rstrip('.')})", {}, subgroup=place)


def _outcomes_of(records: list[dict[str, Any]]) -> Iterator[Outcome]:
    """Yield the outcomes from records of very many subgroups."""
    held: dict[tuple[str, str], dict[str, float]] = {}
    for r in records:
        values = held.setdefault((r["model"], r["subgroup"]), {})
        values |= {r["metric"]: r["estimate"]}
        values |= {f"{r['metric']}.{end}": r[end] for end in ("low", "high")}
    for (model, place), values in held.items():
        yield Outcome(_placed(model, place), without_costs(values), subgroup=place)


def _placed(name: str, place: str | None) -> str:
    return name if place is None else f"{name} in {place}"


def _gains(
    deltas: Iterable[oe.results.Delta], reference: str | None, place: str | None
) -> Iterator[Outcome]:
    """How much better each model is than the reference, by the first measure."""
    for d in deltas:
        if reference in (d.a, d.b):
            ahead = d.b == reference
            values = {
                "delta": d.gain if ahead else -d.gain,
                "delta.low": d.gain_low if ahead else -d.gain_high,
            }
            name = _placed(f"{d.a if ahead else d.b} against {reference}", place)
            yield Outcome(name, values, pair=True, subgroup=place)


def kept(found: Any) -> Iterator[Kept]:
    """How many items were used, and how many dropped, for all models alike."""
    if not isinstance(found, Comparisons):
        yield Kept("", found.items, found.left_out)
        return
    yield Kept("", *found.sizes)
