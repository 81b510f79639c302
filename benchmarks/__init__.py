"""Speed and correctness, measured: ``make bench``, or one part: ``python -m benchmarks.core``."""
