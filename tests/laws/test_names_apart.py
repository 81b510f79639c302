"""Names of models, subgroups and columns share no namespace: whatever they are, numbers stay."""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from test_hostile_names import HOSTILE

import ordeval as oe
from ordeval.inference.many_models.ranking import BASELINES

N = 60
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(1, 4, N)
FIRST, SECOND = (np.clip(TRUTH + RNG.integers(-1, 2, N), 1, 3) for _ in range(2))
WEIGHT = RNG.integers(1, 4, N)
PATIENT = np.arange(N) // 2
SITE = (np.arange(N) // 2) % 3 > 0
METRICS = ["accuracy", "mean_absolute_error"]
NO_SHRINKING = (Phase.explicit, Phase.generate)  # an example says enough, and shrinking is slow
SLOW = list(HealthCheck)


class Names(NamedTuple):
    """What columns, models and subgroups are called."""

    truth: str
    weight: str
    by: str
    clusters: str
    item: str
    model: str
    pred: str
    first: str
    second: str
    groups: tuple[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        return self[:7]


PLAIN = Names("y", "w", "site", "patient", "id", "model", "pred", "a", "b", ("north", "south"))
# Names that are, or were, those of something inside.
INSIDE = ["y_true", "y_pred", "y_true (of items)", "sample_weight", "clusters", "clusters 1",
          "subgroup", "unmatched", "whole", "ordeval_0", "ordeval_id_0", "ordeval_count",
          "ordeval_79", "column_0", "l0", "n0", "count", "majority class", "y", "p", "id", "1",
          "a.b", 'a "b"', "a: 1", "None", "nan", "index", "level_0", " "]  # fmt: skip
# No database and no CSV has names with this.
ANY = [*INSIDE, *(x for three in HOSTILE.values() for x in three if "\0" not in x)]
names = st.sampled_from(ANY)


@st.composite
def any_names(draw: st.DrawFn, *, apart: bool, separators: str) -> Names:
    """Names at random."""
    plain = names.filter(lambda x: not set(x) & set(separators))
    columns = draw(st.lists(plain, min_size=7, max_size=7, unique_by=str.casefold))
    # Where models are no columns, they are called like two of them.
    others = plain.filter(lambda x: x.casefold() not in map(str.casefold, columns))
    taken = others if apart else st.sampled_from(columns)
    models = draw(st.lists(taken, min_size=2, max_size=2, unique_by=str.casefold))
    groups = draw(st.lists(st.one_of(taken, names), min_size=2, max_size=2, unique=True))
    return Names(*columns, *models, (groups[0], groups[1]))


def facts(names: Names) -> dict[str, Any]:
    sites = [names.groups[int(x)] for x in SITE]
    return {names.item: np.arange(N), names.truth: TRUTH, names.weight: WEIGHT, names.by: sites,
            names.clusters: PATIENT}  # fmt: skip


def described(names: Names) -> dict[str, Any]:
    return {"labels": [1, 2, 3], "by": names.by, "clusters": names.clusters, "weight": names.weight}


def of_arrays(names: Names, _: Any) -> oe.Predictions:
    return oe.Predictions(
        TRUTH,
        {names.first: FIRST, names.second: SECOND},
        labels=[1, 2, 3],
        sample_weight=WEIGHT,
        clusters=PATIENT,
        by={names.by: [names.groups[int(x)] for x in SITE]},
    )


def of_wide(names: Names, load: Callable[[pl.DataFrame], Any]) -> oe.Predictions:
    frame = load(pl.DataFrame(facts(names) | {names.first: FIRST, names.second: SECOND}))
    models = [names.first, names.second]
    if isinstance(frame, Path):
        return oe.Predictions.from_file(frame, names.truth, models, **described(names))
    return oe.Predictions.from_frame(frame, names.truth, models, **described(names))


def of_long(names: Names, load: Callable[[pl.DataFrame], Any]) -> oe.Predictions:
    parts = [
        pl.DataFrame(facts(names) | {names.model: [name] * N, names.pred: pred})
        for name, pred in ((names.first, FIRST), (names.second, SECOND))
    ]
    frame = load(pl.concat(parts))
    long = {"item": names.item, "model": names.model, **described(names)}
    if isinstance(frame, Path):
        return oe.Predictions.from_file(frame, names.truth, names.pred, **long)
    return oe.Predictions.from_frame(frame, names.truth, names.pred, **long)


def of_joined(names: Names, load: Callable[[pl.DataFrame], Any]) -> oe.Predictions:
    order = np.random.default_rng(0).permutation(N)
    frame = load(pl.DataFrame(facts(names)))
    others = {
        name: (load(pl.DataFrame({names.item: order, names.pred: pred[order]})), names.pred)
        for name, pred in ((names.first, FIRST), (names.second, SECOND))
    }
    if isinstance(frame, Path):
        return oe.Predictions.from_file(
            frame, names.truth, pred_files=others, on=names.item, **described(names)
        )
    return oe.Predictions.from_frame(
        frame, names.truth, pred_frames=others, on=names.item, **described(names)
    )


LAYOUTS = {"arrays": of_arrays, "wide": of_wide, "long": of_long, "joined": of_joined}


def file_of(kind: str) -> Callable[[pl.DataFrame], Path]:
    def load(frame: pl.DataFrame) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="ordeval-names-"))
        path = folder / f"table.{kind}"
        write = {
            "csv": frame.write_csv,
            "parquet": frame.write_parquet,
            "jsonl": frame.write_ndjson,
        }
        write[kind](path)
        return path

    return load


@cache
def connection() -> Any:
    import duckdb

    return duckdb.connect()


def duckdb_relation(frame: pl.DataFrame) -> Any:
    return connection().from_arrow(frame.to_arrow())


ENGINES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "lazy polars": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "pyarrow": lambda frame: frame.to_arrow(),
    "duckdb": duckdb_relation,
    "csv": file_of("csv"),
    "parquet": file_of("parquet"),
    "jsonl": file_of("jsonl"),
}


def numbers(data: oe.Predictions, names: Names) -> dict[Any, list[float]]:
    """All numbers by roles, in place of names."""
    found: dict[Any, list[float]] = {}
    group = dict(zip(names.groups, (0, 1), strict=True))
    scores = oe.score(data, METRICS)
    compared = oe.compare(data, METRICS)
    for i, model in enumerate((names.first, names.second)):
        for row in scores[model].rows():  # type: ignore[index]
            key = (i, group[row["subgroup"]], row["metric"])
            found[key] = [row["value"], row["low"], row["high"], row["p_value"], row["clusters"]]
        for key, part in compared.items():
            estimate = part.estimates["accuracy"][model]  # type: ignore[attr-defined]
            found[i, group[key]] = [estimate.estimate, estimate.low, estimate.high]
        counted = data.confusion(model)
        for key, counts in zip(counted.by or (), counted.counts, strict=True):
            found["counts", i, group[key]] = counts.ravel().tolist()
    return found


WANTED = numbers(of_arrays(PLAIN, None), PLAIN)
CASES = [("arrays", "")] + [(x, e) for x in ("wide", "long", "joined") for e in ENGINES]


@pytest.mark.filterwarnings("ignore::ordeval.exceptions.OrdevalWarning")
@pytest.mark.parametrize(("layout", "engine"), CASES)
def test_names_change_no_number(layout: str, engine: str) -> None:
    @settings(max_examples=6, deadline=None, phases=NO_SHRINKING, suppress_health_check=SLOW)
    @given(any_names(apart=layout == "wide", separators=",;|\t" if engine == "csv" else ""))
    def check(names: Names) -> None:
        found = numbers(LAYOUTS[layout](names, ENGINES.get(engine)), names)
        assert found.keys() == WANTED.keys()
        for key, values in WANTED.items():
            assert found[key] == pytest.approx(values, rel=1e-9, nan_ok=True), key

    check()


def labels(seed: int) -> Any:
    return np.random.default_rng(seed).integers(1, 4, N)


def test_models_called_like_what_is_inside_keep_their_predictions() -> None:
    by = {"y_true": ["n", "s"] * (N // 2), "clusters": ["e", "e", "w"] * (N // 3)}
    models = {"y_true": FIRST, "y_true (of items)": SECOND}
    data = oe.Predictions(TRUTH, models, labels=[1, 2, 3], by=by, clusters=PATIENT)
    plain = oe.Predictions(
        TRUTH,
        {"a": FIRST, "b": SECOND},
        labels=[1, 2, 3],
        by={"u": by["y_true"], "v": by["clusters"]},
        clusters=PATIENT,
    )
    assert data.by == plain.by
    for name, other in (("y_true", "a"), ("y_true (of items)", "b")):
        found, wanted = oe.score(data[name]), oe.score(plain[other])
        assert str(found.rows()) == str(wanted.rows())


def test_columns_of_probabilities_are_not_those_of_another_model() -> None:
    prob = np.random.default_rng(0).dirichlet(np.ones(2), N)
    truth = labels(1) % 2
    models = {"a": prob, "a: 0": prob[::-1], "a: 0 (of items)": prob[:, ::-1]}
    data = oe.Predictions(truth, models, labels=[0, 1], by=list("xy") * (N // 2))
    plain = {name: oe.Predictions(truth, x, labels=[0, 1], by=list("xy") * (N // 2))
             for name, x in models.items()}  # fmt: skip
    together = oe.score(data, "ranked_probability_score")
    for name, alone in plain.items():
        wanted = oe.score(alone, "ranked_probability_score")
        assert str(together[name].rows()) == str(wanted.rows())  # type: ignore[union-attr]


def test_names_of_subgroups_must_differ_as_text() -> None:
    with pytest.raises(oe.LabelError, match="names of subgroups must differ as text"):
        oe.Predictions(TRUTH, FIRST, labels=[1, 2, 3], by={1: PATIENT, "1": SITE})
    by = {"u": ["a / b", "a"] * (N // 2), "v": ["c", "b / c"] * (N // 2)}
    with pytest.raises(oe.LabelError, match="several subgroups of 'u' and 'v' are called 'a / b /"):
        oe.score(oe.Predictions(TRUTH, FIRST, labels=[1, 2, 3], by=by))


def test_a_column_holds_labels_or_scores() -> None:
    frame = pl.DataFrame({"y": TRUTH, "a": FIRST})
    with pytest.raises(oe.LabelError, match="pred and score name the same model, 'a'"):
        oe.Predictions.from_frame(frame, "y", "a", score="a", labels=[1, 2, 3])


def test_a_subgroup_is_not_called_like_the_row_of_all() -> None:
    by = ["(all)", "x"] * (N // 2)
    with pytest.raises(oe.LabelError, match=r"a subgroup is called '\(all\)', which is the name"):
        oe.score(oe.Predictions(TRUTH, FIRST, labels=[1, 2, 3], by=by))


@pytest.mark.parametrize("name", [*BASELINES, "best baseline"])
def test_a_model_is_not_called_like_a_baseline(name: str) -> None:
    with pytest.raises(oe.LabelError, match="which is the name of a baseline in tables"):
        oe.compare(TRUTH, {f"({name})": FIRST, "b": SECOND}, labels=[1, 2, 3])
    compared = oe.compare(TRUTH, {name: FIRST, "b": SECOND}, labels=[1, 2, 3])
    shown = [row["model"] for row in compared.rows() if row["metric"] == "accuracy"]
    assert len(set(shown)) == len(shown)
    first = [row[0].text for row in compared.table().rows]
    assert len(set(first)) == len(first)


def test_judges_and_humans_are_not_called_like_rows() -> None:
    table = np.stack([labels(i) for i in range(3)], axis=1)
    humans = oe.Ratings(table, labels=[1, 2, 3])
    for name in ("(humans)", "(other humans)"):
        with pytest.raises(oe.LabelError, match="a judge is called"):
            oe.judge(humans, {name: labels(5)})
    humans = oe.Ratings(table, labels=[1, 2, 3], raters=["a", "b", "(nobody)"])
    with pytest.raises(oe.LabelError, match=r"a human is called '\(nobody\)'"):
        oe.judge(humans, {"judge": labels(5)})
