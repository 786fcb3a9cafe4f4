"""JSON lines: a document per line.

    {"id": "a", "words": ["par", "exemple"], "tags": ["Sp", ["Ncms", "Ncm-"]], "compounds": [[0, 2, "Rgp"]]}

`words` are the words; `tags` one tag or a list of tags for each. Instead of `tags`, or beside them, columns `upos`,
`xpos`, `feats` and `lemma` may be given; `sentences` lists the first word of each sentence, `compounds` the first word,
the one after the last and the tags of each compound, `attributes` what is known of the document (its genre, say).

Carries: lemma, feats, xpos, sentences, compounds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from aune.core.corpus import Source
from aune.core.pieces import EVERY_LINE
from aune.core.task import Format
from aune.tasks.tagging.boundaries import name_of
from aune.tasks.tagging.model import COLUMNS, Document, alternatives, from_record

KNOWN = {"id", "words", "tags", "sentences", "compounds", "attributes", *COLUMNS}


def read(source: Source) -> Iterator[Document]:
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            place = getattr(error, "colno", 1)
            source.problem(
                number, place, f"found no valid JSON ({_reason(error)}), expected a document per line: mend it"
            )
            continue
        found = _document(source, number, record)
        if found is not None:
            yield found


def _reason(error: Exception) -> str:
    return str(getattr(error, "msg", error))


def _document(source: Source, number: int, record: Any) -> Document | None:
    if not isinstance(record, dict) or not isinstance(record.get("words"), list):
        source.problem(number, 1, 'found no list of words, expected {"words": […], "tags": […]}: mend the record')
        return None
    if strange := sorted(set(record) - KNOWN):
        source.warn(f"line {number}: not read: {', '.join(strange)}")
    try:
        made = from_record(str(record.get("id") or f"{name_of(source)}:{number}"), record)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        source.problem(number, 1, f"found {error}, expected lists of the same length: mend the record")
        return None
    return replace(made, path=source.name, line=number)


def sniff(head: str) -> bool:
    first = head.lstrip().split("\n", 1)[0]
    return first.startswith("{") and '"words"' in first


def write(documents: Sequence[Document]) -> Iterator[str]:
    for one in documents:
        record: dict[str, Any] = {"id": one.id, "words": one.words.values()}
        for name in COLUMNS:
            if name in one.columns:
                record["tags" if name == "tag" else name] = _values(one, name)
        record["sentences"] = one.sentences.tolist()
        if one.compounds:
            record["compounds"] = [list(compound) for compound in one.compounds]
        if one.attributes:
            record["attributes"] = dict(one.attributes)
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _values(one: Document, name: str) -> list[Any]:
    if name != "tag":
        return one.column(name).values()
    lists = [list(alternatives(cell)) for cell in one.column(name).values()]
    return [tags[0] if len(tags) == 1 else tags for tags in lists]


CARRIES = frozenset({"lemma", "feats", "xpos", "sentences", "compounds", "alternatives"})
FORMAT = Format(read, sniff, write, CARRIES, (".jsonl", ".ndjson"), boundaries=EVERY_LINE)
