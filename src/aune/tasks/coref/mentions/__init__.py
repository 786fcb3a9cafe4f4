"""Mentions before they are grouped: what is known of each, which are the same on both sides, which are scored."""
