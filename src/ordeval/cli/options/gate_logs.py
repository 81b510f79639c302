"""What gates say to those who read logs: lines, annotations of GitHub, and JUnit XML."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import ordeval as oe
from ordeval._shared.text import joined, plural, visible
from ordeval._shared.writing import write_text
from ordeval.cli._errors import complain
from ordeval.cli.options.option_groups import flag, option

_SERVICES = ("github",)


class GateVerdict(NamedTuple):
    """Whether a gate held for a model or a subgroup, and the sentence that says why."""

    gate: str
    name: str
    text: str
    held: bool


@dataclass(frozen=True)
class Log:
    """Where the verdicts of gates go, next to standard error."""

    ci: str | None = option(
        "NAME", "CI service: github prints failed gates as annotations.", words=_SERVICES
    )
    junit: Path | None = option(
        "FILE",
        "JUnit XML file, with a test case per gate and model or subgroup.",
        readable=False,
    )

    quiet: bool = flag(
        "Print only failed gates and the number that passed.",
        "--quiet",
        "-q",
    )

    def check(self) -> None:
        """Refuse a service that is not known."""
        if self.ci is not None and self.ci not in _SERVICES:
            raise oe.ParameterError(f"--ci must be {joined(_SERVICES, 'or')}; got {self.ci!r}.")

    def put(self, verdicts: Sequence[GateVerdict], *, held: bool) -> None:
        """Tell which gates failed, and which held if that is asked for."""
        for verdict in verdicts:
            if verdict.held and held:
                complain(f"gate passed: {verdict.text}")
        for verdict in verdicts:
            if not verdict.held:
                complain(f"gate failed: {verdict.text}")
        if self.ci is not None:
            for verdict in verdicts:
                if not verdict.held:
                    complain(annotation(verdict))
        if self.quiet:
            stood = sum(verdict.held for verdict in verdicts)
            complain(f"{stood:,} of {plural(len(verdicts), 'gate')} passed")
        if self.junit is not None:
            write_text(self.junit, junit(verdicts))


def annotation(verdict: GateVerdict) -> str:
    """A failed gate as GitHub shows it; a name cannot end the line and start a command."""
    return f"::error title=ordeval gate::{visible(verdict.text).replace('%', '%25')}"


def junit(verdicts: Sequence[GateVerdict]) -> str:
    """All verdicts as JUnit XML."""
    from xml.sax.saxutils import escape, quoteattr  # slow to load

    failed = sum(not verdict.held for verdict in verdicts)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites tests="{len(verdicts)}" failures="{failed}" errors="0">',
        f'  <testsuite name="ordeval" tests="{len(verdicts)}" failures="{failed}" errors="0">',
    ]
    for verdict in verdicts:
        gate, name, text = (visible(x) for x in (verdict.gate, verdict.name, verdict.text))
        case = f"    <testcase classname={quoteattr(gate)} name={quoteattr(name)}"
        if verdict.held:
            lines.append(f"{case}/>")
            continue
        lines += [
            f"{case}>",
            f'      <failure type="gate" message={quoteattr(text)}>{escape(text)}</failure>',
            "    </testcase>",
        ]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])
