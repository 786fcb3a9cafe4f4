"""Plain algorithms on numbers and collections, independent of language; of aune they only import errors."""
