"""UIMA's CAS, as XMI and as JSON: what INCEpTION and WebAnno write, and other tools built on UIMA.

    <type3:NamedEntity xmi:id="7" sofa="1" begin="0" end="7" value="PER"/>
    <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Ann Lee ran."/>

The label is the `value` of the layer NamedEntity; without that layer, the feature of the first one whose name says that
it is a label, which a warning names. `feature` chooses another: `Span.value`, a layer, or a feature. A span without a
value has the name of its layer. The other features of the layer are features of the entities, and relations (with
`Governor` and `Dependent`) between them are read. Spans without a character, other layers, chains and slots are counted
and not read. Written are the layer NamedEntity and relations, one document per file.

Carries text, sentences, nesting, features, relations and features of relations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count, pairwise

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.layers import utf16_offsets
from aune.syntax.uima import Element, is_json_cas, is_xmi, read_layers, xmi_file
from aune.tasks.entities.formats._layers import Feature, layer_documents
from aune.tasks.entities.formats._writing import character_offsets, placed_spans, refuse, text_of
from aune.tasks.entities.model import Document, Features
from aune.typologies.typology import TypologyName

NAMESPACES = {
    "tcas": "http:///uima/tcas.ecore",
    "ner": "http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore",
    "custom": "http:///webanno/custom.ecore",
    "segmentation": "http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore",
}

XML_NAME = re.compile(r"[^\W\d][\w.-]*")
RESERVED = frozenset((
    "sofa", "begin", "end", "value", "label", "Governor", "Dependent", "next", "first", "target", "id", "xmlns",
))  # fmt: skip
"""Attributes that are no features."""


def read(source: Source, *, feature: Feature = "", typology: TypologyName = "") -> Iterator[Document]:
    yield from layer_documents(source, read_layers(source), feature, typology, unit="character")


def sniff(head: str) -> bool:
    return is_xmi(head) or is_json_cas(head)


def write(documents: Iterable[Document]) -> Iterator[str]:
    for index, document in enumerate(documents):
        if index:
            raise UsageError("uima has one document per file, and there are several: convert them to a folder")
        text = text_of(document)
        if text is None:
            refuse("uima", "a text without its words", document)
        yield xmi_file(NAMESPACES, list(_elements(document, text)), text)


def _elements(document: Document, text: str) -> Iterator[Element]:
    """Sentences, tokens where the document has some, and entities."""
    units, ids = utf16_offsets(text), count(2)

    def annotation(start: int, end: int) -> dict[str, str]:
        return {"xmi:id": str(next(ids)), "sofa": "1", "begin": str(units[start]), "end": str(units[end])}

    offsets = character_offsets(document, "uima")
    yield "tcas:DocumentAnnotation", annotation(0, len(text)) | {"language": "x-unspecified"}
    starts = [] if document.sentences is None else document.sentences.tolist()
    bounds = sorted({offsets[start][0] if offsets else start for start in starts if start < document.length})
    for start, end in pairwise([*bounds, len(text)]):
        yield "segmentation:Sentence", annotation(start, max(start, end - (end < len(text) and text[end - 1] == "\n")))
    for start, end in offsets:
        yield "segmentation:Token", annotation(start, end)
    entities = []
    for span, start, end in placed_spans(document, "uima"):
        entities.append(annotation(start, end))
        yield "ner:NamedEntity", entities[-1] | {"value": span.label} | _attributes(span.features)
    for kind, source, target, features in document.relations:
        ends = {"Governor": entities[source]["xmi:id"], "Dependent": entities[target]["xmi:id"], "label": kind}
        place = {name: entities[target][name] for name in ("sofa", "begin", "end")}
        yield "custom:Relation", {"xmi:id": str(next(ids)), **place, **ends, **_attributes(features)}


def _attributes(features: Features) -> dict[str, str]:
    """Features as attributes; those whose names mean something else here, or cannot be names, are left out."""
    return {name: value for name, value in features if XML_NAME.fullmatch(name) and name not in RESERVED}


CARRIES = frozenset({"text", "sentences", "nesting", "features", "relations", "features of relations"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".xmi", ".json"))
