"""What the tasks' strategies share: texts with names, out of pairs of a key and a response."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Corpora = tuple[dict[str, Any], dict[str, Any]]


def named_texts(pairs: st.SearchStrategy[tuple[Any, Any]], name: str = "document") -> st.SearchStrategy[Corpora]:
    """One to four texts by name, of the key and of the response."""
    return st.lists(pairs, min_size=1, max_size=4).map(lambda sides: (_side(sides, 0, name), _side(sides, 1, name)))


def _side(pairs: list[tuple[Any, Any]], side: int, name: str) -> dict[str, Any]:
    return {f"{name} {number}": pair[side] for number, pair in enumerate(pairs)}
