"""The options of ratings: which columns hold them, in a long file or a wide one."""

from dataclasses import dataclass, replace
from typing import Any

import ordeval as oe
from ordeval._shared.types import Policy, Progress
from ordeval.cli.options.labels import named_files, read_labels
from ordeval.cli.options.option_groups import flag, option
from ordeval.cli.options.shared import (
    Decimal,
    Encoding,
    FilesRead,
    HeaderRow,
    InputFormat,
    Labels,
    RowFilter,
    TableName,
)
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource

_DUPLICATES = ("raise", "runs")


@dataclass(frozen=True)
class WrittenColumns:
    """Which file holds items, on which scale."""

    file: FilesRead
    item: list[str] = option(
        "COL",
        "Column that names the item (default: item); may be repeated if several name it together, "
        "or write query,passage.",
        default=[],
    )
    labels: Labels = None
    table: TableName = None
    header_row: HeaderRow = None
    input_format: InputFormat = None
    where: RowFilter = None
    encoding: Encoding = None
    decimal: Decimal = None

    @property
    def ids(self) -> list[str]:
        """The columns that name an item together."""
        return [name for text in self.item or ["item"] for name in text.split(",")]

    @property
    def scale(self) -> list[Any] | None:
        """The labels of --labels."""
        return None if self.labels is None else read_labels(self.labels)

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        return [*self.file, *named_files(self.labels)]

    def source(self, progress: Progress | None) -> FileSource:
        """What is read, as one table."""
        form = Form.of(self.input_format, self.encoding, self.decimal, self.where, self.header_row)
        return FileSource(self.file, self.table, progress, form)


@dataclass(frozen=True)
class RatingColumns(WrittenColumns):
    """Which columns of which file hold ratings, on which scale."""

    rater: str | None = option(
        "COL",
        "Rater names, in a long file with one row per rating (default: rater).",
    )
    rating: str | None = option("COL", "Ratings, in a long file (default: rating).")
    rater_col: list[str] = option(
        "COL",
        "Ratings of one rater, in a wide file with one row per item; may be repeated.",
        default=[],
    )
    drop_unknown: bool = flag("Drop ratings that are not in --labels and report their number.")
    clusters: str | None = option(
        "COL", "Column of clusters, such as documents, whose items are not independent."
    )
    duplicates: str = option(
        "WORD",
        "Repeated ratings of an item by one rater: raise (an error) or runs.",
        default="raise",
        words=_DUPLICATES,
    )

    @property
    def unknown(self) -> Policy:
        """What happens to ratings outside the scale."""
        return "drop" if self.drop_unknown else "raise"

    @property
    def wide(self) -> bool:
        """Whether raters are columns."""
        return bool(self.rater_col)

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.wide and (self.rater or self.rating or self.duplicates != "raise"):
            raise oe.ParameterError(
                "--rater-col is for wide files (one column per rater); --rater, --rating and "
                "--duplicates are for long files. Use one or the other."
            )

    def of(self, file: str) -> "RatingColumns":
        """Return these columns of another file, without clusters."""
        return replace(
            self,
            file=[file],
            clusters=None,
            input_format=None,
            where=None,
            encoding=None,
            decimal=None,
            header_row=None,
        )

    def long_names(self) -> list[str]:
        """The columns of raters and of ratings in a long file."""
        return [self.rater or "rater", self.rating or "rating"]

    def read(self, progress: Progress | None, scale: Any = None, more: Any = ()) -> oe.Ratings:
        """The ratings; ``more``: further columns of a wide file that are raters, too."""
        source, scale = self.source(progress), self.scale if scale is None else scale
        if self.wide:
            names = list(dict.fromkeys([*self.rater_col, *more]))
            return oe.Ratings.from_wide(
                source,
                self.ids,
                names,
                labels=scale,
                clusters=self.clusters,
                unknown=self.unknown,
            )
        rater, rating = self.long_names()
        kept: Any = self.duplicates
        try:
            return oe.Ratings.from_long(
                source,
                self.ids,
                rater,
                rating,
                labels=scale,
                clusters=self.clusters,
                duplicates=kept,
                unknown=self.unknown,
            )
        except oe.LabelError as error:
            if self.rater or self.rating or not error.present:
                raise
            hint = "Name --item, --rater and --rating, or the raters of a wide file by --rater-col."
            raise oe.LabelError(f"{error} {hint}") from None
