"""Which of five models grades red wine best? Their predictions are in wine.csv beside this file."""

from __future__ import annotations

import csv
from pathlib import Path

import ordeval as oe

GRADES = oe.Scale.range(3, 8)


def main() -> None:
    with Path(__file__).with_name("wine.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    truth = [int(row["quality"]) for row in rows]
    models = {name: [int(row[name]) for row in rows] for name in rows[0] if name != "quality"}
    comparison = oe.compare(truth, models, labels=GRADES, rng=0)
    print(comparison)


if __name__ == "__main__":
    main()
