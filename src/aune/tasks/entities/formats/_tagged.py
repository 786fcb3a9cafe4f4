"""What formats with tags have to say about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from aune.core.corpus import Source
from aune.core.notes import Note
from aune.tasks.entities.model import Document, Tags, tagged
from aune.tasks.entities.tags import Decoded, decoded, is_doubtful, tag_numbers


def asking(source: Source, column: str = "") -> Callable[[set[str]], Collection[str]]:
    """What speaks for and against schemes in a column of the whole file, where a piece of it is read."""

    def asked(found: set[str]) -> Collection[str]:
        everywhere = source.survey.asked(f"scheme of {column} in {source.name}", found)
        source.alone &= not (source.is_piece and is_doubtful(everywhere))
        return everywhere

    return asked


def tell_tag(source: Source, line: int, text: str, tag: str) -> None:
    """A cell that holds no tag."""
    if tag == "":
        column = len(text.rstrip()) + 1
        source.problem(line, column, "found no tag, expected one in the tag column: add it, such as O")
        return
    source.problem(
        line,
        text.rfind(tag) + 1,
        f"found {tag!r}, expected O or a tag such as B-PER: mend it, or choose the right column",
    )


def tell_illegal(source: Source, decoded: Decoded, repair: str, lines: Any, tags: Sequence[str], codes: Any) -> None:
    """Entities with tag sequences that their scheme forbids: a problem each, or one warning that counts them."""
    if not len(decoded.illegal):
        return
    if repair == "error":
        for token in decoded.illegal.tolist():
            tag = tags[int(codes[token])]
            source.problem(
                int(lines[token]),
                1,
                f"found an entity that starts at {tag!r} with tags that {decoded.scheme} does not allow, "
                "expected legal tags: mend them, or choose --repair conlleval or discard",
            )
        return
    token = int(decoded.illegal[0])
    first = int(lines[token]), tags[int(codes[token])]
    wording = partial(_illegal, decoded.scheme, "read as conlleval does" if repair == "conlleval" else "left out")
    source.notes.append(Note(f"illegal {decoded.scheme}", wording, {"entities": len(decoded.illegal)}, first, first[0]))


def _illegal(scheme: str, done: str, counts: Mapping[str, int], first: tuple[int, str]) -> str:
    number, (line, tag) = counts["entities"], first
    entities = f"{number} entit{'ies' if number > 1 else 'y'}"
    return f"{entities} with tags that {scheme} does not allow, {done} (first at line {line}: {tag})"


class Text(NamedTuple):
    """A document whose words have tags, as a file lists them."""

    name: str
    line: int
    words: list[str]
    tags: list[str]
    lines: list[int]
    """Where each word stands."""
    sentences: list[int]
    """The first word of each sentence."""


def documents_of(source: Source, texts: Sequence[Text], scheme: str, repair: str, typology: str) -> Iterator[Document]:
    """Documents of words with tags; all tags of a file together show its scheme."""
    sizes = [len(text.tags) for text in texts]
    ends = np.cumsum(sizes, dtype=np.int64)
    starts = ends - sizes
    tags, codes = tag_numbers((tag for text in texts for tag in text.tags), sum(sizes))
    lines = np.asarray([line for text in texts for line in text.lines], np.int64)
    sentences = [start + first for text, start in zip(texts, starts, strict=True) for first in text.sentences]
    found = decoded(codes, tags, np.asarray(sentences, np.int64), scheme, repair, asking(source))
    for token in np.flatnonzero(np.isin(codes, found.unreadable)).tolist():
        tag = tags[int(codes[token])]
        tell_tag(source, int(lines[token]), tag, tag)
    source.finish()
    tell_illegal(source, found, repair, lines, tags, codes)
    if scheme == "auto" and found.scheme != "IOB2":
        source.warn(f"the tags are in {found.scheme}")
    for text, start, end in zip(texts, starts.tolist(), ends.tolist(), strict=True):
        inside = slice(*np.searchsorted(found.spans[:, 0], [start, end]).tolist())
        yield tagged(
            text.name, found.spans[inside] - start, found.labels[inside], found.names,
            length=end - start, sentences=np.asarray(text.sentences, np.int64), words=text.words.copy,
            tags=Tags(codes[start:end], tuple(tags)), lines=lines[found.spans[inside, 0]],
            typology=typology, path=source.name, line=text.line,
        )  # fmt: skip
