"""What only probabilities and scores need."""
