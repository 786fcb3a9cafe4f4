r"""JSON lines: a document per line, with its anaphors.

    {"document": "d1", "anaphors": [{"anaphor": "12", "antecedents": ["3-4"], "pronoun": "he", "candidates": ["3-4"]}]}

Mentions are names, the same in key and response: a token number, `first-last` token, or anything else; numbers are
accepted too. The fields of a document:

- `document` (or `doc_key`, `id`, or what `id_field` names): its name; without one, documents are called `document 1`,
  `document 2`…
- `anaphors`: objects with `anaphor`, `antecedents` (a list) or `antecedent` (one mention or null), and if known
  `candidates`: mentions in the order of the text, or objects with `mention`, `agrees` and `text`. Other fields of an
  object are attributes of the anaphor, such as `pronoun`, `gender` and `distance`.
  An anaphor with the antecedents of both sides, such as `antecedent` and `predicted_antecedent`, is refused until
  `antecedent_field` and `response_antecedent_field` name them.
- `chains`: lists of mentions; pairs join chains too. `kinds`, `texts`: objects by mention.
- `attributes`: an object of strings on the document.

>>> from aune.reading.corpus import Source
>>> [found] = read(Source("a.jsonl", b'{"anaphors": [{"anaphor": "he", "antecedent": "Ann", "gender": "feminine"}]}'))
>>> found.anaphors[0].antecedents, found.anaphors[0].attributes
(('Ann',), {'gender': 'feminine'})
>>> print("".join(write([found])), end="")
{"document":"document 1","anaphors":[{"anaphor":"he","antecedents":["Ann"],"gender":"feminine"}],"chains":[[...]]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from aune.contract.format import JSON_LINES, Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.syntax.field_names import DocumentIdField, FieldName, rename_fields
from aune.syntax.field_roles import FIELD_AMBIGUOUS, ROLE_NAME
from aune.syntax.json_positions import locate_values, replace_items
from aune.syntax.jsonlines import Record, Shape, locate, records, shorten_json
from aune.syntax.splicing import pair_documents
from aune.tasks.anaphora.model import NO_ANTECEDENT, Anaphor, Candidate, Document, make_document, mention_name
from aune.tasks.anaphora.python_inputs import AntecedentField, choose_antecedent, rival_lists

Name = str | int


class _Candidate(msgspec.Struct):
    mention: Name
    agrees: bool = True
    text: str = ""


class _DocumentFields(msgspec.Struct):
    """The fields of one document as JSON holds them."""

    anaphors: list[dict[str, Any]]
    document: Name | None = None
    doc_key: Name | None = None
    id: Name | None = None
    chains: list[list[Name]] = []
    kinds: dict[str, str] = {}
    texts: dict[str, str] = {}
    attributes: dict[str, str] = {}


ID_FIELDS = ("document", "doc_key", "id")
ANAPHOR_FIELDS = frozenset({"anaphor", "antecedent", "antecedents", "candidates"})
SHAPE: Shape[_DocumentFields] = Shape(_DocumentFields, "the field `anaphors`")


def read(
    source: Source, *, antecedent_field: AntecedentField = (), id_field: DocumentIdField = ()
) -> Iterator[Document]:
    """The documents of a file."""
    for record in rename_fields(source, records(source), [FieldName("id_field", id_field, "id", ID_FIELDS)]):
        fields = SHAPE.decode(source, record)
        if fields is None or _has_rival_list(source, record):
            continue
        names = (str(name) for name in (fields.document, fields.doc_key, fields.id) if name is not None)
        anaphors = [
            _anaphor(source, record, place, item, antecedent_field) for place, item in enumerate(fields.anaphors)
        ]
        yield make_document(
            next(names, f"document {record.number}"),
            [anaphor for anaphor in anaphors if anaphor is not None],
            chains=[[mention_name(str(mention)) for mention in chain] for chain in fields.chains if chain],
            kinds={mention_name(mention): kind for mention, kind in fields.kinds.items()},
            texts={mention_name(mention): text for mention, text in fields.texts.items()},
            attributes=fields.attributes,
            path=source.name,
            line=record.line,
        )


def _has_rival_list(source: Source, record: Record) -> bool:
    """Whether a text has another list of anaphors, of the key or of a response: it is reported."""
    if not ROLE_NAME.search(record.text):
        return False
    rivals = rival_lists(list(msgspec.json.decode(record.text)))
    if rivals:
        source.add_problem(
            FIELD_AMBIGUOUS, *locate(record, rivals[0]), found=f"both `anaphors` and `{rivals[0]}`",
            expected="those of one side", remedies=["write each side into a file of its own, as `anaphors`"],
        )  # fmt: skip
    return bool(rivals)


def _anaphor(
    source: Source, record: Record, place: int, item: Mapping[str, Any], wanted: Sequence[str]
) -> Anaphor | None:
    choice = choose_antecedent(list(item), wanted)
    if choice.rivals:
        source.add_problem(
            FIELD_AMBIGUOUS, *locate(record, f"anaphors[{place}].{choice.rivals[1]}"),
            found=f"both `{choice.rivals[0]}` and `{choice.rivals[1]}`", expected="one of them",
            remedies=[choice.remedy("antecedent_field")],
        )  # fmt: skip
        return None
    unread = {*ANAPHOR_FIELDS, choice.name}
    try:
        mention = msgspec.convert(item.get("anaphor"), Name)
        antecedents = msgspec.convert(_antecedent_list(item, choice.name), list[Name])
        candidates = msgspec.convert(item.get("candidates") or [], list[Name | _Candidate])
        others = {k: v for k, v in item.items() if k not in unread and not (wanted and isinstance(v, list))}
        attributes = msgspec.convert(others, dict[str, str | int | float | None])
    except msgspec.ValidationError:
        expected = "`anaphor`, `antecedents` and perhaps `candidates`, all of them mentions, and plain attributes"
        source.add_problem(
            "field.wrong-type",
            *locate(record, f"anaphors[{place}]"),
            found=f"{shorten_json(item)} in `anaphors[{place}]`",
            expected=expected,
            remedies=["correct it"],
        )
        return None
    return Anaphor(
        mention_name(str(mention)),
        tuple(mention_name(str(antecedent)) for antecedent in antecedents if str(antecedent) not in NO_ANTECEDENT),
        tuple(map(_candidate, candidates)),
        {name: str(value) for name, value in attributes.items() if value is not None},
        record.line,
    )


def _antecedent_list(item: Mapping[str, Any], field: str | None) -> Any:
    antecedent = item.get(field) if field else None
    return antecedent if isinstance(antecedent, list) else [] if antecedent is None else [antecedent]


def _candidate(value: Name | _Candidate) -> Candidate:
    if isinstance(value, _Candidate):
        return Candidate(mention_name(str(value.mention)), value.agrees, value.text)
    return Candidate(mention_name(str(value)))


def sniff(head: str) -> bool:
    return head.lstrip().startswith("{") and bool(re.search(r'"anaphors"\s*:', head))


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One line per document; fields that would say nothing are left out."""
    for document in documents:
        fields: dict[str, Any] = {
            "document": document.id,
            "anaphors": [_fields_of(anaphor) for anaphor in document.anaphors],
        }
        rest = {
            "chains": list(document.members.values()),
            "kinds": dict(document.kinds),
            "texts": dict(document.texts),
            "attributes": dict(document.attributes),
        }
        yield msgspec.json.encode(fields | {name: value for name, value in rest.items() if value}).decode() + "\n"


def _fields_of(anaphor: Anaphor) -> dict[str, Any]:
    fields: dict[str, Any] = {"anaphor": anaphor.mention, "antecedents": list(anaphor.antecedents)}
    if anaphor.candidates:
        fields["candidates"] = [
            candidate.mention if candidate == (candidate.mention, True, "") else candidate._asdict()
            for candidate in anaphor.candidates
        ]
    return fields | {name: value for name, value in anaphor.attributes.items() if name not in ANAPHOR_FIELDS}


def splice(
    source: Source, documents: Sequence[Document], *, antecedent_field: AntecedentField = (),
    id_field: DocumentIdField = (),
) -> bytes:  # fmt: skip
    """The file with other antecedents and anaphors; every other field, and every blank, stays."""
    if id_field:
        raise UsageError(f"{source.name} cannot be edited in place, as its fields have other names: write a new file")
    if antecedent_field:
        raise UsageError(f"{source.name} has the antecedents of both sides: write a new file")
    edits = Edits(source)
    at = 0
    pairs = pair_documents(source, list(read(source)), documents, lambda document: document.id)
    for record, (before, after) in zip(records(source), pairs, strict=True):
        at = source.text.index(record.text, at)
        if _content(before) != _content(after):
            for start, end, text in _new_fields(record.text, before, after):
                edits.replace(at + start, at + end, text)
        at += len(record.text)
    return edits.apply()


def _content(document: Document) -> tuple[object, ...]:
    plain = [anaphor._replace(line=0) for anaphor in document.anaphors]
    return plain, dict(document.chains), dict(document.kinds), dict(document.texts)


def _new_fields(text: str, before: Document, after: Document) -> Iterator[tuple[int, int, str]]:
    """The fields of an object that change, where they stand, and what they become."""
    fields = locate_values(text).fields
    comma = ", " if re.search(r"[\]\d\"}], [\[\d\"{]", text) else ","
    old = {mention_name(str(json.loads(text[item.start : item.end]).get("anaphor"))): place
           for place, item in enumerate(fields["anaphors"].items)}  # fmt: skip
    items: list[tuple[int | None, str]] = []
    known = {anaphor.mention: anaphor._replace(line=0) for anaphor in before.anaphors}
    for anaphor in after.anaphors:
        place = old.get(anaphor.mention)
        same = known.get(anaphor.mention) == anaphor._replace(line=0)
        item = fields["anaphors"].items[place] if place is not None else None
        items.append((place, text[item.start : item.end] if item and same else _to_json(_fields_of(anaphor), comma)))
    order = sorted(items, key=lambda item: len(old) if item[0] is None else item[0])
    value = fields["anaphors"]
    yield value.start, value.end, replace_items(text, value, order, comma)
    new_values = {"chains": list(after.members.values()), "kinds": dict(after.kinds), "texts": dict(after.texts)}
    old_values = {"chains": list(before.members.values()), "kinds": dict(before.kinds), "texts": dict(before.texts)}
    last = max(value.end for value in fields.values())
    for name, new in new_values.items():
        if name in fields and new != old_values[name]:
            yield fields[name].start, fields[name].end, _to_json(new, comma)
        elif name not in fields and new != old_values[name] and (name != "chains" or not _chains_follow_pairs(after)):
            yield last, last, f"{comma}{_to_json(name, comma)}:{comma.removeprefix(',')}{_to_json(new, comma)}"


def _chains_follow_pairs(after: Document) -> bool:
    """Whether the chains are those that the pairs make."""
    return make_document(after.id, after.anaphors).chains == after.chains


def _to_json(value: Any, comma: str) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(comma, comma.replace(",", ":")))


FORMAT = Format(
    read,
    sniff,
    write,
    frozenset({"kinds", "attributes", "texts", "chains", "candidates"}),
    (".jsonl", ".jsonlines"),
    splice=splice,
    boundaries=JSON_LINES,
)
