"""Simple systems for coreference. They are given the mentions of the key, and group them."""
