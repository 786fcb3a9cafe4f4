"""JSON lines: a document per line, with its sentences and its clusters of mentions.

    {"doc_key": "a", "sentences": [["Ann", "met", "her", "sister", "."]], "clusters": [[[0, 0], [2, 2]], [[2, 3]]]}

A mention is `[start, end]`, tokens counted from 0 through the whole document, `end` being the last token (option
`ends`: `exclusive` when it is the one after); a list of such pairs is a discontinuous mention. The fields:

- `doc_key` (or `document_id`, `doc_id`, `id`): the name; without one, documents are called `document 1`, `document 2`…
- `sentences`: lists of tokens; or `tokens` (or `text`): one list of tokens. When `text` is a string, mentions are
  placed by its characters. None of them is needed.
- `clusters`: the chains; `singletons`, if any: mentions that are chains of their own.
- `kinds`, `heads`, `minima`: for every mention of `clusters`, in lists of the same shape, what it is (name, noun,
  pronoun…), its head token, its least span. `features`: an object of such lists, by name.
- `relations`: `[kind, source, target]`, mentions numbered from 0 through all the clusters.
- `unit`: what places count when there is no text: `token`, `character`, or `name` when they only stand for names.
- `attributes`: an object of strings on the document; `genre` is accepted beside it.

Other fields are left alone. The file may also be one JSON list of such objects, or one object.

>>> from aune.core.corpus import Source
>>> line = b'{"doc_key": "a", "tokens": ["Ann", "met", "her"], "clusters": [[[0, 0], [2, 2]]]}'
>>> [found] = read(Source("a.jsonl", line))
>>> found.id, found.clusters()
('a', [[(0, 1), (2, 3)]])
>>> print("".join(write([found])), end="")
{"doc_key":"a","sentences":[["Ann","met","her"]],"clusters":[[[0,0],[2,2]]]}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.tasks.coref.formats._words import sentence_starts, tokenized, word_spans
from aune.tasks.coref.holdings import NAMES
from aune.tasks.coref.model import Document, Mention, Relation, document, token_spans

Place: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**60)]
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
    unit: Literal["token", "character", "name"] | None = None
    genre: str | None = None
    attributes: dict[str, str] | None = None


ID_FIELDS = ("doc_key", "document_id", "doc_id", "id")
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
    for index, line, text in _objects(source):
        found = _decoded(source, line, text)
        if found:
            yield _document(source, line, index, found, int(ends == "inclusive"))


def _objects(source: Source) -> Iterator[tuple[int, int, bytes]]:
    """The JSON text of every document, behind its number and the line where it begins."""
    start = source.text.lstrip()[:1]
    first = source.text.strip().partition("\n")[0]
    if start == "[":
        yield from ((index, line, text) for index, (line, text) in enumerate(_items(source), 1))
    elif start == "{" and not _is_json(first) and _is_json(source.text):
        yield 1, source.text[: source.text.index("{")].count("\n") + 1, source.text.encode()
    else:
        filled = (one for one in source.lines() if one[1] and not one[1].isspace())
        yield from ((index, line, text.encode()) for index, line, text in source.numbered(filled))


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
    """The fields of one document; whatever is wrong with them is told, field by field."""
    try:
        return DECODER.decode(text)
    except msgspec.ValidationError as error:
        whole = error  # its type: that the text is JSON at all is for the next lines to see
    except JSON_ERRORS as error:
        _tell_malformed(source, line, text, error)
        return None
    try:
        fields = msgspec.json.decode(text)
    except JSON_ERRORS as error:
        _tell_malformed(source, line, text, error)
        return None
    if not isinstance(fields, dict):
        _tell_mistyped(source, line, "", whole)
        return None
    for name in FIELDS.keys() & fields.keys():
        try:
            msgspec.convert(fields[name], FIELDS[name])
        except msgspec.ValidationError as error:
            _tell_mistyped(source, line, name, error)
    return None


def _tell_mistyped(source: Source, line: int, name: str, error: msgspec.ValidationError) -> None:
    """A problem for a value of the wrong type; `name` is the field, or '' for the whole object."""
    wrong = WRONG_TYPE.fullmatch(str(error))
    parts = wrong.groupdict() if wrong else {}
    found = _worded(parts.get("found") or "a value out of range") if wrong else str(error).split(" - at ")[0].lower()
    expected = _worded(parts.get("expected") or "one of those documented")
    if name:
        where = f"{name}{parts.get('where') or ''}"
        source.problem(line, 1, f"found {found} in `{where}`, expected {expected}: correct the field")
    else:
        source.problem(line, 1, f"found {found}, expected {expected} with the field `clusters`: write one per document")


def _worded(types: str) -> str:
    """The names that msgspec gives to types, in words."""
    words = {
        "int": "a number",
        "str": "a string",
        "array": "a list",
        "float": "a decimal number",
        "bool": "true or false",
    }
    words |= {"object": "an object", "null": "null"}
    return re.sub(
        r"`([^`]*)`", lambda types: " or ".join(words.get(part, part) for part in types[1].split(" | ")), types
    )


def _document(source: Source, line: int, index: int, fields: _Object, inclusive: int) -> Document:
    text = _text(fields)
    size = text.pop("size", None)
    clusters = [*(fields.clusters or []), *([span] for span in fields.singletons or [])]
    if fields.clusters is None and fields.singletons is None:
        source.problem(line, 1, "found no field `clusters`, expected one: add it, as [] when there is no mention")
    said = _said(source, line, fields, inclusive)
    mentions = []
    for number, (chain_number, name, span) in enumerate(_places(clusters, len(fields.clusters or []))):
        parts = _parts(span, inclusive)
        if not parts:
            what = f"found the mention {_json(span)} in `{name}`, expected [start, end] with start before end"
            source.problem(line, 1, f"{what}: correct it")
        elif size is not None and parts[-1][1] > size:
            what = f"found the mention {_json(span)} in `{name}`, expected places below {size}, the length of the text"
            source.problem(line, 1, f"{what}: correct it, or the text")
        else:
            bounds = (parts[0][0], max(end for _, end in parts))
            own = said[number] if number < len(said) else {}
            _check_inside(source, line, name, bounds, own)
            mentions.append(Mention(*bounds, chain_number, line, segments=parts if len(parts) > 1 else (), **own))
    attributes = dict(fields.attributes or {}) | ({"genre": fields.genre} if fields.genre else {})
    given = (getattr(fields, name) for name in ID_FIELDS)
    return document(
        next((str(name) for name in given if name is not None), f"document {index}"), mentions,
        relations=_relations(source, line, fields, len(mentions)), attributes=attributes,
        path=source.name, line=line, **text,
    )  # fmt: skip


def _text(fields: _Object) -> dict[str, Any]:
    """The tokens and sentences, by the names that `Document` gives them, and the end of the text as `size`."""
    if fields.sentences is not None:
        tokens = list(chain.from_iterable(fields.sentences))
        starts = np.cumsum([0, *map(len, fields.sentences)]).tolist()[:-1]
        kept = [start for start, sentence in zip(starts, fields.sentences, strict=True) if sentence]
        return {"tokens": tokens, "sentences": kept, "size": len(tokens)}
    if isinstance(fields.text, str) and fields.tokens is None:
        found = tokenized(fields.text)
        positions = np.asarray(found.starts, np.int64)
        return {"tokens": found.texts, "positions": positions, "unit": "character", "size": len(fields.text)}
    plain = fields.tokens if fields.tokens is not None else fields.text
    return {"tokens": plain, "size": len(plain)} if plain is not None else {"unit": fields.unit or "token"}


def _parts(span: Span, inclusive: int) -> tuple[tuple[int, int], ...]:
    """The half-open pieces of a mention, or nothing if it has no sense."""
    pairs: Sequence[Any] = [span] if span and isinstance(span[0], int) else span
    if any(isinstance(pair, int) or len(pair) != 2 or not all(isinstance(end, int) for end in pair) for pair in pairs):
        return ()
    found = sorted((start, end + inclusive) for start, end in pairs)
    return tuple(found) if all(start < end for start, end in found) else ()


def _places(clusters: Sequence[Sequence[Span]], regular: int) -> Iterator[tuple[int, str, Span]]:
    """The chain of every mention, its path in the object, and its span."""
    for number, cluster in enumerate(clusters):
        for index, span in enumerate(cluster):
            yield (
                number,
                f"clusters[{number}][{index}]" if number < regular else f"singletons[{number - regular}]",
                span,
            )


def _said(source: Source, line: int, fields: _Object, inclusive: int) -> list[dict[str, Any]]:
    """What is said of every mention of `clusters`, by the names that `Mention` gives it."""
    shape = [len(cluster) for cluster in fields.clusters or []]

    def flat(name: str, column: list[list[Any]] | None, absent: Any) -> list[Any]:
        if column is not None and [len(row) for row in column] != shape:
            what = f"found `{name}` of another shape than `clusters`, expected one value per mention"
            source.problem(line, 1, f"{what}: give a list for every cluster, in its order")
            column = None
        return [absent] * sum(shape) if column is None else list(chain.from_iterable(column))

    features = {name: flat(f"features.{name}", column, "") for name, column in (fields.features or {}).items()}
    if fields.kinds is not None:
        features["kind"] = flat("kinds", fields.kinds, "")
    heads, minima = flat("heads", fields.heads, -1), flat("minima", fields.minima, None)
    rows = zip(*features.values(), strict=True) if features else [()] * sum(shape)
    return [
        {"head": head, "minimum": (least[0], least[1] + inclusive) if least else None,
         "features": {name: value for name, value in zip(features, row, strict=True) if value}}
        for head, least, row in zip(heads, minima, rows, strict=True)
    ]  # fmt: skip


def _check_inside(source: Source, line: int, name: str, bounds: tuple[int, int], own: dict[str, Any]) -> None:
    """A problem for a head or a least span that lies outside its mention."""
    head, least = own.get("head", -1), own.get("minimum")
    if head >= 0 and not bounds[0] <= head < bounds[1]:
        what = f"found {head} as the head of `{name}`, expected a token of the mention"
        source.problem(line, 1, f"{what}: correct `heads`, -1 is none")
    if least and not bounds[0] <= least[0] < least[1] <= bounds[1]:
        what = f"found the least span of `{name}` outside the mention, expected [start, end] inside it"
        source.problem(line, 1, f"{what}: correct `minima`, null is none")


def _relations(source: Source, line: int, fields: _Object, count: int) -> list[Relation]:
    found = [Relation(*relation) for relation in fields.relations or []]
    for kind, start, end in found:
        if not (0 <= start < count and 0 <= end < count):
            what = f"found the relation {_json([kind, start, end])}, expected mention numbers from 0 to {count - 1}"
            source.problem(line, 1, f"{what}: correct it")
    return [relation for relation in found if 0 <= relation.source < count and 0 <= relation.target < count]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def sniff(head: str) -> bool:
    """Whether the file begins as an object with one of the fields, or as a list of such objects."""
    start = head.lstrip().removeprefix("[").lstrip()[:1]
    return start == "{" and bool(re.search(r'"(?:doc_key|document_id|doc_id|clusters|singletons)"\s*:', head))


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One line per document, ends inclusive; fields that would say nothing are left out."""
    for found in documents:
        yield _json(_fields_of(found)) + "\n"


def _fields_of(found: Document) -> dict[str, Any]:
    """The fields of a document, in the order in which they are written."""
    fields: dict[str, Any] = {"doc_key": found.id}
    if found.tokens is not None:
        bounds = [*sentence_starts(found), len(found.tokens)]
        fields["sentences"] = [list(found.tokens[start:end]) for start, end in pairwise(bounds)]
    elif found.unit != "token":
        fields["unit"] = found.unit
    members = np.argsort(found.chains, kind="stable")
    sizes = np.bincount(found.chains, minlength=found.chain_count).tolist()

    def grouped(column: Sequence[Any]) -> list[list[Any]]:
        values = iter([column[index] for index in members.tolist()])
        return [list(islice(values, size)) for size in sizes]

    fields["clusters"] = grouped(_written_spans(found))
    if "kind" in found.features:
        fields["kinds"] = grouped(found.features["kind"])
    if found.heads is not None:
        heads = token_spans(found, np.stack([found.heads, found.heads + 1], axis=1))[:, 0]
        fields["heads"] = grouped(np.where(found.heads < 0, -1, heads).tolist())
    if found.minima is not None:
        fields["minima"] = grouped([[start, end - 1] for start, end in token_spans(found, found.minima).tolist()])
    features = {name: grouped(column) for name, column in found.features.items() if name != "kind"}
    place = {int(old): new for new, old in enumerate(members)}
    relations = [(kind, place[source], place[target]) for kind, source, target in found.relations]
    rest = {"features": features, "relations": relations, "attributes": dict(found.attributes)}
    return fields | {name: value for name, value in rest.items() if value}


def _written_spans(found: Document) -> list[list[Any]]:
    spans: list[list[Any]] = [[start, end - 1] for start, end in word_spans(found)]
    for index, parts in found.segments.items():
        spans[index] = [[start, end - 1] for start, end in token_spans(found, np.asarray(parts)).tolist()]
    return spans


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(NAMES) - {"empty nodes"},
    suffixes=(".jsonl", ".jsonlines", ".json"),
    boundaries=JSON_LINES,
)
