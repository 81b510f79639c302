"""What items, levels and clusters are called, in the singular and in the plural."""

from dataclasses import dataclass

from ordeval._shared.text import many


@dataclass(frozen=True)
class Nouns:
    """What a report calls its items, the levels of its scale and its clusters, in the singular."""

    item: str = "item"
    level: str = "class"
    cluster: str = "cluster"

    @property
    def items(self) -> str:
        """Several items."""
        return many(self.item)

    @property
    def levels(self) -> str:
        """Several levels."""
        return many(self.level)

    @property
    def clusters(self) -> str:
        """Several clusters."""
        return many(self.cluster)

    def count(self, n: float | int) -> str:
        """Return a number of items: "1 item", "2 items"."""
        shown = f"{n:,}" if isinstance(n, int) else f"{n:,.6g}"
        return f"{shown} {self.item if n == 1 else self.items}"
