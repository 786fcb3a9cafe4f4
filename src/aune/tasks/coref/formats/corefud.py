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

>>> from aune.reading.corpus import Source
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
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

import numpy as np

from aune.contract.format import Boundaries, Format
from aune.errors import UsageError
from aune.numeric.grouping import group_items, key_positions
from aune.numeric.ranges import have_overlap
from aune.reading.source import Source
from aune.syntax.conllu import NODE, WIDTH, Node
from aune.syntax.edits import Edits
from aune.tasks.coref.formats._bracket_cells import (
    Cell,
    MentionPart,
    add_brackets,
    mention_parts,
    new_cells,
    parse_brackets,
    remove_brackets,
)
from aune.tasks.coref.formats._changes import chain_names, changes, file_order, spliced_documents
from aune.tasks.coref.formats._conllu_documents import HALF, Heading, headed_rows, word_nodes
from aune.tasks.coref.formats._tokenization import (
    document_words,
    refuse_crossing,
    sentence_starts,
    single_line,
    word_parts,
)
from aune.tasks.coref.losses import ALTERNATIVES, CONTENT_NAMES
from aune.tasks.coref.model import STEP, Document, Mention, Relation, make_document, token_spans

BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
BRACKETS = re.compile(r"(?:\([^()]++\)?+|[^()]++\))++")
PART = re.compile(r"(.*)\[(\d{1,6})/(\d{1,6})\]", re.DOTALL | re.ASCII)
LINK = re.compile(r"([^<,:]+)<([^<,:]+)(?::([^,]*))?")
DEFAULT_SCHEMA = ("eid", "etype", "head", "other")
KINDS = {"PROPN": "name", "NOUN": "noun", "PRON": "pronoun", "DET": "pronoun"}
MINIMUM_FIELDS = ("minspan", "MIN", "min")


@dataclass
class _CorefudMention:
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
        for _, node, schema in rows:
            if node:
                reader.node(node, schema)
        if reader.unnamed and not warned:
            warned = True
            source.is_standalone &= not source.documents_before  # the fields may be named in a piece before this one
            message = "no '# global.Entity' before the first mention, read as"
            source.warn(f"line {reader.unnamed}: {message} {'-'.join(DEFAULT_SCHEMA)}")
        if heading:
            yield reader.document(heading)


class _Reader:
    """A document while its lines are read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.schema: Sequence[str] = DEFAULT_SCHEMA
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
        self.mentions: list[_CorefudMention] = []
        self.waiting = _WaitingParts()
        self.open: dict[str, list[tuple[_CorefudMention, list[int]]]] = defaultdict(list)
        """The mentions that wait for a bracket, each with its part that does."""
        self.links: list[_Link] = []
        self.depends: dict[int, frozenset[tuple[int, str]]] = {}
        """What each empty node depends on, by token."""

    def node(self, node: Node, schema: str) -> None:
        """Take a word or an empty node with what MISC says of it."""
        number, line, cells = node.number, node.line, node.cells
        if node.last:
            if "Entity=" in cells[9]:
                self.source.add_problem(
                    "mention.malformed",
                    number,
                    line.rindex("Entity=") + 1,
                    found="Entity at a multiword token",
                    expected="it at one of its words",
                    remedies=["move it to the first of them"],
                )
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
            self.schema = tuple(schema.split("-")) if schema else DEFAULT_SCHEMA
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
            self.source.add_problem(
                "word.bad-number",
                node.number,
                1,
                found=f"the empty node {node.cells[0]}",
                expected=f"numbers from 1 to {HALF - 1} after the point",
                remedies=["number the empty nodes after a word from 1"],
            )
        self.positions.append(place)

    def _misc(self, number: int, line: str, misc: str, named: bool) -> None:
        column = len(line) - len(misc) + 1
        seen: set[str] = set()
        for attribute in misc.split("|"):
            name, _, value = attribute.partition("=")
            if name in seen:
                self.source.add_problem(
                    "field.repeated",
                    number,
                    column,
                    found=f"{name} a second time",
                    expected="each attribute once",
                    remedies=["put the values together, or remove one"],
                )
            elif name == "Entity":
                self._entity(number, column + len(name) + 1, value, named)
            elif name in ("Bridge", "SplitAnte"):
                self._link(number, column, name, value)
            seen |= {name} & {"Bridge", "SplitAnte"}
            column += len(attribute) + 1

    def _entity(self, number: int, column: int, value: str, named: bool) -> None:
        """Open and close the mentions of a node."""
        if not BRACKETS.fullmatch(value):
            self.source.add_problem(
                "mention.malformed",
                number,
                column,
                found=f"Entity={value[:40]}",
                expected="brackets such as '(e1-person-1' and 'e1)'",
                remedies=["correct them"],
            )
            return
        if not named:
            self.unnamed = self.unnamed or number
        token = len(self.tokens) - 1
        for bracket in BRACKET.finditer(value):
            opened, closed, ended = bracket.groups()
            where = column + bracket.start()
            if opened:
                mention = self._open_mention(number, where, opened)
                if mention:
                    mention.parts.append([token, token])
                    if not closed:
                        self.open[self._name(opened)].append((mention, mention.parts[-1]))
            else:
                self._close(number, where, self._name(ended), token)

    def _name(self, text: str) -> str:
        return _label(text, _name_index(self.schema))

    def _open_mention(self, number: int, column: int, text: str) -> _CorefudMention | None:
        """The mention that a bracket begins, or goes on with."""
        values = text.split("-", len(self.schema) - 1)
        label = self._name(text)
        renamed = {"entity": "etype"} if "GRP" in self.schema else {}
        fields = {
            renamed.get(name, name): unquote(value)
            for index, (name, value) in enumerate(zip(self.schema, values, strict=False))
            if index != _name_index(self.schema) and value
        }
        if "" in fields:
            self.source.add_problem(
                "mention.malformed",
                number,
                column,
                found=f"the value {fields.pop('')!r} of a field that global.Entity does not name",
                expected="a name",
                remedies=["name the field, or take a - out there"],
            )
        part = PART.fullmatch(label)
        name, index, total = (part[1], int(part[2]), int(part[3])) if part else (label, 1, 1)
        if index == 1:
            self.waiting.begin(name, total)
            self.mentions.append(_CorefudMention(name, fields, number, column, [], total))
            return self.mentions[-1]
        mention = self.waiting.continue_mention(name, index, total)
        if mention is None:
            self.source.add_problem(
                "mention.part-missing",
                number,
                column,
                found=f"part {label} of a mention",
                expected=f"part {name}[{index - 1}/{total}] before it",
                remedies=["add it, or number the parts from 1"],
            )
            return None
        return self.mentions[mention]

    def _close(self, number: int, column: int, label: str, token: int) -> None:
        if not self.open[label]:
            self.source.add_problem(
                "mention.unopened",
                number,
                column,
                found=f"'{label})' where no mention of it is open",
                expected=f"'({label}' before it",
                remedies=["open the mention or remove the bracket"],
            )
            return
        _, part = self.open[label].pop()
        part[1] = token

    def _link(self, number: int, column: int, name: str, value: str) -> None:
        links = [LINK.fullmatch(part) for part in value.split(",")]
        for link in links:
            if link is None:
                self.source.add_problem(
                    "link.malformed",
                    number,
                    column,
                    found=f"{name}={value[:40]}",
                    expected="links such as 'e1<e2'",
                    remedies=["correct them"],
                )
                return
            kind = "split" if name == "SplitAnte" else unquote(link[3] or "bridge")
            self.links.append(_Link(kind, link[1], link[2], len(self.tokens) - 1, number))

    def document(self, heading: Heading) -> Document:
        """The document, once all its lines are read."""
        for label, left in self.open.items():
            for mention, _ in left:
                self.source.add_problem(
                    "mention.unclosed",
                    mention.line,
                    mention.column,
                    found=f"'({label}' that is never closed",
                    expected=f"'{label})' in the same document",
                    remedies=["close the mention"],
                )
        for mention in self.mentions:
            if len(mention.parts) != mention.total:
                self.source.add_problem(
                    "mention.part-missing",
                    mention.line,
                    mention.column,
                    found=f"{len(mention.parts)} of the {mention.total} parts of a mention of {mention.name}",
                    expected="all of them in the document",
                    remedies=["add the others"],
                )
            elif have_overlap((first, last + 1) for first, last in mention.parts):
                self.source.add_problem(
                    "mention.overlapping",
                    mention.line,
                    mention.column,
                    found=f"parts of a mention of {mention.name} that overlap",
                    expected="each after the one before",
                    remedies=["close every part before the next one"],
                )
        bare = len(self.positions) == self.word
        positions = list(range(len(self.tokens))) if bare else self.positions
        return make_document(
            heading.id,
            [self._mention(mention, positions) for mention in self.mentions],
            relations=self._relations(),
            tokens=self.tokens,
            sentences=self.sentences,
            positions=None if bare else np.asarray(positions, np.int64),
            attributes=heading.attributes,
            path=self.source.name,
            line=heading.line,
        )

    def _mention(self, mention: _CorefudMention, positions: Sequence[int]) -> Mention:
        parts = tuple(sorted((positions[first], positions[last] + 1) for first, last in mention.parts))
        tokens = sorted({*chain.from_iterable(range(first, last + 1) for first, last in mention.parts)})
        fields = dict(mention.fields)
        head = self._members(mention, fields.pop("head", "1" if len(tokens) == 1 else ""), tokens)
        minimum = next((fields.pop(name) for name in MINIMUM_FIELDS if name in fields), "")
        least = self._members(mention, minimum, tokens)
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

    def _members(self, mention: _CorefudMention, places: str, tokens: Sequence[int]) -> list[int]:
        """The tokens at some places of a mention, counted from 1."""
        numbers = places.split(",") if places else []
        if all(place.isascii() and place.isdigit() and 0 < int(place[:9]) <= len(tokens) for place in numbers):
            return [tokens[int(place[:9]) - 1] for place in numbers]
        self.source.add_problem(
            "mention.bad-head",
            mention.line,
            mention.column,
            found=f"the place {places[:20]!r} in a mention of {len(tokens)} tokens",
            expected="numbers from 1 to that",
            remedies=[f"correct the head or the least span of {mention.name}"],
        )
        return []

    def _relations(self) -> list[Relation]:
        """Links as pairs of mentions, numbered as they were opened."""
        of = key_positions(mention.name for mention in self.mentions)
        relations = []
        for link in self.links:
            missing = [name for name in (link.target, link.source) if name not in of]
            if missing:
                self.source.add_problem(
                    "mention.unknown",
                    link.line,
                    1,
                    found=f"a link with {missing[0]}, which has no mention in the document",
                    expected="chains of it",
                    remedies=["remove the link or add the mention"],
                )
                continue
            here = [index for index in of[link.source] if self.mentions[index].parts[0][0] == link.token]
            relations.append(Relation(link.kind, (here or of[link.source])[0], of[link.target][0]))
        return relations


def _name_index(schema: Sequence[str]) -> int:
    """Which field names the chain."""
    return next((schema.index(name) for name in ("eid", "GRP") if name in schema), 0)


def _label(text: str, name_index: int) -> str:
    """The chain in a bracket, with the number of the part if it has one."""
    values = text.split("-")
    return values[min(name_index, len(values) - 1)]


class _WaitingParts:
    """Which mention a part goes on with: of those of its chain that wait for it, the one that began last."""

    def __init__(self) -> None:
        self._count = 0
        self._mentions: dict[tuple[str, int, int], list[int]] = defaultdict(list)
        """Those of a chain that wait for a part of so many."""

    def begin(self, name: str, total: int) -> int:
        """The number of a mention that begins."""
        if total > 1:
            self._mentions[name, 2, total].append(self._count)
        self._count += 1
        return self._count - 1

    def continue_mention(self, name: str, index: int, total: int) -> int | None:
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
    parents = set()
    for link in deps.split("|"):
        parent, _, relation = link.partition(":")
        place = NODE.fullmatch(parent)
        if place and "-" not in parent:
            word, minor = before + int(place[1]), int(place[2] or 0)
            anchor = word * STEP + (HALF if place[1] == "0" else 0)
            parents.add((anchor + minor if minor or int(place[1]) else -(before + 1) * STEP, relation))
    return frozenset(parents)


def sniff(head: str) -> bool:
    """Whether there is `# global.Entity`, or numbered lines of ten columns that are not CoNLL-2012's."""
    if re.search(r"^#\s*global\.Entity\b", head, re.MULTILINE):
        return True
    rows = [line.split("\t") for line in head.split("\n")[:200] if line.strip() and line[0] != "#"]
    return bool(rows) and all(len(row) == 10 and NODE.fullmatch(row[0]) for row in rows) and "#begin doc" not in head


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Ten columns, those that aune does not know as `_`; chains numbered through the file."""
    first = 1
    for document in documents:
        yield "".join(_format_document(document, first))
        first += document.chain_count


def _format_document(document: Document, first: int) -> Iterator[str]:
    tokens = [single_line(token) for token in document_words(document, "corefud")]
    misc = _misc_column(document, first, len(tokens))
    starts = frozenset(sentence_starts(document))
    ends = dict(pairwise([*sorted({0, *starts}), len(tokens)]))
    yield f"# newdoc id = {single_line(document.id)}\n# global.Entity = {_header(_schema(document))}\n"
    for name, value in document.attributes.items():
        yield f"# meta::{single_line(name)} = {single_line(value)}\n"
    word, sentence = 0, 0
    for index, token in enumerate(tokens):
        if index == 0 or index in starts:
            sentence, word = sentence + 1, 0
            yield ("\n" if index else "") + f"# sent_id = {sentence}\n"
            yield from _sentence_text(document, tokens, index, ends[index])
        extra = (
            int(document.positions[index]) % STEP if document.positions is not None and document.unit == "token" else 0
        )
        word += not extra
        place = f"{word}" if not extra else f"{word}.{extra % HALF}"
        yield "\t".join((place, token, *"_______", "|".join(misc[index]) or "_")) + "\n"
    yield "\n" if tokens else ""


def _header(schema: Sequence[str]) -> str:
    return "-".join(["eid", *(re.sub(r"[-\s]", "_", name) for name in schema)])


RESERVED = ("eid", "GRP", "entity", "head", *MINIMUM_FIELDS)


def _schema(document: Document) -> list[str]:
    """The fields after the name of the chain, the usual ones at their usual places."""
    rest = [name for name in document.features if name not in ("etype", "kind", "other")]
    rest = [f"{name}_" if name in RESERVED else name for name in rest]
    fields = {"etype": "etype" in document.features, "head": True, "minspan": document.minima is not None}
    fields |= (
        {"kind": "kind" in document.features} | dict.fromkeys(rest, True) | {"other": "other" in document.features}
    )
    return [name for name, is_present in fields.items() if is_present]


def _misc_column(document: Document, first: int, size: int) -> list[list[str]]:
    """The last column: what closes, then what opens, outer first, then mentions of one token; and the links."""
    cells = new_cells("")
    schema = _schema(document)
    names = [f"e{first + number}" for number in range(document.chain_count)]
    brackets: list[tuple[int, int, str]] = []
    order = _bracket_order(document)
    _refuse_crossing_parts(document, order)
    for index in order:
        parts = word_parts(document, index)
        values = _values(document, index, parts, schema)
        for label, (start, end) in zip(_labels(names[document.chains[index]], len(parts)), parts, strict=True):
            brackets.append((start, end, label))
            add_brackets(cells, start, end, "-".join((label, *values)).rstrip("-"), label)
    refuse_crossing(document, brackets, "corefud")
    links = _links(document, names)
    column = []
    for index in range(size):
        entity = {"Entity": cells[index].text()} if index in cells else {}
        attributes = _link_values(links.get(index, ())) | entity
        values = [f"{name}={attributes[name]}" for name in ATTRIBUTES if name in attributes]
        column.append(values + ["SpaceAfter=No"] * (_gap_after(document, index) == ""))
    return column


def _gap_after(document: Document, index: int) -> str | None:
    """The characters between a word and the next one; None where the document does not have them."""
    if document.gaps is None or _is_empty_node(document, index):
        return None
    following = index + 1
    while following < len(document.gaps) - 1 and _is_empty_node(document, following):
        following += 1
    is_last = following == len(document.gaps) - 1
    return " " if is_last else "".join(document.gaps[index + 1 : following + 1])


def _is_empty_node(document: Document, index: int) -> bool:
    return document.positions is not None and document.unit == "token" and int(document.positions[index]) % STEP != 0


def _sentence_text(document: Document, tokens: Sequence[str], start: int, end: int) -> Iterator[str]:
    """The comment `# text` of a sentence, where the document has the characters between its words."""
    if document.gaps is None:
        return
    words = [index for index in range(start, end) if not _is_empty_node(document, index)]
    pieces = [tokens[index] + (_gap_after(document, index) or "") for index in words[:-1]]
    yield f"# text = {single_line(''.join([*pieces, *(tokens[index] for index in words[-1:])]))}\n"


def _bracket_order(document: Document) -> list[int]:
    """Of mentions that begin alike, the one that goes on later comes first: a part belongs to what began last."""
    return sorted(range(len(document)), key=lambda index: [-start for start, _ in document.segments.get(index, ())[1:]])


def _refuse_crossing_parts(document: Document, order: Sequence[int]) -> None:
    """Refuse parts that would be read as those of another mention of their chain."""
    waiting, begun = _WaitingParts(), dict[int, int]()
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
        elif waiting.continue_mention(name, number, total) != begun[index]:
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
        special.setdefault(name, _escape_value(column[index]) if column and name not in RESERVED else "")
    return [special[name] for name in schema]


def _escape_value(value: str) -> str:
    """A field without the signs that end one."""
    return quote(value, safe=":,;./~!@$&*+'").replace("-", "%2D") if not value.isalnum() else value


def _links(document: Document, names: Sequence[str]) -> dict[int, list[tuple[str, str]]]:
    """The links that begin at each token: the attribute and what it says."""
    chains = document.chains.tolist()
    return group_items(
        (word_parts(document, start)[0][0], (_attribute(kind), _link(kind, names[chains[start]], names[chains[end]])))
        for kind, start, end in document.relations
    )


def _attribute(kind: str) -> str:
    return "SplitAnte" if kind == "split" else "Bridge"


def _link(kind: str, source: str, target: str) -> str:
    """A link from one chain to another, as MISC writes it."""
    named = "" if kind in ("bridge", "split") else ":" + _escape_value(kind).replace(",", "%2C")
    return f"{target}<{source}{named}"


def _link_values(links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The links of a token by attribute, each once."""
    return {name: ",".join(values) for name, values in group_items(dict.fromkeys(links)).items()}


ATTRIBUTES = ("Bridge", "Entity", "SplitAnte")
Links: TypeAlias = dict[int, dict[str, list[str]]]
"""The links that begin at a token, by attribute."""


class _MiscCell(NamedTuple):
    """A node whose MISC can change: where that column stands in the text, and what it says."""

    start: int
    misc: str

    @property
    def attributes(self) -> dict[str, str]:
        return {name: value for name, _, value in (cell.partition("=") for cell in self.misc.split("|")) if value}

    def updated_misc(self, new: Mapping[str, str]) -> str:
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
        rows = [_MiscCell(node.start + len(node.line) - len(node.cells[9]), node.cells[9]) for node, _ in nodes]
        new = _CorefudSplicer(before, after, rows, _single_schema(before, nodes), taken).attributes()
        for token, row in enumerate(rows):
            if token in new:
                edits.replace(row.start, row.start + len(row.misc), row.updated_misc(new[token]))
    return edits.apply()


def _single_schema(document: Document, nodes: Sequence[tuple[Node, str]]) -> Sequence[str]:
    """The fields of the mentions of a document, which must be the same in all, or those that were named last."""
    used = list(dict.fromkeys(schema for node, schema in nodes if "Entity=" in node.cells[9]))
    if len(used) > 1:
        raise UsageError(
            f"document {document.id!r} has fields of two '# global.Entity', so that nothing can be put into it: "
            "convert it to jsonlines"
        )
    schema = next((schema for schema in used or [schema for _, schema in reversed(nodes)] if schema), "")
    return schema.split("-") if schema else DEFAULT_SCHEMA


class _CorefudSplicer:
    """One document, and what its nodes shall say."""

    def __init__(
        self, before: Document, after: Document, rows: Sequence[_MiscCell], schema: Sequence[str], taken: set[str]
    ) -> None:
        self.before, self.after, self.schema = before, after, schema
        self.name_index = _name_index(schema)
        self.cells = [Cell(parse_brackets(row.attributes.get("Entity", ""), BRACKET), "") for row in rows]
        self.rows = rows
        self.change = changes(before, after)
        self.names = chain_names(before, after, self.change.chains, re.compile(r"[A-Za-z]\w*", re.ASCII), taken)
        taken.update(self.names)

    def attributes(self) -> dict[int, dict[str, str]]:
        """`ATTRIBUTES` of the nodes where they change."""
        self._change_mentions()
        touched = {token for token, cell in enumerate(self.cells) if cell.is_changed}
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
        new_relations = Counter((kind, source, self._name(target)) for kind, source, target in relations)
        self._keep_links(links, new_relations)
        self._add_links(links, new_relations)
        values = {
            token: {name: ",".join(texts) for name, texts in attributes.items()} for token, attributes in links.items()
        }
        return {
            token: attributes
            for token, attributes in values.items()
            if any(value != self.rows[token].attributes.get(name, "") for name, value in attributes.items())
        }

    def _keep_links(self, links: Links, new_relations: Counter[tuple[str, int, str]]) -> None:
        """Leave the links that are still true where they are, and take them off what is wanted."""
        old_links = [
            (token, name, link)
            for token, row in enumerate(self.rows)
            for name, value in row.attributes.items()
            if name in ("Bridge", "SplitAnte")
            for link in value.split(",")
        ]
        for (token, name, link), relation in zip(old_links, self.before.relations, strict=True):
            kept_links, source = links[token][name], self.change.fate[relation.source]
            if source is None:
                continue
            target = self._target(relation.target, self.change.fate[relation.target])
            if new_relations[relation.kind, source, target] and self._starts(source, token):
                new_relations[relation.kind, source, target] -= 1
                text = _link(relation.kind, self._name(source), target)
                kept_links.append(link if link.partition(":")[0] == text.partition(":")[0] else text)

    def _add_links(self, links: Links, new_relations: Counter[tuple[str, int, str]]) -> None:
        for kind, source, name in +new_relations:
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
        """The chain of a link's target: that of its mention, or what its chain became; "" if it is gone."""
        if after is not None:
            return self._name(after)
        chain = int(self.before.chains[before])
        return next((self.names[new] for new, old in enumerate(self.change.chains) if old == chain), "")

    @cached_property
    def _mentions_by_start(self) -> dict[tuple[int, int | None], list[int]]:
        """The mentions of each chain that begin at each token, and those that begin first (None)."""
        mentions: dict[tuple[int, int | None], list[int]] = {}
        starts = [word_parts(self.after, mention)[0][0] for mention in range(len(self.after))]
        for mention in sorted(range(len(starts)), key=starts.__getitem__):
            place = int(self.after.chains[mention]), starts[mention]
            here = mentions.setdefault(place, [])
            here.append(mention)
            mentions.setdefault((place[0], None), here)
        return mentions

    def _starts(self, mention: int, token: int) -> bool:
        """Whether a link of the chain at a token is read as one of this mention."""
        number = int(self.after.chains[mention])
        return self._mentions_by_start.get((number, token), self._mentions_by_start[number, None]) == [mention]

    def _change_mentions(self) -> None:
        pieces = mention_parts(self.cells, lambda opened: _label(opened, self.name_index))
        mentions = _group_parts(pieces)
        order = file_order(self.before)
        labels = self.before.labels or ()
        brackets = []
        for old, new in self.change.pairs:
            if new is None:
                remove_brackets(self.cells, mentions[order[old or 0]])
                continue
            name = self._name(new)
            where = word_parts(self.after, new)
            brackets += [(*part, f"{name}[{number}/{len(where)}]") for number, part in enumerate(where)]
            new_fields = _fields_of(self.after, new)
            if old is not None:
                same = where == word_parts(self.before, old) and labels[int(self.before.chains[old])] == name
                old_fields = _fields_of(self.before, old)
                if same and new_fields == old_fields:
                    continue
                values = self._values(self._opening(mentions[order[old]][0]), old_fields, new_fields)
                remove_brackets(self.cells, mentions[order[old]])
            else:
                values = self._values([""] * len(self.schema), {}, new_fields)
            for values[self.name_index], span in zip(_labels(name, len(where)), where, strict=True):
                closing = "-".join(values[: self.name_index + 1])  # the chain, after the type in the older schemas
                add_brackets(self.cells, *span, "-".join(values).rstrip("-"), closing)
        refuse_crossing(self.after, brackets, "corefud")
        _refuse_crossing_parts(self.after, _bracket_order(self.after))

    def _opening(self, part: MentionPart) -> list[str]:
        """The fields of a mention as the file has them."""
        token, index = part.opened
        values = (self.cells[token].brackets[index].opens or "").split("-", len(self.schema) - 1)
        return [*values, *[""] * (len(self.schema) - len(values))]

    def _values(self, values: list[str], old_fields: Mapping[str, str], new_fields: Mapping[str, str]) -> list[str]:
        """The fields of a mention in the order of the file, changed where the document has changed."""
        renamed = {"entity": "etype"} if "GRP" in self.schema else {}
        names = ["minspan" if column in MINIMUM_FIELDS else renamed.get(column, column) for column in self.schema]
        missing = [name for name in new_fields if name not in {"head", "kind", *old_fields, *names}]
        if missing:
            raise UsageError(
                f"document {self.after.id!r} has {missing[0]!r}, for which '# global.Entity' has no "
                "field: it cannot be "
                "put into the file unless you add the field, or write a new file"
            )
        return [
            value if old_fields.get(name, "") == new_fields.get(name, "") else _escape_value(new_fields.get(name, ""))
            for name, value in zip(names, values, strict=True)
        ]


def _group_parts(pieces: Sequence[MentionPart]) -> list[list[MentionPart]]:
    """The parts of every mention, in the order in which mentions open."""
    mentions: list[list[MentionPart]] = []
    waiting = _WaitingParts()
    for piece in pieces:
        part = PART.fullmatch(piece.name)
        name, index, total = (part[1], int(part[2]), int(part[3])) if part else (piece.name, 1, 1)
        if index == 1:
            waiting.begin(name, total)
            mentions.append([piece])
        else:
            mention = waiting.continue_mention(name, index, total)
            assert mention is not None, "the reader refuses parts that go on with nothing"
            mentions[mention].append(piece)
    return mentions


def _fields_of(document: Document, index: int) -> dict[str, str]:
    """The fields of a mention by name, as they would be written; a kind that follows from the head is none."""
    values = _values(document, index, word_parts(document, index), ["head", "minspan"])
    return document.features_of(index) | {
        name: value for name, value in zip(("head", "minspan"), values, strict=True) if value
    }


FORMAT = Format(read, sniff, write, carries=frozenset(CONTENT_NAMES) - ALTERNATIVES, suffixes=(".conllu",),
                splice=splice, boundaries=Boundaries((b"# newdoc",)))  # fmt: skip
