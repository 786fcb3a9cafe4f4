"""Pair entities of the key with entities of the response: flat spans, trees, and entities with all their mentions."""
