"""UIMA's CAS as XMI and as JSON (0.4): feature structures over a text, read as layers of annotation.

    <custom:Span xmi:id="7" sofa="1" begin="0" end="4" value="PER"/>          <cas:Sofa xmi:id="1" sofaString="Anna"/>
    {"%FEATURE_STRUCTURES": [{"%ID": 7, "%TYPE": "webanno.custom.Span", "@sofa": 1, "begin": 0, "end": 4}]}

A structure with `begin` and `end` is a span, one with `Governor` and `Dependent` a relation, one with `first` a chain
of links that follow each other by `next`. Mentions, entities and surfaces of CorefAnnotator are chains too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import msgspec

from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.jsonlines import JSON_ERRORS, Record, item_places, tell_malformed
from aune.syntax.layers import (
    SENTENCE,
    TOKEN,
    LayerChain,
    LayeredText,
    LayerRelation,
    LayerSpan,
    short_name,
    utf16_places,
)

XMI = "http://www.omg.org/XMI "
SOFA = "uima.cas.Sofa"
SILENT = frozenset(("DocumentMetaData", "DocumentAnnotation", "TagsetDescription", "View", "NULL", "Sofa", "Paragraph"))
"""Types that do not annotate a stretch of text."""
MARKUP = ("de.unistuttgart.ims.uima.io.xml.", "uima.cas.")
COREF_ANNOTATOR = "de.unistuttgart.ims.coref.annotator.api"
PLACES = frozenset(("sofa", "begin", "end"))
NUMBER = re.compile(r"[0-9]{1,9}")
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 cannot contain."""
JSON_SIGNS = re.compile(r'"%(?:TYPES|FEATURE_STRUCTURES|HEADER)"\s*:|"_(?:referenced_fss|views)"\s*:')
"""Fields of JSON: of the version 0.4, and of those before, which are not read."""
ESCAPES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


@dataclass
class FeatureStructure:
    """A feature structure: its type, and its features as text; references are ids, several separated by blanks."""

    id: str
    type: str
    features: dict[str, str] = field(default_factory=dict)
    line: int = 1
    column: int = 1

    @property
    def name(self) -> str:
        return short_name(self.type)

    def references(self, name: str) -> list[str]:
        return self.features.get(name, "").split()


def is_xmi(head: str) -> bool:
    return "<xmi:XMI" in head or XMI.strip() in head


def is_json_cas(head: str) -> bool:
    return head.lstrip().startswith("{") and JSON_SIGNS.search(head) is not None


def read_layers(source: Source) -> LayeredText | None:
    """The text of a CAS with its layers; None if a problem was reported."""
    structures = _json_structures(source) if source.head.lstrip().startswith("{") else _xmi_structures(source)
    if source.problems:
        return None
    by_id = {structure.id: structure for structure in structures}
    sofas = [structure for structure in structures if structure.type == SOFA and "sofaString" in structure.features]
    if not sofas:
        source.add_problem(
            "text.missing", 1, 1, found="no text (sofaString)", expected="a CAS with a text",
            remedies=["export the document again, with its text"],
        )  # fmt: skip
        return None
    sofa = next((item for item in sofas if item.features.get("sofaID") == "_InitialView"), sofas[0])
    reading = CasReading(source, by_id, sofa, LayeredText(source.stem, sofa.features["sofaString"]))
    reading.fill()
    return None if source.problems else reading.text


@dataclass
class CasReading:
    """The state while a CAS is converted to layers."""

    source: Source
    structures: Mapping[str, FeatureStructure]
    sofa: FeatureStructure
    text: LayeredText
    places: list[int] | None = None

    def fill(self) -> None:
        self.places = utf16_places(self.text.text)
        links = {structure.features["next"] for structure in self.structures.values() if "next" in structure.features}
        for structure in self.structures.values():
            if structure.type.startswith(COREF_ANNOTATOR):
                continue
            if structure.features.get("sofa", self.sofa.id) != self.sofa.id:
                self.text.left_out["annotations of other views"] += 1
            elif {"Governor", "Dependent"} <= structure.features.keys():
                self._add_relation(structure)
            elif "first" in structure.features and "begin" not in structure.features:
                self._add_chain(structure)
            elif {"begin", "end"} <= structure.features.keys():
                self._add_span(structure)
            elif "target" in structure.features and structure.id not in links:
                self.text.left_out["slots"] += 1
        self._add_mentions()
        self.text.tokens.sort()
        self.text.sentences.sort()

    def span_of(self, structure: FeatureStructure) -> tuple[int, int] | None:
        """The characters of a span; None if they are not in the text, which is reported."""
        begin, end = structure.features.get("begin", ""), structure.features.get("end", "")
        last = len(self.text.text) if self.places is None else len(self.places) - 1
        if NUMBER.fullmatch(begin) and NUMBER.fullmatch(end) and int(begin) <= int(end) <= last:
            start, stop = int(begin), int(end)
            return (start, stop) if self.places is None else (self.places[start], self.places[stop])
        self.source.add_problem(
            "mention.outside-text", structure.line, structure.column, found=f"the span {begin} to {end}",
            expected=f"one inside 0 to {last}", remedies=["correct the offsets"],
        )  # fmt: skip
        return None

    def _add_span(self, structure: FeatureStructure) -> None:
        if structure.name in SILENT or structure.type.startswith(MARKUP):
            return
        place = self.span_of(structure)
        if place is None:
            return
        if structure.name == TOKEN:
            self.text.tokens.append(place)
        elif structure.name == SENTENCE:
            self.text.sentences.append(place[0])
        else:
            references = self._is_reference(structure)
            features = {
                name: value for name, value in structure.features.items()
                if name not in PLACES and name not in references and name != "next" and value
            }  # fmt: skip
            known = self.text.layers.setdefault(structure.type, [])
            known += [name for name in features if name not in known]
            self.text.spans[structure.id] = LayerSpan(
                structure.id, structure.type, *place, features, structure.line, structure.column
            )

    def _is_reference(self, structure: FeatureStructure) -> frozenset[str]:
        """The features of a span that point to slots, and so cannot be a label."""
        return frozenset(
            name for name in structure.features
            if (ids := structure.references(name))
            and all("target" in self.structures[item].features for item in ids if item in self.structures)
            and all(item in self.structures for item in ids)
        )  # fmt: skip

    def _add_relation(self, structure: FeatureStructure) -> None:
        features = {name: value for name, value in structure.features.items() if name not in PLACES}
        ends = features.pop("Governor"), features.pop("Dependent")
        if all(end in self.structures for end in ends):
            self.text.relations.append(LayerRelation(structure.type, *ends, features))
        else:
            self._refuse_reference(structure, " and ".join(ends))

    def _add_chain(self, structure: FeatureStructure) -> None:
        members: list[str] = []
        layer, link_id = "", structure.features["first"]
        while link_id:
            link = self.structures.get(link_id)
            if link is None or link_id in members or "begin" not in link.features:
                self._refuse_reference(structure, link_id)
                return
            members.append(link_id)
            layer, link_id = link.type, link.features.get("next", "")
        self.text.chains.append(LayerChain(layer, members))

    def _add_mentions(self) -> None:
        """Add the mentions of CorefAnnotator: in version 1 they have positions, in version 2 surfaces."""
        members: dict[str, list[str]] = {}
        mentions = [
            item for item in self.structures.values()
            if item.type.startswith(COREF_ANNOTATOR) and item.name in ("Mention", "DetachedMentionPart")
        ]  # fmt: skip
        parts = self._detached_parts(mentions)
        for mention in mentions:
            if mention.name != "Mention":
                continue
            surfaces = [self.structures.get(item) for item in mention.references("Surface")] or [mention]
            surfaces += parts.get(mention.id, [])
            places = [place for item in surfaces if item is not None and (place := self.span_of(item)) is not None]
            entity = mention.features.get("Entity", "")
            if entity not in self.structures or None in surfaces:
                self._refuse_reference(mention, entity if entity not in self.structures else "a missing surface")
            if not places or entity not in self.structures:
                continue
            places.sort()
            self.text.spans[mention.id] = LayerSpan(
                mention.id, mention.type, places[0][0], places[-1][1], {}, mention.line, mention.column
            )
            if len(places) > 1:
                self.text.parts[mention.id] = tuple(places)
            members.setdefault(entity, []).append(mention.id)
        for entity, ids in members.items():
            structure = self.structures[entity]
            name, group = structure.features.get("Label", ""), structure.references("Members")
            self.text.chains.append(LayerChain(self.text.spans[ids[0]].layer, ids, name, entity, group))

    def _detached_parts(self, mentions: list[FeatureStructure]) -> dict[str, list[FeatureStructure | None]]:
        """The detached parts of mentions in version 1, by the id of the mention that they belong to."""
        return {item.id: [self.structures.get(part) for part in item.references("Discontinuous")] for item in mentions}

    def _refuse_reference(self, structure: FeatureStructure, target: str) -> None:
        self.source.add_problem(
            "mention.unknown", structure.line, structure.column, found=f"{structure.name} that refers to {target!r}",
            expected="the id of an annotation of the file", remedies=["export the document again"],
        )  # fmt: skip


def _xmi_structures(source: Source) -> list[FeatureStructure]:
    """Every feature structure of an XMI file, with its position."""
    structures: list[FeatureStructure] = []
    depth = 0
    inner: list[str] = []
    parser = expat.ParserCreate(namespace_separator=" ")

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 2:
            place = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
            features = {key: value for key, value in attributes.items() if not key.startswith(XMI)}
            number = attributes.get(f"{XMI}id", f"alone {len(structures)}")
            structures.append(FeatureStructure(number, _type_name(name), features, *place))
        inner.clear()

    def end(name: str) -> None:
        nonlocal depth
        if depth == 3 and structures and "".join(inner).strip():
            features = structures[-1].features
            features[name] = f"{features[name]} {''.join(inner)}" if name in features else "".join(inner)
        depth -= 1
        inner.clear()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = inner.append
    try:
        parser.Parse(source.text, True)
    except (expat.ExpatError, ValueError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "offset", 0)
        source.add_problem(
            "xml.malformed", line, column + 1, found=f"broken XML ({error})", expected="XMI", remedies=["mend it"]
        )
    return structures


def _type_name(name: str) -> str:
    """The name of a type, from that of an element.

    >>> _type_name("http:///de/x/api/ner/type.ecore NamedEntity")
    'de.x.api.ner.type.NamedEntity'
    """
    space, _, local = name.rpartition(" ")
    package = space.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    full = f"{package}.{local}".removeprefix(".")
    return full if full.startswith(("uima.", "de.", "org.", "com.")) else full.replace("noNamespace.", "", 1)


def _json_structures(source: Source) -> list[FeatureStructure]:
    """Every feature structure of a JSON file, with its position."""
    record = Record(1, 1, source.text)
    try:
        cas = msgspec.json.decode(source.text)
    except JSON_ERRORS as error:
        tell_malformed(source, record, error)
        return []
    items = cas.get("%FEATURE_STRUCTURES") if isinstance(cas, dict) else None
    if isinstance(items, dict):
        items = [{"%ID": name, **item} for name, item in items.items() if isinstance(item, dict)]
        places = [(1, 1)] * len(items)
    elif isinstance(items, list):
        starts = [start for start, _ in item_places(record, "%FEATURE_STRUCTURES")]
        places = list(_line_places(source.text, starts))
    else:
        source.add_problem(
            "field.missing", 1, 1, found="no `%FEATURE_STRUCTURES`", expected="JSON of UIMA 0.4, with a list of them",
            remedies=["export the document again as JSON CAS 0.4 or as XMI"],
        )  # fmt: skip
        return []
    arrays = {
        str(item.get("%ID")): " ".join(map(str, item["%ELEMENTS"])) for item in items
        if isinstance(item, dict) and isinstance(item.get("%ELEMENTS"), list)
    }  # fmt: skip
    return [
        FeatureStructure(
            str(item.get("%ID", f"alone {number}")), str(item.get("%TYPE", "")), _json_features(item, arrays), *place
        )
        for number, (item, place) in enumerate(zip(items, places, strict=True))
        if isinstance(item, dict)
    ]


def _json_features(item: Mapping[str, Any], arrays: Mapping[str, str]) -> dict[str, str]:
    """The features of a structure as text; a reference to an array becomes the ids in it."""
    features = {}
    for name, value in item.items():
        if name.startswith("%") or value is None or isinstance(value, dict):
            continue
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        features[name.lstrip("@^#")] = arrays.get(text, text) if name.startswith("@") else text
    return features


def _line_places(text: str, starts: list[int]) -> Iterator[tuple[int, int]]:
    line, position, line_start = 1, 0, 0
    for start in starts:
        breaks = text.count("\n", position, start)
        if breaks:
            line, line_start = line + breaks, text.rfind("\n", position, start) + 1
        position = start
        yield line, start - line_start + 1


Element: TypeAlias = tuple[str, Mapping[str, str]]
"""An element to write: its name, and its attributes."""


def xmi_file(namespaces: Mapping[str, str], elements: Sequence[Element], text: str) -> str:
    """An XMI file of some feature structures over a text, whose id is 1."""
    spaces = {"xmi": XMI.strip(), "cas": "http:///uima/cas.ecore", **namespaces}
    sofa = {"xmi:id": "1", "sofaNum": "1", "sofaID": "_InitialView", "mimeType": "text", "sofaString": text}
    members = " ".join(attributes["xmi:id"] for _, attributes in elements)
    lines = [
        ("cas:NULL", {"xmi:id": "0"}),
        *elements,
        ("cas:Sofa", sofa),
        ("cas:View", {"sofa": "1", "members": members}),
    ]
    head = "".join(f' xmlns:{name}="{address}"' for name, address in spaces.items())
    body = "".join(f"<{name}{''.join(map(_attribute, attributes.items()))}/>\n" for name, attributes in lines)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI{head} xmi:version="2.0">\n{body}</xmi:XMI>\n'


def _attribute(item: tuple[str, str]) -> str:
    name, value = item
    if (sign := NO_XML.search(value)) is not None:
        raise UsageError(f"XMI cannot represent the character {sign[0]!r}: choose another format, such as jsonlines")
    return f" {name}={quoteattr(value, ESCAPES)}"
