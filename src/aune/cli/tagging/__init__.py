"""Taggers: their zones, and tables of correspondence."""
