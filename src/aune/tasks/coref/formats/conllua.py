r"""CoNLL-UA: the exploded format of Universal Anaphora, with mentions in a column of their own.

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING
    # newdoc id = a
    1   Ann   _  PROPN  _  _  _  _  _  _  (EntityID=1|MarkableID=markable_1|Min=1|SemType=dn)  _
    2   saw   _  VERB   _  _  _  _  _  _  _                                                    _
    3   the   _  DET    _  _  _  _  _  _  (EntityID=2|MarkableID=markable_2|Min=4              (MarkableID=markable_2|…
    4   door  _  NOUN   _  _  _  _  _  _  )                                                    )

`# global.columns` names the columns, which are separated by tabs or by runs of blanks. In IDENTITY, `(` opens a mention
and `)` closes the last one opened, `markable_1)` the one of that name; the chain is its `EntityID`, `Min` gives the
first and the last of the words that recognise it, numbered through the document, and other properties are features,
named in small letters. A `MarkableID` that opens again goes on with the same, discontinuous, mention. An `EntityID`
that ends in `-Pseudo` refers to nothing: its mention has the feature `referring`, `no`. `ElementOf=4,5` says that the
entity is one of those that make up the entities 4 and 5: relations `split` from these to it. With
`layer:discourse_deixis` the mentions are those of the column DISCOURSE_DEIXIS.

In BRIDGING, `MarkableID`, `MentionAnchor` and `Rel` make a relation (`bridge` without Rel) from the first mention to
the second. The other columns are not kept, except that the part of speech of the head (a `Min` of one word) gives the
kind. `# newdoc id = NAME` begins a document; a file without one is one document, named as the file. Lines for
multiword tokens (`3-4`) are passed over. Zeros (`8.1`) are tokens that shift no word: positions are those of CorefUD,
each zero one place after the one before it. A zero that begins a sentence stands before its first word, one that ends
a sentence behind its last: files with other sentence breaks place it otherwise.

Source: Yu et al. 2023, the Universal Anaphora scorer 2.0; the CODI-CRAC shared tasks.

>>> from aune.reading.corpus import Source
>>> text = b"# global.columns = ID FORM UPOS IDENTITY\n1 Ann PROPN (EntityID=7|Min=1)\n2 sat VERB _\n"
>>> [found] = read(Source("a.conllua", text))
>>> found.id, found.clusters(), found.labels, found.features
('a', [[(0, 1)]], ['7'], {'kind': ['name']})
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Annotated, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

import numpy as np

from aune.contract.format import Boundaries, Format, first_line_length
from aune.errors import UsageError
from aune.numeric.grouping import group_items
from aune.numeric.ranges import have_overlap
from aune.reading.source import Source
from aune.syntax.conllu import Node
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
from aune.tasks.coref.formats._changes import chain_names, changes, file_order, fresh_numbers, spliced_documents
from aune.tasks.coref.formats._conllu_documents import HALF, Heading, headed_rows, word_nodes
from aune.tasks.coref.formats._tokenization import (
    document_words,
    refuse_crossing,
    replace_blanks,
    sentence_starts,
    single_line,
    word_parts,
)
from aune.tasks.coref.formats.corefud import KINDS
from aune.tasks.coref.losses import ALTERNATIVES, CONTENT_NAMES
from aune.tasks.coref.model import STEP, Document, Mention, Relation, make_document, token_spans

BRACKET = re.compile(r"\(([^()]+)(\)?)|(?<![^()])([^()]*+)\)")
BRACKETS = re.compile(r"(?:\([^()]++\)?+|[^()]*+\))++")
COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING"
KNOWN_PROPERTIES = ("entityid", "markableid", "min", "elementof")
PSEUDO = "-pseudo"
NO_NAME = re.compile(r"[()|=\s]")
"""What the name of a property cannot represent."""
EMPTY_CELLS = ("_", "-", "")
Layer: TypeAlias = Annotated[Literal["identity", "discourse_deixis"], "the column whose mentions are read"]


@dataclass
class _ConlluaMention:
    """A mention while its words go by."""

    properties: Mapping[str, str]
    line: int
    column: int
    parts: list[list[int]]
    """First and last token of each part; the last is -1 while the part is open."""


@dataclass
class _ConlluaDocument:
    """A document while its lines are read."""

    tokens: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The ID of every token."""
    tags: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    """Where every token stands when there are zeros."""
    words: list[int] = field(default_factory=list)
    """The tokens that are words."""
    sentences: list[int] = field(default_factory=list)
    mentions: list[_ConlluaMention] = field(default_factory=list)
    open: list[_ConlluaMention] = field(default_factory=list)
    markables: dict[str, _ConlluaMention] = field(default_factory=dict)
    """The mentions that have a name."""
    links: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)


def read(source: Source, *, layer: Layer = "identity") -> Iterator[Document]:
    """The documents of a file."""
    for heading, rows in headed_rows(source, "global.columns", blanks=True):
        text, has_begun = _ConlluaDocument(), False
        for _, node, columns in rows:
            if node:
                _read_node(source, text, node, dict(zip(_names(columns), node.cells, strict=False)), layer)
            has_begun = has_begun or not node
        if heading and (has_begun or text.tokens):
            yield _document(source, heading, text)


@cache
def _names(columns: str) -> Sequence[str]:
    return tuple((columns or COLUMNS).lower().split())


def _read_node(source: Source, text: _ConlluaDocument, node: Node, row: Mapping[str, str], layer: str) -> None:
    """Take what a line says."""
    if not {"id", "form", layer} <= row.keys():
        size = len(node.cells)
        source.add_problem(
            "columns.missing",
            node.number,
            1,
            found=f"{size} column{'s' * (size > 1)}",
            expected=f"ID, FORM and {layer.upper()} among them",
            remedies=["complete the line, or name the columns in '# global.columns'"],
        )
    elif not node.last:
        _place_node(source, text, node, row)
        _read_cell(source, text, node, row[layer].strip())
        bridging = row.get("bridging", "").strip()
        if bridging not in EMPTY_CELLS and not BRACKETS.fullmatch(bridging):
            message = f"{bridging[:40]!r} in BRIDGING is neither '_' nor brackets"
            source.warn(f"line {node.number}: {message}: only brackets are read")
        links = re.findall(r"\(([^()]+)", bridging)
        text.links += [(node.number, _properties(link)) for link in links]


def _place_node(source: Source, text: _ConlluaDocument, node: Node, row: Mapping[str, str]) -> None:
    """Take note of a word or a zero; a zero that begins a sentence stands behind those that end the one before."""
    if node.begins:
        text.sentences.append(len(text.tokens))
    if node.minor is None:
        text.words.append(len(text.tokens))
        text.positions.append(len(text.words) * STEP)
    else:
        anchor = len(text.words) * STEP + (HALF if node.begins else 0)
        text.positions.append(max([anchor, *text.positions[-1:]]) + 1)
        if text.positions[-1] % HALF == 0:
            source.add_problem(
                "word.bad-number",
                node.number,
                1,
                found=f"more than {HALF - 1} zeros after a word",
                expected="fewer",
                remedies=["check the numbers of the words"],
            )
    text.tokens.append(row["form"])
    text.names.append(row["id"])
    text.tags.append(row.get("upos", "_"))


def _read_cell(source: Source, text: _ConlluaDocument, node: Node, cell: str) -> None:
    """Open and close the mentions of a cell."""
    if cell in EMPTY_CELLS:
        return
    column = node.line.find(cell) + 1
    if not BRACKETS.fullmatch(cell):
        source.add_problem(
            "mention.malformed",
            node.number,
            column,
            found=f"{cell[:40]!r}",
            expected="'_' or brackets such as '(EntityID=1|MarkableID=markable_1)'",
            remedies=["correct IDENTITY"],
        )
        return
    token = len(text.tokens) - 1
    for bracket in BRACKET.finditer(cell):
        opened, closed, ended = bracket.groups()
        where = (node.number, column + bracket.start())
        if opened is not None:
            mention = _open_mention(source, text, opened, where)
            mention.parts.append([token, token if closed else -1])
            if not closed:
                text.open.append(mention)
        elif not _close_mention(text, ended.strip(), token):
            name = f" {ended.strip()}" if ended.strip() else ""
            source.add_problem(
                "mention.unopened",
                *where,
                found=f"'{bracket[0]}' where no mention{name} is open",
                expected="'(EntityID=…' before it",
                remedies=["open the mention or remove the bracket"],
            )


def _open_mention(source: Source, text: _ConlluaDocument, properties: str, where: tuple[int, int]) -> _ConlluaMention:
    """The mention that a bracket begins, or goes on with."""
    values = _properties(properties)
    if "" in values:
        source.add_problem(
            "mention.malformed",
            *where,
            found=f"the property '={values['']}' without a name",
            expected="NAME=VALUE between '|'",
            remedies=["name it or remove it"],
        )
    nameless = [part for part in properties.split("|") if part.strip() and "=" not in part]
    if nameless:
        source.warn(f"line {where[0]}: {nameless[0].strip()!r} is no property such as EntityID=1, left out")
    name = values.get("markableid", "")
    if name not in text.markables:
        text.mentions.append(_ConlluaMention(values, *where, []))
        if not name:
            return text.mentions[-1]
        text.markables[name] = text.mentions[-1]
    mention = text.markables[name]
    if (entity := values.get("entityid")) and entity != mention.properties.get("entityid", entity):
        first = f"EntityID={mention.properties['entityid']}, its first one, is kept"
        source.warn(f"line {where[0]}: {name} goes on with EntityID={entity}: {first}")
    return mention


def _close_mention(text: _ConlluaDocument, name: str, token: int) -> bool:
    """Close the mention of a name, or the last one opened; whether there is one."""
    places = range(len(text.open) - 1, -1, -1)
    place = next((place for place in places if name in ("", text.open[place].properties.get("markableid"))), None)
    if place is not None:
        mention = text.open.pop(place)
        next(part for part in reversed(mention.parts) if part[1] < 0)[1] = token
    return place is not None


def _properties(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split("|"))
    return {name.strip().lower(): unquote(value.strip()) for name, _, value in pairs if value.strip()}


def _document(source: Source, heading: Heading, text: _ConlluaDocument) -> Document:
    mentions: list[Mention] = []
    numbers: dict[str, int] = {}
    made_of: list[tuple[int, str]] = []
    spaced = len(text.words) < len(text.tokens)
    positions = text.positions if spaced else list(range(len(text.tokens)))
    for mention in text.mentions:
        if "entityid" not in mention.properties:
            source.add_problem(
                "mention.malformed",
                mention.line,
                mention.column,
                found="a mention without EntityID",
                expected="'(EntityID=…'",
                remedies=["name its chain"],
            )
        elif any(last < 0 for _, last in mention.parts):
            source.add_problem(
                "mention.unclosed",
                mention.line,
                mention.column,
                found=f"a mention of {mention.properties['entityid']} that is never closed",
                expected="')' in the same document",
                remedies=["close the mention"],
            )
        elif have_overlap((first, last + 1) for first, last in mention.parts):
            source.add_problem(
                "mention.overlapping",
                mention.line,
                mention.column,
                found=f"parts of {mention.properties.get('markableid')} that overlap",
                expected="each after the one before",
                remedies=["give another mention another MarkableID"],
            )
        else:
            if "markableid" in mention.properties:
                numbers.setdefault(mention.properties["markableid"], len(mentions))
            sets = [name for name in mention.properties.get("elementof", "").split(",") if name]
            made_of += [(len(mentions), name) for name in sets]
            mentions.append(_mention(source, mention, text, positions))
    relations = [*_relations(source, text, numbers, mentions), *_splits(source, mentions, made_of)]
    return make_document(
        heading.id, mentions, relations=relations, tokens=text.tokens, sentences=text.sentences,
        positions=np.asarray(positions, np.int64) if spaced else None,
        attributes=heading.attributes, path=source.name, line=heading.line,
    )  # fmt: skip


def _mention(source: Source, mention: _ConlluaMention, text: _ConlluaDocument, positions: Sequence[int]) -> Mention:
    tokens = sorted({*chain.from_iterable(range(first, last + 1) for first, last in mention.parts)})
    least = _minimum_tokens(source, mention, text, tokens)
    head = least[0] if len(least) == 1 else tokens[0] if len(tokens) == 1 else -1
    kind = KINDS.get(text.tags[head], "") if head >= 0 else ""
    features = {"kind": kind} if kind else {}
    features |= {name: value for name, value in mention.properties.items() if name not in KNOWN_PROPERTIES}
    if mention.properties["entityid"].lower().endswith(PSEUDO):
        features["referring"] = "no"
    spans = tuple(sorted((positions[first], positions[last] + 1) for first, last in mention.parts))
    return Mention(
        spans[0][0],
        max(end for _, end in spans),
        mention.properties["entityid"],
        mention.line,
        positions[head] if head >= 0 else -1,
        segments=spans if len(spans) > 1 else (),
        minimum=(positions[least[0]], positions[least[-1]] + 1) if least else None,
        features=features,
    )


def _minimum_tokens(
    source: Source, mention: _ConlluaMention, text: _ConlluaDocument, tokens: Sequence[int]
) -> list[int]:
    """The tokens of a mention that `Min` names: words of the document from its first to its last number, or IDs."""
    names = mention.properties.get("min", "").split(",") if "min" in mention.properties else []
    if not names:
        return []
    inside = set(tokens)
    if all(part.isascii() and part.isdigit() and len(part) < 10 for part in names):
        bounds = [int(names[0]), int(names[1] if len(names) > 1 else names[0])]
        minimum_words = text.words[max(min(bounds) - 1, 0) : max(bounds)]
        if minimum_words and inside.issuperset(minimum_words):
            return minimum_words
    named = [token for token in tokens if text.names[token] in names]
    if not named:
        source.warn(
            f"line {mention.line}: Min={mention.properties['min']} is not among the words of its mention, left out"
        )
    return named


def _relations(
    source: Source, text: _ConlluaDocument, numbers: Mapping[str, int], mentions: Sequence[Mention]
) -> Iterator[Relation]:
    for line, properties in text.links:
        ends = [properties.get("markableid", ""), properties.get("mentionanchor", "")]
        missing = [name for name in ends if name not in numbers]
        if missing:
            source.warn(
                f"line {line}: the bridge with {missing[0]!r}, which is no mention of the document, is left out"
            )
        else:
            entity = str(mentions[numbers[ends[1]]].chain)
            if properties.get("entityanchor", entity) != entity:
                message = f"EntityAnchor={properties['entityanchor']} is not the entity of {ends[1]}, {entity}"
                source.warn(f"line {line}: {message}: the bridge goes to the mention")
            yield Relation(properties.get("rel", "bridge"), numbers[ends[0]], numbers[ends[1]])


def _splits(source: Source, mentions: Sequence[Mention], made_of: Iterable[tuple[int, str]]) -> Iterator[Relation]:
    """A relation from each entity that others make up to each of these."""
    first: dict[object, int] = {}
    for index, mention in enumerate(mentions):
        first.setdefault(mention.chain, index)
    for element, name in made_of:
        if name in first:
            yield Relation("split", first[name], element)
        else:
            source.warn(f"line {mentions[element].line}: ElementOf={name}, which has no mention, is left out")


def sniff(head: str) -> bool:
    """Whether `# global.columns` names IDENTITY."""
    return re.search(r"^#\s*global\.columns\b.*\bIDENTITY\b", head, re.MULTILINE | re.IGNORECASE) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Twelve columns, those that aune does not know as `_`; words numbered through each document."""
    yield f"# global.columns = {COLUMNS}\n"
    for document in documents:
        yield "".join(_format_document(document))


def _format_document(document: Document) -> Iterator[str]:
    tokens = document_words(document, "conllua")
    _refuse_crossing(document)
    cells, bridging = new_cells(""), new_cells("")
    for index, opening in enumerate(_openings(document)):
        for start, end in word_parts(document, index):
            add_brackets(cells, start, end, opening, "")
    for kind, origin, target in document.relations:
        if kind != "split":
            names = f"markable_{origin + 1}", f"markable_{target + 1}"
            bridge = _bridge(kind, *names, str(int(document.chains[target]) + 1))
            add_brackets(bridging, *word_parts(document, origin)[0], bridge, "")
    starts = frozenset(sentence_starts(document)) | {0}
    yield f"# newdoc id = {single_line(document.id)}\n"
    yield from (f"# meta::{single_line(name)} = {single_line(value)}\n" for name, value in document.attributes.items())
    word, zero = 0, 0
    for index, token in enumerate(tokens):
        is_zero = document.positions is not None and document.unit == "token" and document.positions[index] % STEP
        word, zero = (word, zero + 1) if is_zero else (word + 1, 0)
        blank = "\n" if index and index in starts else ""
        number = f"{word}.{zero}" if is_zero else str(word)
        row = (number, replace_blanks(token), *"________", cells[index].text() or "_", bridging[index].text() or "_")
        yield blank + "\t".join(row) + "\n"
    yield "\n"


def _bridge(kind: str, markable: str, anchor: str, entity: str) -> str:
    """What stands in the opening bracket of a bridge."""
    return f"MarkableID={markable}|Rel={_escape_value(kind)}|MentionAnchor={anchor}|EntityAnchor={entity}"


def _refuse_crossing(document: Document) -> None:
    spans = [(*part, "") for index in range(len(document)) for part in word_parts(document, index)]
    refuse_crossing(document, spans, "conllua")


def _openings(document: Document) -> Iterator[str]:
    """What stands in the opening bracket of every mention."""
    properties = _mention_properties(document, [str(chain + 1) for chain in range(document.chain_count)])
    for index, (number, extra) in enumerate(zip(document.chains.tolist(), properties, strict=True)):
        pseudo = "-Pseudo" if document.features_of(index).get("referring") == "no" else ""
        yield _opening({"EntityID": f"{number + 1}{pseudo}", "MarkableID": f"markable_{index + 1}"} | extra)


def _opening(properties: Mapping[str, str]) -> str:
    return "|".join(f"{name}={value}" for name, value in properties.items() if value)


def _mention_properties(document: Document, names: Sequence[str]) -> list[dict[str, str]]:
    """The properties of every mention beside its names; `names` are those of the chains."""
    splits = [relation for relation in document.relations if relation.kind == "split"]
    sets = group_items((relation.target, names[int(document.chains[relation.source])]) for relation in splits)
    return [_properties_of(document, index, sets.get(index, ())) for index in range(len(document))]


def _properties_of(document: Document, index: int, sets: Sequence[str]) -> dict[str, str]:
    properties: dict[str, str] = {}
    if document.minima is not None and (document.minima[index] != document.spans[index]).any():
        start, end = token_spans(document, document.minima[index])[0].tolist()
        ends = (
            [start, end - 1]
            if document.positions is None
            else (document.positions[[start, end - 1]] // STEP - 1).tolist()
        )
        properties["Min"] = ",".join(dict.fromkeys(str(word + 1) for word in ends))
    if sets:
        properties["ElementOf"] = ",".join(sets)
    features = {name: value for name, value in document.features_of(index).items() if name != "referring"}
    return properties | {NO_NAME.sub("_", name.lower()): _escape_value(value) for name, value in features.items()}


def _escape_value(value: str) -> str:
    """A value without the signs that end one."""
    return value if value.isalnum() else quote(value, safe=":,;./~!@$&*+'-")


class _ConlluaRow(NamedTuple):
    """A line whose cells can change."""

    node: Node
    columns: Sequence[str]

    def place(self, name: str) -> tuple[int, str]:
        """Where a cell begins in the text, and what it says."""
        line, cells = self.node.line, self.node.cells
        column = max(number for number, column in enumerate(self.columns[: len(cells)]) if column == name)
        if "\t" in line:
            return self.node.start + sum(map(len, cells[:column])) + column, cells[column]
        at = 0
        for cell in cells[:column]:
            at = line.index(cell, at) + len(cell)
        return self.node.start + line.index(cells[column], at), cells[column]


def splice(source: Source, documents: Sequence[Document], *, layer: Layer = "identity") -> bytes:
    """The file with other mentions and bridges in its columns."""
    edits = Edits(source)
    pairs = spliced_documents(FORMAT, source, documents, layer=layer)
    texts = [list(word_nodes(rows)) for heading, rows in headed_rows(source, "global.columns", blanks=True) if heading]
    for (before, after), nodes in zip(pairs, texts, strict=True):
        rows = [_ConlluaRow(node, _names(columns)) for node, columns in nodes]
        document_splice = _ConlluaSplicer(before, after, rows, layer)
        document_splice.change_mentions()
        document_splice.change_bridges()
        document_splice.put_into(edits)
    return edits.apply()


class _ConlluaSplicer:
    """One document, its cells and what changes in them."""

    def __init__(self, before: Document, after: Document, rows: Sequence[_ConlluaRow], layer: str) -> None:
        self.before, self.after = before, after
        self.change = changes(before, after)
        self.places = [row.place(layer) for row in rows]
        self.cells = _cells(self.places)
        bridged = bool(rows) and all("bridging" in row.columns[: len(row.node.cells)] for row in rows)
        self.bridge_places = [row.place("bridging") for row in rows] if bridged else []
        self.bridge_cells = _cells(self.bridge_places)
        self.named = any(bracket.name for cell in self.cells for bracket in cell.brackets)
        """Whether the brackets that close have names."""
        opened = enumerate(mention_parts(self.cells, _markable))
        parts_by_name = group_items((part.name or f"|{number}", part) for number, part in opened)
        in_the_file = [*parts_by_name.values()]
        self.mentions = [in_the_file[number] for number in file_order(before)]
        """The parts of every mention before."""
        self.names = self._entity_names()
        self.markables = self._markable_names([name for name in parts_by_name if name[0] != "|"])

    def _entity_names(self) -> list[str]:
        """The EntityID of every chain after; a new one refers to nothing when none of its mentions does."""
        names = chain_names(self.before, self.after, self.change.chains, re.compile(r"[\w.-]+"))
        silent_values: list[set[bool]] = [set() for _ in names]
        for index, chain_number in enumerate(self.after.chains.tolist()):
            silent_values[chain_number].add(self.after.features_of(index).get("referring") == "no")
        for chain_number, (goes_on, silent) in enumerate(zip(self.change.chains, silent_values, strict=True)):
            if goes_on is None and silent == {True}:
                names[chain_number] = names[chain_number].removesuffix("-Pseudo") + "-Pseudo"
            elif silent != {names[chain_number].lower().endswith(PSEUDO)}:
                raise UsageError(
                    f"document {self.after.id!r} has a chain {names[chain_number]} of which some mentions refer and "
                    "others do not, so that it cannot be written as conllua: refer with all of them, or with none"
                )
        return names

    def _markable_names(self, used: Sequence[str]) -> list[str]:
        """The MarkableID of every mention after."""
        letters = re.sub(r"\d+$", "", used[0]) if used else "markable_"
        fresh = fresh_numbers(used)
        kept_names = {new: self.mentions[old][0].name for new, old in self.change.origin.items()}
        return [kept_names.get(index) or f"{letters}{next(fresh)}" for index in range(len(self.after))]

    def change_mentions(self) -> None:
        """Put the mentions that changed into their cells."""
        if not self.named:
            _refuse_crossing(self.after)
        labels = self.before.labels or ()
        all_old, all_new = _mention_properties(self.before, labels), _mention_properties(self.after, self.names)
        for old, new in self.change.pairs:
            old_properties, where, entity = {}, [], ""
            if old is not None:
                old_properties, where = all_old[old], word_parts(self.before, old)
                entity = labels[int(self.before.chains[old])]
            if new is None:
                remove_brackets(self.cells, self.mentions[old or 0])
                continue
            name = self.names[int(self.after.chains[new])]
            new_properties = all_new[new]
            if (old_properties, where, entity) == (
                new_properties,
                word_parts(self.after, new),
                name,
            ) and old is not None:
                continue
            properties = {"EntityID": name, "MarkableID": self.markables[new]} | new_properties
            if old is not None:
                moved = where != word_parts(self.after, new)
                properties = self._changed_properties(self.mentions[old][0], old_properties, new_properties, moved) | {
                    "EntityID": name
                }
                remove_brackets(self.cells, self.mentions[old])
            closing = self.markables[new] if self.named else ""
            for start, end in word_parts(self.after, new):
                add_brackets(self.cells, start, end, _opening(properties), closing)

    def _changed_properties(
        self, part: MentionPart, old_properties: Mapping[str, str], new_properties: Mapping[str, str], moved: bool
    ) -> dict[str, str]:
        """The properties of a mention as the file has them, changed where the document has changed."""
        token, index = part.opened
        pairs = ((pair.partition("=")) for pair in (self.cells[token].brackets[index].opens or "").split("|"))
        properties = {name: value for name, _, value in pairs}
        spelt = {name.lower(): name for name in properties}
        for name in {"Min": "", **old_properties, **new_properties}:
            if old_properties.get(name) != new_properties.get(name) or (moved and name == "Min"):
                properties[spelt.get(name.lower(), name)] = new_properties.get(name, "")
        return properties

    def change_bridges(self) -> None:
        """Put the bridges that changed into their cells."""
        new_bridges = Counter(relation for relation in self.after.relations if relation.kind != "split")
        if new_bridges and not self.bridge_cells:
            raise UsageError(
                f"document {self.after.id!r} has bridges and not every line of the file a cell BRIDGING: they cannot "
                "be put there"
            )
        names = {parts[0].name: old for old, parts in enumerate(self.mentions) if parts[0].name}
        for bridge in mention_parts(self.bridge_cells, lambda opened: ""):
            self._change_bridge(bridge, names, new_bridges)
        for kind, origin, target in new_bridges.elements():
            anchor = self.names[int(self.after.chains[target])]
            opening = _bridge(kind, self.markables[origin], self.markables[target], anchor)
            add_brackets(self.bridge_cells, *word_parts(self.after, origin)[0], opening, "")

    def _change_bridge(self, bridge: MentionPart, names: Mapping[str, int], new_bridges: Counter[Relation]) -> None:
        """Keep a bridge that is still wanted, where its mention now begins; take out another one."""
        token, index = bridge.opened
        text = self.bridge_cells[token].brackets[index].opens or ""
        properties = _properties(text)
        source, target = (names.get(properties.get(name, "")) for name in ("markableid", "mentionanchor"))
        if source is None or target is None:
            return  # a bridge that the reader left out
        origin, goal = self.change.fate[source], self.change.fate[target]
        relation = Relation(
            properties.get("rel", "bridge"), -1 if origin is None else origin, -1 if goal is None else goal
        )
        if new_bridges[relation] < 1:
            remove_brackets(self.bridge_cells, [bridge])
            return
        new_bridges[relation] -= 1
        anchor = self.names[int(self.after.chains[relation.target])]
        renamed = anchor != (self.before.labels or ())[int(self.before.chains[target])]
        where = word_parts(self.after, relation.source)[0]
        if where != word_parts(self.before, source)[0] or (renamed and "entityanchor" in properties):
            remove_brackets(self.bridge_cells, [bridge])
            add_brackets(self.bridge_cells, *where, re.sub(r"(?<=EntityAnchor=)[^|]*", anchor, text), "")

    def put_into(self, edits: Edits) -> None:
        for places, cells in ((self.places, self.cells), (self.bridge_places, self.bridge_cells)):
            for (start, old), cell in zip(places, cells, strict=True):
                if cell.is_changed:
                    edits.replace(start, start + len(old), cell.text() or "_")


def _markable(bracket: str) -> str:
    """The mention that a bracket is of: what opens has properties, what closes the name alone."""
    return _properties(bracket).get("markableid", "") if "=" in bracket else bracket


def _cells(places: Iterable[tuple[int, str]]) -> list[Cell]:
    return [Cell(parse_brackets("" if text in EMPTY_CELLS else text, BRACKET), "") for _, text in places]


def _named_columns(head: bytes) -> int:
    """The length of the first line where it names the columns."""
    return first_line_length(head) if head.startswith(b"# global.columns") else 0


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(CONTENT_NAMES) - {"heads"} - ALTERNATIVES,
    suffixes=(".conllua", ".CONLLUA"),
    splice=splice,
    boundaries=Boundaries((b"# newdoc",), header=_named_columns, forbidden=b"\n# global.columns"),
)
