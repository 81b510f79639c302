"""Measures as they are named in the command: NAME, or NAME(KEY=VALUE) with a parameter."""

import math
import re
from collections.abc import Iterable
from typing import Any

import ordeval as oe

_CALL = re.compile(r"\s*(?P<name>\w+)\s*\((?P<inside>[^()]*)\)\s*", re.ASCII)
_PAIR = re.compile(r"\s*(?P<key>[A-Za-z_]\w*)\s*=\s*(?P<value>[^=,\s]+)\s*", re.ASCII)
_DECIMAL = re.compile(
    r"[+-]?(?=.*[.e])(\d{1,30}\.?\d{0,30}|\.\d{1,30})(e[+-]?\d{1,3})?", re.ASCII | re.I
)
_WORDS: dict[str, Any] = {"true": True, "false": False}


def read_measure(text: str, *, whole: bool = True) -> oe.Metric:
    """The measure that a text names; ``whole`` if it must have all of its parameters."""
    call = _CALL.fullmatch(text)
    if call is None:
        if "(" in text or ")" in text:
            raise _unreadable(text)
        metric = oe.get_metric(text)
    else:
        metric = oe.get_metric(call["name"])
        pairs = [_PAIR.fullmatch(pair) for pair in call["inside"].split(",")]
        given = {pair["key"]: _value(pair["value"], text) for pair in pairs if pair is not None}
        if len(given) < len(pairs):
            raise _unreadable(text)
        metric = metric.with_params(**given)
    # Costs come from a file: --cost.
    missing = [key for key in metric.required if key not in metric.bound and key != "cost"]
    if whole and missing:
        raise oe.ParameterError(
            f"{metric.name} needs the parameter {missing[0]}: write, in quotes, "
            f"'{metric.registered_as}({missing[0]}=VALUE)'."
        )
    return metric


def read_measures(texts: Iterable[str] | None) -> list[oe.Metric] | None:
    """The measures of an option that may be repeated; None if it was not given."""
    return [read_measure(text) for text in texts] if texts else None


def _value(text: str, call: str) -> Any:
    """An integer, a number or a word; nothing is evaluated."""
    if re.fullmatch(r"[+-]?\d{1,15}", text, re.ASCII):
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    if re.fullmatch(r"[A-Za-z_]\w{0,99}", text, re.ASCII):
        return _WORDS.get(text.lower(), text)
    raise _unreadable(call)


def _unreadable(text: str) -> oe.ParameterError:
    return oe.ParameterError(
        f"a measure is named by itself, or with parameters that are numbers or words, for example "
        f"'oc_index(share=0.25)'; got {text!r}."
    )
