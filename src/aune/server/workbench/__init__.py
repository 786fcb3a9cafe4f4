"""Texts and layers on the server: uploaded files are stored unchanged, and every action is an event in the database."""
