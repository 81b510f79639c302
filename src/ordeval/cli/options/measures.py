"""Measures as they are named in the command: NAME, or NAME(KEY=VALUE) with a parameter."""

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import ordeval as oe
from ordeval._shared.text import joined

_CALL = re.compile(r"\s*(?P<name>\w+)\s*\((?P<inside>.*)\)\s*", re.ASCII | re.DOTALL)
_PAIR = re.compile(
    r"""\s*(?P<key>[A-Za-z_]\w*)\s*=(?P<value>\s*"[^"]*"\s*|\s*'[^']*'\s*|[^,()='"]+)(?:,|$)""",
    re.ASCII,
)
# The label of a cut without quotes may hold commas, brackets and quotation marks.
_CUT = re.compile(r"\s*at_least\s*=\s*(?P<label>\S.*?)\s*", re.ASCII | re.DOTALL)
_ANOTHER = re.compile(r",\s*(\w+\s*=|$)")  # parameter, or a comma that nothing follows
_QUOTED = re.compile(r"""(["'])(?P<inside>.+)\1""", re.DOTALL)
_DECIMAL = re.compile(
    r"[+-]?(?=.*[.e])(\d{1,30}\.?\d{0,30}|\.\d{1,30})(e[+-]?\d{1,3})?", re.ASCII | re.I
)
_WORDS: dict[str, Any] = {"true": True, "false": False}


def read_measure(text: str, *, whole: bool = True, cut: bool = True) -> oe.Metric:
    """The measure that a text names; ``whole`` if it must have all of its parameters.

    It may be without a cut if not ``cut``.
    """
    call = _CALL.fullmatch(text)
    if call is None:
        if "(" in text or ")" in text:
            raise _unreadable(text)
        metric = oe.get_metric(text)
    else:
        metric = oe.get_metric(call["name"])
        given = _parameters(call["inside"], text) or _label_of_cut(call["inside"])
        if given is None:
            raise _unreadable(text)
        metric = metric.with_params(**given)
    # Costs come from a file: --cost.
    missing = [key for key in metric.required if key not in metric.bound and key != "cost"]
    if whole and missing and (cut or not metric.names_level):
        value = "LEVEL" if metric.names_level else "VALUE"
        raise oe.ParameterError(
            f"{metric.name} needs the parameter {missing[0]}: write, in quotes, "
            f"'{metric.registered_as}({missing[0]}={value})'."
        )
    return metric


def read_measures(texts: Iterable[str] | None) -> list[oe.Metric] | None:
    """The measures of an option that may be repeated; None if it was not given."""
    return [read_measure(text, cut=False) for text in texts] if texts else None


def at_each_cut(metrics: list[oe.Metric] | None, scale: Callable[[], oe.Scale]) -> Any:
    """The measures; one that is of a cut, and was named without it, at each cut of the scale."""
    if metrics is None or not any(map(_lacks_cut, metrics)):
        return metrics
    levels = scale().levels[1:]
    each = [[m.with_params(at_least=x) for x in levels] if _lacks_cut(m) else [m] for m in metrics]
    return list({m.name: m for part in each for m in part}.values())


def deciding_cut(metrics: list[oe.Metric] | None, scale: Callable[[], oe.Scale]) -> Any:
    """Return the deciding measure with its cut on the scale."""
    if metrics and _lacks_cut(metrics[0]):
        name = metrics[0].registered_as
        each = [f"'{name}(at_least={x})'" for x in scale().levels[1:]]
        raise oe.ParameterError(
            f"the first measure ranks the models, but {name} depends on a cut: choose one "
            "with --metric "
            f"{joined(each, 'or')}. `ordeval thresholds` shows every cut."
        )
    return at_each_cut(metrics, scale)


def _lacks_cut(metric: oe.Metric) -> bool:
    return metric.names_level and any(name not in metric.bound for name in metric.required)


def _parameters(inside: str, call: str) -> dict[str, Any] | None:
    """The parameters of a measure, KEY=VALUE with commas between them; None if they are not."""
    given: dict[str, Any] = {}
    at = 0
    while at < len(inside) or not given:
        pair = _PAIR.match(inside, at)
        if pair is None or pair["key"] in given:
            return None
        given[pair["key"]] = _value(pair["key"], pair["value"].strip(), call)
        at = pair.end()
    return None if inside.rstrip().endswith(",") else given


def _label_of_cut(inside: str) -> dict[str, Any] | None:
    """The label of a cut, whatever its letters, with or without quotes around it."""
    found = _CUT.fullmatch(inside)
    if found is None:
        return None
    label = found["label"]
    if quoted := _QUOTED.fullmatch(label):
        return {"at_least": quoted["inside"]}
    return None if label[0] in "'\"," or _ANOTHER.search(label) else {"at_least": label}


def _value(key: str, text: str, call: str) -> Any:
    """An integer, a number, a word or the label of a level; nothing is evaluated."""
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if re.fullmatch(r"[+-]?\d{1,15}", text, re.ASCII):
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    if re.fullmatch(r"[A-Za-z_]\w{0,99}", text, re.ASCII):
        return text if key == "at_least" else _WORDS.get(text.lower(), text)
    if key == "at_least" and text:
        return text
    raise _unreadable(call)


def _unreadable(text: str) -> oe.ParameterError:
    return oe.ParameterError(
        f"--metric takes a name, or a name with parameters that are numbers or words, such as "
        f"'oc_index(share=0.25)' or 'sensitivity(at_least=moderate)'; got {text!r}."
    )
