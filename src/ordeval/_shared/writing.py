"""Write a file whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ordeval.exceptions import OutputError


def write_text(path: str | Path, text: str) -> None:
    """Write to the side and rename: until then, and if that fails, an old file stays whole."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            # A device or a pipe cannot be replaced; a folder is an error.
            target.write_text(text, encoding="utf-8")
        else:
            # A link stays, what it points to is replaced.
            _replace(target.resolve(), text)
    except (OSError, RuntimeError) as error:  # a link that leads back to itself is the latter
        why = getattr(error, "strerror", None) or error
        raise OutputError(f"{str(path)!r} cannot be written: {why}.") from None


def _replace(target: Path, text: str) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
