"""Numbers, words and names of arguments, in one style."""

import math
from typing import Any

import pytest

import ordeval as oe
from ordeval._shared import text


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (text.number(0.12345), "0.123"),
        (text.number(-0.0001), "0.000"),  # no minus before a zero
        (text.number(math.nan), "—"),
        (text.number(2.5, 1), "2.5"),
        (text.signed(0.5), "+0.500"),
        (text.signed(-0.0001), "+0.000"),
        (text.bracketed(0.1, math.nan), "[0.100, —]"),
        (text.p_value(0.00004), "<0.0001"),
        (text.p_value(0.99994), "0.9999"),
        (text.p_value(0.99995), ">0.9999"),
        (text.p_value(1.0), ">0.9999"),
        (text.at_most(0.0123, exact=True), "p = 0.0123"),
        (text.at_most(0.0123, exact=False), "p <= 0.0123"),
        (text.at_most(1.0, exact=True), "p > 0.9999"),
        (text.at_most(1.0, exact=False), "p <= 1"),
        (text.at_most(1e-9, exact=False), "p < 0.0001"),
        (text.share(0.999), ">0.99"),
        (text.share(0.001), "<0.01"),
        (text.share(1.0), "1.00"),
        (text.share(0.0), "0.00"),
        (text.amount(1234567), "1,234,567"),
        (text.amount(0.25), "0.25"),
        (text.plural(1, "item"), "1 item"),
        (text.plural(1000, "item"), "1,000 items"),
        (text.joined(["a"]), "a"),
        (text.joined(["a", "b", "c"]), "a, b and c"),
        (text.joined(list("abcdefgh"), most=3), "a, b and 6 others"),
        (text.joined(["a", "b"], "or"), "a or b"),
        (text.name_of(("A", 1)), "A / 1"),
        (text.did_you_mean([]), ""),
        (text.did_you_mean(["x", "y"]), " Did you mean x or y?"),
    ],
)
def test_formats(shown: str, expected: str) -> None:
    assert shown == expected


def test_near_misses_begin_alike_or_are_spelt_alike() -> None:
    assert text.nearest("acc", ["accuracy", "auoc", "recall"])[0] == "accuracy"
    assert text.nearest("acuracy", ["auoc", "accuracy"])[0] == "accuracy"
    assert text.nearest("zzz", ["accuracy"]) == []


def test_an_argument_is_named_as_the_reader_writes_it() -> None:
    assert text.argument("labels") == "labels="
    assert text.argument("labels", range(1, 6)) == "labels=oe.Scale.range(1, 5)"
    assert text.argument("missing", "drop") == 'missing="drop"'
    assert text.named("level") == "level"

    def shout(name: str, value: object) -> str:
        return f"<{name}>"

    with text.wording(shout):
        assert text.argument("labels") == "<labels>"
        with pytest.raises(oe.ScaleError, match="<labels>"):
            oe.accuracy(["a"], ["b"])
    assert text.argument("labels") == "labels="


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("plain text, Größe, 良い, 🙂", "plain text, Größe, 良い, 🙂"),
        ("\x1b[2J\x07\x08\x7f\x9b", r"\x1b[2J\x07\x08\x7f\x9b"),
        ("a\nb\r\n\tc\x0b\x0c\x85\u2028\u2029", r"a\nb\r\n\tc\x0b\x0c\x85\u2028\u2029"),
        ("\u202a\u202b\u202c\u202d\u202e", r"\u202a\u202b\u202c\u202d\u202e"),
        ("\u2066\u2067\u2068\u2069", r"\u2066\u2067\u2068\u2069"),
        ("\u200e\u200f\u061c", r"\u200e\u200f\u061c"),
        ("a\u200bb\u200c\u200d\u2060\ufeff\xad", r"a\u200bb\u200c\u200d\u2060\ufeff\xad"),
        ("\ud800 \U000e0041", r"\ud800 \U000e0041"),
        ("narrow\xa0space\u3000wide", "narrow\xa0space\u3000wide"),
        (1.5, "1.5"),
    ],
)  # fmt: skip
def test_what_is_not_seen_is_written_out(given: Any, expected: str) -> None:
    assert text.visible(given) == expected
    assert text.visible(expected) == expected  # done twice is done once
    assert text.visible(given).encode()
