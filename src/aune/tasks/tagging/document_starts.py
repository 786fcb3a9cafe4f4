"""Document boundaries in line formats, shared by their readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.reading.source import Source

Documents: TypeAlias = Annotated[
    Literal["file", "newdoc"], "what a document is: the whole file, or what follows each '# newdoc id = …' line"
]
NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*\S))?\s*")


def document_starts(source: Source, lines: Sequence[str], kinds: NDArray[Any], documents: str) -> list[tuple[int, str]]:
    """The line (from 0) at which each document begins, and its name ('' for the name of the file)."""
    if documents == "file":
        return [(0, "")]
    starts: list[tuple[int, str]] = []
    marks = [(number, match) for number in np.flatnonzero(kinds == 1).tolist()
             if (match := NEWDOC.fullmatch(lines[number]))]  # fmt: skip
    ordinals = source.number_records((source.file_line(number + 1), "") for number, _ in marks)
    for (number, match), (ordinal, _, _) in zip(marks, ordinals, strict=True):
        starts.append((number, match[1] or f"document {ordinal}"))
        source.is_standalone &= lines[number].startswith("# newdoc")  # otherwise the numbers of documents are unknown
    data = np.flatnonzero(kinds == 2)
    if not starts or (len(data) and data[0] < starts[0][0]):
        starts.insert(0, (0, ""))
        source.is_standalone &= (
            not source.documents_before
        )  # otherwise a comment looked like the beginning of a document
    return starts
