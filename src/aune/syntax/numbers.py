"""Numbers in the text of files, as every tool writes them."""

from __future__ import annotations

from math import isfinite


def number(text: str) -> float | None:
    """A finite decimal number in ASCII digits, or None: Python alone reads `1_0`, and digits of other alphabets.

    >>> number("-1.5e3"), number("1_0"), number("١"), number("infinity"), number("nan"), number("1e999")
    (-1500.0, None, None, None, None, None)
    """
    try:
        found = float(text)
    except ValueError:
        return None
    return found if isfinite(found) and text.isascii() and "_" not in text else None
