"""Whether annotators worked on the same text, and write labels in the same way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

OTHER_TEXT = "the texts of annotators differ, and positions are compared as they are"
OTHER_CASE = "annotators write the same labels in different cases, which count as other labels"


def count_text_differences(texts: Sequence[Any]) -> dict[str, int]:
    """1 if the texts of a document are not all the same; None is the text of an annotator whose file has none.

    >>> count_text_differences([["a", "b"], None, ["a"]])[OTHER_TEXT]
    1
    """
    known = [text for text in texts if text is not None]
    return {OTHER_TEXT: int(any(text != known[0] for text in known[1:]))}


def count_case_differences(labels: Sequence[Collection[str]]) -> dict[str, int]:
    """1 if a label of one annotator equals another's except for case, and the other does not use that spelling.

    >>> count_case_differences([{"PER"}, {"per", "LOC"}])[OTHER_CASE]
    1
    """
    spellings: dict[str, set[frozenset[str]]] = {}
    for annotator_labels in labels:
        for label in {label.lower() for label in annotator_labels}:
            names = frozenset(name for name in annotator_labels if name.lower() == label)
            spellings.setdefault(label, set()).add(names)
    return {OTHER_CASE: int(any(len(sets) > 1 for sets in spellings.values()))}
