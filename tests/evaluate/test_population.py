"""Values for a population in which classes or strata have other shares than in the data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.exceptions import LabelError, OrdevalError, ParameterError

LABELS = ["mild", "moderate", "severe"]
TARGET = {"mild": 0.2, "moderate": 0.3, "severe": 0.5}


def _study(n: int = 300, seed: int = 0) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    a = np.clip(y + rng.choice([-1, 0, 0, 0, 1], n), 0, 2)
    b = np.clip(y + rng.choice([-1, 0, 0, 1], n), 0, 2)
    prob = rng.dirichlet([1, 1, 1], n) * 0.5 + 0.5 * np.eye(3)[a]
    names = np.array(LABELS)
    return names[y], names[a], names[b], prob, rng.choice(["north", "south"], n)


def _weights(stratum: Any, target: dict[str, float]) -> Any:
    """Target share over observed share, item by item."""
    stratum = np.asarray(stratum)
    return np.array([target[s] / np.mean(stratum == s) for s in stratum])


def test_measures_of_scores_and_of_cuts_have_the_same_values() -> None:
    y, *_, prob, _ = _study()
    scores, weights = prob @ np.arange(3.0), _weights(y, TARGET)
    given: Any = {"labels": LABELS, "level": None}
    ranking = [m.name for m in oe.metrics() if m.takes_scores and not m.required]
    cuts = [oe.get_metric(m.name).with_params(at_least="severe")
            for m in oe.metrics() if m.required == ("at_least",)]  # fmt: skip
    assert len(ranking) >= 3
    assert len(cuts) >= 5
    for outputs, chosen, kind in ((scores, ranking, "scores"), (prob, cuts, "auto")):
        found = oe.score(y, outputs, chosen, outputs=kind, prevalence=TARGET, **given)
        other = oe.score(y, outputs, chosen, outputs=kind, sample_weight=weights, **given)
        for name in other:
            assert found[name] == pytest.approx(other[name], abs=1e-9), name


@pytest.mark.parametrize("given", ["labels", "probabilities"])
def test_values_are_those_of_items_weighted_by_target_over_observed_share(given: Any) -> None:
    y, a, _, prob, _ = _study()
    outputs = a if given == "labels" else prob
    needs = ("labels",) if given == "labels" else ("labels", "probabilities")
    chosen = [m.name for n in needs for m in oe.metrics(needs=n) if not m.required]
    found = oe.score(y, outputs, chosen, labels=LABELS, prevalence=TARGET, level=None)
    weights = _weights(y, TARGET)
    expected = oe.score(y, outputs, chosen, labels=LABELS, sample_weight=weights, level=None)
    for name in expected:
        assert found[name] == pytest.approx(expected[name], abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize("verb", ["interval", "compare", "thresholds"])
def test_every_verb_has_the_same_values(verb: Any) -> None:
    y, a, b, _, _ = _study()
    weights = _weights(y, TARGET)
    if verb == "interval":
        found = oe.confidence_interval("weighted_kappa", y, a, labels=LABELS, prevalence=TARGET)
        other = oe.confidence_interval("weighted_kappa", y, a, labels=LABELS, sample_weight=weights)
        assert found.estimate == pytest.approx(other.estimate, abs=1e-9)
    elif verb == "compare":
        models = {"a": a, "b": b}
        found = oe.compare(y, models, labels=LABELS, prevalence=TARGET)
        other = oe.compare(y, models, labels=LABELS, sample_weight=weights)
        for metric in other.estimates:
            for model in models:
                assert found.estimates[metric][model].estimate == pytest.approx(
                    other.estimates[metric][model].estimate, abs=1e-9
                )
    else:
        found = oe.thresholds(y, a, labels=LABELS, prevalence=TARGET)
        other = oe.thresholds(y, a, labels=LABELS, sample_weight=weights)
        for cut in other:
            for name, value in other[cut].intervals.items():
                assert found[cut][name].estimate == pytest.approx(value.estimate, abs=1e-9)


def test_ppv_at_the_prevalence_of_a_clinic_is_that_of_bayes() -> None:
    y, a, *_ = _study()
    cut = oe.thresholds(y, a, labels=LABELS, prevalence=TARGET)[">= severe"]
    share = TARGET["severe"]
    # Sensitivity is that of the data; specificity depends on the mix of the classes below.
    own = oe.thresholds(y, a, labels=LABELS)[">= severe"]
    assert cut["sensitivity"].estimate == pytest.approx(own["sensitivity"].estimate)
    sensitivity, specificity = (cut[x].estimate for x in ("sensitivity", "specificity"))
    ppv = share * sensitivity / (share * sensitivity + (1 - share) * (1 - specificity))
    assert cut["ppv"].estimate == pytest.approx(ppv)
    assert cut["prevalence"].estimate == pytest.approx(share)
    assert np.isnan(cut["prevalence"].low)


def test_a_matrix_and_its_items_agree() -> None:
    y, a, *_ = _study()
    cm = oe.ConfusionMatrix.from_labels(y, a, labels=LABELS)
    items = oe.score(y, a, ["cem_ord", "oc_index"], labels=LABELS, prevalence=TARGET)
    counts = oe.score(cm, metrics=["cem_ord", "oc_index"], prevalence=TARGET)
    for name in items:
        assert counts[name] == pytest.approx(items[name])
        for end in ("low", "high"):
            assert getattr(counts.intervals[name], end) == pytest.approx(
                getattr(items.intervals[name], end)
            )
    interval = oe.confidence_interval("cem_ord", cm, prevalence=[0.2, 0.3, 0.5])
    assert interval.low == pytest.approx(items.intervals["cem_ord"].low)


def test_the_standard_error_of_accuracy_is_that_of_post_stratification() -> None:
    """Against the textbook formula; the rest is the pseudo-item, which many items outweigh."""
    y, a, *_ = _study(20_000)
    found = oe.confidence_interval("accuracy", y, a, labels=LABELS, prevalence=TARGET)
    right = y == a
    variance = sum(
        share**2 * right[y == c].var(ddof=1) / (y == c).sum() for c, share in TARGET.items()
    )
    width = 2 * 1.96 * np.sqrt(variance)
    assert found.high - found.low == pytest.approx(width, rel=0.02)


def test_counts_of_a_registry_add_their_own_variance() -> None:
    y, a, *_ = _study(20_000)
    registry = {"mild": 100, "moderate": 150, "severe": 250}
    known = oe.confidence_interval("accuracy", y, a, labels=LABELS, prevalence=TARGET)
    found = oe.confidence_interval("accuracy", y, a, labels=LABELS, prevalence=registry)
    right = y == a
    rates = np.array([right[y == c].mean() for c in LABELS])
    shares = np.array(list(TARGET.values()))
    own = shares @ rates**2 - (shares @ rates) ** 2
    widths = [(x.high - x.low) / (2 * 1.96) for x in (known, found)]
    assert widths[1] ** 2 - widths[0] ** 2 == pytest.approx(own / 500, rel=0.05)
    truth = np.repeat(LABELS, [100, 150, 250])
    clinic = oe.Predictions(truth, truth, labels=LABELS)
    from_items = oe.confidence_interval("accuracy", y, a, labels=LABELS, prevalence=clinic)
    assert from_items.low == pytest.approx(found.low, abs=1e-4)


def test_a_clustered_registry_is_less_certain() -> None:
    y, a, *_ = _study(5_000)
    truth = np.repeat(LABELS, [100, 150, 250])
    alone = oe.Predictions(truth, truth, labels=LABELS)
    together = oe.Predictions(truth, truth, labels=LABELS, clusters=np.arange(500) // 10)
    widths = []
    for registry in (alone, together):
        x = oe.confidence_interval("accuracy", y, a, labels=LABELS, prevalence=registry)
        widths.append(x.high - x.low)
    assert widths[1] > widths[0]


def test_a_mix_of_strata_is_the_weighted_mean_of_their_accuracies() -> None:
    y, a, _, _, site = _study()
    data = oe.Predictions(y, a, labels=LABELS, by={"site": site})
    found = oe.score(data, ["accuracy"], mix={"north": 0.9, "south": 0.1})
    rates = {s: np.mean(y[site == s] == a[site == s]) for s in ("north", "south")}
    assert found["accuracy"] == pytest.approx(0.9 * rates["north"] + 0.1 * rates["south"])
    named = oe.score(data, ["accuracy"], mix={"site": {"north": 0.9, "south": 0.1}})
    assert named["accuracy"] == pytest.approx(found["accuracy"])


def test_with_two_columns_one_may_be_the_strata_and_the_other_the_subgroups() -> None:
    y, a, _, _, site = _study()
    ward = np.where(np.arange(300) % 3 == 0, "x", "y")
    data = oe.Predictions(y, a, labels=LABELS, by={"site": site, "ward": ward})
    found = oe.score(data, ["accuracy"], mix={"site": {"north": 0.9, "south": 0.1}})
    for name in ("x", "y"):
        rates = {s: np.mean((y == a)[(site == s) & (ward == name)]) for s in ("north", "south")}
        expected = 0.9 * rates["north"] + 0.1 * rates["south"]
        assert found["accuracy"][list(found.by).index(name)] == pytest.approx(expected)


def test_each_subgroup_has_the_target_prevalence() -> None:
    y, a, _, _, site = _study()
    data = oe.Predictions(y, a, labels=LABELS, by=site)
    found = oe.score(data, ["cem_ord", "accuracy"], prevalence=TARGET)
    compared = oe.compare(data, ["cem_ord"], prevalence=TARGET)
    for s in ("north", "south"):
        alone = oe.score(
            y[site == s], a[site == s], ["cem_ord", "accuracy"], labels=LABELS, prevalence=TARGET
        )
        at = list(found.by).index(s)
        assert found["cem_ord"][at] == pytest.approx(alone["cem_ord"])
        assert found["accuracy"][at] == pytest.approx(alone["accuracy"])
        estimate = compared[s].estimates["cem_ord"]["y_pred"]
        assert estimate.low == pytest.approx(alone.intervals["cem_ord"].low)


def test_frames_and_files_agree_with_arrays(tmp_path: Any) -> None:
    pd = pytest.importorskip("pandas")
    y, a, b, _, site = _study()
    frame = pd.DataFrame({"y": y, "a": a, "b": b, "site": site})
    frame.to_csv(tmp_path / "study.csv", index=False)
    arrays = oe.compare(y, {"a": a, "b": b}, ["cem_ord"], labels=LABELS, prevalence=TARGET)
    for data in (
        oe.Predictions.from_frame(frame, "y", ["a", "b"], labels=LABELS),
        oe.Predictions.from_file(tmp_path / "study.csv", "y", ["a", "b"], labels=LABELS),
    ):
        found = oe.compare(data, ["cem_ord"], prevalence=TARGET)
        assert found.deltas()[0].low == pytest.approx(arrays.deltas()[0].low)


def test_a_comparison_says_what_it_is_about_without_being_asked() -> None:
    y, a, b, _, site = _study()
    models = {"a": a, "b": b}
    assert "Values are for the target prevalence: mild (20%)" in str(
        oe.compare(y, models, ["accuracy"], labels=LABELS, prevalence=TARGET)
    )
    data = oe.Predictions(y, models, labels=LABELS, by={"site": site})
    found = oe.compare(data, ["accuracy"], over="site")
    assert str(found).count("Values are averages over 2 sites, all of equal weight.") == 1
    assert str(found.details("verbose")).count("Values are averages") == 1


def test_the_result_says_which_population_it_is_about() -> None:
    y, a, b, *_ = _study()
    said = "mild (20%), moderate (30%) and severe (50%)"
    one = str(oe.score(y, a, ["accuracy"], labels=LABELS, prevalence=TARGET))
    assert said in " ".join(one.split())
    assert said in oe.compare(y, {"a": a, "b": b}, labels=LABELS, prevalence=TARGET).population
    cuts = str(oe.thresholds(y, a, labels=LABELS, prevalence=TARGET))
    assert said in " ".join(cuts.split())
    counted = oe.score(y, a, ["accuracy"], labels=LABELS, prevalence=[20, 30, 50])
    assert "estimated from 100 items" in " ".join(str(counted).split())


@pytest.mark.parametrize(
    ("prevalence", "says"),
    [
        ({"mild": 0.5, "moderate": 0.5}, "no share for severe"),
        ({"mild": 0.5, "moderate": 0.3, "sever": 0.2}, "Did you mean severe"),
        ([0.5, 0.5], "one share for each of the 3 levels"),
        ([0.5, 0.4, 0.2], "sum to 1.1"),
        ([0.5, -0.1, 0.6], "not negative"),
        ([62.5, 30.5, 7.0], "sum to 100"),
        ("0.5,0.3,0.2", "mapping"),
        (0.5, "mapping"),
        ([0.5, None, 0.5], "numbers"),
        ([10**400, 1, 1], "numbers"),
        ([0, 0, 0], "not negative"),
    ],
)
def test_bad_shares_are_one_clear_error(prevalence: Any, says: Any) -> None:
    y, a, *_ = _study()
    with pytest.raises(OrdevalError, match=says):
        oe.score(y, a, labels=LABELS, prevalence=prevalence)


def test_names_that_are_alike_as_text_are_an_error() -> None:
    y, p = [1, 2, 1, 2], [1, 2, 2, 2]
    with pytest.raises(ParameterError, match="names in prevalence must differ as text"):
        oe.score(y, p, labels=[1, 2], prevalence={1: 0.9, "1": 0.5, 2: 0.5})
    with pytest.raises(ParameterError, match="names in mix must differ as text"):
        oe.score(oe.Predictions(y, p, labels=[1, 2], by=y), mix={1: 0.9, "1": 0.5, 2: 0.5})


def test_an_iterator_of_shares_can_be_read_by_every_question() -> None:
    y, a, *_ = _study()
    shares = list(TARGET.values())
    found = oe.score(y, a, labels=LABELS, prevalence=iter(shares))
    assert str(found) == str(oe.score(y, a, labels=LABELS, prevalence=shares))


def test_a_series_of_shares_is_read_by_its_names() -> None:
    """Value counts of pandas are ordered by frequency, not by the scale."""
    pd = pytest.importorskip("pandas")
    y, a, *_ = _study()
    counts = pd.Series(y).value_counts()
    assert list(counts.index) != sorted(LABELS, reverse=True)
    reverse = pd.Series({"severe": 0.5, "moderate": 0.3, "mild": 0.2})
    expected = oe.score(y, a, labels=LABELS, prevalence=TARGET)
    for given in (reverse, pd.Series([0.2, 0.3, 0.5])):
        found = oe.score(y, a, labels=LABELS, prevalence=given)
        assert dict(found) == pytest.approx(dict(expected), nan_ok=True)
    data = oe.Predictions(y, a, labels=LABELS, by=_study()[4])
    mixed = oe.score(data, ["accuracy"], mix=pd.Series({"south": 0.1, "north": 0.9}))
    plain = oe.score(data, ["accuracy"], mix={"north": 0.9, "south": 0.1})
    assert mixed["accuracy"] == plain["accuracy"]


def test_a_set_of_shares_has_no_order_and_is_an_error() -> None:
    y, a, *_ = _study()
    with pytest.raises(ParameterError, match="must be a mapping of names to shares"):
        oe.score(y, a, labels=LABELS, prevalence={0.2, 0.3, 0.5})


def test_a_subgroup_without_a_class_is_an_error_that_names_the_class() -> None:
    y, a, _, _, site = _study()
    site = np.where(y == "severe", "north", site)
    with pytest.raises(LabelError, match=r"no items of severe \(50%\), which the target"):
        oe.score(oe.Predictions(y, a, labels=LABELS, by=site), prevalence=TARGET)


def test_the_json_of_scores_and_of_cuts_says_which_population_it_is_about() -> None:
    y, a, *_ = _study()
    for verb in (oe.score, oe.thresholds):
        found: Any = verb(y, a, labels=LABELS, prevalence=TARGET)
        assert "target prevalence: mild (20%)" in json.loads(found.to_json())["note"]


def test_a_registry_on_another_scale_is_an_error_that_names_both() -> None:
    registry = oe.Predictions([1, 2, 3], [1, 2, 3], labels=[1, 2, 3])
    with pytest.raises(ParameterError, match="another scale, 1, 2 and 3; the data have 1 and 2"):
        oe.score([1, 2, 1], [1, 2, 2], labels=[1, 2], prevalence=registry)


def test_a_class_without_items_cannot_be_in_the_population() -> None:
    y, a, *_ = _study()
    keep = y != "severe"
    with pytest.raises(LabelError, match="severe"):
        oe.score(y[keep], a[keep], labels=LABELS, prevalence=TARGET)
    found = oe.score(y[keep], a[keep], ["accuracy"], labels=LABELS, prevalence=[0.4, 0.6, 0.0])
    assert 0 < found["accuracy"] < 1


def test_one_population_at_a_time_and_without_draws() -> None:
    y, a, _, _, site = _study()
    data = oe.Predictions(y, a, labels=LABELS, by=site)
    with pytest.raises(ParameterError, match="because each names a population"):
        oe.score(data, prevalence=TARGET, mix={"north": 0.5, "south": 0.5})
    with pytest.raises(ParameterError, match="auto"):
        oe.score(y, a, labels=LABELS, prevalence=TARGET, method="bca")
    with pytest.raises(ParameterError, match="by"):
        oe.score(y, a, labels=LABELS, mix={"north": 0.5, "south": 0.5})


@pytest.mark.filterwarnings("ignore:.*uneven")
def test_intervals_cover_where_the_population_is_enriched() -> None:
    """Known shares and a registry: 300 data sets, so 0.95 is seen as 0.91 or more."""
    rng = np.random.default_rng(3)
    rows = np.array([[0.85, 0.12, 0.03], [0.2, 0.6, 0.2], [0.05, 0.25, 0.7]])
    target = np.array([0.7, 0.2, 0.1])
    truth = float(oe.cem_ord.values(target[:, None] * rows * 1e6))
    for registry in (0, 200):
        hits = 0
        for _ in range(300):
            y = rng.choice(3, 120, p=[0.3, 0.4, 0.3])
            p = (rng.random(120)[:, None] > rows[y].cumsum(axis=1)).sum(axis=1)
            shares = rng.multinomial(registry, target) if registry else target
            x = oe.confidence_interval("cem_ord", y, p, labels=range(3), prevalence=shares)
            hits += x.low <= truth <= x.high
        assert 0.91 <= hits / 300 <= 0.99
