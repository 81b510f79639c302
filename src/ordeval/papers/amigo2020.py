"""Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020: the closeness evaluation measure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from ordeval.exceptions import ParameterError
from ordeval.measures.agreement import weighted_kappa
from ordeval.measures.closeness import proximity
from ordeval.meta import (
    PAPER as PAPER_PROPERTIES,
    SystemOutputs,
    check_properties,
    coverage,
    simulate_systems,
)
from ordeval.papers._exhibits import Draft, Exhibit, Paper, Run, exhibit
from ordeval.papers._tables import listed
from ordeval.papers._values import Printed, Value
from ordeval.papers.claims import (
    amigo_claims as claims,
    amigo_scales as scales,
    amigo_sentences as sentences,
)
from ordeval.papers.claims.rennie import rennie_srebro_loss
from ordeval.papers.printed.amigo2020 import (
    APPENDIX_A,
    CAMPAIGNS,
    CLASSES,
    FIGURE_1,
    LEFT,
    MEASURES,
    PROXIMITY,
    REVIEWS,
    SATISFIED,
    SIZES,
    SYNTHETIC,
    TABLE_3,
    USED,
)
from ordeval.plots.meta import CoverageDisplay

_TOLERANCE: Final = 0.04
_EXCHANGED: Final = {"MAEm": "MSE", "MSE": "MAEm"}
_ALWAYS_RANDOM: Final = "random 1"  # the system that gives every item a random class
_NO_CAMPAIGNS: Final = (
    "this takes the outputs of the systems that took part, which ordeval does not include; if you "
    "have them, call oe.papers.amigo2020.campaign, or type ordeval meta FILE --truth COL "
    "--pred COL --case COL"
)


@exhibit("Figure 1", "Proximity of paper reviews, in bits")
def _figure_1(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.proximity({list(LEFT)})"
    for side, sizes, truth, predicted, text in FIGURE_1:
        near = proximity(sizes)[REVIEWS.index(truth), REVIEWS.index(predicted)]
        yield draft.printed(f"{side}, true {truth}", f"predicted {predicted}", text).exact(near)


@exhibit("Appendix A", "CEM of two systems of equal accuracy", also="Figure 3")
def _appendix_a(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.cem_ord.from_confusion({listed(APPENDIX_A.rows[0].matrix)})"
    for (i, j), near in np.ndenumerate(proximity(SIZES)):
        place = draft.printed(f"true {CLASSES[i]}", f"predicted {CLASSES[j]}", PROXIMITY[i][j])
        yield place.exact(near)
    yield from APPENDIX_A.values(draft)
    far = {row.name: row.matrix[0][2] + row.matrix[2][0] for row in APPENDIX_A.rows}
    yield from scales.appendix_a_in_words(draft, far)


@exhibit("Table 2", "Which measure has which property")
def _table_2(draft: Draft) -> Iterator[Value]:
    draft.call = 'oe.meta.check_properties("cem_ord", oe.meta.PAPER)'
    draft.method = (
        "“No” is proven by a counterexample; “yes” means that none was found among all small data "
        "sets and random larger ones. Ordinal invariance is tried on label values, as the paper "
        "means it. The loss of Rennie & Srebro, of predictions that are numbers, is taken over all "
        "thresholds, halfway between the classes, with the logistic penalty."
    )
    known = [rennie_srebro_loss if m == rennie_srebro_loss.name else m for m in SATISFIED]
    tell = draft.run.tell("Table 2")
    found = check_properties(known, PAPER_PROPERTIES, rng=draft.run.seed, progress=tell)
    for metric, satisfied in SATISFIED.items():
        for name, claimed in zip(PAPER_PROPERTIES, satisfied, strict=True):
            place = draft.printed(metric, name.replace("_", " "), _yes(claimed))
            yield _property(place, found.find(name, metric))
    everything = [m for m in SATISFIED if all(found.find(p, m).holds for p in PAPER_PROPERTIES)]
    claim = draft.claim("CEM_ORD alone has all three properties")
    yield claim.tried(everything == ["cem_ord"], f"all three: {', '.join(everything)}")
    lacks = {
        m: [p.replace("_", " ") for p in PAPER_PROPERTIES if not found.find(p, m).holds]
        for used in USED.values()
        for m in used
    }
    shown = (f"{c}: {m} lacks {' and '.join(lacks[m])}" for c, used in USED.items() for m in used)
    claim = draft.claim("No measure that section 2.1 names for a campaign has all three", ours=True)
    yield claim.tried(all(lacks.values()), "; ".join(shown))


def _property(place: Printed, finding: Any) -> Value:
    """What was found about a property, next to what the table claims."""
    if _yes(finding.holds) == place.printed:
        how = f"{finding.cases:,} cases tried" if finding.holds else "by a counterexample"
        return place.judged(place.printed, "equal", how)
    if finding.counterexample is None:
        why = f"no counterexample in {finding.cases:,} cases"
        return place.judged(_yes(finding.holds), "differs", why)
    _, _, *lines = str(finding.counterexample).splitlines()  # a heading and the rule come first
    facts = [": ".join(re.split(" {2,}", line.strip(), maxsplit=1)) for line in lines]
    why = f"by a counterexample: {'; '.join(facts)}"
    if finding.property_name == "imbalance" and "truth: 1 1 2 3" in facts:
        why += ". These are the truth and the outputs of the paper's own appendix B"
    if finding.metric == "weighted_kappa":
        why += f". {_other_weights(finding.property_name)}"
    if finding.property_name == "ordinal_invariance":
        why += f". {_on_positions(finding.metric)}"
    return place.judged(_yes(finding.holds), "differs", why)


def _on_positions(metric: str) -> str:
    """Whether a measure that depends on label values depends on positions too."""
    law = "ordinal_invariance_of_positions"
    holds = "holds" if check_properties(metric, law).find(law).holds else "fails as well"
    denied = "The text of the same page denies it, too. " if metric == "oc_index" else ""
    return f"{denied}On positions of declared classes, instead of label values, it {holds}"


def _other_weights(property_name: str) -> str:
    """The text says that the weights decide; those above are quadratic."""
    linear = check_properties(weighted_kappa.with_params(weights="linear"), property_name)
    holds = "has it" if linear.find(property_name).holds else "lacks it as well"
    return (
        f"The text says that it depends on the weights; these are quadratic, and linear κ {holds}"
    )


def _yes(holds: Any) -> str:
    return "yes" if holds else "no"


@exhibit("Table 3", "Coverage of the unanimous improvements")
def _table_3(draft: Draft) -> Iterator[Value]:
    draft.call = (
        "outputs = oe.meta.simulate_systems(cases=20, rng=0).outputs()\n"
        'oe.meta.coverage(outputs, ["cem_ord"])'
    )
    draft.method = (
        "The synthetic half is simulated anew by the printed design: 100 test cases of 200 items, "
        "11 classes, 50 systems. From seed to seed, values move by up to 0.02; the tolerance "
        "allows for what the design leaves open. Spearman's coefficient counts as 1 for an output "
        "that puts all items in one class and so has none: only that reading gives the printed "
        "row."
    )
    simulated = simulate_systems(rng=draft.run.seed)
    found, ranks = {}, {}
    for column in draft.run.steps("Table 3", list(SYNTHETIC)):
        outputs = simulated.outputs(without=SYNTHETIC[column])
        found[column] = coverage(outputs, list(MEASURES.values()))
        ranks[column] = coverage(outputs, "spearman_rho", undefined=1.0)["spearman_rho"]
    other = coverage(simulated.outputs().without(_ALWAYS_RANDOM), list(MEASURES.values()))
    for row, printed in TABLE_3.items():
        for column, text in zip(SYNTHETIC, printed.split(), strict=False):
            place = draft.printed(row, column, text)
            if row == "Spearman":
                yield _constant_as_perfect(place, ranks[column], found[column]["spearman_rho"])
            else:
                yield _covered(place, found[column], other)
    for row in TABLE_3:
        for name, text in _real(row).items():
            yield draft.printed(row, name, text).missing(_NO_CAMPAIGNS)
    best = {c: max(MEASURES.values(), key=covered.__getitem__) for c, covered in found.items()}
    shown = ", ".join(f"{column}: {metric}" for column, metric in best.items())
    best_then = max(MEASURES.values(), key=other.__getitem__)
    claim = draft.claim("CEM_ORD covers more than every other measure in every synthetic column")
    yield claim.tried(
        set(best.values()) == {"cem_ord"},
        f"best by column: {shown}",
        "in some columns another measure comes out a little ahead; if minus sRand leaves out the "
        f"system of r = 1 alone, {best_then} is the best there",
    )
    yield from sentences.printed_coverage(draft)
    flat = {c: covered["cem_ord"] - covered["cem_ord_flat"] for c, covered in found.items()}
    claim = draft.claim("The flat CEM covers less than the logarithmic one in every column")
    yield claim.tried(
        min(flat.values()) > 0,
        f"differences: {', '.join(f'{c} {x:.3f}' for c, x in flat.items())}",
        "without the systems that err at random the flat form comes out ahead here; if only that "
        f"of r = 1 is left out, it is {other['cem_ord'] - other['cem_ord_flat']:.3f} behind",
    )
    draft.pictures.append(CoverageDisplay(found["all systems"]))


def _real(row: str) -> dict[str, str]:
    """The printed values of a row for the campaigns."""
    return dict(zip(CAMPAIGNS, TABLE_3[row].split()[len(SYNTHETIC) :], strict=True))


def _constant_as_perfect(place: Printed, as_one: float, left_out: float) -> Value:
    """A coverage of Spearman's coefficient, with 1 where it is undefined."""
    how = f"a constant output counts as 1; where it is left out instead, {left_out:.3f}"
    why = "the printed design leaves open how outputs are rounded and sorted"
    return place.near(as_one, tolerance=_TOLERANCE, otherwise=why, note=how)


def _covered(place: Printed, covered: Mapping[str, float], other: Mapping[str, float]) -> Value:
    """A coverage next to the printed one; the rows MAEm and MSE look exchanged.

    The other coverages are those of the reading that only one random system is left out.
    """
    own, why = covered[MEASURES[place.row]], _why(place, other)
    near = abs(own - float(place.printed)) <= _TOLERANCE
    if near or place.row not in _EXCHANGED:
        return place.near(own, tolerance=_TOLERANCE, otherwise=why)
    name = _EXCHANGED[place.row]
    exchanged = covered[MEASURES[name]]
    looks = "the rows MAEm and MSE look exchanged in print"
    if abs(exchanged - float(place.printed)) <= _TOLERANCE:
        return place.judged(own, "misprint", f"{looks}: {name} is {exchanged:.3f}")
    return place.judged(
        own, "differs", f"{looks}, but {name}, {exchanged:.3f}, is not near either: {why}"
    )


def _why(place: Printed, other: Mapping[str, float]) -> str:
    if place.column == "minus sRand":
        measure = MEASURES[_EXCHANGED.get(place.row, place.row)]
        return (
            "without the ten systems that err at random, measures of distance cover more and "
            "F-measure less than in print; without the one of r = 1 alone, it would be "
            f"{other[measure]:.3f}, a reading found after the fact"
        )
    return "the printed design leaves open how outputs are rounded and sorted"


def campaign(
    file: str,
    truth: str,
    pred: str | list[str],
    case: str,
    *,
    name: str,
    system: str | None = None,
    labels: Any = None,
) -> Exhibit:
    """A column of the real-data half of Table 3, for those who have the outputs of the campaign.

    Parameters
    ----------
    file, truth, pred, case, system, labels
        As for ``oe.meta.SystemOutputs.from_file``: the items with their true label, the labels that
        systems gave them, and the test case of each; SemEval's items were divided at random into
        10 test cases.
    name
        Which column: one of ``oe.papers.printed.amigo2020.CAMPAIGNS``.
    """
    if name not in CAMPAIGNS:
        raise ParameterError(f"name must be one of {', '.join(CAMPAIGNS)}; got {name!r}.")
    outputs = SystemOutputs.from_file(file, truth, pred, case, system=system, labels=labels)
    found = coverage(outputs, list(MEASURES.values()))
    draft = Draft(PAPER.key, _table_3.name, Run())
    values = tuple(
        draft.printed(row, name, _real(row)[name]).near(
            found[MEASURES[row]],
            tolerance=_TOLERANCE,
            otherwise="the random division into test cases, or the outputs, are not the paper's",
        )
        for row in TABLE_3
    )
    title = f"Coverage: {name}"
    return Exhibit(paper=PAPER.key, name=_table_3.name, title=title, values=values)


PAPER: Final = Paper(
    key="amigo2020",
    citation="Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020, An effectiveness metric for "
    "ordinal classification: formal properties and experimental results, ACL",
    about="The closeness evaluation measure CEM: two classes are close when few items lie between "
    "them, and an error costs what it leaves out in information.",
    parts=(
        scales.usual_measures,
        _figure_1,
        scales.scales,
        claims.proposition_1,
        claims.proposition_2,
        scales.invariance,
        claims.signs,
        _table_2,
        sentences.section_5_3,
        _table_3,
        sentences.section_5_4,
        _appendix_a,
        claims.appendix_b,
        scales.proofs,
    ),
)
