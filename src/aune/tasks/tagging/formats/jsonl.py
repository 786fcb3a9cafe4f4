"""JSON lines: a document per line.

    {"id": "a", "words": ["par", "exemple"], "tags": ["Sp", ["Ncms", "Ncm-"]], "compounds": [[0, 2, "Rgp"]]}

`words` (or `tokens`, `forms`) are the words; `tags` (or `pos_tags`) one tag or a list of tags for each. Instead of
`tags`, or beside them, columns `upos`, `xpos`, `feats` and `lemma` may be given; `sentences` lists the first word of
each sentence, `compounds` the first word, the one after the last and the tags of each compound, `attributes` what is
known of the document (its genre, say), `blanks` the characters before each word and after the last one. `id` (or
`doc_id`, `doc_key`) names it. Other names of fields are given by `id_field`, `text_field` and `tags_field`.

A file with the tags of the key and of a response is refused until `tags_field` says which are meant: `--tags-field tags
--response-tags-field predictions` scores one file against itself.

Carries: lemma, feats, xpos, sentences, compounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aune.contract.format import JSON_LINES, Format
from aune.errors import UsageError
from aune.reading.python_inputs import UnusableValueError, record_name
from aune.reading.source import Source
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.syntax.field_names import DocumentIdField, DocumentTextField, FieldName, rename_fields
from aune.syntax.field_roles import FIELD_AMBIGUOUS
from aune.syntax.json_positions import locate_values
from aune.syntax.jsonlines import Record, Shape, is_spacing, locate, records, to_json_line
from aune.tasks.tagging.formats._splicing import pair_with_file
from aune.tasks.tagging.formats._writing import refuse
from aune.tasks.tagging.model import Document, alternatives, from_record
from aune.tasks.tagging.python_inputs import COLUMNS, WORDS, RivalFieldsError, TagsField, with_one_annotation

RECORD: Shape[dict[str, Any]] = Shape(dict[str, Any], "`words` and `tags`")
TAG_FIELDS = ("tags", "upos", "xpos", "pos_tags")
WORD_FIELDS = ("words", "tokens", "forms")
ID_FIELDS = ("id", "doc_id", "doc_key", "document")
KNOWN_FIELDS = {*ID_FIELDS, "words", "tags", "sentences", "compounds", "attributes", "blanks", *COLUMNS}


def read(
    source: Source, *, tags_field: TagsField = (), text_field: DocumentTextField = (), id_field: DocumentIdField = ()
) -> Iterator[Document]:
    for record in rename_fields(source, records(source), _choices(text_field, id_field)):
        fields = RECORD.decode(source, record)
        document = _document(source, record, fields, tags_field) if fields is not None else None
        if document is not None:
            yield document


def _choices(text_field: Sequence[str], id_field: Sequence[str]) -> list[FieldName]:
    """The fields of words and name that the user names."""
    return [FieldName("text_field", text_field, "words", WORD_FIELDS), FieldName("id_field", id_field, "id", ID_FIELDS)]


def _document(source: Source, record: Record, fields: dict[str, Any], tags_field: Sequence[str]) -> Document | None:
    try:
        fields = with_one_annotation(fields, tags_field)
        fields = {WORDS.get(name, name): value for name, value in fields.items()}
    except RivalFieldsError as rivals:
        source.add_problem(
            FIELD_AMBIGUOUS, *locate(record, rivals.names[1]), found=" and ".join(f"`{name}`" for name in rivals.names),
            expected="one of them", remedies=[rivals.remedy],
        )  # fmt: skip
        return None
    if not isinstance(fields.get("words"), list):
        source.add_problem(
            "field.missing",
            *locate(record, "words"),
            found="no list of words",
            expected='{"words": […], "tags": […]}',
            remedies=["mend the record"],
        )
        return None
    has_spacing = is_spacing(fields.get("blanks"), len(fields["words"]))
    unread = set(fields) - (KNOWN_FIELDS if has_spacing else KNOWN_FIELDS - {"blanks"})
    if unknown := dict.fromkeys(sorted(unread), 1):
        source.add_note("fields that are not read", _unread_note, unknown, record.line)
    try:
        document = from_record(record_name(fields, f"{source.stem}:{record.line}", ID_FIELDS), fields)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        source.add_problem(
            "values.count",
            record.line,
            record.column,
            found=str(error),
            expected="lists of the same length",
            remedies=["mend the record"],
        )
        return None
    except UnusableValueError as error:
        remedies = [error.hint] if error.hint else []
        source.add_problem(
            "field.wrong-type", record.line, record.column, found=error.found, expected=error.expected,
            remedies=remedies,
        )  # fmt: skip
        return None
    return replace(document, path=source.name, line=record.line, gaps=fields["blanks"] if has_spacing else None)


def _unread_note(counts: Mapping[str, int], line: int) -> str:
    return f"fields not read: {', '.join(sorted(counts))} (first at line {line})"


def sniff(head: str) -> bool:
    first = head.lstrip().split("\n", 1)[0]
    if not first.startswith("{"):
        return False
    return '"words"' in first or (
        any(f'"{name}"' in first for name in WORD_FIELDS) and any(f'"{name}"' in first for name in TAG_FIELDS)
    )


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        if not document.id:
            refuse("jsonl", "a document without a name", document)
        record: dict[str, Any] = {"id": document.id, "words": document.words.values()}
        for name in COLUMNS:
            if name in document.columns:
                record["tags" if name == "tag" else name] = _values(document, name)
        record["sentences"] = document.sentences.tolist()
        if document.compounds:
            record["compounds"] = [list(compound) for compound in document.compounds]
        if document.attributes:
            record["attributes"] = dict(document.attributes)
        if document.gaps is not None and len(document.gaps) == len(document) + 1:  # tokens of several words have none
            record["blanks"] = list(document.gaps)
        yield to_json_line(record) + "\n"


def _values(document: Document, name: str) -> list[Any]:
    if name != "tag":
        return document.column(name).values()
    lists = [list(alternatives(cell)) for cell in document.column(name).values()]
    return [tags[0] if len(tags) == 1 else tags for tags in lists]


def splice(
    source: Source, documents: Sequence[Document], *, tags_field: TagsField = (), text_field: DocumentTextField = (),
    id_field: DocumentIdField = (),
) -> bytes:  # fmt: skip
    """The file with other values in the columns that it has, and other compounds: what stays keeps its characters."""
    edits, starts = Edits(source), Lines(source.text).starts
    former = list(read(source, tags_field=tags_field, text_field=text_field, id_field=id_field))
    pairs = pair_with_file(source, former, documents)
    rows = rename_fields(source, records(source), _choices(text_field, id_field), keep_places=True)
    for record, (old, new) in zip(rows, pairs, strict=True):
        root = locate_values(record.text)
        place = starts[record.line - 1] + record.column - 1
        for name in COLUMNS:
            before, after = old.column(name).values(), new.column(name).values()
            if before == after:
                continue
            names = [*tags_field, "tags"] if name == "tag" else []
            value = next((root.fields[field] for field in (*names, name) if field in root.fields), None)
            if value is None:
                raise UsageError(f"document {new.id!r} has no column {name!r} in {source.name}: write a new file")
            cells = zip(value.items, _values(new, name), before, after, strict=True)
            for item, cell, old_cell, new_cell in cells:
                if old_cell != new_cell:
                    edits.replace(place + item.start, place + item.end, to_json_line(cell))
        if old.compounds != new.compounds:
            compounds = to_json_line([list(compound) for compound in new.compounds])
            if compounds_value := root.fields.get("compounds"):
                edits.replace(place + compounds_value.start, place + compounds_value.end, compounds)
            else:
                edits.insert(place + root.end - 1, f', "compounds": {compounds}')
    return edits.apply()


CARRIES = frozenset({"lemma", "feats", "xpos", "sentences", "compounds", "alternatives"})
FORMAT = Format(read, sniff, write, CARRIES, (".jsonl", ".ndjson"), splice=splice, boundaries=JSON_LINES)
