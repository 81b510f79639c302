"""Every figure that the papers print, recomputed to its printed digits.

The figures and their sources are in `golden`. What does not recompute is listed there as a
misprint, and must go on not recomputing: a change that "repairs" one has changed a measure.
"""

import itertools
import math
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import golden
import ordeval as oe

SLACK = 1e-9  # for figures that lie half-way between two roundings


def digits(printed: str) -> int:
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)
    return -exponent


def shows(value: float, printed: str) -> bool:
    """Whether a value is printed so."""
    return abs(value - float(printed)) <= 0.5 * 10 ** -digits(printed) + SLACK


def compute(key: golden.Key, matrix: golden.Matrix) -> float:
    name, parameters = key
    given: dict[str, Any] = dict(parameters)
    return float(oe.get_metric(name).from_confusion(matrix, **given))


def named(key: golden.Key) -> str:
    name, parameters = key
    return f"{name}({', '.join(f'{k}={v}' for k, v in parameters)})"


PRINTED = [
    pytest.param(row.matrix, key, text, id=f"{row.paper}, {row.place}, {named(key)}")
    for row in golden.PRINTED
    for key, text in row.values.items()
]
MISPRINTS = [pytest.param(m, id=f"{m.paper}, {m.place}, {named(m.key)}") for m in golden.MISPRINTS]


@pytest.mark.parametrize(("matrix", "key", "printed"), PRINTED)
def test_printed_value_recomputes(matrix: golden.Matrix, key: golden.Key, printed: str) -> None:
    value = compute(key, matrix)
    assert shows(value, printed), f"{value} is printed {printed}"


@pytest.mark.parametrize("misprint", MISPRINTS)
def test_misprint_recomputes_to_something_else(misprint: golden.Misprint) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", oe.UndefinedMetricWarning)
        value = compute(misprint.key, misprint.matrix)
    assert misprint.why
    if misprint.recomputed == "nan":
        assert math.isnan(value)
        return
    assert shows(value, misprint.recomputed), value
    assert not shows(value, misprint.printed), value


def test_nothing_is_printed_and_misprinted() -> None:
    printed = {(row.place, key) for row in golden.PRINTED for key in row.values}
    assert not printed & {(m.place, m.key) for m in golden.MISPRINTS}


def test_every_paper_is_here() -> None:
    papers = {row.paper for row in golden.PRINTED}
    assert papers == {"cardoso2011", "silva2018", "george2016", "amigo2020"}


# George, Lu and Chang 2016


def test_george_cost_of_section_2_2() -> None:
    cost = oe.george_cost(golden.GEORGE_CLASS_SIZES)
    assert cost == pytest.approx(np.array(golden.GEORGE_COST), abs=1e-12)
    for row, printed_row in zip(cost, golden.GEORGE_COST_PRINTED, strict=True):
        for value, printed in zip(row, printed_row, strict=True):
            assert shows(value, printed), f"{value} is printed {printed}"


# Pinto da Costa, Alonso and Cardoso 2014


def ordered_pairs(values: tuple[int, ...]) -> frozenset[tuple[int, int]]:
    """Pairs of distinct objects, counted from 1, with v(a) <= v(b)."""
    objects = range(1, len(values) + 1)
    return frozenset(
        (a, b) for a, b in itertools.permutations(objects, 2) if values[a - 1] <= values[b - 1]
    )


def test_pinto_da_costa_example() -> None:
    example = golden.PINTO_DA_COSTA_EXAMPLE
    s1, s2 = ordered_pairs(example.v1), ordered_pairs(example.v2)
    assert (s1, s2) == (example.s1, example.s2)
    assert (len(s1), len(s2), len(s1 & s2)) == (6, 6, example.card_both)
    from_sets = -1 + 2 * len(s1 & s2) / math.sqrt(len(s1) * len(s2))
    assert from_sets == example.r_int
    assert oe.r_int(example.v1, example.v2) == pytest.approx(example.r_int, abs=1e-12)


# Amigo et al. 2020


@pytest.mark.parametrize("figure", golden.AMIGO_FIGURE_1, ids=lambda figure: figure.place)
def test_proximities_of_figure_1(figure: golden.Proximities) -> None:
    table = oe.proximity(figure.class_sizes)
    for cell, printed in figure.values.items():
        assert shows(table[cell], printed), f"{cell}: {table[cell]} is printed {printed}"


@pytest.mark.parametrize("outer", [(0, 353), (1, 352), (300, 53), (353, 0)])
def test_outer_classes_do_not_enter_the_right_of_figure_1(outer: tuple[int, int]) -> None:
    right = golden.AMIGO_FIGURE_1[1]
    sizes = (outer[0], *right.class_sizes[1:4], outer[1])
    assert shows(oe.proximity(sizes)[1, 3], right.values[1, 3])


def test_proximities_of_appendix_a() -> None:
    table = oe.proximity(golden.AMIGO_APPENDIX_A_CLASS_SIZES)
    for row, printed_row in zip(table, golden.AMIGO_APPENDIX_A_PROXIMITY, strict=True):
        for value, printed in zip(row, printed_row, strict=True):
            assert shows(value, printed), f"{value} is printed {printed}"


# Cardoso and Sousa 2011, Figures 4 and 5


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("beta", [0.0, 0.1, 0.25, 0.4, 0.5, 1.0])
def test_single_item_of_figure_4(k: int, beta: float) -> None:
    for t, p in itertools.product(range(k), repeat=2):
        expected = golden.cardoso_figure_4(abs(t - p), beta)
        assert oe.oc_index([t], [p], labels=range(k), beta=beta) == pytest.approx(expected)


@pytest.mark.parametrize("more", [0.0, 0.1, 0.5])
def test_figure_4_ends_in_the_misclassification_error(more: float) -> None:
    beta = golden.CARDOSO_FIGURE_4_BETA_OF_MER + more
    for t, p in itertools.product(range(7), repeat=2):
        value = oe.oc_index([t], [p], labels=range(7), beta=beta)
        assert value == pytest.approx(float(t != p), abs=1e-12)
    before = golden.CARDOSO_FIGURE_4_BETA_OF_MER - 0.01
    assert oe.oc_index([0], [1], labels=range(7), beta=before) < 1


@pytest.mark.parametrize(
    ("key", "limit"), [pytest.param(*item, id=named(item[0]))
                       for item in golden.CARDOSO_FIGURE_5_LIMITS.items()],
)  # fmt: skip
def test_limit_of_figure_5(key: golden.Key, limit: float) -> None:
    near, far = (abs(compute(key, golden.tridiagonal(k)) - limit) for k in (400, 40))
    assert near < 0.005
    assert near < far / 5  # it goes on approaching
