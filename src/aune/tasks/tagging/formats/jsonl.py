"""JSON lines: a document per line.

    {"id": "a", "words": ["par", "exemple"], "tags": ["Sp", ["Ncms", "Ncm-"]], "compounds": [[0, 2, "Rgp"]]}

`words` are the words; `tags` one tag or a list of tags for each. Instead of `tags`, or beside them, columns `upos`,
`xpos`, `feats` and `lemma` may be given; `sentences` lists the first word of each sentence, `compounds` the first word,
the one after the last and the tags of each compound, `attributes` what is known of the document (its genre, say).

Carries: lemma, feats, xpos, sentences, compounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from aune.core.corpus import Source
from aune.core.errors import UsageError
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.syntax.jsonlines import Record, Shape, located, records, written
from aune.syntax.jsonplaces import placed
from aune.tasks.tagging.formats._splicing import beside_those_of_the_file
from aune.tasks.tagging.formats._writing import refuse
from aune.tasks.tagging.model import Document, alternatives, from_record
from aune.tasks.tagging.plain import COLUMNS

RECORD: Shape[dict[str, Any]] = Shape(dict[str, Any], "`words` and `tags`")
KNOWN = {"id", "words", "tags", "sentences", "compounds", "attributes", *COLUMNS}


def read(source: Source) -> Iterator[Document]:
    for record in records(source):
        fields = RECORD.decoded(source, record)
        made = _document(source, record, fields) if fields is not None else None
        if made is not None:
            yield made


def _document(source: Source, record: Record, fields: dict[str, Any]) -> Document | None:
    if not isinstance(fields.get("words"), list):
        what = 'found no list of words, expected {"words": […], "tags": […]}: mend the record'
        source.problem(*located(record, "words"), what)
        return None
    if strange := sorted(set(fields) - KNOWN):
        source.warn(f"line {record.line}: not read: {', '.join(strange)}")
    try:
        made = from_record(str(fields.get("id") or f"{source.stem}:{record.line}"), fields)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        message = f"found {error}, expected lists of the same length: mend the record"
        source.problem(record.line, record.column, message)
        return None
    except UsageError as error:  # which says what was found and expected
        source.problem(record.line, record.column, str(error))
        return None
    return replace(made, path=source.name, line=record.line)


def sniff(head: str) -> bool:
    first = head.lstrip().split("\n", 1)[0]
    return first.startswith("{") and '"words"' in first


def write(documents: Sequence[Document]) -> Iterator[str]:
    for one in documents:
        if not one.id:
            refuse("jsonl", "a document without a name", one)
        record: dict[str, Any] = {"id": one.id, "words": one.words.values()}
        for name in COLUMNS:
            if name in one.columns:
                record["tags" if name == "tag" else name] = _values(one, name)
        record["sentences"] = one.sentences.tolist()
        if one.compounds:
            record["compounds"] = [list(compound) for compound in one.compounds]
        if one.attributes:
            record["attributes"] = dict(one.attributes)
        yield written(record) + "\n"


def _values(document: Document, name: str) -> list[Any]:
    if name != "tag":
        return document.column(name).values()
    lists = [list(alternatives(cell)) for cell in document.column(name).values()]
    return [tags[0] if len(tags) == 1 else tags for tags in lists]


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The file with other values in the columns that it has, and other compounds: what stays keeps its characters."""
    edits, starts = Edits(source), Lines(source.text).starts
    pairs = beside_those_of_the_file(source, list(read(source)), documents)
    for record, (old, new) in zip(records(source), pairs, strict=True):
        whole = placed(record.text)
        place = starts[record.line - 1] + record.column - 1
        for name in COLUMNS:
            before, after = old.column(name).values(), new.column(name).values()
            if before == after:
                continue
            value = whole.fields.get("tags" if name == "tag" else name) or whole.fields.get(name)
            if value is None:
                raise UsageError(f"document {new.id!r} has no column {name!r} in {source.name}: write a new file")
            cells = zip(value.items, _values(new, name), before, after, strict=True)
            for item, cell, was, now in cells:
                if was != now:
                    edits.replace(place + item.start, place + item.end, written(cell))
        if old.compounds != new.compounds:
            compounds = written([list(compound) for compound in new.compounds])
            if listed := whole.fields.get("compounds"):
                edits.replace(place + listed.start, place + listed.end, compounds)
            else:
                edits.insert(place + whole.end - 1, f', "compounds": {compounds}')
    return edits.applied()


CARRIES = frozenset({"lemma", "feats", "xpos", "sentences", "compounds", "alternatives"})
FORMAT = Format(read, sniff, write, CARRIES, (".jsonl", ".ndjson"), splice=splice, boundaries=JSON_LINES)
