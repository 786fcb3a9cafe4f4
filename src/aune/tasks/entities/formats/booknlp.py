"""BookNLP's entities: a table of mentions with their type, `a.entities`, over the words of `a.tokens` beside it.

    COREF	start_token	end_token	prop	cat	text
    3	0	1	PROP	PER	Ann Lee
    3	4	4	PRON	PER	her

An entity goes from its first token to its last, counted from 0. Its label is `cat`. Names, nouns and pronouns are all
entities here; `--mention-kinds PROP` reads names alone. With the file of tokens there are words and sentences. The
chain and the kind of a mention are its features COREF and prop.

Carries tokens, sentences and features.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from aune.contract.format import Format
from aune.contract.options import HiddenAtDefault
from aune.reading.source import Source
from aune.syntax.booknlp import COMPANION_ENDINGS, is_entities, read_rows, read_tokens
from aune.tasks.entities.model import Document, Span, make_document
from aune.typologies.typology import TypologyName

MentionKinds = Annotated[tuple[str, ...], "the kinds of mentions that are entities: PROP, NOM, PRON", HiddenAtDefault]


def read(source: Source, *, mention_kinds: MentionKinds = (), typology: TypologyName = "") -> Iterator[Document]:
    tokens = read_tokens(source)
    spans = [
        Span(row.start, row.end, row.type, line=row.line, features=(("COREF", row.chain), ("prop", row.kind)))
        for row in read_rows(source, tokens)
        if not mention_kinds or row.kind in mention_kinds
    ]
    words = None if tokens is None else tokens.words
    if source.text.strip():
        yield make_document(
            source.stem, spans, length=len(words or ()), words=None if words is None else words.copy,
            sentences=None if tokens is None else np.asarray(tokens.sentences or [0], np.int64),
            typology=typology, path=source.name,
        )  # fmt: skip


def sniff(head: str) -> bool:
    return is_entities(head)


FORMAT = Format(
    read,
    sniff,
    carries=frozenset({"tokens", "sentences", "features"}),
    suffixes=(".entities",),
    companion_endings=COMPANION_ENDINGS,
)
