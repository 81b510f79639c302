"""What Amigó et al. 2020 say in words about their experiments: sections 5.3 and 5.4."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures import get_metric
from ordeval.meta import SystemOutputs, simulate_systems
from ordeval.papers._exhibits import Draft, exhibit
from ordeval.papers._values import Value
from ordeval.papers.printed.amigo2020 import (
    CAMPAIGNS,
    REPLAB,
    ROBUSTNESS,
    SAMPLES,
    SYSTEMS,
    TABLE_3,
)

_NO_FILES: Final = (
    "ordeval does not carry the files; those that SemEval published hold 10,681 and 8,987 items "
    "(2014 A, B) and 3,092, 2,390 and 2,383 (2015 A, B, C), so that the printed counts look "
    "exchanged between tasks"
)
_NO_OUTPUTS: Final = (
    "this takes the outputs of the systems that took part, which ordeval does not include; if you "
    "have them, call oe.meta.robustness"
)


def printed_coverage(draft: Draft) -> Iterator[Value]:
    """What section 5.4 says of the real-data half of Table 3, held against its own figures."""
    real = {row: _of_campaigns(text) for row, text in TABLE_3.items()}
    every, cem, flat = np.array(list(real.values())), real["CEM_ORD"], real["CEM_ORD flat"]
    short = np.round(every.max(axis=0) - cem, 2)
    shown = ", ".join(f"{c} {x:.2f}" for c, x in zip(CAMPAIGNS, short, strict=True))
    claim = draft.claim("In print CEM_ORD is best on four data sets, and 0.01 behind on two")
    yield claim.tried(
        (short == 0).sum() == 4 and (short == 0.01).sum() == 2, f"behind the best: {shown}"
    )
    claim = draft.claim("In print the flat CEM is lower on all data sets but SemEval 2014 T9-A")
    level = [c for c, a, b in zip(CAMPAIGNS, cem, flat, strict=True) if a <= b]
    yield claim.tried(level == ["SemEval 2014 T9-A"], f"not lower on: {', '.join(level)}")
    claim = draft.claim("In print Kappa is best on the last data set and very low on RepLab")
    kappa = real["Kappa"]
    yield claim.tried(
        kappa[-1] == every[:, -1].max() and kappa[0] < np.median(every[:, 0]),
        f"Kappa {kappa[-1]:.2f} and {kappa[0]:.2f}; the median on RepLab is "
        f"{np.median(every[:, 0]):.2f}",
    )


def _of_campaigns(text: str) -> Floats:
    return np.array([float(x) for x in text.split()[-len(CAMPAIGNS) :]])


@exhibit("Section 5.3", "What the synthetic systems are like")
def section_5_3(draft: Draft) -> Iterator[Value]:
    """The trade-offs between measures that the synthetic systems are made for."""
    draft.call = 'oe.meta.simulate_systems(cases=5, rates=[1], behaviours=["tag displacement"])'
    draft.method = "Means over the 100 test cases of Table 3."
    simulated = simulate_systems(rng=draft.run.seed)
    of = _Means(simulated.outputs())
    share = float((simulated.y_true == 4).mean())
    most = np.bincount(simulated.y_true.ravel()).argmax()
    claim = draft.claim("The majority class is the fourth")
    yield claim.tried(most == 4, f"{share:.0%} of the items have it")
    total = "tag displacement 1"
    claim = draft.claim("A total displacement has the highest Kendall of all systems")
    yield claim.tried(
        of.best("kendall_tau_a") == total,
        f"best by mean: {of.best('kendall_tau_a')}; the total displacement has "
        f"{of('kendall_tau_a', total):.3f}, the best {of.most('kendall_tau_a'):.3f}",
        "the highest class cannot be displaced, so its items merge with those of the class below",
    )
    claim = draft.claim("A total displacement has the lowest accuracy of all systems")
    yield claim.tried(of.worst("accuracy") == total, f"its accuracy is {of('accuracy', total):.3f}")
    claim = draft.claim("30% of random classes keep an accuracy of 70%")
    kept = of("accuracy", "random 0.3")
    yield claim.tried(
        abs(kept - 0.7) < 0.04, f"{kept:.3f}: a random class is the right one now and then"
    )
    random, near, majority = "random 0.3", "proximity 0.5", "majority 0.4"
    claim = draft.claim("Random at 0.3 beats proximity at 0.5 by accuracy, but not by MAE or MSE")
    yield claim.tried(
        of("accuracy", random) > of("accuracy", near)
        and of("mean_absolute_error", random) > of("mean_absolute_error", near)
        and of("mean_squared_error", random) > of("mean_squared_error", near),
        of.shown(("accuracy", "mean_absolute_error", "mean_squared_error"), random, near),
    )
    claim = draft.claim("Majority at 0.4 can beat random at 0.3, but not by mutual information")
    yield claim.tried(
        of("mutual_information", random) > of("mutual_information", majority)
        and of("mean_absolute_error", random) > of("mean_absolute_error", majority),
        of.shown(("accuracy", "mean_absolute_error", "mutual_information"), random, majority),
    )


class _Means:
    """Means of measures over the test cases, by system."""

    def __init__(self, outputs: SystemOutputs) -> None:
        self.outputs = outputs

    def _all(self, metric: str) -> Floats:
        values = get_metric(metric).values(self.outputs.counts)
        return np.asarray(np.mean(values, axis=0), dtype=np.float64)

    def __call__(self, metric: str, system: str) -> float:
        return float(self._all(metric)[self.outputs.systems.index(system)])

    def most(self, metric: str) -> float:
        return float(self._all(metric).max())

    def best(self, metric: str) -> str:
        return self.outputs.systems[int(self._all(metric).argmax())]

    def worst(self, metric: str) -> str:
        return self.outputs.systems[int(self._all(metric).argmin())]

    def shown(self, metrics: tuple[str, ...], *systems: str) -> str:
        return "; ".join(
            f"{m} {' and '.join(f'{self(m, s):.3f}' for s in systems)}" for m in metrics
        )


@exhibit("Section 5.4", "The campaigns, and robustness")
def section_5_4(draft: Draft) -> Iterator[Value]:
    """Counts of the campaigns and robustness, for which their outputs are needed."""
    draft.call = (
        "outputs = oe.meta.simulate_systems(cases=10, rng=0).outputs()\n"
        'oe.meta.robustness(outputs, ["cem_ord"])'
    )
    for what, text in REPLAB.items():
        yield draft.printed("RepLab 2013", what, text).missing("ordeval does not carry the tweets")
    for task, text in SAMPLES.items():
        yield draft.printed(task, "samples", text).missing(_NO_FILES)
    for task, text in SYSTEMS.items():
        yield draft.printed(task, "systems", text).missing(_NO_OUTPUTS)
    for measure, text in ROBUSTNESS.items():
        yield draft.printed(measure, "robustness", text).missing(_NO_OUTPUTS)
