"""ordeval metrics, ordeval recommend and ordeval explain."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._options import codes, metric_names, option


@app.command()
def metrics(
    name: Annotated[
        str | None,
        typer.Argument(help="A measure.", metavar="[NAME]", autocompletion=metric_names),
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
        str | None, option("--mandated", metavar="NAME", help="A measure that a rule demands.")
    ] = None,
) -> None:
    """Recommend a measure to decide by, and two to read beside it.

    On a terminal, without options, it asks.
    """
    given = [
        name
        for name in context.params
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
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
    code: Annotated[
        str,
        typer.Argument(
            help="A warning code, such as OE103.",
            metavar="CODE",
            autocompletion=codes,
        ),
    ],
) -> None:
    """Say what a warning code means."""
    print(oe.explain(code))


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
