"""Import a package of an extra, or name the extra in an error."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from types import ModuleType

from ordeval.exceptions import MissingExtraError


def check_extra(modules: Sequence[str], *, extra: str, purpose: str) -> None:
    """Raise an error that names the extra if a module is missing, without importing any."""
    for module in modules:
        if find_spec(module) is None:
            raise _missing(module, extra, purpose)


def import_extra(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module``, or raise an error that names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise _missing(module, extra, purpose) from error


def _missing(module: str, extra: str, purpose: str) -> MissingExtraError:
    package = module.partition(".")[0]
    return MissingExtraError(
        f'{purpose} needs {package}, which is not installed: pip install "ordeval[{extra}]"'
    )
