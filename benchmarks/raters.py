"""Speed of agreement of many raters: against counting, and against other packages.

A million ratings of 100,000 items by 50 raters, each of whom rates a fifth of the items. Counting
is what every coefficient needs: the pairs of ratings from the positions of the labels.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np

import ordeval as oe
from benchmarks._measuring import best_time, best_times

ITEMS, RATERS, K = 100_000, 50, 5
AT_MOST = 6.0


def ratings(items: int) -> Any:
    """Items by raters, NaN where there is no rating."""
    rng = np.random.default_rng(20260101)
    codes = rng.integers(0, K, (items, 1)) + rng.integers(-1, 2, (items, RATERS))
    return np.where(rng.random(codes.shape) < 0.2, np.clip(codes, 0, K - 1), np.nan)


def fresh(read: oe.Ratings) -> oe.Ratings:
    """The same ratings, of which nothing has been counted yet."""
    for counted in ("counts", "used"):
        vars(read).pop(counted, None)
    return read


def main() -> int:
    """Print one row per claim; exit 1 if one misses its bound."""
    warnings.simplefilter("ignore")
    read = oe.Ratings(ratings(ITEMS), range(K))
    jobs = [lambda: fresh(read).pair_counts, lambda: fresh(read).agreement()]
    floor, ours = best_times(jobs, 9, clock=time.process_time)
    missed = ours / floor > AT_MOST
    print(f"{read.total:,} ratings: counting {floor:.3f} s, agreement with intervals {ours:.3f} s")
    print(f"ratio {ours / floor:.1f}, at most {AT_MOST:.0f}{'   MISSED' if missed else ''}")
    _peers(ours)
    return int(missed)


def _peers(ours: float) -> None:
    """How long other packages take, for the value of alpha alone or for one coefficient."""
    import krippendorff
    import pandas as pd
    from irrCAC.raw import CAC

    table = ratings(ITEMS)
    theirs = best_time(
        lambda: krippendorff.alpha(
            reliability_data=table.T, level_of_measurement="ordinal", value_domain=list(range(K))
        ),
        1,
    )
    print(f"krippendorff, the value of alpha alone: {theirs:.1f} s, {theirs / ours:.1f} times")
    frame = pd.DataFrame(table)

    def five() -> None:
        peer = CAC(frame, weights="quadratic", categories=list(range(K)))
        for name in ("fleiss", "conger", "gwet", "bp", "krippendorff"):
            getattr(peer, name)()

    other = best_time(five, 1)
    print(f"irrCAC, five coefficients with intervals: {other:.1f} s, {other / ours:.1f} times")


if __name__ == "__main__":
    sys.exit(main())
