"""Record the values again, on purpose: all groups, or those that are named; or ``papers``.

python -m tests.recorded
python -m tests.recorded "score labels" "compare labels"
python -m tests.recorded papers
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import ordeval

from .questions import GROUPS, ask, asked_of_papers, recorded_as
from .store import PAPERS, VALUES, changes, load, save


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in (*GROUPS, "papers")]
    if unknown:
        print(f"There is no group {unknown[0]!r}; there are: papers, {', '.join(GROUPS)}.")
        return 2
    if "papers" in names:
        record_papers()
    if set(names) != {"papers"}:
        record(ordeval, [name for name in names if name != "papers"])
    return 0


def record(oe: Any, names: Sequence[str] = ()) -> None:
    """Record the values of some groups, or of all, and print what changed."""
    before = load(VALUES).groups
    wanted = dict.fromkeys(recorded_as(name) for name in names or GROUPS)
    after = {} if not names else dict(before)
    changed = 0
    for group in wanted:
        after[group] = ask(oe, group)
        found = changes(before.get(group, {}), after[group])
        changed += len(found.moved) + len(found.gone) + len(found.new)
        if found:
            print(f"{group}: {found}")
    save(VALUES, after)
    print(f"{changed} of {sum(map(len, after.values()))} values changed.")


def record_papers() -> None:
    """Record what is computed of the papers, and print what changed."""
    from ordeval.papers import reproduce

    after = asked_of_papers(reproduce())
    found = changes(load(PAPERS).groups.get("papers", {}), after)
    save(PAPERS, {"papers": after})
    print(f"papers: {found}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
