"""A clinician's study from its file to a Word document, and its numbers beside those of peers."""

from __future__ import annotations

import io
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from commands import run
from numpy.typing import NDArray
from tests.clinic import LEVELS, as_csv, as_workbook, study
from tests.ready import OnUse

import ordeval as oe

docx = OnUse("docx")
pd = OnUse("pandas")
sk = OnUse("sklearn.metrics")
sm = OnUse("statsmodels.api")

ROWS = study()
READ = ["--truth", "truth", "--prob", "old_", "--prob", "new_", "--labels", ",".join(LEVELS)]
CLUSTERED = [*READ, "--clusters", "patient", "--drop-missing"]
_DRAWS = 500


def files(folder: Path) -> dict[str, list[str]]:
    """The study in both kinds of file, as arguments of a command."""
    table = [list(ROWS[0]), *(list(row.values()) for row in ROWS)]
    above = [["A study of 640 patients"], []]
    book = as_workbook({"about": above, "images": [*above, *table]}, folder / "study.xlsx")
    return {
        "csv": [str(as_csv(ROWS, folder / "study.csv"))],
        "xlsx": [str(book), "--table", "images"],
    }


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return files(tmp_path_factory.mktemp("clinic"))


@pytest.fixture(scope="module")
def data() -> oe.Predictions:
    """The items that both models have."""
    frame = pd.DataFrame(ROWS)
    return oe.Predictions.from_frame(
        frame, "truth", prob=["old_", "new_"], labels=LEVELS, clusters="patient", missing="drop"
    )


class Peer:
    """The same items as arrays."""

    def __init__(self) -> None:
        kept = [r for r in ROWS if r["old_none"] is not None and r["new_none"] is not None]
        self.truth = np.array([LEVELS.index(r["truth"]) for r in kept])
        self.patient = np.unique([r["patient"] for r in kept], return_inverse=True)[1]
        self.prob = {
            m: np.array([[r[f"{m}_{x}"] for x in LEVELS] for r in kept]) for m in ("old", "new")
        }
        for p in self.prob.values():
            p /= p.sum(axis=1, keepdims=True)

    def above(self, model: str, t: int) -> NDArray[Any]:
        # Sums that differ by rounding alone are ties.
        return np.asarray(self.prob[model][:, t + 1 :].sum(axis=1).round(12))

    def called(self, model: str, t: int) -> NDArray[Any]:
        return np.asarray(self.prob[model].argmax(axis=1) > t)

    def bootstrap(self, statistic: Callable[[NDArray[Any]], float]) -> NDArray[Any]:
        """The statistic of items of patients who are drawn with replacement."""
        rng = np.random.default_rng(0)
        order = np.argsort(self.patient, kind="stable")
        of_patient = np.split(order, np.flatnonzero(np.diff(self.patient[order])) + 1)
        drawn = []
        for _ in range(_DRAWS):
            picked = rng.integers(0, len(of_patient), len(of_patient))
            drawn.append(statistic(np.concatenate([of_patient[i] for i in picked])))
        return np.quantile(drawn, [0.025, 0.975])


PEER = Peer()


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_three_commands_end_in_word(kind: str, held: dict[str, list[str]], tmp_path: Path) -> None:
    file, cuts, report = held[kind], tmp_path / "cuts.docx", tmp_path / "report.docx"
    compared = run("compare", *file, *CLUSTERED, "--metric", "auc(at_least=moderate)")
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout.startswith("new is best: AUC at >= moderate 0.9")
    said = "has decimal commas, and they were read as such"
    assert (said in compared.stderr) == (kind == "csv")
    for command, output in (("thresholds", cuts), ("report", report)):
        done = run(command, *file, *CLUSTERED, "-o", str(output))
        assert done.returncode == 0, done.stderr
    document = docx.Document(str(report))
    texts = [p.text for p in document.paragraphs]
    assert any("Labels from probabilities: the most probable level." in x for x in texts)
    assert any("All models on the same 1,288 items; 62 dropped." in x for x in texts)
    cells = {c.text for t in document.tables for row in t.rows for c in row.cells}
    found = oe.thresholds(*arrays("new"), labels=LEVELS, clusters=PEER.patient)
    for name in ("sensitivity", "specificity", "ppv", "npv", "auc"):
        x = found[">= moderate"][name]
        assert f"{x.estimate:.3f} [{x.low:.3f}, {x.high:.3f}]" in cells
    assert "Differences in net benefit" in texts


def arrays(model: str) -> tuple[list[str], NDArray[Any]]:
    return [LEVELS[i] for i in PEER.truth], PEER.prob[model]


def test_both_files_and_a_frame_say_the_same(
    held: dict[str, list[str]], data: oe.Predictions
) -> None:
    made = [run("thresholds", *file, *CLUSTERED, "--format", "json") for file in held.values()]
    one, other = (json.loads(x.stdout) for x in made)
    assert one["parts"] == other["parts"] if "parts" in one else True
    del one["command"], other["command"]
    assert one == other
    assert one["differences"] == json.loads(oe.thresholds(data).to_json())["differences"]


@pytest.mark.parametrize("t", range(3))
def test_values_at_cuts_are_those_of_scikit_learn(data: oe.Predictions, t: int) -> None:
    found = oe.thresholds(data)
    event = PEER.truth > t
    for m in ("old", "new"):
        cut, called = found[m].cuts[t].intervals, PEER.called(m, t)
        (tn, fp), (fn, tp) = sk.confusion_matrix(event, called)
        want = {"sensitivity": tp / (tp + fn), "specificity": tn / (tn + fp)}
        want |= {"ppv": tp / (tp + fp), "npv": tn / (tn + fn)}
        want["auc"] = sk.roc_auc_score(event, PEER.above(m, t))
        for name, value in want.items():
            assert cut[name].estimate == pytest.approx(value, abs=1e-12)
            assert cut[name].items == len(event)


def test_intervals_at_a_cut_are_those_of_drawn_patients(data: oe.Predictions) -> None:
    t, found = 1, oe.thresholds(data)
    event = PEER.truth > t

    def sensitivity(m: str) -> Callable[[NDArray[Any]], float]:
        return lambda i: float(PEER.called(m, t)[i][event[i]].mean())

    def area(m: str) -> Callable[[NDArray[Any]], float]:
        return lambda i: float(sk.roc_auc_score(event[i], PEER.above(m, t)[i]))

    for name, made in (("sensitivity", sensitivity), ("auc", area)):
        x = found["new"].cuts[t][name]
        np.testing.assert_allclose([x.low, x.high], PEER.bootstrap(made("new")), atol=0.012)
        one, other = made("old"), made("new")
        (d,) = [d.delta for d in found.differences if d.measure == name and d.cut == ">= moderate"]
        drawn = PEER.bootstrap(lambda i, one=one, other=other: one(i) - other(i))
        np.testing.assert_allclose([d.low, d.high], drawn, atol=0.012)
        everything = np.arange(len(event))
        assert d.delta == pytest.approx(one(everything) - other(everything))


def test_the_error_of_a_sensitivity_is_that_of_statsmodels(data: oe.Predictions) -> None:
    t, m = 1, "new"
    event = PEER.truth > t
    right = PEER.called(m, t)[event].astype(float)
    robust = sm.OLS(right, np.ones(len(right))).fit(
        cov_type="cluster", cov_kwds={"groups": PEER.patient[event]}
    )
    x = oe.thresholds(data)[m].cuts[t]["sensitivity"]
    logit = [np.log(p / (1 - p)) for p in (x.low, x.estimate, x.high)]
    error = (logit[2] - logit[0]) / 2 / 1.96 * x.estimate * (1 - x.estimate)
    assert error == pytest.approx(robust.bse[0], rel=0.06)


@pytest.mark.parametrize("t", range(3))
def test_calibration_is_that_of_statsmodels(data: oe.Predictions, t: int) -> None:
    found = oe.calibration(data, n_resamples=20)["new"].thresholds[t]
    event, p = (PEER.truth > t).astype(float), PEER.above("new", t)
    inside = (p > 0) & (p < 1)
    event, p, groups = event[inside], p[inside], PEER.patient[inside]
    logit = np.log(p / (1 - p))
    family = sm.families.Binomial()
    robust = {"cov_type": "cluster", "cov_kwds": {"groups": groups}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = sm.GLM(event, sm.add_constant(logit), family=family).fit(**robust)
        large = sm.GLM(event, np.ones(len(event)), family=family, offset=logit).fit(**robust)
    assert found.slope.value == pytest.approx(both.params[1], rel=1e-6)
    assert found.joint_intercept.value == pytest.approx(both.params[0], rel=1e-5, abs=1e-7)
    assert found.intercept.value == pytest.approx(large.params[0], rel=1e-6, abs=1e-7)
    assert found.slope.error == pytest.approx(both.bse[1], rel=0.05)
    assert found.intercept.error == pytest.approx(large.bse[0], rel=0.05)


def test_net_benefit_is_that_of_dcurves_and_drawn_patients(
    data: oe.Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lifelines", ModuleType("lifelines"))
    dcurves = pytest.importorskip("dcurves")
    grid, t = [0.1, 0.2, 0.3], 1
    curve = oe.decision_curve(data, probabilities=grid)
    event = PEER.truth > t
    above = {m: PEER.above(m, t) for m in ("old", "new")}
    peer = dcurves.dca(
        data=pd.DataFrame({"event": event.astype(int), **above}),
        outcome="event", modelnames=["old", "new"], thresholds=grid,
    ).set_index(["model", "threshold"])  # fmt: skip
    for m in ("old", "new"):
        found = curve.benefit[m][t].model
        np.testing.assert_allclose(found.value, peer.net_benefit[m][grid], atol=1e-12)
    p = 0.2
    each = {m: np.where(x >= p, np.where(event, 1.0, -p / (1 - p)), 0.0) for m, x in above.items()}
    new, gap = curve.benefit["new"][t].model, curve.differences["old", "new"][t].mean
    drawn = PEER.bootstrap(lambda i: float(each["new"][i].mean()))
    np.testing.assert_allclose([new.low[1], new.high[1]], drawn, atol=0.006)
    drawn = PEER.bootstrap(lambda i: float((each["old"] - each["new"])[i].mean()))
    np.testing.assert_allclose([gap.low[1], gap.high[1]], drawn, atol=0.004)


def test_the_report_holds_what_it_shows(data: oe.Predictions) -> None:
    report = oe.report.summarise(data)
    held = json.loads(oe.report.to_json(report))["clinical"]
    found = oe.thresholds(data)
    want = {(m, row["cut"]): row for m in found for row in found[m].rows()}
    for row in held["records"]["cuts"]:
        for name, value in want[row.pop("model"), row["cut"]].items():
            assert row[name] == (value if isinstance(value, str) else pytest.approx(value))
    assert {r["probability"] for r in held["records"]["net_benefit"]} >= {0.1, 0.2, 0.3}
    assert {r["model"] for r in held["records"]["calibration"]} == {"old", "new"}
    assert len(held["records"]["differences"]) == 3 * 5
    page, text = oe.report.to_html(report), oe.report.to_markdown(report)
    for shown in (page, text):
        assert "new has the highest AUC at all three cuts" in shown
        assert "Labels from probabilities: the most probable level." in shown
    assert 'id="decision-curves"' in page
    assert 'id="cut-calibration"' in page


def test_an_event_of_labels_alone_has_its_cut() -> None:
    rows = [r for r in ROWS if r["cad"] is not None]
    truth, cad = ([r[x] for r in rows] for x in ("truth", "cad"))
    patient = [r["patient"] for r in rows]
    data = oe.Predictions(truth, {"cad": cad}, labels=LEVELS, clusters=patient)
    assert oe.report.summarise(data).clinical is None
    report = oe.report.summarise(data, at_least="moderate")
    assert report.clinical is not None
    x = oe.thresholds(data)[">= moderate"]
    title = f"At ≥ moderate, cad has sensitivity {x['sensitivity'].estimate:.2f} and specificity"
    assert report.clinical.cuts.title.startswith(title)
    assert report.clinical.calibration is None
    named = oe.compare(data, [oe.threshold_sensitivity.with_params(at_least="severe")])
    of_metric = oe.report.summarise(named).clinical
    assert of_metric is not None
    assert {row[0].text for row in of_metric.cuts.table.rows} == {"≥ severe"}
    with pytest.raises(oe.ParameterError, match="is not a level"):
        oe.report.summarise(data, at_least="moderat")


def test_sheets_and_headers_that_are_not_found(held: dict[str, list[str]]) -> None:
    book = held["xlsx"][0]
    done = run("score", book, "--truth", "truth", "--pred", "cad", "--labels", ",".join(LEVELS))
    assert done.returncode == 2
    assert "name one of the sheets with --table; the file has 'about', 'images'" in done.stderr
    done = run("score", *held["xlsx"], "--header-row", "4", "--truth", "truth", "--pred", "cad")
    assert done.returncode == 2
    assert "The header was read from row 4; --header-row names another." in done.stderr
    done = run("score", *held["csv"], "--header-row", "4", "--truth", "truth", "--pred", "cad")
    assert "--header-row is for workbooks" in done.stderr


def test_a_broken_workbook_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.xlsx"
    path.write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(oe.LabelError, match="it is no workbook"):
        oe.ConfusionMatrix.from_file(path, "a", "b")
    path.write_text("a,b\n1,1\n")
    with pytest.raises(oe.LabelError, match="by its name it is an Excel workbook"):
        oe.ConfusionMatrix.from_file(path, "a", "b")


def test_points_and_commas_in_one_column_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    lines = [f"a;{i % 2};0,{i}" for i in range(1, 1200)]
    path.write_text("truth;pred;w\n" + "\n".join(lines) + "\na;1;0.5\n")
    with (
        pytest.warns(oe.DecimalCommaWarning, match=r"mixed\.csv"),
        pytest.raises(oe.LabelError, match=r"line 1201 has '0\.5'"),
    ):
        oe.ConfusionMatrix.from_file(path, "truth", "pred", weight="w")


def test_long_tables_hold_probabilities_and_raters(tmp_path: Path, data: oe.Predictions) -> None:
    long = [
        {"image": r["image"], "patient": r["patient"], "truth": r["truth"], "model": m,
         **{f"p_{x}": r[f"{m}_{x}"] for x in LEVELS}}
        for r in ROWS for m in ("old", "new") if r[f"{m}_none"] is not None
    ]  # fmt: skip
    names = {"prob": "p_", "item": "image", "model": "model", "labels": LEVELS}
    found = oe.Predictions.from_frame(
        pd.DataFrame(long), "truth", **names, clusters="patient", missing="drop"
    )
    wide, tall = oe.thresholds(data), oe.thresholds(found)
    assert {m: wide[m].rows() for m in wide} == {m: tall[m].rows() for m in wide}
    path = tmp_path / "long.csv"
    pd.DataFrame(long).to_csv(path, index=False)
    of_file = oe.Predictions.from_file(path, "truth", **names, missing="drop")
    assert oe.score(of_file, ["ranked_probability_score"])["new"]["ranked_probability_score"] == (
        pytest.approx(oe.score(data, ["ranked_probability_score"])["new"][
            "ranked_probability_score"])
    )  # fmt: skip
    graded = [
        {"image": r["image"], "rater": who, "grade": r[who]}
        for r in ROWS for who in ("truth", "cad", "reader_1") if r["cad"] and r["reader_1"]
    ]  # fmt: skip
    rated = oe.Predictions.from_frame(
        pd.DataFrame(graded), "truth", "grade", item="image", model="rater", labels=LEVELS
    )
    both = pd.DataFrame([r for r in ROWS if r["cad"] and r["reader_1"]])
    asked = oe.Predictions.from_frame(both, "truth", ["cad", "reader_1"], labels=LEVELS)
    assert rated.models == ("cad", "reader_1")
    for m in rated.models:
        assert rated.confusion(m) == asked.confusion(m)


@pytest.mark.parametrize("told", [[], ["--decimal", ","]])
def test_a_long_table_may_have_decimal_commas(
    told: list[str], data: oe.Predictions, tmp_path: Path
) -> None:
    long = [
        {"image": r["image"], "patient": r["patient"], "truth": r["truth"], "model": m,
         **{f"p_{x}": r[f"{m}_{x}"] for x in LEVELS}}
        for r in ROWS for m in ("old", "new")
    ]  # fmt: skip
    file = str(as_csv(long, tmp_path / "long.csv"))
    given = ["--truth", "truth", "--prob", "p_", "--item", "image", "--model-col", "model"]
    given += ["--labels", ",".join(LEVELS), "--clusters", "patient", "--drop-missing", *told]
    done = run("score", file, *given, "--metric", "auc(at_least=severe)", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("has decimal commas") == (not told)
    metric = oe.threshold_auc.with_params(at_least="severe")
    want = oe.score(data, [metric])["new"][metric.name]
    found = {m["model"]: m["rows"][0]["value"] for m in json.loads(done.stdout)["models"]}
    assert found["new"] == pytest.approx(want)


def test_a_matrix_has_cuts_and_writes_itself(tmp_path: Path) -> None:
    text = (
        "\tlow\tmid\ttop\tn\nlow\t26 (84%)\t4 (13%)\t1 (3%)\t31\n"
        "mid\t3 (25%)\t5 (42%)\t4 (33%)\t12\ntop\t0 (0%)\t3 (23%)\t10 (77%)\t13"
    )
    cm = oe.ConfusionMatrix(text)
    assert cm == oe.ConfusionMatrix([[26, 4, 1], [3, 5, 4], [0, 3, 10]], ["low", "mid", "top"])
    for levels in (["low", "mid", "top"], [0, 1, 2], [3, 4, 5], ["a, b", 'c "d"', "e"]):
        held = oe.ConfusionMatrix(cm.counts, levels)
        for written in (held.to_json(), held.to_csv(), held.to_markdown(), held.to_text()):
            if levels[0] != "a, b" or written in (held.to_json(), held.to_csv()):
                assert oe.ConfusionMatrix(written) == held
    done = run("thresholds", "-", "--confusion", given=text)
    assert done.returncode == 0
    assert ">= mid" in done.stdout
    refused = run("thresholds", "-", "--confusion", "--clusters", "a", given=text)
    assert (
        "--confusion reads a matrix, so options that name columns do not apply." in refused.stderr
    )
    word = run("thresholds", "-", "--confusion", "-o", str(tmp_path / "x.docx"), given=text)
    assert word.returncode == 0
    assert docx.Document(io.BytesIO((tmp_path / "x.docx").read_bytes())).tables


def test_a_missing_package_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ordeval._shared.extras.find_spec", lambda name: None)
    for command, name, extra in (("report", "r.html", "report"), ("compare", "r.docx", "docx")):
        done = run(command, "no such file.csv", *READ, "-o", str(tmp_path / name))
        assert done.returncode == 2
        assert f'pip install "ordeval[{extra}]"' in done.stderr
    for words in (["reproduce"], ["leaderboard", "no such file.csv", *READ],
                  ["judge", "no such file.csv", "--judge", "cad"],
                  ["properties", "cem_ord"]):  # fmt: skip
        done = run(*words, "-o", str(tmp_path / "r.docx"))
        assert done.returncode == 2
        assert 'pip install "ordeval[docx]"' in done.stderr


@pytest.mark.parametrize("ending", ["md", "tex", "docx"])
def test_a_leaderboard_is_a_document(
    ending: str, held: dict[str, list[str]], tmp_path: Path
) -> None:
    board = tmp_path / f"board.{ending}"
    done = run("leaderboard", *held["csv"], *CLUSTERED, "-o", str(board))
    assert done.returncode == 0, done.stderr
    if ending == "docx":
        assert docx.Document(str(board)).tables
    else:
        assert "new" in board.read_text(encoding="utf-8")


def test_prefixes_of_columns_may_end_in_a_space(tmp_path: Path) -> None:
    rows = [
        {k.replace("old_", "old ").replace("new_", "new "): v for k, v in row.items()}
        for row in ROWS
    ]
    file = str(as_csv(rows, tmp_path / "spaces.csv"))
    given = [file, "--truth", "truth", "--labels", ",".join(LEVELS), "--drop-missing"]
    metric = ["--metric", "sensitivity(at_least=moderate)"]
    done = run("compare", *given, "--prob", "old ", "--prob", "new ", *metric)
    assert done.returncode == 0, done.stderr
    assert "old is best: sensitivity at >= moderate" in done.stdout
    assert "From probabilities, labels are the most probable level." in done.stdout
    missed = run("compare", *given, "--prob", "old", "--prob", "new ", *metric)
    assert "there is no column 'oldnone', which --prob 'old' asks for." in missed.stderr
    assert "Prefixes with all levels: 'old ' and 'new '." in missed.stderr


def test_prefixes_that_look_like_columns_show_the_mapping() -> None:
    frame = pd.DataFrame(ROWS)
    data = oe.Predictions.from_frame(frame, "truth", prob=["old", "new"], labels=LEVELS)
    with pytest.raises(oe.LabelError, match=r"write prob=\{'old': 'old', 'new': 'new'\}"):
        oe.score(data)


def test_a_missing_column_of_a_workbook_is_named(held: dict[str, list[str]]) -> None:
    done = run("score", *held["xlsx"], "--truth", "truth", "--pred", "cadd", "--drop-missing")
    assert "study.xlsx', there is no column 'cadd'. Did you mean 'cad'?" in done.stderr
