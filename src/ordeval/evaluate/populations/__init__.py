"""Populations that a question is about: target shares, and several tasks."""
