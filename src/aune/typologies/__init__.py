"""Typologies of entities: the labels of a corpus, and how they nest."""
