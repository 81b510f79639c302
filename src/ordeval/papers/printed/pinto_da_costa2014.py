"""What Pinto da Costa, Alonso & Cardoso 2014 print."""

from typing import Final

# Table 1: two ordinal variables of four objects; below it, the sets of their ordered pairs.
V1: Final = (3, 2, 1, 4)
V2: Final = (1, 2, 3, 4)
S1: Final = frozenset({(1, 4), (2, 1), (2, 4), (3, 1), (3, 2), (3, 4)})
S2: Final = frozenset({(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)})
ELEMENTS_OF_BOTH: Final = "3"
R_INT: Final = 0.0
