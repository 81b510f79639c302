"""Write a file whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from ordeval._shared.types import StrPath
from ordeval.exceptions import OutputError


def write_text(path: StrPath, text: str) -> None:
    """Write to the side and rename: until then, and if that fails, an old file stays whole.

    A device, a pipe or a stream such as /dev/stdout cannot be replaced: it is written to.
    """
    # Halves of characters, which UTF-8 does not have, are spelt out.
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: StrPath, data: bytes) -> None:
    """Write bytes, completely or not at all."""
    with _explained(path):
        stream = _stream(path)
        if stream is not None:
            with os.fdopen(stream, "wb") as file:
                file.write(data)
        else:
            _replace(_target(path), data)


def check_writable(path: StrPath) -> None:
    """Refuse what ``write_text`` would, before the work whose result it shall write."""
    with _explained(path):
        descriptor = _descriptor(path)
        if descriptor is not None:
            os.fstat(descriptor)  # an error if it is closed
            return
        target = _target(path)
        folder = os.path.dirname(target)
        if os.path.isdir(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, "there is no such folder")
        there = os.path.exists(target)
        special = there and not os.path.isfile(target)
        needed = [*([target] if there else []), *([] if special else [folder])]
        if not all(os.access(x, os.W_OK) for x in needed):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def _explained(path: StrPath) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # of names with a null byte Python says ValueError
        why = getattr(error, "strerror", None) or error
        raise OutputError(f"{os.fspath(path)!r} cannot be written: {why}.") from None


def _target(path: StrPath) -> str:
    """The file behind a name. A link stays, what it points to is replaced."""
    return os.path.realpath(path, strict=os.path.islink(path))


def _stream(path: StrPath) -> int | None:
    """A descriptor to write to if the path is no plain file; a folder is an error."""
    descriptor = _descriptor(path)
    if descriptor is not None:
        # Opened by name, the log behind it would be cut off.
        return os.dup(descriptor)
    if os.path.exists(path) and not os.path.isfile(path):
        return os.open(path, os.O_WRONLY)
    return None


def _descriptor(path: StrPath) -> int | None:
    """The open file that a path such as /dev/stdout or /dev/fd/3 stands for."""
    own = rf"(?:/dev/fd|/proc/{os.getpid()}(?:/task/\d+)?/fd)/(\d+)"
    here = os.fspath(path)
    for _ in range(40):  # as many links as Linux follows
        folder, name = os.path.split(os.path.abspath(here))
        here = os.path.join(os.path.realpath(folder), name)
        found = re.fullmatch(own, here)
        if found:
            return int(found[1])
        if not os.path.islink(here):
            break
        here = os.path.join(os.path.dirname(here), os.readlink(here))
    return None


def _replace(target: str, data: bytes) -> None:
    from tempfile import mkstemp  # slow to load, and seldom needed

    mode = 0o666 & ~_umask()
    if os.path.exists(target):
        mode = stat.S_IMODE(os.stat(target).st_mode)
        if not os.access(target, os.W_OK):  # a rename would not ask
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    folder, name = os.path.split(target)
    handle, beside = mkstemp(dir=folder, prefix=f".{name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
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
