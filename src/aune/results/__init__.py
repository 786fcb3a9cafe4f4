"""Rows of counts, the results made of them, their storage, and gates."""
