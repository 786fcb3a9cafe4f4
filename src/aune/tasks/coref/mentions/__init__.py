"""Mentions without regard to chains: what is known of each, which ones match, and which ones are scored."""
