"""How documents are written, and what is refused because it would come back as something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NoReturn

import numpy as np

from aune.syntax import writing
from aune.tasks.entities.model import Document, Span, make_document, spans_of


def refuse(form: str, content: str, document: Document) -> NoReturn:
    writing.refuse(form, content, f"document {document.id!r}", instead="jsonl")


def tokens_of(document: Document, form: str) -> Sequence[str]:
    if document.tokens is None or document.unit != "token":
        refuse(form, f"a text without its tokens, over {document.unit}s", document)
    return document.tokens


def one_line(text: str, form: str, kind: str, document: Document) -> str:
    """A cell or name that stands on one line between tabs."""
    return writing.one_line(text, form, kind, f"document {document.id!r}", instead="jsonl")


def sentence_starts(document: Document) -> set[int]:
    """The first positions of the sentences after the first one."""
    return set(([] if document.sentences is None else document.sentences.tolist())[1:])


def text_of(document: Document) -> str | None:
    """The text of a document; that of tokens has a blank between them and a line for each sentence."""
    if document.unit == "character" or document.tokens is None:
        return document.text
    breaks = sentence_starts(document)
    signs = ["" if place == 0 else "\n" if place in breaks else " " for place in range(document.length)]
    return "".join(sign + token for sign, token in zip(signs, document.tokens, strict=True))


def character_offsets(document: Document, form: str) -> list[tuple[int, int]]:
    """The characters of each token in `text_of`; nothing for documents over characters."""
    if document.unit == "character":
        return []
    if document.tokens is None:
        refuse(form, "a text without its tokens", document)
    starts = list(accumulate((len(token) + 1 for token in document.tokens), initial=0))
    return [(start, start + len(token)) for start, token in zip(starts, document.tokens, strict=False)]


def placed_spans(document: Document, form: str) -> Iterator[tuple[Span, int, int]]:
    """The spans of a document with the characters of `text_of` that each begins and ends with."""
    offsets = character_offsets(document, form)
    for span in spans_of(document):
        if not span.label.strip():
            refuse(form, "an entity without a label", document)
        start, end = (offsets[span.start][0], offsets[span.end - 1][1]) if offsets else (span.start, span.end)
        if start >= end:
            refuse(form, f"a span {span.label} over words without a character", document)
        yield span, start, end


def character_document(
    name: str, spans: Sequence[Span], text: str, typology: str = "", path: str = "", line: int = 1
) -> Document:
    """A document over the characters of its text, whose lines are sentences."""
    breaks = [0] + [mark.end() for mark in re.finditer("\n", text) if mark.end() < len(text)]
    return make_document(
        name, spans, length=len(text), unit="character", text=text, sentences=np.asarray(breaks, np.int64),
        typology=typology, path=path, line=line,
    )  # fmt: skip
