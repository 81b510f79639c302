"""Read JSON logs of other tools completely, or raise one clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ordeval._shared.types import StrPath
from ordeval.exceptions import LabelError

Record = dict[str, Any]


def read_text(path: StrPath) -> str:
    """Return the text of a log."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # bytes that are not text, a name with a null byte
        raise LabelError(f"{path} cannot be read as text: {error}.") from None


def parsed(text: str | bytes, where: str) -> Any:
    """Parse a JSON value."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise LabelError(f"{where} is not JSON: {error}.") from None


def within(value: Any, *keys: str) -> Any:
    """Return the value at the end of a path of keys, or None if a key is missing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def all_records(found: Any, path: StrPath, what: str) -> list[Record]:
    """Return the list of objects; raise an error if it is empty."""
    if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
        raise LabelError(f"{path} has no list of {what}.")
    if not found:
        raise LabelError(f"{path} holds no {what}.")
    return found


def read_lines(path: StrPath) -> list[Any]:
    """Return the values of a file of JSON lines."""
    lines = [line for line in read_text(path).split("\n") if line.strip()]
    return [parsed(line, f"line {i} of {path}") for i, line in enumerate(lines, 1)]
