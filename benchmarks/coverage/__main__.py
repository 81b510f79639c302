"""Runs the simulation on two processes, prints its tables, and fails if a bound is broken.

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
from benchmarks.coverage.tasks import run, tasks


def main() -> int:
    """Print the tables; 1 if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=1000, help="for a cell")
    parser.add_argument("--only", help="one of the parts: one, two, clusters, weights, many, ...")
    parser.add_argument("--write", type=Path, help="where the page goes")
    parser.add_argument("--verbose", action="store_true", help="say how long each task took")
    given = parser.parse_args()
    start = time.perf_counter()
    chosen = [t for t in tasks(given.data_sets) if given.only in (None, t[0])]
    found: list[Rate | Amount] = []
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for task, (rates, seconds) in zip(chosen, pool.map(run, chosen), strict=True):
            found += rates
            if given.verbose:
                print(f"{task[1].__name__} {task[2]}: {seconds:.1f} s", flush=True)
    print(pages.as_text(found))
    print(pages.verdict(found))
    print(f"\n{given.data_sets:,} data sets a cell, {time.perf_counter() - start:.0f} s.")
    if given.write is not None:
        given.write.write_text(pages.as_page(found, given.data_sets), encoding="utf-8")
    return int(any(isinstance(x, Rate) and x.broken for x in found))


if __name__ == "__main__":
    sys.exit(main())
