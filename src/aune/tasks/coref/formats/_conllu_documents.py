"""Documents in formats built on CoNLL-U: where they begin, what is said of them, and the nodes that they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from aune.reading.source import Source
from aune.syntax.conllu import Node, records
from aune.tasks.coref.model import STEP

HALF = STEP // 2
"""Empty nodes that begin a sentence stand so far behind the last word, and those that end the one before nearer."""


@dataclass(eq=False)
class Heading:
    """What comes before the nodes of a document: its name, its line, and its attributes."""

    id: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)


NodeRow: TypeAlias = tuple[Heading | None, Node | None, str]
"""A node of a document, None where the document begins; and what the file says, up to here, in a comment that was asked
for. There is no heading while there is nothing but multiword tokens."""


def headed_rows(
    source: Source, comment: str, width: int | None = None, blanks: bool = False
) -> Iterator[tuple[Heading | None, Iterator[NodeRow]]]:
    """The documents of a file, each from its `# newdoc`; a file without one is one document, named as the file."""
    return groupby(_rows(source, comment, width, blanks), key=itemgetter(0))


def _rows(source: Source, comment: str, width: int | None, blanks: bool) -> Iterator[NodeRow]:
    heading, number, comment_value = None, 0, ""
    for record in records(source, width, blanks):
        if isinstance(record, Node):
            if heading is None and not record.last:
                heading = Heading(source.stem, record.number)
            yield heading, record, comment_value
        elif record.name == comment:
            comment_value = record.value
        elif record.name == "newdoc":
            number += 1
            source.is_standalone &= bool(record.value) or not source.is_piece  # where documents are numbered
            heading = Heading(record.value or f"document {number}", record.number)
            yield heading, None, comment_value
        elif record.name.startswith("meta::") and heading and record.value:
            heading.attributes[record.name.removeprefix("meta::")] = record.value


def word_nodes(rows: Iterator[NodeRow]) -> Iterator[tuple[Node, str]]:
    """The words and empty nodes of a document, each with what the comment says before it."""
    return ((node, comment_value) for _, node, comment_value in rows if node and not node.last)
