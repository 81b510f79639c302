"""Facts about a file that its name and content do not reveal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ordeval._shared.text import did_you_mean, joined, named, nearest
from ordeval.data.sources.filters import Where, read_where
from ordeval.exceptions import ParameterError

FORMATS: Final = {
    "csv": "csv",
    "parquet": "parquet",
    "jsonl": "json",
    "json": "json",
    "arrow": "arrow",
    "duckdb": "duckdb",
    "sqlite": "sqlite",
    "xlsx": "excel",
}
_DECIMALS: Final = (".", ",")


@dataclass(frozen=True)
class Form:
    """The kind of a file, the encoding and decimal mark of CSV, and the rows that are read.

    Without a decimal mark, commas are found in CSV whose columns are not separated by commas.
    """

    kind: str | None = None
    encoding: str | None = None
    decimal: str = ""
    where: Where | None = None
    header_row: int | None = None  # of a workbook, from 1

    @property
    def told(self) -> list[str]:
        """The names of the statement about the file."""
        given = {
            "format": self.kind,
            "encoding": self.encoding,
            "decimal": self.decimal.strip("."),
            "where": self.where,
            "header_row": self.header_row,
        }
        return [name for name, value in given.items() if value]

    @classmethod
    def of(
        cls,
        kind: Any = None,
        encoding: Any = None,
        decimal: Any = None,
        where: Any = None,
        header_row: Any = None,
    ) -> Form:
        """Make the form from the arguments of a public function."""
        if kind is not None and (not isinstance(kind, str) or kind not in FORMATS):
            hint = did_you_mean(nearest(str(kind), FORMATS))
            known = joined(list(FORMATS), "or", most=len(FORMATS))
            raise ParameterError(f"{named('format')} must be {known}; got {kind!r}.{hint}")
        if decimal not in (None, *_DECIMALS):
            raise ParameterError(f"{named('decimal')} must be . or ,; got {decimal!r}.")
        whole = isinstance(header_row, int) and not isinstance(header_row, bool)
        if header_row is not None and not (whole and header_row > 0):
            raise ParameterError(
                f"{named('header_row')} must be the number of a row, from 1; got {header_row!r}."
            )
        return cls(
            kind=None if kind is None else FORMATS[kind],
            encoding=None if encoding is None else _encoding(encoding),
            decimal=decimal or "",
            where=None if where is None else read_where(where),
            header_row=header_row,
        )


def _encoding(name: Any) -> str | None:
    """The name of an encoding that Python knows; None for UTF-8, which is read anyway."""
    try:
        "".encode(name)
    except (LookupError, ValueError, TypeError):
        raise ParameterError(
            f"{named('encoding')} must name an encoding of text, such as utf-8, latin-1 or cp1252; "
            f"got {name!r}."
        ) from None
    plain = str(name).lower().replace("_", "-")
    return None if plain in ("utf-8", "utf8", "utf-8-sig") else str(name)
