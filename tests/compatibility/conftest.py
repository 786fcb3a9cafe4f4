"""Leaves out `make.py`, which runs with the aune of another commit."""

from __future__ import annotations

collect_ignore = ["make.py"]
