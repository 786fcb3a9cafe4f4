"""Corrections of keys: edits of single items, what differs between two versions, and both in words."""
