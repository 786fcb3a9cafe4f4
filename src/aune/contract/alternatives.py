"""Keys that leave a choice: a document with several right answers.

A task says what a key leaves open as `KeyChoices`; the evaluation makes the keys that these mean and takes the best one
for each document and measure (`evaluation/alternatives.py`). Comparisons and measures see ordinary keys only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class KeyChoices(NamedTuple):
    """One key of a document, with what it leaves open."""

    sizes: tuple[int, ...]
    """How many alternatives each choice has, in an order that depends on their content alone."""
    make: Callable[[Sequence[int]], Any]
    """`make(alternatives)`: the key with one alternative of each choice; 0 is what the document itself says."""

    order: Callable[[Any], Any]
    """`order(key)`: what sorts such keys by their content."""

    @property
    def combinations(self) -> int:
        """How many keys it stands for."""
        return math.prod(self.sizes)
