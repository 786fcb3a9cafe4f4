"""Entities in texts with layers of annotation: the spans of a layer, labelled by one of its features.

The other features of the layer are features of the entities. Relations of any layer between them are read; the kind of
a relation is the feature that says it best, or the name of its layer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, TypeAlias

import numpy as np

from aune.reading.source import Source
from aune.syntax.layers import (
    LABEL_FEATURES,
    LayeredText,
    LayerRelation,
    choose_feature,
    label_of,
    note_other_layers,
    short_name,
)
from aune.tasks.entities.model import Document, Relation, Span, make_document

RELATION_FEATURES = ("label", "kind", "DependencyType", *LABEL_FEATURES)
"""Names of features that contain the kind of a relation, in order of preference."""
Feature: TypeAlias = Annotated[str, "the feature with the labels; none: the value of NamedEntity"]


def layer_documents(
    source: Source, text: LayeredText | None, feature: str, typology: str, *, unit: str
) -> Iterator[Document]:  # fmt: skip
    """The document of a text with layers, unless something is wrong with it."""
    label = choose_feature(source, text, feature) if text is not None else None
    if text is None or label is None:
        return
    spans: list[Span] = []
    numbers: dict[str, int] = {}
    empty = 0
    for span in text.of_layer(label.layer):
        start, end = text.token_span(span) if unit == "token" else (span.start, span.end)
        empty += start >= end
        if start < end:
            numbers[span.id] = len(spans)
            features = tuple(item for item in span.features.items() if item[0] != label.name)
            spans.append(Span(start, end, label_of(span, label), line=span.line, column=span.column, features=features))
    text.left_out += Counter({"annotations without a character": empty})
    links = [link for link in text.relations if link.source in numbers and link.target in numbers]
    relations = [_relation(link, numbers) for link in links]
    note_other_layers(source, text, (label.layer,), read_relations=len(links))
    breaks = text.sentences or [0]
    if unit == "token":
        words = [text.text[start:end] for start, end in text.tokens]
        starts = {start: number for number, (start, _) in enumerate(text.tokens)}
        sentences = np.asarray([starts[place] for place in breaks if place in starts] or [0], np.int64)
        yield make_document(
            text.name, spans, length=len(words), words=words.copy, sentences=sentences, typology=typology,
            path=source.name, relations=relations,
        )  # fmt: skip
        return
    yield make_document(
        text.name, spans, length=len(text.text), unit="character", text=text.text,
        sentences=np.asarray(sorted({0, *(place for place in breaks if place < len(text.text))}), np.int64),
        typology=typology, path=source.name, relations=relations,
    )  # fmt: skip


def _relation(link: LayerRelation, numbers: Mapping[str, int]) -> Relation:
    names = sorted(link.features)
    label = next((name for name in RELATION_FEATURES if link.features.get(name)), names[0] if len(names) == 1 else "")
    kind = link.features.get(label) or short_name(link.layer)
    features = tuple((name, link.features[name]) for name in names if name != label and link.features[name])
    return Relation(kind, numbers[link.source], numbers[link.target], features)
