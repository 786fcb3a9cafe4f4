"""Which entity of the key goes with which of the response: flat spans, trees, and entities with all their mentions."""
