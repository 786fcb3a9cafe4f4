"""Plain algorithms on numbers and collections: they know nothing of language, and import nothing of aune but errors."""
