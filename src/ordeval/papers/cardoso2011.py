"""Cardoso & Sousa 2011: the ordinal classification index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ordeval.datasets import (
    load_balance_scale,
    load_esl,
    load_lev,
    load_swd,
    make_ordinal,
)
from ordeval.measures.nominal import misclassification_error
from ordeval.measures.path import oc_index
from ordeval.papers import _cardoso_claims as claims
from ordeval.papers import _cardoso_experiments as experiments
from ordeval.papers._pictures import CurvesDisplay, PointsDisplay, SizesDisplay
from ordeval.papers._tables import (
    Column,
    Matrix,
    Row,
    agreeing,
    matrix_table,
    one_item_moved,
    tridiagonal,
    utilities,
)
from ordeval.papers._values import Exhibit, Maker, Paper, Part, Run

KEY: Final = experiments.KEY

COLUMNS: Final = (
    Column("MER", "misclassification_error"),
    Column("MAE", "mean_absolute_error"),
    Column("R_s", "spearman_rho"),
    Column("τ_b", "kendall_tau_b"),
    Column("r_int", "r_int"),
    Column("OC β₁", "oc_index", {"share": 0.25}),
    Column("OC β₂", "oc_index", {"share": 0.75}),
)

TABLE_1: Final = (
    Row("A", ((4, 0, 0, 0), (0, 6, 0, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.0 0.0 1.0 1.0 1.0 0.0 0.0"),
    Row("B", ((0, 4, 0, 0), (0, 0, 6, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.77 0.77 1.0 1.0 1.0 0.50 0.63"),
    Row("C", ((0, 0, 4, 0), (0, 0, 6, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.77 1.08 0.79 0.75 0.80 0.61 0.78"),
    Row("D", ((0, 4, 0, 0), (6, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.77 0.77 0.24 0.11 0.53 0.65 0.72"),
)  # fmt: skip

TABLE_2: Final = (
    Row("CM1", ((2, 0, 1), (1, 1, 0), (2, 1, 2)), "0.50 0.80 0.20 0.19 0.39 0.63 0.69"),
    Row("CM2", ((1, 0, 0), (0, 4, 0), (2, 2, 1)), "0.40 0.60 0.10 0.11 0.45 0.53 0.58"),
)

TABLE_3: Final = (
    Row("CM3", ((1, 0, 1), (0, 0, 0), (3, 2, 0)), "0.86 1.43 -0.26 -0.254 0.34 0.79 0.93"),
    Row("CM4", ((1, 0, 1), (0, 2, 1), (1, 1, 0)), "0.57 0.85 -0.25 -0.250 0.08 0.71 0.75",
        {"MAE": "6/7 = 0.857, truncated to 0.85 where the others are rounded"}),
)  # fmt: skip

CM5_AS_PRINTED: Final[Matrix] = ((1, 1, 0, 0), (0, 1, 0, 1), (0, 0, 0, 3), (0, 0, 0, 0))
CM5_CORRECTED: Final[Matrix] = ((1, 1, 0, 0), (0, 0, 1, 1), (0, 0, 0, 3), (0, 0, 0, 0))
CM5_PRINTED: Final = "0.86 1.00 0.89 0.84 0.81 0.58 0.75"
CM6: Final = Row(
    "CM6", ((0, 0, 1, 0), (1, 1, 1, 0), (1, 1, 1, 0), (0, 0, 0, 0)),
    "0.71 1.00 -0.29 -0.26 0.06 0.74 0.79",
)  # fmt: skip

TABLE_5: Final = (
    Row("CM10, oSVM",
        ((0, 0, 0, 0, 0), (0, 50, 7, 0, 0), (0, 2, 94, 2, 0), (0, 0, 11, 39, 0), (0, 0, 0, 5, 30)),
        "0.11 0.11 0.93 0.91 0.91 0.12 0.13"),
    Row("CM11, oNN",
        ((0, 0, 0, 0, 0), (0, 0, 45, 12, 0), (0, 0, 2, 87, 9), (0, 0, 0, 6, 44), (0, 0, 0, 0, 35)),
        "0.82 0.91 0.89 0.85 0.84 0.55 0.66"),
    Row("CM12, Frank and Hall",
        ((0, 0, 0, 0, 0), (0, 50, 7, 0, 0), (0, 2, 94, 2, 0), (0, 0, 21, 29, 0), (0, 0, 0, 29, 6)),
        "0.25 0.25 0.90 0.86 0.86 0.23 0.26"),
)  # fmt: skip

# Section 4.1: where the coefficients of tridiagonal matrices go, 2/3 as it rounds.
LIMITS: Final = ("0.67", "0.67", "1.00", "1.00", "1.00", "0.60", "0.60")
_LARGE_K: Final = 600

# Section 4.4 and Figure 7: items, features and classes, as far as the text says.
SIZES: Final = {
    "SWD": ("1000", "10", "4"),
    "LEV": ("1000", "4", "5"),
    "ESL": ("488", "*", "*"),
}
_BETAS: Final = (0.0, 0.05, 0.1, 0.25, 0.5)
_DISTANCES: Final = 10


def _table(name: str, title: str, rows: Sequence[Row]) -> Part:
    def make(run: Run) -> Exhibit:
        values = matrix_table(Maker(KEY, name), COLUMNS, rows)
        first = [list(r) for r in rows[0].matrix]
        return Exhibit(
            KEY, name, title, tuple(values),
            call=f"oe.oc_index.from_confusion({first}, share=0.25)",
        )  # fmt: skip

    return Part(name, make)


def _table_4(run: Run) -> Exhibit:
    make = Maker(KEY, "Table 4")
    candidates = [CM5_AS_PRINTED, *one_item_moved(CM5_AS_PRINTED)]
    found = agreeing(COLUMNS, CM5_PRINTED, candidates)
    why = (
        "the second row of CM5, 0 1 0 1, is a misprint of 0 0 1 1, with which all seven figures "
        f"hold; of the {len(candidates):,} matrices that are at most one item away, "
        f"{len(found)} gives them"
    )
    as_printed = Row(
        "CM5 as printed", CM5_AS_PRINTED, CM5_PRINTED, {c.heading: why for c in COLUMNS}
    )
    corrected = Row("CM5, second row 0 0 1 1", CM5_CORRECTED, CM5_PRINTED)
    values = matrix_table(make, COLUMNS, (as_printed, corrected, CM6))
    values.append(
        make.statement(
            "One correction of one item explains all figures of CM5",
            found == [CM5_CORRECTED],
            f"{len(candidates):,} matrices tried",
            ours=True,
        )
    )
    return Exhibit(
        KEY, "Table 4", "Dispersed examples: CM5 and CM6", tuple(values),
        call=f"oe.r_int.from_confusion({[list(r) for r in CM5_CORRECTED]})",
    )  # fmt: skip


def _section_2(run: Run) -> Exhibit:
    make = Maker(KEY, "Section 2")
    u = utilities(COLUMNS, TABLE_1)
    blind = {c.heading for c in COLUMNS if u[c.heading, "A"] == u[c.heading, "B"]}
    same = {c.heading for c in COLUMNS if u[c.heading, "B"] == u[c.heading, "C"]}
    low, high = "OC β₁", "OC β₂"
    values = (
        make.statement(
            "R_s, τ_b and r_int do not tell A from B, the others do",
            blind == {"R_s", "τ_b", "r_int"}, f"the same for both: {', '.join(sorted(blind))}",
        ),
        make.statement(
            "Of the measures, MER alone does not tell B from C",
            same == {"MER"}, f"the same for both: {', '.join(sorted(same))}",
        ),
        make.statement(
            "OC puts A before B before C, for either β",
            all(u[oc, "A"] > u[oc, "B"] > u[oc, "C"] for oc in (low, high)), "Table 1",
        ),
        make.statement(
            "A small β prefers C, which errs in values, a large one D, which errs in order",
            u[low, "C"] > u[low, "D"] and u[high, "C"] < u[high, "D"], "Table 1",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Section 2", "What the preliminary comparison shows", values,
        call=f"oe.kendall_tau_b.from_confusion({[list(r) for r in TABLE_1[1].matrix]})",
    )  # fmt: skip


def _section_4_2(run: Run) -> Exhibit:
    make = Maker(KEY, "Section 4.2")
    cm5 = Row("CM5", CM5_CORRECTED, CM5_PRINTED)
    u = utilities(COLUMNS, (*TABLE_2, *TABLE_3, cm5, CM6, *TABLE_5))

    def prefer(better: str, worse: str) -> set[str]:
        return {c.heading for c in COLUMNS if u[c.heading, better] > u[c.heading, worse]}

    def but(*left_out: str) -> set[str]:
        return {c.heading for c in COLUMNS} - set(left_out)

    best, middle, worst = TABLE_5[0].name, TABLE_5[2].name, TABLE_5[1].name
    values = (
        make.statement(
            "All but R_s and τ_b prefer CM2 to CM1", prefer("CM2", "CM1") == but("R_s", "τ_b"),
            "Table 2",
        ),
        make.statement(
            "All but r_int prefer CM4 to CM3", prefer("CM4", "CM3") == but("r_int"), "Table 3",
        ),
        make.statement(
            "All but MER and MAE prefer CM5 to CM6", prefer("CM5", "CM6") == but("MER", "MAE"),
            "Table 4, with the corrected CM5",
        ),
        make.statement(
            "All put CM10 first and CM11 last",
            prefer(best, middle) == but() == prefer(middle, worst), "Table 5",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Section 4.2", "What the examples of sections 4.2 and 4.3 show", values,
        call=f"oe.r_int.from_confusion({[list(r) for r in TABLE_3[1].matrix]})",
    )  # fmt: skip


def _figure_4(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 4")
    distance = np.arange(_DISTANCES + 1)
    single = np.zeros((len(distance), *[len(distance)] * 2), dtype=np.int64)
    single[distance, 0, distance] = 1
    curves = {b: oc_index.from_confusion(single, beta=b) for b in _BETAS}
    values = [
        make.statement(
            f"One item at distance m: min(1, 1 − 1/(1+m) + β m), β = {b:g}",
            bool(
                np.allclose(
                    y, np.minimum(1, 1 - 1 / (1 + distance) + b * distance), rtol=0, atol=1e-12
                )
            ),
            f"m = 0 to {_DISTANCES}",
        )
        for b, y in curves.items()
    ]
    error = misclassification_error.from_confusion(single)
    values.append(
        make.statement(
            "At β = 0.5 the index of one item is already the misclassification error",
            bool(np.allclose(curves[0.5], error, rtol=0, atol=1e-12)),
            f"m = 0 to {_DISTANCES}",
        )
    )
    lines = {f"β = {b:g}": y for b, y in curves.items()}
    drawn = CurvesDisplay("OC of a single item", distance.tolist(), lines, "|r − c|", "OC")
    return Exhibit(
        KEY, "Figure 4", "A single item, by its distance to the diagonal", tuple(values),
        call="oe.oc_index([1], [3], labels=[1, 2, 3], beta=0.1)", pictures=(drawn,),
    )  # fmt: skip


def _figure_5(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 5")
    ks = range(2, 41)
    curves = {c.heading: [c.of(tridiagonal(k)) for k in ks] for c in COLUMNS}
    large = tridiagonal(_LARGE_K)
    values = [
        make.exact("limit", c.heading, text, c.of(large))
        for c, text in zip(COLUMNS, LIMITS, strict=True)
    ]
    drawn = CurvesDisplay(
        "Tridiagonal matrices", list(ks), curves, "number of classes K", "coefficient"
    )
    return Exhibit(
        KEY, "Figure 5", "Tridiagonal matrices as the number of classes grows", tuple(values),
        method=f"The limits are compared at K = {_LARGE_K}; 2/3 is written as it rounds.",
        call=f"oe.oc_index.from_confusion({tridiagonal(4).tolist()}, share=0.75)",
        pictures=(drawn,),
    )  # fmt: skip


def _figure_6(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 6")
    sample = make_ordinal(100, rng=run.seed)
    printed = np.array(TABLE_5[0].matrix).sum(axis=1).tolist()
    literal, other = experiments.expected_sizes(sum(printed), run.seed)
    values = (
        make.missing(
            "100 items", "coordinates", "a scatter plot",
            "the items are not printed; another sample of the same distribution is drawn",
        ),
        make.formula(
            "the class of an item", "formula", "10 (∏ xᵢ − 0.5)", "10 ∏ (xᵢ − 0.5)",
            bool(np.abs(np.subtract(other, printed)).sum()
                 < np.abs(np.subtract(literal, printed)).sum() / 2),
            f"the classes of CM10 to CM12 hold {printed} items; the formula as printed puts "
            f"{literal} there, the other {other}",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Figure 6", "A sample of 100 synthetic items", values,
        call="oe.datasets.make_ordinal(100, rng=0)",
        pictures=(PointsDisplay("100 synthetic items, 5 classes", sample.data, sample.target),),
    )  # fmt: skip


def _figure_7(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 7")
    data = {
        "SWD": load_swd(), "LEV": load_lev(), "ESL": load_esl(), "Balance": load_balance_scale(),
    }  # fmt: skip
    values = [
        make.exact(name, what, text, found)
        for name, printed in SIZES.items()
        for what, text, found in zip(
            ("items", "features", "classes"), printed,
            (*data[name].data.shape, data[name].scale.k), strict=True,
        )
        if text != "*"
    ]  # fmt: skip
    values.append(
        make.missing("BCCT", "items", "1144", "the data of these patients are not public")
    )
    pictures = tuple(
        SizesDisplay(name, list(d.scale), d.class_sizes.tolist()) for name, d in data.items()
    )
    return Exhibit(
        KEY, "Figure 7", "Class frequencies of the real data", tuple(values),
        call="oe.datasets.load_esl().class_sizes", pictures=pictures,
    )  # fmt: skip


PAPER: Final = Paper(
    KEY,
    "Cardoso & Sousa 2011, Measuring the performance of ordinal classification, International "
    "Journal of Pattern Recognition and Artificial Intelligence 25(8), 1173–1195",
    "The ordinal classification index OC: the best path through the confusion matrix that does not "
    "contradict the order, at a price for leaving the diagonal.",
    (
        _table("Table 1", "Preliminary comparison: four classifiers", TABLE_1),
        Part("Section 2", _section_2),
        Part("Section 3.1", claims.general_form),
        Part("Section 3.2", claims.single_item),
        Part("Figure 4", _figure_4),
        Part("Section 3.3", claims.properties),
        Part("Figure 5", _figure_5),
        _table("Table 2", "Dispersed examples: CM1 and CM2", TABLE_2),
        _table("Table 3", "Dispersed examples: CM3 and CM4", TABLE_3),
        Part("Table 4", _table_4),
        Part("Section 4.2", _section_4_2),
        Part("Figure 6", _figure_6),
        _table("Table 5", "The matrices of section 4.3", TABLE_5),
        Part("Section 4.3", experiments.synthetic),
        Part("Figure 7", _figure_7),
        Part("Table 6", experiments.table_6),
        Part("Appendix A", claims.triangle),
    ),
)
