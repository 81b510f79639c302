"""Comparisons of scores that were computed before, over cases or over folds."""
