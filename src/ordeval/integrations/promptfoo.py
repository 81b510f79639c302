"""Results of promptfoo: one record per provider, prompt and test. promptfoo is not needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ordeval._shared.arguments import checked
from ordeval._shared.text import joined
from ordeval._shared.types import StrPath
from ordeval.exceptions import LabelError
from ordeval.integrations._logs import Record, all_records, parsed, read_lines, read_text, within


@checked
def read_promptfoo(
    path: StrPath, item: str = "item", *, truth: str | None = None, assertion: str | None = None
) -> list[Record]:
    """Read promptfoo results as records, which any data frame accepts.

    A record has ``item``, ``rater`` (the provider's label or id; with several prompts, followed by
    the number of the prompt), ``answer`` (its output, None where the call failed), ``score``,
    ``truth`` and ``error``.

    Parameters
    ----------
    path
        What ``promptfoo eval -o`` wrote: ``results.jsonl`` or ``results.json``.
    item, truth
        The variables of a test that name the item and hold its true label.
    assertion
        The ``metric:`` of the assertion that gives the score. Default: no score, because the score
        of a whole test is a mean over assertions and 0 if a call failed.

    Returns
    -------
    list of dict
        One record for each result.

    Raises
    ------
    LabelError
        If the file cannot be read, or a test has no such variable or assertion.
    """
    results = _opened(path)
    several = len({r.get("promptIdx", 0) for r in results}) > 1
    lacking = [r for r in results if within(r, "vars", item) is None]
    if lacking:
        known = list(dict.fromkeys(v for r in results for v in r.get("vars") or {}))
        raise LabelError(
            f"{len(lacking)} of {len(results)} results in {path} have no variable {item!r} to "
            f"name their item; there is {joined(known) or 'none'}. Name another one, item=."
        )
    if assertion is not None and not any(
        assertion in (r.get("namedScores") or {}) for r in results
    ):
        known = list(dict.fromkeys(v for r in results for v in r.get("namedScores") or {}))
        raise LabelError(
            f"no result in {path} has a score called {assertion!r}; there is "
            f"{joined(known) or 'none'}."
        )
    return [
        {
            "item": str(r["vars"][item]),
            "rater": _rater(r, several),
            "answer": within(r, "response", "output"),
            "score": None if assertion is None else within(r, "namedScores", assertion),
            "truth": None if truth is None else within(r, "vars", truth),
            "error": r.get("error"),
        }
        for r in results
    ]


def _rater(result: Record, several: bool) -> str:
    provider = result.get("provider")
    name = within(provider, "label") or within(provider, "id") or provider
    return f"{name}, prompt {result.get('promptIdx', 0)}" if several else str(name)


def _opened(path: StrPath) -> list[Record]:
    found: Any
    if Path(path).suffix == ".jsonl":
        found = read_lines(path)
    else:
        found = within(parsed(read_text(path), str(path)), "results", "results")
    return all_records(found, path, "results")
