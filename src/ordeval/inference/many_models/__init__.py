"""Several models at once: all pairs, ranks, the set that may hold the best."""
