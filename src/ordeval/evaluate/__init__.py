"""The verbs: score, compare, thresholds, judge, plan and the others."""
