"""Writes examples/stages.csv: simulated slides of simulated patients, two models and three clinics.

Nobody's data. ``model_a`` is often one stage off; ``model_b`` is right as often, but when it is
wrong it may be far off.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

STAGES = ("I", "II", "III", "IV")


def simulate(patients: int = 160, slides: int = 3) -> list[tuple[str, str, str, str, str]]:
    rng = np.random.default_rng(2026)
    rows = []
    for patient in range(patients):
        clinic = "ABC"[patient % 3]
        stage = int(rng.choice(4, p=[0.45, 0.3, 0.17, 0.08]))
        hard = rng.random() < 0.35  # slides of one patient are alike
        for _ in range(slides):
            wrong = 0.55 if hard else 0.15
            near = stage + int(rng.choice([-1, 1]))
            a = near if rng.random() < wrong else stage
            b = int(rng.integers(0, 4)) if rng.random() < wrong * 1.2 else stage
            shown = [STAGES[int(np.clip(s, 0, 3))] for s in (stage, a, b)]
            rows.append((f"P{patient:03}", clinic, *shown))
    return rows


def main() -> None:
    with (Path(__file__).parent / "stages.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["patient", "clinic", "stage", "model_a", "model_b"])
        writer.writerows(simulate())


if __name__ == "__main__":
    main()
