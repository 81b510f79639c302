"""The command `ordeval`: parses, calls, prints. It holds no logic that a Python caller lacks."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as RichProgress

import ordeval as oe
from ordeval._writing import write_text
from ordeval.comparison import PANEL
from ordeval.confusion import matrices_by_model
from ordeval.counting.files import Progress, file_rows
from ordeval.group_scores import MEASURES as GROUP_MEASURES

app = typer.Typer(
    name="ordeval",
    help="How good is a classifier whose labels have an order?",
    epilog="Exit codes: 0 fine, 1 a --fail-under gate failed, 2 bad input or usage.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)

_KINDS = "CSV, Parquet, JSON lines, Arrow, DuckDB, SQLite; - is CSV on standard input."


def _option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002 - Typer's word
    return typer.Option(*names, help=help, show_default=False, **more)


def _metric_names(incomplete: str) -> list[str]:
    return [m.name for m in oe.metrics() if m.name.startswith(incomplete)]


File = Annotated[str, typer.Argument(help=_KINDS, metavar="FILE")]
Truth = Annotated[str, _option("--truth", metavar="COL", help="Column of the true labels.")]
Pred = Annotated[
    list[str], _option("--pred", metavar="COL", help="Column of predictions; may be repeated.")
]
Labels = Annotated[
    str | None,
    _option("--labels", metavar="LIST", help="All labels, lowest first: low,medium,high."),
]
Weight = Annotated[str | None, _option("--weight", metavar="COL", help="Column of item weights.")]
By = Annotated[
    list[str] | None,
    _option("--by", metavar="COL", help="Do it for each value of this column; may be repeated."),
]
Names = Annotated[
    list[str] | None,
    _option(
        "--metric",
        metavar="NAME",
        help="Measure; may be repeated. `ordeval metrics` lists them.",
        autocompletion=_metric_names,
    ),
]
Table = Annotated[
    str | None, _option("--table", metavar="NAME", help="Table of a DuckDB or SQLite file.")
]
DropMissing = Annotated[
    bool, _option("--drop-missing", help="Leave out items without a label, and say how many.")
]
DropUnknown = Annotated[
    bool, _option("--drop-unknown", help="Leave out items with a label that is not in --labels.")
]
AsJson = Annotated[bool, _option("--json", help="Print JSON, everything in it.")]
AsCsv = Annotated[bool, _option("--csv", help="Print CSV.")]
AsMarkdown = Annotated[bool, _option("--markdown", help="Print Markdown.")]
AsLatex = Annotated[bool, _option("--latex", help="Print LaTeX (booktabs).")]
Output = Annotated[
    Path | None,
    _option("--output", "-o", metavar="FILE", help="Write there, whole or not at all."),
]
FailUnder = Annotated[
    list[str] | None,
    _option(
        "--fail-under",
        metavar="NAME=VALUE",
        help="Exit 1 if a model does worse by this measure, in its direction; may be repeated.",
    ),
]


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, _option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"ordeval {oe.__version__}")
        raise typer.Exit


@app.command()
def score(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    labels: Labels = None,
    weight: Weight = None,
    by: By = None,
    metric: Names = None,
    table: Table = None,
    confusion: Annotated[
        bool, _option("--confusion", help="FILE is a confusion matrix: rows truth, numbers only.")
    ] = False,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
    fail_under: FailUnder = None,
) -> None:
    """Score predictions by many measures.

    \b
    Examples:
      ordeval score preds.csv --truth stage --pred model --labels I,II,III,IV
      ordeval score 'preds/*.parquet' --truth y --pred a --pred b --metric cem_ord --metric auoc
      ordeval score preds.parquet --truth y --pred a --by hospital --csv -o hospitals.csv
      ordeval score preds.csv --truth y --pred a --fail-under cem_ord=0.7
      echo '26 4 1; 3 5 4; 0 3 10' | ordeval score - --confusion --labels I,II,III
    """
    gates = _gates(fail_under)
    render = _renderer(as_json, as_csv, as_markdown, as_latex, output)
    quick = [m.name for m in oe.metrics(needs="labels") if not m.expensive]
    wanted = _wanted(metric, GROUP_MEASURES if by else quick, gates)
    if confusion:
        if by or truth or pred or weight:
            raise oe.ParameterError("with --confusion the file holds a matrix, not columns.")
        matrices = {file: _read_matrix(file, labels)}
    else:
        _need(truth, pred)
        with _progress() as progress:
            matrices = matrices_by_model(
                lambda columns, w: file_rows(file, columns, w, table=table, progress=progress),
                truth,
                pred,
                _labels(labels),
                weight,
                by=by or None,
                at_once=file == "-",
                **_policies(drop_missing, drop_unknown),
            )
    if by:
        grouped = {m: oe.score_groups(cm, wanted) for m, cm in matrices.items()}
        _put(_json_of_groups(by, grouped) if as_json else _titled(grouped, render, as_csv), output)
        rows = {f"{m} in {_group(r['group'])}": r for m, s in grouped.items() for r in s.rows()}
        _check(gates, rows)
        return
    scores = {m: oe.score(cm, metrics=wanted) for m, cm in matrices.items()}
    _put(_json_of_scores(scores) if as_json else _titled(scores, render, as_csv), output)
    _check(gates, {m: dict(s) for m, s in scores.items()})


@app.command()
def compare(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    labels: Labels = None,
    weight: Weight = None,
    by: By = None,
    metric: Names = None,
    table: Table = None,
    groups: Annotated[
        str | None,
        _option("--groups", metavar="COL", help="Items that belong together, drawn whole."),
    ] = None,
    baseline: Annotated[
        str | None, _option("--baseline", metavar="COL", help="Compare all others with this one.")
    ] = None,
    level: Annotated[
        float, typer.Option("--level", metavar="SHARE", help="Nominal coverage of intervals.")
    ] = 0.95,
    resamples: Annotated[
        int, typer.Option("--resamples", metavar="N", help="Number of draws.")
    ] = 9999,
    seed: Annotated[
        int | None, _option("--seed", metavar="N", help="Makes the draws the same every time.")
    ] = None,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
    fail_under: FailUnder = None,
) -> None:
    """Compare models on the same items: intervals, paired tests and a conclusion.

    The first --metric decides; without one, a panel led by cem_ord.

    \b
    Examples:
      ordeval compare preds.parquet --truth grade --pred a --pred b --labels A,B,C,D
      ordeval compare preds.csv --truth y --pred new --pred old --baseline old --groups patient
      ordeval compare preds.csv --truth y --pred a --pred b --metric auoc --seed 1 --latex
    """
    _need(truth, pred)
    gates = _gates(fail_under)
    render = _renderer(as_json, as_csv, as_markdown, as_latex, output)
    with _progress() as progress:
        options: dict[str, Any] = {
            "table": table, "labels": _labels(labels), "metrics": _wanted(metric, PANEL, gates),
            "sample_weight": weight, "groups": groups, "baseline": baseline, "level": level,
            "n_resamples": resamples, "rng": seed, "progress": progress,
            **_policies(drop_missing, drop_unknown),
        }  # fmt: skip
        if by:
            found = oe.compare_file(file, truth, pred, by=by, **options)
        else:
            found = {None: oe.compare_file(file, truth, pred, **options)}
    if not by:
        text = render(found[None])
    elif as_json:
        text = _json_of_comparisons(by, found)
    else:
        titled = {f"{', '.join(by)} = {_group(g)}": c for g, c in found.items()}
        text = _titled(titled, render, as_csv)
    _put(text, output)
    _check(
        gates,
        {
            model + (f" in {_group(g)}" if by else ""): {
                name: estimates[model].estimate for name, estimates in c.estimates.items()
            }
            for g, c in found.items()
            for model in c.models
        },
    )


@app.command()
def metrics(
    name: Annotated[
        str | None,
        typer.Argument(help="A measure.", metavar="[NAME]", autocompletion=_metric_names),
    ] = None,
) -> None:
    """List the measures, or explain one of them.

    Example: ordeval metrics oc_index
    """
    print(oe.metrics() if name is None else oe.get_metric(name).__doc__)


@app.command()
def recommend(
    context: typer.Context,
    outputs: Annotated[
        str, typer.Option(metavar="KIND", help="What models give: labels, probabilities, scores.")
    ] = "labels",
    equal_steps: Annotated[
        bool | None, typer.Option(help="Does a step mean the same everywhere?")
    ] = None,
    imbalanced: Annotated[bool | None, typer.Option(help="Do class sizes differ much?")] = None,
    costs_known: Annotated[bool, typer.Option(help="Do you know what errors cost?")] = False,
    raters: Annotated[bool, typer.Option(help="Is it agreement between raters?")] = False,
    mandated: Annotated[
        str | None, _option("--mandated", metavar="NAME", help="A measure that a rule demands.")
    ] = None,
) -> None:
    """Recommend a measure to decide by, and two to read beside it.

    On a terminal, without options, it asks.
    """
    given = [
        name
        for name in context.params
        if str(context.get_parameter_source(name)).endswith("COMMANDLINE")
    ]
    facts: dict[str, Any] = {
        "outputs": outputs, "equal_steps": equal_steps, "imbalanced": imbalanced,
        "costs_known": costs_known, "raters": raters, "mandated": mandated,
    }  # fmt: skip
    if not given and sys.stdin.isatty() and sys.stdout.isatty():
        facts = _asked()
    print(oe.recommend(**facts))


@app.command()
def explain(
    code: Annotated[str, typer.Argument(help="A warning code, such as OE103.", metavar="CODE")],
) -> None:
    """Say what a warning code means."""
    print(oe.explain(code))


def main() -> None:
    """Run the command; what is wrong with the input is one message and exit code 2."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", oe.OrdevalWarning)
            try:
                app()
            finally:
                for w in caught:
                    if issubclass(w.category, oe.OrdevalWarning):
                        print(f"warning: {w.message}", file=sys.stderr)
    except oe.OrdevalError as error:
        print(f"ordeval: {error}", file=sys.stderr)
        sys.exit(2)


def _asked() -> dict[str, Any]:
    """The facts that a recommendation rests on, asked one by one."""
    print("A few questions; Enter takes the answer in brackets.\n")
    raters = typer.confirm("Is it agreement between raters, rather than prediction?", default=False)
    kinds = ("labels", "probabilities", "scores")
    outputs = ""
    while outputs not in kinds:
        outputs = typer.prompt(f"What do the models give: {', '.join(kinds)}?", default="labels")
    return {
        "raters": raters,
        "outputs": outputs,
        "costs_known": typer.confirm("Do you know what each error costs?", default=False),
        "equal_steps": _yes_no_unknown("Does a step mean the same everywhere on the scale?"),
        "imbalanced": _yes_no_unknown("Do class sizes differ much?"),
        "mandated": typer.prompt("A measure that a rule demands (or Enter)", default="") or None,
    }


def _yes_no_unknown(question: str) -> bool | None:
    answers = {"y": True, "yes": True, "n": False, "no": False, "unknown": None}
    answer = ""
    while answer not in answers:
        answer = typer.prompt(f"{question} y, n or unknown", default="unknown").lower()
    return answers[answer]


def _need(truth: str, pred: list[str]) -> None:
    if not truth or not pred:
        raise oe.LabelError("name the columns: --truth COLUMN --pred COLUMN.")


def _labels(text: str | None) -> list[Any] | None:
    """The labels of --labels; integers if all of them are written so."""
    if text is None:
        return None
    parts = next(csv.reader([text], skipinitialspace=True))
    return [int(p) for p in parts] if all(re.fullmatch(r"[+-]?\d+", p) for p in parts) else parts


def _policies(drop_missing: bool, drop_unknown: bool) -> dict[str, Any]:
    return {
        "missing": "drop" if drop_missing else "raise",
        "unknown": "drop" if drop_unknown else "raise",
    }


def _wanted(
    metric: list[str] | None, default: Iterable[str], gates: Mapping[str, float]
) -> list[str]:
    """The measures that were asked for, and those of the gates."""
    return list(dict.fromkeys([*(metric or default), *gates]))


def _read_matrix(file: str, labels: str | None) -> oe.ConfusionMatrix:
    """A matrix as rows of numbers, separated by commas, tabs or spaces; or ; between rows."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise oe.CountsError(f"{file!r} could not be read: {why}.") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [part for part in lines[0].split(";") if part.strip()]
    rows = [re.split(r"[,;\s]+", line.strip().strip(",;")) for line in lines]
    try:
        counts = [[float(x) if re.search("[.eE]", x) else int(x) for x in row] for row in rows]
    except ValueError as error:
        raise oe.CountsError(
            f"{file!r} must hold rows of numbers only, without headings: {error}."
        ) from None
    return oe.ConfusionMatrix(counts, _labels(labels))


def _gates(texts: list[str] | None) -> dict[str, float]:
    gates = {}
    for text in texts or []:
        name, _, value = text.partition("=")
        try:
            gates[oe.get_metric(name.strip()).name] = float(value)
        except ValueError:
            raise oe.ParameterError(
                f"--fail-under takes metric=value, for example accuracy=0.8; got {text!r}."
            ) from None
    return gates


def _check(gates: Mapping[str, float], values: Mapping[str, Mapping[str, float]]) -> None:
    """Exit 1 if a model does worse than a gate, in the direction of its measure."""
    failed = False
    for name, gate in gates.items():
        metric = oe.get_metric(name)
        for model, by in values.items():
            if not metric.utility(by[name]) >= metric.utility(gate):
                print(
                    f"gate failed: {model} has {name} {by[name]:.4f}, not {gate:g} or better",
                    file=sys.stderr,
                )
                failed = True
    if failed:
        raise typer.Exit(1)


def _renderer(
    as_json: bool, as_csv: bool, as_markdown: bool, as_latex: bool, output: Path | None
) -> Callable[[Any], str]:
    if as_json + as_csv + as_markdown + as_latex > 1:
        raise oe.ParameterError("choose one of --json, --csv, --markdown and --latex.")
    if as_json:
        return lambda x: str(x.to_json())
    if as_csv:
        return lambda x: str(x.to_csv())
    if as_markdown:
        return lambda x: str(x.to_markdown())
    if as_latex:
        return lambda x: str(x.to_latex())
    return _shown if output is None else repr


def _shown(result: Any) -> str:
    """As text; on a terminal with its colours, if it has any."""
    console = Console()
    if not console.is_terminal:
        return repr(result)
    with console.capture() as captured:
        console.print(result)
    return captured.get()


def _titled(results: Mapping[str, Any], render: Callable[[Any], str], as_csv: bool) -> str:
    """Several results one below the other, each under its name; CSV has it as first column."""
    if len(results) == 1:
        return render(next(iter(results.values())))
    if not as_csv:
        return "\n\n".join(f"{name}\n{render(x).rstrip()}" for name, x in results.items())
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for i, (name, x) in enumerate(results.items()):
        head, *rows = csv.reader(io.StringIO(render(x)))
        writer.writerows([] if i else [["of", *head]])
        writer.writerows([name, *row] for row in rows)
    return out.getvalue()


def _json_of_scores(scores: Mapping[str, oe.Scores]) -> str:
    models = {name: {m: _plain(v) for m, v in s.items()} for name, s in scores.items()}
    return _dumped({"schema": 1, "kind": "ordeval.scores", "models": models})


def _json_of_groups(by: list[str], scores: Mapping[str, oe.GroupScores]) -> str:
    models = {
        m: [{k: _plain(v) for k, v in row.items()} for row in s.rows()] for m, s in scores.items()
    }
    return _dumped({"schema": 1, "kind": "ordeval.group_scores", "by": by, "models": models})


def _json_of_comparisons(by: list[str], found: Mapping[Any, oe.Comparison]) -> str:
    groups = [{"group": _plain(g), "comparison": json.loads(c.to_json())} for g, c in found.items()]
    return _dumped({"schema": 1, "kind": "ordeval.comparisons", "by": by, "groups": groups})


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return None
    return value if isinstance(value, (str, int, float, list, tuple, type(None))) else str(value)


def _dumped(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _group(group: Any) -> str:
    return ", ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def _put(text: str, output: Path | None) -> None:
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """Progress bars on a terminal, nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal or os.environ.get("TERM") == "dumb":
        yield None
        return
    with RichProgress(
        TextColumn("{task.description}"), BarColumn(), _Amount(), TimeElapsedColumn(),
        console=console, transient=True,
    ) as bars:  # fmt: skip
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of or None)
            bars.update(tasks[stage], completed=done)

        yield show


class _Amount(ProgressColumn):
    """Bytes as kilobytes and so on, anything else as a plain number."""

    def render(self, task: Any) -> Any:
        """The amount that is done, and of how much."""
        column = DownloadColumn() if task.description.endswith("bytes") else MofNCompleteColumn()
        return column.render(task)


if __name__ == "__main__":
    main()
