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
from itertools import chain
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import argument
from ordeval.data.sources.paths import Part, packing, refuse_foreign
from ordeval.exceptions import LabelError

# The longest line, and the longest field of CSV: what a language model wrote fits many times.
LONGEST: Final = 64 * 2**20
# Fits a processor's cache, and is less than what is asked of the system each time anew.
_BLOCK: Final = 2**16
# A block of 4 bytes may unpack to 128 KB: few bytes are unpacked at a time.
_ZSTD_STEP: Final = 1024
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


class _Pieces:
    """A stream that gives what is asked for, however much its pieces hold."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest, self._at = pieces, b"", 0

    def read(self, n: int) -> bytes:
        while self._at == len(self._rest):
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._rest, self._at = piece, 0
        data = self._rest[self._at : self._at + n]
        self._at += len(data)
        return data


def _from_zstd(raw: Any, name: str) -> Iterator[bytes]:
    """What zstd packed, in one frame or several, each to its end."""
    zstd = import_extra("zstandard", extra="files", purpose=f"reading {name}")
    new = zstd.ZstdDecompressor(max_window_size=2**27).decompressobj
    frame, within, packed = new(), False, b""
    while packed := packed or raw.read(_ZSTD_STEP):
        try:
            yield frame.decompress(packed)
        except zstd.ZstdError:
            raise OSError("what zstd packed is broken") from None
        within, packed = not frame.eof, frame.unused_data if frame.eof else b""
        if not within:
            frame = new()
    if within:
        raise EOFError("the file ends before what zstd packed does")


def _recoded(raw: Any, encoding: str) -> Iterator[bytes]:
    """Text of another encoding, in UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    data = b"-"
    while data:
        data = raw.read(_BLOCK)
        try:
            yield decoder.decode(data, not data).encode()
        except ValueError:
            raise LabelError(f"the file is not text in the encoding {encoding}.") from None


@contextmanager
def opened(part: Part) -> Iterator[tuple[io.BufferedReader, Any]]:
    """The bytes of a file in UTF-8, unpacked if need be, and the file itself."""
    with open(part.path, "rb") as raw:
        text = _unpacking(raw, part.packed, repr(part.path))
        yield _bounded(text, part.encoding), raw


def _unpacking(raw: Any, packed: str, name: str) -> Any:
    match packed:
        case "gzip":
            return gzip.GzipFile(fileobj=raw)
        case "zstd":
            return _Pieces(_from_zstd(raw, name))
        case _:
            return raw


def _bounded(raw: Any, encoding: str | None) -> io.BufferedReader:
    """A stream of text in UTF-8 that cannot fill the memory; the given one stays open."""
    text = raw if encoding is None else _Pieces(_recoded(raw, encoding))
    return io.BufferedReader(_Bounded(text), _BLOCK)


def unpacked(
    raw: Any, name: str, encoding: str | None = None, *, told: bool = False
) -> io.BufferedReader:
    """A stream that is read once, in UTF-8, unpacked if it starts as gzip or zstd does.

    What begins as JSON does is no CSV, unless it was ``told`` to be.
    """
    start = raw.read(64)
    if not told and start[:1] in (b"{", b"["):
        raise LabelError(
            f"{name} looks like JSON. Pass {argument('format', 'jsonl')}, or, if it is "
            f"CSV, {argument('format', 'csv')}."
        )
    refuse_foreign(start, name, encoded=encoding is not None)
    whole = _Pieces(chain([start], iter(lambda: raw.read(_BLOCK), b"")))
    return _bounded(_unpacking(whole, packing(start), name), encoding)


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
            elif len(held) > 32 * _BLOCK:
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
