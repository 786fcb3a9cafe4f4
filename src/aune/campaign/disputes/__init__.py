"""Disputes about a key: proposals, their resolution, and how edits are described."""
