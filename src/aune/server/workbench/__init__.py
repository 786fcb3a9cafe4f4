"""Texts and layers on the server: files are kept as they came, every action is an event in the database."""
