"""The command `ordeval`: parses, calls, prints. It holds no logic that a Python caller lacks."""

# Commands appear in the help in the order in which these register them.
from ordeval.cli import (  # isort: skip
    score,
    compare,
    thresholds,
    forecasts,
    report,
    check,
    explore,
    plan,
    agree,
    judge,
    metrics,
    recommend,
    explain,
    properties,
    meta,
    reproduce,
)
from ordeval.cli._app import app, main

__all__ = [
    "agree",
    "app",
    "check",
    "compare",
    "explain",
    "explore",
    "forecasts",
    "judge",
    "main",
    "meta",
    "metrics",
    "plan",
    "properties",
    "recommend",
    "report",
    "reproduce",
    "score",
    "thresholds",
]
