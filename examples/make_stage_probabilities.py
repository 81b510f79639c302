"""Writes examples/stage_probabilities.csv: what two models give each stage, and a score.

Nobody's data: the slides of examples/stages.csv with forecasts that are simulated. ``a`` knows how
sure it can be; ``b`` is as often right, but says so with too much certainty.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
STAGES = ("I", "II", "III", "IV")


def forecast(centre: Any, width: float) -> Any:
    """Probabilities (n, 4) of stages around a place on the scale, of three decimals each."""
    density = np.exp(-0.5 * ((np.arange(4) - centre[:, None]) / width) ** 2)
    thousands = np.floor(1000 * density / density.sum(axis=1, keepdims=True)).astype(int)
    thousands[np.arange(len(centre)), thousands.argmax(axis=1)] += 1000 - thousands.sum(axis=1)
    return thousands / 1000


def main() -> None:
    with (FOLDER / "stages.csv").open(newline="", encoding="utf-8") as file:
        slides = [row[:3] for row in csv.reader(file)][1:]
    rng = np.random.default_rng(2027)
    truth = np.array([STAGES.index(stage) for _, _, stage in slides])
    patient = np.repeat(rng.normal(0, 0.5, len(slides) // 3), 3)  # slides of one are alike
    near = truth + patient + rng.normal(0, 0.45, len(slides))
    table = np.hstack([forecast(near, 0.7), forecast(near + rng.normal(0, 0.2, len(near)), 0.35)])
    with (FOLDER / "stage_probabilities.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["patient", "clinic", "stage", *(f"{m}_{s}" for m in "ab" for s in STAGES),
                         "score"])  # fmt: skip
        for slide, probabilities, score in zip(slides, table, near, strict=True):
            writer.writerow([*slide, *(f"{p:g}" for p in probabilities), f"{score:.2f}"])


if __name__ == "__main__":
    main()
