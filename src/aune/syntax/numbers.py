"""Numbers in the text of files, in the notation that all tools share."""

from __future__ import annotations

from math import isfinite


def parse_number(text: str) -> float | None:
    """A finite decimal number in ASCII digits, or None: only Python accepts `1_0`, and digits of other alphabets.

    >>> parse_number("-1.5e3"), parse_number("1_0"), parse_number("١"), parse_number("infinity")
    (-1500.0, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and text.isascii() and "_" not in text else None
