"""Adapters for other tools: training loops, boosting, experiment trackers, and logs of judges.

Each name is loaded on first use and needs only its own package, which ``pip install
"ordeval[integrations]"`` installs: torchmetrics (``OrdinalMetric``), XGBoost (``XGBoostMetric``),
MLflow (``log_comparison``), Hugging Face evaluate (``OrdinalEvaluation``). ``LightGBMMetric``,
``read_inspect`` and ``read_promptfoo`` need no extra package.
"""

from importlib import import_module as _import_module
from typing import Any

_HOMES = {
    "LightGBMMetric": "lightgbm",
    "OrdinalEvaluation": "evaluate",
    "OrdinalMetric": "torchmetrics",
    "XGBoostMetric": "xgboost",
    "inspect_predictions": "inspect",
    "label_scorer": "inspect_scoring",
    "log_comparison": "mlflow",
    "ordinal_metric": "inspect_scoring",
    "read_deepeval": "other_logs",
    "read_inspect": "inspect",
    "read_lm_eval": "other_logs",
    "read_promptfoo": "promptfoo",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ordeval.integrations' has no attribute {name!r}")
    return getattr(_import_module(f"ordeval.integrations.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
