"""One table of what every package does with ordered labels if the order is not declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ordeval._shared.tables import Cell, Table

CASES = {
    "strings low, medium, high": "words",
    "ordered categorical of these": "an ordered pandas categorical",
    "integers 0 to 3, class 2 absent": "integers, a middle class absent",
    "integers 1 to 4, class 4 absent": "integers, the highest class absent",
}
OURS = ("OC, share 0.75", "AUOC")


def answers(record: Mapping[str, Any]) -> Table:
    """Return one row per package, with its answers when only the labels are given."""
    packages = dict.fromkeys(j["package"] for j in record["correctness"]["ordered"])
    head = ("package", *CASES.values(), "values on the papers' matrices", "OC, AUOC")
    rows = [
        (
            f"{name} {record['packages'][name]}",
            *(_summary(record, name, case) for case in CASES),
            _of_papers(record, name),
            "yes" if all(_tally(record, name, m)["of"] for m in OURS) else "no",
        )
        for name in packages
    ]
    cells = tuple(tuple(Cell(text) for text in row) for row in rows)
    return Table(head, cells, "Without a declared order")


def _summary(record: Mapping[str, Any], package: str, case: str) -> str:
    by_verdict: dict[str, list[str]] = {}
    for judged in record["correctness"]["ordered"]:
        if (judged["package"], judged["case"]) == (package, case):
            name = judged["measure"] + (" (warns)" if "warns" in judged["text"] else "")
            by_verdict.setdefault(judged["plain"]["verdict"], []).append(name)
    by_verdict.pop("no such measure", None)
    if len(by_verdict) == 1 and "wrong" not in by_verdict:
        return next(iter(by_verdict))
    order = ("wrong", "error", "right")
    found = {v: by_verdict[v] for v in order if v in by_verdict}
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in found.items())


def _of_papers(record: Mapping[str, Any], package: str) -> str:
    tallies = [t for t in record["correctness"]["papers"] if t["package"] == package and t["of"]]
    right, told, of = (sum(t[key] for t in tallies) for key in ("right", "told", "of"))
    if right == told:
        return f"{right} of {of} correct"
    return f"{right} of {of} correct; {'all ' if told == of else ''}{told} with labels="


def _tally(record: Mapping[str, Any], package: str, measure: str) -> Mapping[str, Any]:
    for tally in record["correctness"]["papers"]:
        if (tally["package"], tally["measure"]) == (package, measure):
            return dict(tally)
    raise KeyError(measure)
