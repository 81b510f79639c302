"""The tests; as a regular package, because a peer of the benchmarks installs one of this name."""
