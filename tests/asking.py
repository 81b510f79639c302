"""Ask a verb about columns of a frame or a file, with the keywords of both in one call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import ordeval as oe


def of_frame(verb: Callable[..., Any], frame: Any, *columns: Any, **options: Any) -> Any:
    """Describe a frame, and ask: columns may end with the measures."""
    return _ask(verb, oe.Predictions.from_frame, frame, columns, options)


def of_file(verb: Callable[..., Any], path: Any, *columns: Any, **options: Any) -> Any:
    """Describe a file, and ask: columns may end with the measures."""
    return _ask(verb, oe.Predictions.from_file, path, columns, options)


def _ask(
    verb: Callable[..., Any],
    describe: Callable[..., oe.Predictions],
    source: Any,
    columns: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    nouns = inspect.signature(describe).parameters
    data = {name: x for name, x in options.items() if name in nouns}
    question = {name: x for name, x in options.items() if name not in nouns}
    return verb(describe(source, *columns[:2], **data), *columns[2:], **question)
