"""What the measures of entities leave open."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

Undefined: TypeAlias = Annotated[Literal["zero", "one", "none"], "what a ratio without a denominator is worth"]
