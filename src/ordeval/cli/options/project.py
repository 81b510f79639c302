"""The project file: what `ordeval check` runs, in TOML, every key checked."""

import os
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import ordeval as oe
from ordeval._shared.text import did_you_mean, joined, nearest

OWN = "ordeval.toml"
SHARED = "pyproject.toml"
_TABLE = "[tool.ordeval]"
# Keys by the kind of their value. Each is an option of `ordeval score` and `ordeval compare`.
_TEXTS = (
    "truth",
    "model_col",
    "pred_col",
    "truth_file",
    "table",
    "input_format",
    "where",
    "encoding",
    "decimal",
    "weight",
    "cost",
    "decide",
    "reference",
    "method",
)
_LISTS = (
    "file",
    "pred",
    "prob",
    "score",
    "item",
    "pred_file",
    "on",
    "by",
    "clusters",
    "metrics",
    "fail_under",
)
_FLAGS = ("drop_missing", "drop_unknown")
_NUMBERS = ("margin", "level")
_WHOLE_NUMBERS = ("resamples", "seed")
_OTHERS = ("labels", "max_dropped")
KEYS = (*_TEXTS, *_LISTS, *_FLAGS, *_NUMBERS, *_WHOLE_NUMBERS, *_OTHERS)
_ONLY_COMPARED = ("reference", "margin", "model_col")


class Project(NamedTuple):
    """A project file that was read: its path, and the parameters of a command."""

    path: Path
    given: dict[str, Any]

    @property
    def compares(self) -> bool:
        """Whether models are compared: there are several, as in a long table, or a reference."""
        named = ("pred", "prob", "score", "pred_file")
        models = sum(len(self.given.get(key, ())) for key in named)
        return models > 1 or any(key in self.given for key in _ONLY_COMPARED)


def read_project(config: Path | None) -> Project:
    """The project file that is named, or the one in the working directory."""
    path = config or _found()
    held = _table(path)
    for key in held:
        if key not in KEYS:
            near = ["fail_under"] if key.startswith("gate") else nearest(key, KEYS)
            known = f" Known keys: {joined(KEYS, most=99)}."
            raise oe.ParameterError(
                f"{str(path)!r} has the unknown key {key!r}.{did_you_mean(near)}{known}"
            )
    given = {key: _checked(key, value, path) for key, value in held.items()}
    for key in ("file", "truth"):
        elsewhere = key == "file" and {"truth_file", "pred_file"} <= given.keys()
        if key not in given and not elsewhere:
            raise oe.ParameterError(f"{str(path)!r} must have the key {key!r}.")
    if not ("fail_under" in given or "max_dropped" in given):
        raise oe.ParameterError(
            f"{str(path)!r} sets no gate, so that nothing could fail: add fail_under, a list such "
            f"as ['cem_ord.low=0.7'], or max_dropped."
        )
    if "metrics" in given:
        given["metric"] = given.pop("metrics")
    return Project(path, _from_here(given, os.path.dirname(path)))


def _found() -> Path:
    """The project file of the working directory; a file of our own goes before a shared one."""
    if os.path.lexists(OWN):
        return Path(OWN)
    if os.path.lexists(SHARED) and _tool(Path(SHARED)) is not None:
        return Path(SHARED)
    raise oe.ParameterError(
        f"there is no project file here: write {OWN}, or the table {_TABLE} in {SHARED}, or name "
        f"one with --config FILE."
    )


def _table(path: Path) -> dict[str, Any]:
    if path.name != SHARED:
        return _toml(path)
    held = _tool(path)
    if held is None:
        raise oe.ParameterError(f"{str(path)!r} has no table {_TABLE}.")
    return held


def _tool(path: Path) -> dict[str, Any] | None:
    tools = _toml(path).get("tool")
    held = tools.get("ordeval") if isinstance(tools, dict) else None
    if held is not None and not isinstance(held, dict):
        raise oe.ParameterError(f"{str(path)!r}: {_TABLE} must be a table.")
    return held


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise oe.ParameterError(f"{str(path)!r} could not be read: {error.strerror}.") from None
    except tomllib.TOMLDecodeError as error:
        raise oe.ParameterError(f"{str(path)!r} is not TOML: {error}.") from None
    except (ValueError, RecursionError):  # bytes that are no text, a name with a null byte
        raise oe.ParameterError(f"{str(path)!r} is not TOML, which is text in UTF-8.") from None


def _checked(key: str, value: Any, path: Path) -> Any:
    """The value as an option has it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    text = isinstance(value, str) and bool(value)
    if key in _TEXTS and text:
        return value
    if key in _LISTS and text:
        return [value]
    texts = isinstance(value, list) and all(isinstance(x, str) and x for x in value)
    if key in _LISTS and texts and value:
        return value
    if key in _FLAGS and isinstance(value, bool):
        return value
    if key in _NUMBERS and number:
        return float(value)
    if key in _WHOLE_NUMBERS and number and isinstance(value, int) and value >= 0:
        return value
    if key == "labels" and (text or isinstance(value, list)):
        return value
    if key == "max_dropped" and (text or number):
        return str(value)
    raise oe.ParameterError(f"{str(path)!r}: {key} must be {_kind(key)}; got {value!r}.")


def _kind(key: str) -> str:
    kinds = {
        "a text": _TEXTS,
        "a text, or a list of texts": _LISTS,
        "true or false": _FLAGS,
        "a number": _NUMBERS,
        "a whole number, not negative": _WHOLE_NUMBERS,
        "a list of labels, or a text such as '1..5' or '@scale.json'": ("labels",),
        "a share such as '5%', or a number of items": ("max_dropped",),
    }
    return next(kind for kind, keys in kinds.items() if key in keys)


def _from_here(given: dict[str, Any], folder: str) -> dict[str, Any]:
    """The same, with paths that start where the project file lies."""
    moved = dict(given)
    moved["file"] = [x if x == "-" else os.path.join(folder, x) for x in moved["file"]]
    for key in ("cost", "truth_file"):
        if key in moved:
            moved[key] = os.path.join(folder, moved[key])
    if "pred_file" in moved:
        pairs = (text.partition("=") for text in moved["pred_file"])
        # What is no NAME=FILE:COLUMN is told so as an option is.
        moved["pred_file"] = [
            f"{name}{equals}{os.path.join(folder, rest) if equals else rest}"
            for name, equals, rest in pairs
        ]
    labels = moved.get("labels")
    if isinstance(labels, str) and labels.startswith("@"):
        moved["labels"] = "@" + os.path.join(folder, labels[1:])
    return moved
