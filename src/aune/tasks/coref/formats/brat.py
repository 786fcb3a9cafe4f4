r"""brat: standoff annotation, mentions by their characters in a text beside the file.

    T1	Person 0 7	Ann Lee
    T2	Person 12 15	her
    T3	Thing 16 19;24 30	dog … collar
    A1	kind T2 pronoun
    R1	Coreference Arg1:T2 Arg2:T1
    *	Coref T1 T2

A `T` line is a mention: its type (the feature `etype`, unless it is Mention) and its characters, from the first to the
one after the last, several pieces when it is discontinuous. An `R` line whose type holds `coref`, or is Ident,
Identity, Equiv or Same, makes two mentions coreferent; of another type it is a relation from the first to the second. A
`*` line makes all its mentions coreferent, and so do LitBank's `COREF T1 name` lines for the mentions of one name.
Chains are the transitive closure of all of these; a mention in none is a singleton. `A` (or `M`) lines are features,
named in small letters, `true` without a value. Notes (`#`) are passed over; events, normalisations and what concerns
them are counted and told.

Positions are characters. With the text beside the file (`a.txt` for `a.ann`) there are tokens too, each at the
character where it begins: words, numbers and single signs; lines count as sentences. The document is named as the file;
a file is one document. `write` places the mentions in the text made of the document's tokens, one blank or line end
between two.

Source: Stenetorp et al. 2012, brat: a web-based tool for NLP-assisted text annotation.

>>> from aune.core.corpus import Source
>>> [found] = read(Source("a.ann", b"T1\tPer 0 3\tAnn\nT2\tPer 8 11\ther\n*\tCoref T1 T2\n"))
>>> found.id, found.unit, found.clusters()
('a', 'character', [[(0, 3), (8, 11)]])
>>> print("".join(write([found])).expandtabs(4), end="")
T1  Per 0 3 _
T2  Per 8 11    _
*   Coref T1 T2
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aune.core.corpus import Source, decompressed
from aune.core.errors import InputError, UsageError
from aune.core.task import Format
from aune.tasks.coref.formats._words import one_line, sentence_starts, tokenized, words
from aune.tasks.coref.model import Document, Mention, Relation, document, token_spans

MENTION = re.compile(r"(T\S*)\t(\S+) +(\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?", re.ASCII | re.DOTALL)
RELATION = re.compile(r"(R\S*)\t(\S+)\s+[^\s:]+:(\S+)\s+[^\s:]+:(\S+)\s*")
EQUIVALENCE = re.compile(r"\*\t(\S+)((?:\s+\S+)+)\s*")
ATTRIBUTE = re.compile(r"([AM]\S*)\t(\S+) +(\S+)(?: +(.*))?")
CHAIN = re.compile(r"COREF\s+(\S+)\s+(\S.*)")
SAME = re.compile(r".*coref.*|ident|identity|equiv|same|same-as|sameas", re.IGNORECASE)
EXPECTED = {
    "T": "'T1<tab>Type 0 5<tab>text'",
    "R": "'R1<tab>Coreference Arg1:T1 Arg2:T2'",
    "*": "'*<tab>Coref T1 T2'",
    "A": "'A1<tab>Name T1 value'",
    "M": "'M1<tab>Name T1'",
    "C": "'COREF<tab>T1<tab>name'",
}
UNTYPED = "Mention"
ELSEWHERE = ("E", "N", "W")


@dataclass
class _File:
    """What the lines of a file have told."""

    mentions: dict[str, Mention] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    links: list[tuple[int, str, list[str]]] = field(default_factory=list)
    """Line, type, and the mentions it links; identity when the type is ''."""
    attributes: list[tuple[int, str, str, str]] = field(default_factory=list)
    chains: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    unread: int = 0


def read(source: Source) -> Iterator[Document]:
    """The document of a file; an empty file is a text without mentions."""
    found = _File()
    for number, line in source.lines():
        if line.strip() and line[0] != "#":
            _take(source, found, number, line)
    if found.unread:
        source.warn(f"{found.unread} lines on events and normalisations are not read")
    text = _text_beside(source)
    if text is not None:
        _check_text(source, found, text)
    mentions, relations = _linked(source, found)
    words_of_text = _columns(text) if text is not None else {}
    yield document(
        source.stem, mentions, relations=relations, unit="character", path=source.name, **words_of_text
    )  # fmt: skip


def _take(source: Source, found: _File, number: int, line: str) -> None:
    """Take note of one line."""
    letter = line[0]
    if letter == "T" and (match := MENTION.fullmatch(line)):
        _take_mention(source, found, number, match)
    elif letter == "R" and (match := RELATION.fullmatch(line)):
        found.links.append((number, "" if SAME.fullmatch(match[2]) else match[2], [match[3], match[4]]))
    elif letter == "*" and (match := EQUIVALENCE.fullmatch(line)):
        found.links.append((number, "", match[2].split()))
    elif letter in "AM" and (match := ATTRIBUTE.fullmatch(line)):
        found.attributes.append((number, match[2].lower(), match[3], (match[4] or "true").strip()))
    elif letter == "C" and (match := CHAIN.fullmatch(line)):
        named = found.chains[match[2].strip()]
        named.append(match[1])
        found.links.append((number, "", [named[0], match[1]]))
    elif letter in ELSEWHERE:
        found.unread += 1
    else:
        expected = EXPECTED.get(letter, "a line that begins with T, R, *, A, M, E, N or #")
        what = f"found {line[:40].expandtabs(1)!r}, expected {expected}"
        source.problem(number, 1, f"{what}: correct the line")


def _take_mention(source: Source, found: _File, number: int, match: re.Match[str]) -> None:
    name, kind, places, text = match.groups()
    pairs = [place.split() for place in places.split(";")]
    parts = tuple(sorted((int(start), int(end)) for start, end in pairs))
    if name in found.mentions:
        what = f"found {name} a second time, expected every mention once"
        source.problem(number, 1, f"{what}: give it another number")
    elif any(start >= end for start, end in parts):
        what = f"found the characters {places!r}, expected a start before its end"
        source.problem(number, match.start(3) + 1, f"{what}: correct them")
    else:
        found.texts[name] = text or ""
        segments = parts if len(parts) > 1 else ()
        bounds = (parts[0][0], max(end for _, end in parts))
        found.mentions[name] = Mention(*bounds, name, number, segments=segments, features=_typed(kind))


def _typed(kind: str) -> dict[str, str]:
    return {} if kind == UNTYPED else {"etype": kind}


def _linked(source: Source, found: _File) -> tuple[list[Mention], list[Relation]]:
    """The mentions with their chains and features, and the relations between them."""
    parent = {name: name for name in found.mentions}
    number = {name: index for index, name in enumerate(found.mentions)}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = name = parent[parent[name]]
        return name

    relations = []
    for line, kind, names in found.links:
        if not _known(source, found, line, names):
            continue
        if kind:
            relations.append(Relation(kind, number[names[0]], number[names[1]]))
        else:
            for name in names[1:]:
                first, second = sorted((root(names[0]), root(name)), key=number.__getitem__)
                parent[second] = first
    features = {name: dict(mention.features) for name, mention in found.mentions.items()}
    for line, attribute, name, value in found.attributes:
        if _known(source, found, line, [name]):
            features[name][attribute] = value
    mentions = [one._replace(chain=root(name), features=features[name]) for name, one in found.mentions.items()]
    return mentions, relations


def _known(source: Source, found: _File, line: int, names: Sequence[str]) -> bool:
    """Whether all these are mentions; what concerns events is left alone, and the rest is a problem."""
    missing = [name for name in names if name not in found.mentions]
    for name in missing:
        if name[0] not in "ERN":
            what = f"found {name!r}, which is no mention of the file, expected the number of a T line"
            source.problem(line, 1, f"{what}: correct it or add the mention")
    return not missing


def _text_beside(source: Source) -> str | None:
    """The text that the annotation is about, when it is there."""
    if source.path is None:
        return None
    name = source.path.name
    for ending in (".gz", ".xz", ".zst", ".ann"):
        name = name.removesuffix(ending)
    try:
        return decompressed(Path(source.path.parent, name + ".txt").read_bytes(), name).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError, InputError):
        return None


def _check_text(source: Source, found: _File, text: str) -> None:
    """A problem for mentions beyond the text, and a warning for those with other words than the text has there."""
    other = 0
    for name, mention in found.mentions.items():
        if mention.end > len(text):
            what = f"found {name} up to character {mention.end}, expected at most {len(text)}, the length of the text"
            source.problem(mention.line, 1, f"{what}: check that the text is the right one")
        there = [text[start:end] for start, end in mention.segments or ((mention.start, mention.end),)]
        other += found.texts[name].split() != " ".join(there).split()
    if other:
        source.warn(f"{other} mentions have other words than the text beside the file")


def _columns(text: str) -> dict[str, object]:
    """The tokens, where they begin, and the first of every line."""
    tokens = tokenized(text)
    lines = [match.start() for match in re.finditer(r"(?m)^", text)]
    firsts = sorted({tokens.span(start, start)[0] for start in lines} - {len(tokens.texts)})
    return {"tokens": tokens.texts, "positions": np.asarray(tokens.starts, np.int64), "sentences": firsts}


def sniff(head: str) -> bool:
    """Whether there is a `T` line."""
    return re.search(r"^T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*(?:\t|$)", head, re.MULTILINE) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """The annotation of one document."""
    for count, found in enumerate(documents):
        if count:
            raise UsageError("brat holds one document per file, and there are several: convert them one by one")
        yield "".join(f"{line}\n" for line in _written(found))


def _written(found: Document) -> Iterator[str]:
    text, starts, ends = _laid_out(found)
    kinds = found.features.get("etype", [""] * len(found))
    for index, span in enumerate(found.spans):
        parts = np.asarray(found.segments.get(index) or [span])
        if found.unit != "character":
            parts = np.asarray([(starts[start], ends[end - 1]) for start, end in token_spans(found, parts).tolist()])
        places = ";".join(f"{start} {end}" for start, end in parts.tolist())
        words_there = " ".join(text[start:end] for start, end in parts.tolist())
        kind = re.sub(r"\s", "_", kinds[index]) or UNTYPED
        yield f"T{index + 1}\t{kind} {places}\t{one_line(words_there)}"
    cells = [(name, index, value) for name, column in found.features.items() for index, value in enumerate(column)]
    said = [cell for cell in cells if cell[2] and cell[0] != "etype"]
    for number, (name, index, value) in enumerate(said, 1):
        yield f"A{number}\t{re.sub(r'[^a-z0-9_-]', '_', name.lower())} T{index + 1} {one_line(value)}"
    for number, (name, start, end) in enumerate(found.relations, 1):
        yield f"R{number}\t{re.sub('[^A-Za-z0-9_-]', '_', name)} Arg1:T{start + 1} Arg2:T{end + 1}"
    members: list[list[str]] = [[] for _ in range(found.chain_count)]
    for index, chain in enumerate(found.chains.tolist()):
        members[chain].append(f"T{index + 1}")
    yield from (f"*\tCoref {' '.join(names)}" for names in members if len(names) > 1)


def _laid_out(found: Document) -> tuple[str, list[int], list[int]]:
    """A text with the document's tokens in it, and where each begins and ends."""
    if found.unit == "character" and (found.tokens is None or found.positions is None):
        return "", [], []
    tokens = words(found, "brat")
    if found.unit == "character" and found.positions is not None:
        starts = found.positions.tolist()
    else:
        starts = np.cumsum([0, *(len(one_line(token)) + 1 for token in tokens)]).tolist()[:-1]
        tokens = [one_line(token) for token in tokens]
    firsts = frozenset(sentence_starts(found))
    text, size = [], 0
    for index, (token, start) in enumerate(zip(tokens, starts, strict=True)):
        gap = start - size
        text += ["\n" * gap if index in firsts else " " * gap, token]
        size = start + len(token)
    return "".join(text), starts, [start + len(token) for token, start in zip(tokens, starts, strict=True)]


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(("kinds", "features", "discontinuous", "relations", "singletons", "spans")),
    suffixes=(".ann",),
)
