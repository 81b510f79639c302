"""Study the measures themselves: their properties, coverage, and reaction to worse predictions."""

from ordeval.meta.checks import PAPER, Counterexample, Finding, PropertyReport, check_properties
from ordeval.meta.degradation import (
    DEGRADATIONS,
    DegradationCurves,
    degradation_curves,
    degraded_matrices,
)
from ordeval.meta.matrices import favours_lower_cost, simulate_matrices
from ordeval.meta.outputs import SystemOutputs
from ordeval.meta.properties import PROPERTIES, Property
from ordeval.meta.simulate import BEHAVIOURS, SimulatedSystems, simulate_systems
from ordeval.meta.studies import Agreement, MetaStudy, MetaValues
from ordeval.meta.uir import (
    REFERENCE,
    coverage,
    discriminative_power,
    rank_agreement,
    robustness,
    study,
    unanimous_improvement_ratio,
)

__all__ = [
    "BEHAVIOURS",
    "DEGRADATIONS",
    "PAPER",
    "PROPERTIES",
    "REFERENCE",
    "Agreement",
    "Counterexample",
    "DegradationCurves",
    "Finding",
    "MetaStudy",
    "MetaValues",
    "Property",
    "PropertyReport",
    "SimulatedSystems",
    "SystemOutputs",
    "check_properties",
    "coverage",
    "degradation_curves",
    "degraded_matrices",
    "discriminative_power",
    "favours_lower_cost",
    "rank_agreement",
    "robustness",
    "simulate_matrices",
    "simulate_systems",
    "study",
    "unanimous_improvement_ratio",
]
