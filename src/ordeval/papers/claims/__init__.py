"""What the papers claim in words, computed; and the experiments that they describe."""
