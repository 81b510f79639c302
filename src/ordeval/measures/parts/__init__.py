"""Parts shared by the measures: array operations, paths, checks, facts, references."""
