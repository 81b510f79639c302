"""ordeval check"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files
from ordeval.cli.compare import compare
from ordeval.cli.judge import judge
from ordeval.cli.options.gate_logs import Log
from ordeval.cli.options.option_groups import grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.project import read_project
from ordeval.cli.options.shared import Out
from ordeval.cli.score import score


@app.command(cls=Strict)
@grouped
def check(
    *,
    config: Path | None = option(
        "FILE",
        "Project file (default: ordeval.toml here, or pyproject.toml with [tool.ordeval]).",
        readable=False,
    ),
    out: Out,
    log: Log,
) -> None:
    """Score, compare or judge as the project file says, and print which gates passed.

    Its keys are the options of `ordeval score` and `ordeval compare`: file, truth, pred, prob,
    score, labels, clusters, by, weight, metrics, reference, margin, fail_under, max_dropped and
    so on. Several models are compared, one is scored. A table [judge] has the options of
    `ordeval judge`, with the humans' file as ratings, and [judge.gates] its gates. Paths are
    relative to the project file.

    \b
    Examples:
      ordeval check
      ordeval check --quiet
      ordeval check --config ci/ordeval.toml --ci github --junit gates.xml
    """
    log.check()
    project = read_project(config)
    check_files([str(project.path)], out.output, junit=log.junit)
    shown = {"show_gates": not log.quiet, **vars(log), "format": out.format, "output": out.output}
    if project.given and project.judge and (log.junit or out.output):
        raise oe.ParameterError(
            f"{str(project.path)!r} has gates for models and for judges, but one output "
            "file cannot hold both. Put [judge] in a second project file and pass it "
            "with --config."
        )
    failed = []
    for command, given in (
        (compare if project.compares else score, project.given),
        (judge, project.judge),
    ):
        try:
            if given:
                _run(command, {**given, **shown})
        except typer.Exit as ended:
            failed.append(ended)
        except oe.ParameterError as error:
            key = "[judge.gates]" if command is judge else "fail_under"
            raise oe.ParameterError(str(error).replace("--fail-under", key)) from error
    if failed:
        raise failed[0]


def _run(command: Callable[..., None], given: dict[str, Any]) -> None:
    """Run a command as if nothing but these options were given."""
    parameters = inspect.signature(command).parameters.values()
    command(**{**{p.name: p.default for p in parameters}, **given})
