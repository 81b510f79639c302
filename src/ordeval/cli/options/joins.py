"""The options of long tables, and of truth and predictions in files of their own."""

from dataclasses import dataclass, field
from typing import Any

import ordeval as oe
from ordeval.cli.options.model_outputs import OutputColumns
from ordeval.cli.options.option_groups import option
from ordeval.cli.options.shared import ColumnsRead, FilesRead


@dataclass(frozen=True)
class JoinedLabels(ColumnsRead):
    """Columns of labels, where items may be in several rows or files."""

    file: FilesRead = field(default_factory=list)
    item: list[str] | None = option(
        "COL",
        "Of a long table, with a row for each item and model: the column that names the "
        "item; may be repeated.",
    )
    model_col: str | None = option("COL", "Of a long table, the column of the models.")
    pred_col: str | None = option("COL", "Of a long table, the column of predictions.")
    truth_file: str | None = option("FILE", "Another file that holds --truth.")
    pred_file: list[str] | None = option(
        "NAME=FILE:COL",
        "A model, and the file and column of its predictions; may be repeated. FILE of "
        "the command, or --truth-file in its place, then holds the truth.",
    )
    on: list[str] | None = option(
        "COL",
        "Column of ids by which files are joined; may be repeated. Items that are not in "
        "all of them are an error, or with --drop-missing dropped and counted.",
    )

    def __post_init__(self) -> None:
        # The truth is the one table that the predictions of other files are joined to.
        if not self.file and self.truth_file and self.pred_file:
            object.__setattr__(self, "file", [self.truth_file])
            object.__setattr__(self, "truth_file", None)

    def need(self) -> None:
        """Refuse to go on without a file or columns, or with half of a long table."""
        self.need_file()
        if (self.model_col is None) != (self.pred_col is None):
            raise oe.LabelError("a long table needs both: --model-col COLUMN --pred-col COLUMN.")
        if self.pred_col is not None and self.pred:
            raise oe.LabelError("--pred names columns of models, --pred-col that of a long table.")
        if self.truth and (self.pred_file or self.pred_col):
            return
        super().need()

    def need_file(self) -> None:
        """Refuse to go on without a file."""
        if not self.file:
            raise oe.ParameterError(
                "Missing argument 'FILE': name the file to read, or --truth-file and --pred-file."
            )

    @property
    def named(self) -> bool:
        """Whether any column is named, or another file."""
        tables = (self.item, self.model_col, self.pred_col, self.truth_file, self.pred_file)
        return any((self.truth, self.pred, self.on, *tables))

    @property
    def outputs(self) -> dict[str, Any]:
        """The columns of the models, as arguments of ``Predictions.from_file``."""
        more = {"pred": self.pred_col} if self.pred_col is not None else {}
        return super().outputs | more

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        others = [self.truth_file] if self.truth_file else []
        return [*super().files, *others, *(file for file, _ in self._files().values())]

    @property
    def joins(self) -> dict[str, Any]:
        """Where items, truth and predictions are, as arguments of ``Predictions.from_file``."""
        return {
            "item": self.item or None,
            "model": self.model_col,
            "truth_file": self.truth_file,
            "on": self.on or None,
            "pred_files": self._files(),
        }

    def _files(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for text in self.pred_file or []:
            name, equals, rest = text.partition("=")
            file, colon, column = rest.rpartition(":")
            if not (equals and colon and name and file and column):
                raise oe.ParameterError(
                    f"--pred-file takes NAME=FILE:COLUMN, such as A=a.csv:grade; got {text!r}."
                )
            if name in found:
                raise oe.ParameterError(f"--pred-file names the model {name} twice.")
            found[name] = file, column
        return found


@dataclass(frozen=True)
class JoinedColumns(JoinedLabels, OutputColumns):
    """Joined columns of models that may give probabilities or scores."""
