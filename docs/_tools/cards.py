"""A card for every measure, made from the registry: what it shows is computed as it is written."""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from pictures import draw_four, draw_in_depth, draw_panels

import ordeval as oe
from ordeval._shared.text import BETTER as WORDS
from ordeval.meta.properties import PROPERTIES

BETTER = {direction: f"{word} is better" for direction, word in WORDS.items()}
HOLDS = {True: "yes", False: "no", None: "does not apply"}
STAGES = ["I", "II", "III", "IV"]
# 100 patients in four stages; every classifier is right about 70 of them.
FOUR = {
    "one step off": [[28, 12, 0, 0], [4, 21, 5, 0], [0, 3, 14, 3], [0, 0, 3, 7]],
    "far off": [[28, 0, 0, 12], [0, 21, 0, 9], [6, 0, 14, 0], [3, 0, 0, 7]],
    "rare stages lost": [[40, 0, 0, 0], [0, 30, 0, 0], [0, 20, 0, 0], [0, 0, 10, 0]],
    "always too high": [[25, 15, 0, 0], [0, 21, 9, 0], [0, 0, 14, 6], [0, 0, 0, 10]],
}
FOUR_TEXT = """Four classifiers of 100 patients. Each gets exactly 70 right; they differ in
where the other 30 go."""
CLAIMED_TEXT = """*Claimed*: by ordeval's registry, or, for ordinal invariance, ordinal monotonicity
and imbalance, by Amigó et al. 2020, Table 2. Where something else was found, the counterexample
decides."""
LISTING_TEXT = """Each has a card, made from what the library itself knows of the measure.
[Which measure when](../concepts/which-measure.md) helps to choose;
[families](../concepts/families.md) says what each group sees and hides."""
# The stages of ten patients, and what each forecaster says of a patient in stage I, II, III, IV.
TRUTH = ["I", "I", "I", "I", "II", "II", "II", "III", "III", "IV"]
FORECASTS = {
    "sure and right": [[0.9, 0.1, 0, 0], [0.1, 0.8, 0.1, 0], [0, 0.1, 0.8, 0.1], [0, 0, 0.1, 0.9]],
    "class shares": [[0.4, 0.3, 0.2, 0.1]] * 4,
    "one step off": [[0.1, 0.9, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 0.9, 0.1]],
    "far off": [[0.1, 0, 0, 0.9], [0.1, 0, 0, 0.9], [0.9, 0, 0, 0.1], [0.9, 0, 0, 0.1]],
}
_I, _II, _III, _IV = STAGES
# The stages of eight patients by three raters.
PANELS: dict[str, list[list[str | None]]] = {
    "one step off": [
        [_I, _I, _II], [_I, _I, _I], [_II, _II, _I], [_II, _III, _II], [_III, _III, None],
        [_III, _IV, _III], [_IV, _IV, _IV], [_II, None, _II],
    ],
    "far off": [
        [_I, _I, _IV], [_I, _I, _I], [_II, _II, _IV], [_II, _IV, _II], [_III, _III, None],
        [_III, _I, _III], [_IV, _IV, _IV], [_II, None, _II],
    ],
    "one rates higher": [
        [_I, _I, _II], [_I, _I, _II], [_II, _II, _III], [_II, _II, _III], [_III, _III, None],
        [_III, _III, _IV], [_IV, _IV, _IV], [_II, None, _III],
    ],
    "by lot": [
        [_II, _I, _III], [_IV, _I, _II], [_I, _III, _II], [_III, _I, _IV], [_II, _IV, None],
        [_I, _II, _III], [_II, _III, _I], [_III, None, _II],
    ],
}  # fmt: skip
NEEDS = {
    "labels": "predicted labels",
    "probabilities": "predicted probabilities",
    "ratings": "ratings of several raters",
}
EXCHANGED = {"ratings": "raters exchanged"}
# What has no default must be given.
GIVEN: dict[str, dict[str, Any]] = {
    "oc_index_general": {"beta_deviation": 0.002, "beta_discordance": 0.2},
    **{m.name: {"at_least": "II"} for m in oe.metrics() if m.required == ("at_least",)},
}


def write_cards(folder: Path, pool: Executor) -> None:
    """All cards with their pictures, and the page that lists them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    measures = oe.metrics()
    names = [m.name for m in measures]
    for name, text in zip(names, pool.map(_card, names, [folder] * len(names)), strict=True):
        _write(folder / f"{name}.md", text)
    _write(folder / "index.md", listing(measures))


def _card(name: str, folder: Path) -> str:
    return card(oe.get_metric(name), folder)


def card(metric: oe.Metric, folder: Path) -> str:
    """The page of one measure; its pictures go to the folder."""
    prose, parameters = read_docstring(metric)
    example = EXAMPLES[metric.needs]
    parts = [
        f"# {metric.symbol}: `{metric.name}`",
        prose,
        *_formula(metric),
        _facts(metric),
        *_parameters(parameters),
        "## Example",
        example(metric, folder),
        *_properties(metric),
        "## Reference",
        _reference(metric),
        _see_also(metric),
    ]
    return "\n\n".join(parts) + "\n"


def read_docstring(metric: oe.Metric) -> tuple[str, dict[str, str]]:
    """What a kernel's docstring says in sentences, and what it says of each parameter."""
    text = inspect.cleandoc(metric.kernel.__doc__ or "")
    text = re.split(r"^(?:Examples\n-+|>>> )", text, flags=re.M)[0].strip()
    prose, _, listed = text.partition("Parameters\n----------\n")
    found = re.findall(r"^(\w+)\n((?:    .*\n?|\n)+)", listed + "\n", flags=re.M)
    about = {name: _as_markdown(inspect.cleandoc(text)) for name, text in found}
    return _as_markdown(prose.strip()), about


def _as_markdown(text: str) -> str:
    """Powers such as d**2 are not bold text, except in code, where they stay as they are."""
    parts = re.split(r"(``.*?``)", text)
    return "".join(p if p.startswith("``") else p.replace("*", r"\*") for p in parts)


def _formula(metric: oe.Metric) -> Iterator[str]:
    if metric.formula:
        yield f"```{{math}}\n{metric.formula}\n```"
        yield "{ref}`What the letters mean <notation>`."


def _facts(metric: oe.Metric) -> str:
    best = "depends on the class sizes" if metric.perfect is None else f"{metric.perfect:g}"
    perfect = "raters who always agree" if metric.needs == "ratings" else "a perfect prediction"
    rows = {
        "family": f"[{metric.family}](../concepts/families.md#{metric.family})",
        "range": metric.range.text,
        "direction": BETTER[metric.greater_is_better],
        perfect: best,
        "undefined when": metric.undefined_when,
        EXCHANGED.get(metric.needs, "truth and prediction exchanged"): _changes(metric.symmetric),
        "scale reversed": _changes(metric.reversal_invariant),
        "unused levels added at an end": _changes(not metric.depends_on_empty_levels),
        "needs": NEEDS[metric.needs],
    }
    return table(("fact", "value"), list(rows.items()))


def _changes(same: bool) -> str:
    return "the same value" if same else "another value"


def _parameters(parameters: dict[str, str]) -> Iterator[str]:
    if parameters:
        rows = [(f"`{name}`", " ".join(about.split())) for name, about in parameters.items()]
        yield table(("parameter", "meaning"), rows)


def draw(metric: oe.Metric, folder: Path) -> tuple[dict[str, float], str]:
    """The picture of the four classifiers, their values, and what the picture shows."""
    given = GIVEN.get(metric.name, {})
    values = {name: _value(metric, n, given) for name, n in FOUR.items()}
    return values, draw_four(metric, STAGES, FOUR, values, folder / f"{metric.name}.svg")


def explorer_links(page: str) -> str:
    """Links that open the explorer with each of the four matrices."""
    levels = ",".join(STAGES)
    rows = {name: ";".join(",".join(map(str, row)) for row in n) for name, n in FOUR.items()}
    return ", ".join(
        f'<a href="{page}#counts={counts}&amp;levels={levels}">{name}</a>'
        for name, counts in rows.items()
    )


def _example(metric: oe.Metric, folder: Path) -> str:
    values, text = draw(metric, folder)
    said = "".join(f", {k}={v!r}" for k, v in GIVEN.get(metric.name, {}).items())
    shown = "\n".join(f"...     {name!r}: {n}," for name, n in FOUR.items())
    parts = [
        FOUR_TEXT,
        f"![{text}]({metric.name}.svg)",
        text,
        f"Change them and see what happens: {explorer_links('../explore.html')}.",
        f"""```python
>>> import ordeval as oe
>>> four = {{
{shown}
... }}
>>> for name, counts in four.items():
...     cm = oe.ConfusionMatrix(counts, labels={STAGES})
...     print(f"{{name:<16}} {{oe.{metric.name}.from_confusion(cm{said}):.4f}}")
{_printed(values)}
```""",
    ]
    cm = oe.ConfusionMatrix(FOUR["one step off"], labels=STAGES)
    for title, file in draw_in_depth(metric, cm, folder):
        parts += [f"![{title}]({file})", title]
    return "\n\n".join(parts)


def _value(metric: oe.Metric, counts: list[list[int]], given: dict[str, Any]) -> float:
    value: float = metric.from_confusion(oe.ConfusionMatrix(counts, labels=STAGES), **given)
    return value


def _example_of_probabilities(metric: oe.Metric, folder: Path) -> str:
    rows = [STAGES.index(stage) for stage in TRUTH]
    given = GIVEN.get(metric.name, {})
    values = {
        name: metric(TRUTH, [said[r] for r in rows], labels=STAGES, **given)
        for name, said in FORECASTS.items()
    }
    call = f"oe.{metric.name}(truth, forecasts, labels=stages"
    call += "".join(f", {k}={v!r}" for k, v in given.items()) + ")"
    shown = "\n".join(f"...     {name!r}: {said}," for name, said in FORECASTS.items())
    text = draw_four(metric, STAGES, FORECASTS, values, folder / f"{metric.name}.svg")
    return f"""Ten patients, and four forecasters who give each stage a probability.

![{text}]({metric.name}.svg)

{text}

```python
>>> import ordeval as oe
>>> stages = {STAGES}
>>> truth = {TRUTH}
>>> four = {{
{shown}
... }}
>>> for name, said in four.items():
...     forecasts = [said[stages.index(stage)] for stage in truth]
...     print(f"{{name:<16}} {{{call}:.4f}}")
{_printed(values)}
```"""


def _example_of_ratings(metric: oe.Metric, folder: Path) -> str:
    values = {name: metric(table, labels=STAGES) for name, table in PANELS.items()}
    shown = "\n".join(f"...     {name!r}: {table}," for name, table in PANELS.items())
    text = draw_panels(metric, STAGES, PANELS, values, folder / f"{metric.name}.svg")
    return f"""Eight patients, staged by three raters; `None` where a rater has not seen one.
Four panels of raters.

![{text}]({metric.name}.svg)

{text}

```python
>>> import ordeval as oe
>>> panels = {{
{shown}
... }}
>>> for name, table in panels.items():
...     print(f"{{name:<16}} {{oe.{metric.name}(table, labels={STAGES}):.4f}}")
{_printed(values)}
```

With an interval, and beside the other measures of many raters:
[agreement of raters](../howto/judge.md)."""


EXAMPLES = {
    "labels": _example,
    "probabilities": _example_of_probabilities,
    "ratings": _example_of_ratings,
}


def _printed(values: dict[str, float]) -> str:
    return "\n".join(f"{name:<16} {value:.4f}" for name, value in values.items())


def _properties(metric: oe.Metric) -> Iterator[str]:
    if metric.needs != "labels":
        yield "## Properties"
        takes = f"and this measure takes {metric.needs}."
        yield f"Not searched: they are about predicted labels, {takes}"
        return
    given = GIVEN.get(metric.name, {})
    if "at_least" in given:
        given = {"at_least": 1}  # the data of the search have the levels 0 to K - 1
    checked = metric.with_params(**given)
    if metric.expensive and metric.name in GIVEN:
        yield "## Properties"
        yield "Not searched: one value takes an optimisation, and a search takes thousands."
        return
    findings = oe.meta.check_properties(checked).findings
    yield "## Properties"
    yield (
        "Searched over all small data sets and many random larger ones. *Yes* means that no "
        "counterexample was found."
    )
    rows = [
        (
            f"{{ref}}`{f.property_name} <property-{f.property_name}>`",
            HOLDS[f.holds],
            "" if f.claimed is None else HOLDS[f.claimed],
            f"{f.cases:,}",
        )
        for f in findings
    ]
    yield table(("property", "holds", "claimed", "cases tried"), rows)
    yield CLAIMED_TEXT
    broken = [f for f in findings if f.counterexample is not None]
    if broken:
        yield "The smallest counterexamples:"
        for finding in broken:
            shown = str(finding.counterexample)
            yield f":::{{dropdown}} {finding.property_name}\n```text\n{shown}\n```\n:::"


def _reference(metric: oe.Metric) -> str:
    doi = metric.reference.doi
    link = f" [doi:{doi}](<https://doi.org/{_quoted(doi)}>)" if doi else ""
    return f"{metric.reference.citation}.{link}"


def _quoted(doi: str) -> str:
    return doi.replace("<", "%3C").replace(">", "%3E")


def _see_also(metric: oe.Metric) -> str:
    others = [m.name for m in oe.metrics(family=metric.family) if m.name != metric.name]
    links = ", ".join(f"[`{name}`]({name}.md)" for name in others)
    return f"In the same family: {links}." if others else ""


def listing(measures: oe.Metrics) -> str:
    """The page that lists all measures by family, with the notation and the properties."""
    parts = [
        "# The measures",
        LISTING_TEXT,
    ]
    for family in dict.fromkeys(m.family for m in measures):
        rows = [
            (f"[`{m.name}`]({m.name}.md)", m.symbol, m.range.text, BETTER[m.greater_is_better],
             first_sentence(m))
            for m in measures
            if m.family == family
        ]  # fmt: skip
        parts += [f"## {family.capitalize()}"]
        parts += [table(("measure", "symbol", "range", "direction", "meaning"), rows)]
    parts += ["(notation)=", "## Letters", _notation()]
    parts += ["## Properties", "What the cards report on, searched for counterexamples."]
    for prop in PROPERTIES:
        parts += [f"(property-{prop.name})=", f"**{prop.name}.** {prop.statement}"]
    cards = "\n".join(m.name for m in measures)
    parts += [f"```{{toctree}}\n:hidden:\n\n{cards}\n```"]
    return "\n\n".join(parts) + "\n"


def first_sentence(metric: oe.Metric) -> str:
    """The first line of what a measure says of itself."""
    return " ".join(read_docstring(metric)[0].split("\n\n")[0].split())


def _notation() -> str:
    from ordeval.measures.parts.notation import NOTATION

    return table(
        ("letter", "meaning"),
        [(f"{{math}}`{letter}`", meaning) for letter, meaning in NOTATION.items()],
    )


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in r) + " |" for r in lines)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
