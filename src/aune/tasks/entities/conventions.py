"""The conventions for entity scores, by name.

`optimal` pairs key and response entities so that the measure is best, in whatever order they come. `hipe` gives the
numbers of the HIPE scorer (and of the SemEval 2013 scorer that it comes from), which takes the first overlap,
folds the case of labels, and leaves out entities whose label the key does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

Undefined: TypeAlias = Annotated[Literal["zero", "one", "none"], "what a ratio without a denominator is worth"]

CONVENTIONS: Mapping[str, Mapping[str, Any]] = {
    "optimal": {"pairing": "optimal", "undefined": "zero"},
    "hipe": {"pairing": "first", "undefined": "zero", "case": "fold", "among": ("key",)},
}
