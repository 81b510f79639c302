"""The registry: the table of measures, their facts, and measures of one's own."""

import copy
import csv
import inspect
import json
import math
import pickle
import pydoc
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np
import pytest

import ordeval as oe
from ordeval.measures.metric import Family
from ordeval.measures.parts import references
from ordeval.measures.parts.notation import NOTATION

FAMILIES = get_args(Family)
FACTS: dict[str, Any] = {
    "symbol": "UNDER",
    "family": "distance",
    "best": 0,
    "range": (0, 1),
    "greater_is_better": False,
    "symmetric": False,
    "reversal_invariant": False,
    "depends_on_empty_levels": False,
    "undefined_when": "there are no items",
    "reference": "A handbook of grading",
}


def share_below(n: Any, *, steps: int = 1) -> Any:
    """Share of items graded at least ``steps`` too low."""
    return np.tril(n, -steps).sum((-2, -1)) / n.sum((-2, -1))


@pytest.fixture
def undergrading() -> Iterator[oe.Metric]:
    metric = oe.register(name="undergrading", **FACTS)(share_below)
    yield metric
    if "undergrading" in oe.metrics():
        oe.unregister("undergrading")


def test_measures_come_in_the_order_of_their_families() -> None:
    families = [m.family for m in oe.metrics()]
    assert list(dict.fromkeys(families)) == list(FAMILIES)
    assert families == sorted(families, key=FAMILIES.index)
    assert oe.metrics().names[0] == "accuracy"
    assert oe.metrics().names == oe.metrics().names


def test_measures_by_name_by_index_and_by_slice() -> None:
    table = oe.metrics()
    assert isinstance(table, tuple)
    assert table["oc_index"] is oe.oc_index
    assert table[0] is oe.accuracy
    assert table[-1] is oe.rnod
    assert table[:2] == (oe.accuracy, oe.misclassification_error)
    assert isinstance(table[:2], oe.Metrics)
    assert "oc_index" in table
    assert oe.oc_index in table
    assert "ocindex" not in table
    assert [m.name for m in table] == list(table.names)
    with pytest.raises(IndexError):
        table[1000]


def test_parts_of_the_table() -> None:
    assert oe.metrics(family="closeness").names == ("cem_ord", "cem_nom", "cem_int", "cem_ord_flat")
    families = [oe.metrics(family=x) for x in ("probability", "distribution")]
    assert oe.metrics(needs="probabilities") == families[0] + families[1]
    assert oe.metrics(needs="scores") == oe.metrics(family="ranking")
    assert len(oe.metrics(needs="labels")) == len(oe.metrics()) - 11
    assert oe.metrics(needs="ratings").names == (
        "fleiss_kappa",
        "conger_kappa",
        "intraclass_correlation",
    )
    assert sum(len(oe.metrics(family=family)) for family in FAMILIES) == len(oe.metrics())


def test_the_table_prints_one_line_for_each_measure() -> None:
    head, *lines = repr(oe.metrics()).splitlines()
    assert head.split() == ["measure", "better", "family", "range"]
    assert [line.split()[0] for line in lines] == list(oe.metrics().names)
    assert max(map(len, lines)) <= 100
    by_name = dict(zip(oe.metrics().names, lines, strict=True))
    assert "↑" in by_name["accuracy"]
    assert "↓" in by_name["oc_index"]
    assert "→" in by_name["mean_signed_error"]
    assert str(oe.metrics()) == repr(oe.metrics())
    assert repr(oe.Metrics()).split() == head.split()


def test_a_narrow_terminal_does_not_break_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = repr(oe.metrics())
    monkeypatch.setenv("COLUMNS", "60")
    assert repr(oe.metrics()) == wide


def test_the_table_has_every_format() -> None:
    table = oe.metrics(family="closeness")
    assert table.to_markdown().startswith("## Metrics\n\n| measure |")
    assert table.to_markdown().count("\n| ") == 2 + len(table)
    assert r"cem\_ord & $\uparrow$ & closeness & [0, 1] \\" in table.to_latex()
    assert '<th scope="row">cem_int</th>' in table._repr_html_()
    frame = table.to_frame()
    assert frame["metric"].tolist() == list(table.names)
    assert frame["needs"].unique().tolist() == ["labels"]
    made = json.loads(table.to_json())
    assert made["kind"] == "ordeval.metrics"
    assert made["rows"][0]["better"] == "higher"
    head, first, *_ = csv.reader(table.to_csv().splitlines())
    assert dict(zip(head, first, strict=True))["symbol"] == "CEM"
    assert dict(zip(head, first, strict=True))["reference"] == str(oe.cem_ord.reference)


def test_a_table_of_measures_is_pickled_and_copied() -> None:
    table = oe.metrics(family="path")
    assert pickle.loads(pickle.dumps(table)) == copy.deepcopy(table) == table
    assert isinstance(pickle.loads(pickle.dumps(table)), oe.Metrics)
    assert not hasattr(table, "__dict__")


def test_get_metric() -> None:
    assert oe.get_metric("oc_index") is oe.oc_index
    assert oe.get_metric(oe.oc_index) is oe.oc_index
    with pytest.raises(KeyError, match="Did you mean oc_index"):
        oe.get_metric("ocindex")


@pytest.mark.parametrize(("wrong", "right"), [("oc", "oc_index"), ("OC_index", "oc_index")])
def test_an_abbreviation_finds_its_measure(wrong: str, right: str) -> None:
    with pytest.raises(oe.UnknownMetricError, match=rf"Did you mean {right}\b"):
        oe.get_metric(wrong)


@pytest.mark.parametrize("metric", oe.metrics(), ids=lambda m: m.name)
def test_facts_are_complete(metric: oe.Metric) -> None:
    assert metric.name.isidentifier()
    assert metric.symbol.strip() == metric.symbol != ""
    assert metric.family in FAMILIES
    assert metric.needs in ("labels", "probabilities", "ratings")
    assert metric.undefined_when
    assert not metric.undefined_when.endswith(".")
    assert metric.reference.citation
    assert any(character.isdigit() for character in metric.reference.citation)
    assert metric.greater_is_better in (True, False, None)
    for fact in (metric.symmetric, metric.reversal_invariant, metric.depends_on_empty_levels):
        assert isinstance(fact, bool)
    assert repr(metric) == f"<ordeval metric {metric.name} ({metric.symbol}, {metric.family})>"


@pytest.mark.parametrize("metric", oe.metrics(), ids=lambda m: m.name)
def test_the_range_holds_the_best_value(metric: oe.Metric) -> None:
    low, high = metric.range
    assert low < high
    assert low <= metric.best <= high
    if metric.greater_is_better is not None and metric.perfect is not None:
        assert metric.best == (high if metric.greater_is_better else low)
    assert metric.range.text[0] in "[("
    for k in (2, 3, 10):
        lowest, highest = metric.range.at(k)
        assert low <= lowest < highest <= high
        assert lowest <= metric.best
        assert metric.best <= highest or math.isinf(metric.best)


@pytest.mark.parametrize("metric", oe.metrics(), ids=lambda m: m.name)
def test_every_measure_explains_itself(metric: oe.Metric) -> None:
    text = inspect.getdoc(metric)
    assert text is not None
    first = text.splitlines()[0]
    assert first.endswith((".", ":"))
    assert ">>> " in text
    assert f"{metric.name}(" in text or f"{metric.name}.from_confusion(" in text
    assert first in pydoc.render_doc(metric, renderer=pydoc.plaintext)


def leftovers(latex: str) -> set[str]:
    """Marks of LaTeX that are still there after the conversion: it passes on what it cannot read.

    An alignment outside the environments that it knows is no XML at all.
    """
    from latex2mathml.converter import convert

    shown = "".join(ElementTree.fromstring(convert(latex, display="block")).itertext())
    return set(r"\_^&$#") & set(shown)


def letters(latex: str) -> set[str]:
    """The letters of a formula, Greek ones by name; no words, no commands."""
    bare = re.sub(r"\\text\{[^}]*\}|\\(?:begin|end)\{\w+\}", " ", latex)
    greek = r"alpha|beta|gamma|delta|Delta|kappa|mu|nu|pi|rho|tau"
    found = re.findall(rf"\\({greek})\b|\\[A-Za-z]+|([A-Za-z])", bare)
    return {letter for pair in found for letter in pair if letter}


def unexplained(latex: str, known: Iterable[str] = ()) -> set[str]:
    """Letters that are neither common notation, nor known, nor defined: X_{...} = or (X) =."""
    common = set().union(*(letters(symbol.split("=")[0]) for symbol in NOTATION))
    sides = re.findall(r"(\\?[A-Za-z]+)(?:_\w|_\{[^{}=]*(?:\{\w+\})?\})?\)?\s*&?=", latex)
    return letters(latex) - common - set(known) - {side.lstrip("\\") for side in sides}


@pytest.mark.parametrize("metric", oe.metrics(), ids=lambda m: m.name)
def test_every_measure_has_a_formula(metric: oe.Metric) -> None:
    assert "=" in metric.formula, "it starts with the symbol: SYMBOL = ..."
    assert not leftovers(metric.formula)
    known = {name.split("_")[0] for name in metric.parameters}
    assert not unexplained(metric.formula, known), "add it to measures/parts/notation.txt"


def test_the_notation_is_rendered_and_used() -> None:
    used = set().union(*(letters(metric.formula) for metric in oe.metrics()))
    for symbol, meaning in NOTATION.items():
        assert not leftovers(symbol)
        assert letters(symbol.split("=")[0]) <= used
        assert meaning[0].islower() or meaning[0].isdigit()
        assert not meaning.endswith(".")


def test_a_bad_formula_is_noticed() -> None:
    assert leftovers(r"\nonsense{x}") == {"\\"}
    with pytest.raises(ElementTree.ParseError):
        leftovers(r"\begin{aligned} N &= 1 \end{aligned}")
    assert unexplained(r"\text{MC} = \frac{h}{\mu} n_{ij}, \qquad \mu = N") == {"h"}
    assert unexplained(r"\rho &= \nu_{ij} N, \qquad \nu_{ij} = a", {"a"}) == set()


def test_symbols_are_unique() -> None:
    symbols = [m.symbol for m in oe.metrics()]
    assert len(set(symbols)) == len(symbols)


def test_references_have_dois_of_the_right_form() -> None:
    dois = {m.reference.doi for m in oe.metrics()} - {None}
    assert len(dois) > 10
    assert all(doi is not None and doi.startswith("10.") and "/" in doi for doi in dois)
    assert str(oe.oc_index.reference).endswith(f". doi:{oe.oc_index.reference.doi}")


def test_every_work_of_the_list_is_cited() -> None:
    listed = references.works()
    assert list(listed) == sorted(listed)
    assert set(listed.values()) <= {m.reference for m in oe.metrics()}
    with pytest.raises(AttributeError, match="no line for 'COHEN_1961'"):
        _ = references.COHEN_1961


@pytest.mark.parametrize("metric", oe.metrics(needs="labels"), ids=lambda m: m.name)
def test_the_signature_of_a_measure(metric: oe.Metric) -> None:
    parameters = inspect.signature(metric).parameters
    assert list(parameters)[:2] == ["y_true", "y_pred"]
    for name in ("labels", "sample_weight", "undefined", "unknown", "missing", *metric.parameters):
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert math.isnan(parameters["undefined"].default)


def test_the_signature_shows_defaults_and_bound_parameters() -> None:
    assert inspect.signature(oe.oc_index).parameters["share"].default == 0.75
    bound = oe.oc_index.with_params(share=0.25)
    assert inspect.signature(bound).parameters["share"].default == 0.25
    required = inspect.signature(oe.oc_index_general).parameters["beta_deviation"]
    assert required.default is inspect.Parameter.empty


def test_the_signature_of_a_probability_measure() -> None:
    parameters = inspect.signature(oe.ranked_probability_score).parameters
    assert list(parameters) == [
        "y_true", "y_prob", "labels", "sample_weight", "undefined", "normalize",
    ]  # fmt: skip


@pytest.mark.parametrize("metric", oe.metrics(), ids=lambda m: m.name)
def test_pickles_and_copies_are_the_measure_itself(metric: oe.Metric) -> None:
    assert pickle.loads(pickle.dumps(metric)) is metric
    assert copy.copy(metric) is metric
    assert copy.deepcopy(metric) is metric


def test_bound_parameters_survive_pickling() -> None:
    bound = pickle.loads(pickle.dumps(oe.oc_index.with_params(share=0.25)))
    assert bound.name == "oc_index(share=0.25)"
    n = [[3, 1, 0], [2, 4, 1], [0, 2, 5]]
    assert bound.from_confusion(n) == oe.oc_index.from_confusion(n, share=0.25)


def test_with_params_binds_and_leaves_the_measure_alone() -> None:
    bound = oe.oc_index.with_params(gamma=2, share=0.25)
    assert bound.name == "oc_index(gamma=2, share=0.25)"
    assert bound.with_params(share=0.5).name == "oc_index(gamma=2, share=0.5)"
    assert oe.oc_index.name == "oc_index"
    assert bound.family == "path"
    cm = oe.ConfusionMatrix.from_labels([1, 2, 3, 3], [1, 3, 2, 3], [1, 2, 3])
    of_both = oe.oc_index.from_confusion
    assert bound.from_confusion(cm) == of_both(cm, gamma=2, share=0.25)
    assert bound.from_confusion(cm, share=0.5) == of_both(cm, gamma=2, share=0.5)
    assert bound.defaults == {"share": 0.25, "beta": None, "gamma": 2}
    assert "oc_index(gamma=2, share=0.25)" not in oe.metrics()


def test_utility_turns_values_so_that_greater_is_better() -> None:
    assert oe.accuracy.utility(0.3) == 0.3
    assert oe.oc_index.utility(0.3) == -0.3
    assert oe.mean_signed_error.utility(-0.3) == oe.mean_signed_error.utility(0.3) == -0.3
    assert oe.oc_index.utility(np.array([0.1, 0.2])).tolist() == [-0.1, -0.2]


def test_a_measure_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        oe.oc_index.best = 1.0  # type: ignore[misc]


def test_a_measure_of_ones_own(undergrading: oe.Metric) -> None:
    truth, pred = [1, 2, 3, 3], [1, 1, 3, 1]
    assert undergrading(truth, pred, labels=[1, 2, 3]) == 0.5
    assert undergrading(truth, pred, labels=[1, 2, 3], steps=2) == 0.25
    assert undergrading.from_confusion(np.stack([np.eye(3), np.tri(3)])).tolist() == [0, 0.5]
    assert undergrading.from_confusion(np.zeros((3, 3)), undefined=7) == 7
    assert undergrading.range == (0.0, 1.0)
    assert undergrading.range.text == "[0, 1]"
    assert undergrading.perfect == 0.0
    assert str(undergrading.reference) == "A handbook of grading"
    assert undergrading.formula == ""


def test_ones_own_measure_is_found_and_scored(undergrading: oe.Metric) -> None:
    assert oe.get_metric("undergrading") is undergrading
    assert oe.metrics()["undergrading"] is undergrading
    assert oe.metrics().names[-1] == "undergrading"
    scores = oe.score([1, 2, 2], [1, 1, 2])
    assert scores["undergrading"] == pytest.approx(1 / 3)
    assert "undergrading" in repr(oe.score([1, 2, 2], [1, 1, 2], "all"))
    assert "undergrading" in repr(oe.metrics())
    bound = undergrading.with_params(steps=2)
    assert dict(oe.score([1, 2, 2], [1, 1, 2], bound)) == {"undergrading(steps=2)": 0.0}


def test_ones_own_measure_keeps_its_name(undergrading: oe.Metric) -> None:
    """The kernel may be called otherwise."""
    assert undergrading.with_params(steps=2).name == "undergrading(steps=2)"
    assert pickle.loads(pickle.dumps(undergrading)) is undergrading
    bound = pickle.loads(pickle.dumps(undergrading.with_params(steps=2)))
    assert bound([1, 2, 3], [1, 2, 1]) == pytest.approx(1 / 3)


def test_ones_own_measure_explains_itself(undergrading: oe.Metric) -> None:
    assert inspect.signature(undergrading).parameters["steps"].default == 1
    assert (undergrading.__doc__ or "").startswith(inspect.cleandoc(share_below.__doc__ or ""))
    assert "steps=1)" in (undergrading.__doc__ or "")
    assert "graded at least" in pydoc.render_doc(undergrading, renderer=pydoc.plaintext)


def test_unregister_forgets(undergrading: oe.Metric) -> None:
    before = len(oe.metrics())
    oe.unregister("undergrading")
    assert len(oe.metrics()) == before - 1
    assert "undergrading" not in oe.score([1, 2], [1, 2])
    assert undergrading([1, 2], [1, 2]) == 0.0


def test_a_name_is_taken_once_unless_replaced(undergrading: oe.Metric) -> None:
    with pytest.raises(oe.ParameterError, match="registered already"):
        oe.register(name="undergrading", **FACTS)(share_below)
    other = oe.register(name="undergrading", replace=True, **FACTS)(share_below)
    assert oe.get_metric("undergrading") is other is not undergrading


def test_facts_can_be_declared_in_full() -> None:
    kernel = oe.register(
        **{**FACTS, "reference": oe.Reference("A paper 2020", "10.1000/x"), "perfect": None},
        name="declared",
        expensive=True,
        formula=r"\frac{1}{N} \sum_{i > j} n_{ij}",
        parameters={"steps": lambda value, k: min(value, k - 1)},
    )(share_below)
    try:
        assert kernel.perfect is None
        assert kernel.reference.doi == "10.1000/x"
        assert kernel.with_params(steps=2).formula == r"\frac{1}{N} \sum_{i > j} n_{ij}"
        assert "declared" not in oe.score([1, 2], [1, 2])
        assert kernel([1, 2], [1, 1], steps=99) == 0.5
    finally:
        oe.unregister("declared")


def test_a_decorated_kernel_keeps_its_parameters() -> None:
    metric = oe.register(name="decorated", **FACTS)(np.errstate(all="ignore")(share_below))
    try:
        assert metric([1, 2, 3], [1, 1, 1], steps=2) == pytest.approx(1 / 3)
        assert inspect.signature(metric).parameters["steps"].default == 1
        assert metric.with_params(steps=2)([1, 2, 3], [1, 1, 1]) == pytest.approx(1 / 3)
    finally:
        oe.unregister("decorated")


def test_facts_without_defaults_must_be_given() -> None:
    with pytest.raises(oe.ParameterError, match="symbol"):
        oe.register()
    with pytest.raises(oe.ParameterError, match="colour"):
        oe.register(name="wrong", colour="red", **FACTS)(share_below)
    assert "wrong" not in oe.metrics()


def test_help_lists_the_facts() -> None:
    parameters = inspect.signature(oe.register).parameters
    given = {f.name for f in fields(oe.Metric)} - {"kernel", "bound", "registered_as"}
    assert set(parameters) == {*given, "replace", "kind"}
    assert {n for n, p in parameters.items() if p.default is p.empty} == set(FACTS)
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters.values())
    assert "undefined_when" in pydoc.render_doc(oe.register, renderer=pydoc.plaintext)


def test_a_kernel_that_is_not_decorated_keeps_its_name(undergrading: oe.Metric) -> None:
    assert share_below.__qualname__ == "share_below"
    assert pickle.loads(pickle.dumps(undergrading.kernel)) is share_below


def test_parameters_without_a_check_are_taken_as_they_come() -> None:
    def either_way(n: Any, *, up: int = 1, down: int = 1) -> Any:
        return up * np.triu(n, 1).sum((-2, -1)) + down * np.tril(n, -1).sum((-2, -1))

    metric = oe.register(**FACTS, parameters={"up": lambda value, k: value * 10})(either_way)
    try:
        assert list(metric.parameters) == ["up", "down"]
        assert metric.from_confusion([[0, 1], [1, 0]], up=2, down=3) == 23
    finally:
        oe.unregister("either_way")


def test_no_measure_is_called_all() -> None:
    with pytest.raises(oe.ParameterError, match="'all' stands for all measures"):
        oe.register(name="all", **FACTS)(share_below)
