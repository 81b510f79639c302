"""The reference of the command line, made from the Typer application."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from ordeval.cli import app
from ordeval.cli.options.parsing import GROUPS

INTRODUCTION = """Every command reads files and prints the answer first, then a table.
`ordeval COMMAND --help` shows the same text. `-o FILE` writes a result to a file, and `--format`
prints another format. Exit code 0 means success, 1 a failed gate, 2 bad input or usage."""


def page() -> str:
    """Return one page with every command, its arguments, options and examples."""
    group: Any = typer.main.get_command(app)
    commands = {name: c for name, c in group.commands.items() if not c.hidden}
    rows = [f"| [`{n}`](#ordeval-{n}) | {_summary(c)} |" for n, c in commands.items()]
    parts = [
        "# Command line",
        INTRODUCTION,
        "\n".join(["| command | purpose |", "|---|---|", *rows]),
    ]
    for name, command in commands.items():
        parts += _command(name, command)
    return "\n\n".join(parts) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    text, examples = _split(command.help or "")
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join(["ordeval", name, "[OPTIONS]", *(_argument(a) for a in arguments)])
    yield f"(ordeval-{name})=\n## ordeval {name}"
    yield _literals(text)
    yield f"```text\n{usage.strip()}\n```"
    if arguments := [a for a in arguments if a.help]:
        rows = [f"| `{a.metavar or a.name.upper()}` | {_cell(a.help)} |" for a in arguments]
        yield "\n".join(["| argument | meaning |", "|---|---|", *rows])
    for title, options in _panels(command).items():
        rows = [f"| {_names(o)} | {_cell(o.help)}{_default(o)} |" for o in options]
        yield "\n".join([f"| {title} | meaning |", "|---|---|", *rows])
    if examples:
        yield "```text\n" + examples + "\n```"


def _panels(command: Any) -> dict[str, list[Any]]:
    """The options of a command by the heading under which its help lists them."""
    of = {name: group for group, names in GROUPS.items() for name in names.split()}
    found: dict[str, list[Any]] = {group: [] for group in GROUPS}
    for option in command.params:
        if option.param_type_name == "option" and not option.hidden:
            found[of.get(max(option.opts, key=len).removeprefix("--"), "Output")].append(option)
    return {group: options for group, options in found.items() if options}


def _split(text: str) -> tuple[str, str]:
    """The prose of a help text, and the commands below its heading "Examples"."""
    prose, _, examples = text.replace("\b\n", "").partition("Examples:\n")
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    return prose.strip(), "\n".join(lines)


def _summary(command: Any) -> str:
    return _cell(_split(command.help or "")[0].split("\n\n")[0])


def _argument(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    many = "..." if argument.nargs == -1 else ""
    return f"{name}{many}" if argument.required else f"[{name}]{many}"


def _names(option: Any) -> str:
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    return ", ".join(f"`{name}{value}`" for name in option.opts)


def _default(option: Any) -> str:
    shown = option.default
    if option.is_flag or not isinstance(shown, (int, float, str)) or shown in ("", None):
        return ""
    return "" if "default" in (option.help or "") else f" Default: `{shown}`."


def _cell(text: str) -> str:
    return _literals(" ".join(text.split())).replace("|", r"\|")


def _literals(text: str) -> str:
    """Options as code: two hyphens would become a dash."""
    return re.sub(r"(?<![\w`-])(--?[a-z][\w-]*)", r"`\1`", text)
