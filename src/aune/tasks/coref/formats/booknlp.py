"""BookNLP's entities: a table of mentions with their coreference, `a.entities`, over the words of `a.tokens` beside it.

    COREF	start_token	end_token	prop	cat	text
    3	0	1	PROP	PER	Ann Lee
    3	4	4	PRON	PER	her

A mention goes from its first token to its last, counted from 0. `prop` is its kind, `cat` its type. With the file of
tokens there are words and sentences; without it, places alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax.booknlp import COMPANION_ENDINGS, EntityRow, is_entities, read_rows, read_tokens
from aune.tasks.coref.formats.litbank import KINDS
from aune.tasks.coref.model import Document, Mention, make_document


def read(source: Source) -> Iterator[Document]:
    tokens = read_tokens(source)
    mentions = [
        Mention(row.start, row.end, row.chain, row.line, features=_features(row))
        for row in read_rows(source, tokens)
    ]  # fmt: skip
    columns: dict[str, Any] = {} if tokens is None else {"tokens": tokens.words, "sentences": tokens.sentences}
    if source.text.strip():
        yield make_document(source.stem, mentions, path=source.name, **columns)


def _features(row: EntityRow) -> dict[str, str]:
    return {"etype": row.type, "kind": KINDS.get(row.kind, row.kind)}


def sniff(head: str) -> bool:
    return is_entities(head)


FORMAT = Format(read, sniff, suffixes=(".entities",), companion_endings=COMPANION_ENDINGS)
