"""Checks of arguments by their annotations: one for each kind of parameter.

A public function that says ``progress: Progress | None`` or ``title: str | None`` is called with
nothing else: ``checked`` raises an error that names the parameter. Arguments annotated as ``Any``,
such as labels, are checked where they are read."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import os
import reprlib
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, repeat
from numbers import Integral, Real
from types import FunctionType, NoneType, SimpleNamespace, UnionType
from typing import (
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import did_you_mean, joined, named, nearest
from ordeval.exceptions import OrdevalError, ParameterError

F = TypeVar("F", bound=Callable[..., Any])
_LARGEST: Final = 2**63 - 1  # integers and floats beyond it fit nothing that counts or measures


class ArgumentKind(NamedTuple):
    """What an argument must be: a test, and words for it."""

    fits: Callable[[Any], bool]
    words: str


def checked(function: F) -> F:
    """Return the function with checks of its annotated arguments."""
    return _checked(function, ())


def checked_but(*names: str) -> Callable[[F], F]:
    """Return ``checked`` without some parameters, which the function checks itself."""
    return lambda function: _checked(function, names)


def _checked(function: F, but: tuple[str, ...]) -> F:
    kinds = functools.cache(functools.partial(_kinds_of, function, but))
    positional = functools.cache(functools.partial(_positional, function))
    check, in_order = _check, _in_order

    def run(*args: Any, **keywords: Any) -> Any:
        check(kinds(), zip(in_order(*positional()), args, strict=False))
        check(kinds(), keywords.items())
        return function(*args, **keywords)

    # It belongs to the module of the function, where examples in docstrings are looked for.
    own = FunctionType(run.__code__, function.__globals__, run.__name__, None, run.__closure__)
    return cast(F, functools.wraps(function)(own))


def check_options(options: Mapping[str, Any], kinds: type) -> None:
    """Check keywords by the annotations of a TypedDict, or of a dataclass that they make."""
    _check(_kinds_of_options(kinds), options.items())


def shown(value: Any) -> str:
    """Format any value for a message."""
    try:
        return reprlib.repr(value)
    except Exception:  # of a class that is not ours
        return f"a {type(value).__name__}"


def _check(kinds: Mapping[str, ArgumentKind], given: Iterable[tuple[str, Any]]) -> None:
    for name, value in given:
        kind = kinds.get(name)
        if kind is not None and not kind.fits(value):
            raise ParameterError(f"{named(name)} must be {kind.words}; got {shown(value)}.")


def _positional(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """The parameters that have a place, and that which takes any further argument."""
    parameters = inspect.signature(function).parameters.values()
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in by_place]
    return names, [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]


def _in_order(names: list[str], further: list[str]) -> Iterator[str]:
    """The parameters of positional arguments, however many there are."""
    return chain(names, *map(repeat, further))


def _kinds_of(function: Callable[..., Any], but: tuple[str, ...]) -> dict[str, ArgumentKind]:
    """The kinds of the parameters that have one, without some of them."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name not in but]
    said = (p for p in parameters if p.annotation is not p.empty and p.kind is not p.VAR_KEYWORD)
    hints = {p.name: p.annotation for p in said}
    return _kinds(hints, getattr(function, "__globals__", {}))


@functools.cache
def _kinds_of_options(options: type) -> dict[str, ArgumentKind]:
    found: dict[str, ArgumentKind] = {}
    for base in reversed(options.__mro__):
        found |= _own_kinds(base)
    return found


@functools.cache
def _own_kinds(options: type) -> dict[str, ArgumentKind]:
    """The kinds of the fields of a class itself: its base classes are asked once for all."""
    hints = vars(options).get("__annotations__", {})
    hints = {name: getattr(x, "__forward_arg__", x) for name, x in hints.items()}
    return _kinds(hints, vars(sys.modules[options.__module__]))


def _kinds(hints: Mapping[str, Any], names: dict[str, Any]) -> dict[str, ArgumentKind]:
    found = {name: _kind(_evaluated(hint, names)) for name, hint in hints.items()}
    return {name: kind for name, kind in found.items() if kind is not None}


def _evaluated(hint: Any, names: dict[str, Any]) -> Any:
    """An annotation, which is a text in modules that postpone them."""
    if not isinstance(hint, str):
        return hint
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"": hint}), names)[""]
    except (NameError, TypeError):  # imported for type checkers only, or quoted in parts
        return Any


def _kind(hint: Any) -> ArgumentKind | None:
    """What a type hint asks for; None if that is left to others."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _one_of([_kind(x) for x in inner])
    if origin is Literal:
        words = joined([f'"{x}"' for x in inner], "or", most=len(inner))
        return ArgumentKind(lambda x: isinstance(x, str), words)
    if origin in (collections.abc.Mapping, dict):
        return ArgumentKind(lambda x: isinstance(x, Mapping), "a mapping")
    if origin in (collections.abc.Sequence, list, tuple):
        return _list_of(_kind(inner[0]) if inner else None)
    if origin is collections.abc.Callable:
        return ArgumentKind(callable, "a function")
    if origin is os.PathLike:
        return ArgumentKind(lambda x: isinstance(x, os.PathLike), "a path")
    if isinstance(origin or hint, type) and (origin or hint) not in _ANYTHING:
        of = origin or hint
        article = "an" if of.__name__[0] in "AEIO" else "a"
        return ArgumentKind(lambda x: isinstance(x, of), f"{article} {of.__name__}")
    return None


def _one_of(kinds: list[ArgumentKind | None]) -> ArgumentKind | None:
    """Any of several kinds; None, by default given, needs no mention."""
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None
    words = list(dict.fromkeys(kind.words for kind in known if kind.words))
    return ArgumentKind(lambda x: any(kind.fits(x) for kind in known), joined(words, "or", most=9))


def _list_of(kind: ArgumentKind | None) -> ArgumentKind:
    """Several values in an order, each of one kind."""

    def fits(values: Any) -> bool:
        other = isinstance(values, (str, bytes, Mapping, set, frozenset))
        if other or not hasattr(values, "__len__") or getattr(values, "ndim", 1) != 1:
            return False
        with suppress(TypeError):  # a length alone makes no list
            return kind is None or all(kind.fits(x) for x in values)
        return False

    several = _SEVERAL.get("" if kind is None else kind.words)
    return ArgumentKind(fits, f"a list of {several}" if several else "a list")


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number that 64 bits hold."""
    return is_integral(value) and abs(int(value)) <= _LARGEST


def is_number(value: Any) -> bool:
    """Whether a value is a number, and no larger than 64 bits hold if it is whole."""
    if isinstance(value, Integral):
        return is_whole(value)
    return isinstance(value, Real)


def is_integral(value: Any) -> bool:
    """Whether a value is a whole number, however large."""
    return isinstance(value, Integral) and not isinstance(value, _NO_INTEGERS)


# A bool is an integer to Python, and a duration is one to NumPy.
_NO_INTEGERS: Final = (bool, np.bool_, np.timedelta64)


_PLAIN: Final[dict[Any, ArgumentKind]] = {
    bool: ArgumentKind(lambda x: isinstance(x, (bool, np.bool_)), "True or False"),
    int: ArgumentKind(is_whole, "a whole number"),
    float: ArgumentKind(is_number, "a number"),
    str: ArgumentKind(lambda x: isinstance(x, str), "a text"),
    NoneType: ArgumentKind(lambda x: x is None, ""),
}
_SEVERAL: Final = {
    "a text": "texts",
    "a number": "numbers",
    "a whole number": "whole numbers",
    "a text or a path": "paths",
}
# Left to those who read it.
_ANYTHING: Final[tuple[Any, ...]] = (Any, object, np.ndarray, Iterable, Hashable)


def floats(
    value: Any, name: str, error: type[OrdevalError] = ParameterError
) -> NDArray[np.float64]:
    """Return an array of numbers from any container."""
    with suppress(TypeError, ValueError, OverflowError):  # rows of two lengths, too large, texts
        if np.asarray(value).dtype.kind not in "cmM":  # which NumPy would convert
            return np.asarray(value, dtype=np.float64)
    raise error(f"{named(name)} must be an array of numbers; got {shown(value)}.")


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array; rows of different lengths make none."""
    with suppress(ValueError):
        return np.shape(value)
    return ()


def listed(
    value: Any, name: str, error: type[OrdevalError] = ParameterError, words: str = "a list"
) -> list[Any]:
    """The values of a list, an array, a column or an iterator."""
    try:
        return list(value)
    except TypeError:
        raise error(f"{named(name)} must be {words}; got {shown(value)}.") from None


def is_name(value: Any) -> bool:
    """Whether a value can name something: a list or an array cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_among(value: Any, known: Collection[Any]) -> bool:
    """Whether a value of any type is one of those that are known."""
    try:
        return is_name(value) and value in known
    except TypeError:  # the missing value of pandas equals neither something nor nothing
        return False


def check_among(name: str, value: Any, known: Collection[Any]) -> None:
    """Refuse a value that is not one of those that are known."""
    if not is_among(value, known):
        hint = did_you_mean(nearest(value, map(str, known))) if isinstance(value, str) else ""
        every = joined([shown(x) for x in known], "or", most=9)
        raise ParameterError(f"{named(name)} must be {every}; got {shown(value)}.{hint}")


def check_amount(name: str, value: Any, least: int = 1, most: int = 10**8) -> int:
    """The number as an integer of Python; an error if it is invalid or exceeds the memory."""
    if not is_whole(value) or value < least:
        raise ParameterError(f"{named(name)} must be an integer >= {least}; got {shown(value)}.")
    if value > most:
        raise ParameterError(f"{named(name)} must be at most {most:,}; got {shown(value)}.")
    return int(value)
