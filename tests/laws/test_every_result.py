"""Every result shows itself, exports to every format, and survives pickling and copying."""

import copy
import csv
import io
import json
import math
import pickle
import re
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

import ordeval as oe
from ordeval._shared.result import SCHEMA, Concluded, Result, Results
from ordeval._shared.text import on_a_line
from ordeval.data.matrix_facts import MatrixFacts
from ordeval.data.ratings.facts import RatingFacts

DATA = oe.datasets.make_ordinal(n_samples=60, rng=0)
PAIR = ["accuracy", "cem_ord"]


@cache
def outputs() -> Any:
    return oe.meta.simulate_systems(cases=5, rng=0).outputs()


def makers(
    names: tuple[str, str], levels: tuple[str, str, str], site: str, sites: tuple[str, str]
) -> dict[str, Callable[[], Any]]:
    """Every result, with these names of two models, of three levels and of two subgroups."""
    models, scale = list(names), list(levels)
    truth = np.array(scale, dtype=object)[[0, 1, 2] * 20].tolist()
    predictions = dict(zip(models, (truth[::-1], truth[1:] + truth[:1]), strict=True))
    frame = pl.DataFrame({"y": truth, **predictions, site: list(sites) * 30})
    first = predictions[models[0]]
    prob = np.eye(3)[[0, 1, 2] * 20] * 0.4 + 0.2
    quick: dict[str, Any] = {"labels": scale, "n_resamples": 19, "rng": 0}

    def ratings() -> Any:
        table = {models[0]: truth, models[1]: first, "third": truth[3:] + truth[:3]}
        items = [f"{names[0]} {i}" for i in range(60)]
        return oe.Ratings(table, scale, items=items, clusters=list(sites) * 30)

    def ratings_of_runs() -> Any:
        raters = [models[0]] * 120 + [models[1]] * 60
        rows = {"item": [*range(60)] * 3, "rater": raters, "rating": [*truth, *first, *truth]}
        return oe.Ratings.from_long(pl.DataFrame(rows), labels=scale, duplicates="runs")

    def data(**by: Any) -> oe.Predictions:
        return oe.Predictions.from_frame(frame, "y", models, labels=scale, **by)

    def forecasts(**by: Any) -> oe.Predictions:
        outputs = dict(zip(models, (prob, prob[::-1]), strict=True))
        return oe.Predictions(first, outputs, labels=scale, **by)

    return {
        "ConfusionMatrix": lambda: oe.ConfusionMatrix([[3, 1], [0, 4]], models),
        "AnswerRows": lambda: oe.results.AnswerRows(
            {models[0]: oe.read_answers([scale[0], "?", None], scale, pattern="whole")}, ["i", 2, 3]
        ),
        "Answers": lambda: oe.read_answers(["4", "x\ty 4 or 5", *models, None, 9], range(1, 6)),
        "Answers, none": lambda: oe.read_answers([], ["low", "high"]),
        "Metrics": oe.metrics,
        "Interval": lambda: oe.confidence_interval("accuracy", truth, first, **quick),
        "Interval, undefined": lambda: oe.results.Interval(
            metric="x", estimate=math.nan, low=math.nan, high=math.nan, level=0.9, method="bca",
            n_resamples=9, undefined_share=1.0,
        ),
        "Delta": lambda: oe.paired_delta(
            "cem_ord", truth, *predictions.values(), names=tuple(models), margin=0.1, **quick
        ),
        "Calibration": lambda: oe.calibration(first, prob, labels=scale, clusters=list(sites) * 30),
        "Calibration, undefined": lambda: oe.calibration(truth, np.eye(3)[[0] * 60], labels=scale),
        "DecisionCurve": lambda: oe.decision_curve(forecasts()),
        "Scores": lambda: oe.score(truth, first, labels=scale),
        "Scores with intervals": lambda: oe.score(truth, first, PAIR, level=0.9, **quick),
        "Scores, undefined": lambda: oe.score([scale[0]] * 3, [scale[0]] * 3, labels=scale),
        "SubgroupScores": lambda: oe.score(data(by=site)[models[0]], PAIR),
        "ModelScores": lambda: oe.score(data(), PAIR, level=None),
        "ModelScores of subgroups": lambda: oe.score(data(by=site), PAIR, level=None),
        "Thresholds": lambda: oe.thresholds(truth, first, labels=scale),
        "Thresholds, undefined": lambda: oe.thresholds(
            [scale[0]] * 3, [scale[0]] * 3, labels=scale
        ),
        "SubgroupThresholds": lambda: oe.thresholds(data(by=site)[models[0]]),
        "ModelThresholds": lambda: oe.thresholds(data()),
        "ModelThresholds of subgroups": lambda: oe.thresholds(data(by=site)),
        "SubgroupCalibrations": lambda: oe.calibration(
            forecasts(by=list(sites) * 30)[models[0]], n_resamples=20
        ),
        "ModelCalibrations": lambda: oe.calibration(forecasts(), n_resamples=20),
        "SubgroupDecisionCurves": lambda: oe.decision_curve(forecasts(by=list(sites) * 30)),
        "Comparison": lambda: oe.compare(truth, predictions, PAIR, **quick),
        "Comparison of one": lambda: oe.compare(truth, {models[0]: truth}, PAIR, **quick),
        "Comparison with a reference": lambda: oe.compare(
            truth, predictions, PAIR, reference=models[0], margin=0.1, **quick
        ),
        "Comparisons": lambda: oe.compare(data(by=site), PAIR, n_resamples=19, rng=0),
        "Deltas": lambda: oe.compare(truth, predictions, PAIR, **quick).deltas(),
        "Deltas, none": lambda: oe.compare(truth, {"m": truth}, PAIR, **quick).deltas(),
        "CaseComparison": lambda: oe.compare_cases(
            {models[0]: [9, 8, 9, 7], models[1]: [8, 9, 7, 6], "c": [5, 6, 4, 5]}
        ),
        "CaseComparison in practice": lambda: oe.compare_cases(
            {models[0]: [9, 8, 9, 7], models[1]: [8, 9, 7, 6]}, rope=0.5, n_resamples=19, rng=0
        ),
        "FoldComparison": lambda: oe.compare_folds(
            {models[0]: [9, 8, 9, 7], models[1]: [8, 9, 7, 6], "c": [5, 6, 4, 5]},
            folds=4, rope=0.5, reference=models[1],
        ),
        "Plan": lambda: oe.plan("accuracy", [[40, 9], [8, 30]], labels=models, half_width=0.1),
        "Plan of a comparison": lambda: oe.plan(
            "accuracy", accuracy=[0.9, 0.7], k=2, power=0.8, names=tuple(models), cluster_size=3,
            icc=0.2,
        ),
        "Plan of human labels": lambda: oe.plan(
            "accuracy",
            oe.Predictions(
                [*truth, *[None] * len(truth)], [*first, *first], labels=scale,
                proxy=[*truth, *truth],
            ),
            half_width=0.2,
        ),
        "Plan of a judge": lambda: oe.plan(
            "accuracy",
            oe.judge(ratings(), {models[0]: truth[:25] + first[25:]}, clusters=[*range(20)] * 3),
            power=0.8,
            margin=0.9,
        ),
        "Ratings": lambda: ratings(),
        "RatingScores": lambda: ratings().agreement(),
        "RatingScores, undefined": lambda: oe.Ratings([scale[:2]], scale).agreement("fleiss_kappa"),
        "RatingScores of runs": lambda: ratings_of_runs().agreement("gwet_ac2"),
        "RaterSeverity": lambda: ratings().severity(),
        "Judgement": lambda: oe.judge(
            ratings(), predictions, margin=0.1, systems=list(sites) * 30
        ),
        "Judgement of runs": lambda: oe.judge(
            ratings(), {models[0]: [list(pair) for pair in zip(truth, first, strict=True)]}
        ),
        "Answers in words": lambda: oe.read_answers([first[0], *models, None], labels=scale),
        "Recommendation": lambda: oe.recommend(imbalanced=True),
        "OrdinalDataset": lambda: DATA,
        "PropertyReport": lambda: oe.meta.check_properties(PAIR, ["symmetry", "imbalance"]),
        "MetaValues": lambda: oe.meta.coverage(outputs(), PAIR),
        "Agreement": lambda: oe.meta.rank_agreement(outputs(), PAIR),
        "MetaStudy": lambda: oe.meta.study(outputs(), PAIR),
        "DegradationCurves": lambda: oe.meta.degradation_curves(PAIR),
        "CutPoints": lambda: oe.models.optimal_cut_points(
            truth[:15], np.arange(15) / 15, labels=scale
        ),
        "CutPoints of probabilities": lambda: oe.models.optimal_cut_points(
            truth, np.eye(3)[[0, 1, 2] * 20] * 0.2 + [0.4, 0.2, 0.2], "accuracy", labels=scale
        ),
        "ExperimentResult": lambda: oe.models.run_experiment(
            LogisticRegression(), {"C": [0.1, 1.0]}, DATA.data, DATA.target, n_repeats=2, n_folds=2,
            rng=0,
        ),
        "Reproduction": lambda: oe.papers.reproduce("amigo2020", figure=1),
    }  # fmt: skip


# Names that break what is written without care.
MADE = makers(
    ('a,b"c', "<script>x</script> & | _ # $ %"), ("low", "mid", "high"), "site|", ("A", "B\\")
)


@cache
def made(name: str) -> Any:
    return MADE[name]()


every_result = pytest.mark.parametrize("name", MADE)


def kinds(of: type) -> Iterator[type]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_no_result_is_forgotten() -> None:
    for module in (oe, oe.models, oe.results):
        for name in dir(module):  # some are loaded when they are first used
            getattr(module, name)
    known = {kind for kind in kinds(Result) if kind.__module__.startswith("ordeval.")}
    bases = {Concluded, Results, MatrixFacts, RatingFacts}
    assert {type(made(name)) for name in MADE} == known - bases


@every_result
def test_it_is_pickled_and_copied(name: str) -> None:
    result = made(name)
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)):
        assert type(other) is type(result)
        assert other.to_json() == result.to_json()
        assert other.to_text(100) == result.to_text(100)


@every_result
def test_it_shows_itself_as_text(name: str) -> None:
    result = made(name)
    assert result.to_text()
    assert str(result)
    assert repr(result)
    assert "\t" not in result.to_text(80)
    from rich.console import Console

    console = Console(file=io.StringIO(), width=100)
    console.print(result)
    assert console.file.getvalue().strip()


class Page(HTMLParser):
    """Checks that every tag that is opened is closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "link", "br", "img", "input", "hr", "wbr", "path", "use", "rect"):
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "use", "rect"):
            assert self.opened.pop() == tag


@every_result
def test_it_shows_itself_as_html(name: str) -> None:
    page = Page(made(name)._repr_html_())
    assert page.opened == []
    assert "script" not in page.tags


# Comparisons and judgements write pages with pictures, which have tests of their own.
@pytest.mark.parametrize(
    "name", [name for name in MADE if not name.startswith(("Comparison", "Judgement"))]
)
def test_html_is_written_to_a_file(name: str, tmp_path: Path) -> None:
    html = made(name).to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == html


@every_result
def test_a_word_document_holds_its_tables(name: str, tmp_path: Path) -> None:
    import docx

    result = made(name)
    data = result.to_docx(tmp_path / "page.docx")
    assert (tmp_path / "page.docx").read_bytes() == data == result.to_docx()
    word = docx.Document(io.BytesIO(data))
    assert word.tables
    shown = {c.text for table in word.tables for row in table.rows for c in row.cells}
    for table in result._in_full() if not isinstance(result, Results) else ():
        cells = {on_a_line(f"{c.text} {c.remark}".strip()) for row in table.rows for c in row}
        assert cells - {""} <= shown
    texts = "\n".join(p.text for p in word.paragraphs)
    # A comparison is the report in Word, which words it as its page does.
    for said in result.paragraphs() if not name.startswith(("Comparison", "Judgement")) else ():
        assert on_a_line(said) in texts


@every_result
def test_the_frame_and_the_csv_hold_its_records(name: str) -> None:
    result = made(name)
    rows = result.rows()
    assert len(result.to_frame()) == len(rows) or name == "ConfusionMatrix"
    head, *body = csv.reader(io.StringIO(result.to_csv()), strict=True)
    assert head == list(dict.fromkeys(key for row in rows for key in row))
    assert len(body) == len(rows)
    for line, row in zip(body, rows, strict=True):
        assert len(line) == len(head)
        for key, text in zip(head, line, strict=True):
            value = row.get(key)
            missing = value is None or (isinstance(value, float) and math.isnan(value))
            assert text == ("" if missing else str(value))


@every_result
def test_json_says_what_it_is_and_holds_no_nan(name: str) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    result = made(name)
    found = json.loads(result.to_json(), parse_constant=refuse)
    assert found["schema"] == SCHEMA
    assert found["kind"] == type(result)._kind
    assert found["kind"].startswith("ordeval.")
    assert found["version"] == oe.__version__
    assert len(found) > 3


def test_kinds_are_told_apart() -> None:
    """Results of several models or subgroups have the kind of one; others have their own."""
    found = {type(made(name)): type(made(name))._kind for name in MADE}
    several_of = ("Scores", "Thresholds", "Calibrations")
    for several in (
        *(f"Model{name}" for name in several_of),
        *("SubgroupThresholds", "SubgroupCalibrations", "SubgroupDecisionCurves"),
    ):
        del found[type(made(several))]
    assert len(set(found.values())) == len(found)


@every_result
def test_markdown_is_a_table(name: str) -> None:
    text = made(name).to_markdown()
    tables = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    assert tables
    for table in tables:
        rows = table.splitlines()
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}) == 1
        assert set(rows[1]) <= set("|-: ")


@every_result
def test_latex_is_a_table(name: str) -> None:
    text = made(name).to_latex()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 0
    body = "\n".join(x for x in text.splitlines() if not x.startswith("%"))
    assert not re.search(r"(?<!\\)[%#]", body)
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")


def test_a_stack_of_matrices_says_how_to_take_one() -> None:
    stack = oe.ConfusionMatrix(np.ones((2, 3, 3), dtype=int))
    for form in ("to_csv", "to_frame", "to_markdown", "to_latex", "to_docx"):
        with pytest.raises(oe.CountsError, match="shows one matrix; this is a stack of shape"):
            getattr(stack, form)()
    assert json.loads(stack.to_json())["kind"] == "ordeval.confusion_matrix"
    assert repr(stack) == stack.to_text()
