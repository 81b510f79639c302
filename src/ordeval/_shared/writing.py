"""Write a file whole or not at all."""

from __future__ import annotations

import os
import stat

from ordeval._shared.types import StrPath
from ordeval.exceptions import OutputError


def write_text(path: StrPath, text: str) -> None:
    """Write to the side and rename: until then, and if that fails, an old file stays whole."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            # A device or a pipe cannot be replaced; a folder is an error.
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            # A link stays, what it points to is replaced.
            _replace(os.path.realpath(path, strict=os.path.islink(path)), text)
    except OSError as error:
        raise OutputError(
            f"{os.fspath(path)!r} cannot be written: {error.strerror or error}."
        ) from None
    except UnicodeEncodeError as error:
        raise OutputError(
            f"{os.fspath(path)!r} cannot be written: a name holds {error.object[error.start]!r}, "
            f"which is half a character and has no place in a file. Rename it."
        ) from None


def _replace(target: str, text: str) -> None:
    from tempfile import mkstemp  # slow to load, and seldom needed

    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else 0o666 & ~_umask()
    folder, name = os.path.split(target)
    handle, beside = mkstemp(dir=folder, prefix=f".{name[:50]}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
