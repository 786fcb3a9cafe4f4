"""Simple systems for anaphora. They are given the anaphors of the key and their candidates, and choose."""
