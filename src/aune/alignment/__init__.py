"""Locate the words and characters of a response's text in the key's text, independently of the task."""
