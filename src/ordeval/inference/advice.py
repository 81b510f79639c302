"""Advice: what may mislead in an evaluation. Each entry has a code, its meaning and its rule.

``score`` and ``compare`` attach the advice that applies; intervals and paired differences give it
as warnings. The meaning of an entry is the documentation of its code.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ordeval._shared.arguments import checked
from ordeval._shared.text import visible
from ordeval.exceptions import ParameterError, ResamplingWarning, StepsWarning, user_frame
from ordeval.inference.advice_rules import CATALOGUE, FEW_CLUSTERS, RARE, Entry, Situation

__all__ = [
    "CATALOGUE",
    "FEW_CLUSTERS",
    "RARE",
    "Advice",
    "Situation",
    "advise",
    "explain",
    "merged",
    "warn",
]


@dataclass(frozen=True)
class Advice:
    """One entry of the catalogue, applied to the data."""

    code: str
    message: str

    @property
    def entry(self) -> Entry:
        """The general meaning of the code."""
        return CATALOGUE[self.code]

    def __str__(self) -> str:
        return visible(f"[{self.code}] {self.message}")


def advise(situation: Situation) -> tuple[Advice, ...]:
    """All advice that applies, by code."""
    return tuple(
        Advice(code, message)
        for code, entry in sorted(CATALOGUE.items())
        for message in entry.rule(situation)
    )


def merged(advice: Mapping[str, Iterable[Advice]]) -> list[Advice]:
    """The advice about several models; what concerns some of them names these."""
    found: dict[Advice, list[str]] = {}
    for model, given in advice.items():
        for a in given:
            found.setdefault(a, []).append(model)
    return [
        a if len(who) == len(advice) else Advice(a.code, f"{', '.join(who)}: {a.message}")
        for a, who in found.items()
    ]


def warn(situation: Situation) -> None:
    """Give all advice that applies as warnings."""
    for advice in advise(situation):
        kind = StepsWarning if advice.code == "OE205" else ResamplingWarning
        warnings.warn(str(advice), kind, stacklevel=user_frame())


@checked
def explain(code: str) -> str:
    """Explain a warning code: what it means and what to do about it.

    Parameters
    ----------
    code
        The code of a warning, for example ``"OE304"``.

    Returns
    -------
    str
        The code, its title and its meaning.

    Raises
    ------
    ParameterError
        If no warning has this code.

    Examples
    --------
    >>> print(explain("OE304"))
    OE304, few clusters: How much clusters vary can hardly be told from fewer than 20 of them. The
    default intervals have few degrees of freedom to allow for it; those of the methods that draw
    are too narrow.
    """
    code = str(code).upper()
    if code not in CATALOGUE:
        raise ParameterError(f"no warning has the code {code!r}; codes: {', '.join(CATALOGUE)}.")
    entry = CATALOGUE[code]
    return f"{code}, {entry.title}: {entry.meaning}"
