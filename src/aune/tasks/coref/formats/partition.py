r"""Partition: one chain per line, for small examples and for systems that only group mentions.

    # document table-2
    1 2
    3, 4, 5
    {6, 7, 8} {9}
    10-12 m7 Peter

A line is a chain. Its mentions are separated by blanks, commas or both. With braces, every `{…}` is a chain and a line
may have several. A mention is a number (that one token), `start-end` (from token `start` to token `end`, both
included) or a name: any other characters but blanks, commas and braces. A name is the same mention in key and response;
it has no place in the text. `# document NAME` begins a document; without it there is one, called `document`. Other
lines that begin with `#` are remarks, and blank lines mean nothing.

Names are kept as the feature `name`. Numbers and bounds have at most nine digits (longer ones are names).

>>> from aune.core.corpus import Source
>>> [found] = read(Source("a.txt", b"1 2\n3-5, 7\n"))
>>> found.id, found.clusters()
('document', [[(1, 2), (2, 3)], [(3, 6), (7, 8)]])
>>> print("".join(write([found])), end="")
# document document
1 2
3-5 7
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.coref.formats._words import one_line, word_spans
from aune.tasks.coref.model import Document, Mention, document, named_position

TITLE = re.compile(r"#\s*document\b[\s:]*(.*)", re.IGNORECASE)
SPAN = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)
NUMBER = re.compile(r"\d{1,9}", re.ASCII)
BRACED = re.compile(r"\s*(?:\{[^{}]*\}[\s,;]*)+")
ITEM = re.compile(r"[^\s,{}]+")
PLAIN_ITEM = re.compile(r"[A-Za-z]{0,3}\d+(?:-\d+)?|[A-Za-z]", re.ASCII)


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    name, line_of_name = "document", 1
    mentions: list[Mention] = []
    titled = False
    chains = count()
    for number, line in source.lines():
        if line.lstrip().startswith("#"):
            title = TITLE.match(line.strip())
            if title:
                if titled or mentions:
                    yield _document(source, name, line_of_name, mentions)
                name, line_of_name, mentions, titled = title[1].strip() or "document", number, [], True
        elif not line.isspace() and line:
            for text, column in _chains(source, number, line):
                mentions += _mentions(source, number, column, text, next(chains))
    if titled or mentions:
        yield _document(source, name, line_of_name, mentions)


def _document(source: Source, name: str, line: int, mentions: list[Mention]) -> Document:
    unit = "name" if any(mention.features for mention in mentions) else "token"
    return document(name, mentions, unit=unit, path=source.name, line=line)


def _chains(source: Source, number: int, line: str) -> list[tuple[str, int]]:
    """The chains of a line, and the column where each begins."""
    if "{" not in line and "}" not in line:
        return [(line, 1)]
    if not BRACED.fullmatch(line):
        what = f"found {line.strip()[:40]!r}, expected chains in braces such as '{{1, 2}} {{3}}'"
        source.problem(number, 1, f"{what}: close every brace, and put every mention of the line in braces")
        return []
    return [(part[1], part.start(1) + 1) for part in re.finditer(r"\{([^{}]*)\}", line)]


def _mentions(source: Source, number: int, column: int, text: str, chain: int) -> Iterator[Mention]:
    items = list(ITEM.finditer(text))
    if not items:
        source.problem(number, column, "found a chain without mentions, expected at least one: remove it")
    for item in items:
        span = SPAN.fullmatch(item[0])
        start, last = map(int, span.groups()) if span else (named_position(item[0]),) * 2
        if start > last:
            what = f"found the mention {item[0]!r} that ends before it starts, expected 'start-end'"
            source.problem(number, column + item.start(), f"{what}: swap the two numbers")
            continue
        named = not span and not NUMBER.fullmatch(item[0])
        yield Mention(start, last + 1, chain, number, features={"name": item[0]} if named else {})


def sniff(head: str) -> bool:
    """Whether a `# document` line comes first, or every line is made of numbers, spans, single letters or `m12`."""
    lines = [line.strip() for line in head.split("\n")[:200] if line.strip()]
    if lines and TITLE.fullmatch(lines[0]):
        return True
    chains = [line for line in lines if line[0] != "#"]
    return bool(chains) and all(map(_looks_like_chain, chains))


def _looks_like_chain(line: str) -> bool:
    items = ITEM.findall(line)
    braced = ("{" not in line and "}" not in line) or bool(BRACED.fullmatch(line))
    return braced and bool(items) and all(PLAIN_ITEM.fullmatch(item) for item in items)


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Chains in the order of their first mention, mentions in the order of the text, by name or by place."""
    for found in documents:
        chains: list[list[str]] = [[] for _ in range(found.chain_count)]
        names = found.features.get("name", [""] * len(found))
        for (start, end), chain, name in zip(word_spans(found), found.chains.tolist(), names, strict=True):
            place = str(start) if end == start + 1 else f"{start}-{end - 1}"
            chains[chain].append(name if found.unit == "name" and ITEM.fullmatch(name) else place)
        lines = [f"# document {one_line(found.id)}", *map(" ".join, chains)]
        yield "".join(f"{line}\n" for line in lines)


FORMAT = Format(read, sniff, write, frozenset(("spans", "singletons")), (".partition", ".chains"))
