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

>>> from aune.reading.corpus import Source
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
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, groupby, islice, zip_longest
from types import MappingProxyType
from typing import NamedTuple

from aune.contract.format import Boundaries, Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.tasks.coref.formats._changes import assign_rows, changes, file_order, spliced_documents
from aune.tasks.coref.formats._tokenization import single_line, word_spans
from aune.tasks.coref.model import Document, Mention, make_document, named_position

TITLE = re.compile(r"#\s*document\b[\s:]*(.*)", re.IGNORECASE)
SPAN = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)
NUMBER = re.compile(r"\d{1,9}", re.ASCII)
BRACED = re.compile(r"\s*(?:\{[^{}]*\}[\s,;]*)+")
ITEM = re.compile(r"[^\s,{}]+")
MOST_MENTIONS = 500_000  # mentions of a document: two bytes can be one, and each takes some hundred in memory
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
                mentions += islice(_mentions(source, number, column, text, next(chains)), MOST_MENTIONS + 1)
            if len(mentions) > MOST_MENTIONS:
                source.add_problem(
                    "document.too-large",
                    number,
                    1,
                    found=f"more than {MOST_MENTIONS:,} mentions in one document",
                    expected="those of a text",
                    remedies=["begin every document with a line '# document NAME'"],
                )
                return
    if titled or mentions:
        yield _document(source, name, line_of_name, mentions)


def _document(source: Source, name: str, line: int, mentions: list[Mention]) -> Document:
    unit = "name" if any(mention.features for mention in mentions) else "token"
    return make_document(name, mentions, unit=unit, path=source.name, line=line)


def _chains(source: Source, number: int, line: str) -> list[tuple[str, int]]:
    """The chains of a line, and the column where each begins."""
    if "{" not in line and "}" not in line:
        return [(line, 1)]
    if not BRACED.fullmatch(line):
        source.add_problem(
            "chain.malformed",
            number,
            1,
            found=f"{line.strip()[:40]!r}",
            expected="chains in braces such as '{1, 2} {3}'",
            remedies=["close every brace, and put every mention of the line in braces"],
        )
        return []
    return [(part[1], part.start(1) + 1) for part in re.finditer(r"\{([^{}]*)\}", line)]


def _mentions(source: Source, number: int, column: int, text: str, chain: int) -> Iterator[Mention]:
    if not ITEM.search(text):
        source.add_problem(
            "chain.empty",
            number,
            column,
            found="a chain without mentions",
            expected="at least one",
            remedies=["remove it"],
        )
    for item in ITEM.finditer(text):
        span = SPAN.fullmatch(item[0])
        start, last = map(int, span.groups()) if span else (named_position(item[0]),) * 2
        if start > last:
            source.add_problem(
                "mention.reversed",
                number,
                column + item.start(),
                found=f"the mention {item[0]!r} that ends before it starts",
                expected="'start-end'",
                remedies=["swap the two numbers"],
            )
            continue
        named = not span and not NUMBER.fullmatch(item[0])
        yield Mention(start, last + 1, chain, number, features=_name_features(item[0]) if named else {})


@lru_cache(100_000)
def _name_features(name: str) -> Mapping[str, str]:
    """What is known of a mention by its name; all mentions of one name share it, since two bytes can be a mention."""
    return MappingProxyType({"name": name})


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
    for document in documents:
        items = _items(document)
        chains = [
            " ".join(sorted((items[mention] for mention in members), key=_is_remark)) for members in document.members()
        ]
        if any(map(_is_remark, chains)):
            raise UsageError(REMARK.format(document.id))
        lines = [f"# document {single_line(document.id)}", *chains]
        yield "".join(f"{line}\n" for line in lines)


NOTHING_LEFT = "partition cannot represent document {!r} without a chain: keep one, or choose another format"
REMARK = "partition cannot represent a chain of document {!r} that begins with #, as remarks do: choose another format"


def _is_remark(text: str) -> bool:
    return text.startswith("#")


def _items(document: Document) -> list[str]:
    """The mentions as they are written."""
    names = document.features.get("name", [""] * len(document))
    items = []
    for (start, end), name in zip(word_spans(document), names, strict=True):
        place = str(start) if end == start + 1 else f"{start}-{end - 1}"
        named = document.unit == "name" and ITEM.fullmatch(name) and named_position(name) == start
        items.append(name if named else place)
    return items


class _ChainPlaces(NamedTuple):
    """A chain of a file: where its mentions stand, its braces, if it has any, and its line."""

    items: list[tuple[int, int]]
    braces: tuple[int, int] | None
    line: tuple[int, int]


class _DocumentChains(NamedTuple):
    """A document of a file: its chains, and where a new one can be put."""

    chains: list[_ChainPlaces]
    end: int


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The file with other mentions in its lines; remarks and blanks stay."""
    edits = Edits(source)
    for part, (before, after) in zip(
        _document_chains(source), spliced_documents(FORMAT, source, documents), strict=True
    ):
        _splice_part(edits, source.text, part, before, after)
    spliced = edits.apply()
    counts = [len(part.chains) for part in _document_chains(Source(source.name, spliced))]
    if len(counts) != len(documents):
        raise UsageError(NOTHING_LEFT.format(source.stem))
    if sum(counts) != sum(document.chain_count for document in documents):
        raise UsageError(REMARK.format(source.stem))  # what stood before a # is gone
    return spliced


def _document_chains(source: Source) -> list[_DocumentChains]:
    """The chains of every document."""
    parts: list[_DocumentChains] = []
    titled, at = False, 0
    for number, line in source.lines():
        start, end = at, at + len(line)
        at = end + 1
        if line.lstrip().startswith("#"):
            if TITLE.match(line.strip()):
                parts.append(_DocumentChains([], end))
                titled = True
        elif line and not line.isspace():
            if not titled and not parts:
                parts.append(_DocumentChains([], end))
            for text, column in _chains(source, number, line):
                first = start + column - 1
                braces = (first - 1, first + len(text) + 1) if "{" in line else None
                items = [(first + item.start(), first + item.end()) for item in ITEM.finditer(text)]
                parts[-1].chains.append(_ChainPlaces(items, braces, (start, end)))
            parts[-1] = parts[-1]._replace(end=end)
    return parts


def _splice_part(edits: Edits, text: str, part: _DocumentChains, before: Document, after: Document) -> None:
    cells = [(row, place) for row, chain in enumerate(part.chains) for place in range(len(chain.items))]
    where = [cells[number] for number in file_order(before)]
    change = changes(before, after)
    origin = {new: where[old] for new, old in change.origin.items()}
    rows, new_chains = assign_rows(after.members(), {index: row for index, (row, _) in origin.items()})
    items, old_items = _items(after), _items(before)
    same = {new for new, old in change.origin.items() if old_items[old] == items[new]}
    comma = ", " if any("," in text[slice(*chain.line)] for chain in part.chains) else " "
    for row, mentions in rows.items():
        places = part.chains[row].items
        old_places = {index: origin[index][1] for index in mentions if index in origin and origin[index][0] == row}
        texts = [
            (
                old_places.get(index),
                text[slice(*places[old_places[index]])] if index in old_places and index in same else items[index],
            )
            for index in sorted(mentions, key=lambda index: old_places.get(index, len(places)))
        ]
        edits.replace(places[0][0], places[-1][1], _rejoin_items(text, places, texts, comma))
    _remove_chains(edits, text, part.chains, rows)
    _append_chains(edits, text, part, rows, [comma.join(items[index] for index in mentions) for mentions in new_chains])


def _append_chains(
    edits: Edits, text: str, part: _DocumentChains, kept_rows: Container[int], lines: Sequence[str]
) -> None:
    """Put new chains at the end of a document, in braces if its last one has some."""
    braced = bool(part.chains) and part.chains[-1].braces is not None
    new_lines = "".join(f"{{{line}}}\n" if braced else f"{line}\n" for line in lines)
    at = min(part.end + 1, len(text))
    bare = at == part.end and any(chain.line[1] == at for row, chain in enumerate(part.chains) if row in kept_rows)
    edits.insert(at, f"\n{new_lines}".removesuffix("\n") if bare and new_lines else new_lines)


def _rejoin_items(
    text: str, places: Sequence[tuple[int, int]], items: Sequence[tuple[int | None, str]], comma: str
) -> str:
    """The mentions of a chain, with what stood between them."""
    pieces = []
    for number, (place, item) in enumerate(items):
        if number:
            pieces.append(text[places[place - 1][1] : places[place][0]] if place else comma)
        pieces.append(item)
    return "".join(pieces)


def _remove_chains(edits: Edits, text: str, chains: Sequence[_ChainPlaces], kept_rows: Container[int]) -> None:
    """Take out the chains whose rows are not kept: with their line when nothing else is on it, or else their braces."""
    for line, group in groupby(enumerate(chains), key=lambda numbered: numbered[1].line):
        line_chains = list(group)
        if not any(row in kept_rows for row, _ in line_chains):
            edits.replace(line[0], min(line[1] + 1, len(text)), "")
            continue
        for (row, chain), following in zip_longest(line_chains, line_chains[1:]):
            if row not in kept_rows and chain.braces:
                next_braces = following[1].braces if following else None
                edits.replace(chain.braces[0], next_braces[0] if next_braces else chain.braces[1], "")


FORMAT = Format(read, sniff, write, frozenset(("spans", "singletons")), (".partition", ".chains"), splice=splice,
                boundaries=Boundaries((b"# document",)))  # fmt: skip
