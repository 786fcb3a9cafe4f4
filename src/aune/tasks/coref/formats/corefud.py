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
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

import numpy as np

from aune.core.corpus import Source
from aune.core.errors import UsageError
from aune.core.groups import grouped, places
from aune.core.parts import overlap
from aune.core.pieces import Boundaries
from aune.core.task import Format
from aune.syntax.conllu import NODE, WIDTH, Node
from aune.syntax.edits import Edits
from aune.tasks.coref.formats._cells import Cell, Part, added, new_cells, parsed, parts, removed
from aune.tasks.coref.formats._changes import chain_names, changes, file_order, spliced_documents
from aune.tasks.coref.formats._nodes import HALF, Heading, headed_rows, word_nodes
from aune.tasks.coref.formats._words import one_line, refuse_crossing, sentence_starts, word_parts, words
from aune.tasks.coref.holdings import NAMES
from aune.tasks.coref.model import STEP, Document, Mention, Relation, document, token_spans

BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
BRACKETS = re.compile(r"(?:\([^()]++\)?+|[^()]++\))++")
PART = re.compile(r"(.*)\[(\d{1,6})/(\d{1,6})\]", re.DOTALL | re.ASCII)
LINK = re.compile(r"([^<,:]+)<([^<,:]+)(?::([^,]*))?")
USUAL = ("eid", "etype", "head", "other")
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


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    warned = False
    for heading, rows in headed_rows(source, "global.Entity", WIDTH):
        reader = _Reader(source)
        for _, node, said in rows:
            if node:
                reader.node(node, said)
        if reader.unnamed and not warned:
            warned = True
            source.alone &= not source.before  # the fields may be named in a piece before this one
            what = "no '# global.Entity' before the first mention, read as"
            source.warn(f"line {reader.unnamed}: {what} {'-'.join(USUAL)}")
        if heading:
            yield reader.document(heading)


class _Reader:
    """A document while its lines are read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.schema: Sequence[str] = USUAL
        self.unnamed = 0
        """The line of the first mention whose fields nothing names."""
        self.tokens: list[str] = []
        self.tags: list[str] = []
        self.positions: list[int] = []
        self.sentences: list[int] = []
        self.word = 0
        """How many words there are so far."""
        self.before = 0
        """How many words the sentences before have."""
        self.found: list[_Open] = []
        self.waiting = _Waiting()
        self.open: dict[str, list[tuple[_Open, list[int]]]] = defaultdict(list)
        """The mentions that wait for a bracket, each with its part that does."""
        self.links: list[_Link] = []
        self.depends: dict[int, frozenset[tuple[int, str]]] = {}
        """What each empty node depends on, by token."""

    def node(self, node: Node, schema: str) -> None:
        """Take a word or an empty node with what MISC says of it."""
        number, line, cells = node.number, node.line, node.cells
        if node.last:
            if "Entity=" in cells[9]:
                what = "found Entity at a multiword token, expected it at one of its words"
                self.source.problem(number, line.rindex("Entity=") + 1, f"{what}: move it to the first of them")
            return
        if node.begins:
            self.sentences.append(len(self.tokens))
            self.before = self.word
        self._place(node)
        if node.minor is not None:
            self.depends[len(self.tokens)] = dependencies(cells[8], self.before)
        self.tokens.append(cells[1])
        self.tags.append(cells[3])
        if "=" in cells[9]:
            self.schema = tuple(schema.split("-")) if schema else USUAL
            self._misc(number, line, cells[9], named=bool(schema))

    def _place(self, node: Node) -> None:
        """Note where the node stands."""
        if node.minor is None:
            self.word += 1
            self.positions.append(self.word * STEP)
            return
        anchor = self.word * STEP + (HALF if self.word == self.before else 0)
        last = self.positions[-1] if self.positions else 0
        place = max(anchor + node.minor, last + 1)  # behind the one before, whatever its number
        if node.minor == 0 or place - anchor >= HALF:
            what = f"found the empty node {node.cells[0]}, expected numbers from 1 to {HALF - 1} after the point"
            self.source.problem(node.number, 1, f"{what}: number the empty nodes after a word from 1")
        self.positions.append(place)

    def _misc(self, number: int, line: str, misc: str, named: bool) -> None:
        column = len(line) - len(misc) + 1
        seen: set[str] = set()
        for attribute in misc.split("|"):
            name, _, value = attribute.partition("=")
            if name in seen:
                what = f"found {name} a second time, expected each attribute once"
                self.source.problem(number, column, f"{what}: put the values together, or remove one")
            elif name == "Entity":
                self._entity(number, column + len(name) + 1, value, named)
            elif name in ("Bridge", "SplitAnte"):
                self._link(number, column, name, value)
            seen |= {name} & {"Bridge", "SplitAnte"}
            column += len(attribute) + 1

    def _entity(self, number: int, column: int, value: str, named: bool) -> None:
        """Open and close the mentions of a node."""
        if not BRACKETS.fullmatch(value):
            what = f"found Entity={value[:40]}, expected brackets such as '(e1-person-1' and 'e1)'"
            self.source.problem(number, column, f"{what}: correct them")
            return
        if not named:
            self.unnamed = self.unnamed or number
        token = len(self.tokens) - 1
        for bracket in BRACKET.finditer(value):
            opened, closed, ended = bracket.groups()
            where = column + bracket.start()
            if opened:
                mention = self._opened(number, where, opened)
                if mention:
                    mention.parts.append([token, token])
                    if not closed:
                        self.open[self._name(opened)].append((mention, mention.parts[-1]))
            else:
                self._close(number, where, self._name(ended), token)

    def _name(self, text: str) -> str:
        return _label(text, _name_index(self.schema))

    def _opened(self, number: int, column: int, given: str) -> _Open | None:
        """The mention that a bracket begins, or goes on with."""
        values = given.split("-", len(self.schema) - 1)
        label = self._name(given)
        renamed = {"entity": "etype"} if "GRP" in self.schema else {}
        fields = {
            renamed.get(name, name): unquote(value)
            for index, (name, value) in enumerate(zip(self.schema, values, strict=False))
            if index != _name_index(self.schema) and value
        }
        if "" in fields:
            what = f"found the value {fields.pop('')!r} of a field that global.Entity does not name, expected a name"
            self.source.problem(number, column, f"{what}: name the field, or take a - out there")
        part = PART.fullmatch(label)
        name, index, total = (part[1], int(part[2]), int(part[3])) if part else (label, 1, 1)
        if index == 1:
            self.waiting.begin(name, total)
            self.found.append(_Open(name, fields, number, column, [], total))
            return self.found[-1]
        mention = self.waiting.continued(name, index, total)
        if mention is None:
            what = f"found part {label} of a mention, expected part {name}[{index - 1}/{total}] before it"
            self.source.problem(number, column, f"{what}: add it, or number the parts from 1")
            return None
        return self.found[mention]

    def _close(self, number: int, column: int, label: str, token: int) -> None:
        if not self.open[label]:
            what = f"found '{label})' where no mention of it is open, expected '({label}' before it"
            self.source.problem(number, column, f"{what}: open the mention or remove the bracket")
            return
        _, part = self.open[label].pop()
        part[1] = token

    def _link(self, number: int, column: int, name: str, value: str) -> None:
        links = [LINK.fullmatch(part) for part in value.split(",")]
        for link in links:
            if link is None:
                what = f"found {name}={value[:40]}, expected links such as 'e1<e2'"
                self.source.problem(number, column, f"{what}: correct them")
                return
            kind = "split" if name == "SplitAnte" else unquote(link[3] or "bridge")
            self.links.append(_Link(kind, link[1], link[2], len(self.tokens) - 1, number))

    def document(self, heading: Heading) -> Document:
        """The document, once all its lines are read."""
        for label, left in self.open.items():
            for mention, _ in left:
                what = f"found '({label}' that is never closed, expected '{label})' in the same document"
                self.source.problem(mention.line, mention.column, f"{what}: close the mention")
        for mention in self.found:
            if len(mention.parts) != mention.total:
                what = f"found {len(mention.parts)} of the {mention.total} parts of a mention of {mention.name}"
                self.source.problem(
                    mention.line, mention.column, f"{what}, expected all of them in the document: add the others"
                )
            elif overlap((first, last + 1) for first, last in mention.parts):
                what = f"found parts of a mention of {mention.name} that overlap, expected each after the one before"
                self.source.problem(mention.line, mention.column, f"{what}: close every part before the next one")
        bare = len(self.positions) == self.word
        positions = list(range(len(self.tokens))) if bare else self.positions
        return document(
            heading.id,
            [self._mention(mention, positions) for mention in self.found],
            relations=self._relations(),
            tokens=self.tokens,
            sentences=self.sentences,
            positions=None if bare else np.asarray(positions, np.int64),
            attributes=heading.attributes,
            path=self.source.name,
            line=heading.line,
        )

    def _mention(self, mention: _Open, positions: Sequence[int]) -> Mention:
        parts = tuple(sorted((positions[first], positions[last] + 1) for first, last in mention.parts))
        tokens = sorted({*chain.from_iterable(range(first, last + 1) for first, last in mention.parts)})
        fields = dict(mention.fields)
        head = self._members(mention, fields.pop("head", "1" if len(tokens) == 1 else ""), tokens)
        given = next((fields.pop(name) for name in LEAST if name in fields), "")
        least = self._members(mention, given, tokens)
        kind = KINDS.get(self.tags[head[0]], "") if head else ""
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
            dependencies=self.depends.get(head[0] if head else tokens[0], frozenset()),
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

    def _relations(self) -> list[Relation]:
        """Links as pairs of mentions, numbered as they were opened."""
        of = places(mention.name for mention in self.found)
        relations = []
        for link in self.links:
            missing = [name for name in (link.target, link.source) if name not in of]
            if missing:
                what = f"found a link with {missing[0]}, which has no mention in the document, expected chains of it"
                self.source.problem(link.line, 1, f"{what}: remove the link or add the mention")
                continue
            here = [index for index in of[link.source] if self.found[index].parts[0][0] == link.token]
            relations.append(Relation(link.kind, (here or of[link.source])[0], of[link.target][0]))
        return relations


def _name_index(schema: Sequence[str]) -> int:
    """Which field names the chain."""
    return next((schema.index(name) for name in ("eid", "GRP") if name in schema), 0)


def _label(text: str, name_index: int) -> str:
    """The chain in a bracket, with the number of the part if it has one."""
    values = text.split("-")
    return values[min(name_index, len(values) - 1)]


class _Waiting:
    """Which mention a part goes on with: of those of its chain that wait for it, the one that began last."""

    def __init__(self) -> None:
        self._begun = 0
        self._mentions: dict[tuple[str, int, int], list[int]] = defaultdict(list)
        """Those of a chain that wait for a part of so many."""

    def begin(self, name: str, total: int) -> int:
        """The number of a mention that begins."""
        if total > 1:
            self._mentions[name, 2, total].append(self._begun)
        self._begun += 1
        return self._begun - 1

    def continued(self, name: str, index: int, total: int) -> int | None:
        waiting = self._mentions[name, index, total]
        if not waiting:
            return None
        insort(self._mentions[name, index + 1, total], waiting[-1])
        return waiting.pop()


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


def _written(document: Document, first: int) -> Iterator[str]:
    tokens = [one_line(token) for token in words(document, "corefud")]
    misc = _misc_column(document, first, len(tokens))
    starts = frozenset(sentence_starts(document))
    yield f"# newdoc id = {one_line(document.id)}\n# global.Entity = {_header(_schema(document))}\n"
    for name, value in document.attributes.items():
        yield f"# meta::{one_line(name)} = {one_line(value)}\n"
    word, sentence = 0, 0
    for index, token in enumerate(tokens):
        if index == 0 or index in starts:
            sentence, word = sentence + 1, 0
            yield ("\n" if index else "") + f"# sent_id = {sentence}\n"
        extra = (
            int(document.positions[index]) % STEP if document.positions is not None and document.unit == "token" else 0
        )
        word += not extra
        place = f"{word}" if not extra else f"{word}.{extra % HALF}"
        yield "\t".join((place, token, *"_______", "|".join(misc[index]) or "_")) + "\n"
    yield "\n" if tokens else ""


def _header(schema: Sequence[str]) -> str:
    return "-".join(["eid", *(re.sub(r"[-\s]", "_", name) for name in schema)])


RESERVED = ("eid", "GRP", "entity", "head", *LEAST)


def _schema(document: Document) -> list[str]:
    """The fields after the name of the chain, the usual ones at their usual places."""
    rest = [name for name in document.features if name not in ("etype", "kind", "other")]
    rest = [f"{name}_" if name in RESERVED else name for name in rest]
    own = {"etype": "etype" in document.features, "head": True, "minspan": document.minima is not None}
    own |= {"kind": "kind" in document.features} | dict.fromkeys(rest, True) | {"other": "other" in document.features}
    return [name for name, there in own.items() if there]


def _misc_column(document: Document, first: int, size: int) -> list[list[str]]:
    """The last column: what closes, then what opens, outer first, then mentions of one token; and the links."""
    cells = new_cells("")
    schema = _schema(document)
    names = [f"e{first + number}" for number in range(document.chain_count)]
    brackets: list[tuple[int, int, str]] = []
    order = _bracket_order(document)
    _refuse_mixed(document, order)
    for index in order:
        parts = word_parts(document, index)
        values = _values(document, index, parts, schema)
        for label, (start, end) in zip(_labels(names[document.chains[index]], len(parts)), parts, strict=True):
            brackets.append((start, end, label))
            added(cells, start, end, "-".join((label, *values)).rstrip("-"), label)
    refuse_crossing(document, brackets, "corefud")
    links = _links(document, names)
    column = []
    for index in range(size):
        entity = {"Entity": cells[index].text()} if index in cells else {}
        said = _link_values(links.get(index, ())) | entity
        column.append([f"{name}={said[name]}" for name in ATTRIBUTES if name in said])
    return column


def _bracket_order(document: Document) -> list[int]:
    """Of mentions that begin alike, the one that goes on later comes first: a part belongs to what began last."""
    return sorted(range(len(document)), key=lambda index: [-start for start, _ in document.segments.get(index, ())[1:]])


def _refuse_mixed(document: Document, order: Sequence[int]) -> None:
    """Refuse parts that would be read as those of another mention of their chain."""
    waiting, begun = _Waiting(), dict[int, int]()
    pieces = sorted(
        (start, -end, rank, number)
        for rank, index in enumerate(order)
        for number, (start, end) in enumerate(document.segments.get(index, ()), 1)
    )
    for _, _, rank, number in pieces:
        index = order[rank]
        name, total = str(document.chains[index]), len(document.segments[index])
        if number == 1:
            begun[index] = waiting.begin(name, total)
        elif waiting.continued(name, number, total) != begun[index]:
            raise UsageError(
                f"document {document.id!r} has mentions of one chain whose parts cross, so that it cannot be written "
                "as corefud: convert it to jsonlines"
            )


def _labels(name: str, parts: int) -> list[str]:
    """What the brackets of a mention in so many parts call its chain."""
    return [f"{name}[{number}/{parts}]" for number in range(1, parts + 1)] if parts > 1 else [name]


def _values(document: Document, index: int, parts: Sequence[tuple[int, int]], schema: Sequence[str]) -> list[str]:
    """The fields of a mention, as `_schema` orders them."""
    place = {
        token: number for number, token in enumerate(chain.from_iterable(map(range, *zip(*parts, strict=True))), 1)
    }
    special: dict[str, str] = {}
    if document.heads is not None and document.heads[index] >= 0:
        head = int(document.heads[index])
        special["head"] = str(place.get(int(token_spans(document, np.asarray([head, head + 1]))[0, 0]), ""))
    if document.minima is not None:
        start, end = token_spans(document, document.minima[index])[0].tolist()
        special["minspan"] = ",".join(str(place[token]) for token in range(start, end) if token in place)
    for name in schema:
        column = document.features.get(name) or document.features.get(name.removesuffix("_"))
        special.setdefault(name, _escaped(column[index]) if column and name not in RESERVED else "")
    return [special[name] for name in schema]


def _escaped(value: str) -> str:
    """A field without the signs that end one."""
    return quote(value, safe=":,;./~!@$&*+'").replace("-", "%2D") if not value.isalnum() else value


def _links(document: Document, names: Sequence[str]) -> dict[int, list[tuple[str, str]]]:
    """The links that begin at each token: the attribute and what it says."""
    chains = document.chains.tolist()
    return grouped(
        (word_parts(document, start)[0][0], (_attribute(kind), _link(kind, names[chains[start]], names[chains[end]])))
        for kind, start, end in document.relations
    )


def _attribute(kind: str) -> str:
    return "SplitAnte" if kind == "split" else "Bridge"


def _link(kind: str, source: str, target: str) -> str:
    """A link from one chain to another, as MISC writes it."""
    named = "" if kind in ("bridge", "split") else ":" + _escaped(kind).replace(",", "%2C")
    return f"{target}<{source}{named}"


def _link_values(links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The links of a token by attribute, each once."""
    return {name: ",".join(values) for name, values in grouped(dict.fromkeys(links)).items()}


ATTRIBUTES = ("Bridge", "Entity", "SplitAnte")
Links: TypeAlias = dict[int, dict[str, list[str]]]
"""The links that begin at a token, by attribute."""


class _Row(NamedTuple):
    """A node whose MISC can change: where that column stands in the text, and what it says."""

    start: int
    misc: str

    @property
    def attributes(self) -> dict[str, str]:
        return {name: value for name, _, value in (cell.partition("=") for cell in self.misc.split("|")) if value}

    def changed(self, new: Mapping[str, str]) -> str:
        """MISC with other values of `ATTRIBUTES`, which stand where they stood, or by the alphabet."""
        cells = self.misc.split("|") if self.misc not in ("_", "") else []
        for name in ATTRIBUTES:
            places = [place for place, cell in enumerate(cells) if cell.startswith(f"{name}=")]
            if places and new.get(name):
                cells[places[0]] = f"{name}={new[name]}"
            elif places:
                del cells[places[0]]
            elif new.get(name):
                later = (place for place, cell in enumerate(cells) if cell.lower() > name.lower())
                cells.insert(next(later, len(cells)), f"{name}={new[name]}")
        return "|".join(cells) or "_"


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The file with other mentions and links in MISC."""
    edits = Edits(source)
    pairs = list(spliced_documents(FORMAT, source, documents))
    texts = [list(word_nodes(rows)) for heading, rows in headed_rows(source, "global.Entity", WIDTH) if heading]
    taken = {label for before, _ in pairs for label in before.labels or ()}
    for (before, after), nodes in zip(pairs, texts, strict=True):
        rows = [_Row(node.start + len(node.line) - len(node.cells[9]), node.cells[9]) for node, _ in nodes]
        new = _Splice(before, after, rows, _one_schema(before, nodes), taken).attributes()
        for token, row in enumerate(rows):
            if token in new:
                edits.replace(row.start, row.start + len(row.misc), row.changed(new[token]))
    return edits.applied()


def _one_schema(document: Document, nodes: Sequence[tuple[Node, str]]) -> Sequence[str]:
    """The fields of the mentions of a document, which must be the same in all, or those that were named last."""
    used = list(dict.fromkeys(said for node, said in nodes if "Entity=" in node.cells[9]))
    if len(used) > 1:
        raise UsageError(
            f"document {document.id!r} has fields of two '# global.Entity', so that nothing can be put into it: "
            "convert it to jsonlines"
        )
    said = next((said for said in used or [said for _, said in reversed(nodes)] if said), "")
    return said.split("-") if said else USUAL


class _Splice:
    """One document, and what its nodes shall say."""

    def __init__(
        self, before: Document, after: Document, rows: Sequence[_Row], schema: Sequence[str], taken: set[str]
    ) -> None:
        self.before, self.after, self.schema = before, after, schema
        self.name_index = _name_index(schema)
        self.cells = [Cell(parsed(row.attributes.get("Entity", ""), BRACKET), "") for row in rows]
        self.rows = rows
        self.change = changes(before, after)
        self.names = chain_names(before, after, self.change.chains, re.compile(r"[A-Za-z]\w*", re.ASCII), taken)
        taken.update(self.names)

    def attributes(self) -> dict[int, dict[str, str]]:
        """`ATTRIBUTES` of the nodes where they change."""
        self._change_mentions()
        touched = {token for token, cell in enumerate(self.cells) if cell.touched}
        links = self._links()
        return {
            token: self.rows[token].attributes
            | ({"Entity": self.cells[token].text()} if token in touched else {})
            | links.get(token, {})
            for token in touched | links.keys()
        }

    def _links(self) -> dict[int, dict[str, str]]:
        """The links of the nodes where they change: those that stay in their place, and those that are new."""
        links: Links = defaultdict(lambda: {"Bridge": [], "SplitAnte": []})
        relations = self.after.relations  # as the file knows them: from a mention to a chain
        wanted = Counter((kind, source, self._name(target)) for kind, source, target in relations)
        self._keep_links(links, wanted)
        self._add_links(links, wanted)
        values = {token: {name: ",".join(texts) for name, texts in said.items()} for token, said in links.items()}
        return {
            token: said
            for token, said in values.items()
            if any(value != self.rows[token].attributes.get(name, "") for name, value in said.items())
        }

    def _keep_links(self, links: Links, wanted: Counter[tuple[str, int, str]]) -> None:
        """Leave the links that are still true where they are, and take them off what is wanted."""
        there = [
            (token, name, link)
            for token, row in enumerate(self.rows)
            for name, value in row.attributes.items()
            if name in ("Bridge", "SplitAnte")
            for link in value.split(",")
        ]
        for (token, name, link), relation in zip(there, self.before.relations, strict=True):
            kept, source = links[token][name], self.change.fate[relation.source]
            if source is None:
                continue
            target = self._target(relation.target, self.change.fate[relation.target])
            if wanted[relation.kind, source, target] and self._starts(source, token):
                wanted[relation.kind, source, target] -= 1
                text = _link(relation.kind, self._name(source), target)
                kept.append(link if link.partition(":")[0] == text.partition(":")[0] else text)

    def _add_links(self, links: Links, wanted: Counter[tuple[str, int, str]]) -> None:
        for kind, source, name in +wanted:
            start = word_parts(self.after, source)[0][0]
            if not self._starts(source, start):
                raise UsageError(
                    f"document {self.after.id!r} has a relation of one of two mentions of a chain that begin at "
                    "one token, so that it cannot be written as corefud: convert it to jsonlines"
                )
            links[start][_attribute(kind)].append(_link(kind, self._name(source), name))

    def _name(self, mention: int) -> str:
        """What the chain of a mention is called."""
        return self.names[int(self.after.chains[mention])]

    def _target(self, before: int, after: int | None) -> str:
        """The chain that a link goes to: that of its mention, or the one that its chain goes on with."""
        if after is not None:
            return self._name(after)
        chain = int(self.before.chains[before])
        return next((self.names[new] for new, old in enumerate(self.change.chains) if old == chain), "")

    @cached_property
    def _begun(self) -> dict[tuple[int, int | None], list[int]]:
        """The mentions of each chain that begin at each token, and at any (None)."""
        found: dict[tuple[int, int | None], list[int]] = defaultdict(list)
        for mention, chain_number in enumerate(self.after.chains.tolist()):
            found[chain_number, word_parts(self.after, mention)[0][0]].append(mention)
            found[chain_number, None].append(mention)
        return found

    def _starts(self, mention: int, token: int) -> bool:
        """Whether a link of the chain at a token is read as one of this mention."""
        number = int(self.after.chains[mention])
        here = self._begun.get((number, token), [])
        return (here or self._begun[number, None])[0] == mention and len(here) <= 1

    def _change_mentions(self) -> None:
        pieces = parts(self.cells, lambda opened: _label(opened, self.name_index))
        mentions = _grouped(pieces)
        order = file_order(self.before)
        labels = self.before.labels or ()
        brackets = []
        for old, new in self.change.pairs:
            if new is None:
                removed(self.cells, mentions[order[old or 0]])
                continue
            name = self._name(new)
            where = word_parts(self.after, new)
            brackets += [(*part, f"{name}[{number}/{len(where)}]") for number, part in enumerate(where)]
            wanted = _fields_of(self.after, new)
            if old is not None:
                same = where == word_parts(self.before, old) and labels[int(self.before.chains[old])] == name
                known = _fields_of(self.before, old)
                if same and wanted == known:
                    continue
                values = self._values(self._opening(mentions[order[old]][0]), known, wanted)
                removed(self.cells, mentions[order[old]])
            else:
                values = self._values([""] * len(self.schema), {}, wanted)
            for values[self.name_index], span in zip(_labels(name, len(where)), where, strict=True):
                closing = "-".join(values[: self.name_index + 1])  # the chain, after the type in the older schemas
                added(self.cells, *span, "-".join(values).rstrip("-"), closing)
        refuse_crossing(self.after, brackets, "corefud")
        _refuse_mixed(self.after, _bracket_order(self.after))

    def _opening(self, part: Part) -> list[str]:
        """The fields of a mention as the file has them."""
        token, index = part.opened
        values = (self.cells[token].brackets[index].opens or "").split("-", len(self.schema) - 1)
        return [*values, *[""] * (len(self.schema) - len(values))]

    def _values(self, values: list[str], known: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
        """The fields of a mention in the order of the file, changed where the document has changed."""
        renamed = {"entity": "etype"} if "GRP" in self.schema else {}
        names = ["minspan" if column in LEAST else renamed.get(column, column) for column in self.schema]
        lost = [name for name in wanted if name not in {"head", "kind", *known, *names}]
        if lost:
            raise UsageError(
                f"document {self.after.id!r} has {lost[0]!r}, for which '# global.Entity' has no field: it cannot be "
                "put into the file unless you add the field, or write a new file"
            )
        return [
            value if known.get(name, "") == wanted.get(name, "") else _escaped(wanted.get(name, ""))
            for name, value in zip(names, values, strict=True)
        ]


def _grouped(pieces: Sequence[Part]) -> list[list[Part]]:
    """The parts of every mention, in the order in which mentions open."""
    found: list[list[Part]] = []
    waiting = _Waiting()
    for piece in pieces:
        part = PART.fullmatch(piece.name)
        name, index, total = (part[1], int(part[2]), int(part[3])) if part else (piece.name, 1, 1)
        if index == 1:
            waiting.begin(name, total)
            found.append([piece])
        else:
            mention = waiting.continued(name, index, total)
            assert mention is not None, "the reader refuses parts that go on with nothing"
            found[mention].append(piece)
    return found


def _fields_of(document: Document, index: int) -> dict[str, str]:
    """The fields of a mention by name, as they would be written; a kind that follows from the head is none."""
    values = _values(document, index, word_parts(document, index), ["head", "minspan"])
    return document.features_of(index) | {
        name: value for name, value in zip(("head", "minspan"), values, strict=True) if value
    }


FORMAT = Format(read, sniff, write, carries=frozenset(NAMES), suffixes=(".conllu",), splice=splice,
                boundaries=Boundaries((b"# newdoc",)))  # fmt: skip
