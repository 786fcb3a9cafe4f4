r"""Slash-tagged text: `word/tag`, a sentence per line, words separated by spaces.

    le/DET chat/NOUN dort/VERB|NOUN ./PUNCT
    1\/2/NUM

The tag follows the last slash; `\/` and `\\` are a slash and a backslash of the word or tag, `\_` is a space inside a
word. Several tags are joined by `|`. Lines that start with `# ` are comments; `# newdoc id = …` begins a document under
`documents:newdoc`. `separator` can be another character, such as `_`.

Carries: sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from aune.core.corpus import Source
from aune.core.errors import UsageError
from aune.core.pieces import NEWDOC_LINES
from aune.core.task import Format
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.tasks.tagging.boundaries import NEWDOC, Documents
from aune.tasks.tagging.formats._splicing import beside_those_of_the_file
from aune.tasks.tagging.formats._writing import heading, refuse
from aune.tasks.tagging.model import Document, chosen_column, document

Separator = Annotated[str, "the character between word and tag"]
ITEM = re.compile(r"\S+")


def read(source: Source, *, documents: Documents = "file", separator: Separator = "/") -> Iterator[Document]:
    if len(separator) != 1 or separator in "\\|" or separator.isspace():
        raise UsageError(f"--separator {separator!r}: expected one character such as / or _")
    id, first, current, named = source.stem, 1, _Text(source.before if documents == "file" else 0), False
    for number, line in source.lines():
        if _is_comment(line):
            match = NEWDOC.fullmatch(line)
            if match and documents == "newdoc":
                source.alone &= line.startswith("# newdoc")
                if current.words or named:
                    yield current.document(id, first, source)
                id, first, current, named = match[1] or f"document at line {number}", number, _Text(), True
            continue
        current.sentences.append(len(current.words))
        for item in ITEM.finditer(line):
            current.add(source, number, item.start() + 1, item[0], separator)
    if current.words or named:
        yield current.document(id, first, source)


class _Text:
    """The words of a document so far."""

    def __init__(self, before: int = 0) -> None:
        self.before = before
        self.words: list[str] = []
        self.tags: list[str] = []
        self.lines: list[int] = []
        self.sentences: list[int] = [0]

    def add(self, source: Source, line: int, column: int, item: str, separator: str) -> None:
        at = _parting(item, separator)
        if at <= 0 or at == len(item) - 1:
            source.problem(line, column, f"found {item[:40]!r}, expected 'word{separator}tag': write both")
            return
        self.words.append(_plain(item[:at]))
        self.tags.append(_plain(item[at + 1 :]))
        self.lines.append(line)

    def document(self, id: str, line: int, source: Source) -> Document:
        import numpy as np  # noqa: PLC0415 - most of this module is text

        starts = [start for start in self.sentences if start < len(self.words)]
        lines = np.array(self.lines, np.int64)
        return document(id, self.words, {"tag": self.tags}, sentences=starts, lines=lines, path=source.name, line=line,
                        sentences_before=self.before)  # fmt: skip


def _is_comment(line: str) -> bool:
    return line.startswith("# ") or line == "#"


def _parting(item: str, separator: str) -> int:
    """Where the word ends and the tag is about to begin; 0 or -1 where it does not."""
    at = item.rfind(separator)
    while at > 0 and _escaped(item, at):
        at = item.rfind(separator, 0, at)
    return at


def _escaped(item: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    before = len(item[:at]) - len(item[:at].rstrip("\\"))
    return before % 2 == 1


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: " " if match[1] == "_" else match[1], text) if "\\" in text else text


def _written(text: str, document: Document, separator: str = "/") -> str:
    if text != text.strip() or any(sign.isspace() and sign != " " for sign in text):
        refuse("slash", f"the blanks of {text!r}", document)
    return text.replace("\\", "\\\\").replace(separator, f"\\{separator}").replace(" ", "\\_")


def sniff(head: str) -> bool:
    lines = [line for line in head.split("\n")[:20] if line.strip() and not line.startswith("#")]
    items = [item for line in lines[:5] for item in line.split()][:100]
    if not items or any("\t" in line for line in lines) or lines[0].startswith(("{", "[")):
        return False
    return all("/" in item[1:-1] for item in items)


def write(documents: Sequence[Document]) -> Iterator[str]:
    for one in documents:
        if len(documents) > 1:  # a single one is named after its file
            yield heading(one, "slash")
        starts = set(one.sentences.tolist())
        tags = one.column(chosen_column(one)).values()
        for index, (word, tag) in enumerate(zip(one.words.values(), tags, strict=True)):
            before = "" if index == 0 else "\n" if index in starts else " "
            yield f"{before}{_written(word, one)}/{_written(tag or '_', one)}"
        yield "\n" if len(one) else ""


def splice(
    source: Source, after: Sequence[Document], /, *, documents: Documents = "file", separator: Separator = "/"
) -> bytes:
    """The file with other tags: only those that change are written."""
    edits, starts = Edits(source), Lines(source.text).starts
    before = list(read(source, documents=documents, separator=separator))
    items = [
        (starts[number - 1] + item.start(), item[0])
        for number, line in source.lines()
        if not _is_comment(line)
        for item in ITEM.finditer(line)
    ]
    place = iter(items)
    for old, new in beside_those_of_the_file(source, before, after):
        tags = zip(old.column("tag").values(), new.column(chosen_column(new)).values(), strict=True)
        for was, tag in tags:
            start, item = next(place)
            if was != tag:
                at = _parting(item, separator)
                edits.replace(start + at + 1, start + len(item), _written(tag or "_", new, separator))
    return edits.applied()


FORMAT = Format(read, sniff, write, frozenset({"sentences", "alternatives"}), (".pos", ".tagged"), splice=splice,
                boundaries=NEWDOC_LINES._replace(within=(b"",)))  # fmt: skip
