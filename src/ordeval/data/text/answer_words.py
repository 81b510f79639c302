"""The words by which judges state a label, doubt it or take it back, from ``answer_words.toml``.

A phrase of several words is listed under its first word.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Final

WordLists = Mapping[str, tuple[tuple[str, ...], ...]]

_LISTS: Final[dict[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _phrases(name: str) -> WordLists:
    """The phrases of a list, by their first word."""
    found = defaultdict(list)
    for phrase in _LISTS[name].split(","):
        for first, *rest in product(*(word.split("/") for word in phrase.split())):
            found[first].append(tuple(rest))
    return {first: tuple(rests) for first, rests in found.items()}


SPACE_NOUNS: Final = _words("space_nouns")
PLAIN_NOUNS: Final = _words("plain_nouns")
FOREIGN_NOUNS: Final = _words("foreign_nouns")
GENERAL_NOUNS: Final = _words("general_nouns")
NOUNS: Final = SPACE_NOUNS | PLAIN_NOUNS | GENERAL_NOUNS | FOREIGN_NOUNS
MODIFIERS: Final = _words("modifiers")
SUBJECTS: Final = _words("subjects")
VERBS: Final = _words("verbs")
STATES: Final = _words("states")
I_WORDS: Final = _words("i_words")
I_WOULD: Final = _words("i_would")
MODALS: Final = _words("modals")
ADVERBS: Final = _words("adverbs")
OBJECTS: Final = SUBJECTS | _words("objects")
THINGS: Final = _words("things")
CHOOSING: Final = _words("choosing")
ARTICLES: Final = _words("articles")
UNITS: Final = _words("units")
OUT_OF: Final = _phrases("out_of")
ON_SCALE: Final = _phrases("on_scale")
FILLERS: Final = _phrases("fillers")
REMARKS: Final = MODIFIERS | UNITS | _words("remarks")
CONCLUDING: Final = _words("concluding")
LEADS: Final = CONCLUDING | _words("leads")
OPENING: Final = _words("opening")
REASONS: Final = _phrases("reasons")
DEGREES: Final = _phrases("degrees")
CONCESSIONS: Final = _phrases("concessions")
UNREAL: Final = _words("unreal")
INTRODUCED: Final = UNREAL - _words("fit_introductions")
QUOTING: Final = UNREAL - _words("no_quotation")
DOUBTS: Final = _phrases("doubts")
REVISIONS: Final = _phrases("revisions")
SELF: Final = _words("self")
LABEL_NOUNS: Final = _words("label_nouns")
NO_LABELS: Final = _words("no_labels")
LABEL_REASONS: Final = _words("label_reasons")
POLITE: Final = _phrases("polite")
CONNECTIVES: Final = _words("connectives")
REVISING: Final = _phrases("revising")
CONDITIONS: Final = _phrases("conditions")
NUMBER_WORDS: Final = {word: i for i, word in enumerate(_LISTS["number_words"].split())}
FORMS_OF_BE: Final = _words("forms_of_be")
COUNTED: Final = _words("counted")
DESCRIBING: Final = _words("describing")
NUMBERED: Final = _words("numbered")
MEASURED: Final = COUNTED | _words("measured")
KEYS: Final = _words("keys")
_NOT_EXPLAINING: Final = _words("not_explaining")
I_EXPLAIN: Final = _words("i_explain")
OBJECTS_JUDGED: Final = _words("objects_judged")
NEUTRAL: Final = _words("neutral")
EXPLAINING: Final = (COUNTED | SUBJECTS | DESCRIBING - NEUTRAL) - _NOT_EXPLAINING | _words(
    "explaining"
)
PRONOUNS: Final = _words("pronouns")
DETERMINERS: Final = _words("determiners")
JUDGED: Final = (COUNTED | SUBJECTS | OBJECTS_JUDGED) - _NOT_EXPLAINING
LIMITS: Final = _words("limits")
JOINING: Final = UNITS | _words("joining")
CHANGING: Final = JOINING | _words("changing")
