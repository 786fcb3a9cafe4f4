"""JSON lines: a document per line, with its sentences and its clusters of mentions.

    {"doc_key": "a", "sentences": [["Ann", "met", "her", "sister", "."]], "clusters": [[[0, 0], [2, 2]], [[2, 3]]]}

A mention is `[start, end]`, tokens counted from 0 through the whole document, `end` being the last token (option `ends`:
`exclusive` when it is the one after); a list of such pairs is a discontinuous mention. The fields:

- `doc_key` (or `document_id`, `doc_id`, `id`): the name; without one, documents are called `document 1`, `document 2`…
- `sentences`: lists of tokens; or `tokens` (or `text`): one list of tokens. When `text` is a string, mentions are placed
  by its characters. None of them is needed.
- `clusters`: the chains; `singletons`, if any: mentions that are chains of their own.
- `kinds`, `heads`, `minima`: for every mention of `clusters`, in lists of the same shape, what it is (name, noun, pronoun…),
  its head token, its least span. `features`: an object of such lists, by name.
- `relations`: `[kind, source, target]`, mentions numbered from 0 through all the clusters.
- `attributes`: an object of strings on the document; `genre` is accepted beside it.

Other fields are left alone. The file may also be one JSON list of such objects, or one object.

>>> from aune.corpus import Source
>>> [found] = read(Source("a.jsonl", b'{"doc_key": "a", "tokens": ["Ann", "met", "her"], "clusters": [[[0, 0], [2, 2]]]}'))
>>> found.id, found.clusters()
('a', [[(0, 1), (2, 3)]])
>>> print("".join(write([found])), end="")
{"doc_key":"a","sentences":[["Ann","met","her"]],"clusters":[[[0,0],[2,2]]]}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np

from aune.corpus import Source
from aune.task import Format
from aune.tasks.coref.formats._words import sentence_starts, word_positions, word_spans
from aune.tasks.coref.model import Document, Mention, Relation, document, token_spans

Place: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**40)]
Pair: TypeAlias = tuple[Place, Place]
Span: TypeAlias = list[Place | list[Place]]


class _Object(msgspec.Struct):
    """The fields of one document as JSON holds them."""

    doc_key: str | int | None = None
    document_id: str | int | None = None
    doc_id: str | int | None = None
    id: str | int | None = None
    sentences: list[list[str]] | None = None
    tokens: list[str] | None = None
    text: str | list[str] | None = None
    clusters: list[list[Span]] | None = None
    singletons: list[Span] | None = None
    kinds: list[list[str]] | None = None
    heads: list[list[Annotated[int, msgspec.Meta(ge=-1, le=2**40)]]] | None = None
    minima: list[list[Pair | None]] | None = None
    features: dict[str, list[list[str]]] | None = None
    relations: list[tuple[str, int, int]] | None = None
    genre: str | None = None
    attributes: dict[str, str] | None = None


NAMES = ("doc_key", "document_id", "doc_id", "id")
FIELDS = {field.encode_name: field.type for field in msgspec.structs.fields(_Object)}
DECODER = msgspec.json.Decoder(_Object)
WRONG_TYPE = re.compile(r"Expected (?P<expected>.*?)(?:, got (?P<found>.*?))?(?: - at `\$(?P<where>.*)`)?", re.DOTALL)
JSON_ERRORS = (msgspec.DecodeError, RecursionError)
Ends: TypeAlias = Literal["inclusive", "exclusive"]


def read(
    source: Source,
    *,
    ends: Annotated[Ends, "whether the end of a mention is its last token or the one after"] = "inclusive",
) -> Iterator[Document]:
    """The documents of a file."""
    for index, (line, text) in enumerate(_objects(source), 1):
        found = _decoded(source, line, text)
        if found:
            yield _Reading(source, line, found, int(ends == "inclusive")).document(index)


def _objects(source: Source) -> Iterator[tuple[int, bytes]]:
    """The JSON text of every document and the line where it begins."""
    start = source.text.lstrip()[:1]
    first = source.text.strip().partition("\n")[0]
    if start == "[":
        yield from _items(source)
    elif start == "{" and not _is_json(first) and _is_json(source.text):
        yield source.text[: source.text.index("{")].count("\n") + 1, source.text.encode()
    else:
        yield from ((number, line.encode()) for number, line in source.lines() if line and not line.isspace())


def _items(source: Source) -> Iterator[tuple[int, bytes]]:
    data = source.text.encode()
    try:
        items = msgspec.json.decode(data, type=list[msgspec.Raw])
    except JSON_ERRORS as error:
        _tell_malformed(source, 1, data, error)
        return
    at, line = 0, 1
    for item in map(bytes, items):
        found = data.index(item, at)
        line += data.count(b"\n", at, found)
        at = found
        yield line, item


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except JSON_ERRORS:
        return False
    return True


def _tell_malformed(source: Source, line: int, data: bytes, error: Exception) -> None:
    """A problem where the JSON breaks off."""
    place = re.search(r"\(byte (\d+)\)", str(error))
    byte = int(place[1]) if place else len(data.rstrip())
    before = data[:byte].decode(errors="replace")
    column = len(before) - before.rfind("\n")
    what = re.sub(r"^JSON is malformed: |\s*\(byte \d+\)$", "", str(error)).strip() or type(error).__name__
    message = f"found broken JSON ({what}), expected one whole object per line: correct it"
    source.problem(line + before.count("\n"), column, message)


def _decoded(source: Source, line: int, text: bytes) -> _Object | None:
    try:
        return DECODER.decode(text)
    except msgspec.ValidationError as error:
        fields = _fields(text)
        if fields is None:
            _tell_mistyped(source, line, "the line", error)
        for name in fields or {}:
            try:
                if name in FIELDS:
                    msgspec.json.decode(fields[name], type=FIELDS[name])
            except msgspec.ValidationError as wrong:
                _tell_mistyped(source, line, f"`{name}", wrong)
    except JSON_ERRORS as error:
        _tell_malformed(source, line, text, error)
    return None


def _fields(text: bytes) -> dict[str, msgspec.Raw] | None:
    try:
        return msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        return None


def _tell_mistyped(source: Source, line: int, name: str, error: msgspec.ValidationError) -> None:
    wrong = WRONG_TYPE.fullmatch(str(error))
    parts = wrong.groupdict() if wrong else {}
    where = f"{name}{parts.get('where') or ''}`" if name[0] == "`" else name
    found = parts.get("found") or "another value"
    expected = _worded(parts.get("expected") or str(error))
    source.problem(line, 1, f"found {_worded(found)} in {where}, expected {expected}: correct the field")


def _worded(types: str) -> str:
    """The names that msgspec gives to types, in words."""
    words = {"int": "a number", "str": "a string", "array": "a list", "float": "a decimal number", "bool": "true or false"}
    words |= {"object": "an object", "null": "null"}
    return re.sub(r"`([^`]*)`", lambda types: " or ".join(words.get(part, part) for part in types[1].split(" | ")), types)


class _Reading:
    """One document while its fields are turned into mentions."""

    def __init__(self, source: Source, line: int, fields: _Object, inclusive: int) -> None:
        self.source = source
        self.line = line
        self.fields = fields
        self.inclusive = inclusive
        self.size: int | None = None

    def document(self, index: int) -> Document:
        fields = self.fields
        text = self._text()
        clusters = fields.clusters or []
        columns = self._columns([len(cluster) for cluster in clusters])
        places = [
            (number, where, self._place(where, span))
            for number, cluster in enumerate(clusters)
            for where, span in ((f"clusters[{number}][{i}]", span) for i, span in enumerate(cluster))
        ]
        single = [
            (len(clusters) + number, where, self._place(where, span))
            for number, (where, span) in enumerate((f"singletons[{i}]", s) for i, s in enumerate(fields.singletons or []))
        ]
        mentions = [
            Mention(parts[0][0], max(end for _, end in parts), number, self.line,
                    segments=parts if len(parts) > 1 else (), **{name: column(i) for name, column in columns.items()})
            for i, (number, _, parts) in enumerate(places) if parts
        ] + [
            Mention(parts[0][0], max(end for _, end in parts), number, self.line, segments=parts if len(parts) > 1 else ())
            for number, _, parts in single if parts
        ]  # fmt: skip
        attributes = dict(fields.attributes or {}) | ({"genre": fields.genre} if fields.genre else {})
        names = (getattr(fields, name) for name in NAMES)
        name = next((str(name) for name in names if name is not None), f"document {index}")
        relations = self._relations(len(mentions))
        return document(name, mentions, relations=relations, attributes=attributes, path=self.source.name,
                        line=self.line, **text)  # fmt: skip
