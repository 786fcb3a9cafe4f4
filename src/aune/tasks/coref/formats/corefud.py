r"""CorefUD: CoNLL-U with mentions as brackets in the MISC column.

    # newdoc id = a
    # global.Entity = eid-etype-head-other
    1   Ann  _  PROPN  _  _  2  nsubj  _  Entity=(e1-person-1-)
    2   met  _  VERB   _  _  0  root   _  _
    3   her  _  PRON   _  _  4  nmod   _  Entity=(e2-person-2-(e1-person-1-)
    4   dog  _  NOUN   _  _  2  obj    _  Entity=e2)|Bridge=e1<e2:part

`(e1-…` opens a mention of chain e1 and `e1)` closes the one opened last. The fields after the opening bracket are those
that `# global.Entity` names: `head` is the place of the head among the words of the mention, from 1; `minspan` (or
`MIN`) lists the places that recognise it; the others are features (`etype`, `infstat`…), with `%2D` and the like for
signs that would end them. The chain is the field `eid`, or `GRP` in the older schemas, where `entity` is then its type.
`(e1[1/2]` and `(e1[2/2]` are the parts of a discontinuous mention. `Bridge=e1<e2:part` makes a relation `part` (or
`bridge`) from the mention of e2 that begins there to the first of e1; `SplitAnte=e1<e3,e2<e3` makes two relations
`split`.

The kind of a mention is its field `kind`, or follows from the part of speech of its head: PROPN is a name, NOUN a noun,
PRON and DET a pronoun. Multiword tokens (`3-4`) are not tokens here, their words are. `# newdoc id = NAME` begins a
document; a file without one is one document, named as the file. `# meta::NAME = VALUE` gives an attribute of it.

Empty nodes (`8.1`) are tokens. In a document that has some, positions leave room for them, so that they shift no word:
word i (from 1) of the document stands at 256 i, node `8.1` one place after word 8 of its sentence, `8.2` two, and nodes
`0.1`… that come before the first word of a sentence, word i, at 256 i − 128 + 1…. A mention ends one place after its
last token.

Source: Nedoluzhko et al. 2022, CorefUD 1.0; format of version 1.1 and later.

>>> from aune.core.corpus import Source
>>> text = b"# global.Entity = eid-etype-head\n1\tAnn\t_\tPROPN\t_\t_\t0\troot\t_\tEntity=(e1-person-1)\n"
>>> [found] = read(Source("a.conllu", text))
>>> found.id, found.clusters(), found.features
('a', [[(0, 1)]], {'etype': ['person'], 'kind': ['name']})
>>> print("".join(write([found])).expandtabs(2), end="")
# newdoc id = a
# global.Entity = eid-etype-head-kind
# sent_id = 1
1 Ann _ _ _ _ _ _ _ Entity=(e1-person-1-name)
<BLANKLINE>
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.coref.formats._words import one_line, refuse_crossing, sentence_starts, words
from aune.tasks.coref.holdings import NAMES
from aune.tasks.coref.model import STEP, Document, Mention, Relation, document, token_spans

NODE = re.compile(r"(\d{1,9})(?:\.(\d{1,9})|-\d{1,9})?", re.ASCII)
BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
BRACKETS = re.compile(r"(?:\([^()]++\)?|[^()]++\))+")
PART = re.compile(r"(.*)\[(\d{1,6})/(\d{1,6})\]", re.DOTALL | re.ASCII)
LINK = re.compile(r"([^<,:]+)<([^<,:]+)(?::([^,]*))?")
USUAL = ("eid", "etype", "head", "other")
HALF = STEP // 2
KINDS = {"PROPN": "name", "NOUN": "noun", "PRON": "pronoun", "DET": "pronoun"}
LEAST = ("minspan", "MIN", "min")


@dataclass
class _Open:
    """A mention, or a part of one, while its words go by."""

    name: str
    fields: Mapping[str, str]
    line: int
    column: int
    parts: list[list[int]]
    """First and last token of each part."""
    total: int = 1


class _Link(NamedTuple):
    kind: str
    target: str
    source: str
    token: int
    line: int


@dataclass
class _Text:
    """A document while its lines are read."""

    id: str
    line: int
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    word: int = 0
    """How many words there are so far."""
    before: int = 0
    """How many words the sentences before have."""
    found: list[_Open] = field(default_factory=list)
    open: dict[str, list[_Open]] = field(default_factory=lambda: defaultdict(list))
    links: list[_Link] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    depends: dict[int, frozenset[tuple[int, str]]] = field(default_factory=dict)
    """What each empty node depends on, by token."""


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    reader = _Reader(source)
    for number, line in source.lines():
        if line[:1] == "#":
            finished = reader.comment(number, line)
            if finished:
                yield reader.document(finished)
        elif not line or line.isspace():
            reader.at_start = True
        else:
            reader.node(number, line)
    if reader.text:
        yield reader.document(reader.text)


class _Reader:
    """What is known at a line of the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.schema: Sequence[str] = ()
        self.text: _Text | None = None
        self.at_start = True
        self.count = 0
        self.attributes: dict[str, str] = {}

    def comment(self, number: int, line: str) -> _Text | None:
        """Take note of a comment; the document that it ends, if it does."""
        name, value = comment(line)
        self.at_start = True
        if name == "global.Entity":
            self.schema = tuple(value.split("-")) if value else ()
        elif name == "newdoc":
            finished, self.count = self.text, self.count + 1
            self.text = _Text(value or f"document {self.count}", number)
            return finished
        elif name.startswith("meta::") and self.text and value:
            self.text.attributes[name.removeprefix("meta::")] = value
        return None

    def node(self, number: int, line: str) -> None:
        """Take a word or an empty node with what MISC says of it."""
        cells = line.split("\t")
        place = NODE.fullmatch(cells[0])
        if len(cells) != 10 or not place:
            what = (
                f"{len(cells)} column{'s' * (len(cells) > 1)}"
                if len(cells) != 10
                else f"the word number {cells[0][:20]!r}"
            )
            expected = (
                "the 10 columns of CoNLL-U, separated by tabs" if len(cells) != 10 else "one such as 8, 8-9 or 8.1"
            )
            self.source.problem(number, 1, f"found {what}, expected {expected}: correct the line")
            return
        if "-" in cells[0]:
            if "Entity=" in cells[9]:
                what = "found Entity at a multiword token, expected it at one of its words"
                self.source.problem(number, line.rindex("Entity=") + 1, f"{what}: move it to the first of them")
            return
        if self.text is None:
            self.text = _Text(self.source.stem, number)
        text = self.text
        if self.at_start or (cells[0] == "1" and text.word > text.before):  # blank lines may be missing
            text.sentences.append(len(text.tokens))
            text.before, self.at_start = text.word, False
        self._place(text, number, place)
        if place[2] is not None:
            text.depends[len(text.tokens)] = dependencies(cells[8], text.before)
        text.tokens.append(cells[1])
        text.tags.append(cells[3])
        if "=" in cells[9]:
            self._misc(text, number, line, cells[9])

    def _place(self, text: _Text, number: int, place: re.Match[str]) -> None:
        """Note where the node stands."""
        if place[2] is None:
            text.word += 1
            text.positions.append(text.word * STEP)
            return
        after, minor = int(place[1]), int(place[2])
        if not 0 < minor < HALF:
            what = f"found the empty node {place[0]}, expected numbers from 1 to {HALF - 1} after the point"
            self.source.problem(number, 1, f"{what}: number the empty nodes after a word from 1")
            minor = HALF - 1
        anchor = text.word * STEP if after else text.before * STEP + HALF
        text.positions.append(anchor + minor)

    def _misc(self, text: _Text, number: int, line: str, misc: str) -> None:
        column = len(line) - len(misc) + 1
        for attribute in misc.split("|"):
            name, _, value = attribute.partition("=")
            if name == "Entity":
                self._entity(text, number, column + len(name) + 1, value)
            elif name in ("Bridge", "SplitAnte"):
                self._link(text, number, column, name, value)
            column += len(attribute) + 1

    def _entity(self, text: _Text, number: int, column: int, value: str) -> None:
        """Open and close the mentions of a node."""
        if not BRACKETS.fullmatch(value):
            what = f"found Entity={value[:40]}, expected brackets such as '(e1-person-1' and 'e1)'"
            self.source.problem(number, column, f"{what}: correct them")
            return
        if not self.schema:
            self.schema = USUAL
            usual = "-".join(USUAL)
            self.source.warn(f"line {number}: no '# global.Entity' before the first mention, read as {usual}")
        token = len(text.tokens) - 1
        for bracket in BRACKET.finditer(value):
            opened, closed, ended = bracket.groups()
            where = column + bracket.start()
            if opened:
                mention = self._opened(text, number, where, opened)
                if mention:
                    mention.parts.append([token, token])
                    if not closed:
                        text.open[self._name(opened)].append(mention)
            else:
                self._close(text, number, where, self._name(ended), token)

    def _name(self, text: str) -> str:
        """The chain in a bracket, with the number of the part if it has one."""
        values = text.split("-")
        return values[min(self._name_index, len(values) - 1)]

    @property
    def _name_index(self) -> int:
        return next((self.schema.index(name) for name in ("eid", "GRP") if name in self.schema), 0)

    def _opened(self, text: _Text, number: int, column: int, given: str) -> _Open | None:
        """The mention that a bracket begins, or goes on with."""
        values = given.split("-", len(self.schema) - 1)
        label = self._name(given)
        renamed = {"entity": "etype"} if "GRP" in self.schema else {}
        fields = {
            renamed.get(name, name): unquote(value)
            for index, (name, value) in enumerate(zip(self.schema, values, strict=False))
            if index != self._name_index and value
        }
        part = PART.fullmatch(label)
        name, index, total = (part[1], int(part[2]), int(part[3])) if part else (label, 1, 1)
        if index == 1:
            text.found.append(_Open(name, fields, number, column, [], total))
            return text.found[-1]
        mention = _continued(text.found, name, index, total)
        if mention is None:
            what = f"found part {label} of a mention, expected part {name}[{index - 1}/{total}] before it"
            self.source.problem(number, column, f"{what}: add it, or number the parts from 1")
        return mention

    def _close(self, text: _Text, number: int, column: int, label: str, token: int) -> None:
        if not text.open[label]:
            what = f"found '{label})' where no mention of it is open, expected '({label}' before it"
            self.source.problem(number, column, f"{what}: open the mention or remove the bracket")
            return
        mention = text.open[label].pop()
        mention.parts[-1][1] = token

    def _link(self, text: _Text, number: int, column: int, name: str, value: str) -> None:
        links = [LINK.fullmatch(part) for part in value.split(",")]
        for link in links:
            if link is None:
                what = f"found {name}={value[:40]}, expected links such as 'e1<e2'"
                self.source.problem(number, column, f"{what}: correct them")
                return
            kind = "split" if name == "SplitAnte" else unquote(link[3] or "bridge")
            text.links.append(_Link(kind, link[1], link[2], len(text.tokens) - 1, number))

    def document(self, text: _Text) -> Document:
        """The document, once all its lines are read."""
        for label, left in text.open.items():
            for mention in left:
                what = f"found '({label}' that is never closed, expected '{label})' in the same document"
                self.source.problem(mention.line, mention.column, f"{what}: close the mention")
        for mention in text.found:
            if len(mention.parts) != mention.total:
                what = f"found {len(mention.parts)} of the {mention.total} parts of a mention of {mention.name}"
                self.source.problem(
                    mention.line, mention.column, f"{what}, expected all of them in the document: add the others"
                )
        bare = len(text.positions) == text.word
        positions = list(range(len(text.tokens))) if bare else text.positions
        return document(
            text.id,
            [self._mention(mention, text, positions) for mention in text.found],
            relations=self._relations(text),
            tokens=text.tokens,
            sentences=text.sentences,
            positions=None if bare else np.asarray(positions, np.int64),
            attributes=text.attributes,
            path=self.source.name,
            line=text.line,
        )

    def _mention(self, mention: _Open, text: _Text, positions: Sequence[int]) -> Mention:
        parts = tuple(sorted((positions[first], positions[last] + 1) for first, last in mention.parts))
        tokens = sorted({*chain.from_iterable(range(first, last + 1) for first, last in mention.parts)})
        fields = dict(mention.fields)
        head = self._members(mention, fields.pop("head", "1" if len(tokens) == 1 else ""), tokens)
        given = next((fields.pop(name) for name in LEAST if name in fields), "")
        least = self._members(mention, given, tokens)
        kind = KINDS.get(text.tags[head[0]], "") if head else ""
        features = {"kind": kind, **fields} if kind else fields
        return Mention(
            parts[0][0],
            parts[-1][1],
            mention.name,
            mention.line,
            head=positions[head[0]] if head else -1,
            segments=parts if len(parts) > 1 else (),
            minimum=(positions[min(least)], positions[max(least)] + 1) if least else None,
            features=features,
            dependencies=text.depends.get(head[0] if head else tokens[0], frozenset()),
        )

    def _members(self, mention: _Open, places: str, tokens: Sequence[int]) -> list[int]:
        """The tokens at some places of a mention, counted from 1."""
        given = places.split(",") if places else []
        if all(place.isascii() and place.isdigit() and 0 < int(place[:9]) <= len(tokens) for place in given):
            return [tokens[int(place[:9]) - 1] for place in given]
        what = f"found the place {places[:20]!r} in a mention of {len(tokens)} tokens, expected numbers from 1 to that"
        self.source.problem(
            mention.line, mention.column, f"{what}: correct the head or the least span of {mention.name}"
        )
        return []

    def _relations(self, text: _Text) -> list[Relation]:
        """Links as pairs of mentions, numbered as they were opened."""
        of: dict[str, list[int]] = defaultdict(list)
        for index, mention in enumerate(text.found):
            of[mention.name].append(index)
        relations = []
        for link in text.links:
            missing = [name for name in (link.target, link.source) if name not in of]
            if missing:
                what = f"found a link with {missing[0]}, which has no mention in the document, expected chains of it"
                self.source.problem(link.line, 1, f"{what}: remove the link or add the mention")
                continue
            here = [index for index in of[link.source] if text.found[index].parts[0][0] == link.token]
            relations.append(Relation(link.kind, (here or of[link.source])[0], of[link.target][0]))
        return relations


def comment(line: str) -> tuple[str, str]:
    """What a comment line is about, and what it says.

    >>> comment("# newdoc id = a"), comment("# global.Entity=eid-etype"), comment("# newdoc")
    (('newdoc', 'a'), ('global.Entity', 'eid-etype'), ('newdoc', ''))
    """
    name, _, value = line[1:].partition("=")
    name = name.strip()
    return "newdoc" if name.split() == ["newdoc", "id"] else name, value.strip()


def _continued(found: Sequence[_Open], name: str, index: int, total: int) -> _Open | None:
    """The last mention of a chain that waits for a part."""
    waiting = (m for m in reversed(found) if m.name == name and m.total == total and len(m.parts) == index - 1)
    return next(waiting, None)


def dependencies(deps: str, before: int) -> frozenset[tuple[int, str]]:
    """The parents in DEPS, where they stand in the document, with the relations; `before` counts earlier words.

    >>> sorted(dependencies("2:nsubj|0:root", 10))
    [(-2816, 'root'), (3072, 'nsubj')]
    """
    found = set()
    for link in deps.split("|"):
        parent, _, relation = link.partition(":")
        place = NODE.fullmatch(parent)
        if place and "-" not in parent:
            word, minor = before + int(place[1]), int(place[2] or 0)
            anchor = word * STEP + (HALF if place[1] == "0" else 0)
            found.add((anchor + minor if minor or int(place[1]) else -(before + 1) * STEP, relation))
    return frozenset(found)


def sniff(head: str) -> bool:
    """Whether there is `# global.Entity`, or numbered lines of ten columns that are not CoNLL-2012's."""
    if re.search(r"^#\s*global\.Entity\b", head, re.MULTILINE):
        return True
    rows = [line.split("\t") for line in head.split("\n")[:200] if line.strip() and line[0] != "#"]
    return bool(rows) and all(len(row) == 10 and NODE.fullmatch(row[0]) for row in rows) and "#begin doc" not in head


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Ten columns, those that aune does not know as `_`; chains numbered through the file."""
    first = 1
    for found in documents:
        yield "".join(_written(found, first))
        first += found.chain_count


def _written(found: Document, first: int) -> Iterator[str]:
    tokens = [one_line(token) for token in words(found, "corefud")]
    misc = _misc_column(found, first, len(tokens))
    starts = frozenset(sentence_starts(found))
    yield f"# newdoc id = {one_line(found.id)}\n# global.Entity = {_header(_schema(found))}\n"
    for name, value in found.attributes.items():
        yield f"# meta::{one_line(name)} = {one_line(value)}\n"
    word, sentence = 0, 0
    for index, token in enumerate(tokens):
        if index == 0 or index in starts:
            sentence, word = sentence + 1, 0
            yield ("\n" if index else "") + f"# sent_id = {sentence}\n"
        extra = int(found.positions[index]) % STEP if found.positions is not None and found.unit == "token" else 0
        word += not extra
        place = f"{word}" if not extra else f"{word}.{extra % HALF}"
        yield "\t".join((place, token, *"_______", "|".join(misc[index]) or "_")) + "\n"
    yield "\n" if tokens else ""


def _header(schema: Sequence[str]) -> str:
    return "-".join(["eid", *(re.sub(r"[-\s]", "_", name) for name in schema)])


RESERVED = ("eid", "GRP", "entity", "head", *LEAST)


def _schema(found: Document) -> list[str]:
    """The fields after the name of the chain, the usual ones at their usual places."""
    rest = [name for name in found.features if name not in ("etype", "kind", "other")]
    rest = [f"{name}_" if name in RESERVED else name for name in rest]
    own = {"etype": "etype" in found.features, "head": True, "minspan": found.minima is not None}
    own |= {"kind": "kind" in found.features} | dict.fromkeys(rest, True) | {"other": "other" in found.features}
    return [name for name, there in own.items() if there]


def _misc_column(found: Document, first: int, size: int) -> list[list[str]]:
    """The last column: what closes, then what opens, outer first, then mentions of one token; and the links."""
    closing: list[list[tuple[int, str]]] = [[] for _ in range(size)]
    opening: list[list[tuple[int, str]]] = [[] for _ in range(size)]
    schema = _schema(found)
    brackets: list[tuple[int, int, str]] = []
    for index, number in enumerate(found.chains.tolist()):
        parts = _token_parts(found, index)
        values = _values(found, index, parts, schema)
        for count, (start, end) in enumerate(parts, 1):
            label = f"e{first + number}" + (f"[{count}/{len(parts)}]" if len(parts) > 1 else "")
            brackets.append((start, end, label))
            opened = "(" + "-".join((label, *values)).rstrip("-")
            opening[start].append((-end, opened + (")" if end == start + 1 else "")))
            if end > start + 1:
                closing[end - 1].append((-start, f"{label})"))
    refuse_crossing(found, brackets, "corefud")
    links = _links(found, first)
    column = []
    for index in range(size):
        entity = "".join(text for _, text in chain(sorted(closing[index]), sorted(opening[index])))
        column.append([*links.get(index, ()), f"Entity={entity}"] if entity else [])
    return column


def _token_parts(found: Document, index: int) -> list[tuple[int, int]]:
    """The parts of a mention, in token numbers."""
    parts = found.segments.get(index) or [found.spans[index]]
    return [(start, end) for start, end in token_spans(found, np.asarray(parts)).tolist()]


def _values(found: Document, index: int, parts: Sequence[tuple[int, int]], schema: Sequence[str]) -> list[str]:
    """The fields of a mention, as `_schema` orders them."""
    place = {
        token: number for number, token in enumerate(chain.from_iterable(map(range, *zip(*parts, strict=True))), 1)
    }
    special: dict[str, str] = {}
    if found.heads is not None and found.heads[index] >= 0:
        head = int(found.heads[index])
        special["head"] = str(place.get(int(token_spans(found, np.asarray([head, head + 1]))[0, 0]), ""))
    if found.minima is not None:
        start, end = token_spans(found, found.minima[index])[0].tolist()
        special["minspan"] = ",".join(str(place[token]) for token in range(start, end) if token in place)
    for name in schema:
        column = found.features.get(name) or found.features.get(name.removesuffix("_"))
        special.setdefault(name, _escaped(column[index]) if column and name not in RESERVED else "")
    return [special[name] for name in schema]


def _escaped(value: str) -> str:
    """A field without the signs that end one."""
    return quote(value, safe=":,;./~!@$&*+'").replace("-", "%2D") if not value.isalnum() else value


def _links(found: Document, first: int) -> dict[int, list[str]]:
    """The links that begin at each token."""
    bridges: dict[int, list[str]] = defaultdict(list)
    splits: dict[int, list[str]] = defaultdict(list)
    for kind, start, end in found.relations:
        token = _token_parts(found, start)[0][0]
        link = f"e{first + int(found.chains[end])}<e{first + int(found.chains[start])}"
        if kind == "split":
            splits[token].append(link)
        else:
            bridges[token].append(link if kind == "bridge" else f"{link}:{_escaped(kind).replace(',', '%2C')}")
    return {
        token: [
            f"{name}={','.join(links[token])}"
            for name, links in (("Bridge", bridges), ("SplitAnte", splits))
            if token in links
        ]
        for token in {*bridges, *splits}
    }


FORMAT = Format(read, sniff, write, carries=frozenset(NAMES), suffixes=(".conllu",))
