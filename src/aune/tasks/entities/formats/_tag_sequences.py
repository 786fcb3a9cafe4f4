"""What formats with tags have to say about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from aune.contract.notes import Note
from aune.errors import Remedy
from aune.reading.source import Source
from aune.tasks.entities.model import Document, Tags, document_from_columns
from aune.tasks.entities.python_inputs import is_tag
from aune.tasks.entities.tags import DecodedTags, decode_tags, is_doubtful, tag_numbers

COLUMN_AMBIGUOUS = "column.ambiguous"


def evidence_collector(source: Source, column: str = "") -> Callable[[set[str]], Collection[str]]:
    """What speaks for and against schemes in a column of the whole file, where a piece of it is read."""

    def collect(signs: set[str]) -> Collection[str]:
        everywhere = source.survey.ask(f"scheme of {column} in {source.name}", signs)
        source.is_standalone &= not (source.is_piece and is_doubtful(everywhere))
        return everywhere

    return collect


def report_rival_columns(source: Source, rows: Sequence[Sequence[str]], line: int) -> bool:
    """Refuse a table whose last column has its labels in common with another one: a key beside a response.

    Chunks beside entities, as in CoNLL-2003, share no label.
    """
    width = min(map(len, rows), default=0)
    if width < 3:
        return False
    labels = [{cell.strip().partition("-")[2] for cell in column} - {""} for column in zip(*rows, strict=False)]
    rivals = [
        number
        for number in range(1, width - 1)
        if labels[number] & labels[width - 1] and all(is_tag(row[number].strip()) for row in rows)
    ]
    if not rivals or any(len(row) != width for row in rows):
        return False
    columns = str(rivals[0] + 1), str(width)
    source.add_problem(
        COLUMN_AMBIGUOUS, line, 1,
        found=f"tags with the same labels in the columns {' and '.join(columns)}", expected="one column of tags",
        remedies=[Remedy("say which is meant", (("column", columns[0]), ("response_column", columns[1])))],
    )  # fmt: skip
    return True


def report_bad_tag(source: Source, line: int, text: str, tag: str) -> None:
    """A cell that contains no tag."""
    if tag == "":
        column = len(text.rstrip()) + 1
        source.add_problem(
            "tag.missing",
            line,
            column,
            found="no tag",
            expected="one in the tag column",
            remedies=["add it, such as O"],
        )
        return
    source.add_problem(
        "tag.malformed",
        line,
        text.rfind(tag) + 1,
        found=f"{tag!r}",
        expected="O or a tag such as B-PER",
        remedies=["mend it, or choose the right column"],
    )


REPAIRS = (
    Remedy("read them as conlleval does", (("repair", "conlleval"),)),
    Remedy("leave such entities out", (("repair", "discard"),)),
)


def report_illegal_tags(
    source: Source, decoded: DecodedTags, repair: str, lines: Any, tags: Sequence[str], codes: Any
) -> None:
    """Entities with tag sequences that their scheme forbids: a problem each, or one warning that counts them."""
    if not len(decoded.illegal):
        return
    if repair == "error":
        for token in decoded.illegal.tolist():
            tag = tags[int(codes[token])]
            source.add_problem(
                "tag.illegal", int(lines[token]), 1,
                found=f"an entity that starts at {tag!r} with tags that {decoded.scheme} does not allow",
                expected="legal tags",
                remedies=["mend them", *REPAIRS],
            )  # fmt: skip
        return
    token = int(decoded.illegal[0])
    first = int(lines[token]), tags[int(codes[token])]
    wording = partial(_illegal_note, decoded.scheme, "read as conlleval does" if repair == "conlleval" else "left out")
    source.notes.append(Note(f"illegal {decoded.scheme}", wording, {"entities": len(decoded.illegal)}, first, first[0]))


def _illegal_note(scheme: str, treatment: str, counts: Mapping[str, int], first: tuple[int, str]) -> str:
    number, (line, tag) = counts["entities"], first
    entities = f"{number} entit{'ies' if number > 1 else 'y'}"
    return f"{entities} with tags that {scheme} does not allow, {treatment} (first at line {line}: {tag})"


class TaggedText(NamedTuple):
    """A document whose words have tags, as a file lists them."""

    name: str
    line: int
    words: list[str]
    tags: list[str]
    lines: list[int]
    """Where each word stands."""
    sentences: list[int]
    """The first word of each sentence."""


def documents_of(
    source: Source, texts: Sequence[TaggedText], scheme: str, repair: str, typology: str
) -> Iterator[Document]:
    """Documents of words with tags; all tags of a file together show its scheme."""
    sizes = [len(text.tags) for text in texts]
    ends = np.cumsum(sizes, dtype=np.int64)
    starts = ends - sizes
    tags, codes = tag_numbers((tag for text in texts for tag in text.tags), sum(sizes))
    lines = np.asarray([line for text in texts for line in text.lines], np.int64)
    sentences = [start + first for text, start in zip(texts, starts, strict=True) for first in text.sentences]
    decoding = decode_tags(codes, tags, np.asarray(sentences, np.int64), scheme, repair, evidence_collector(source))
    for token in np.flatnonzero(np.isin(codes, decoding.unreadable)).tolist():
        tag = tags[int(codes[token])]
        report_bad_tag(source, int(lines[token]), tag, tag)
    source.raise_problems()
    report_illegal_tags(source, decoding, repair, lines, tags, codes)
    if scheme == "auto" and decoding.scheme != "IOB2":
        source.warn(f"the tags are in {decoding.scheme}")
    for text, start, end in zip(texts, starts.tolist(), ends.tolist(), strict=True):
        inside = slice(*np.searchsorted(decoding.spans[:, 0], [start, end]).tolist())
        yield document_from_columns(
            text.name, decoding.spans[inside] - start, decoding.labels[inside], decoding.names,
            length=end - start, sentences=np.asarray(text.sentences, np.int64), words=text.words.copy,
            tags=Tags(codes[start:end], tuple(tags)), lines=lines[decoding.spans[inside, 0]],
            typology=typology, path=source.name, line=text.line,
        )  # fmt: skip
