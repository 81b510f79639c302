"""How arguments of the library are written on the command line."""

from typing import Any

_FLAGS = {
    "n_resamples": "--resamples",
    "rng": "--seed",
    "metrics": "--metric",
    ("missing", "drop"): "--drop-missing",
    ("unknown", "drop"): "--drop-unknown",
    ("outputs", "scores"): "--score instead of --pred",
    ".to_csv()": "--format csv",
    ".deltas()": "--format json",
    ".to_json()": "--format json",
    ".to_html()": "`ordeval report`",
    ".table()": "--format csv",
    "expected": "--from",
    "sizes": "--items",
    "pattern": "--answer-pattern",
    "model": "--model-col",
    "format": "--input-format",
}


def in_flags(name: str, value: Any) -> str:
    """How an argument of the library is written on the command line."""
    if name == ".details()":
        return f"--{value}"
    if name == ".to_html()" and value is not None:
        return f"-o {value}"
    if name.endswith("()") and name not in _FLAGS:
        return f"`ordeval {name[:-2]}`"
    if isinstance(value, str) and (name, value) in _FLAGS:
        return _FLAGS[name, value]
    flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
    if value is None:
        return flag
    if isinstance(value, range):
        return f"{flag} {value[0]}..{value[-1]}"
    return f"{flag} {','.join(map(str, value)) if isinstance(value, list) else value}"
