"""How sure: intervals, paired tests and corrections for many of them, all from counts."""
