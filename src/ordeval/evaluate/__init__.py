"""The doors: score, compare, cases, recommend, scorers."""
