"""The options of long tables, and of truth and predictions in files of their own."""

from dataclasses import dataclass, field
from typing import Any

import ordeval as oe
from ordeval._shared.types import Progress
from ordeval.cli.options.model_outputs import OutputColumns
from ordeval.cli.options.option_groups import option
from ordeval.cli.options.shared import ColumnsRead, FilesRead


@dataclass(frozen=True)
class JoinedLabels(ColumnsRead):
    """Columns of labels, where items may be in several rows or files."""

    file: FilesRead = field(default_factory=list)
    item: list[str] | None = option(
        "COL",
        "Item ids, in a long table with one row per item and model; may be repeated.",
    )
    model_col: str | None = option("COL", "Model names, in a long table.")
    pred_col: str | None = option("COL", "Predictions, in a long table.")
    truth_file: str | None = option("FILE", "File with the column --truth, if it is not FILE.")
    pred_file: list[str] | None = option(
        "NAME=FILE:COL",
        "A model with the file and column of its predictions; may be repeated. FILE or "
        "--truth-file then holds the truth.",
    )
    on: list[str] | None = option(
        "COL",
        "Id column that joins the files; may be repeated. Items missing from a file are an "
        "error, or are dropped with --drop-missing.",
    )

    scorer: str | None = option(
        "NAME",
        "Read FILEs as logs of Inspect, one model each: the values of this scorer are the "
        "predictions (default for .eval files: their only scorer). The truth is the target, or the "
        "key --truth of the samples' metadata, where --clusters is, too.",
    )

    def __post_init__(self) -> None:
        # The truth is the one table that the predictions of other files are joined to.
        if not self.file and self.truth_file and self.pred_file:
            object.__setattr__(self, "file", [self.truth_file])
            object.__setattr__(self, "truth_file", None)

    def need(self) -> None:
        """Refuse to go on without a file or columns, or with half of a long table."""
        self.need_file()
        if self.of_logs:
            return
        given = self.pred_col is not None or bool(self.outputs.get("prob"))
        if (self.model_col is not None and not given) or (self.pred_col and not self.model_col):
            raise oe.LabelError("A long table needs --model-col, and --pred-col or --prob.")
        if self.pred_col is not None and self.pred:
            raise oe.LabelError(
                "Pass --pred (one column per model) or --pred-col (a long table), not both."
            )
        if self.truth and (self.pred_file or self.pred_col):
            return
        super().need()

    def need_file(self) -> None:
        """Refuse to go on without a file."""
        if not self.file:
            raise oe.ParameterError("Missing FILE (or --truth-file with --pred-file).")

    def predictions(self, progress: Progress | None, **options: Any) -> oe.Predictions:
        """The data that the options describe: of tables, or of logs."""
        if not self.of_logs:
            return super().predictions(progress, **options)
        from ordeval.integrations.inspect import inspect_predictions  # logs are seldom read

        used = [name for name in ("weight", "by") if options.get(name)]
        clusters = options.get("clusters") or [None]
        if len(clusters) > 1:
            raise oe.ParameterError("Logs of Inspect have one key of --clusters.")
        if used or self.scale is None:
            what = f"--{used[0]} is for tables" if used else "Missing --labels"
            raise oe.ParameterError(f"{what}: FILEs are read as logs of Inspect.")
        return inspect_predictions(
            self.file,
            self.scale,
            scorer=self.scorer,
            truth=self.truth or None,
            clusters=clusters[0],
            missing=self.misfits["missing"],
        )

    @property
    def of_logs(self) -> bool:
        """Whether the files are logs of Inspect."""
        logs = bool(self.file) and all(name.endswith(".eval") for name in self.file)
        return bool(self.scorer) or (logs and self.input_format is None)

    @property
    def named(self) -> bool:
        """Whether any column is named, or another file."""
        tables = (self.item, self.model_col, self.pred_col, self.truth_file, self.pred_file)
        return any((self.truth, *self.outputs.values(), self.on, *tables))

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
