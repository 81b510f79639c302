"""Runs the simulation on two processes, prints its tables, and fails if a bound is broken.

Of thousands of rates some lie beyond their bounds by chance. What holds one of them is simulated
again, with another seed and four times as many data sets, and that second run is what counts.
``--only`` runs one part, ``--data-sets`` makes it shorter. ``--write`` puts what was found into
docs/benchmarks/coverage.json, where the other parts stay as they are, and makes
docs/validation.md from that record.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.coverage import pages, record
from benchmarks.coverage.bounds import Amount, Rate
from benchmarks.coverage.tasks import Done, Task, again, parts, run, tasks

WHOLE = 1000  # data sets for a cell


def main() -> int:
    """Print the tables; 1 if a bound is broken."""
    names = parts()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=WHOLE, help="for a cell")
    parser.add_argument("--only", action="append", choices=names, help="a part; may be repeated")
    parser.add_argument("--write", action="store_true", help="the record, and the page from it")
    given = parser.parse_args()
    chosen = [t for t in tasks(given.data_sets) if t.name in (given.only or names)]
    done = simulated(chosen)
    found = [x for d in done for x in d.found]
    print(pages.as_text(found))
    print(pages.verdict(found))
    print(took(chosen, done, given.data_sets))
    if given.write:
        record.write(record.read() | by_part(chosen, done, given.data_sets), names)
        record.PAGE.write_text(pages.as_page(record.read()), encoding="utf-8")
    return int(any(map(is_broken, found)))


def simulated(chosen: list[Task]) -> list[Done]:
    """What the tasks find; what holds a broken bound is simulated again."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        done = list(pool.map(run, chosen))
        doubtful = [i for i, d in enumerate(done) if any(map(is_broken, d.found))]
        second = pool.map(run, [again(chosen[i]) for i in doubtful])
        for i, d in zip(doubtful, second, strict=True):
            print(f"again: {chosen[i].name}, {', '.join(map(str, chosen[i].arguments))}")
            done[i] = Done(d.found, done[i].seconds + d.seconds)
    return done


def by_part(chosen: list[Task], done: list[Done], data_sets: int) -> dict[str, record.Part]:
    """What the tasks of each part found."""
    found = defaultdict(list)
    for task, d in zip(chosen, done, strict=True):
        found[task.name] += d.found
    return {name: record.Part(data_sets, own) for name, own in found.items()}


def took(chosen: list[Task], done: list[Done], data_sets: int) -> str:
    """The seconds of each part in one process, and about how many a whole run would take."""
    seconds: Counter[str] = Counter()
    for task, d in zip(chosen, done, strict=True):
        seconds[task.name] += d.seconds
    lines = [f"\n{data_sets:,} data sets a cell; seconds of one process:"]
    for name, own in seconds.items():
        whole = (
            "" if data_sets == WHOLE else f", about {own * WHOLE / data_sets:,.0f} with {WHOLE:,}"
        )
        lines.append(f"- {name}: {own:,.0f}{whole}")
    return "\n".join(lines)


def is_broken(found: Rate | Amount) -> bool:
    """Whether it is a rate beyond its bounds."""
    return isinstance(found, Rate) and found.broken


if __name__ == "__main__":
    sys.exit(main())
