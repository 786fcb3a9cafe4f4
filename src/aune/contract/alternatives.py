"""Keys with a choice: documents with several right answers.

A task describes the choices of a key as `KeyChoices`. The evaluation makes the keys that are possible and uses the best
one for each document and measure (`evaluation/alternatives.py`). Comparisons and measures see ordinary keys only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class KeyChoices(NamedTuple):
    """One key of a document, with its choices."""

    sizes: tuple[int, ...]
    """The number of alternatives of each choice, in an order that depends on their content alone."""
    make: Callable[[Sequence[int]], Any]
    """`make(alternatives)`: the key with one alternative of each choice; 0 is the one in the document itself."""

    order: Callable[[Any], Any]
    """`order(key)`: a sort key for such keys, by their content."""

    @property
    def combinations(self) -> int:
        """The number of possible keys."""
        return math.prod(self.sizes)
