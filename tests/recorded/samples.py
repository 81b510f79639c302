"""Synthetic data that the recorded questions are about: the same in every run, on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVELS = ("none", "mild", "moderate", "marked", "severe", "extreme")
GRID = 64  # probabilities are multiples of 1 / 64, which text files keep exactly


@dataclass(frozen=True, eq=False)
class Sample:
    """Items with a true label, and what several models say of them."""

    scale: tuple[str, ...]
    truth: NDArray[Any]  # (n,)
    labels: dict[str, NDArray[Any]]  # by model, (n,)
    prob: dict[str, NDArray[np.float64]]  # by model, (n, K)
    score: dict[str, NDArray[np.float64]]  # by model, (n,)
    weight: NDArray[np.float64]
    ward: NDArray[Any]  # a cluster
    hospital: NDArray[Any]  # clusters of patients, who are numbered within them
    patient: NDArray[Any]
    site: NDArray[Any]  # a subgroup
    sex: NDArray[Any]

    @property
    def n(self) -> int:
        return len(self.truth)

    @property
    def first(self) -> str:
        return next(iter(self.labels))

    def with_gaps(self) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
        """The labels, some of which are missing or not on the scale."""
        rng = np.random.default_rng(self.n)
        truth = _spoiled(self.truth, rng)
        return truth, {name: _spoiled(x, rng) for name, x in self.labels.items()}


def _spoiled(labels: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    spoiled = labels.astype(object)
    at = rng.random(len(labels))
    spoiled[at < 0.03] = None
    spoiled[at > 0.98] = "unreadable"
    return spoiled


def _on_grid(prob: NDArray[np.float64], least: int) -> NDArray[np.float64]:
    """Rows that are multiples of 1 / GRID, of at least so many each, and add up to 1."""
    parts = np.maximum(np.floor(prob * GRID), least)
    parts[np.arange(len(parts)), prob.argmax(axis=1)] += GRID - parts.sum(axis=1)
    return np.asarray(parts / GRID)


def _probabilities(severity: NDArray[np.float64], cuts: NDArray[np.float64]) -> Any:
    """Probabilities of an ordered logit."""
    above = 1 / (1 + np.exp(cuts[None, :] - severity[:, None]))
    edges = np.column_stack([np.ones(len(severity)), above, np.zeros(len(severity))])
    return -np.diff(edges, axis=1)


@cache
def sample(seed: int, *, n: int, k: int, models: int = 2) -> Sample:
    """Make data in which patients, hospitals and sites differ, and models err differently."""
    rng = np.random.default_rng(seed)
    hospital, patient = rng.integers(0, 5, n), rng.integers(0, n // 30 + 1, n)
    ward = rng.integers(0, n // 8, n)
    of_patient = rng.normal(size=(5, n))[hospital, patient] + rng.normal(size=n)[ward]
    severity = 1.2 * rng.normal(size=n) + 0.6 * of_patient
    cuts = np.linspace(-0.5, 0.5, k - 1) * np.sqrt(k - 1) + 0.1 * rng.normal()
    scale = np.array(LEVELS[:k])
    position = np.searchsorted(cuts, severity)
    site = rng.choice(["east", "north", "west"], n, p=[0.5, 0.3, 0.2])
    labels, prob, score = {}, {}, {}
    for i in range(models):
        noise = rng.normal(size=n) * (0.6 + 0.35 * i) * (1 + 0.4 * (site == "north"))
        seen = severity + noise + 0.3 * of_patient * i
        name = f"model {chr(ord('a') + i)}"
        labels[name] = scale[np.searchsorted(cuts + 0.1 * i, seen)]
        # Of every second model no probability is zero, and its log loss is finite.
        prob[name] = _on_grid(_probabilities((1.6 - 0.2 * i) * seen, cuts * 1.5), 1 - i % 2)
        score[name] = np.round(seen * 32) / 32
    return Sample(
        scale=tuple(scale.tolist()),
        truth=scale[position],
        labels=labels,
        prob=prob,
        score=score,
        weight=rng.integers(1, 17, n) / 8,
        ward=np.array([f"w{i}" for i in ward]),
        hospital=np.array([f"h{i}" for i in hospital]),
        patient=np.array([f"p{i}" for i in patient]),
        site=site,
        sex=rng.choice(["f", "m"], n),
    )


@dataclass(frozen=True, eq=False)
class Rated:
    """Items that humans and judges rated."""

    scale: tuple[int, ...]
    humans: dict[str, list[int | None]]
    judges: dict[str, list[int | None]]
    runs: dict[str, list[list[int | None]]]  # judges that were asked three times
    document: list[str]  # a cluster
    system: list[str]
    language: list[str]


@cache
def rated(seed: int, *, n: int, k: int, humans: int, gaps: float) -> Rated:
    """Make ratings of a latent quality, some of which are missing."""
    rng = np.random.default_rng(seed)
    system = rng.integers(0, 4, n)
    quality = rng.normal(size=n) + 0.4 * system

    def ratings(spread: float, shift: float, missing: float) -> list[int | None]:
        seen = np.clip(
            np.round((quality + spread * rng.normal(size=n) + shift + 2.5) * k / 6), 1, k
        )
        there = rng.random(n) >= missing
        return [int(x) if ok else None for x, ok in zip(seen, there, strict=True)]

    def runs(spread: float, shift: float) -> list[list[int | None]]:
        asked = [ratings(spread, shift, 0.02) for _ in range(3)]
        return [list(row) for row in zip(*asked, strict=True)]

    return Rated(
        scale=tuple(range(1, k + 1)),
        humans={f"human {i + 1}": ratings(0.5, 0.15 * i, gaps) for i in range(humans)},
        judges={"judge x": ratings(0.6, 0.2, 0.02), "judge y": ratings(0.9, -0.3, 0.0)},
        runs={"judge x": runs(0.5, 0.1), "judge y": runs(0.8, -0.2)},
        document=[f"d{i}" for i in rng.integers(0, n // 4, n)],
        system=[f"s{i}" for i in system],
        language=rng.choice(["de", "en"], n).tolist(),
    )
