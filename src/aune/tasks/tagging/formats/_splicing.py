"""What splicers of tagged texts share: documents beside those of the file, and cells of a table that change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aune.reading.source import Source
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.syntax.splicing import pair_documents
from aune.tasks.tagging.model import Document


def pair_with_file(
    source: Source, before: Sequence[Document], after: Sequence[Document]
) -> Iterator[tuple[Document, Document]]:
    """Each document of the file with its new version; refused unless order and texts are those of the file."""
    return pair_documents(source, before, after, lambda document: (document.words.values(), document.surface.values()))


def change_cell(edits: Edits, lines: Lines, line: int, place: int, old: str, new: str) -> None:
    """Put another value into a cell, which a short line gets first.

    Nothing is `_`: a token such as `#` would be a comment without it.
    """
    if old == new:
        return
    new = new or "_"
    missing = place - lines.lines[line - 1].count("\t")
    start, end = lines.cell(line, place)
    if missing > 0:
        edits.insert(end, "\t_" * (missing - 1) + f"\t{new}")
    else:
        edits.replace(start, end, new)
