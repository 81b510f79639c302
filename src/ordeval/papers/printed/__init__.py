"""What the five papers print, as data: the one place of every printed figure.

Rows of matrices are true classes and columns predicted ones, whichever way a paper prints them.
Values are texts, so that their digits are those in print.
"""

from ordeval.papers.printed import (
    amigo2020,
    cardoso2011,
    george2016,
    pinto_da_costa2014,
    silva2018,
)

__all__ = ["amigo2020", "cardoso2011", "george2016", "pinto_da_costa2014", "silva2018"]
