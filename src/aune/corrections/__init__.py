"""Corrections of keys: edits of single items, differences between two versions, and both in words."""
