"""What items and levels are called, in the singular and in the plural."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Nouns:
    """What a report calls its items and the levels of its scale, each in the singular."""

    item: str = "item"
    level: str = "class"

    @property
    def items(self) -> str:
        """Several items."""
        return many(self.item)

    @property
    def levels(self) -> str:
        """Several levels."""
        return many(self.level)

    def count(self, n: float | int) -> str:
        """Return a number of items: "1 item", "2 items"."""
        shown = f"{n:,}" if isinstance(n, int) else f"{n:,.6g}"
        return f"{shown} {self.item if n == 1 else self.items}"


def many(noun: str) -> str:
    """Return a noun in the plural.

    >>> many("class"), many("study"), many("day"), many("grade")
    ('classes', 'studies', 'days', 'grades')
    """
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def capital(text: str) -> str:
    """Return a text with a capital at its start."""
    return text[:1].upper() + text[1:]
