"""Reference resolution: which expressions of a text denote the same entity."""
