"""BookNLP's tables: `.entities` with mentions, and `.tokens` with the words that they consist of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from aune.reading.source import Source
from aune.syntax.quotations import check_quotation

HEADER = ("COREF", "start_token", "end_token", "prop", "cat", "text")
PLACE = re.compile(r"[0-9]{1,8}")
COMPRESSED = (".gz", ".xz", ".zst")
ENTITIES, TOKENS = ".entities", ".tokens"
COMPANION_ENDINGS = (TOKENS, ".supersense", ".quotes", ".book", ".book.html")
"""The endings of the files that BookNLP writes beside the table of mentions."""


class EntityRow(NamedTuple):
    """A mention of the table; its end is the token after the last one."""

    start: int
    end: int
    chain: str
    kind: str
    type: str
    line: int


class BookTokens(NamedTuple):
    """The words of a book, and the first word of each sentence."""

    words: list[str]
    sentences: list[int]


def is_entities(head: str) -> bool:
    return head.split("\n", 1)[0].rstrip("\r").split("\t")[:5] == list(HEADER[:5])


def read_rows(source: Source, tokens: BookTokens | None) -> Iterator[EntityRow]:
    """The mentions of a table; problems of a line are reported."""
    limit = None if tokens is None else len(tokens.words)
    for number, line in source.lines():
        cells = line.split("\t")
        if not line.strip() or (number == 1 and is_entities(line)):
            continue
        is_row = len(cells) >= 5 and all(PLACE.fullmatch(cell) for cell in cells[1:3]) and cells[4].strip()
        if not is_row or int(cells[1]) > int(cells[2]):
            source.add_problem(
                "line.malformed", number, 1, found=f"{line[:40]!r}",
                expected=f"{', '.join(HEADER)} with tabs between them", remedies=["correct the line"],
            )  # fmt: skip
        elif limit is not None and int(cells[2]) >= limit:
            source.add_problem(
                "mention.outside-text", number, len(cells[0]) + 2, found=f"a mention up to token {cells[2]}",
                expected=f"one of the {limit} tokens", remedies=["check that the tokens are those of this file"],
            )  # fmt: skip
        else:
            if tokens is not None and len(cells) > len(HEADER) - 1:
                covered = " ".join(tokens.words[int(cells[1]) : int(cells[2]) + 1])
                check_quotation(source, cells[5], covered, number)
            yield EntityRow(int(cells[1]), int(cells[2]) + 1, cells[0], cells[3], cells[4].strip(), number)


def read_tokens(source: Source) -> BookTokens | None:
    """The words in the file beside a table of mentions; None without such a file."""
    beside = _path_beside(source.path) if source.path else None
    if beside is None or not beside.is_file():
        return None
    lines = Source(str(beside), beside.read_bytes()).lines()
    header = next(lines, (0, ""))[1].split("\t")
    columns = {name: place for place, name in enumerate(header)}
    word = columns.get("word", columns.get("originalWord"))
    sentence = columns.get("sentence_ID", columns.get("sentenceID"))
    if word is None:
        return None
    words: list[str] = []
    sentences: list[int] = []
    last: str | None = None
    for _, line in lines:
        cells = line.split("\t")
        if len(cells) <= max(word, sentence or 0):
            continue
        if sentence is not None and cells[sentence] != last:
            sentences.append(len(words))
            last = cells[sentence]
        words.append(cells[word])
    return BookTokens(words, sentences or [0])


def _path_beside(path: Path) -> Path:
    """The path of the tokens that belong to a table."""
    name = path.name
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return path.with_name(name.removesuffix(ENTITIES) + TOKENS)
