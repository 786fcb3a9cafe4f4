"""Align words of the response with words of the key."""
