"""What displays share: made from labels, an estimator or a matrix; drawn on any axes."""

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from inspect import isfunction
from typing import Any, ClassVar, Self

from ordeval._shared.arguments import checked
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import read_items
from ordeval.exceptions import CountsError, LabelError
from ordeval.plots._style import axes, literal, short, style, without_tex

_LETTERS_PER_INCH = 12.2  # of a title, per inch of the axes, beyond which it may reach a little


class Display(ABC):
    """A picture that keeps its data. ``plot`` draws it and returns it; ``ax_`` and ``figure_``
    are where it was drawn."""

    size: ClassVar[tuple[float, float]] = (5.6, 4.2)
    ax_: Any = None
    figure_: Any = None

    def __init_subclass__(cls, **more: Any) -> None:
        """Let constructors and all that users call check their arguments."""
        super().__init_subclass__(**more)
        for name, method in list(vars(cls).items()):
            if name != "__init__" and name.startswith("_"):
                continue
            if isinstance(method, classmethod):
                setattr(cls, name, classmethod(checked(method.__func__)))
            elif isfunction(method):
                setattr(cls, name, checked(method))

    @checked
    def plot(self, *, ax: Any = None, title: str | None = None) -> Self:
        """Draw on ``ax``, or on new axes.

        Parameters
        ----------
        ax
            matplotlib axes.
        title
            Replaces the default title; an empty string removes it.
        """
        with style():
            self.ax_ = axes(ax, self._size())
            self.figure_ = self.ax_.figure
            self._draw(self.ax_)
            self.ax_.set_title(literal(self._fitted(self.title())) if title is None else title)
            without_tex(self.ax_)
        return self

    def _fitted(self, title: str) -> str:
        """A title on as many lines as the width of the axes asks for: none is cut off."""
        axes_width = self.ax_.get_position().width * self.ax_.figure.get_figwidth()
        return textwrap.fill(title, max(int(_LETTERS_PER_INCH * axes_width), 20))

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw the data."""

    @abstractmethod
    def title(self) -> str:
        """The title of the picture."""

    @abstractmethod
    def describe(self) -> str:
        """Describe the figure in words."""

    def _size(self) -> tuple[float, float]:
        return self.size


class PredictionDisplay(Display):
    """A display of what a model predicts."""

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
        **params: Any,
    ) -> Self:
        """Draw what a fitted classifier predicts for ``X``."""
        make: Any = cls
        predicted, labels = cls._predict(estimator, X, labels)
        params |= {"labels": labels, "sample_weight": sample_weight}
        made: Self = make.from_predictions(y, predicted, ax=ax, **params)
        return made

    @classmethod
    def _predict(cls, estimator: Any, x: Any, labels: Any) -> tuple[Any, Any]:
        """What the estimator predicts, and the labels, if it knows them."""
        return estimator.predict(x), labels


class ProbabilityDisplay(PredictionDisplay):
    """A display of predicted probabilities."""

    @classmethod
    def _predict(cls, estimator: Any, x: Any, labels: Any) -> tuple[Any, Any]:
        """The probabilities that a classifier predicts, and its classes unless labels are given."""
        if not hasattr(estimator, "predict_proba"):
            raise LabelError(
                f"{cls.__name__} needs a classifier with predict_proba; "
                f"{type(estimator).__name__} has none."
            )
        labels = list(estimator.classes_) if labels is None else labels
        return estimator.predict_proba(x), labels


class ComputedDisplay(ProbabilityDisplay):
    """A display of a result that is computed from predicted probabilities."""

    _compute: ClassVar[Callable[..., Any]]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        ax: Any = None,
        **params: Any,
    ) -> Self:
        """Draw from true labels and predicted probabilities (n, K).

        Parameters
        ----------
        y_true, y_prob, labels, sample_weight, clusters
            As for the function whose result is drawn.
        ax
            matplotlib axes.
        **params
            What else the display takes, such as ``at_least``.
        """
        make: Any = cls
        found = cls._compute(
            y_true, y_prob, labels=labels, sample_weight=sample_weight, clusters=clusters
        )
        made: Self = make(found, **params).plot(ax=ax)
        return made


class MatrixDisplay(PredictionDisplay):
    """A display of one confusion matrix, or of one for each of several models."""

    several: ClassVar[bool] = True  # whether it takes a mapping of names to matrices

    @classmethod
    def from_confusion(cls, cm: Any, *, labels: Any = None, ax: Any = None, **params: Any) -> Self:
        """Draw a confusion matrix, or a mapping of names to matrices where several fit.

        Parameters
        ----------
        cm
            A ConfusionMatrix or counts (K, K).
        labels
            The ordered labels, if ``cm`` holds only counts.
        ax
            matplotlib axes.
        **params
            What else the display takes.
        """
        make: Any = cls
        matrices = cls._matrices(cm, labels)
        of: Any = matrices if cls.several else next(iter(matrices.values()))
        made: Self = make(of, **params).plot(ax=ax)
        return made

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
        **params: Any,
    ) -> Self:
        """Draw from labels; a mapping of names to predictions where several models fit."""
        if isinstance(y_pred, Mapping):
            # One scale for all, whatever each of them predicts.
            labels = read_items(y_true, y_pred, labels=labels).scale
            cm: Any = {
                name: ConfusionMatrix.from_labels(y_true, p, labels, sample_weight)
                for name, p in y_pred.items()
            }
        else:
            cm = ConfusionMatrix.from_labels(y_true, y_pred, labels, sample_weight)
        return cls.from_confusion(cm, ax=ax, **params)

    @classmethod
    def _matrices(cls, cm: Any, labels: Any) -> dict[str, ConfusionMatrix]:
        """Matrices by the name of the model, which is empty for one without."""
        if isinstance(cm, Mapping) and not (cls.several and cm):
            raise CountsError(f"{cls.__name__} draws one matrix; got {len(cm)} of them.")
        made = {
            str(name): x if isinstance(x, ConfusionMatrix) else ConfusionMatrix(x, labels)
            for name, x in (cm if isinstance(cm, Mapping) else {"": cm}).items()
        }
        for x in made.values():
            if x.shape:
                raise CountsError(
                    f"{cls.__name__} draws one matrix for each model; this is a stack of shape "
                    f"{x.shape}. Take one out, for example cm[0]."
                )
            if x.scale != next(iter(made.values())).scale:
                raise CountsError(f"{cls.__name__} needs matrices of the same scale.")
        return made


class SingleDisplay(MatrixDisplay):
    """A display of the matrix of one model, which may have a name."""

    several = False

    def __init__(self, cm: ConfusionMatrix, name: str = "") -> None:
        self.cm, self.name = cm, name

    def _named(self, tail: str) -> str:
        return named(self.name, tail)


def named(name: str, tail: str) -> str:
    """A title that starts with the name of the model, if it has one."""
    shown = short(name)
    return f"{shown}: {tail}" if shown else tail[:1].upper() + tail[1:]
