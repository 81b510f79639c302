"""Options of commands, one by one and in groups.

Typer reads the options of a command off its signature. ``option`` describes one instead of its
default. A command takes a dataclass where it would list a dozen parameters: ``grouped`` puts the
fields of every dataclass among its parameters in its place there, and fills it when called.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, field, fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

import typer

_KEPT = "option"  # the key of a field's metadata


def option(
    metavar: str | None,
    help: str,  # noqa: A002 - Typer's word
    *names: str,
    default: Any = None,
    words: Iterable[str] | Callable[[], Iterable[str]] = (),
    **more: Any,
) -> Any:
    """Describe an option, instead of a default or within ``Annotated``.

    Parameters
    ----------
    metavar, help
        What the help says of its value, None of a flag, and of the option.
    names
        How it is written; by default as its parameter is called.
    default
        Its value if it is not given.
    words
        What the shell completes it by.
    **more
        Other arguments of ``typer.Option``.
    """
    if words:
        more["autocompletion"] = starting(words)
    said = {_KEPT: (names, {"metavar": metavar, "help": help, **more})}
    if default == []:
        return field(default_factory=list, metadata=said)
    return field(default=default, metadata=said)


def absent(value: Any) -> Any:
    """Describe a field that is no option of a command that takes the others of its group."""
    kept = {_KEPT: None}
    if value == []:
        return field(default_factory=list, metadata=kept)
    return field(default=value, metadata=kept)


def flag(help: str, *names: str) -> Any:  # noqa: A002 - Typer's word
    """Describe an option without a value."""
    return option(None, help, *names, default=False)


def starting(words: Iterable[str] | Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What the shell completes the beginning of a word by."""

    def completed(incomplete: str) -> list[str]:
        every = words() if callable(words) else words
        return [word for word in every if word.startswith(incomplete)]

    return completed


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the fields of its dataclasses as separate options."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: t for name, t in hints.items() if isinstance(t, type) and is_dataclass(t)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _parameters(groups[name])
        else:
            parameters.append(_keyword(name, hints[name], parameter.default))

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in _options(group)})
        command(**given)

    # Typer would look through the wrapper at the command itself.
    del run.__wrapped__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [_keyword(f.name, hints[f.name], f) for f in _options(group)]


def _options(group: Any) -> list[Field[Any]]:
    """The fields of a group that are options."""
    return [f for f in fields(group) if f.metadata.get(_KEPT, ()) is not None]


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """A parameter as Typer reads it, with its description."""
    described = [x for x in (default, *get_args(annotation)) if isinstance(x, Field)]
    value = _default(default) if isinstance(default, Field) else default
    for names, more in (x.metadata[_KEPT] for x in described if _KEPT in x.metadata):
        names = names or (f"--{name.replace('_', '-')}",)
        shown = value is not None and value is not False and value not in ("", [])
        made = typer.Option(*names, **{"show_default": shown, **more})
        annotation = Annotated[_type_of(annotation), made]
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=value)


def _type_of(annotation: Any) -> Any:
    """The type that ``Annotated`` says more about."""
    return annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation


def _default(described: Any) -> Any:
    if described.default_factory is not MISSING:
        return described.default_factory()
    return inspect.Parameter.empty if described.default is MISSING else described.default
