"""JSON lines: a document per line, with its sentences and its clusters of mentions.

    {"doc_key": "a", "sentences": [["Ann", "met", "her", "sister", "."]], "clusters": [[[0, 0], [2, 2]], [[2, 3]]]}

A mention is `[start, end]`, tokens counted from 0 through the whole document, `end` being the last token (option
`ends`: `exclusive` when it is the one after); a list of such pairs is a discontinuous mention. The fields:

- `doc_key` (or `document_id`, `doc_id`, `id`): the name; without one, documents are called `document 1`, `document 2`…
- `sentences`: lists of tokens; or `tokens` (or `text`): one list of tokens. When `text` is a string, mentions are
  placed by its characters. None of them is needed.
- `clusters`: the chains; `singletons`, if any: mentions that are chains of their own. Systems often write theirs as
  `predicted_clusters`, beside the key's: option `clusters_field` says which one is meant, for the responses alone as
  `response_clusters_field`; a file that has both is refused without it. The option also takes any other name, as
  `id_field` and `text_field` do for theirs.
- `blanks`: the characters before each token and after the last one, where they are known.
- `kinds`, `heads`, `minima`: for every mention of `clusters`, in lists of the same shape, what it is (name, noun,
  pronoun…), its head token, its least span. `features`: an object of such lists, by name.
- `relations`: `[kind, source, target]`, mentions numbered from 0 through all the clusters.
- `unit`: what places count when there is no text: `token`, `character`, or `name` when they only stand for names.
- `attributes`: an object of strings on the document; `genre` is accepted beside it.
- of a key with several right answers: `optional`, the mentions that may be missing; `other_clusters`, `[mention,
  [cluster, …]]`, the other clusters that a mention may be in (numbered from 0 in `clusters`, −1 for one of its own);
  `other_keys`, objects with `clusters` and whatever goes with them: other answers for the whole text.

PreCo's records (`mention_clusters`, mentions as [sentence, start, end]) and RuCoCo's (`entities` over a `text`, with
`includes` as split antecedents) are read too; ends are exclusive in both. Other fields are left alone. The file may
also be one JSON list of such objects, or one object.

>>> from aune.reading.corpus import Source
>>> line = b'{"doc_key": "a", "tokens": ["Ann", "met", "her"], "clusters": [[[0, 0], [2, 2]]]}'
>>> [found] = read(Source("a.jsonl", line))
>>> found.id, found.clusters()
('a', [[(0, 1), (2, 3)]])
>>> print("".join(write([found])), end="")
{"doc_key":"a","sentences":[["Ann","met","her"]],"clusters":[[[0,0],[2,2]]]}
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, groupby, islice, pairwise
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from aune.contract.format import JSON_LINES, Format
from aune.errors import Remedy, UsageError
from aune.numeric.ranges import have_overlap
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.syntax.field_names import DocumentIdField, DocumentTextField, FieldName, rename_fields
from aune.syntax.field_roles import SUBJECTS, field_role
from aune.syntax.json_positions import Value, locate_values, replace_items
from aune.syntax.jsonlines import JSON_ERRORS, Record, Shape, is_spacing, item_places, locate, may_repeat_name, records
from aune.tasks.coref.formats._changes import assign_rows, changes, extents, file_order, spliced_documents
from aune.tasks.coref.formats._tokenization import sentence_starts, tokenize, word_spans
from aune.tasks.coref.losses import CONTENT_NAMES
from aune.tasks.coref.model import (
    MOST_WORDS,
    SPLIT,
    Document,
    Mention,
    Relation,
    documents_from_columns,
    make_document,
    mentions_of,
    token_spans,
)

Position: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**60)]
Pair: TypeAlias = tuple[Position, Position]
Span: TypeAlias = list[Position | list[Position]]


class _JsonDocument(msgspec.Struct):
    """The fields of one document as JSON holds them."""

    doc_key: str | int | None = None
    document_id: str | int | None = None
    doc_id: str | int | None = None
    id: str | int | None = None
    sentences: list[list[str]] | None = None
    tokens: list[str] | None = None
    text: str | list[str] | None = None
    clusters: list[list[Span]] | None = None
    predicted_clusters: list[list[Span]] | None = None
    singletons: list[Span] | None = None
    kinds: list[list[str]] | None = None
    heads: list[list[Annotated[int, msgspec.Meta(ge=-1, le=2**40)]]] | None = None
    minima: list[list[Pair | None]] | None = None
    features: dict[str, list[list[str]]] | None = None
    relations: list[tuple[str, int, int]] | None = None
    blanks: Any = None
    unit: Literal["token", "character", "name"] | None = None
    genre: str | None = None
    attributes: dict[str, str] | None = None
    optional: list[Span] | None = None
    other_clusters: list[tuple[Span, list[int]]] | None = None
    other_keys: list[_JsonDocument] | None = None


class _PlainDocument(_JsonDocument):
    """A document whose mentions are all in one piece, as nearly all are: read much faster."""

    clusters: list[list[Pair]] | None = None  # type: ignore[assignment] # narrower
    predicted_clusters: list[list[Pair]] | None = None  # type: ignore[assignment]
    singletons: list[Pair] | None = None  # type: ignore[assignment]


class _ForeignDocument(msgspec.Struct):
    """What RuCoCo and PreCo call the fields of a document."""

    id: str | int | None = None
    text: str | None = None
    sentences: list[list[str]] | None = None
    entities: list[list[Pair]] | None = None
    includes: list[list[int]] | None = None
    mention_clusters: list[list[tuple[Position, Position, Position]]] | None = None


MOST_LOCATED = 100
BATCH_SIZE = 64  # documents that are put in order at once
FARTHEST_END = 2**62  # of a mention where no text says how long it is
ID_FIELDS = ("doc_key", "document_id", "doc_id", "id")
SHAPE: Shape[_JsonDocument] = Shape(_JsonDocument, "the field `clusters`")
PLAIN = msgspec.json.Decoder(_PlainDocument)
PLAIN_FIELDS = tuple(field.encode_name for field in msgspec.structs.fields(_PlainDocument))
FOREIGN = re.compile(r'"mention_clusters"\s*:\s*\[|"entities"\s*:\s*\[\s*\[\s*(?:\[\s*\d|\])')
FOREIGN_DECODER = msgspec.json.Decoder(_ForeignDocument)
ROLE_CLUSTERS = re.compile(r'"(\w+_clusters|clusters_\w+|\w+Clusters)"\s*:')
Ends: TypeAlias = Annotated[
    Literal["inclusive", "exclusive"], "whether the end of a mention is its last token or the one after"
]
ClustersField: TypeAlias = Annotated[
    str, "the field of a record with the chains; auto: clusters, or predicted_clusters where it is alone"
]
OWN_FIELDS = ("auto", "clusters", "predicted_clusters")
TEXT_FIELDS = ("sentences", "tokens", "text")


def read(
    source: Source, *, ends: Ends = "inclusive", clusters_field: ClustersField = "auto",
    text_field: DocumentTextField = (), id_field: DocumentIdField = (),
) -> Iterator[Document]:  # fmt: skip
    """The documents of a file."""
    choices = [
        FieldName("id_field", id_field, "id", ID_FIELDS), FieldName("text_field", text_field, _text_name, TEXT_FIELDS),
    ]  # fmt: skip
    if clusters_field not in OWN_FIELDS:
        usual = ("clusters", "predicted_clusters", "singletons")
        choices.append(FieldName("clusters_field", (clusters_field,), "clusters", usual, SUBJECTS["coref"]))
        clusters_field = "clusters"
    inclusive = int(ends == "inclusive")
    waiting: list[tuple[Record, _JsonDocument]] = []
    for record in rename_fields(source, records(source), choices):
        if (fields := _foreign_document(source, record, inclusive)) is None:
            fields = _decode_plain(record) or SHAPE.decode(source, record)
        if not (fields and _choose_clusters(source, record, fields, clusters_field)):
            continue
        waiting.append((record, fields))
        if len(waiting) == BATCH_SIZE:
            yield from _documents(source, waiting, inclusive)
            waiting = []
    yield from _documents(source, waiting, inclusive)


def _text_name(value: Any) -> str:
    """What the reader calls a field with such a text."""
    is_list = isinstance(value, list)
    return "sentences" if is_list and value and isinstance(value[0], list) else "tokens" if is_list else "text"


def _foreign_document(source: Source, record: Record, inclusive: int) -> _JsonDocument | None:
    """A record of RuCoCo or PreCo with the fields that aune has for it; None for any other, or one with a problem.

    PreCo's mentions are [sentence, start, end], RuCoCo's [start, end] in characters; both ends are after the mention.
    """
    if not FOREIGN.search(record.text):
        return None
    try:
        fields = FOREIGN_DECODER.decode(record.text)
    except JSON_ERRORS:
        return None  # whatever it is, the full shape says it
    if fields.mention_clusters is not None and fields.sentences is not None:
        starts = [0, *accumulate(map(len, fields.sentences))]
        clusters: list[list[Span]] = [
            [_in_sentence(starts, *mention, inclusive) for mention in row] for row in fields.mention_clusters
        ]
        return _JsonDocument(id=fields.id, sentences=fields.sentences, clusters=clusters)
    if fields.entities is None or fields.text is None:
        return None
    rows: list[list[Span]] = [[[start, end - inclusive] for start, end in row] for row in fields.entities if row]
    firsts = [0, *accumulate(map(len, fields.entities))]
    links = [
        (SPLIT, firsts[number], firsts[part]) for number, parts in enumerate(fields.includes or ()) for part in parts
        if fields.entities[number] and 0 <= part < len(fields.entities) and fields.entities[part]
    ] if len(fields.includes or ()) <= len(fields.entities) else []  # fmt: skip
    name = fields.id if fields.id is not None or record.number > 1 else source.stem
    return _JsonDocument(id=name, text=fields.text, clusters=rows, relations=links or None)


def _in_sentence(starts: Sequence[int], sentence: int, start: int, end: int, inclusive: int) -> Span:
    """A mention of PreCo in tokens of the document; beyond its sentences, where it is reported."""
    first = starts[sentence] if sentence < len(starts) - 1 else MOST_WORDS
    is_inside = sentence < len(starts) - 1 and end <= starts[sentence + 1] - first
    return [first + start, first + end - inclusive] if is_inside else [MOST_WORDS + start, MOST_WORDS + end - inclusive]


def _decode_plain(record: Record) -> _PlainDocument | None:
    if may_repeat_name(record.text, PLAIN_FIELDS):
        return None
    try:
        return PLAIN.decode(record.text)
    except JSON_ERRORS:
        return None  # whatever it is, the full shape says it


def _choose_clusters(source: Source, record: Record, fields: _JsonDocument, chosen: str) -> bool:
    """Whether it is clear which clusters are meant; they are then in `clusters`."""
    if chosen == "auto" and fields.clusters is not None and fields.predicted_clusters is not None:
        choice = (("clusters_field", "clusters"), ("response_clusters_field", "predicted_clusters"))
        source.add_problem(
            "record.two-roles", *_locate(source, record, "predicted_clusters"),
            found="both `clusters` and `predicted_clusters`", expected="one of them",
            remedies=[Remedy("say which is meant", choice)],
        )  # fmt: skip
        return False
    if rivals := _rival_lists(record.text):
        source.add_problem(
            "record.two-roles", *_locate(source, record, rivals[0]),
            found=f"`{rivals[0]}`, which names a side", expected="the chains of the key in `clusters`, those of a "
            "response in `predicted_clusters`", remedies=["rename the field", "leave it out"],
        )  # fmt: skip
        return False
    if chosen == "predicted_clusters" or (chosen == "auto" and fields.clusters is None):
        fields.clusters = fields.predicted_clusters
        fields.singletons = fields.singletons if chosen == "auto" else None
    return True


def _rival_lists(text: str) -> list[str]:
    """Fields with the chains of the key or of a response that have other names than the reader's."""
    if not any(part in text for part in ('_clusters"', 'Clusters"', '"clusters_')):
        return []
    names = dict.fromkeys(ROLE_CLUSTERS.findall(text))
    return [name for name in names if name != "predicted_clusters" and field_role(name, SUBJECTS["coref"])]


def _documents(source: Source, waiting: Sequence[tuple[Record, _JsonDocument]], inclusive: int) -> Iterator[Document]:
    """Some documents, in their order: those next to each other that are plain, all at once."""
    for plain, group in groupby(waiting, key=lambda item: _is_plain(item[1])):
        batch = list(group)
        documents = _plain_documents(source, batch, inclusive) if plain else None
        yield from documents or (_document(source, record, fields, inclusive) for record, fields in batch)


def _is_plain(fields: _JsonDocument) -> bool:
    """Whether a document says nothing of its mentions but where they are."""
    more = (
        fields.kinds, fields.heads, fields.minima, fields.features, fields.relations, fields.optional,
        fields.other_clusters, fields.other_keys,
    )  # fmt: skip
    return isinstance(fields, _PlainDocument) and fields.clusters is not None and all(value is None for value in more)


def _plain_documents(source: Source, waiting: Sequence[tuple[Record, Any]], inclusive: int) -> list[Document] | None:
    """Plain documents, or None if a mention of theirs is wrong: they are then read one by one, which tells where."""
    clusters = [[*fields.clusters, *([span] for span in fields.singletons or [])] for _, fields in waiting]
    texts = [_text(fields) for _, fields in waiting]
    limits = np.array([text.pop("size", FARTHEST_END) for text in texts], np.int64)
    chain_counts = np.fromiter(map(len, clusters), np.int64, len(clusters))
    sizes = np.fromiter(map(len, chain.from_iterable(clusters)), np.int64, int(chain_counts.sum()))
    flat = chain.from_iterable(chain.from_iterable(chain.from_iterable(clusters)))
    spans = np.fromiter(flat, np.int64, 2 * int(sizes.sum())).reshape(-1, 2)
    spans[:, 1] += inclusive
    if (spans[:, 0] >= spans[:, 1]).any() or (spans[:, 1] > np.repeat(np.repeat(limits, chain_counts), sizes)).any():
        return None
    names = [_name(record, fields) for record, fields in waiting]
    documents = []
    rows = zip(waiting, texts, documents_from_columns(names, chain_counts, sizes, spans), strict=True)
    for (record, fields), text, (document, order, chains) in rows:
        document.tokens, document.sentences = text.get("tokens"), text.get("sentences")
        document.positions, document.unit = text.get("positions"), text.get("unit", "token")
        document.gaps = text.get("gaps")
        document.labels = list(map(str, chains.tolist()))
        document.order = order if (order[1:] < order[:-1]).any() else None
        document.lines = np.full(len(order), record.line) if len(order) else None
        document.attributes, document.path, document.line = _attributes(fields), source.name, record.line
        documents.append(document)
    return documents


def _document(source: Source, record: Record, fields: _JsonDocument, inclusive: int) -> Document:
    text = _text(fields)
    size = text.pop("size", None)
    clusters = [*(fields.clusters or []), *([span] for span in fields.singletons or [])]
    if fields.clusters is None and fields.singletons is None:
        source.add_problem(
            "field.missing",
            record.line,
            record.column,
            found="no field `clusters`",
            expected="one",
            remedies=["add it, as [] when there is no mention"],
        )
    fields_by_mention = _mention_fields(source, record, fields, inclusive)
    mentions = []
    for number, (chain_number, name, span) in enumerate(_mention_places(clusters, len(fields.clusters or []))):
        parts = _parts(span, inclusive)
        if not (problem := _mention_problem(span, parts, size)):
            values = fields_by_mention[number] if number < len(fields_by_mention) else {}
            _check_inside(source, record, name, parts, values)
            segments = parts if len(parts) > 1 else ()
            mentions.append(Mention(parts[0][0], parts[-1][1], chain_number, record.line, segments=segments, **values))
        else:
            code, expected, remedy = problem
            what = f"the mention {_json(span)} in `{name}`"
            source.add_problem(code, *_locate(source, record, name), found=what, expected=expected, remedies=[remedy])
    relations = _relations(source, record, fields, len(mentions))
    return make_document(
        _name(record, fields), _with_alternatives(source, record, fields, mentions, inclusive), relations=relations,
        attributes=_attributes(fields), path=source.name, line=record.line,
        other_keys=tuple(_other_keys(source, record, fields, inclusive)), **text,
    )  # fmt: skip


def _mention_problem(span: Span, parts: Sequence[tuple[int, int]], size: int | None) -> tuple[str, str, str] | None:
    """What is wrong with a mention: a code, what is expected, and what to do."""
    if not parts:
        return "mention.malformed", "[start, end] with start before end", "correct it"
    if have_overlap(parts):
        return "mention.overlapping", "pieces that do not overlap", "correct it"
    if size is not None and parts[-1][1] > size:
        return "mention.outside-text", f"places below {size}, the length of the text", "correct it, or the text"
    return None


def _with_alternatives(
    source: Source, record: Record, fields: _JsonDocument, mentions: list[Mention], inclusive: int
) -> list[Mention]:
    """The mentions, with what the key says of those that may be missing or in other clusters."""
    if not fields.optional and not fields.other_clusters:
        return mentions
    numbers = {mention.segments or ((mention.start, mention.end),): place for place, mention in enumerate(mentions)}

    def number_of(span: Span, path: str) -> int | None:
        number = numbers.get(_parts(span, inclusive))
        if number is None:
            source.add_problem(
                "mention.unknown", *_locate(source, record, path), found=f"{_json(span)} in `{path}`",
                expected="a mention of `clusters`", remedies=["correct it, or add the mention"],
            )  # fmt: skip
        return number

    for place, span in enumerate(fields.optional or []):
        if (number := number_of(span, f"optional[{place}]")) is not None:
            mentions[number] = mentions[number]._replace(optional=True)
    count = len(fields.clusters or [])
    for place, (span, others) in enumerate(fields.other_clusters or []):
        path = f"other_clusters[{place}]"
        if any(not -1 <= other < count for other in others):
            source.add_problem(
                "mention.unknown", *_locate(source, record, path), found=f"{_json(others)} in `{path}`",
                expected=f"clusters from 0 to {count - 1}, or -1 for one of its own", remedies=["correct it"],
            )  # fmt: skip
        elif (number := number_of(span, path)) is not None:
            names = [other if other >= 0 else f"own {number}" for other in others]
            mentions[number] = mentions[number]._replace(other_chains=(*mentions[number].other_chains, *names))
    return mentions


def _other_keys(source: Source, record: Record, fields: _JsonDocument, inclusive: int) -> Iterator[Document]:
    """The other keys of a text, which is that of the document."""
    if not fields.other_keys:
        return
    text = {"sentences": fields.sentences, "tokens": fields.tokens, "text": fields.text, "unit": fields.unit}
    for place, (start, end) in enumerate(item_places(record, "other_keys")):
        line, column = _locate(source, record, f"other_keys[{place}]")
        other = fields.other_keys[place]
        for name, value in {**text, "doc_key": _name(record, fields), "other_keys": None}.items():
            setattr(other, name, value)
        yield _document(source, Record(record.number, line, record.text[start:end], column), other, inclusive)


def _name(record: Record, fields: _JsonDocument) -> str:
    ids = (getattr(fields, name) for name in ID_FIELDS)
    return next((str(name) for name in ids if name is not None), f"document {record.number}")


def _attributes(fields: _JsonDocument) -> dict[str, str]:
    return dict(fields.attributes or {}) | ({"genre": fields.genre} if fields.genre else {})


def _text(fields: _JsonDocument) -> dict[str, Any]:
    """The tokens and sentences, by the names that `Document` gives them, and the end of the text as `size`."""
    if fields.sentences is not None:
        tokens = list(chain.from_iterable(fields.sentences))
        starts = accumulate(map(len, fields.sentences), initial=0)
        first_tokens = [start for start, sentence in zip(starts, fields.sentences, strict=False) if sentence]
        gaps = fields.blanks if is_spacing(fields.blanks, len(tokens)) else None
        return {"tokens": tokens, "sentences": first_tokens, "size": len(tokens), "gaps": gaps}
    if isinstance(fields.text, str) and fields.tokens is None:
        tokenized_text = tokenize(fields.text)
        positions = np.asarray(tokenized_text.starts, np.int64)
        return {"tokens": tokenized_text.texts, "positions": positions, "unit": "character", "size": len(fields.text)}
    plain = fields.tokens if fields.tokens is not None else fields.text
    return {"tokens": plain, "size": len(plain)} if plain is not None else {"unit": fields.unit or "token"}


def _parts(span: Span, inclusive: int) -> tuple[tuple[int, int], ...]:
    """The half-open pieces of a mention, or nothing if it has no sense."""
    pairs: Sequence[Any] = [span] if span and isinstance(span[0], int) else span
    if any(isinstance(pair, int) or len(pair) != 2 or not all(isinstance(end, int) for end in pair) for pair in pairs):
        return ()
    parts = sorted((start, end + inclusive) for start, end in pairs)
    return tuple(parts) if all(start < end for start, end in parts) else ()


def _mention_places(clusters: Sequence[Sequence[Span]], regular: int) -> Iterator[tuple[int, str, Span]]:
    """The chain of every mention, its path in the object, and its span."""
    for number, cluster in enumerate(clusters):
        for index, span in enumerate(cluster):
            yield (
                number,
                f"clusters[{number}][{index}]" if number < regular else f"singletons[{number - regular}]",
                span,
            )


def _mention_fields(source: Source, record: Record, fields: _JsonDocument, inclusive: int) -> list[dict[str, Any]]:
    """What is said of every mention of `clusters`, by the names that `Mention` gives it."""
    shape = [len(cluster) for cluster in fields.clusters or []]

    def flat(name: str, column: list[list[Any]] | None, absent: Any) -> list[Any]:
        if column is not None and [len(row) for row in column] != shape:
            source.add_problem(
                "values.count",
                *_locate(source, record, name),
                found=f"`{name}` of another shape than `clusters`",
                expected="one value per mention",
                remedies=["give a list for every cluster, in its order"],
            )
            column = None
        return [absent] * sum(shape) if column is None else list(chain.from_iterable(column))

    features = {name: flat(f"features.{name}", column, "") for name, column in (fields.features or {}).items()}
    if "" in features:
        source.add_problem(
            "field.empty",
            *_locate(source, record, "features"),
            found="a feature without a name",
            expected="one before its values",
            remedies=["name it"],
        )
    if fields.kinds is not None:
        features["kind"] = flat("kinds", fields.kinds, "")
    heads, minima = flat("heads", fields.heads, -1), flat("minima", fields.minima, None)
    rows = zip(*features.values(), strict=True) if features else [()] * sum(shape)
    return [
        {"head": head, "minimum": (least[0], least[1] + inclusive) if least else None,
         "features": {name: value for name, value in zip(features, row, strict=True) if value}}
        for head, least, row in zip(heads, minima, rows, strict=True)
    ]  # fmt: skip


def _check_inside(
    source: Source, record: Record, name: str, parts: Sequence[tuple[int, int]], values: dict[str, Any]
) -> None:
    """A problem for a head or a least span that lies outside its mention."""
    head, least = values.get("head", -1), values.get("minimum")
    if head >= 0 and not any(start <= head < end for start, end in parts):
        source.add_problem(
            "mention.bad-head",
            *_locate(source, record, name.replace("clusters", "heads", 1)),
            found=f"{head} as the head of `{name}`",
            expected="a token of the mention",
            remedies=["correct `heads`, -1 is none"],
        )
    if least and not parts[0][0] <= least[0] < least[1] <= parts[-1][1]:
        source.add_problem(
            "mention.bad-head",
            *_locate(source, record, name.replace("clusters", "minima", 1)),
            found=f"the least span of `{name}` outside the mention",
            expected="[start, end] inside it",
            remedies=["correct `minima`, null is none"],
        )


def _relations(source: Source, record: Record, fields: _JsonDocument, count: int) -> list[Relation]:
    relations = [Relation(*relation) for relation in fields.relations or []]
    for number, (kind, start, end) in enumerate(relations):
        if not (0 <= start < count and 0 <= end < count):
            source.add_problem(
                "mention.unknown",
                *_locate(source, record, f"relations[{number}]"),
                found=f"the relation {_json([kind, start, end])}",
                expected=f"mention numbers from 0 to {count - 1}",
                remedies=["correct it"],
            )
    return [relation for relation in relations if 0 <= relation.source < count and 0 <= relation.target < count]


def _locate(source: Source, record: Record, path: str) -> tuple[int, int]:
    """Where a value stands; after many problems only where its document begins, since looking takes time."""
    return locate(record, path) if len(source.problems) < MOST_LOCATED else (record.line, record.column)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def sniff(head: str) -> bool:
    """Whether the file begins as an object with one of the fields, or as a list of such objects."""
    start = head.lstrip().removeprefix("[").lstrip()[:1]
    usual = re.search(r'"(?:doc_key|document_id|doc_id|clusters|predicted_clusters|singletons)"\s*:', head)
    return start == "{" and bool(usual or FOREIGN.search(head))


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One line per document, ends inclusive; fields that would say nothing are left out."""
    for document in documents:
        yield _json(_fields_of(document)) + "\n"


def _fields_of(document: Document) -> dict[str, Any]:
    """The fields of a document, in the order in which they are written."""
    fields: dict[str, Any] = {"doc_key": document.id}
    if document.tokens is not None:
        bounds = [*sentence_starts(document), len(document.tokens)]
        fields["sentences"] = [list(document.tokens[start:end]) for start, end in pairwise(bounds)]
        if document.gaps is not None:
            fields["blanks"] = list(document.gaps)
    elif document.unit != "token":
        fields["unit"] = document.unit
    members = np.argsort(document.chains, kind="stable")
    chain_uses = Counter(number for others in document.other_chains.values() for number in others)
    last = max((number for number, uses in chain_uses.items() if uses > 1), default=-1)
    sizes = np.bincount(document.chains, minlength=max(document.chain_count, last + 1)).tolist()

    def by_cluster(column: Sequence[Any]) -> list[list[Any]]:
        values = iter([column[index] for index in members.tolist()])
        return [list(islice(values, size)) for size in sizes]

    spans = _span_lists(document)
    fields["clusters"] = by_cluster(spans)
    if "kind" in document.features:
        fields["kinds"] = by_cluster(document.features["kind"])
    if document.heads is not None:
        heads = token_spans(document, np.stack([document.heads, document.heads + 1], axis=1))[:, 0]
        fields["heads"] = by_cluster(np.where(document.heads < 0, -1, heads).tolist())
    if document.minima is not None:
        fields["minima"] = by_cluster(
            [[start, end - 1] for start, end in token_spans(document, document.minima).tolist()]
        )
    features = {name: by_cluster(column) for name, column in document.features.items() if name != "kind"}
    place = {int(old): new for new, old in enumerate(members)}
    relations = [(kind, place[source], place[target]) for kind, source, target in document.relations]
    rest = {
        "features": features,
        "relations": relations,
        "attributes": dict(document.attributes),
        "optional": [spans[mention] for mention in sorted(document.optional)],
        "other_clusters": [
            [spans[mention], [number if number < len(sizes) else -1 for number in others]]
            for mention, others in sorted(document.other_chains.items())
        ],
        "other_keys": [_other_key_fields(other) for other in document.other_keys],
    }
    return fields | {name: value for name, value in rest.items() if value}


def _other_key_fields(document: Document) -> dict[str, Any]:
    """The fields of another key, which has the text of the first one."""
    fields = _fields_of(replace(document, gaps=None, attributes={}, other_keys=()))
    return {name: value for name, value in fields.items() if name not in ("doc_key", "sentences", "unit")}


def _span_lists(document: Document) -> list[list[Any]]:
    spans: list[list[Any]] = [[start, end - 1] for start, end in word_spans(document)]
    for index, parts in document.segments.items():
        spans[index] = [[start, end - 1] for start, end in token_spans(document, np.asarray(parts)).tolist()]
    return spans


def splice(
    source: Source, documents: Sequence[Document], *, ends: Ends = "inclusive", clusters_field: ClustersField = "auto",
    text_field: DocumentTextField = (), id_field: DocumentIdField = (),
) -> bytes:  # fmt: skip
    """The file with other mentions in its lists; every other field, and every blank, stays."""
    if text_field or id_field or clusters_field not in OWN_FIELDS:
        raise UsageError(f"{source.name} cannot be edited in place, as its fields have other names: write a new file")
    edits = Edits(source)
    pairs = spliced_documents(FORMAT, source, documents, ends=ends, clusters_field=clusters_field)
    at = 0
    for (before, after), record in zip(pairs, records(source), strict=True):
        text = record.text
        at = source.text.index(text, at)
        if before.has_alternatives:
            if not _has_same_content(before, after):
                raise UsageError(
                    f"{source.name} cannot be edited in place, as it has several right answers: write a new file"
                )
            at += len(text)
            continue
        if FOREIGN.search(text) and '"clusters"' not in text:
            if (before.clusters(), before.segments, before.relations) != (
                after.clusters(), after.segments, after.relations,
            ):  # fmt: skip
                raise UsageError(
                    f"{source.name} cannot be edited in place, as records of PreCo and RuCoCo: write a new file"
                )
            continue
        new = _JsonSplicer(text, before, after, int(ends == "inclusive"), clusters_field).fields()
        for (start, end), value in new.items():
            edits.replace(at + start, at + end, value)
        at += len(text)
    return edits.apply()


def _has_same_content(before: Document, after: Document) -> bool:
    """Whether nothing changed but what a new reading of the same file may change."""
    first, second = ([mention._replace(line=0) for mention in mentions_of(side)] for side in (before, after))
    return first == second and before.relations == after.relations


class _FieldColumn(NamedTuple):
    """What a field says of every mention before, and of every mention after."""

    before: Sequence[Any]
    after: Sequence[Any]


EMPTY_VALUES = ("", -1, None)  # what the columns hold that say nothing of a mention
NEW_LIST = Value(0, 0)  # a list that the file does not have yet


class _JsonSplicer:
    """One object and what its fields shall hold.

    Mentions are where they were, in the list of their cluster or among the singletons; a mention that moves or is new
    stands in its cluster before those that follow it in the text, and new clusters come last.
    """

    def __init__(self, text: str, before: Document, after: Document, inclusive: int, chosen: str) -> None:
        self.text, self.before, self.after, self.inclusive = text, before, after, inclusive
        self.object = locate_values(text)
        predicted = chosen == "predicted_clusters" or (chosen == "auto" and "clusters" not in self.object.fields)
        self.name = "predicted_clusters" if predicted else "clusters"
        self.alone = [] if predicted and chosen != "auto" else self._value("singletons").items
        self.comma = ", " if re.search(r"[\]\d\"], [\[\d\"{]", text) else ","
        rows = self._value(self.name).items
        cells = [(row, place) for row, value in enumerate(rows) for place in range(len(value.items))]
        cells += [(-1, place) for place in range(len(self.alone))]
        self.cell = [cells[number] for number in file_order(before)]
        """For every mention before, its row (-1: the singletons) and its place there."""
        self.origin = changes(before, after).origin
        self.rows, self.singles = self._lay_out_rows()

    def _value(self, *path: str) -> Value:
        """The value of a field; an empty list where there is none."""
        value = self.object
        for name in path:
            value = value.fields.get(name, NEW_LIST)
        return value

    def _lay_out_rows(self) -> tuple[list[tuple[int | None, list[int]]], list[int]]:
        """The mentions of every row after, with its number before (None: new), and the singletons."""
        chains = self.after.members()
        singles = [mentions[0] for mentions in chains if len(mentions) == 1 and self._stays_single(mentions[0])]
        singles.sort(key=lambda mention: self.cell[self.origin[mention]] if mention in self.origin else (0, 0))
        alone = set(singles)
        homes = {mention: row for mention, old in self.origin.items() if (row := self.cell[old][0]) >= 0}
        rows, new = assign_rows((mentions for mentions in chains if mentions[0] not in alone), homes)
        rows |= {row: [] for row, value in enumerate(self._value(self.name).items) if not value.items}  # stay empty
        ordered = [(row, self._order_row(row, rows[row])) for row in sorted(rows)]
        return [*ordered, *((None, mentions) for mentions in new)], singles

    def _stays_single(self, mention: int) -> bool:
        if mention in self.origin:
            return self.cell[self.origin[mention]][0] < 0
        least = self.after.minima is not None and (self.after.minima[mention] != self.after.spans[mention]).any()
        headed = self.after.heads is not None and self.after.heads[mention] >= 0
        return bool(self.alone) and not (least or headed or self.after.features_of(mention))

    def _order_row(self, row: int, mentions: Sequence[int]) -> list[int]:
        """The mentions of a row: those that were there as they were, and the others before those that follow them."""
        ordered = [mention for mention in mentions if self._place(mention, row) is not None]
        ordered.sort(key=lambda mention: self.cell[self.origin[mention]])
        for mention in (mention for mention in mentions if mention not in ordered):
            later = [place for place, other in enumerate(ordered) if other > mention]
            ordered.insert(later[0] if later else len(ordered), mention)
        return ordered

    def _place(self, mention: int, row: int | None) -> int | None:
        """Where a mention was in a row; None if it was not there."""
        where, place = self.cell[self.origin[mention]] if mention in self.origin else (None, None)
        return place if where == row else None

    def fields(self) -> dict[tuple[int, int], str]:
        """The places of the object that change, and what they become."""
        spans = _FieldColumn(self._spans(self.before), self._spans(self.after))
        new: dict[tuple[str, ...], str] = {(self.name,): self._lists((self.name,), spans)}
        if "singletons" in self.object.fields:
            new["singletons",] = self._list(self._value("singletons"), -1, self.singles, spans)
        for path, column in self._columns().items():
            if any(column.after[mention] not in EMPTY_VALUES for mention in self.singles):
                raise UsageError(
                    f"document {self.after.id!r} says something of a mention in `singletons`, which cannot be put "
                    "there: move it to `clusters`, or write a new file"
                )
            if self._value(*path) is not NEW_LIST or any(value not in EMPTY_VALUES for value in column.after):
                new[path] = self._lists(path, column)
        if self.after.relations or "relations" in self.object.fields:
            new["relations",] = self._relations()
        return self._field_edits(new)

    def _spans(self, document: Document) -> list[Any]:
        spans = [[[start, end - self.inclusive] for start, end in parts] for parts in extents(document)]
        return [parts[0] if len(parts) == 1 else parts for parts in spans]

    def _columns(self) -> dict[tuple[str, ...], _FieldColumn]:
        """What the fields beside the clusters say."""
        feature_names = {
            name for name, column in self.after.features.items() if name not in ("kind", "name") and any(column)
        }
        names: dict[tuple[str, ...], str] = {("kinds",): "kind", ("heads",): "heads", ("minima",): "minima"}
        names |= {("features", name): name for name in sorted(feature_names | self._value("features").fields.keys())}
        return {
            path: _FieldColumn(self._field_values(self.before, name), self._field_values(self.after, name))
            for path, name in names.items()
        }

    def _field_values(self, document: Document, name: str) -> Sequence[Any]:
        """What a field says of each mention."""
        if name == "heads":
            return [-1] * len(document) if document.heads is None else document.heads.tolist()
        if name == "minima":
            if document.minima is None:
                return [None] * len(document)
            spans = zip(document.minima.tolist(), document.spans.tolist(), strict=True)
            return [None if least == span else [least[0], least[1] - self.inclusive] for least, span in spans]
        return document.features.get(name, [""] * len(document))

    def _lists(self, path: tuple[str, ...], column: _FieldColumn) -> str:
        """The lists of a field, one for every cluster."""
        value = self._value(*path)
        lists: list[tuple[int | None, str]] = []
        for row, mentions in self.rows:
            old_row = row if value.items else None
            inner = NEW_LIST if old_row is None else value.items[old_row]
            lists.append((old_row, self._list(inner, row, mentions, column)))
        return replace_items(self.text, value, lists, self.comma)

    def _list(self, value: Value, row: int | None, mentions: Sequence[int], column: _FieldColumn) -> str:
        """A list with what is said of some mentions; what it said before, and is the same, keeps its characters."""
        items: list[tuple[int | None, str]] = []
        for mention in mentions:
            place = self._place(mention, row) if value.items else None
            new = column.after[mention]
            same = place is not None and column.before[self.origin[mention]] == new
            items.append((place, self._text(value.items[place or 0]) if same else self._json_text(new)))
        return replace_items(self.text, value, items, self.comma)

    def _relations(self) -> str:
        """The relations between mentions as they are now numbered."""
        order = [*(mention for _, mentions in self.rows for mention in mentions), *self.singles]
        number = {mention: place for place, mention in enumerate(order)}
        value = self._value("relations")
        items: list[tuple[int | None, str]] = []
        for place, (kind, source, target) in enumerate(self.after.relations):
            new = [kind, number[source], number[target]]
            old = self._text(value.items[place]) if place < len(value.items) else None
            same = old is not None and json.loads(old) == new
            items.append((place if old is not None else None, old if old and same else self._json_text(new)))
        return replace_items(self.text, value, items, self.comma)

    def _text(self, value: Value) -> str:
        return self.text[value.start : value.end]

    def _json_text(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(self.comma, self.comma.replace(",", ":")))

    def _field_edits(self, new: Mapping[tuple[str, ...], str]) -> dict[tuple[int, int], str]:
        """Where the fields stand; those that are not there yet come last in their object."""
        edits: dict[tuple[int, int], str] = {}
        missing: dict[tuple[str, ...], dict[str, str]] = {}
        for path, text in new.items():
            value = self._value(*path)
            if value is not NEW_LIST:
                edits[value.start, value.end] = text
            else:
                missing.setdefault(path[:-1], {})[path[-1]] = text
        if ("features",) in missing and "features" not in self.object.fields:
            missing.setdefault((), {})["features"] = "{" + self._join_fields(missing.pop(("features",))) + "}"
        for path, fields in missing.items():
            home = self._value(*path)
            last = max((value.end for value in home.fields.values()), default=home.start + 1)
            edits[last, last] = (self.comma if home.fields else "") + self._join_fields(fields)
        return edits

    def _join_fields(self, fields: Mapping[str, str]) -> str:
        colon = self.comma.replace(",", ":")
        return self.comma.join(f"{_json(name)}{colon}{text}" for name, text in fields.items())


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset(CONTENT_NAMES) - {"empty nodes"},
    suffixes=(".jsonl", ".jsonlines", ".json"),
    boundaries=JSON_LINES,
    splice=splice,
)
