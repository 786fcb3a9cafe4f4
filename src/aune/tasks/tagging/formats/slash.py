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

from aune.contract.format import NEWDOC_LINES, Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.tasks.tagging.document_starts import NEWDOC, Documents
from aune.tasks.tagging.formats._splicing import pair_with_file
from aune.tasks.tagging.formats._writing import heading, refuse
from aune.tasks.tagging.model import Document, choose_column, make_document

Separator = Annotated[str, "the character between word and tag"]
ITEM = re.compile(r"\S+")


def read(source: Source, *, documents: Documents = "file", separator: Separator = "/") -> Iterator[Document]:
    if len(separator) != 1 or separator in "\\|" or separator.isspace():
        raise UsageError(f"--separator {separator!r}: expected one character such as / or _")
    id, first, current, named = (
        source.stem,
        1,
        _DocumentBuilder(source.documents_before if documents == "file" else 0),
        False,
    )
    for number, line in source.lines():
        if _is_comment(line):
            match = NEWDOC.fullmatch(line)
            if match and documents == "newdoc":
                source.is_standalone &= line.startswith("# newdoc")
                if current.words or named:
                    yield current.document(id, first, source)
                id, first, current, named = match[1] or f"document at line {number}", number, _DocumentBuilder(), True
            continue
        current.sentences.append(len(current.words))
        for item in ITEM.finditer(line):
            current.add(source, number, item.start() + 1, item[0], separator)
    if current.words or named:
        yield current.document(id, first, source)


class _DocumentBuilder:
    """The words of a document so far."""

    def __init__(self, before: int = 0) -> None:
        self.before = before
        self.words: list[str] = []
        self.tags: list[str] = []
        self.lines: list[int] = []
        self.sentences: list[int] = [0]

    def add(self, source: Source, line: int, column: int, item: str, separator: str) -> None:
        position = _separator_position(item, separator)
        if position <= 0 or position == len(item) - 1:
            source.add_problem(
                "line.malformed",
                line,
                column,
                found=f"{item[:40]!r}",
                expected=f"'word{separator}tag'",
                remedies=["write both"],
            )
            return
        self.words.append(_unescape(item[:position]))
        self.tags.append(_unescape(item[position + 1 :]))
        self.lines.append(line)

    def document(self, id: str, line: int, source: Source) -> Document:
        import numpy as np  # noqa: PLC0415 - most of this module is text

        starts = [start for start in self.sentences if start < len(self.words)]
        lines = np.array(self.lines, np.int64)
        return make_document(
            id,
            self.words,
            {"tag": self.tags},
            sentences=starts,
            lines=lines,
            path=source.name,
            line=line,
            sentences_before=self.before,
        )


def _is_comment(line: str) -> bool:
    return line.startswith("# ") or line == "#"


def _separator_position(item: str, separator: str) -> int:
    """Where the word ends and the tag is about to begin; 0 or -1 where it does not."""
    position = item.rfind(separator)
    while position > 0 and _is_escaped(item, position):
        position = item.rfind(separator, 0, position)
    return position


def _is_escaped(item: str, position: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    before = len(item[:position]) - len(item[:position].rstrip("\\"))
    return before % 2 == 1


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: " " if match[1] == "_" else match[1], text) if "\\" in text else text


def _escape(text: str, document: Document, separator: str = "/") -> str:
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
    for document in documents:
        if len(documents) > 1:  # a single one is named after its file
            yield heading(document, "slash")
        starts = set(document.sentences.tolist())
        tags = document.column(choose_column(document)).values()
        for index, (word, tag) in enumerate(zip(document.words.values(), tags, strict=True)):
            before = "" if index == 0 else "\n" if index in starts else " "
            yield f"{before}{_escape(word, document)}/{_escape(tag or '_', document)}"
        yield "\n" if len(document) else ""


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
    for old, new in pair_with_file(source, before, after):
        tags = zip(old.column("tag").values(), new.column(choose_column(new)).values(), strict=True)
        for old_tag, tag in tags:
            start, item = next(place)
            if old_tag != tag:
                position = _separator_position(item, separator)
                edits.replace(start + position + 1, start + len(item), _escape(tag or "_", new, separator))
    return edits.apply()


FORMAT = Format(read, sniff, write, frozenset({"sentences", "alternatives"}), (".pos", ".tagged"), splice=splice,
                boundaries=NEWDOC_LINES._replace(part_marks=(b"",)))  # fmt: skip
