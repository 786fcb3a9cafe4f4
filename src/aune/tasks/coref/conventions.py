"""The two conventions for coreference scores, by name.

`conll` gives the numbers of the official CoNLL scorer 8.01: mentions that only one side has stay on that side, and a
ratio without a denominator is 0. `partition` is the 1999 definition: each side is completed with the other's mentions
as singletons, and a ratio without a denominator is 1, since nothing could go wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

Undefined: TypeAlias = Annotated[Literal["zero", "one", "none"], "what a ratio without a denominator is worth"]

CONVENTIONS: Mapping[str, Mapping[str, Any]] = {
    "conll": {"mentions": "conll", "undefined": "zero"},
    "partition": {"mentions": "complete", "undefined": "one"},
}
