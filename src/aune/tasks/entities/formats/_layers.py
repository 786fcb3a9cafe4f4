"""Entities in texts with layers of annotation: the spans of a layer, labelled by one of its features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, TypeAlias

import numpy as np

from aune.reading.source import Source
from aune.syntax.layers import LayeredText, choose_feature, label_of, note_other_layers
from aune.tasks.entities.model import Document, Span, make_document

Feature: TypeAlias = Annotated[str, "the feature with the labels; none: the value of NamedEntity"]


def layer_documents(
    source: Source, text: LayeredText | None, feature: str, typology: str, *, unit: str
) -> Iterator[Document]:  # fmt: skip
    """The document of a text with layers, unless something is wrong with it."""
    label = choose_feature(source, text, feature) if text is not None else None
    if text is None or label is None:
        return
    spans = []
    empty = 0
    for span in text.of_layer(label.layer):
        start, end = text.token_span(span) if unit == "token" else (span.start, span.end)
        empty += start >= end
        if start < end:
            spans.append(Span(start, end, label_of(span, label), line=span.line, column=span.column))
    text.left_out += Counter({"annotations without a character": empty})
    note_other_layers(source, text, (label.layer,))
    breaks = text.sentences or [0]
    if unit == "token":
        words = [text.text[start:end] for start, end in text.tokens]
        numbers = {start: number for number, (start, _) in enumerate(text.tokens)}
        sentences = np.asarray([numbers[place] for place in breaks if place in numbers] or [0], np.int64)
        yield make_document(
            text.name, spans, length=len(words), words=words.copy, sentences=sentences, typology=typology,
            path=source.name,
        )  # fmt: skip
        return
    yield make_document(
        text.name, spans, length=len(text.text), unit="character", text=text.text,
        sentences=np.asarray(sorted({0, *(place for place in breaks if place < len(text.text))}), np.int64),
        typology=typology, path=source.name,
    )  # fmt: skip
