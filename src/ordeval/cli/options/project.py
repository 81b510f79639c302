"""The project file: what `ordeval check` runs, in TOML, every key checked."""

import os
import tomllib
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import ordeval as oe
from ordeval._shared.text import did_you_mean, joined, nearest
from ordeval.cli.options.answers import AnswerOptions
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.judging import Judges, Judging
from ordeval.cli.options.ratings import RatingColumns
from ordeval.cli.options.shared import Comparing

OWN = "ordeval.toml"
SHARED = "pyproject.toml"
_TABLE = "[tool.ordeval]"
_KINDS: Final[dict[Any, str]] = {
    str: "a text",
    list[str]: "a text, or a list of texts",
    bool: "true or false",
    float: "a number",
    int: "a whole number, not negative",
    "labels": "a list of labels, or a text such as '1..5' or '@scale.json'",
    "max_dropped": "a share such as '5%', or a number of items",
}
_ONLY_COMPARED = ("reference", "margin", "model_col")


def _kinds(*groups: Any, **renamed: str) -> dict[str, Any]:
    """The keys, which are options of a command, with the kinds of their values."""
    options = {name: hint for group in groups for name, hint in get_type_hints(group).items()}
    for option, key in renamed.items():
        options[key] = options.pop(option)
    return {name: _without_none(hint) for name, hint in options.items()}


def _without_none(hint: Any) -> Any:
    """The type of a value that is given."""
    if isinstance(hint, UnionType):
        return next(t for t in get_args(hint) if t is not NoneType)
    return hint


_OWN_KINDS: Final = {name: name for name in ("labels", "max_dropped")}
KEYS: Final = {
    **_kinds(JoinedColumns, Comparing, metric="metrics"),
    "fail_under": list[str],
    **_OWN_KINDS,
}
# Those of the table [judge].
JUDGE_KEYS: Final = {
    **_kinds(RatingColumns, Judges, Judging, AnswerOptions, file="ratings"),
    **_OWN_KINDS,
}


class Project(NamedTuple):
    """A project file that was read: its path, and the parameters of commands."""

    path: Path
    given: dict[str, Any]  # of score or compare; empty if the file is about judges only
    judge: dict[str, Any]  # of judge; empty without a table [judge]

    @property
    def compares(self) -> bool:
        """Whether models are compared: there are several, as in a long table, or a reference."""
        named = ("pred", "prob", "score", "pred_file")
        models = sum(len(self.given.get(key, ())) for key in named)
        return models > 1 or any(key in self.given for key in _ONLY_COMPARED)


def read_project(config: Path | None) -> Project:
    """The project file that is named, or the one in the working directory."""
    path = config or _found()
    held = dict(_table(path))
    judge = _judge(held.pop("judge"), path) if "judge" in held else {}
    if judge and not held:
        return Project(path, {}, judge)
    return Project(path, _models(held, path), judge)


def _models(held: dict[str, Any], path: Path) -> dict[str, Any]:
    """The parameters of score or compare."""
    given = _known(held, KEYS, path)
    for key in ("file", "truth"):
        elsewhere = key == "file" and {"truth_file", "pred_file"} <= given.keys()
        if key not in given and not elsewhere:
            raise oe.ParameterError(f"{str(path)!r} needs the key {key!r}.")
    if not ("fail_under" in given or "max_dropped" in given):
        raise oe.ParameterError(
            f"{str(path)!r} has no gates: add fail_under, a list such "
            f"as ['cem_ord.low=0.7'], or max_dropped."
        )
    if "metrics" in given:
        given["metric"] = given.pop("metrics")
    return _from_here(given, os.path.dirname(path))


def _known(held: dict[str, Any], kinds: dict[str, Any], path: Path, table: str = "") -> Any:
    """The values of keys that are known, checked."""
    where = f"{str(path)!r}{f', table {table},' if table else ''}"
    for key in held:
        if key not in kinds:
            gates = "[judge.gates]" if table else "fail_under"
            near = [gates] if key.startswith("gate") else nearest(key, kinds)
            known = f" Known keys: {joined(list(kinds), most=99)}."
            raise oe.ParameterError(
                f"{where} has the unknown key {key!r}.{did_you_mean(near)}{known}"
            )
    return {key: _checked(key, value, path, kinds) for key, value in held.items()}


def _judge(held: Any, path: Path) -> dict[str, Any]:
    """The parameters of judge, from the table [judge], whose gates are a table of their own."""
    if not isinstance(held, dict) or not isinstance(held.get("gates", {}), dict):
        raise oe.ParameterError(f"{str(path)!r}: [judge] and [judge.gates] must be tables.")
    held = dict(held)
    gates = held.pop("gates", {})
    given = _known(held, JUDGE_KEYS, path, "[judge]")
    for key in ("ratings", "judges"):
        if key not in given and not (key == "judges" and "judge" in given):
            raise oe.ParameterError(f"{str(path)!r}: [judge] needs the key {key!r}.")
    for name, value in gates.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise oe.ParameterError(
                f'{str(path)!r}: gates in [judge.gates] are numbers, such as "gap.low" = -0.05; '
                f"got {name} = {value!r}."
            )
    if not gates and "max_dropped" not in given:
        raise oe.ParameterError(
            f"{str(path)!r}: [judge] has no gates: add the table "
            f'[judge.gates], for example "gap.low" = -0.05.'
        )
    given["file"] = given.pop("ratings")
    folder = os.path.dirname(path)
    for key in ("judges", "before"):
        if key in given:
            given[key] = os.path.join(folder, given[key])
    gated = {"fail_under": [f"{name}={value!r}" for name, value in gates.items()] or None}
    return _from_here(given, folder) | gated


def _found() -> Path:
    """The project file of the working directory; a file of our own goes before a shared one."""
    if os.path.lexists(OWN):
        return Path(OWN)
    if os.path.lexists(SHARED) and _tool(Path(SHARED)) is not None:
        return Path(SHARED)
    raise oe.ParameterError(
        f"No project file found: create {OWN}, add the table {_TABLE} to {SHARED}, or "
        "pass --config FILE."
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
        raise oe.ParameterError(f"{str(path)!r} is not TOML: it is not text in UTF-8.") from None


def _checked(key: str, value: Any, path: Path, kinds: dict[str, Any]) -> Any:
    """The value in the form of the option."""
    kind = kinds[key]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    text = isinstance(value, str) and bool(value)
    texts = isinstance(value, list) and bool(value) and all(isinstance(x, str) and x for x in value)
    fits, held = {
        str: (text, value),
        list[str]: (text or texts, [value] if text else value),
        bool: (isinstance(value, bool), value),
        float: (number, value),
        int: (number and isinstance(value, int) and value >= 0, value),
        "labels": (text or isinstance(value, list), value),
        "max_dropped": (text or number, str(value)),
    }[kind]
    if not fits:
        raise oe.ParameterError(f"{str(path)!r}: {key} must be {_KINDS[kind]}; got {value!r}.")
    return float(held) if kind is float else held


def _from_here(given: dict[str, Any], folder: str) -> dict[str, Any]:
    """Make paths relative to the project file."""
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
    for key in ("labels", "decide"):
        text = moved.get(key)
        if isinstance(text, str) and text.startswith("@"):
            moved[key] = "@" + os.path.join(folder, text[1:])
    return moved
