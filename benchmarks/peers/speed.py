"""Times of both sides on the same data, in interleaved rounds; the ratio is theirs to ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import ordeval as oe
from benchmarks._measuring import best_time, compare_times, warm_up
from benchmarks.listing import auoc_by_listing, listing_1, quadrature
from benchmarks.peers.contenders import (
    AMAE,
    IMBLEARN,
    KAPPA,
    LISTING,
    NUMPY,
    OPERATIONS,
    PYCM,
    QUADRATURE,
    SCIPY,
    SKLEARN,
    SKORDINAL,
    US,
    Contender,
    Labels,
    Operation,
    installed,
    weights_of,
)
from benchmarks.peers.plan import Plan

K = 5
_CHANCE = 0.15  # of its width: how far the ends of an interval may lie off by chance
_CHANCE_OF_FEW = 0.5  # the same where they come from few draws
_CLOSE = 1e-5  # torchmetrics computes in single precision, quadrature to about this


@dataclass(frozen=True)
class Row:
    """One comparison. The ratio says how many times as long the peer takes."""

    operation: str
    size: str
    peer: str
    call: str
    ours_call: str
    ours_seconds: float | None = None
    peer_seconds: float | None = None
    ratio: float | None = None
    same_value: bool | None = None
    note: str = ""

    @property
    def key(self) -> str:
        """How a claim refers to the row."""
        return f"{self.operation}, {self.size} / {self.peer}"


def rehearse() -> None:
    """Call everything once on little data, so that no later call is charged with an import."""
    few = Labels.draw(100, K)
    for operation in OPERATIONS:
        for contender in operation.present():
            contender.run(few)


def all_rows(plan: Plan) -> Iterator[Row]:
    """Every comparison."""
    yield from label_rows(plan)
    yield from bootstrap_rows(plan)
    yield from path_rows(plan)
    yield from batch_rows(plan)
    yield import_row(plan)


def compare(
    name: str, size: str, ours: Contender, peer: Contender, make: Callable[[], Any], plan: Plan
) -> Row:
    """Time both on the same data, and see whether they give the same."""
    about = (name, size, peer.package, peer.call, ours.call)
    if not installed(peer.package):
        return Row(*about, note="not installed")
    data = make()
    both = [warm_up(partial(c.run, data)) for c in (ours, peer)]
    same = bool(np.allclose(both[0].value, both[1].value, rtol=0, atol=_CLOSE))
    mine, theirs = compare_times(both, plan.rounds, plan.budget)
    return Row(*about, mine, theirs, theirs / mine, same)


def items(n: int) -> str:
    """A number of items as it is shown: powers of ten as such.

    >>> items(10**6), items(2500)
    ('N = 10^6', 'N = 2,500')
    """
    power = len(str(n)) - 1
    return f"N = 10^{power}" if n == 10**power else f"N = {n:,}"


def label_rows(plan: Plan) -> Iterator[Row]:
    """From raw labels to the number, by each library's own call."""
    for operation in OPERATIONS:
        for peer in operation.peers:
            n = plan.floor_items if peer.package == NUMPY else min(plan.items, peer.most)
            yield compare(
                operation.name, items(n), operation.ours, peer, partial(Labels.draw, n, K), plan
            )


def one_matrix(k: int) -> Any:
    """A matrix of counts, all above 0."""
    return np.random.default_rng(k).integers(1, 50, (k, k))


def matrices(size: int, k: int = K) -> Any:
    """A stack of matrices of a thousand items each."""
    rng = np.random.default_rng(size)
    return rng.multinomial(1000, rng.dirichlet(np.full(k * k, 5.0)), size).reshape(-1, k, k)


def each(function: Callable[[Any], float]) -> Callable[[Any], list[float]]:
    """A loop over the stack, for what takes one matrix."""
    return lambda stack: [function(m) for m in stack]


OC = Operation(
    "OC",
    Contender(US, "oe.oc_index.from_confusion(cm)", oe.oc_index.from_confusion),
    (Contender(LISTING, "Cardoso & Sousa 2011, cell by cell", listing_1),),
)
AUOC = Operation(
    "AUOC",
    Contender(US, "oe.auoc.from_confusion(cm)", oe.auoc.from_confusion),
    (
        Contender(LISTING, "quadrature of it, 101 points", auoc_by_listing),
        Contender(QUADRATURE, "of oe.uoc_index, 101 points", quadrature),
    ),
)


def path_rows(plan: Plan) -> Iterator[Row]:
    """OC and AUOC of one matrix, against the published listing."""
    for operation in (OC, AUOC):
        for k in (K, plan.classes[-1]):
            if operation is AUOC and k > K:
                continue
            for peer in operation.peers:
                yield compare(
                    operation.name, f"one matrix, K = {k}", operation.ours, peer,
                    partial(one_matrix, k), plan,
                )  # fmt: skip


def _sklearn_kappa_of_cells(stack: Any) -> list[float]:
    """The cheapest way to hand it a matrix: the cells are items, the counts their weights."""
    from sklearn.metrics import cohen_kappa_score

    rows, columns = np.divmod(np.arange(stack.shape[-1] ** 2), stack.shape[-1])
    return [
        cohen_kappa_score(rows, columns, weights="quadratic", sample_weight=m.ravel())
        for m in stack
    ]


def _pycm_kappa_of_matrix(stack: Any) -> list[float]:
    from pycm import ConfusionMatrix

    weight = weights_of(range(stack.shape[-1]))
    return [ConfusionMatrix(matrix=m).weighted_kappa(weight) for m in stack.tolist()]


KAPPA_STACK = Operation(
    "quadratic kappa",
    Contender(US, "oe.weighted_kappa.from_confusion(stack)", oe.weighted_kappa.from_confusion),
    (
        Contender(
            SKLEARN, "a loop: cohen_kappa_score(..., sample_weight=cm)", _sklearn_kappa_of_cells
        ),
        Contender(PYCM, "a loop: ConfusionMatrix(matrix=cm).weighted_kappa", _pycm_kappa_of_matrix),
    ),
)
OC_STACK = Operation(
    "OC",
    Contender(US, "oe.oc_index.from_confusion(stack)", oe.oc_index.from_confusion),
    (Contender(LISTING, "a loop over it", each(listing_1)),),
)
AUOC_STACK = Operation(
    "AUOC",
    Contender(US, "oe.auoc.from_confusion(stack)", oe.auoc.from_confusion),
    (Contender(LISTING, "a loop over its quadrature, 101 points", each(auoc_by_listing)),),
)


def batch_rows(plan: Plan) -> Iterator[Row]:
    """Many matrices at once, against a loop."""
    for operation, most in ((KAPPA_STACK, 1_000), (OC_STACK, 10_000), (AUOC_STACK, 100)):
        size = min(most, plan.stacks[-1])
        for peer in operation.peers:
            yield compare(
                operation.name, f"{size:,} matrices", operation.ours, peer,
                partial(matrices, size), plan,
            )  # fmt: skip


Metric = Callable[[Any, Any], float]


def _usual_bootstrap(metric: Metric, d: Labels, draws: int) -> Any:
    """The code that everybody writes."""
    rng = np.random.default_rng(0)
    n = len(d.truth)
    drawn = (rng.integers(0, n, n) for _ in range(draws))
    return np.percentile([metric(d.truth[i], d.pred[i]) for i in drawn], [2.5, 97.5])


def _scipy_bootstrap(metric: Metric, d: Labels, draws: int) -> Any:
    from scipy.stats import bootstrap

    # batch keeps its memory low; all draws at once need 8 bytes a draw and item.
    found = bootstrap(
        (d.truth, d.pred), metric, paired=True, vectorized=False, n_resamples=draws, batch=10,
        method="percentile", rng=np.random.default_rng(0),
    )  # fmt: skip
    return np.array(found.confidence_interval)


BOOTSTRAPS = {
    "quadratic kappa": (oe.weighted_kappa, KAPPA, (SKLEARN,)),
    "AMAE": (oe.average_mae, AMAE, (IMBLEARN, SKORDINAL)),
}


def bootstrap_rows(plan: Plan) -> Iterator[Row]:
    """An interval of the usual kind, against the usual code over a peer's measure."""
    for name, (metric, operation, packages) in BOOTSTRAPS.items():
        for n in plan.bootstrap_items:
            for peer in operation.peers:
                if peer.package not in packages:
                    continue
                for way, bootstrap in (
                    ("scipy.stats.bootstrap over", _scipy_bootstrap),
                    ("a loop over", _usual_bootstrap),
                ):
                    yield _bootstrap_row(name, n, metric, peer, way, bootstrap, plan)


def _bootstrap_row(
    name: str, n: int, metric: oe.Metric, peer: Contender, way: str, bootstrap: Any, plan: Plan
) -> Row:
    size = f"{items(n)}, {plan.draws:,} draws"
    ours_call = f"oe.confidence_interval('{metric.name}', y, p, method='percentile')"
    about = (f"interval of {name}", size, f"{way} {peer.package}", peer.call, ours_call)
    if not installed(peer.package) or (bootstrap is _scipy_bootstrap and not installed(SCIPY)):
        return Row(*about, note="not installed")
    d = Labels.draw(n, K)

    def measure(truth: Any, pred: Any) -> float:
        return float(peer.run(Labels(truth, pred, K)))

    def ours() -> Any:
        found = oe.confidence_interval(
            metric, d.truth, d.pred, labels=d.scale, method="percentile",
            n_resamples=plan.draws, rng=0,
        )  # fmt: skip
        return np.array([found.low, found.high])

    bootstrap(measure, d, 2)
    draws = plan.draws
    if n > plan.bootstrap_in_full:
        a_draw = best_time(lambda: bootstrap(measure, d, 5), 1) / 5
        draws = min(plan.draws, max(20, int(plan.bootstrap_budget / 2 / a_draw)))
    theirs, mine = warm_up(lambda: bootstrap(measure, d, draws)), warm_up(ours)
    seconds, their_seconds = compare_times([mine, theirs], plan.rounds, plan.bootstrap_budget / 2)
    their_seconds *= plan.draws / draws
    off = np.abs(mine.value - theirs.value).max() / np.ptp(mine.value)
    same = bool(off < (_CHANCE if draws == plan.draws else _CHANCE_OF_FEW))
    note = "" if draws == plan.draws else f"extrapolated from {draws:,} draws"
    return Row(*about, seconds, their_seconds, their_seconds / seconds, same, note)


_IMPORT = "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"


def import_row(plan: Plan) -> Row:
    """``import ordeval`` against ``import numpy``, each in new interpreters, interleaved."""
    best = {"ordeval": np.inf, "numpy": np.inf}
    for _ in range(plan.rounds):
        for module in best:
            command = [sys.executable, "-c", _IMPORT.format(module)]
            took = float(subprocess.check_output(command, text=True))
            best[module] = min(best[module], took)
    mine, theirs = best["ordeval"], best["numpy"]
    about = ("import", "new interpreter", NUMPY, "import numpy", "import ordeval")
    return Row(*about, mine, theirs, theirs / mine)
