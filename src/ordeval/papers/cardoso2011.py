"""Cardoso & Sousa 2011: the ordinal classification index."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from ordeval.datasets import make_ordinal
from ordeval.measures import get_metric
from ordeval.measures.nominal import misclassification_error
from ordeval.measures.path import oc_index
from ordeval.papers._exhibits import Draft, Paper, ReproducedPart, exhibit
from ordeval.papers._pictures import CurvesDisplay, PointsDisplay, SizesDisplay
from ordeval.papers._tables import MatrixTable, listed, one_item_moved, tridiagonal
from ordeval.papers._values import Value
from ordeval.papers.claims import (
    cardoso_claims as claims,
    cardoso_experiments as experiments,
    cardoso_paths as path_claims,
)
from ordeval.papers.printed.cardoso2011 import (
    BETA_OF_ERROR,
    COLUMNS,
    LIMITS,
    SIZES,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
)

_LARGE_K: Final = 600
_OF_DISTANCE: Final = ("mean_absolute_error", "mean_squared_error")
_BETAS: Final = (0.0, 0.05, 0.1, 0.25, BETA_OF_ERROR)
_DISTANCES: Final = 10
_AS_PRINTED, _CORRECTED, _CM6 = TABLE_4.rows


def _table(name: str, title: str, table: MatrixTable) -> ReproducedPart:
    @exhibit(name, title)
    def filled(draft: Draft) -> Iterator[Value]:
        draft.call = f"oe.oc_index.from_confusion({listed(table.rows[0].matrix)}, share=0.25)"
        yield from table.values(draft)

    return filled


@exhibit("Table 4", "Dispersed examples: CM5 and CM6")
def _table_4(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.r_int.from_confusion({listed(_CORRECTED.matrix)})"
    candidates = [_AS_PRINTED.matrix, *one_item_moved(_AS_PRINTED.matrix)]
    found = TABLE_4.giving(_AS_PRINTED, candidates)
    why = (
        "the second row of CM5, 0 1 0 1, is a misprint for 0 0 1 1, with which all seven values "
        f"hold; of the {len(candidates):,} matrices that are at most one item away, "
        f"only {len(found)} gives them all"
    )
    yield from TABLE_4.values(draft, {(_AS_PRINTED.name, h): why for h in TABLE_4.headings})
    claim = draft.claim("One correction of one item explains all figures of CM5", ours=True)
    yield claim.tried(found == [_CORRECTED.matrix], f"{len(candidates):,} matrices tried")


@exhibit("Section 2", "What the preliminary comparison shows")
def _section_2(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.kendall_tau_b.from_confusion({listed(TABLE_1.rows[1].matrix)})"
    u = TABLE_1.utilities()
    blind, same = (
        {h for h in TABLE_1.headings if u[h, one] == u[h, other]} for one, other in ("AB", "BC")
    )
    low, high = "OC β₁", "OC β₂"
    claim = draft.claim("R_s, τ_b and r_int do not tell A from B, the others do")
    yield claim.tried(
        blind == {"R_s", "τ_b", "r_int"}, f"the same for both: {', '.join(sorted(blind))}"
    )
    claim = draft.claim("Of the measures, MER alone does not tell B from C")
    yield claim.tried(same == {"MER"}, f"the same for both: {', '.join(sorted(same))}")
    alike = {m: float(get_metric(m).from_confusion(TABLE_1.rows[1].matrix)) for m in _OF_DISTANCE}
    claim = draft.claim("MAE and MSE do not tell B from D")
    yield claim.tried(
        all(get_metric(m).from_confusion(TABLE_1.rows[3].matrix) == x for m, x in alike.items()),
        f"the same for both: {', '.join(f'{m} {x:.2f}' for m, x in alike.items())}",
    )
    perfect = [h for h in ("R_s", "τ_b", "r_int") if u[h, "B"] == 1]
    claim = draft.claim("1 − R_s, 1 − τ_b and 1 − r_int are no metrics: 0 for different vectors")
    yield claim.tried(len(perfect) == 3, f"1 for B, which is not perfect: {', '.join(perfect)}")
    claim = draft.claim("OC puts A before B before C, for either β")
    yield claim.tried(all(u[oc, "A"] > u[oc, "B"] > u[oc, "C"] for oc in (low, high)), "Table 1")
    claim = draft.claim(
        "A small β prefers C, which errs in values, a large one D, which errs in order"
    )
    yield claim.tried(u[low, "C"] > u[low, "D"] and u[high, "C"] < u[high, "D"], "Table 1")


@exhibit("Section 4.2", "What the examples of sections 4.2 and 4.3 show")
def _section_4_2(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.r_int.from_confusion({listed(TABLE_3.rows[1].matrix)})"
    tables = (TABLE_2, TABLE_3, TABLE_4, TABLE_5)
    u = MatrixTable(COLUMNS, tuple(row for table in tables for row in table.rows)).utilities()
    all_but = {c.heading for c in COLUMNS}.difference

    def prefer(better: str, worse: str) -> set[str]:
        return {c.heading for c in COLUMNS if u[c.heading, better] > u[c.heading, worse]}

    best, worst, middle = (row.name for row in TABLE_5.rows)
    claim = draft.claim("All but R_s and τ_b prefer CM2 to CM1")
    yield claim.tried(prefer("CM2", "CM1") == all_but({"R_s", "τ_b"}), "Table 2")
    claim = draft.claim("All but r_int prefer CM4 to CM3")
    yield claim.tried(prefer("CM4", "CM3") == all_but({"r_int"}), "Table 3")
    claim = draft.claim("All but MER and MAE prefer CM5 to CM6")
    yield claim.tried(
        prefer(_CORRECTED.name, _CM6.name) == all_but({"MER", "MAE"}),
        "Table 4, with the corrected CM5",
    )
    claim = draft.claim("All put CM10 first and CM11 last")
    yield claim.tried(prefer(best, middle) == all_but() == prefer(middle, worst), "Table 5")
    apart = {h: abs(u[h, middle] - u[h, worst]) for h in all_but()}
    order = {h: apart[h] for h in ("R_s", "τ_b", "r_int")}
    claim = draft.claim("R_s, τ_b and r_int almost do not tell CM11 from CM12, OC does")
    yield claim.tried(
        max(order.values()) < 0.02 and min(apart["OC β₁"], apart["OC β₂"]) > 0.3,
        f"differences: {', '.join(f'{h} {apart[h]:.3f}' for h in (*order, 'OC β₁', 'OC β₂'))}",
    )


@exhibit("Figure 4", "A single item, by its distance to the diagonal")
def _figure_4(draft: Draft) -> Iterator[Value]:
    draft.call = "oe.oc_index([1], [3], labels=[1, 2, 3], beta=0.1)"
    single = claims.single_items(_DISTANCES + 1)
    distance = np.arange(len(single))
    curves = {b: oc_index.from_confusion(single, beta=b) for b in _BETAS}
    tried = f"m = 0 to {_DISTANCES}"
    for b, y in curves.items():
        formula = np.minimum(1, 1 - 1 / (1 + distance) + b * distance)
        claim = draft.claim(f"One item at distance m: min(1, 1 − 1/(1+m) + β m), β = {b:g}")
        yield claim.tried(claims.close(y, formula, within=1e-12), tried)
    error = misclassification_error.from_confusion(single)
    claim = draft.claim(
        f"At β = {BETA_OF_ERROR:g} the index of one item is already the misclassification error"
    )
    yield claim.tried(claims.close(curves[BETA_OF_ERROR], error, within=1e-12), tried)
    lines = {f"β = {b:g}": y for b, y in curves.items()}
    draft.pictures.append(
        CurvesDisplay("OC of a single item", distance, lines, xlabel="|r − c|", ylabel="OC")
    )


@exhibit("Figure 5", "Tridiagonal matrices as the number of classes grows")
def _figure_5(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.oc_index.from_confusion({tridiagonal(4).tolist()}, share=0.75)"
    draft.method = f"The limits are compared at K = {_LARGE_K}, and 2/3 is written as 0.67."
    large = tridiagonal(_LARGE_K)
    for c, text in zip(COLUMNS, LIMITS, strict=True):
        yield draft.printed("limit", c.heading, text).exact(c.of(large))
    draft.pictures.append(CurvesDisplay.of_tridiagonal(COLUMNS, "coefficient"))


@exhibit("Figure 6", "A sample of 100 synthetic items")
def _figure_6(draft: Draft) -> Iterator[Value]:
    draft.call = "oe.datasets.make_ordinal(100, rng=0)"
    sample = make_ordinal(100, rng=draft.run.seed)
    printed = np.array(TABLE_5.rows[0].matrix).sum(axis=1).tolist()
    literal, other = experiments.expected_sizes(sum(printed), draft.run.seed)
    off_literal, off_other = (np.abs(np.subtract(x, printed)).sum() for x in (literal, other))
    yield draft.printed("100 items", "coordinates", "a scatter plot").missing(
        "the items are not printed; another sample of the same distribution is drawn"
    )
    yield draft.printed("the class of an item", "formula", "10 (∏ xᵢ − 0.5)").contradicted(
        "10 ∏ (xᵢ − 0.5)",
        off_other < off_literal / 2,
        f"the classes of CM10 to CM12 hold {printed} items; the formula as printed would give "
        f"{literal}, the other one {other}",
    )
    draft.pictures.append(
        PointsDisplay("100 synthetic items, 5 classes", sample.data, sample.target)
    )


@exhibit("Figure 7", "Class frequencies of the real data")
def _figure_7(draft: Draft) -> Iterator[Value]:
    draft.call = "oe.datasets.load_esl().class_sizes"
    data = {name: load() for name, load in experiments.DATA.items()}
    for name, printed in SIZES.items():
        places = [
            draft.printed(name, what, text)
            for what, text in zip(("items", "features", "classes"), printed, strict=True)
        ]
        if name in data:
            found = (*data[name].data.shape, data[name].scale.k)
            known = [(p, n) for p, n in zip(places, found, strict=True) if p.printed != "*"]
            yield from (p.exact(n) for p, n in known)
        else:
            yield from (p.missing(experiments.NOT_PUBLIC) for p in places)
    draft.pictures += [
        SizesDisplay(name, list(d.scale), d.class_sizes.tolist()) for name, d in data.items()
    ]


PAPER: Final = Paper(
    key="cardoso2011",
    citation="Cardoso & Sousa 2011, Measuring the performance of ordinal classification, "
    "International Journal of Pattern Recognition and Artificial Intelligence 25(8), 1173–1195",
    about="The ordinal classification index OC: the best path through the confusion matrix that "
    "does not contradict the order, at a price for leaving the diagonal.",
    parts=(
        _table("Table 1", "Preliminary comparison: four classifiers", TABLE_1),
        path_claims.common_measures,
        _section_2,
        path_claims.penalties,
        claims.general_form,
        claims.single_item,
        _figure_4,
        claims.properties,
        path_claims.recursion,
        path_claims.other_exponents,
        _figure_5,
        _table("Table 2", "Dispersed examples: CM1 and CM2", TABLE_2),
        _table("Table 3", "Dispersed examples: CM3 and CM4", TABLE_3),
        _table_4,
        _section_4_2,
        _figure_6,
        _table("Table 5", "The matrices of section 4.3", TABLE_5),
        experiments.synthetic,
        _figure_7,
        experiments.table_6,
        claims.triangle,
        path_claims.appendix_b,
    ),
)
