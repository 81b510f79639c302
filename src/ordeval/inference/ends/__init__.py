"""The ends of intervals: links, t intervals, skewed ones, those of draws, and ends of ranges."""
