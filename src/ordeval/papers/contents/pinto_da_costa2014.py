"""The passages of Pinto da Costa, Alonso & Cardoso 2014."""

from typing import Final

from ordeval.papers.contents._passage import passages

PASSAGES: Final = passages("""
p. 1, text // why a coefficient of order // not: nothing to compute
Table 1 // two variables of four objects // Table 1
p. 2, S1 and S2 // their ordered pairs // Table 1: S1; Table 1: S2
Figure 1 // the intersection // Figure 1
p. 2, r_int // the coefficient, with A = −1 and B = 2 // Table 1: r_int; Formula: r_int from
p. 2, text // 1 if identical, −1 if opposite // Formula: r_int is 1; Formula: With ties
p. 2, table // counts of true and predicted classes // Formula: The table formula
p. 2, card // the sizes of the sets // Formula: The table formula; Formula: lower limits
p. 2, text // the error of 2008 // Formula: the formula of 2008
p. 2, text // terms of order K⁴ // Formula: The sum over
p. 2, last formula // r_int from the table // Formula: r_int from
""")
