"""Transcripts: models that measures need, and what comes after them."""
