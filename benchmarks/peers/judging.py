"""Statistics of judges beside those of other packages: values, false claims, and time.

``python -m benchmarks.peers.judging`` writes docs/benchmarks/judges.md. Packages that are not
installed are left out. Data are simulated: grades 1 to 5 of 600 answers to 60 prompts, three humans
and two runs of a judge. All err independently, so nothing but quality moves the judge.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from typing import Any, Final, NamedTuple

import numpy as np

import ordeval as oe
from benchmarks._measuring import ROOT
from ordeval._shared.tables import Table, cells
from ordeval._shared.writing import write_text

PAGE: Final = ROOT / "docs" / "benchmarks" / "judges.md"
PACKAGES: Final = {
    "truescore": "truescore",
    "evalstats": "evalstats",
    "judgekit": "judgekit",
    "cje": "cje-eval",
    "ppi_py": "ppi-python",
    "irrCAC": "irrCAC",
    "krippendorff": "krippendorff",
}
SETS: Final = 100  # data sets in which a false claim may be made
# What the documentation of each package offers for grades on an ordered scale.
QUESTIONS: Final = {
    "agreement of a judge with humans": ("yes", "yes, no interval", "yes", "yes", "", "", "", ""),
    "the same, with an interval for clusters": ("yes", "", "", "", "", "", "", ""),
    "judge against the ceiling of humans, margin": ("yes", "", "", "", "", "", "", ""),
    "many raters with missing ratings": (
        "yes", "alpha, no interval", "", "alpha, not ordinal", "", "", "yes", "alpha, no interval"
    ),
    "two judges, paired": ("yes", "of means", "of means", "", "of means", "", "", ""),
    "drift on anchors": ("yes", "binary", "", "", "", "", "", ""),
    "repeated answers": ("yes", "", "yes", "yes", "", "", "", ""),
    "length and other covariates": ("yes", "yes", "", "length, model", "", "", "", ""),
    "votes as the reference": ("yes", "", "", "", "", "", "", ""),
    "few human labels, many judged": (
        "measures, mean", "mean", "mean", "", "mean", "mean", "", ""
    ),
}  # fmt: skip


class Answers(NamedTuple):
    """One data set."""

    humans: Any  # (600, 3)
    judge: Any
    again: Any
    length: Any  # longer answers are better
    prompt: Any


def simulated(seed: int, spread: float = 1.0) -> Answers:
    """A data set; ``spread`` below 1: the judge keeps to the middle of the scale."""
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(60), 10)
    quality = rng.normal(3, 0.8, 60)[prompt] + rng.normal(0, 0.8, 600)

    def graded(level: Any, noise: float) -> Any:
        return np.clip(np.rint(level + rng.normal(0, noise, 600)), 1, 5)

    humans = np.stack([graded(quality, 0.6) for _ in range(3)], axis=1)
    middle = 3 + spread * (quality - 3)
    length = np.maximum(np.rint(100 * quality + rng.normal(0, 100, 600)), 1)
    return Answers(humans, graded(middle, 0.5), graded(middle, 0.5), length, prompt)


class Measured(NamedTuple):
    """What a call gave, and how long it took."""

    text: str
    seconds: float


def timed(call: Callable[[], str]) -> Measured | None:
    """Call it, then time three more calls, one if slow; None if the package is not installed."""
    took: list[float] = []
    with suppress(ImportError):
        text = call()
        while len(took) < 3 and sum(took) < 1:
            start = time.perf_counter()
            call()
            took.append(time.perf_counter() - start)
        return Measured(text, min(took))
    return None


def _ends(value: float, low: float, high: float) -> str:
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _ratings(x: Answers) -> oe.Ratings:
    return oe.Ratings(x.humans, range(1, 6))


def kappa(x: Answers) -> Iterator[tuple[str, Measured | None]]:
    """Quadratic weighted kappa of the judge and the first human."""

    def ours() -> str:
        data = oe.Predictions(x.humans[:, 0], x.judge, labels=range(1, 6), clusters=x.prompt)
        found = oe.confidence_interval("weighted_kappa", data)
        return _ends(found.estimate, found.low, found.high)

    def truescore() -> str:
        from truescore import graded_agreement

        return f"{graded_agreement(x.judge, x.humans[:, 0]).quadratic_kappa:.3f}"

    def judgekit() -> str:
        from judgekit.agreement import cohen_kappa

        return f"{cohen_kappa(x.judge, x.humans[:, 0], weights='quadratic'):.3f}"

    def evalstats() -> str:
        from evalstats import judge_alignment

        found = judge_alignment(x.judge, x.humans[:, 0]).alignment_metrics["weighted_kappa"]
        return _ends(found["estimate"], found["ci_low"], found["ci_high"])

    yield "ordeval, prompts as clusters", timed(ours)
    yield "evalstats, independent items", timed(evalstats)
    yield "truescore", timed(truescore)
    yield "judgekit", timed(judgekit)


def alpha(x: Answers) -> Iterator[tuple[str, Measured | None]]:
    """Krippendorff's ordinal alpha of the three humans."""

    def ours() -> str:
        found = _ratings(x).agreement("krippendorff_alpha").intervals["krippendorff_alpha"]
        return _ends(found.estimate, found.low, found.high)

    def truescore() -> str:
        from truescore import krippendorff_alpha

        return f"{krippendorff_alpha(x.humans.T, level='ordinal'):.3f}"

    def krippendorff() -> str:
        from krippendorff import alpha

        return f"{alpha(x.humans.T, level_of_measurement='ordinal'):.3f}"

    def irrcac() -> str:
        import pandas as pd
        from irrCAC.raw import CAC

        found = CAC(pd.DataFrame(x.humans), weights="ordinal").krippendorff()["est"]
        return _ends(found["coefficient_value"], *found["confidence_interval"])

    yield "ordeval", timed(ours)
    yield "truescore", timed(truescore)
    yield "krippendorff", timed(krippendorff)
    yield "irrCAC, ordinal weights", timed(irrcac)


def mean(x: Answers) -> Iterator[tuple[str, Measured | None]]:
    """The mean human grade, of which every sixth is known, with the judge's help."""
    known = np.arange(600) % 6 == 0
    human = x.humans[:, 0]

    def ours() -> str:
        given = [int(h) if k else None for h, k in zip(human, known, strict=True)]
        found = oe.corrected_distribution(given, x.judge.astype(int), range(1, 6)).intervals["mean"]
        return _ends(found.estimate, found.low, found.high)

    def truescore() -> str:
        from truescore import ppi_estimate

        found = ppi_estimate(x.judge, human[known], np.flatnonzero(known))
        return _ends(found.point, found.low, found.high)

    def evalstats() -> str:
        from evalstats import judge_debias_mean_ci

        found = judge_debias_mean_ci(x.judge, np.where(known, human, np.nan), rng=0)
        return _ends(found.mean, found.ci_low, found.ci_high)

    def ppi() -> str:
        from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

        given = (human[known], x.judge[known], x.judge[~known])
        (low,), (high,) = ppi_mean_ci(*given, alpha=0.05)
        return _ends(float(ppi_mean_pointestimate(*given)[0]), low, high)

    def cje() -> str:
        from cje import analyze_dataset

        each = enumerate(zip(x.judge.tolist(), human.tolist(), known, strict=True))
        rows = [
            {"prompt_id": str(i), "judge_score": j} | ({"oracle_label": h} if k else {})
            for i, (j, h, k) in each
        ]
        found = analyze_dataset(fresh_draws_data={"model": rows})
        return _ends(float(found.estimates[0]), *found.ci()[0])

    yield "ordeval", timed(ours)
    yield "truescore", timed(truescore)
    yield "evalstats", timed(evalstats)
    yield "ppi_py", timed(ppi)
    yield "cje", timed(cje)


def claims(spread: float) -> Iterator[tuple[str, str]]:
    """How often length is found to move the judge, although it does not."""
    data = [simulated(seed, spread) for seed in range(1, SETS + 1)]

    def ours(x: Answers) -> bool:
        found = oe.judge(_ratings(x), {"judge": x.judge}, covariates={"length": x.length.tolist()})
        return bool(found.effects["judge"][0].p_adjusted <= 0.05)

    def truescore(x: Answers) -> bool:
        from truescore import judge_error_regression

        found = judge_error_regression(x.judge, x.humans.mean(axis=1), {"length": x.length})
        return bool(found.effects[0].p_value <= 0.05)

    def judgekit(x: Answers) -> bool:
        from judgekit import GradedVerdict
        from judgekit.bias import verbosity_graded

        each = zip(x.judge, x.humans[:, 0], x.length, strict=True)
        both = [
            tuple(GradedVerdict(item_id=str(i), score=s, candidate_len=int(n)) for s in (j, h))
            for i, (j, h, n) in enumerate(each)
        ]
        low, high = verbosity_graded(both).ci  # type: ignore[union-attr]
        return bool(low > 0 or high < 0)

    for name, found, few in (
        ("ordeval", ours, 1), ("truescore", truescore, 1), ("judgekit", judgekit, 5)
    ):  # fmt: skip
        with suppress(ImportError):
            some = data[::few]
            yield name, f"{sum(map(found, some))} of {len(some)}"


def page() -> str:
    """The page, measured anew."""
    installed = {}
    for name, package in PACKAGES.items():
        with suppress(ImportError):
            installed[name] = version(package)
    head = ("question", "ordeval", *(f"{n} {installed.get(n, '')}".strip() for n in PACKAGES))
    rows = tuple(cells(question, *given) for question, given in QUESTIONS.items())
    parts = [Table(head, rows, "What each package answers for grades").to_markdown()]
    x = simulated(0)
    for title, found in (
        ("Quadratic weighted kappa of a judge and a human", kappa(x)),
        ("Krippendorff's ordinal alpha of three humans", alpha(x)),
        ("Mean human grade from 100 human and 600 judged grades", mean(x)),
    ):
        rows = tuple(
            cells(name, m.text, f"{1000 * m.seconds:,.1f}") for name, m in found if m is not None
        )
        parts.append(Table(("package", "value", "milliseconds"), rows, title).to_markdown())
    usual, middle = (dict(claims(spread)) for spread in (1.0, 0.6))
    rows = tuple(cells(name, usual[name], middle[name]) for name in usual)
    head = ("package", "judge with the humans' spread", "judge that keeps to the middle")
    title = "Data sets in which length is found to move a judge that ignores it"
    parts.append(Table(head, rows, title).to_markdown())
    return "\n\n".join(part.strip() for part in parts) + "\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write_text(PAGE, page())
    print(PAGE.read_text(encoding="utf-8"))
