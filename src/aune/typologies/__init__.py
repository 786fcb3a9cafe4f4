"""Typologies of entities: the labels a corpus knows, and how they nest."""
