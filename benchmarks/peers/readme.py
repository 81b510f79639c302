"""The two tables of the README, made from the record: ``python -m benchmarks.peers.readme``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks._measuring import ROOT
from ordeval._shared.writing import write_text

RECORD = ROOT / "docs" / "benchmarks" / "peers.json"
README = ROOT / "README.md"
CASES = {
    "strings low, medium, high": "words",
    "ordered categorical of these": "an ordered pandas categorical",
    "integers 0 to 3, class 2 absent": "integers, a middle class absent",
    "integers 1 to 4, class 4 absent": "integers, the highest class absent",
}
OURS = ("OC, share 0.75", "AUOC")


def filled(text: str, record: Mapping[str, Any]) -> str:
    """The README with its tables as the record has them."""
    if None in record["packages"].values() or record["plan"]["quick"]:
        raise ValueError("the record is of a quick run, or peers were not installed")
    for name, table in (("answers", answers(record)), ("claims", claims(record))):
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text, count = re.subn(
            pattern, lambda m, t=table: f"{m[1]}{t}\n{m[2]}", text, count=1, flags=re.S
        )
        if not count:
            raise ValueError(f"the README has no place for {name}")
    return text


def answers(record: Mapping[str, Any]) -> str:
    """What each package says of ordered labels, where nothing but the labels is given."""
    packages = dict.fromkeys(j["package"] for j in record["correctness"]["ordered"])
    head = ["", *CASES.values(), "values on the papers' matrices", "OC, AUOC"]
    rows = [
        [
            f"{name} {record['packages'][name]}",
            *(_summary(record, name, case) for case in CASES),
            _of_papers(record, name),
            "yes" if all(_tally(record, name, m)["of"] for m in OURS) else "no",
        ]
        for name in packages
    ]
    return "\n".join("| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *rows])


def claims(record: Mapping[str, Any]) -> str:
    """Every claim with what the record's run measured."""
    rows = [f"| {c['text']} | {_shown(c)} |" for c in record["claims"]]
    return "\n".join(["| claim | measured |", "|---|---|", *rows])


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
    return "; ".join(
        f"**wrong**: {', '.join(names)}" if verdict == "wrong" else f"{verdict}: {', '.join(names)}"
        for verdict, names in found.items()
    )


def _of_papers(record: Mapping[str, Any], package: str) -> str:
    tallies = [t for t in record["correctness"]["papers"] if t["package"] == package and t["of"]]
    right, told, of = (sum(t[key] for t in tallies) for key in ("right", "told", "of"))
    return f"{right} of {of} right" + (f", told the classes {told}" if told != right else "")


def _tally(record: Mapping[str, Any], package: str, measure: str) -> Mapping[str, Any]:
    for tally in record["correctness"]["papers"]:
        if (tally["package"], tally["measure"]) == (package, measure):
            return dict(tally)
    raise KeyError(measure)


def _shown(claim: Mapping[str, Any]) -> str:
    if claim["measured"] is None:
        return "not measured"
    value = claim["measured"]
    shown = f"{value:,.0f}" if value >= 10 else f"{value:.2f}"
    return f"{shown} {claim['unit']}"


def main() -> None:
    """Fill the README from the record."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    write_text(README, filled(Path(README).read_text(encoding="utf-8"), record))


if __name__ == "__main__":
    main()
