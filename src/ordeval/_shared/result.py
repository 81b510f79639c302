"""Result: the base of everything that is handed to the user and shown.

A result says what its table and its records are; text, HTML, a frame, CSV, JSON, Markdown and LaTeX
follow from those two.
"""

from __future__ import annotations

import functools
import math
import textwrap
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from ordeval._shared.arguments import check_amount, checked
from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Cell, Table, html_text, markdown_text
from ordeval._shared.text import name_of, visible
from ordeval._shared.types import StrPath
from ordeval._shared.writing import write_bytes, write_text
from ordeval._version import __version__

if TYPE_CHECKING:
    import pandas

    from ordeval._shared.word import Word

SCHEMA: Final = 1
R = TypeVar("R", bound="Result")
M = TypeVar("M", str, bytes)


class Result:
    """A result: shows itself in a terminal and a notebook, and exports to every format."""

    __slots__ = ()

    _kind: ClassVar[str] = "ordeval.result"  # of the JSON
    _told: ClassVar[tuple[str, ...]] = ("rows",)  # its keys, which are attributes and methods

    @abstractmethod
    def table(self) -> Table:
        """Return the result as a table."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the result as records with full precision."""

    def tables(self) -> Sequence[Table]:
        """Return the tables."""
        return (self.table(),)

    def lead(self) -> Sequence[str]:
        """The answer, line by line, above the tables."""
        return ()

    def paragraphs(self) -> Sequence[str]:
        """Return the paragraphs below the tables."""
        return ()

    def remarks(self) -> Sequence[Any]:
        """Return the caveats at the end."""
        found: Sequence[Any] = getattr(self, "advice", ())
        return found

    @checked
    def to_text(self, width: int | None = None) -> str:
        """Return plain text, by default as wide as the terminal."""
        if width is not None:
            check_amount("width", width, 0)
        width = width or terminal_width()
        # A name with a hyphen, such as gpt-4o, is one word.
        fill = functools.partial(textwrap.fill, width=width, break_on_hyphens=False)
        lead = [fill(visible(x), subsequent_indent="    ") for x in self.lead()]
        texts = ["\n".join(lead)] if lead else []
        texts += [t.to_text(width) for t in self.tables()]
        texts += ["\n".join(fill(visible(x)) for x in p.split("\n")) for p in self.paragraphs()]
        notes = [fill(visible(r), subsequent_indent="  ") for r in self._shown_remarks()]
        # Remarks stand apart from a text of several parts, and follow a lone table closely.
        apart = "\n\n" if len(texts) > 1 else "\n"
        return apart.join(["\n\n".join(texts), *(["\n".join(notes)] if notes else [])])

    @checked
    def to_markdown(self, *, brief: bool = False) -> str:
        """Return a heading, the conclusion and the tables in Markdown.

        Parameters
        ----------
        brief
            Whether to return the conclusion and one table only, as for a pull-request comment.
        """
        return f"## {self._heading()}\n\n{self._markdown(brief=brief)}\n"

    def to_latex(self) -> str:
        """Return a heading, the conclusion and the tables in LaTeX (booktabs)."""
        return f"{self._latex(self._heading())}\n"

    def _markdown(self, *, brief: bool) -> str:
        """The document without its heading."""
        said = [markdown_text(x.strip()) for x in (self._said_briefly() if brief else self._said())]
        tables = list(self.tables())[:1] if brief else self._in_full()
        notes = [] if brief else [f"- {markdown_text(str(r))}" for r in self.remarks()]
        texts = [*said, *(t.to_markdown().rstrip("\n") for t in tables)]
        return "\n\n".join([*texts, *(["\n".join(notes)] if notes else [])])

    def _latex(self, heading: str) -> str:
        """The document below a heading, with the LaTeX packages that its tables need."""
        from ordeval._shared.latex import latex_text  # seldom needed

        said = [*headed(heading), *map(latex_text, self._said())]
        return "\n\n".join([*said, *(t.to_latex().rstrip("\n") for t in self._in_full())])

    def _heading(self) -> str:
        """What the result is, at the head of a document."""
        return self._kind.removeprefix("ordeval.").replace("_", " ").capitalize()

    def _said(self) -> Sequence[str]:
        """The conclusion, in documents."""
        return [*self.lead(), *self.paragraphs()]

    def _said_briefly(self) -> Sequence[str]:
        """The conclusion in as few words as possible."""
        return list(self.lead() or self.paragraphs()[:1])

    def _shown_remarks(self) -> Sequence[Any]:
        """The caveats that are printed."""
        return self.remarks()

    def to_csv(self) -> str:
        """Return the records as comma-separated values, with undefined values empty."""
        rows = self.rows()
        head = tuple(dict.fromkeys(name for row in rows for name in row))
        body = tuple(tuple(Cell(_csv_value(row.get(name))) for name in head) for row in rows)
        return Table(head, body).to_csv()

    def to_json(self) -> str:
        """Return the whole result as JSON with a versioned schema; undefined values are null."""
        return as_json(self)

    def to_frame(self) -> pandas.DataFrame:
        """Return the records as a pandas DataFrame."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        frame: pandas.DataFrame = pd.DataFrame(self.rows())
        return frame

    @checked
    def to_html(self, path: StrPath | None = None) -> str:
        """Return the result as HTML; with ``path``, write it completely or not at all."""
        return written(self._page(), path)

    @checked
    def to_docx(self, path: StrPath | None = None) -> bytes:
        """Return the result as a Word document (extra ``docx``); with ``path``, write it."""
        from ordeval._shared.word import Word

        word = Word(self._heading())
        self._into(word)
        return written(word.saved(), path)

    def _in_full(self) -> Sequence[Table]:
        """The tables of documents, in which nothing is left out for want of room."""
        return (self.table(),)

    def _facts(self) -> dict[str, Any]:
        """The content of the JSON."""
        found = {name: getattr(self, name) for name in self._told}
        return {name: x() if isinstance(x, MethodType) else x for name, x in found.items()}

    def _page(self) -> str:
        """The HTML page."""
        return self._repr_html_()

    def _into(self, word: Word) -> None:
        """Put the result into a Word document."""
        for table in self._in_full():
            word.table(table)
        word.texts(map(str, (*self._said(), *self.remarks())))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        texts = [*self.paragraphs(), *self._shown_remarks()]
        lead = "".join(f"<p>{html_text(x)}</p>" for x in self.lead())
        tables = lead + "".join(t.to_html() for t in self.tables())
        return tables + "".join(f"<p>{html_text(x)}</p>" for x in texts)

    def __rich_console__(self, console: Any, options: Any) -> Any:
        text = import_module("rich.text").Text
        lead = self.lead()
        for i, line in enumerate(lead):
            yield text(visible(line), style="" if i else "bold")
        for i, table in enumerate(self.tables()):
            yield from [""] * bool(i or lead)
            yield table
        for i, paragraph in enumerate(self.paragraphs()):
            lines = "\n".join(map(visible, paragraph.split("\n")))
            yield text("\n" + lines, style="" if i or lead else "bold")
        for i, remark in enumerate(self._shown_remarks()):
            yield text(("" if i else "\n") + visible(remark), style="yellow")


class Concluded(Result):
    """A result that ends in a conclusion, in paragraphs."""

    __slots__ = ()

    @abstractmethod
    def conclusion(self) -> str:
        """What can and what cannot be concluded, in plain words."""

    def paragraphs(self) -> Sequence[str]:
        """The conclusion."""
        return [x for x in self.conclusion().split("\n\n") if x]


def headed(title: str) -> list[str]:
    """A heading in LaTeX; none without a title."""
    from ordeval._shared.latex import latex_text  # seldom needed

    return [f"\\paragraph{{{latex_text(title)}}}"] if title else []


@dataclass(frozen=True, eq=False, repr=False)
class Results(Result, Mapping[Any, R]):
    """Several results of one kind, each under its name; one of them looks as it would alone."""

    parts: Mapping[Any, R]
    _key: ClassVar[str] = "model"  # what the names are, in records

    def __getitem__(self, name: Any) -> R:
        return self.parts[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def rows(self) -> list[dict[str, Any]]:
        """The records of every part, with its name if there are several."""
        if len(self.parts) == 1:
            return self._only().rows()
        return [{self._key: name_of(n), **row} for n, x in self.parts.items() for row in x.rows()]

    def table(self) -> Table:
        """The table of the only part."""
        return self._only().table()

    @checked
    def to_text(self, width: int | None = None) -> str:
        """Every part below its name."""
        wide = width or terminal_width()
        return self._joined(lambda x: x.to_text(wide), lambda name: f"{visible(name)}\n")

    def _markdown(self, *, brief: bool) -> str:
        """Every part below its name."""
        if brief and (overview := self._overview()):
            return overview[0].to_markdown().rstrip("\n")

        def show(part: Any) -> str:
            if isinstance(part, Table):
                return part.to_markdown()
            return str(part._markdown(brief=brief))

        return self._joined(show, lambda name: f"### {markdown_text(name)}\n\n")

    def to_latex(self) -> str:
        """Every part below its name, in LaTeX (booktabs)."""
        return f"{self._latex('')}\n"

    def _latex(self, heading: str) -> str:
        """Every part below its name."""
        shown = headed(heading)
        for title, part in self._sections():
            if isinstance(part, Table):
                shown += [*headed(title), part.to_latex().rstrip("\n")]
            else:
                shown.append(str(part._latex(title or part._heading())))
        return "\n\n".join(shown)

    def _only(self) -> R:
        (part,) = self.parts.values()
        return part

    def _title(self, name: Any) -> str:
        """The heading of a part."""
        return name_of(name)

    def _overview(self) -> list[Table]:
        """Tables that stand before the parts."""
        return []

    def _shown(self) -> Mapping[Any, R]:
        """The parts that are shown; all of them, unless there are too many to read."""
        return self.parts

    def _sections(self) -> Iterator[tuple[str, Any]]:
        """What is shown, each with its title; a lone part has none."""
        overview = self._overview()
        yield from (("", table) for table in overview)
        for name, part in self._shown().items():
            yield self._title(name) if overview or len(self.parts) > 1 else "", part

    def _joined(self, show: Callable[[Any], str], titled: Callable[[str], str]) -> str:
        return "\n\n".join(
            (titled(title) if title else "") + show(part).rstrip()
            for title, part in self._sections()
        )

    def _into(self, word: Word) -> None:
        for title, part in self._sections():
            if title:
                word.heading(title)
            if isinstance(part, Table):
                word.table(part)
            else:
                part._into(word)

    def _facts(self) -> dict[str, Any]:
        return {f"{self._key}s": [{self._key: n, **x._facts()} for n, x in self.parts.items()]}

    def _repr_html_(self) -> str:
        return "".join(
            (f"<p>{html_text(title)}</p>" if title else "") + part._repr_html_()
            for title, part in self._sections()
        )

    def __rich_console__(self, console: Any, options: Any) -> Any:
        text = import_module("rich.text").Text
        for title, part in self._sections():
            yield from [text(f"\n{visible(title)}", style="bold")] if title else []
            yield part


def written(made: M, path: StrPath | None) -> M:
    """What was made; in a file too, whole or not at all, if a path is given."""
    if path is not None:
        write_bytes(path, made) if isinstance(made, bytes) else write_text(path, made)
    return made


def terminal_width() -> int:
    """How wide text is by default."""
    from shutil import get_terminal_size

    return max(get_terminal_size((100, 24)).columns, 60)


def as_json(result: Result, **more: Any) -> str:
    """A result as JSON, and what else is to be kept with it."""
    return dumps(result._kind, {**result._facts(), **more})


def dumps(kind: str, facts: dict[str, Any]) -> str:
    """Facts as JSON, with what kind of result they are and the version that made them.

    Letters stay readable; what is not seen is escaped, and comes back when the JSON is read.
    """
    import json

    made = {"schema": SCHEMA, "kind": kind, "version": __version__, **facts}
    text = json.dumps(plain(made), ensure_ascii=False, indent=1)
    unseen = {c for c in set(text) if visible(c) != c and c != "\n"}
    return text.translate({ord(c): _json_escape(c) for c in unseen})


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def plain(value: Any) -> Any:
    """Convert a value to JSON types; NaN and infinity become null."""
    if isinstance(value, (str, int, type(None))):
        return value
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "levels"):  # a scale is its levels, as texts
        return [str(x) for x in value.levels]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return (
        plain(asdict(value)) if is_dataclass(value) and not isinstance(value, type) else str(value)
    )


def _csv_value(value: Any) -> str:
    return "" if value is None or value != value else str(value)
