"""Any measure of ordeval where Hugging Face's ``evaluate`` is expected.

metric = OrdinalEvaluation("weighted_kappa", labels=["bad", "fair", "good"])
metric.compute(predictions=..., references=...)
"""

from __future__ import annotations

from typing import Any

from datasets import Features, Value

import evaluate
import ordeval as oe


class OrdinalEvaluation(evaluate.Metric):
    """``compute`` and ``add_batch`` work as for any metric of ``evaluate``."""

    def __init__(self, name: str, labels: Any, **params: Any) -> None:
        self.measure, self.scale, self.params = oe.get_metric(name), oe.Scale(labels), params
        super().__init__(config_name=name)

    def _info(self) -> evaluate.MetricInfo:
        # Not int64 for whole numbers: a prediction of 1.9 would become 1 in silence.
        kind = Value("string" if isinstance(self.scale.levels[0], str) else "float64")
        return evaluate.MetricInfo(
            description=self.measure.__doc__,
            citation=str(self.measure.reference),
            inputs_description="predictions and references: labels of the declared scale",
            features=Features({"predictions": kind, "references": kind}),
        )

    def _compute(self, *, predictions: Any, references: Any) -> dict[str, float]:
        value = self.measure(references, predictions, labels=self.scale, **self.params)
        return {self.measure.name: value}
