"""Ordinal classifiers, decisions and the paper's experiment, as scikit-learn estimators."""

# ruff: noqa: E402 - a missing extra is named before the imports that need it

from ordeval._shared.extras import import_extra

import_extra("sklearn", extra="models", purpose="ordeval.models")

from ordeval.models.cutpoints import OrdinalCutpointClassifierCV
from ordeval.models.decision import MinimumCostClassifier
from ordeval.models.decomposition import FrankHallClassifier
from ordeval.models.placement import CutPoints, optimal_cut_points
from ordeval.models.protocol import ExperimentResult, run_experiment
from ordeval.models.replication import DataReplicationClassifier, ReplicatedSize

__all__ = [
    "CutPoints", "DataReplicationClassifier", "ExperimentResult", "FrankHallClassifier",
    "MinimumCostClassifier", "OrdinalCutpointClassifierCV", "ReplicatedSize",
    "optimal_cut_points", "run_experiment",
]  # fmt: skip
