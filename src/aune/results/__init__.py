"""Rows of counts, the result made of them, their storage, and gates."""
