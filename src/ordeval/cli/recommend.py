"""ordeval recommend"""

import sys
from dataclasses import asdict, dataclass, replace
from typing import Any

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, show
from ordeval.cli.options.option_groups import grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import Out
from ordeval.measures.registry import applies


def _either(name: str, question: str, *, default: bool | None = None) -> Any:
    """An option with a word for yes and one for no."""
    words = f"--{name}/--no-{name}"
    return option(None, question, words, default=default, show_default=True)


@dataclass(frozen=True)
class Facts:
    """What a recommendation rests on."""

    outputs: str = option(
        "KIND", "Output of the models: labels, probabilities or scores.", default="labels"
    )
    equal_steps: bool | None = _either(
        "equal-steps", "Does one step mean the same everywhere on the scale?"
    )
    imbalanced: bool | None = _either("imbalanced", "Are the classes imbalanced?")
    costs_known: bool = _either("costs-known", "Do you know what errors cost?", default=False)
    raters: bool = _either("raters", "Is this about agreement between raters?", default=False)
    mandated: str | None = option("NAME", "Measure that you must report.")


@app.command(cls=Strict)
@grouped
def recommend(context: typer.Context, facts: Facts, out: Out) -> None:
    """Recommend a measure, two to read beside it, and the command to run.

    On a terminal, without options, it asks you.
    """
    out.chosen()
    check_files((), out.output)
    sources = map(context.get_parameter_source, context.params)
    given = any(getattr(source, "name", "") == "COMMANDLINE" for source in sources)
    asks = not given and sys.stdin.isatty() and sys.stdout.isatty()
    answers = _asked() if asks else asdict(facts)
    found = oe.recommend(**answers)
    show(replace(found, run=_command(found, answers) or found.run), out)


def _command(found: oe.results.Recommendation, facts: dict[str, Any]) -> str:
    """The command to run; none for scores that must be cut into classes first."""
    measures = " ".join(f"--metric {m.name}" for m in found.metrics)
    if facts["raters"] and facts["outputs"] == "labels":
        return "ordeval agree RATINGS.csv --item ITEM --labels LOW,...,HIGH"
    if facts["outputs"] == "scores" and not all(applies(m, "scores") for m in found.metrics):
        return ""
    columns = {"labels": "--pred A --pred B", "probabilities": "--prob A_ --prob B_"}
    models = columns.get(facts["outputs"], "--score A --score B")
    costs = " --cost COSTS.csv" if facts["costs_known"] else ""
    costs += " --decide cost" if costs and facts["outputs"] == "probabilities" else ""
    return f"ordeval compare FILE --truth Y {models} --labels LOW,...,HIGH {measures}{costs}"


def _asked() -> dict[str, Any]:
    """The facts that a recommendation rests on, asked one by one."""
    print("A few questions. Press Enter to accept the answer in brackets.\n")
    raters = typer.confirm(
        "Is this about agreement between raters, rather than prediction?", default=False
    )
    kinds = ("labels", "probabilities", "scores")
    outputs = ""
    while outputs not in kinds:
        outputs = typer.prompt(f"What do the models give: {', '.join(kinds)}?", default="labels")
    return {
        "raters": raters,
        "outputs": outputs,
        "costs_known": typer.confirm("Do you know what each error costs?", default=False),
        "equal_steps": _yes_no_unknown("Does one step mean the same everywhere on the scale?"),
        "imbalanced": _yes_no_unknown("Are the classes imbalanced?"),
        "mandated": typer.prompt("A measure that you must report (or Enter)", default="") or None,
    }


def _yes_no_unknown(question: str) -> bool | None:
    answers = {"y": True, "yes": True, "n": False, "no": False, "unknown": None}
    answer = ""
    while answer not in answers:
        answer = typer.prompt(f"{question} y, n or unknown", default="unknown").lower()
    return answers[answer]
