"""Logs of other tools: JSON that is read whole, or one clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ordeval._shared.types import StrPath
from ordeval.exceptions import LabelError

Record = dict[str, Any]


def read_text(path: StrPath) -> str:
    """The text of a log."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # bytes that are no text, a name with a null byte
        raise LabelError(f"{path} cannot be read as text: {error}.") from None


def parsed(text: str | bytes, where: str) -> Any:
    """A JSON value."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise LabelError(f"{where} is not JSON: {error}.") from None


def within(value: Any, *keys: str) -> Any:
    """What stands at the end of keys, None where one of them is missing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def all_records(found: Any, path: StrPath, what: str) -> list[Record]:
    """A list of objects that is not empty."""
    if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
        raise LabelError(f"{path} has no list of {what}.")
    if not found:
        raise LabelError(f"{path} holds no {what}.")
    return found
