"""What the measures share: array operations, paths, checks, facts, references."""
