"""Any measure as a metric of Hugging Face's ``evaluate``."""

from __future__ import annotations

from typing import Any

from ordeval._shared.extras import import_extra
from ordeval.data.scale import as_scale
from ordeval.integrations._wrapped import measure_on
from ordeval.measures import Metric

evaluate: Any = import_extra("evaluate", extra="integrations", purpose="OrdinalEvaluation")
datasets: Any = import_extra("datasets", extra="integrations", purpose="OrdinalEvaluation")


class OrdinalEvaluation(evaluate.Metric):  # type: ignore[misc]
    """Wrap a measure so that ``compute`` and ``add_batch`` work as for any metric of ``evaluate``.

    Parameters
    ----------
    metric
        A measure or its name.
    labels
        The ordered labels, lowest first. For a measure of probabilities, each prediction is a list
        of them in this order.
    **options
        Those of ``evaluate.EvaluationModule``.

    Examples
    --------
    >>> kappa = OrdinalEvaluation("weighted_kappa", labels=["bad", "fair", "good"])
    >>> kappa.compute(predictions=["bad", "good", "fair"], references=["bad", "good", "good"])
    {'weighted_kappa': 0.8}
    """

    def __init__(self, metric: str | Metric, labels: Any, **options: Any) -> None:
        self.scale = as_scale(labels)
        self.measure = measure_on(metric, self.scale)
        super().__init__(config_name=self.measure.name, **options)

    def _info(self) -> Any:
        # Not int64 for whole numbers: a prediction of 1.9 would silently become 1.
        text = isinstance(self.scale.levels[0], str)
        label = datasets.Value("string" if text else "float64")
        predicted = label
        if self.measure.needs == "probabilities":
            predicted = datasets.Sequence(datasets.Value("float64"))
        return evaluate.MetricInfo(
            description=self.measure.__doc__,
            citation=str(self.measure.reference),
            inputs_description="predictions and references: labels of the declared scale",
            features=datasets.Features({"predictions": predicted, "references": label}),
        )

    def _compute(self, *, predictions: Any, references: Any) -> dict[str, float]:
        return {self.measure.name: self.measure(references, predictions, labels=self.scale)}
