"""What displays share: made from labels, an estimator or a matrix; drawn on any axes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import encode_labels
from ordeval.exceptions import CountsError
from ordeval.plots._style import axes, style


class Display(ABC):
    """A picture that keeps its data. ``plot`` draws it and returns it; ``ax_`` and ``figure_``
    are where it was drawn."""

    size: ClassVar[tuple[float, float]] = (5.6, 4.2)
    ax_: Any = None
    figure_: Any = None

    def plot(self, *, ax: Any = None, title: str | None = None) -> Self:
        """Draw on ``ax``, or on new axes.

        Parameters
        ----------
        ax
            matplotlib axes.
        title
            In place of the usual title; an empty one for none.
        """
        with style():
            self.ax_ = axes(ax, self._size())
            self.figure_ = self.ax_.figure
            self._draw(self.ax_)
            self.ax_.set_title(self.title() if title is None else title)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw the data."""

    @abstractmethod
    def title(self) -> str:
        """The title of the picture."""

    @abstractmethod
    def describe(self) -> str:
        """The picture in words, for those who cannot see it."""

    def _size(self) -> tuple[float, float]:
        return self.size


class MatrixDisplay(Display):
    """A display of one confusion matrix, or of one for each of several models."""

    several: ClassVar[bool] = False  # whether it takes a mapping of names to matrices

    @classmethod
    @abstractmethod
    def _of(cls, matrices: dict[str, ConfusionMatrix], **options: Any) -> Self:
        """From matrices by the name of the model, which is empty for one without."""

    @classmethod
    def from_confusion(cls, cm: Any, *, labels: Any = None, ax: Any = None, **options: Any) -> Self:
        """Draw a confusion matrix, or a mapping of names to matrices where several fit.

        Parameters
        ----------
        cm
            A ConfusionMatrix or counts (K, K).
        labels
            The ordered labels, if ``cm`` holds only counts.
        ax
            matplotlib axes.
        **options
            Of the display.
        """
        return cls._of(cls._matrices(cm, labels), **options).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw from labels; a mapping of names to predictions where several models fit."""
        if isinstance(y_pred, Mapping):
            # One scale for all, whatever each of them predicts.
            labels = encode_labels(y_true, y_pred, labels=labels).scale
            cm: Any = {
                name: ConfusionMatrix.from_labels(y_true, p, labels, sample_weight)
                for name, p in y_pred.items()
            }
        else:
            cm = ConfusionMatrix.from_labels(y_true, y_pred, labels, sample_weight)
        return cls.from_confusion(cm, ax=ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw what a fitted classifier predicts for ``X``."""
        return cls.from_predictions(
            y, estimator.predict(X), labels=labels, sample_weight=sample_weight, ax=ax, **options
        )

    @classmethod
    def _matrices(cls, cm: Any, labels: Any) -> dict[str, ConfusionMatrix]:
        if isinstance(cm, Mapping):
            if not cls.several or not cm:
                raise CountsError(f"{cls.__name__} draws one matrix; got {len(cm)} of them.")
            given = {str(name): x for name, x in cm.items()}
        else:
            given = {"": cm}
        made = {
            name: x if isinstance(x, ConfusionMatrix) else ConfusionMatrix(x, labels)
            for name, x in given.items()
        }
        for x in made.values():
            if x.shape:
                raise CountsError(
                    f"{cls.__name__} draws one matrix a model; this is a stack of shape "
                    f"{x.shape}. Take one out, for example cm[0]."
                )
            if x.scale != next(iter(made.values())).scale:
                raise CountsError(f"{cls.__name__} needs matrices of the same scale.")
        return made


def named(name: str, tail: str) -> str:
    """A title that starts with the name of the model, if it has one."""
    return f"{name}: {tail}" if name else tail[:1].upper() + tail[1:]
