"""Ratings of items by several raters: the noun, its facts, and tables of ratings as they come."""

from ordeval.data.ratings.noun import Ratings, as_ratings

__all__ = ["Ratings", "as_ratings"]
