"""Decisions and cut points from arrays, and scikit-learn estimators for ordered classes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ordeval._shared.extras import import_extra
from ordeval.models.choice import decide
from ordeval.models.tuning import CutPoints, optimal_cut_points

if TYPE_CHECKING:
    from ordeval.models.cutpoints import OrdinalCutpointClassifierCV
    from ordeval.models.decision import MinimumCostClassifier
    from ordeval.models.decomposition import FrankHallClassifier
    from ordeval.models.protocol import ExperimentResult, run_experiment
    from ordeval.models.replication import DataReplicationClassifier, ReplicatedSize

_ESTIMATORS = {
    name: module
    for module, names in {
        "cutpoints": "OrdinalCutpointClassifierCV",
        "decision": "MinimumCostClassifier",
        "decomposition": "FrankHallClassifier",
        "protocol": "ExperimentResult run_experiment",
        "replication": "DataReplicationClassifier ReplicatedSize",
    }.items()
    for name in names.split()
}

__all__ = [
    "CutPoints",
    "DataReplicationClassifier",
    "ExperimentResult",
    "FrankHallClassifier",
    "MinimumCostClassifier",
    "OrdinalCutpointClassifierCV",
    "ReplicatedSize",
    "decide",
    "optimal_cut_points",
    "run_experiment",
]


def __getattr__(name: str) -> Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module 'ordeval.models' has no attribute {name!r}")
    import_extra("sklearn", extra="models", purpose=f"ordeval.models.{name}")
    found = getattr(import_module(f"ordeval.models.{_ESTIMATORS[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
