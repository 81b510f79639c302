"""The errors and warnings of ordeval.

OrdevalError                     everything raised on purpose
├── ScaleError (ValueError)      the order of the labels is missing or contradictory
├── LabelError (ValueError)      labels, weights or probabilities that do not fit
├── CountsError (ValueError)     a confusion matrix that is not one
├── ParameterError (ValueError)  a measure's parameter out of its domain
├── UnknownMetricError (KeyError) no measure of that name
├── SolverError (RuntimeError)   an exact optimiser stopped before its proof
├── OutputError (OSError)        a file cannot be written
└── MissingExtraError (ImportError)

OrdevalWarning (UserWarning)
├── UndefinedMetricWarning       a measure has no value on this data; NaN was returned
├── EmptyLevelWarning            the scale that integers imply has unused levels, or may have, or
│                                labels look shifted
├── StepsWarning                 steps are counted where the numbers of the scale are not one apart
└── ResamplingWarning            too few items, classes, clusters or draws
"""

from __future__ import annotations

import sys


class OrdevalError(Exception):
    """Base of every error that ordeval raises on purpose."""


class ScaleError(OrdevalError, ValueError):
    """The order of the labels is missing, contradictory or malformed."""


class LabelError(OrdevalError, ValueError):
    """Labels, weights or probabilities do not fit the scale or each other."""

    present: tuple[str, ...] = ()  # the columns that are there, if one is not


class CountsError(OrdevalError, ValueError):
    """An array of counts is not a stack of confusion matrices."""


class ParameterError(OrdevalError, ValueError):
    """A parameter of a measure is outside its domain."""


class UnknownMetricError(OrdevalError, KeyError):
    """No measure of that name is registered."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message, quotes and all.
        return str(self.args[0]) if self.args else ""


class SolverError(OrdevalError, RuntimeError):
    """An exact optimiser stopped before it proved its result."""


class OutputError(OrdevalError, OSError):
    """A file cannot be written; its previous content is unchanged."""


class MissingExtraError(OrdevalError, ImportError):
    """A feature needs a package from an extra of ordeval."""


class OrdevalWarning(UserWarning):
    """Base of every warning that ordeval gives."""


class UndefinedMetricWarning(OrdevalWarning):
    """A measure has no value on this data; NaN was returned."""


class EmptyLevelWarning(OrdevalWarning):
    """Integers implied a scale with a level that never occurs, or labels look shifted."""


class StepsWarning(OrdevalWarning):
    """A measure counts steps on a scale whose numbers are not one apart."""


class DecimalCommaWarning(OrdevalWarning):
    """A CSV file has decimal commas, which were found and read as such."""


class ResamplingWarning(OrdevalWarning):
    """An interval or a test rests on too few items, classes, clusters or draws."""


def user_frame() -> int:
    """The ``stacklevel`` at which a warning points to the caller of ordeval, not into it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "ordeval":
        level, frame = level + 1, frame.f_back
    return level
