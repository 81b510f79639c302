"""What once went wrong, or nearly, with probabilities, scores and distributions."""

import json
import re
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from tests.asking import of_frame

import ordeval as oe
from ordeval.report.paper import paragraph


def test_integer_columns_in_another_order_are_names() -> None:
    frame = pd.DataFrame([[1.0, 0, 0], [0, 0, 1]])
    for turned in (frame[[2, 1, 0]], frame.iloc[:, ::-1]):
        assert oe.ranked_probability_score([0, 2], turned, labels=range(3)) == 0
    cost = pd.DataFrame([[0, 1, 5], [1, 0, 1], [2, 1, 0.0]])
    with pytest.raises(oe.ParameterError, match="in the order of the scale"):
        oe.expected_cost([0, 1, 2], [2, 1, 0], labels=range(3), cost=cost.iloc[::-1, ::-1])


def test_a_lone_distribution_is_read_by_its_names() -> None:
    shares = [
        pd.Series(x).value_counts(normalize=True)
        for x in (["lo"] * 3 + ["hi"], ["hi"] * 3 + ["lo"])
    ]
    for name in oe.metrics(family="distribution").names:
        expected = oe.get_metric(name)([0.75, 0.25], [0.25, 0.75])
        assert oe.get_metric(name)(*shares, labels=["lo", "hi"]) == pytest.approx(expected)
        with pytest.raises(oe.LabelError, match="does not declare their order"):
            oe.get_metric(name)(*shares)


def test_sums_that_differ_by_rounding_alone_are_ties() -> None:
    votes = np.random.default_rng(0).multinomial(10, [0.2] * 5, 300)
    y = np.random.default_rng(1).integers(0, 5, 300)
    cut = oe.threshold_auc.with_params(at_least=3)
    found = oe.score(y, votes / 10, [cut, "concordance_index"], labels=range(5))
    exact = oe.threshold_auc(y, y_score=votes[:, 3:].sum(axis=1), labels=range(5), at_least=3)
    assert found[cut.name] == pytest.approx(exact, abs=1e-12)
    level = oe.concordance_index(y, y_score=votes @ np.arange(5), labels=range(5))
    assert found["concordance_index"] == pytest.approx(level, abs=1e-12)


def test_a_truth_that_is_forecast_exactly_is_finite() -> None:
    p = [[0.7, 0.2, 0.1, 0.0]]
    assert np.isfinite(oe.threshold_log_loss(p, p))


def test_an_infinite_loss_that_weighs_nothing_is_none() -> None:
    value = oe.ordinal_log_loss([0, 1], [[0, 1.0], [0.2, 0.8]], sample_weight=[0, 1])
    assert value == pytest.approx(-np.log(0.8))


def test_labels_beside_probabilities_are_compared_as_labels_and_it_is_said() -> None:
    prob = [[0.3, 0.3, 0.4], [0.1, 0.5, 0.4], [0.45, 0.1, 0.45]] * 5
    found = oe.compare([0, 1, 2] * 5, {"a": prob, "b": [1, 1, 2] * 5}, ["concordance_index"],
                       labels=range(3))  # fmt: skip
    assert not any("expected level" in note for note in found.notes)


@pytest.mark.parametrize("scores", [["a", "b"] * 5, pd.date_range("2020", periods=10), [1j] * 10])
def test_what_is_no_score_is_refused_though_gaps_may_be_dropped(scores: object) -> None:
    with pytest.raises(oe.LabelError):
        oe.score([0, 1] * 5, scores, labels=[0, 1], outputs="scores", missing="drop")


def test_shares_as_truth_have_measures_of_their_own() -> None:
    rng = np.random.default_rng(0)
    shares, prob = rng.dirichlet([1, 1, 1], 30), rng.dirichlet([1, 1, 1], 30)
    assert "wasserstein" in oe.score(shares, prob)
    assert oe.compare(shares, {"a": prob}).primary.name == "ranked_probability_score"


def test_an_infinite_loss_can_be_drawn() -> None:
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 3, 40), rng.dirichlet([1, 1, 1], 40), rng.dirichlet([1, 1, 1], 40)
    never = a.copy()
    never[0] = np.eye(3)[(y[0] + 1) % 3]
    found = oe.compare(y, {"a": a, "b": b, "z": never}, ["ordinal_log_loss"], labels=range(3))
    assert "∞" in found.to_html()


def test_one_item_shows_no_difference() -> None:
    with pytest.warns(oe.ResamplingWarning):
        delta = oe.paired_delta(
            "ranked_probability_score", [0], [[0.9, 0.1]], [[0.1, 0.9]], labels=[0, 1]
        )
    assert not delta.p_value < 0.5


RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 40)
A, B = RNG.dirichlet([1, 1, 1], 40), RNG.dirichlet([1, 1, 1], 40)
# What happened to the first item, or to the first two, was given probability 0.
ONCE, TWICE = A.copy(), B.copy()
ONCE[:1], TWICE[:2] = np.eye(3)[(Y[:1] + 1) % 3], np.eye(3)[(Y[:2] + 1) % 3]
LOG = "ordinal_log_loss"
METHODS = ("auto", "percentile", "bca")


@pytest.fixture
def quiet() -> Iterator[None]:
    """What NumPy warns of is an error, and advice is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", oe.OrdevalWarning)
        yield


def infinite(*names: str, **more: object) -> oe.results.Comparison:
    given = {"a": A, "b": B, "once": ONCE, "twice": TWICE}
    models = {name: given[name] for name in names}
    return oe.compare(Y, models, [LOG, "ranked_probability_score"], labels=range(3), rng=0, **more)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("method", METHODS)
def test_an_infinite_value_has_no_interval_and_says_why(method: str) -> None:
    how = {"labels": range(3), "method": method, "n_resamples": 99, "rng": 0}
    found = oe.confidence_interval(LOG, Y, TWICE, **how)
    assert found.estimate == np.inf
    assert np.isnan([found.low, found.high]).all()
    assert (found.ruled_out, found.undefined_share) == (2, 0)
    said = "log loss is infinite: probability 0 was given to the true class of 2 of 40 items"
    assert str(found) == f"∞ ({said})"
    assert said in str(found.table())
    delta = oe.paired_delta(LOG, Y, A, TWICE, margin=0.1, **how)
    assert (delta.delta, delta.favours, delta.verdict) == (-np.inf, None, "not shown")
    assert "B gave probability 0 to the true class of 2 of 40 items" in str(delta)
    assert np.isnan([delta.low, delta.high, delta.p_value, delta.p_noninferior]).all()
    both = oe.paired_delta(LOG, Y, ONCE, TWICE, **how)
    assert both.favours is None
    assert str(both).endswith("A (1 of 40 items) and B (2) gave probability 0 to the true class")
    # Others keep the values that they have without it.
    beside, alone = (
        infinite(*names, method=method, n_resamples=99).estimates[LOG]["a"]
        for names in (["a", "twice"], ["a"])
    )
    assert (beside.low, beside.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


@pytest.mark.usefixtures("quiet")
def test_items_that_weigh_nothing_rule_nothing_out() -> None:
    weight = np.where(np.arange(40) < 1, 0.0, 1.5)
    assert oe.confidence_interval(
        LOG, Y, TWICE, labels=range(3), sample_weight=weight
    ).ruled_out == 1  # fmt: skip
    for method in METHODS:
        found = oe.confidence_interval(
            LOG, Y, ONCE, labels=range(3), sample_weight=weight, method=method, n_resamples=99
        )
        assert found.low < found.estimate < found.high


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("level", [0.95, None])
def test_scores_say_who_was_given_nothing(level: float | None) -> None:
    measures = [LOG, "threshold_log_loss", "accuracy"]
    found = oe.score(Y, TWICE, measures, labels=range(3), level=level)
    assert {a.code: a.message for a in found.advice if a.code > "OE3"} == {
        "OE310": "ordinal_log_loss and threshold_log_loss are infinite: probability 0 was "
        "given to the true class of 2 of 40 items."
    }


@pytest.mark.usefixtures("quiet")
def test_a_comparison_with_infinite_values_talks_no_nonsense() -> None:
    for chosen in (("once",), ("a", "once"), ("once", "twice"), ("a", "b", "once", "twice")):
        for reference, margin in ((None, None), (chosen[-1], 0.1)):
            found = infinite(*chosen, reference=reference, margin=margin)
            texts = [str(found), found.conclusion(), found.sentence(), found.to_markdown(),
                     found.to_latex(), paragraph(found)]  # fmt: skip
            for text in texts:
                assert not re.search(r"\b[+-]?(nan|inf)\b|∞ \[|\[—|∞\*|\*\*∞", text), text
            assert "∞" not in found.to_latex()
            json.loads(found.to_json(), parse_constant=pytest.fail)
            lost = {"once", "twice"} & set(chosen)
            assert ("OE310" in {a.code for a in found.advice}) == bool(lost)
            assert ("gave probability 0 to the true class" in found.conclusion()) == bool(lost)


def test_only_finite_values_are_ranked() -> None:
    mixed = infinite("a", "b", "once", "twice")
    assert mixed.models == ("b", "a", "once", "twice")
    best = mixed.probability_best[LOG]
    assert best["a"] + best["b"] == pytest.approx(1)
    assert np.isnan([best["once"], best["twice"]]).all()
    assert (
        "The log loss of once and twice is infinite: once (1 of 40 items) and twice (2) "
        "gave probability 0 to the true class." in mixed.conclusion()
    )
    one = infinite("a", "once")
    assert np.isnan(list(one.probability_best[LOG].values())).all()
    assert "would come first" not in one.conclusion()
    none = infinite("once", "twice")
    assert none.conclusion().startswith(
        "The log loss of every model is infinite: once (1 of 40 items) and twice (2) gave "
        "probability 0 to the true class.\n\n"
    )
    assert not any(cell.best for row in none.table().rows for cell in row[1:3])
    alone = infinite("once")
    assert alone.sentence() == (
        "The log loss of once is infinite: once gave probability 0 to the true class of 1 of 40 "
        "items."
    )


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("names", [("once",), ("once", "twice"), ("a", "b", "once", "twice")])
def test_reports_of_infinite_values_can_be_drawn(names: tuple[str, ...]) -> None:
    page = infinite(*names).to_html()
    assert "gave probability 0 to the true class" in page
    seen = re.sub("(?s)<script>.*?</script>", "", page)  # programs may have such words
    assert len(seen) < len(page)
    assert not re.search(r"\b(nan|inf)(\b|%)", seen)


@pytest.mark.usefixtures("quiet")
def test_subgroups_with_an_infinite_value_are_not_compared_and_it_is_said() -> None:
    frame = pd.DataFrame(TWICE, columns=["p_0", "p_1", "p_2"]).assign(y=Y, g=np.arange(40) % 2)
    found = oe.score(
        oe.Predictions.from_frame(
            frame, truth="y", prob={"m": ["p_0", "p_1", "p_2"]}, by="g", labels=range(3)
        ),
        metrics=[LOG],
    )
    assert (
        "Subgroups are not compared, because log loss is infinite: probability 0 was given"
        in " ".join(str(found).split())
    )


@pytest.mark.parametrize("given", ["labels", "probabilities", "scores", "shares"])
def test_items_without_any_weight_say_so_and_nothing_else(given: str) -> None:
    truth = np.eye(3)[Y] if given == "shares" else Y
    models = {"labels": (Y, Y[::-1]), "scores": (A[:, 0], B[:, 0])}.get(given, (A, B))
    metric = {"labels": "accuracy", "scores": "concordance_index"}.get(
        given, "ranked_probability_score"
    )
    how = {"labels": range(3), "outputs": "probabilities" if given == "shares" else given}
    nothing = {**how, "sample_weight": np.zeros(40)}
    why = "all weights are zero"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scored = str(oe.score(truth, models[0], [metric], **nothing))
        compared = oe.compare(truth, dict(zip("ab", models, strict=True)), [metric], **nothing)
    shown = oe.get_metric(metric).display
    assert f"— undefined, {why}: {shown}\n" in scored
    assert compared.conclusion().startswith(f"{shown} has no value on these data: {why}.")
    assert {a.code for a in compared.advice} == {"OE308"}
    with pytest.warns(oe.ResamplingWarning, match=f"OE308. {why}"):
        assert np.isnan(oe.confidence_interval(metric, truth, models[0], **nothing).estimate)
    with pytest.warns(oe.UndefinedMetricWarning, match=f"{metric} is undefined: {why}"):
        oe.get_metric(metric)(truth, models[0], labels=range(3), sample_weight=np.zeros(40))


@pytest.mark.usefixtures("quiet")
def test_an_empty_level_costs_a_forecast_by_prevalence_nothing() -> None:
    found = oe.compare(np.minimum(Y, 1), {"a": A}, [LOG], labels=range(3))
    share = np.mean(Y == 0)
    expected = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert found.baselines["random by prevalence"][LOG] == pytest.approx(expected)


@pytest.mark.parametrize("where", ["truth", "model", "both"])
@pytest.mark.parametrize("gap", ["nan", "mask"])
def test_gaps_in_tables_are_dropped_or_the_way_out_is_said(where: str, gap: str) -> None:
    def with_gap(table: np.ndarray, row: int) -> np.ndarray:
        if gap == "mask":
            masked = np.ma.array(table)
            masked[row, 1] = np.ma.masked
            return masked
        holed = table.copy()
        holed[row, 1] = np.nan
        return holed

    shares, gone = np.random.default_rng(3).dirichlet([1, 1, 1], 40), []
    truth, model = shares, A
    if where in ("truth", "both"):
        truth, gone = with_gap(truth, 7), [*gone, 7]
    if where in ("model", "both"):
        model, gone = with_gap(model, 30), [*gone, 30]
    kept = np.delete(np.arange(40), gone)
    for y, bare in ((truth, shares), (Y, Y)):
        if y is Y and where != "model":
            continue
        found = oe.compare(y, {"m": model, "b": B}, ["ranked_probability_score"], labels=range(3),
                           missing="drop", sample_weight=np.arange(1, 41))  # fmt: skip
        whole = oe.compare(bare[kept], {"m": A[kept], "b": B[kept]}, ["ranked_probability_score"],
                           labels=range(3), sample_weight=np.arange(1, 41)[kept])  # fmt: skip
        assert (found.items, found.left_out) == (40 - len(gone), len(gone))
        assert found.estimates["ranked_probability_score"]["m"].high == pytest.approx(
            whole.estimates["ranked_probability_score"]["m"].high, rel=1e-12
        )
        name = "y_true" if y is truth and where != "model" else "y_pred"
        said = (
            rf'each row of {name} must have a probability.*; 1 of 40.*row {gone[0]}.*"drop" leaves'
        )
        with pytest.raises(oe.LabelError, match=said):
            oe.score(y, model, ["ranked_probability_score"], labels=range(3))
    if where == "model":
        with pytest.raises(oe.LabelError, match=r"row 30: .* Leave these items out"):
            oe.ranked_probability_score(Y, model, labels=range(3))


def test_percentages_are_told_to_be_divided() -> None:
    for table in (A * 100, np.round(A * 100)):
        with pytest.raises(
            oe.LabelError, match="They sum to 100, as percentages do: divide by 100"
        ):
            oe.score(Y, table, labels=range(3))
    with pytest.raises(oe.LabelError, match=r"between 0 and 1; .*\]\.$"):
        oe.score(Y, A * 50, labels=range(3))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    "table",
    [A + 0j, A.astype(object) + 1j, np.full((40, 3), np.datetime64("2020-01-01")),
     np.full((40, 3), np.timedelta64(1, "s"))],
)  # fmt: skip
def test_what_numpy_would_make_a_number_is_no_probability(table: object) -> None:
    for call in (
        lambda: oe.ranked_probability_score(Y, table, labels=range(3)),
        lambda: oe.score(Y, table, labels=range(3)),
        lambda: oe.score(table, A, labels=range(3)),
        lambda: oe.models.decide(table),
    ):
        with pytest.raises(oe.LabelError, match="numbers: neither dates nor complex ones"):
            call()


@pytest.mark.parametrize("rule", ["junk", None, 3, {"a": 1}])
def test_a_rule_that_is_none_is_refused_though_nothing_is_decided(rule: object) -> None:
    frame = pd.DataFrame({"y": Y, "p": Y[::-1]})
    k = {"labels": range(3), "decide": rule}
    for call in (
        lambda: oe.score(Y, A, **k),
        lambda: oe.score(Y, Y[::-1], **k),
        lambda: oe.score([[3, 1], [1, 3]], decide=rule),
        lambda: oe.compare(Y, {"a": Y[::-1]}, **k),
        lambda: oe.confidence_interval("accuracy", Y, Y[::-1], **k),
        lambda: oe.paired_delta("accuracy", Y, Y, Y[::-1], **k),
        lambda: oe.thresholds(Y, Y[::-1], **k),
        lambda: of_frame(oe.score, frame, truth="y", pred="p", **k),
        lambda: of_frame(oe.compare, frame, truth="y", pred=["p"], **k),
        lambda: of_frame(oe.thresholds, frame, truth="y", pred="p", **k),
    ):
        with pytest.raises(oe.ParameterError, match=r'^decide must be "mode", "median", tuned cut'):
            call()


def test_costs_that_do_not_fit_are_refused_though_nothing_is_decided() -> None:
    rps = "ranked_probability_score"
    for call in (
        lambda **k: oe.score(Y, Y[::-1], **k),
        lambda **k: oe.compare(Y, {"a": Y[::-1]}, **k),
        lambda **k: oe.confidence_interval(rps, Y, A, **k),
        lambda **k: oe.paired_delta(rps, Y, A, B, **k),
    ):
        with pytest.raises(oe.ParameterError, match="3 x 3"):
            call(labels=range(3), decide=[[0, 1], [1, 0]])


def test_the_lowest_of_equal_classes_is_decided_for_whatever_rounding_did() -> None:
    assert oe.models.decide([[0.5, 0, 0.5], [0.2, 0.4, 0.4], [0, 0, 1]]).tolist() == [0, 1, 2]
    near = np.array([[0.35, 0.35 + 1e-14, 0.3], [0.3, 0.35, 0.35 + 1e-14]])
    assert oe.models.decide(near).tolist() == [0, 1]
    slow = [min(j for j in range(3) if row[j] >= row.max() - 1e-12) for row in A]
    assert oe.models.decide(A).tolist() == slow


@pytest.mark.parametrize(
    ("start", "model"),
    [("A_", "A"), ("A_p_", "A"), ("A-prob.", "A"), ("a.b_Proba_", "a.b"), ("p_", "p"),
     ("shop_", "shop"), ("_", "model"), ("A", "A")],
)  # fmt: skip
def test_models_are_called_by_what_their_columns_share(start: str, model: str) -> None:
    columns = [f"{start}{level}" for level in "xyz"]
    frame = pd.DataFrame(A, columns=columns).assign(truth=np.array(list("xyz"))[Y])
    for prob in (start, columns):
        found = oe.compare(
            oe.Predictions.from_frame(frame, "truth", prob=prob, labels=list("xyz")),
            metrics=["ranked_probability_score"],
        )
        assert found.models == (model,)


def test_calibration_says_what_to_do_about_rounded_probabilities() -> None:
    certain = np.eye(3)[Y]
    certain[0] = np.eye(3)[(Y[0] + 1) % 3]
    said = " ".join(str(oe.calibration(Y, certain, labels=range(3))).split())
    assert "If they come from rounding, export more digits." in said
    assert "rounding" not in str(oe.calibration(Y, A, labels=range(3)))


def test_panels_of_calibration_have_the_width_of_the_page() -> None:
    rps = ["ranked_probability_score"]
    page = oe.compare(Y, {"a": A}, rps, labels=range(3)).to_html()
    assert '<figure id="calibration0" class="panels">' in page
    wide = re.findall(r'<figure id="([^"]*)" class="panels">', page)
    assert wide == ["cut-calibration", "decision-curves", "calibration0"]
    two = np.stack([A[:, 0], 1 - A[:, 0]], axis=1)
    page = oe.compare(np.minimum(Y, 1), {"a": two}, rps, labels=range(2)).to_html()
    assert '<figure id="calibration0">' in page  # one panel
    assert 'class="panels"' not in page


def test_a_cut_that_is_no_level_is_said_so_of_probabilities() -> None:
    with pytest.raises(oe.ParameterError, match="at_least='medium' is not a level of"):
        oe.score(
            ["mild", "moderate", "severe"] * 2,
            [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]] * 2,
            [oe.threshold_auc.with_params(at_least="medium")],
            labels=["mild", "moderate", "severe"],
        )
