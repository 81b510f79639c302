"""The command `ordeval`: parses, calls, prints. It holds no logic that a Python caller lacks."""

# Commands appear in the help in the order in which these register them.
from ordeval.cli import evaluate, choose, judge, reproduce  # isort: skip
from ordeval.cli._app import app, main

__all__ = ["app", "choose", "evaluate", "judge", "main", "reproduce"]
