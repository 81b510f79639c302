"""Counts as people write them: rows of numbers, a printed array, a table of LaTeX or Markdown.

The explorer reads what is pasted into it by the same rules, in ``reading.js`` of the report; the
tests hold the two to the same answers.
"""

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ordeval._shared.numbers import is_number
from ordeval.data.text.matrix_shares import (
    refuse_dotted,
    refuse_percentages,
    refuse_shares,
    without_shares,
)
from ordeval.data.text.matrix_sides import Sides, shared_words, sides_of
from ordeval.exceptions import CountsError

_SEPARATORS: Final = ("\t", "&", "|", ";", ",")
_SPACES: Final = re.compile("[\f\v\u00a0\u2000-\u200a\u202f\u3000]")
_RULE: Final = re.compile("[ \t|:+=\u2500-\u257f-]*")  # a line that is only drawn, or blank
_NO_NAME: Final = re.compile(r"[+-]?([0-9.,]+ *%|nan|inf)", re.IGNORECASE)
_TOTALS: Final = ("total", "totals", "sum", "all", "σ", "∑")
_SIZES: Final = ("n", "count", "items")  # totals only where the numbers are sums
# What Markdown and a matrix of ordeval have above the counts.
_HEADING: Final = re.compile("#+ .*|ConfusionMatrix of .*, rows truth, columns prediction")
_SUM_WITHIN: Final = 1e-9
_SHOWN, _LETTERS = 12, 30  # rows, and letters of a field, in a message

_WITHIN: Final = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")
# An array may have a name and a function around it: x = np.array([[1, 2], [3, 4]], dtype=int64).
_ARRAY: Final = re.compile(
    r"[ \t\n]*(?:[A-Za-z_][A-Za-z0-9_.]*[ \t\n]*=[ \t\n]*)?"
    r"(?:([A-Za-z_][A-Za-z0-9_.]*)[ \t\n]*\([ \t\n]*)?(?=\[|\([ \t\n]*\(|\{[ \t\n]*\{)"
)
# Of any module and in any case; another function may turn the counts around or change them.
_FUNCTIONS: Final = ("array", "asarray", "matrix", "tensor", "dataframe", "confusionmatrix")
_BRACKETS: Final = str.maketrans("({)}", "[[]]")
_AFTER_ARRAY: Final = re.compile(r"[ \t\n;,]*")
_AFTER_FUNCTION: Final = re.compile(r"[ \t\n]*(?:,[^\[\]]*)?\][ \t\n;]*")

_GROUP: Final = r"\{(?:[^{}]|\{[^{}]*\})*\}"
_LATEX: Final = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\\\\(?:\[[^\]\n]*\])?", "\1"),  # the end of a row
        (r"\\&", "\2"),  # until the fields are split
        (r"(?<!\\)%[^\n]*", ""),
        (rf"\\begin\{{[^{{}}]*\}}(?:\[[^\]]*\])?(?:{_GROUP})?|\\end\{{[^{{}}]*\}}", ""),
        (r"\\(?:hline|toprule|midrule|bottomrule|centering|bfseries)(?![A-Za-z])", ""),
        (
            rf"\\(?:cline|caption|label|cellcolor(?:\[[^\]]*\])?|cmidrule(?:\([^()]*\))?){_GROUP}",
            "",
        ),
        (rf"\\multi(?:column|row(?:\[[^\]]*\])?){_GROUP}(?:{_GROUP}|\*)", ""),
        (r"\\(?:diagbox|backslashbox)(?:\[[^\]]*\])?\{([^{}]*)\}\{([^{}]*)\}", r"\1 / \2"),
        (r"\\slashbox(?:\[[^\]]*\])?\{([^{}]*)\}\{([^{}]*)\}", r"\1 or \2"),  # any way round
        (r"\\(?:left|right)(?![A-Za-z])(?:\\.|.)|\\[\[\]]|\{,\}|\\,", ""),
        (r"\\[A-Za-z]+(?=\{)", ""),  # \textbf{26}: its braces go below
        (r"(?<!\\)[${}]", ""),
        (r"\\([%_#$])", r"\1"),
    )
)


@dataclass(frozen=True)
class Pasted:
    """A square of texts that are numbers, and the names of the levels, if they were there.

    Rows are the truth. ``turned_by`` has the words that say so where they were columns in the text.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    turned_by: str = ""


@dataclass
class _Table:
    """The fields of the lines of a text, and the titles: words alone on a line."""

    fields: list[list[str]] = field(default_factory=list)
    blanks: list[bool] = field(default_factory=list)  # separate them, line by line
    titles: list[tuple[int, str]] = field(default_factory=list)  # after so many lines of fields


def read_pasted(text: str, *, shares: bool = False) -> Pasted:
    """A matrix of counts out of a text, or of ``shares``.

    Rows stand on lines, between semicolons, in brackets or before ``\\\\``; numbers between spaces,
    tabs, commas, semicolons, ``&`` or ``|``. Level names may appear above and to the left, totals
    to the right and below. Words such as ``Prediction`` to the left or ``Reference`` above say that
    rows are predictions, and the matrix is turned round.

    >>> read_pasted("array([[26,  4], [ 3, 15]])").rows
    (('26', '4'), ('3', '15'))
    >>> read_pasted("low & 26 & 4 \\\\\\\\ high & 3 & 15 \\\\\\\\").names
    ('low', 'high')
    """
    text = _SPACES.sub(" ", text.removeprefix("\ufeff")).replace("\r\n", "\n").replace("\r", "\n")
    if re.match(r'[ \t\n]*\{[ \t\n]*("|\})', text):
        return _of_json(text)
    return _arranged(_table(_lines(text)), shares=shares)


def _of_json(text: str) -> Pasted:
    try:
        found = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except ValueError:
        raise CountsError("this starts like JSON but is not valid.") from None
    counts = found.get("counts")
    names: object = next((found[x] for x in ("levels", "labels", "scale") if x in found), [])
    if not isinstance(names, list) or not _is_table(counts) or not counts:
        raise CountsError('JSON must hold {"counts": [[...], ...]}, and may hold "levels".')
    return _checked([_text(str(x)) for x in names], [[str(x) for x in row] for row in counts])


def _is_table(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(row, list) for row in found)


def _lines(text: str) -> list[str]:
    """The rows of a text, each as it is written."""
    if array := _ARRAY.match(text):
        function = array[1]
        if function and function.split(".")[-1].lower() not in _FUNCTIONS:
            raise CountsError(
                f"{function[:_LETTERS]!r} may change the counts: paste what it gives, not the call."
            )
        return _of_array(text[array.end() :].translate(_BRACKETS), function is not None)
    if "\\\\" in text or "\\begin{" in text:
        for pattern, by in _LATEX:
            text = pattern.sub(by, text)
        return [x for x in (x.replace("\n", " ").strip(" ") for x in text.split("\1")) if x]
    text = re.sub("[\u2502\u2503\u2551]", "|", text)
    found = [x for x in text.split("\n") if not _RULE.fullmatch(x) and not _HEADING.fullmatch(x)]
    if len(found) == 1:
        found = found[0].split(";")
    return [re.sub(r"[ ;]+$", "", x) for x in found if x.strip(" ;\t")]


def _of_array(text: str, in_function: bool) -> list[str]:
    """The rows of [[1, 2], [3, 4]] or of [1 2; 3 4]; other brackets have become these."""
    depth, start, place, outside, rows = 0, 0, 0, "", []
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth > 2:
            raise CountsError("there are brackets within brackets within brackets: not one matrix.")
        if letter == "[":
            start = place + 1
        elif letter == "]" and depth == 1:
            rows.append(text[start:place].replace("\n", " "))
        elif depth == 1:
            outside += letter
        elif depth == 0:
            break
    rest = text[place + 1 :]
    if depth or not (_AFTER_FUNCTION if in_function else _AFTER_ARRAY).fullmatch(rest):
        raise CountsError("the brackets do not close where the matrix ends.")
    if rows and outside.strip(" \t\n,;"):
        raise CountsError("there is something between the rows in brackets.")
    if not rows:
        rows = re.split("[;\n]", re.sub(r"\.\.\.[ \t]*\n", " ", outside))
    found = (row if '"' in row else row.replace(",", " ") for row in rows)
    return [x for x in (row.strip(" \t,") for row in found) if x]


def _table(lines: Sequence[str]) -> _Table:
    """The fields of each row, split at the separator that all rows share."""
    separator = next((s for s in _SEPARATORS if _separates(s, lines)), " ")
    if separator == ",":
        _refuse_commas_within(lines)
    table = _Table()
    for line in lines:
        own = separator if separator in line else " "
        if own == " ":
            found = _split(without_shares(line), own)
        else:
            found = list(map(without_shares, _split(line, own)))
        filled = [x for x in found if x]
        if len(filled) == 1 and len(lines) > 1 and not is_number(filled[0]):
            table.titles.append((len(table.fields), filled[0]))
        elif filled:
            table.fields.append(found)
            table.blanks.append(own == " ")
    return table


def _refuse_commas_within(lines: Sequence[str]) -> None:
    """Refuse 1,234 5 6, where commas do not separate the counts."""
    for line in lines:
        fields = (field.split(" ") for field in _split(line, ","))
        blanks = any(len(parts) > 1 and all(map(is_number, parts)) for parts in fields)
        if blanks and (found := _WITHIN.search(line)):
            bare = found[0].replace(",", "")
            raise CountsError(
                f"{found[0]!r} has a comma within, and blanks separate the counts: write {bare}."
            )


def _separates(separator: str, lines: Sequence[str]) -> bool:
    """Whether it does so from some line on; titles may precede it."""
    having = [separator in line for line in lines]
    return having[-1:] == [True] and all(having[having.index(True) :])


def _split(line: str, separator: str) -> list[str]:
    """The fields of a line; between quotation marks nothing is separated."""
    if separator == "|":
        line = re.sub(r"^[ \t]*\||\|[ \t]*$", "", line)
    if separator == " ":
        line = line.replace("\t", " ")
    found, within = [""], False
    for letter in line:
        within ^= letter == '"'
        if letter == separator and not within:
            found.append("")
        else:
            found[-1] += letter
    texts = map(_text, found)
    return [x for x in texts if x] if separator == " " else list(texts)


def _text(field: str) -> str:
    """A field without quotation marks, and without what makes it bold in Markdown."""
    text = re.sub("[ \t\n]+", " ", field.replace("\2", "&")).strip(" ")
    if quoted := re.fullmatch(r'"(.*)"', text):
        return quoted[1].replace('""', '"').strip(" ")
    bold = re.fullmatch(r"(\*\*|\*|`)(.+)\1", text)
    return bold[2].strip(" ") if bold else text


def _arranged(table: _Table, *, shares: bool) -> Pasted:
    """The counts of a table, without its names and sums."""
    fields = table.fields
    if not any(is_number(x) for row in fields for x in row):
        refuse_percentages(fields)
        raise CountsError("there are no numbers where counts are needed.")
    untitled = _without_titles(fields)
    fields, right, below = _without_sums(untitled)
    names, rows = _named(fields)
    found = _checked(names, rows)
    refuse_dotted(rows)
    sums = ((right, "row", rows), (below, "column", _columns(rows)))
    for said, what, lines in sums:
        if said is None:
            continue
        for i, line in enumerate(lines):
            text = said[i] if i < len(said) else ""
            if not _ends_in_sum([*line, text]):
                total = sum(map(float, line))
                raise CountsError(
                    f"the sum of {what} {i + 1} is {total:.15g}, where the text has {text!r}."
                )
    if right is None and below is None and _hold_sums(rows):
        raise CountsError(
            "the last row and the last column are the sums of the others: call them total or leave "
            'them out, or, if they are a level, write {"counts": [[...], ...]}.'
        )
    if not shares:
        refuse_shares(rows)
    sides = _sides(table, len(table.fields) - len(untitled), fields, found)
    if not sides.turned():
        return found
    return Pasted(found.names, tuple(_columns(rows)), ", ".join(sides.texts))


def _sides(table: _Table, head: int, fields: list[list[str]], found: Pasted) -> Sides:
    """What is said next to the counts of where the truth is; ``head`` is their first line."""
    sides, names, end = Sides(), [x.lower() for x in found.names], len(table.fields)
    k, tall, wide = len(found.rows), len(fields), len(fields[-1])
    for line, blanks in zip(table.fields[:head], table.blanks, strict=False):
        for i, text in enumerate([" ".join(line)] if blanks else line):
            sides.add(text, "above" if blanks or i else "left")
    among = [text for at, text in table.titles if head + tall - k < at < end]
    if all(any(sides_of(text, "left")) for text in among):  # else names, each above its counts
        for at, text in table.titles:
            if text.lower() not in names:
                sides.add(text, "left" if head < at < end else "above")
    if tall > k and wide > k:
        left, above = shared_words(x[0] for x in fields[1:]), shared_words(fields[0][-k:])
        sides.add(" ".join(x for x in left if x not in above), "left")
        sides.add(" ".join(x for x in above if x not in left), "above")
        if len(fields[0]) > k and fields[0][0].lower() not in names:
            # pandas has the name of the columns in the corner, and that of the rows below it.
            over = any(at == head + 1 for at, _ in table.titles)
            sides.add_corner(fields[0][0], "above" if over else "left", table.blanks[-1])
    return sides


def _ends_in_sum(line: Sequence[str]) -> bool:
    """Whether the last is the sum of those before it."""
    if not all(map(is_number, line)):
        return False
    *values, last = map(float, line)
    total = sum(values)
    return abs(last - total) <= _SUM_WITHIN * total


def _hold_sums(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the last row and the last column of a square are sums of two or more levels."""
    if len(rows) < 3 or not any(float(x) for row in rows for x in row):
        return False
    return all(map(_ends_in_sum, rows)) and all(map(_ends_in_sum, _columns(rows)))


def _columns(rows: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    return list(zip(*rows, strict=True))


def _without_titles(fields: list[list[str]]) -> list[list[str]]:
    """Above the line of names there may be others, in words."""
    while len(fields) > 1 and not all(map(is_number, fields[0])):
        if any(map(is_number, fields[1])):
            break
        fields = fields[1:]
    return fields


def _without_sums(
    fields: list[list[str]],
) -> tuple[list[list[str]], list[str] | None, list[str] | None]:
    """The table without a last column and a last row that are called sums, and these."""
    right = below = None
    wide = min(map(len, fields))
    if len(fields) > 2 and _is_sum(fields[-1][0], _columns([x[-wide:] for x in fields[1:]])[1:]):
        below, fields = fields[-1][1:], fields[:-1]
    if len(fields) > 2 and _is_sum(fields[0][-1], fields[1:]):
        right, fields = [row[-1] for row in fields[1:]], [row[:-1] for row in fields]
    return fields, right, below


def _is_sum(name: str, lines: Sequence[Sequence[str]]) -> bool:
    """Whether lines of this name, or those that end in it, hold sums; a name may begin each."""
    if name.lower() in _TOTALS:
        return True
    return name.lower() in _SIZES and all(
        len(x) > 2 and (_ends_in_sum(x) or _ends_in_sum(x[1:])) for x in lines
    )


def _named(fields: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The names above and to the left, if there are any, and what remains."""
    tall, wide, first = len(fields), {len(row) for row in fields[1:]}, len(fields[0])
    if tall > 2 and wide == {tall} and first in (tall - 1, tall):
        above, rows = fields[0][1 - tall :], [row[1:] for row in fields[1:]]
        corner = first < tall or not is_number(fields[0][0])
        if corner and _go_together(_columns([above, *rows]), fields[1:]):
            return [row[0] for row in fields[1:]] if all(map(is_number, above)) else above, rows
    elif tall > 2 and wide | {first} == {tall - 1} and _are_names(_columns(fields), "row"):
        return fields[0], fields[1:]
    elif tall > 1 and wide | {first} == {tall + 1} and _are_names(fields, "column"):
        return [row[0] for row in fields], [row[1:] for row in fields]
    return [], fields


def _go_together(columns: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> bool:
    """Whether columns and rows both begin with the names of the levels."""
    above, left = [column[0] for column in columns], [row[0] for row in rows]
    if above == left:
        return True
    words = not all(map(is_number, above + left))
    if (words or sorted(above) == sorted(left)) and (
        _differ_in_order(above, left) or _differ_in_order(_bare(above), _bare(left))
    ):
        raise CountsError("the names above and to the left are not in the same order.")
    return words and _are_names(columns, "row") and _are_names(rows, "column")


def _differ_in_order(above: Sequence[str], left: Sequence[str]) -> bool:
    """Whether a name to the left appears above in another place."""
    return any(x and x in above and x != above[i] for i, x in enumerate(left))


def _bare(names: Sequence[str]) -> list[str]:
    """Names without regard to case, and without the words all of them have: pred low, pred high."""
    words = [re.split("[ _:=]+", name.lower()) for name in names]
    shared = set(words[0]).intersection(*words)
    return [" ".join(x for x in own if x not in shared) for own in words]


def _are_names(lines: Sequence[Sequence[str]], what: str) -> bool:
    """Whether lines begin with words; or with numbers that rise one by one, as counts hardly do."""
    texts = [line[0] for line in lines]
    if not all(map(is_number, texts)):
        return not any(map(_NO_NAME.fullmatch, texts))
    values = list(map(float, texts))
    if any(b - a != 1 for a, b in itertools.pairwise(values)):
        return False
    # Two counts may rise by one, and the last of each line may be the sum of its counts.
    if (len(values) == 2 and values[0] not in (0, 1)) or all(map(_ends_in_sum, lines)):
        raise CountsError(
            f"the first {what} may be names or counts: write names in words, or leave out names "
            f"and sums."
        )
    return True


def _checked(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Pasted:
    """A square of numbers, and a name for each level or none."""
    refuse_percentages(rows)
    if any(len(row) != len(rows) for row in rows):
        lengths = ", ".join(str(len(row)) for row in rows[:_SHOWN])
        raise CountsError(
            f"the counts must form a square, one row for each true level; the lengths of the rows: "
            f"{lengths}{', ...' if len(rows) > _SHOWN else ''}."
        )
    for i, row in enumerate(rows):
        for text in row:
            if not is_number(text):
                raise CountsError(f"{text[:_LETTERS]!r} in row {i + 1} is not a count.")
    if names and len(names) != len(rows):
        raise CountsError(f"there are {len(names)} names for {len(rows)} levels.")
    levels = tuple(name or str(i + 1) for i, name in enumerate(names))
    for i, name in enumerate(levels):
        if name in levels[:i]:
            raise CountsError(f"two levels are called {name[:_LETTERS]!r}.")
    return Pasted(levels, tuple(map(tuple, rows)))
