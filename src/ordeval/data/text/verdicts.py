"""What a judge states as its label, in a sentence that can be followed from its start to its end.

A label is stated after a noun (Score: 4), after a verb (I would give this a 4), in a tag, or alone.
The whole sentence before it must be understood, and nothing behind it may take it back: no other
number, no doubt, no correction. Every search is bounded, so that time is linear in the text.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ordeval.data.text import answer_words as words
from ordeval.data.text.level_notation import Found, Notation, Reason
from ordeval.data.text.objections import Objections
from ordeval.data.text.phrases import (
    ARROWS,
    CLOSERS,
    DASHES,
    LINKS,
    OPENERS,
    QUOTES,
    SENTENCE_ENDS,
    SaidValue,
)

_LEAD: Final = 40  # tokens before a statement in its sentence
_OBJECT: Final = 12  # tokens between a verb and its label
_NEAR: Final = 4  # tokens behind "score:" in which a number is one that cannot be read
_STATING: Final = frozenset(("word", "tag", "number", "label"))
_EXAMPLES: Final = frozenset(("example", "format", "template", "rubric", "instruction"))
_BULLETS: Final = frozenset("#-–—•·")


class Statement(NamedTuple):
    """A label that is stated, or why what is stated is none."""

    found: Found
    end: int
    marked: bool = False  # with its range, so that no other one can be meant
    conditional: bool = False  # "I would give it a 4", which "but" may follow


class Verdicts(Objections):
    """The statements of a text."""

    def __init__(self, notation: Notation, text: str) -> None:
        super().__init__(notation, text)
        asked = "question" in self.texts
        self._question = self.texts.index("question") if asked else self.size
        self.statements: list[Statement] = []
        self.on_lines: list[Found] = []  # alone on a line, but not said to be the label
        self.unclear: list[Reason] = []  # statements that cannot be followed to their end

    def found(self) -> list[Found]:
        """What the statements say; nothing if there is none."""
        for i in range(self.size):
            if self.kinds[i] in _STATING:
                stated = self._statement(i)
                if stated is not None:
                    self.statements.append(stated)
        if not self.statements:
            return list(self.unclear[:1])
        said = [x.found for x in self.statements] + self.on_lines
        value = said[0]
        if any(isinstance(x, Reason) or x != value for x in said):
            return said
        last = self.statements[-1]
        objection = self.objection(last.end, value, conditional=last.conditional)
        if objection is None and not all(x.marked for x in self.statements):
            objection = self.other_range(last.end)
        return [value if objection is None else objection]

    def _statement(self, i: int) -> Statement | None:
        """The statement that begins with a noun, a verb, a tag or a label."""
        kind, text = self.kinds[i], self.texts[i]
        if kind == "word":
            stated = self._by_noun(i) if text in words.NOUNS else None
            if stated is None and (text in words.VERBS or text in words.STATES):
                stated = self._by_verb(i)
            return stated
        if kind == "tag":
            return self._by_tag(i)
        return self._alone(i) if kind == self.notation.kind else None

    # Score: 4; the score is 4; # Score

    def _by_noun(self, i: int) -> Statement | None:
        after = i + 1
        while self.texts[after] in QUOTES:
            after += 1
        before, (stated_range, after) = after, self.remark(after)
        if not self._is_about_range(before, after):
            return None
        after = self.closed(after)
        out_of = self.stated_range(before)
        if out_of is not None and self.texts[out_of[1]] in LINKS:  # Score out of 5: 4
            stated_range, after = out_of
        link, after = self._link(i, after)
        if link is None or not self._leads(self._without_modifiers(i - 1)):
            return None
        start = self.opened(after, lines=link in (":", "line"))
        lined = "line" in self.kinds[after:start]
        if self.texts[start] in words.ARTICLES and self.kinds[start] == "word":
            start += 1 + (self.texts[start + 1] in words.ARTICLES)
        value = self.value(self.opened(start))
        if self.texts[i] == "answer" and self._question < i:
            return Statement(Reason.NOT_ALONE, start)  # of that question
        if value is None:
            return self._unreadable(i, start, link)
        if stated_range is not None:
            value = value._replace(
                found=self.notation.ranged(value.found, stated_range), marked=True
            )
        return self._noun_statement(link, value, lined=lined)

    def _is_about_range(self, start: int, end: int) -> bool:
        """Whether a remark says how to grade, and not whose label it is: (previous)."""
        return all(
            self.kinds[i] != "word" or self.texts[i] in words.REMARKS for i in range(start, end)
        )

    def _noun_statement(self, link: str, value: SaidValue, *, lined: bool) -> Statement | None:
        # On the next line may stand the first point of a list: 1. The style ...
        clear = (
            self.ends_line(value.end) is not None
            if lined or link == ""
            else self.ends_well(value.end, concedes=True)
        )
        if clear:
            return Statement(value.found, value.end, value.marked, link == "would")
        reason = self.trailing(value.end, value.found)
        if link == ":":
            return Statement(reason, value.end)
        self.unclear.append(reason)
        return None

    def _link(self, noun: int, i: int) -> tuple[str | None, int]:
        """What joins a noun to its label, and the token behind that; None for nothing."""
        i = self._of_what(i)
        text = self.texts[i]
        if text in LINKS:
            i += 1 + (self.texts[i + 1] in LINKS)
            return ":", i
        if text == "|":
            return "|", i + 1
        if text in ARROWS:
            return "-", i + 1
        if text in DASHES:
            signed = self.notation.range is not None and (self.notation.range.low or 0) < 0
            return (None if signed else "-"), i + 1
        if text == "is" and not (self.texts[noun] == "answer" and self.notation.range is None):
            i += 1
            if self.texts[i] in words.ADVERBS:
                i += 1
            return "is", i + (self.texts[i] == ":")
        if text == "would" and self.texts[i + 1] == "be" and self.texts[noun - 1] == "my":
            return "would", i + 2
        if self.kinds[i] == "line":
            return "line", i
        alone = self.texts[noun] in words.SPACE_NOUNS and self.kinds[i] == self.notation.kind
        return ("" if alone else None), i

    def _of_what(self, i: int) -> int:
        """The token behind "for this response" or "I assign", where "is" follows."""
        end = i
        if self.texts[i] in words.I_WORDS | words.I_WOULD:
            end = i + 1 + (self.texts[i + 1] in words.MODALS)
            end = end + 1 if self.texts[end] in words.VERBS else i
        elif self.texts[i] == "for":
            end = i + 1
            while end < i + _NEAR and self.texts[end] in words.SUBJECTS:
                end += 1
        return end if self.texts[end] == "is" else i

    def _unreadable(self, noun: int, start: int, link: str) -> Statement | None:
        """What "score:" says that is followed by a number that cannot be read."""
        if link != ":":
            return None
        near = _NEAR if self.texts[noun] in words.PLAIN_NOUNS else 1
        for i in range(start, min(start + near, self.size)):
            if self.texts[i] in SENTENCE_ENDS or self.kinds[i] in ("line", "tag"):
                break
            if self.is_number_word(i):
                return Statement(Reason.IN_WORDS, i)
            if self.kinds[i] in ("odd", "number", "begun"):
                return Statement(self.trailing(start, Reason.NOT_ALONE), i)
        return None

    # I would give this a 4; it deserves a 4

    def _by_verb(self, i: int) -> Statement | None:
        before, conditional = self._subject(i)
        if before is None or not self._leads(before):
            return None
        j = i + 1
        for _ in range(_OBJECT):
            value = self.value(self.opened(j))
            article = self.texts[j] in words.ARTICLES and self.kinds[j + 1] == self.notation.kind
            if value is not None and not article:  # this a B
                break
            if self.texts[j] not in words.OBJECTS:
                return None
            j += 1
        else:
            return None
        if self.texts[i] in ("is", "it's") and (
            j == i + 1 or self.texts[j - 1] not in words.ARTICLES or self.notation.range is None
        ):
            return None
        if self._numbers_a_thing(i, j) and not value.marked:
            return None
        if not self.ends_well(value.end):
            self.unclear.append(self.trailing(value.end, value.found))
            return None
        return Statement(value.found, value.end, value.marked, conditional)

    def _numbers_a_thing(self, verb: int, value: int) -> bool:
        """Whether a label is the name of what was judged: I choose answer 4; but: this answer 4."""
        if self.texts[value - 1] not in words.THINGS:
            return False
        determined = self.texts[value - 2] in words.DETERMINERS or self.texts[value - 2] == "that"
        return self.texts[verb] in words.CHOOSING or not determined

    def _subject(self, verb: int) -> tuple[int | None, bool]:
        """The token before the subject of a verb, None if no judge speaks; whether it would."""
        i = verb - 1
        while i >= 0 and self.texts[i] in words.ADVERBS:
            i -= 1
        if i < 0:
            return (-1 if self.texts[verb] == "it's" else None), False
        text = self.texts[i]
        if self.texts[verb] == "it's":
            return i, False
        if self.texts[verb] in words.VERBS:
            if text in words.I_WOULD:
                return i - 1, True
            if text in words.MODALS and i and self.texts[i - 1] in words.I_WORDS:
                return i - 2, text == "would"
            if text in words.I_WORDS:
                return i - 1, False
        if self.texts[verb] in words.STATES:
            j = i
            while j >= 0 and self.texts[j] in words.SUBJECTS:
                j -= 1
            return (j if j < i else None), False
        return None, False

    # <score>4</score>

    def _by_tag(self, i: int) -> Statement | None:
        name, _, measured = self.texts[i].partition(" ")
        *modifiers, noun = name.replace("-", "_").split("_")
        if noun not in words.NOUNS or not words.MODIFIERS.issuperset(modifiers):
            return None
        around = i - 1
        while around > 0 and self.kinds[around] == "line":
            around -= 1
        if measured or (i and self.texts[around].removesuffix("s") in _EXAMPLES):
            return Statement(Reason.NOT_ALONE, i + 1)
        start = self.opened(i + 1, lines=True)
        value = self.value(start)
        if value is None:
            odd = self.kinds[start] in ("odd", "begun")
            return Statement(Reason.NOT_ALONE, start) if odd else None
        end = self.ends_line(value.end)
        while end is not None and self.kinds[end] == "line":
            end += 1
        if end is None or self.texts[end] != f"/{self.texts[i]}":
            return Statement(self.trailing(value.end, value.found), value.end)
        return Statement(value.found, value.end, value.marked)

    # 4 at the start or the end; 4/5 or [[4]] as a sentence

    def _alone(self, i: int) -> Statement | None:
        start = i - 1
        while start >= 0 and (self.texts[start] in OPENERS or self.kinds[start] == "box"):
            start -= 1
        value = self.value(i)
        if value is None:
            return None
        boxed = self.kinds[i - 1] == "box" if i else False
        if not self.ends_well(value.end):
            return Statement(Reason.NOT_ALONE, value.end) if boxed else None
        line_end = self.ends_line(value.end)
        if start < 0 and self._opens(value, line_end):
            return Statement(value.found, value.end, value.marked)
        if self.notation.range is not None and (value.marked or boxed or self._concludes(start)):
            plain_end = boxed or value.marked or self.texts[self.closed(value.end)] in ".!"
            if (line_end is not None or plain_end) and self._leads(start):
                return Statement(value.found, value.end, value.marked)
        if line_end is not None and self.kinds[start] in ("line", "tag"):
            if self._is_last_line(start, line_end):
                return Statement(value.found, value.end, value.marked)
            self.on_lines.append(value.found)
        return None

    def _opens(self, value: SaidValue, line_end: int | None) -> bool:
        """Whether a label at the start of the text is stated: 4 - good; but not 4. The style."""
        if line_end is not None:
            return True
        if self.notation.range is None:
            return False
        after = self.closed(value.end)
        if self.texts[after] == "(":
            _, behind = self.remark(after)
            return behind > after and self.ends_line(behind) is not None
        return self.texts[after] != "." or value.marked

    def _concludes(self, i: int) -> bool:
        """Whether a label is a conclusion: therefore, 4."""
        if i > 0 and self.texts[i] in (",", ":"):
            i -= 1
        return i >= 0 and self.texts[i] in words.CONCLUDING

    def _is_last_line(self, before: int, end: int) -> bool:
        """Whether nothing comes after a line, and a sentence ends before it."""
        while self.kinds[end] in ("line", "tag"):
            end += 1
        if self.kinds[end] != "end" or before < 1:
            return False
        before -= 1
        while before > 0 and (self.texts[before] in CLOSERS or self.kinds[before] == "line"):
            before -= 1
        return self.kinds[before] == "tag" or self.texts[before] in ".!?。！？"

    # The sentence before a statement

    def _without_modifiers(self, i: int) -> int:
        while i >= 0 and (
            self.texts[i] in words.MODIFIERS
            or (self.texts[i] in words.NOUNS and self.texts[i] != "answer")
        ):
            i -= 1
        return i

    def _leads(self, i: int) -> bool:
        """Whether all that comes before a statement in its sentence, up to here, leads to it."""
        lowest = i - _LEAD
        start = i
        while i > lowest:
            if self._bounds(i):
                return self._is_own(i)
            text = self.texts[i]
            leads = text in words.LEADS or text in _LEADING_MARKS or self.is_symbol(i)
            if not leads:
                break
            i -= 1
        else:
            return False
        # A clause of its own: Given the errors, ...; it is clear, so ...
        if i == start or self.texts[i + 1] != ",":
            return False
        concludes = self.texts[i + 2] in words.CONCLUDING
        return self._is_introduction(i, lowest, concludes=concludes)

    def _is_introduction(self, i: int, lowest: int, *, concludes: bool) -> bool:
        while i > lowest and not self._bounds(i):
            text = self.texts[i]
            about = text.removesuffix("'s").removesuffix("s'")
            if about in words.INTRODUCED or text in QUOTES or text == ":" or text.endswith("n't"):
                return False
            i -= 1
        return i > lowest and (concludes or self.texts[i + 1] in words.OPENING) and self._is_own(i)

    def _bounds(self, i: int) -> bool:
        """Whether a sentence begins behind a token, or a field of JSON."""
        if i < 0 or self.kinds[i] in ("line", "tag") or self.texts[i] in SENTENCE_ENDS:
            return True
        return self.texts[i] == "," and self.texts[i + 1] in QUOTES

    def _is_own(self, i: int) -> bool:
        """Whether what begins behind a token is no example or quotation, such as "Format:"."""
        headed = i > 0 and self.kinds[i] == "line" and self.texts[i - 1] not in SENTENCE_ENDS
        if i < 1 or not (headed or self.texts[i - 1] == ":"):
            return True
        for j in range(i - 1, max(i - 1 - _LEAD, -1), -1):
            if self.kinds[j] in ("line", "tag") or self.texts[j] in SENTENCE_ENDS:
                break
            if self.texts[j].removesuffix("'s") in words.QUOTING:
                return False
        return True


_LEADING_MARKS: Final = frozenset({",", ":"}) | OPENERS | _BULLETS
