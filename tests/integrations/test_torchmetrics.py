"""The torchmetrics adapter gives ordeval's own numbers, over batches, processes and collections."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ordeval as oe

pytestmark = [
    # The packages' own; ours are errors as everywhere.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*(?!ordeval).*:UserWarning:torch.*"),
]

OF_LABELS = ["cem_ord", "average_mae", "auoc", "weighted_kappa"]
OF_PROBABILITIES = [
    "ranked_probability_score", "ordinal_log_loss", "ranked_probability_skill_score",
]  # fmt: skip


def labels(n: int = 600, k: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    return truth, np.clip(truth + rng.integers(-1, 2, n), 0, k - 1)


def probabilities(n: int = 600, k: int = 4) -> Any:
    return np.random.default_rng(1).dirichlet(np.ones(k), n)


def metric(*given: Any, **options: Any) -> Any:
    return oe.integrations.OrdinalMetric(*given, **options)


@pytest.mark.parametrize("name", OF_LABELS + OF_PROBABILITIES)
def test_over_batches_and_merged_states(name: str) -> None:
    truth, pred = labels()
    given = probabilities() if name in OF_PROBABILITIES else pred
    parts = [metric(name, 4) for _ in range(2)]
    for i, rows in enumerate(np.split(np.arange(600), 6)):
        parts[i % 2].update(torch.tensor(given[rows]), torch.tensor(truth[rows]))
    parts[0].merge_state(parts[1])
    expected = oe.get_metric(name)(truth, given, labels=range(4))
    assert float(parts[0].compute()) == pytest.approx(expected, abs=1e-6)
    assert parts[0].higher_is_better is oe.get_metric(name).greater_is_better
    parts[0].reset()
    parts[0].update(torch.tensor(given[:100]), torch.tensor(truth[:100]))
    again = oe.get_metric(name)(truth[:100], given[:100], labels=range(4))
    assert float(parts[0].compute()) == pytest.approx(again, abs=1e-6)


def one_rank(rank: int, size: int, folder: str) -> None:
    """What a process of several does; its value is that of all of them."""
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=size
    )
    truth, pred = labels()
    rows = slice(0, 150) if rank == 0 else slice(150, 600)
    found = {}
    for name, given in (("weighted_kappa", pred), ("ranked_probability_score", probabilities())):
        one = metric(name, 4)
        one.update(torch.tensor(given[rows]), torch.tensor(truth[rows]))
        found[name] = float(one.compute())
    Path(folder, f"rank{rank}").write_bytes(pickle.dumps(found))
    torch.distributed.destroy_process_group()


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_states_add_across_ranks(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(one_rank, (2, str(tmp_path)), nprocs=2)
    truth, pred = labels()
    for rank in range(2):
        found = pickle.loads((tmp_path / f"rank{rank}").read_bytes())
        for name, given in (
            ("weighted_kappa", pred), ("ranked_probability_score", probabilities()),
        ):  # fmt: skip
            expected = oe.get_metric(name)(truth, given, labels=range(4))
            assert found[name] == pytest.approx(expected, abs=1e-6)


def test_scores_and_parameters() -> None:
    truth, pred = labels()
    scores = torch.nn.functional.one_hot(torch.tensor(pred), 4).float()
    linear = metric(oe.weighted_kappa.with_params(weights="linear"), 4, dist_sync_on_step=False)
    linear.update(scores, torch.tensor(truth))
    expected = oe.weighted_kappa(truth, pred, labels=range(4), weights="linear")
    assert float(linear.compute()) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scale", [[1, 2, 3, 4], [40, 30, 20, 10], [0, 1, 5, 9]])
@pytest.mark.filterwarnings("ignore::ordeval.StepsWarning")
def test_tensors_may_hold_any_whole_numbers(scale: list[int]) -> None:
    truth, pred = (np.array(scale)[x] for x in labels())
    found = metric("cem_ord", labels=scale)
    found.update(torch.tensor(pred), torch.tensor(truth))
    assert float(found.compute()) == pytest.approx(oe.cem_ord(truth, pred, labels=scale), abs=1e-6)
    with pytest.raises(oe.LabelError, match="1 of 2 are outside, the first is 7"):
        found.update(torch.tensor([scale[0], 7]), torch.tensor(scale[:2]))


def test_images_of_scores_and_of_probabilities() -> None:
    target = torch.randint(0, 4, (5, 4, 3), generator=torch.Generator().manual_seed(0))
    scores = torch.nn.functional.one_hot(target, 4).movedim(-1, 1).float()
    for name, best in (("accuracy", 1.0), ("ranked_probability_score", 0.0)):
        found = metric(name, 4)
        found.update(scores, target)
        assert float(found.compute()) == best


def test_a_collection_shares_counts_but_never_losses() -> None:
    """At first both losses are zero: a shared state would make them one measure for good."""
    from torchmetrics import MetricCollection

    truth, _ = labels()
    names = ["accuracy", "cem_ord", "ordinal_log_loss", "ranked_probability_score"]
    every = MetricCollection({name: metric(name, 4) for name in names})
    sure = torch.nn.functional.one_hot(torch.tensor(truth), 4).double()
    every.update(sure, torch.tensor(truth))
    every.update(torch.tensor(probabilities()), torch.tensor(truth))
    found = every.compute()
    both, given = np.concatenate([truth, truth]), np.concatenate([sure.numpy(), probabilities()])
    for name in names[2:]:
        expected = oe.get_metric(name)(both, given, labels=range(4))
        assert float(found[name]) == pytest.approx(expected, rel=1e-6)
    expected = oe.cem_ord(both, given.argmax(axis=1), labels=range(4))
    assert float(found["cem_ord"]) == pytest.approx(expected, rel=1e-6)


def test_copies_and_pickles() -> None:
    truth, pred = labels()
    first = metric("weighted_kappa", 4)
    first.update(torch.tensor(pred), torch.tensor(truth))
    for other in (copy.deepcopy(first), pickle.loads(pickle.dumps(first)), first.clone()):
        assert float(other.compute()) == float(first.compute())


@pytest.mark.parametrize("bad", [[0, 4], [-1, 0], [0.5, 1.0]])
def test_what_is_no_class_is_refused(bad: list[float]) -> None:
    found = metric("accuracy", 4)
    with pytest.raises(oe.LabelError, match=r"are outside|second axis"):
        found.update(torch.tensor(bad), torch.tensor([0, 1]))
    with pytest.raises(oe.LabelError, match=r"are outside|whole numbers"):
        found.update(torch.tensor([0, 1]), torch.tensor(bad))
    assert int(found.counts.sum()) == 0


@pytest.mark.parametrize(
    ("preds", "target"),
    [
        ([[0], [1]], [0, 1]),
        ([0], [0, 1]),
        ([[0.1, 0.2, 0.7]], [2]),
        ([[0.1, float("nan"), 0.7, 0.2]], [2]),
    ],
    ids=["column", "one for two", "too few classes", "nan"],
)
def test_what_does_not_fit_is_refused(preds: list[Any], target: list[int]) -> None:
    with pytest.raises(oe.LabelError, match=r"do not fit|second axis|NaN"):
        metric("accuracy", 4).update(torch.tensor(preds), torch.tensor(target))


def test_logits_are_no_probabilities() -> None:
    with pytest.raises(oe.LabelError, match="each row of y_prob must"):
        metric("ordinal_log_loss", 3).update(torch.tensor([[2.0, -1.0, 0.5]]), torch.tensor([0]))


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (("accuracy",), {}),
        (("accuracy", 3), {"labels": [1, 2, 3]}),
        (("accuracy", 1), {}),
        (("accuracy",), {"labels": ["a", "b"]}),
        (("fleiss_kappa", 3), {}),
        (("threshold_sensitivity", 3), {}),
    ],
    ids=["neither", "both", "one class", "texts", "ratings", "without its parameter"],
)
def test_what_cannot_be_measured_is_refused_at_once(given: Any, options: Any) -> None:
    with pytest.raises(oe.ParameterError):
        metric(*given, **options)
