"""JSON lines of words with tags, as data sets of Hugging Face are saved: a document per line.

    {"id": "d1", "tokens": ["Laurent", "Blanc", "joue"], "ner_tags": ["B-pers", "I-pers", "O"]}

The words stand under `tokens` or `words`, the tags under `ner_tags`, `tags`, `ner` or `labels`, as names and not as
numbers. `id`, `doc_id`, `doc_key` or the number of the line names the document. Schemes and repairs are as in `conll`.

Carries tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.shapes import are, name_of
from aune.core.task import Format
from aune.syntax.jsonlines import Record, Shape, located, records
from aune.tasks.entities.formats._tagged import Text, documents_of
from aune.tasks.entities.model import Document
from aune.tasks.entities.plain import LISTS, TAGS
from aune.tasks.entities.tags import Repair, Scheme
from aune.tasks.entities.typology import TypologyName

WORDS = ("tokens", "words")
RECORD: Shape[dict[str, Any]] = Shape(dict[str, Any], "`tokens` and `ner_tags`")


def read(
    source: Source, *, scheme: Scheme = "auto", repair: Repair = "conlleval", typology: TypologyName = ""
) -> Iterator[Document]:
    texts = [text for record in records(source) if (text := _text(source, record)) is not None]
    yield from documents_of(source, texts, scheme, repair, typology)


def _text(source: Source, record: Record) -> Text | None:
    fields = RECORD.decoded(source, record)
    if fields is None:
        return None
    words, tags = (_listed(source, record, fields, names) for names in (WORDS, TAGS))
    if words is None or tags is None:
        return None
    if not are(tags, str):
        _tell(
            source, record, _first(fields, TAGS), "numbers", "tags such as B-PER: write the names that they stand for"
        )
        return None
    if len(words) != len(tags):
        what = f"{len(tags)} tags for {len(words)} words"
        _tell(source, record, _first(fields, TAGS), what, "as many: mend the record")
        return None
    lines, sentences = [record.line] * len(tags), [0] if tags else []
    return Text(name_of(fields, str(record.number)), record.line, list(map(str, words)), tags, lines, sentences)


def _listed(source: Source, record: Record, fields: dict[str, Any], names: tuple[str, ...]) -> list[Any] | None:
    values = fields.get(_first(fields, names))
    if not isinstance(values, list):
        _tell(source, record, _first(fields, names), "no list", f"one under {names[0]!r}: mend the record")
        return None
    return values


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if name in fields), names[0])


def _tell(source: Source, record: Record, field: str, found: str, expected: str) -> None:
    source.problem(*located(record, field), f"found {found} in `{field}`, expected {expected}")


def sniff(head: str) -> bool:
    start = head.lstrip().removeprefix("[").lstrip()
    return (
        start.startswith("{")
        and all(_has_list(start, names) for names in (WORDS, TAGS))
        and not _has_list(start, LISTS)
    )


def _has_list(head: str, names: tuple[str, ...]) -> bool:
    return any(f'"{name}"' in head for name in names)


FORMAT = Format(read, sniff, carries=frozenset({"tokens"}), suffixes=(".jsonl", ".json"), boundaries=JSON_LINES)
