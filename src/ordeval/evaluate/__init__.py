"""The functions: score, compare, thresholds, judge, plan and the others."""
