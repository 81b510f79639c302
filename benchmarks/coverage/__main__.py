"""Runs the simulation on two processes, prints its tables, and fails if a bound is broken.

Of thousands of rates some lie beyond their bounds by chance. What holds one of them is simulated
again, with another seed and four times as many data sets, and that second run is what counts.
``--write docs/concepts/coverage.md`` writes the page; ``--data-sets`` and ``--only`` make it
shorter.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.coverage import pages
from benchmarks.coverage.bounds import Amount, Rate
from benchmarks.coverage.tasks import again, run, tasks


def main() -> int:
    """Print the tables; 1 if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000, help="for a cell")
    parser.add_argument("--only", help="one of the parts: one, two, clusters, weights, many, ...")
    parser.add_argument("--write", type=Path, help="where the page goes")
    given = parser.parse_args()
    start = time.perf_counter()
    chosen = [t for t in tasks(given.data_sets) if given.only in (None, t.name)]
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        first = list(pool.map(run, chosen))
        doubtful = [i for i, rates in enumerate(first) if any(map(is_broken, rates))]
        second = pool.map(run, [again(chosen[i]) for i in doubtful])
        for i, rates in zip(doubtful, second, strict=True):
            print(f"again: {chosen[i].name}, {', '.join(map(str, chosen[i].arguments))}")
            first[i] = rates
    found = [rate for rates in first for rate in rates]
    print(pages.as_text(found))
    print(pages.verdict(found))
    print(f"\n{given.data_sets:,} data sets a cell, {time.perf_counter() - start:.0f} s.")
    if given.write is not None:
        given.write.write_text(pages.as_page(found, given.data_sets), encoding="utf-8")
    return int(any(map(is_broken, found)))


def is_broken(found: Rate | Amount) -> bool:
    """Whether it is a rate beyond its bounds."""
    return isinstance(found, Rate) and found.broken


if __name__ == "__main__":
    sys.exit(main())
