"""Syntax that formats of several tasks share, parsed into records with positions; the formats interpret them."""
