"""ordeval explore"""

import tempfile
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

import ordeval as oe
from ordeval._shared.text import visible
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, put
from ordeval.cli.options.joins import JoinedLabels
from ordeval.cli.options.option_groups import grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import ending
from ordeval.cli.score import read_matrix
from ordeval.data.confusion import matrices_by_model
from ordeval.data.sources.file_form import Form
from ordeval.evaluate._scoring import refuse_empty


@dataclass(frozen=True)
class Explored(JoinedLabels):
    """The file that the page starts from, if any."""

    file: Annotated[
        list[str],
        typer.Argument(
            help="Confusion matrix with one row per true class (numbers, a printed array, a "
            "LaTeX or Markdown table), or, with --truth and --pred, files of labels. - "
            "reads standard input. Default: a small example.",
            metavar="FILE",
            show_default=False,
        ),
    ] = field(default_factory=list)


@app.command(cls=Strict)
@grouped
def explore(
    columns: Explored,
    *,
    output: Path | None = option(
        "FILE",
        "Write the page to this .html file, without opening it.",
        "--output",
        "-o",
        readable=False,
    ),
    title: str | None = option("TEXT", "Title of the page."),
) -> None:
    """Open a page on which you can type, paste and edit a matrix; all measures update.

    The page is one self-contained HTML file; no data leave it.

    \b
    Examples:
      ordeval explore
      ordeval explore matrix.csv
      echo '[[26, 4, 1], [3, 5, 4], [0, 3, 10]]' | ordeval explore -
      echo '26 4 1; 3 5 4; 0 3 10' | ordeval explore - --labels I,II,III -o matrix.html
      ordeval explore preds.csv --truth stage --pred a --pred b --labels I,II,III -o explore.html
      ordeval explore long.csv --truth stage --item id --model-col model --pred-col grade
    """
    if output is not None:
        ending(output, {".html": None, ".htm": None})
        check_files(columns.files, output)
    page = oe.report.explore(_matrices(columns), labels=columns.scale, title=title)
    if output is not None:
        put(page, output)
        put(visible(f"The page is in {output}."))
        return
    with tempfile.NamedTemporaryFile("wb", prefix="ordeval-", suffix=".html", delete=False) as made:
        made.write(page.encode("utf-8", "backslashreplace"))
    opened = webbrowser.open(Path(made.name).as_uri())
    put(f"The page is {'open' if opened else 'ready'}: {made.name}")


def _matrices(columns: Explored) -> object:
    """What the page starts from."""
    if not columns.file:
        if columns.named:
            raise oe.LabelError("Missing FILE: --truth and --pred name its columns.")
        return None
    if not columns.named:
        if columns.form != Form() or columns.table or columns.drop_missing or columns.drop_unknown:
            raise oe.ParameterError(
                "Options for reading a file of labels need --truth COLUMN and --pred COLUMN. "
                "Without them, the file is read as a matrix."
            )
        file = columns.of_matrix()
        name = "matrix" if file == "-" else Path(file).name
        try:
            return {name: read_matrix(file, columns.scale)}
        except oe.CountsError as error:
            if not Path(file).is_file():
                raise
            raise oe.CountsError(
                f"{error} If it contains labels, name their columns: --truth COLUMN --pred COLUMN."
            ) from None
    columns.need()
    with progress() as shown:
        matrices = matrices_by_model(*columns.predictions(shown)._data.table)
    refuse_empty(matrices)
    return matrices
