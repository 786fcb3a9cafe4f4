"""The conventions for coreference scores, by name.

`conll` produces the numbers of the official CoNLL scorer 8.01: mentions of one side only stay on that side, and a
ratio without a denominator is 0. `partition` is the 1999 definition: each side is completed with the other's mentions
as singletons, and a ratio without a denominator is 1, because nothing could go wrong. `corefud` is the official score
of the CRAC shared tasks on CorefUD since 2024: like `conll`, but mentions are matched by heads and zeros by their
dependencies, singletons are dropped, and BLANC covers the link types that either side has. `universal_anaphora` is the
setting of the CODI-CRAC shared tasks: like `conll`, with singletons, split antecedents and the same BLANC; bridging
and non-referring expressions have separate measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

Undefined: TypeAlias = Annotated[Literal["zero", "one", "none"], "what a ratio without a denominator is worth"]

CONVENTIONS: Mapping[str, Mapping[str, Any]] = {
    "conll": {"mentions": "conll", "undefined": "zero"},
    "partition": {"mentions": "complete", "undefined": "one", "taken": "empty"},
    "corefud": {
        "mentions": "conll", "undefined": "zero", "match": "head", "zeros": "dependent", "singletons": "drop",
        "links": "either",
    },
    "universal_anaphora": {
        "mentions": "conll", "undefined": "zero", "match": "exact", "singletons": "keep", "links": "either",
        "split_antecedents": "count",
    },
}  # fmt: skip
