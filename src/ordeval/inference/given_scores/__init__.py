"""Tests on scores that users bring: over folds, cases and data sets."""
