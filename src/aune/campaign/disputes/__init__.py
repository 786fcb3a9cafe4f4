"""Disputes about a key: proposals and their resolution."""
