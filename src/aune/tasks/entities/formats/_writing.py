"""How documents are written, and what is refused because it would come back as something else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from itertools import accumulate
from typing import NoReturn

import numpy as np

from aune.syntax import writing
from aune.tasks.entities.model import Document, Relation, Span, make_document, spans_of

JOINERS = "\u200c\u200d\ufe0f"
"""What joins characters to one that readers see."""


def refuse(form: str, content: str, document: Document) -> NoReturn:
    writing.refuse(form, content, f"document {document.id!r}", instead="jsonl")


def tokens_of(document: Document, form: str) -> Sequence[str]:
    """The tokens of a document; one whose spans are over other units is refused, for the format named `form`."""
    if document.tokens is None or document.unit != "token":
        refuse(form, f"a text without its tokens, over {document.unit}s", document)
    return document.tokens


def over_words(document: Document, form: str) -> Document:
    """A document over the characters of its text as one over words, cut where spans begin and end too.

    >>> text = make_document("a", [Span(0, 3, "PER"), Span(12, 16, "LOC")], unit="character", text="Ann's here: Rome!")
    >>> document = over_words(text, "conll")
    >>> list(document.tokens), [(span.start, span.end) for span in spans_of(document)]
    (['Ann', "'", 's', 'here', ':', 'Rome', '!'], [(0, 1), (5, 6)])
    """
    if document.unit != "character" or document.text is None:
        return document
    text, spans = document.text, list(spans_of(document))
    cuts = {place for span in spans for part in (span.segments or ((span.start, span.end),)) for place in part}
    words = list(_words(text, cuts))
    starts = np.array([start for start, _ in words], np.int64)
    ends = np.array([end for _, end in words], np.int64)

    def place(start: int, end: int) -> tuple[int, int]:
        first, last = int(np.searchsorted(ends, start, "right")), int(np.searchsorted(starts, end, "left"))
        if first >= last:
            refuse(form, "a span without a word", document)
        return first, last

    placed = []
    for span in spans:
        first, last = place(span.start, span.end)
        segments = tuple(place(*part) for part in span.segments)
        placed.append(span._replace(start=first, end=last, segments=segments))
    breaks = [] if document.sentences is None else np.searchsorted(starts, document.sentences).tolist()
    sentences = np.asarray(sorted({place for place in breaks if place < len(words)} | {0}), np.int64)
    tokens = [text[start:end] for start, end in words]
    return make_document(
        document.id, placed, length=len(tokens), unit="token", words=tokens.copy, sentences=sentences,
        relations=document.relations,
    )  # fmt: skip


def _words(text: str, cuts: Set[int]) -> Iterator[tuple[int, int]]:
    """Where words and signs begin and end: a word is letters, marks and digits, and a sign is one character."""
    start, previous = 0, ""
    for place, sign in enumerate([*text, " "]):
        kind = _sign_kind(sign)
        is_joined = kind == "mark" or (kind == previous == "word")
        if previous and (place in cuts or not is_joined):
            yield start, place
            previous = ""
        if kind and not previous:
            start, previous = place, kind if kind != "mark" else "word"


def _sign_kind(sign: str) -> str:
    """Whether a character belongs to a word, to the one before it or stands alone; nothing for a blank."""
    if sign.isspace():
        return ""
    if unicodedata.category(sign)[0] == "M" or sign in JOINERS:
        return "mark"
    return "word" if sign.isalnum() or sign == "_" else "sign"


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
    name: str,
    spans: Sequence[Span],
    text: str,
    typology: str = "",
    path: str = "",
    line: int = 1,
    relations: Sequence[Relation] = (),
) -> Document:
    """A document over the characters of its text, whose lines are sentences."""
    breaks = [0] + [mark.end() for mark in re.finditer("\n", text) if mark.end() < len(text)]
    return make_document(
        name, spans, length=len(text), unit="character", text=text, sentences=np.asarray(breaks, np.int64),
        typology=typology, path=path, line=line, relations=relations,
    )  # fmt: skip
