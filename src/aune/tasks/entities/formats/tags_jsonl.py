"""JSON lines of words with tags, as data sets of Hugging Face are saved: a document per line.

    {"id": "d1", "tokens": ["Laurent", "Blanc", "joue"], "ner_tags": ["B-pers", "I-pers", "O"]}

The words stand under `tokens` or `words`, the tags under `ner_tags`, `tags`, `ner` or `labels`. Tags that are numbers
need names: `--tag-names O,B-PER,I-PER` in the order of the numbers, or a JSON file of them, given by its name or found
beside the rows (`NAME.label.json`, `label.json`, `label2id.json`). `id`, `doc_id`, `doc_key` or the number of the line
names the document. Schemes and repairs are as in `conll`.

A file with the tags of the key and of a response is refused until `tags_field` says which are meant:
`--tags-field ner_tags --response-tags-field predictions` scores one file against itself.

Carries tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from aune.contract.format import JSON_LINES, Format
from aune.contract.options import HiddenAtDefault
from aune.errors import Remedy, UsageError
from aune.files import parse_json, read_bytes
from aune.reading.python_inputs import NAME_FIELDS, all_of_kind, record_name
from aune.reading.source import Source
from aune.syntax.field_names import DocumentIdField, DocumentTextField, FieldName, rename_fields
from aune.syntax.field_roles import FIELD_AMBIGUOUS, SUBJECTS, choose_field
from aune.syntax.jsonlines import Record, Shape, locate, records
from aune.tasks.entities.formats._tag_sequences import TaggedText, documents_of
from aune.tasks.entities.model import Document, TagsField
from aune.tasks.entities.python_inputs import LISTS, TAGS
from aune.tasks.entities.tags import Repair, Scheme
from aune.typologies.typology import TypologyName

WORDS = ("tokens", "words")
TagNames = Annotated[
    tuple[str, ...],
    "the names of numbered tags, in the order of the numbers, or a JSON file with them",
    HiddenAtDefault,
]
NAME_FILES = ("label.json", "label2id.json", "labels.json")
ROLE_TAGS = re.compile(r'"(?:\w+_)?(?:pred|gold|hyp)\w*"\s*:\s*\[\s*"')
RECORD: Shape[dict[str, Any]] = Shape(dict[str, Any], "`tokens` and `ner_tags`")


def read(
    source: Source,
    *,
    scheme: Scheme = "auto",
    repair: Repair = "conlleval",
    typology: TypologyName = "",
    tags_field: TagsField = (),
    tag_names: TagNames = (),
    text_field: DocumentTextField = (),
    id_field: DocumentIdField = (),
) -> Iterator[Document]:
    names = _numbered_names(source, tag_names)
    choices = [
        FieldName("text_field", text_field, "tokens", WORDS), FieldName("id_field", id_field, "id", NAME_FIELDS),
    ]  # fmt: skip
    rows = rename_fields(source, records(source), choices)
    texts = [text for record in rows if (text := _text(source, record, tags_field, names)) is not None]
    yield from documents_of(source, texts, scheme, repair, typology)


def _numbered_names(source: Source, wanted: Sequence[str]) -> dict[int, str]:
    """The names of tags by their numbers: those that are given, or those of a file beside the source."""
    if len(wanted) == 1 and wanted[0].lower().endswith(".json"):
        return _names_in_file(Path(wanted[0]))
    if wanted:
        return dict(enumerate(wanted))
    candidates = [source.path.with_name(name) for name in (f"{source.stem}.label.json", *NAME_FILES)] if (
        source.path) else []  # fmt: skip
    beside = next((path for path in candidates if path.is_file()), None)
    return _names_in_file(beside) if beside is not None else {}


def _names_in_file(path: Path) -> dict[int, str]:
    """The names of tags in a JSON file: a list, or an object from names to numbers or the other way."""
    try:
        content = parse_json(read_bytes(path))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: found no JSON ({error}), expected the names of tags") from None
    content = content.get("id2label", content.get("label2id", content)) if isinstance(content, dict) else content
    pairs = list(content.items()) if isinstance(content, dict) else list(enumerate(content or ()))
    names = {number: name for pair in pairs for number, name in (pair, pair[::-1]) if isinstance(name, str)
             and str(number).isdecimal()}  # fmt: skip
    if not names or len(names) != len(pairs):
        raise UsageError(f'{path}: found no names of tags, expected {{"O": 0, "B-PER": 1}} or ["O", "B-PER"]')
    return {int(number): name for number, name in names.items()}


def _text(
    source: Source, record: Record, tags_field: Sequence[str], tag_names: Mapping[int, str]
) -> TaggedText | None:  # fmt: skip
    fields = RECORD.decode(source, record)
    if fields is None:
        return None
    name = _tags_name(source, record, fields, tags_field)
    if name is None:
        return None
    words, tags = (_list_field(source, record, fields, names) for names in (WORDS, (name,)))
    if words is None or tags is None:
        return None
    if tags and tag_names and all_of_kind(tags, int):
        unknown = next((tag for tag in tags if tag not in tag_names), None)
        if unknown is not None:
            expected = f"one of the {len(tag_names)} that have names"
            _report(source, record, name, f"the number {unknown}", expected, "give the names of all tags")
            return None
        tags = [tag_names[tag] for tag in tags]
    if not all_of_kind(tags, str):
        remedy = Remedy("name them in the order of the numbers", (("tag_names", "O,B-PER,…"),))
        _report(source, record, name, "numbers", "tags such as B-PER", remedy)
        return None
    if len(words) != len(tags):
        _report(source, record, name, f"{len(tags)} tags for {len(words)} words", "as many", "correct the record")
        return None
    lines, sentences = [record.line] * len(tags), [0] if tags else []
    return TaggedText(
        record_name(fields, str(record.number)), record.line, list(map(str, words)), tags, lines, sentences
    )


def _tags_name(source: Source, record: Record, fields: dict[str, Any], wanted: Sequence[str]) -> str | None:
    """The field with the tags; None where it must be named, which is reported."""
    if wanted:
        return _first(fields, tuple(wanted))
    lists = [name for name, value in fields.items() if isinstance(value, list)]
    choice = choose_field(lists, TAGS, SUBJECTS["entities"])
    if choice.rivals:
        source.add_problem(
            FIELD_AMBIGUOUS, *locate(record, choice.rivals[1]),
            found=f"both `{choice.rivals[0]}` and `{choice.rivals[1]}`", expected="one of them",
            remedies=[choice.remedy("tags_field")],
        )  # fmt: skip
        return None
    return choice.name or TAGS[0]


def _list_field(source: Source, record: Record, fields: dict[str, Any], names: tuple[str, ...]) -> list[Any] | None:
    values = fields.get(_first(fields, names))
    if not isinstance(values, list):
        _report(source, record, _first(fields, names), "no list", f"one under {names[0]!r}", "correct the record")
        return None
    return values


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if name in fields), names[0])


def _report(source: Source, record: Record, field: str, actual: str, expected: str, remedy: Remedy | str) -> None:
    code = "field.malformed"
    source.add_problem(
        code, *locate(record, field), found=f"{actual} in `{field}`", expected=expected, remedies=[remedy]
    )


def sniff(head: str) -> bool:
    start = head.lstrip().removeprefix("[").lstrip()
    return (
        start.startswith("{")
        and _has_list(start, WORDS)
        and (_has_list(start, TAGS) or ROLE_TAGS.search(start) is not None)
        and not _has_list(start, LISTS)
    )


def _has_list(head: str, names: tuple[str, ...]) -> bool:
    return any(f'"{name}"' in head for name in names)


FORMAT = Format(read, sniff, carries=frozenset({"tokens"}), suffixes=(".jsonl", ".json"), boundaries=JSON_LINES)
