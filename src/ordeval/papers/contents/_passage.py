"""A passage of a paper: where it stands, what it holds, and where it is tried or why it is not."""

from collections.abc import Sequence
from dataclasses import dataclass

from ordeval.papers._values import Value


@dataclass(frozen=True)
class Passage:
    """A passage, with the exhibits that try it or the reason why none does.

    An exhibit stands for all of its values; "Section 3: Every monotone" for those of its rows that
    begin with these words.
    """

    place: str
    what: str
    tried: tuple[str, ...] = ()
    why: str = ""

    def values(self, of_paper: Sequence[Value]) -> list[Value]:
        """The values of a reproduction that try it."""
        return [v for v in of_paper if any(_named(name, v) for name in self.tried)]


def _named(name: str, value: Value) -> bool:
    exhibit, _, words = name.partition(": ")
    return value.exhibit == exhibit and value.row.startswith(words)


def passages(text: str) -> tuple[Passage, ...]:
    """One passage for each line: place // what it holds // exhibits, or the reason after "not:".

    >>> passages("Eq. 1 // the mean // Table 1; Section 3: The mean")[0].tried
    ('Table 1', 'Section 3: The mean')
    >>> passages("Ref. 4 // a book // not: nothing to compute")[0].why
    'nothing to compute'
    """
    made = []
    for line in filter(None, map(str.strip, text.splitlines())):
        place, what, where = line.split(" // ")
        if where.startswith("not: "):
            made.append(Passage(place, what, why=where.removeprefix("not: ")))
        else:
            made.append(Passage(place, what, tuple(where.split("; "))))
    return tuple(made)
