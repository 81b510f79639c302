"""What is observed: the scale, labels in positions, and counts, from arrays, frames and files."""
