"""Docstrings of public functions are numpydoc: a summary, and what goes in, comes out and fails."""

import inspect
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

import ordeval as oe

# They raise nothing on purpose.
SAFE = {"report.to_json", "report.to_latex", "report.to_markdown"}
# The classes that users call by name, and those of their methods that take or give data.
NOUNS = {
    "Accumulator": ["update", "merge", "confusion_matrix"],
    "ConfusionMatrix": ["from_labels", "from_frame", "from_file", "normalized", "collapse"],
    "Metric": ["from_confusion", "with_params"],
    "Predictions": ["from_frame", "from_file", "confusion"],
    "Ratings": ["from_long", "from_wide", "from_file", "consensus", "agreement", "severity"],
    "Scale": ["range", "infer", "encode", "decode"],
}


def functions() -> Iterator[tuple[str, Any]]:
    for module in (oe, *(getattr(oe, name) for name in oe._MODULES)):
        prefix = module.__name__.removeprefix("ordeval").lstrip(".")
        for name in module.__all__:
            try:
                thing = getattr(module, name)
            except oe.MissingExtraError:
                if os.environ.get("CI") == "true":
                    raise
                continue  # light installs document what they have
            if inspect.isfunction(thing):
                yield f"{prefix}.{name}".lstrip("."), thing
    for name, methods in NOUNS.items():
        for method in methods:
            yield f"{name}.{method}", getattr(getattr(oe, name), method)


FUNCTIONS = dict(functions())
every = pytest.mark.parametrize("name", [*FUNCTIONS, *oe.metrics().names])


def documented(name: str) -> tuple[str, dict[str, str]]:
    """What a docstring says at the beginning, and its sections."""
    text = inspect.getdoc(FUNCTIONS.get(name) or oe.get_metric(name)) or ""
    start, *rest = re.split(r"^(\w+)\n-+\n", text, flags=re.M)
    return start.strip(), dict(zip(rest[::2], rest[1::2], strict=True))


def listed(section: str) -> set[str]:
    """The names that a section describes."""
    lines = re.findall(r"^(\S.*)\n {4}\S", section, flags=re.M)
    return {name.lstrip("*") for line in lines for name in line.split(", ")}


@every
def test_the_summary_is_one_line(name: str) -> None:
    summary, *rest = documented(name)[0].split("\n")
    assert summary.endswith(".")
    assert rest[:1] in ([], [""])


@every
def test_every_parameter_is_described(name: str) -> None:
    thing = FUNCTIONS.get(name) or oe.get_metric(name)
    signature = inspect.signature(inspect.unwrap(thing) if name == "register" else thing)
    taken = {*signature.parameters} - {"self", "cls"}
    if name == "register":
        taken = {"name", "replace", "kind", "facts"}  # it shows every fact
    assert listed(documented(name)[1].get("Parameters", "")) == taken


@every
def test_what_is_returned_and_raised_is_described(name: str) -> None:
    sections = documented(name)[1]
    assert sections["Returns"].strip()
    assert ("Raises" not in sections) == (name in SAFE)
    known = {error for error in oe.__all__ if error.endswith("Error")} | {"ValueError"}
    assert listed(sections.get("Raises", "")) <= known


@every
def test_sections_are_in_the_usual_order(name: str) -> None:
    order = ["Parameters", "Returns", "Raises", "Notes", "Examples"]
    found = [*documented(name)[1]]
    assert found == [section for section in order if section in found]
