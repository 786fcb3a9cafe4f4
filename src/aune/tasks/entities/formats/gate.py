"""GATE's documents: XML with numbered nodes in the text, and the JSON of gatenlp (bdocjs).

    <GateDocument version="3"><TextWithNodes><Node id="0"/>Ann Lee<Node id="7"/> ran.</TextWithNodes>
    <AnnotationSet Name="Key"><Annotation Id="3" Type="Person" StartNode="0" EndNode="7"></Annotation></AnnotationSet>

Annotations of the types that are not words or sentences (Token, SpaceToken, Sentence, Split, Lookup …) are entities,
labelled by their type; `annotation_type` names the types to read instead. Annotation sets are annotators: a file in
which several have entities is a response of each, and as a key it needs the name of one (`--annotator Key
--response-annotator ann`); the set without a name is `default`. Features of annotations are features of entities, and
relations between entities are read. Annotations without a character and those of other types are counted. Lines of a
text are sentences.

Carries text, nesting, features and relations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple
from xml.parsers import expat

import msgspec

from aune.contract.format import Format
from aune.contract.options import HiddenAtDefault
from aune.reading.source import Source
from aune.syntax.annotators import Annotator, choose_annotator, note_left_out
from aune.syntax.jsonlines import JSON_ERRORS, Record, locate, tell_malformed
from aune.syntax.layers import utf16_places
from aune.tasks.entities.formats._relations import read_features
from aune.tasks.entities.formats._writing import character_document
from aune.tasks.entities.model import Document, Features, Relation, Span
from aune.typologies.typology import TypologyName

AnnotationTypes = Annotated[tuple[str, ...], "the types of annotations that are entities", HiddenAtDefault]
LINGUISTIC = frozenset((
    "Token", "SpaceToken", "Sentence", "Split", "Lookup", "Text", "Paragraph", "paragraph", "DEFAULT_TOKEN", "body",
    "NounChunk", "VG", "Hashtag", "UserID", "URL", "Emoticon",
))  # fmt: skip
"""Types of what is not annotated by people: words, sentences, entries of gazetteers, and signs of tweets."""
MARKUP_SET = "Original markups"
DEFAULT_SET = "default"


class GateAnnotation(NamedTuple):
    """An annotation of one set; places are as the file counts them, or None where it has no such node."""

    set: str
    type: str
    start: int | None
    end: int | None
    line: int
    column: int
    id: str = ""
    features: Features = ()


class GateRelation(NamedTuple):
    """A relation: its type, and the ids of its members."""

    type: str
    members: list[str]


class GateText(NamedTuple):
    """A text and its annotations."""

    text: str
    annotations: list[GateAnnotation]
    relations: Sequence[GateRelation] = ()


def read(
    source: Source, *, annotator: Annotator = "", annotation_type: AnnotationTypes = (), typology: TypologyName = ""
) -> Iterator[Document]:
    if not source.text.strip():
        return
    document = _read_json(source) if source.head.lstrip().startswith("{") else _read_xml(source)
    if document is None or source.problems:
        return
    chosen = [item for item in document.annotations if _is_entity(item, annotation_type)]
    sets: dict[str, tuple[int, int]] = {}
    for item in chosen:
        sets.setdefault(item.set, (item.line, item.column))
    wanted = choose_annotator(source, sets, annotator)
    if wanted is None:
        return
    left_out: Counter[str] = Counter()
    for item in document.annotations:
        if not _is_entity(item, annotation_type):
            left_out[f"annotations of the type {item.type}"] += item.type not in ("Token", "SpaceToken")
    entities = [item for item in chosen if item.set == wanted]
    spans = list(_spans(source, document.text, entities, left_out))
    relations = list(_relations(document.relations, spans, left_out))
    note_left_out(source, +left_out)
    yield character_document(source.stem, spans, document.text, typology, source.name, relations=relations)


def _is_entity(item: GateAnnotation, types: Sequence[str]) -> bool:
    if types:
        return item.type in types
    return item.type not in LINGUISTIC and item.set != MARKUP_SET


def _spans(
    source: Source, text: str, entities: Sequence[GateAnnotation], left_out: Counter[str]
) -> Iterator[Span]:  # fmt: skip
    for item in entities:
        if item.start is None or item.end is None or not 0 <= item.start <= item.end <= len(text):
            source.add_problem(
                "mention.outside-text", item.line, item.column,
                found=f"{item.type} from {_place(item.start)} to {_place(item.end)}",
                expected=f"places of the text, 0 to {len(text)}", remedies=["correct the annotation"],
            )  # fmt: skip
        elif item.start == item.end:
            left_out["annotations without a character"] += 1
        else:
            yield Span(item.start, item.end, item.type, 0, (), item.line, item.column, (), item.features, item.id)


def _relations(
    relations: Sequence[GateRelation], spans: Sequence[Span], left_out: Counter[str]
) -> Iterator[Relation]:  # fmt: skip
    """A relation from the first member to each other one."""
    numbers = {span.id: number for number, span in enumerate(spans) if span.id}
    for relation in relations:
        members = [numbers.get(member) for member in relation.members]
        if len(members) < 2 or None in members:
            left_out["relations between what is no span"] += 1
            continue
        first, *others = members
        for other in others:
            yield Relation(relation.type, int(first or 0), int(other or 0))


def _place(number: int | None) -> str:
    return "no node" if number is None else str(number)


class _XmlReading:
    """What is known while the XML is read."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.add
        self.pieces: list[str] = []
        self.size = 0
        self.nodes: dict[str, int] = {}
        self.inside = self.has_text = False
        self.set = ""
        self.annotations: list[tuple[str, str, str, str, int, int, str]] = []
        self.features: list[list[tuple[str, str]]] = []
        """Those of each annotation."""
        self.relations: list[GateRelation] = []
        self.is_annotation = False
        self.value: list[str] | None = None
        """The pieces of the name or value that is being read."""
        self.name = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "TextWithNodes":
            self.inside = self.has_text = True
        elif name == "Node":
            self.nodes[attributes.get("id", "")] = self.size
        elif name == "AnnotationSet":
            self.set = attributes.get("Name") or DEFAULT_SET
        elif name == "Annotation":
            place = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
            ends = (attributes.get("StartNode", ""), attributes.get("EndNode", ""))
            self.annotations.append((self.set, attributes.get("Type", ""), *ends, *place, attributes.get("Id", "")))
            self.features.append([])
            self.is_annotation = True
        elif name == "Relation":
            members = [member for member in attributes.get("Members", "").split(";") if member]
            self.relations.append(GateRelation(attributes.get("Type", ""), members))
        elif name in ("Name", "Value") and self.is_annotation:
            self.value = []

    def end(self, name: str) -> None:
        if name == "Annotation":
            self.is_annotation = False
        if self.value is not None and name == "Name":
            self.name, self.value = "".join(self.value), None
        elif self.value is not None and name == "Value":
            self.features[-1].append((self.name, "".join(self.value)))
            self.value = None
        self.inside = self.inside and name != "TextWithNodes"

    def add(self, text: str) -> None:
        if self.inside:
            self.pieces.append(text)
            self.size += len(text)
        elif self.value is not None:
            self.value.append(text)


def _read_xml(source: Source) -> GateText | None:
    reading = _XmlReading()
    try:
        reading.parser.Parse(source.text, True)
    except (expat.ExpatError, ValueError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "offset", 0)
        source.add_problem(
            "xml.malformed", line, column + 1, found=f"broken XML ({error})", expected="a GATE document",
            remedies=["mend it"],
        )  # fmt: skip
        return None
    if not reading.has_text:
        source.add_problem(
            "text.missing", 1, 1, found="XML without an element <TextWithNodes>", expected="a GATE document",
            remedies=["check the format"],
        )  # fmt: skip
        return None
    nodes = reading.nodes
    annotations = [
        GateAnnotation(name, kind, nodes.get(start), nodes.get(end), line, column, number, tuple(features))
        for (name, kind, start, end, line, column, number), features in zip(
            reading.annotations, reading.features, strict=True
        )
    ]
    return GateText("".join(reading.pieces), annotations, reading.relations)


class _JsonAnnotation(msgspec.Struct):
    type: str
    start: int
    end: int
    id: int | str | None = None
    features: dict[str, Any] = {}


class _JsonSet(msgspec.Struct):
    annotations: list[_JsonAnnotation] = []


class _JsonText(msgspec.Struct):
    text: str
    annotation_sets: dict[str, _JsonSet] = {}
    offset_type: str = "p"


def _read_json(source: Source) -> GateText | None:
    record = Record(1, 1, source.text)
    try:
        fields = msgspec.json.decode(source.text, type=_JsonText)
    except msgspec.ValidationError as error:
        place = re.search(r"`\$(.*)`", str(error))
        source.add_problem(
            "field.wrong-type", 1, 1, found=f"another type of value at `{place[1] if place else '.'}`",
            expected="`text`, and `annotation_sets` with `type`, `start` and `end`", remedies=["correct the field"],
        )  # fmt: skip
        return None
    except JSON_ERRORS as error:
        tell_malformed(source, record, error)
        return None
    places = utf16_places(fields.text) if fields.offset_type == "j" else None

    def character(offset: int) -> int:
        return offset if places is None or not 0 <= offset < len(places) else places[offset]

    annotations = []
    for name, items in fields.annotation_sets.items():
        line, column = locate(record, f"annotation_sets.{name}")
        annotations += [
            GateAnnotation(
                name or DEFAULT_SET,
                item.type,
                character(item.start),
                character(item.end),
                line,
                column,
                "" if item.id is None else str(item.id),
                read_features({"features": item.features}, ()),
            )
            for item in items.annotations
        ]
    return GateText(fields.text, annotations)


def sniff(head: str) -> bool:
    return "<GateDocument" in head or (head.lstrip().startswith("{") and '"annotation_sets"' in head)


FORMAT = Format(
    read, sniff, carries=frozenset({"text", "nesting", "features", "relations"}), suffixes=(".xml", ".bdocjs")
)
