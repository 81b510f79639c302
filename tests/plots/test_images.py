"""A few pictures compared with how they looked when somebody last looked at them.

After a change that is meant, look at the new ones and keep them:
``UPDATE_IMAGES=1 python -m pytest tests/plots/test_images.py``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images

import ordeval as oe
from ordeval import plots

FOLDER = Path(__file__).parent / "images"
# Published matrices: Cardoso & Sousa 2011, and Silva, Pinto & Cardoso 2018.
SMALL = oe.ConfusionMatrix([[26, 4, 1], [3, 5, 4], [0, 3, 10]], ["I", "II", "III"])
TURNED = [[0, 4, 0, 0], [6, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 3]]
RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 3, 300)
RANKED = oe.compare(
    TRUTH,
    {f"m{i}": np.where(RNG.random(300) < x, TRUTH, 1) for i, x in enumerate((0.9, 0.88, 0.6, 0.3))},
    ["mean_absolute_error"], labels=range(3), reference="m1", margin=0.2,
)  # fmt: skip
GRADES = {name: np.clip(TRUTH + RNG.integers(0, 2, 300), 0, 2) for name in ("A", "B", "C")}
JUDGED = oe.judge(
    oe.Ratings({**GRADES, "D": np.maximum(TRUTH - 1, 0)}, labels=range(3)),
    {"good": GRADES["A"], "fair": np.where(RNG.random(300) < 0.7, TRUTH, 1), "poor": TRUTH[::-1]},
    margin=0.1,
)  # fmt: skip
SHARP = np.exp(2 * RNG.normal(size=(300, 3)) - 2 * np.abs(np.arange(3) - TRUTH[:, None]))
SHARP /= SHARP.sum(axis=1, keepdims=True)
PICTURES: dict[str, Any] = {
    "matrix": plots.ConfusionDisplay(SMALL),
    "path": plots.PathDisplay(oe.ConfusionMatrix(TURNED), "uoc_index"),
    "uoc": plots.UOCCurveDisplay({"": oe.ConfusionMatrix(TURNED)}),
    "grid": plots.PerformanceGridDisplay(
        {"a": SMALL, "b": oe.ConfusionMatrix(np.eye(3, dtype=int) * 9 + 2, ["I", "II", "III"])}
    ),
    "ranks": plots.RankDisplay(RANKED),
    "margin": plots.DeltaDisplay(RANKED),
    "ceiling": plots.CeilingDisplay(JUDGED),
    "grades": plots.GradeBiasDisplay(JUDGED),
    "judge": plots.JudgeMatrixDisplay(JUDGED, "fair"),
    "each": plots.JudgeHumanDisplay(JUDGED),
    "severity": plots.SeverityDisplay({r.name: r.severity for r in JUDGED.raters}),
    "calibration": plots.CalibrationDisplay(oe.calibration(TRUTH, SHARP, labels=range(3))),
    "decisions": plots.DecisionCurveDisplay(
        oe.decision_curve(TRUTH, {"sharp": SHARP, "flat": SHARP[::-1]}, labels=range(3)), 2
    ),
    "roc": plots.ROCDisplay(
        plots.ROCDisplay.from_predictions(
            TRUTH, SHARP, labels=range(3), ax=Figure().subplots()
        ).curves
    ),
    "apart": plots.CriticalDifferenceDisplay(
        ("a", "b", "c", "d"), [1.2, 1.9, 3.1, 3.8], (("a", "b"), ("c", "d")), difference=0.9
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name: str, tmp_path: Path) -> None:
    display = PICTURES[name]
    figure = Figure(figsize=display._size(), layout="constrained", dpi=60)
    display.plot(ax=figure.subplots())
    made, kept = tmp_path / f"{name}.png", FOLDER / f"{name}.png"
    figure.savefig(made)
    if os.environ.get("UPDATE_IMAGES"):
        FOLDER.mkdir(exist_ok=True)
        kept.write_bytes(made.read_bytes())
    expected = tmp_path / f"{name}-kept.png"
    expected.write_bytes(kept.read_bytes())
    # Letters may move by a pixel between releases; a lost bar or line counts for more.
    assert compare_images(str(expected), str(made), tol=12) is None


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    other = Figure(figsize=PICTURES["uoc"]._size(), layout="constrained", dpi=60)
    plots.UOCCurveDisplay({"": SMALL}).plot(ax=other.subplots())
    other.savefig(tmp_path / "other.png")
    (tmp_path / "kept.png").write_bytes((FOLDER / "uoc.png").read_bytes())
    assert compare_images(str(tmp_path / "kept.png"), str(tmp_path / "other.png"), tol=12)
