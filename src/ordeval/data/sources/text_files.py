"""The bytes of text files: unpacked, kept within bounds, and surveyed before an engine reads them.

This module is independent of columns. It limits the memory that an untrusted file can use: lines
have a maximum length, and compressed files a checksum that must match.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import argument
from ordeval.data.sources.paths import Part, packing, refuse_foreign
from ordeval.exceptions import LabelError

# The longest line, and the longest field of CSV: what a language model wrote fits many times.
LONGEST: Final = 64 * 2**20
_BLOCK: Final = 2**18  # fits a processor's cache
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13
# What reading raises: a checksum, a length, a file cut short, a disk.
BROKEN: Final = (OSError, EOFError, zlib.error)


class _Bounded(io.RawIOBase):
    """Bytes as they are, unless a line is too long or they are not text."""

    def __init__(self, raw: Any) -> None:
        super().__init__()
        self._raw = raw
        self._length = 0  # of the line so far

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._raw.read(len(buffer))
        if b"\0" in data:
            raise LabelError("there are NUL bytes; is this a binary file?")
        last = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self._length = self._length + len(data) if last < 0 else len(data) - last - 1
        if self._length > LONGEST:
            raise LabelError(
                f"a line is longer than {LONGEST >> 20} MB. Are line ends missing, or is this "
                "not a table?"
            )
        buffer[: len(data)] = data
        return len(data)


class _Held:
    """A stream that gives what is asked for, however much its source gives at a time."""

    def __init__(self) -> None:
        self._rest, self._at, self._ended = b"", 0, False

    def read(self, n: int) -> bytes:
        while self._at == len(self._rest) and not self._ended:
            self._rest, self._at = self._more(), 0
        data = self._rest[self._at : self._at + n]
        self._at += len(data)
        return data

    def _more(self) -> bytes:
        raise NotImplementedError


class _Zstd(_Held):
    """What zstd packed, in one frame or several, each to its end."""

    # A block of 4 bytes may unpack to 128 KB: few bytes are unpacked at a time.
    _STEP: Final = 1024

    def __init__(self, raw: Any, name: str) -> None:
        super().__init__()
        zstd = import_extra("zstandard", extra="files", purpose=f"reading {name}")
        self._raw, self._error, self._packed = raw, zstd.ZstdError, b""
        self._new = zstd.ZstdDecompressor(max_window_size=2**27).decompressobj
        self._frame = self._new()
        self._within = False

    def _more(self) -> bytes:
        packed = self._packed or self._raw.read(self._STEP)
        if not packed:
            if self._within:
                raise EOFError("the file ends before what zstd packed does")
            self._ended = True
            return b""
        try:
            data: bytes = self._frame.decompress(packed)
        except self._error:
            raise OSError("what zstd packed is broken") from None
        self._packed, self._within = b"", not self._frame.eof
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, self._new()
        return data


class _Recoded(_Held):
    """Text of another encoding, in UTF-8."""

    def __init__(self, raw: Any, encoding: str) -> None:
        super().__init__()
        self._raw, self._encoding = raw, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def _more(self) -> bytes:
        data = self._raw.read(_BLOCK)
        self._ended = not data
        try:
            return self._decoder.decode(data, self._ended).encode()
        except ValueError:
            raise LabelError(f"the file is not text in the encoding {self._encoding}.") from None


@contextmanager
def opened(part: Part) -> Iterator[tuple[io.BufferedReader, Any]]:
    """The bytes of a file in UTF-8, unpacked if need be, and the file itself."""
    with open(part.path, "rb") as raw:
        text = _unpacking(raw, part.packed, repr(part.path))
        yield bounded(text if part.encoding is None else _Recoded(text, part.encoding)), raw


def _unpacking(raw: Any, packed: str, name: str) -> Any:
    match packed:
        case "gzip":
            return gzip.GzipFile(fileobj=raw)
        case "zstd":
            return _Zstd(raw, name)
        case _:
            return raw


def bounded(raw: Any) -> io.BufferedReader:
    """A stream of text in bytes that cannot fill the memory; the given one stays open."""
    return io.BufferedReader(_Bounded(raw), _BLOCK)


class _Ahead:
    """A stream that is read once, whose first bytes can be looked at."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.start = self._rest = raw.read(64)

    def read(self, n: int) -> bytes:
        if self._rest:
            data, self._rest = self._rest[:n], self._rest[n:]
            return bytes(data)
        return bytes(self._raw.read(n))


def unpacked(
    raw: Any, name: str, encoding: str | None = None, *, told: bool = False
) -> io.BufferedReader:
    """A stream that is read once, in UTF-8, unpacked if it starts as gzip or zstd does.

    What begins as JSON does is no CSV, unless it was ``told`` to be.
    """
    ahead = _Ahead(raw)
    if not told and ahead.start[:1] in (b"{", b"["):
        raise LabelError(
            f"{name} looks like JSON. Pass {argument('format', 'jsonl')}, or, if it is "
            f"CSV, {argument('format', 'csv')}."
        )
    refuse_foreign(ahead.start, name, encoded=encoding is not None)
    text = _unpacking(ahead, packing(ahead.start), name)
    return bounded(text if encoding is None else _Recoded(text, encoding))


def check_packed(part: Part) -> None:
    """Read what is packed to its end: DuckDB does not look at its checksum."""
    if part.packed:
        try:
            with open(part.path, "rb") as raw:
                text = _unpacking(raw, part.packed, repr(part.path))
                while text.read(_BLOCK):
                    pass
        except BROKEN as error:
            raise LabelError(f"{part.path!r} could not be read: {error}.") from None


@dataclass(frozen=True)
class Survey:
    """What one look at all bytes of a CSV file tells."""

    # Every line is a row with as many fields as the header, whoever reads it: quotes enclose
    # whole fields, no field holds a line end, line ends are all alike, and no line is empty.
    simple: bool
    lines: int = 0


_NOT_SIMPLE: Final = Survey(simple=False)


def survey(part: Part, delimiter: str, width: int) -> Survey:
    """Whether a CSV file can be read in one way only, and how many lines it has."""
    lines = returns = delimiters = 0
    held = b""
    with opened(part) as (stream, _):
        while block := stream.read(_BLOCK):
            whole, newline, held = (held + block).rpartition(b"\n")
            if newline:
                found = _count(whole + newline, ord(delimiter))
                if found is None:
                    return _NOT_SIMPLE
                lines, returns = lines + found[0], returns + found[1]
                delimiters += found[2]
            elif len(held) > 8 * _BLOCK:
                return _NOT_SIMPLE  # such lines are beyond what DuckDB takes, too
    if held:
        found = _count(held + b"\n", ord(delimiter))
        if found is None:
            return _NOT_SIMPLE
        lines, delimiters = lines + 1, delimiters + found[2]
        returns += found[1] or bool(returns)  # a line that only the file ends
    simple = returns in (0, lines) and delimiters == lines * (width - 1)
    return Survey(simple, lines)


def _count(block: bytes, delimiter: int) -> tuple[int, int, int] | None:
    """Line ends, returns and delimiters of whole lines; None if there are two ways to read them."""
    data = np.frombuffer(block, np.uint8)
    ends = data == _NEWLINE
    separates = data == delimiter
    returns = 0
    if data[0] == _NEWLINE or (ends[1:] & ends[:-1]).any():
        return None
    if b"\r" in block:
        at = np.flatnonzero(data == _RETURN)
        returns = len(at)
        # A return belongs before a line end, and after something.
        if not ends[at + 1].all() or at[0] == 0 or ends[at - 1].any():
            return None
    if b'"' not in block:
        return int(np.count_nonzero(ends)), returns, int(np.count_nonzero(separates))
    quotes = np.flatnonzero(data == _QUOTE)
    if len(quotes) % 2:
        return None
    opening, closing = quotes[::2], quotes[1::2]
    before = np.where(opening == 0, _NEWLINE, data[opening - 1])
    after = data[closing + 1]  # the block ends with a line end
    if not (
        np.isin(before, (delimiter, _NEWLINE, _QUOTE)).all()
        and np.isin(after, (delimiter, _NEWLINE, _RETURN, _QUOTE)).all()
        and not np.add.reduceat(ends, quotes, dtype=np.int64)[::2].any()
    ):
        return None
    inside = int(np.add.reduceat(separates, quotes, dtype=np.int64)[::2].sum())
    return int(np.count_nonzero(ends)), returns, int(np.count_nonzero(separates)) - inside
