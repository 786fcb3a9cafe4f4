"""Which items of a key deserve a second look: what speaks against each, and what a correction would change."""
