"""The command `ordeval`: parses, calls, prints. It holds no logic that a Python caller lacks.

Only the module of the command that was typed is imported, and none for the general help.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final

from ordeval._version import __version__

SUMMARY: Final = "How good is a classifier whose labels have an order?"
EXIT_CODES: Final = "Exit codes: 0 fine, 1 a gate failed, 2 bad input or usage."
# What each command is for, in the order of the help.
COMMANDS: Final[dict[str, dict[str, str]]] = {
    "Evaluate": {
        "score": "Score predictions by many measures, with intervals.",
        "compare": "Compare models on the same items, with tests.",
        "thresholds": "Sensitivity, specificity, PPV, NPV and AUC at every cut.",
        "calibration": "Calibration of probabilities at every cut.",
        "decision-curve": "Net benefit of acting on probabilities.",
        "tune": "Tune the cut points of probabilities for a measure.",
        "report": "Compare models in an HTML, Word or PDF report.",
        "leaderboard": "Rank many models by their average over tasks.",
        "check": "Apply the gates of a project file, as in CI.",
        "explore": "Open a page on which you can edit a matrix.",
    },
    "Raters and judges": {
        "agree": "Agreement of several raters.",
        "judge": "Whether judges, such as LLMs, can replace human raters.",
        "read": "Read labels from what judges wrote.",
    },
    "Study design": {
        "label": "Draw items for human labels, with probabilities.",
        "plan": "How many items a study needs.",
    },
    "Measures": {
        "metrics": "List the measures, or explain one of them.",
        "recommend": "Recommend a measure, and the command to run.",
        "explain": "Explain a warning code.",
        "properties": "Properties of a measure, with counterexamples.",
        "meta": "Compare measures by systems and test cases.",
        "reproduce": "Recompute the results of five papers.",
    },
}


_MODULES: Final = {
    "decision-curve": "calibration",
    "tune": "calibration",
    "read": "agree",
    "leaderboard": "populations.leaderboard",
    "label": "populations.label",
}


def names() -> list[str]:
    """All commands, in the order of the help."""
    return [name for group in COMMANDS.values() for name in group]


def module_of(name: str) -> str:
    """The module of a command."""
    return _MODULES.get(name, name)


def general_help() -> str:
    """The help of `ordeval` alone."""
    width = max(map(len, names()))
    lines = ["Usage: ordeval COMMAND [OPTIONS]", "", f"  {SUMMARY}"]
    for group, commands in COMMANDS.items():
        lines += ["", f"{group}:"]
        lines += [f"  {name:{width}}  {text}" for name, text in commands.items()]
    options = {
        "--version": "Show the version.",
        "--install-completion": "Install completion for this shell.",
        "--show-completion": "Show the completion script.",
        "-h, --help": "Show this help; `ordeval COMMAND --help` shows that of a command.",
    }
    lines += ["", "Options:"]
    lines += [f"  {name:20}  {text}" for name, text in options.items()]
    return "\n".join([*lines, "", EXIT_CODES])


def main() -> None:
    """Run the command; what is wrong with the input is one message and exit code 2."""
    words = sys.argv[1:]
    if words in (["--help"], ["-h"], ["--version"]):
        _print(general_help() if words != ["--version"] else f"ordeval {__version__}")
        sys.exit(0)
    from ordeval.cli import _app

    only = words[:1] if words[:1] and words[0] in names() else names()
    _app.main(only)


def _print(text: str) -> None:
    """Print a text; a closed pipe is not an error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python would complain at its end of what is still to be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def __getattr__(name: str) -> Any:
    """Import a command, or with ``app`` all of them."""
    if name == "app":
        from ordeval.cli import _app

        return _app.with_commands(names())
    if name in names():
        return import_module(f"ordeval.cli.{module_of(name)}")
    raise AttributeError(name)
