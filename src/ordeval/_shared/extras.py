"""Import a package of an extra, or name the extra in an error."""

from __future__ import annotations

import importlib
from types import ModuleType

from ordeval.exceptions import MissingExtraError


def import_extra(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import ``module``, or raise an error that names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f'{purpose} needs {package}, which is not installed: pip install "ordeval[{extra}]"'
        ) from error
