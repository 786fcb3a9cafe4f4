"""The data model of a text whose referring expressions are grouped into chains.

A document consists of columns over its mentions: their spans and their chains. Positions are token numbers from 0, and
spans are half-open. Mentions are sorted by position and chains are numbered by their first mention, so the order in a
file has no influence.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.contract.options import HiddenAtDefault
from aune.errors import InputError, Problem, Remedy, UsageError
from aune.numeric.arrays import Ints, Numbering, owner_indices
from aune.numeric.ranges import have_overlap
from aune.reading.python_inputs import ready_documents
from aune.tasks.coref.python_inputs import InputDocument, input_documents


class Mention(NamedTuple):
    """One referring expression, as a reader of a format builds it."""

    start: int
    end: int
    """The token after the last one."""
    chain: Hashable
    """Any name; mentions with equal names are in one chain."""
    line: int = 0
    """The line of the file in which the mention opens, from 1; 0 if unknown."""
    head: int = -1
    """The token number of its head, or -1."""
    segments: tuple[tuple[int, int], ...] = ()
    """The half-open parts of a discontinuous mention; empty for a continuous one."""
    minimum: tuple[int, int] | None = None
    """The half-open span that suffices to recognise it (MUC's MIN)."""
    features: Mapping[str, str] = {}
    """Its properties in the format: `kind` (name, noun, pronoun, or the corpus's own), `etype`, `gender`…; `referring`
    is `no` for a mention that refers to nothing."""
    dependencies: frozenset[tuple[int, str]] = frozenset()
    """If its head is an empty node, the dependencies of that node, as (position, relation)."""
    optional: bool = False
    """Whether the key is also correct without it."""
    other_chains: tuple[Hashable, ...] = ()
    """The names of other chains that it may belong to; a name that no mention has is a separate chain."""


class ListedMention(NamedTuple):
    """A mention given as a string."""

    string: str
    chain: str
    group: str = ""
    """The list that contains it, if there are several; each list is in text order by itself."""
    line: int = 0
    column: int = 1


class Relation(NamedTuple):
    """A link other than identity between two chains, through one mention of each (mention numbers in the document)."""

    kind: str
    source: int
    target: int


SPLIT = "split"
"""The kind of relation from a chain to the chains of its split antecedents (they: Ann and Bob)."""

EMPTY_MAPPING: Mapping[Any, Any] = {}
"""The value that documents without such content share, because corpora can have very many of them."""


def _empty_mapping() -> Mapping[Any, Any]:
    return EMPTY_MAPPING


@dataclass(slots=True)  # not frozen, which would make construction ten times slower; documents are never modified
class Document:
    """One text and its chains. Build it with `make_document` or `documents`, which sort it."""

    id: str
    spans: Ints
    """(mentions, 2): first token, and the token after the last one."""
    chains: Ints
    """(mentions,): the number of the chain."""
    tokens: Sequence[str] | None = None
    sentences: Sequence[int] | None = None
    """The first token of every sentence, from 0."""
    positions: Ints | None = None
    """(tokens,): the position of each token, if it is not the token number: with empty nodes (see `STEP`), or
    counted in characters. Spans, heads, minima and segments use these positions; `token_spans` converts to tokens."""
    gaps: Sequence[str] | None = None
    """(tokens + 1,): the characters before each token and after the last one; None if the file does not give them."""
    unit: str = "token"
    """The unit of positions: `token`, `character`, or `name` if mentions have names instead of positions."""
    heads: Ints | None = None
    minima: Ints | None = None
    """(mentions, 2): the minimal span that recognises each mention."""
    segments: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=_empty_mapping)
    """The parts of the discontinuous mentions, by mention number."""
    features: Mapping[str, Sequence[str]] = field(default_factory=_empty_mapping)
    """Columns over mentions; '' means no value."""
    dependencies: Mapping[int, frozenset[tuple[int, str]]] = field(default_factory=_empty_mapping)
    """The dependencies of the heads of zeros (mentions whose head is an empty node), by mention number: the position
    of the parent and the relation. The root of a sentence (parent 0) has minus the position of its first word."""
    labels: Sequence[str] | None = None
    """The names of the chains in the file, by chain number."""
    relations: tuple[Relation, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=_empty_mapping)
    """Properties of the whole document, such as its genre."""
    lines: Ints | None = None
    """(mentions,): the line of the file in which each mention opens."""
    path: str | None = None
    line: int = 1
    """The line where the document begins."""
    order: Ints | None = None
    """(mentions,): the order in which the file opens the mentions; None if it is the order here."""
    listed: tuple[ListedMention, ...] | None = None
    """Mentions given as strings, which have no positions until they are located in a key's text."""
    lost: int = 0
    """The number of mentions that could not be read because the answer was cut off."""
    optional: frozenset[int] = frozenset()
    """The mentions without which the key is also correct."""
    other_chains: Mapping[int, tuple[int, ...]] = field(default_factory=_empty_mapping)
    """The other chains of mentions, by mention number; chain numbers from `chain_count` on are additional chains."""
    other_keys: tuple[Document, ...] = ()
    """Other correct answers for the whole text, each with its own optional mentions and other chains."""

    def __len__(self) -> int:
        return len(self.chains)

    @property
    def has_alternatives(self) -> bool:
        """Whether there are several correct answers."""
        return bool(self.optional or self.other_chains or self.other_keys)

    @property
    def chain_count(self) -> int:
        return int(self.chains.max()) + 1 if len(self.chains) else 0

    def clusters(self) -> list[list[tuple[int, int]]]:
        """The chains as lists of half-open spans."""
        clusters: list[list[tuple[int, int]]] = [[] for _ in range(self.chain_count)]
        for (start, end), number in zip(self.spans.tolist(), self.chains.tolist(), strict=True):
            clusters[number].append((start, end))
        return clusters

    def members(self) -> list[list[int]]:
        """The mention numbers of every chain."""
        members: list[list[int]] = [[] for _ in range(self.chain_count)]
        for mention, number in enumerate(self.chains.tolist()):
            members[number].append(mention)
        return members

    def features_of(self, mention: int) -> dict[str, str]:
        """The features of a mention, by name."""
        return {name: column[mention] for name, column in self.features.items() if column[mention]}


STEP = 256
"""The distance between the positions of two words, with empty nodes in between. The first word is at STEP."""

MOST_NAMED = 1_000_000_000
"""Mentions named by a number below this have that number as position."""

FARTHEST = 2**41
"""The end of positions: higher numbers are digests of names."""

MOST_WORDS = 10_000_000
"""The largest length of a text: higher positions are those of names."""


def token_spans(document: Document, spans: Ints | None = None) -> Ints:
    """Spans (by default those of the mentions) as token numbers; a part of a token counts as the whole token."""
    chosen = document.spans if spans is None else np.asarray(spans, np.int64).reshape(-1, 2)
    if document.positions is None:
        return chosen
    last = np.maximum(len(document.positions), 1)
    starts = np.clip(np.searchsorted(document.positions, chosen[:, 0], "right") - 1, 0, last - 1)
    ends = np.searchsorted(document.positions, chosen[:, 1], "left")
    return np.stack([starts, np.clip(ends, starts + 1, last)], axis=1)


MOST_PLACES = 5_000_000  # over all mentions of a document, which may be nested: more would need gigabytes


def check_places(document: Document) -> None:
    """Refuse a document whose mentions have too many tokens in total to process each of them."""
    spans = token_spans(document)
    if (places := int((spans[:, 1] - spans[:, 0]).sum())) > MOST_PLACES:
        raise UsageError(
            f"document {document.id!r}: {places:,} words in all its mentions, expected at most {MOST_PLACES:,}: they "
            "are looked at one by one; cut the document, or leave out mentions that hold others"
        )


def mention_words(document: Document, mention: int, span: Sequence[int]) -> list[str]:
    """The words of a mention with this token span; if it begins or ends inside a token, only that part of the token."""
    words = list(document.tokens[span[0] : span[1]]) if document.tokens is not None else []
    if words and document.unit == "character" and document.positions is not None:
        start, end = document.spans[mention].tolist()
        words[-1] = words[-1][: max(end - int(document.positions[span[1] - 1]), 1)]
        words[0] = words[0][max(start - int(document.positions[span[0]]), 0) :] or words[0]
    return words


def spread_positions(document: Document) -> Document:
    """The same document with space for empty nodes between positions, to compare it with a document that has some.

    >>> before = make_document("d", [Mention(0, 2, "a")], tokens=["x", "y"])
    >>> spread_positions(before).spans.tolist(), spread_positions(before).positions.tolist()
    ([[256, 513]], [256, 512])
    """
    if document.positions is not None or document.unit != "token":
        return document
    count = len(document.tokens) if document.tokens is not None else int(document.spans.max(initial=0))
    return replace(
        document,
        spans=_spread_spans(document.spans),
        heads=None if document.heads is None else np.where(document.heads < 0, -1, (document.heads + 1) * STEP),
        minima=None if document.minima is None else _spread_spans(document.minima),
        segments={
            index: tuple(((start + 1) * STEP, end * STEP + 1) for start, end in parts)
            for index, parts in document.segments.items()
        },
        positions=np.arange(1, min(count, MOST_WORDS) + 1, dtype=np.int64) * STEP,
    )


def _spread_spans(spans: Ints) -> Ints:
    return np.stack([(spans[:, 0] + 1) * STEP, spans[:, 1] * STEP + 1], axis=1)


def make_document(
    id: str,
    mentions: Iterable[Mention],
    *,
    relations: Iterable[Relation] = (),
    **fields: Any,
) -> Document:
    """A sorted document made from mentions in any order; relations refer to mentions by their order of arrival."""
    members = list(mentions)
    numbers: Numbering[Hashable] = Numbering()
    chains = numbers.codes((mention.chain for mention in members), len(members))
    spans = np.fromiter(chain.from_iterable((m.start, m.end) for m in members), np.int64, 2 * len(members)).reshape(
        -1, 2
    )
    order = _mention_order(np.zeros(len(members), np.int64), spans, [mention.segments for mention in members])
    members = [members[int(index)] for index in order]
    chains, old_numbers = renumber(chains[order])
    names = list(numbers)
    in_place = bool((order == np.arange(len(order))).all())
    columns: dict[str, Any] = {
        "heads": _column([mention.head for mention in members], -1),
        "minima": _column([mention.minimum or (mention.start, mention.end) for mention in members], None)
        if any(mention.minimum for mention in members)
        else None,
        "segments": {index: mention.segments for index, mention in enumerate(members) if mention.segments},
        "features": _features([mention.features for mention in members]),
        "dependencies": {index: mention.dependencies for index, mention in enumerate(members) if mention.dependencies},
        "labels": [str(names[old]) for old in old_numbers],
        "lines": _column([mention.line for mention in members], 0),
        "order": None if in_place else np.asarray(order, np.int64),
        "relations": _reordered_relations(relations, order),
        "optional": frozenset(index for index, mention in enumerate(members) if mention.optional),
        "other_chains": _other_chains(members, [names[old] for old in old_numbers]),
    }
    return Document(id, spans[order], chains, **{**columns, **fields})


def _other_chains(members: Sequence[Mention], names: Sequence[Hashable]) -> Mapping[int, tuple[int, ...]]:
    """The other chains of mentions, by number; chains without mentions are numbered after the named ones."""
    if not any(mention.other_chains for mention in members):
        return EMPTY_MAPPING
    numbers = {name: number for number, name in enumerate(names)}
    for mention in members:
        for name in mention.other_chains:
            numbers.setdefault(name, len(numbers))
    places = {index: {numbers[name] for name in mention.other_chains} for index, mention in enumerate(members)}
    return {
        index: tuple(sorted(others - {numbers[members[index].chain]}))
        for index, others in places.items()
        if others - {numbers[members[index].chain]}
    }


def _reordered_relations(relations: Iterable[Relation], order: Ints) -> tuple[Relation, ...]:
    """Relations renumbered for a new order of the mentions."""
    place = np.argsort(order)
    return tuple(Relation(kind, int(place[source]), int(place[target])) for kind, source, target in relations)


def mentions_of(document: Document) -> list[Mention]:
    """The mentions of a document in the form that readers build, with chain numbers as names."""
    return [
        Mention(
            start, end, chain,
            0 if document.lines is None else int(document.lines[index]),
            -1 if document.heads is None else int(document.heads[index]),
            document.segments.get(index, ()),
            None if document.minima is None else (int(document.minima[index, 0]), int(document.minima[index, 1])),
            document.features_of(index),
            document.dependencies.get(index, frozenset()),
            index in document.optional,
            document.other_chains.get(index, ()),
        )
        for index, ((start, end), chain) in enumerate(
            zip(document.spans.tolist(), document.chains.tolist(), strict=True)
        )
    ]  # fmt: skip


def documents(
    plain: Any,
    *,
    ends: Annotated[
        Literal["exclusive", "inclusive"], "whether a mention ends before its end or with it", HiddenAtDefault
    ] = ("exclusive"),
) -> list[Document]:
    """Documents from plain Python: clusters, a mapping from names to clusters, or a list of documents.

    Clusters are a collection of collections of mentions. A mention is a `(start, end)` pair (`end` is the token after
    the last one, unless `ends` is `inclusive`), a tuple of such pairs for a discontinuous one, or any name, such as a
    number or a string. A document can also be a record, `{"clusters": …}`, or a spaCy `Doc`; a data frame has a row
    per mention, with the columns `start`, `end`, `chain` and optionally `document`. A record can also define
    alternatives: `optional` mentions, `other_clusters` of mentions (`{(0, 2): [1]}`, -1 for one of its own), and
    `other_keys`, each like a document.

    >>> documents([{1, 2, 3}, {4}])[0].chains.tolist()
    [0, 0, 0, 1]
    >>> [make_document.id for make_document in documents({"a": [[(0, 2), (5, 6)]], "b": []})]
    ['a', 'b']
    """
    if (ready := ready_documents(plain, Document)) is not None:
        return ready
    inputs = input_documents(plain)
    bare_documents = _documents_from_clusters(
        [text.name for text in inputs], [text.clusters for text in inputs], ends == "inclusive"
    )
    return [
        _with_text(_with_names(_with_alternatives(document, text, ends), text), text)
        for document, text in zip(bare_documents, inputs, strict=True)
    ]


def _with_alternatives(document: Document, text: InputDocument, ends: Literal["exclusive", "inclusive"]) -> Document:
    """The document with the alternatives that its author defined."""
    if not (text.optional or text.other_clusters or text.other_keys):
        return document
    places = {
        (*span, document.segments.get(place, ())): place
        for place, span in enumerate(map(tuple, document.spans.tolist()))
    }

    def place_of(mention: Any) -> int:
        spans, segments = _mention_spans(
            [tuple(mention) if isinstance(mention, list) else mention], ends == "inclusive"
        )
        place = places.get((*spans[0].tolist(), segments[0] if segments else ()))
        if place is None:
            raise UsageError(f"document {text.name!r}: found {mention!r}, expected a mention of its clusters: add it")
        return place

    homes = [int(document.chains[place_of(cluster[0])]) if cluster else -1 for cluster in text.clusters]
    further = iter(range(document.chain_count, document.chain_count + len(homes) + len(text.other_clusters)))
    homes = [next(further) if home < 0 else home for home in homes]
    others: dict[int, set[int]] = {}
    for mention, numbers in text.other_clusters:
        if not all(-1 <= number < len(homes) for number in numbers):
            raise UsageError(
                f"document {text.name!r}: found {numbers} as other clusters of {mention!r}, expected numbers from 0 to "
                f"{len(homes) - 1}, or -1 for one of its own"
            )
        place = place_of(mention)
        chains = {next(further) if number < 0 else homes[number] for number in numbers} - {int(document.chains[place])}
        others[place] = others.get(place, set()) | chains
    keys = [documents({text.name: other}, ends=ends)[0] for other in text.other_keys]
    return replace(
        document,
        optional=frozenset(map(place_of, text.optional)),
        other_chains={place: tuple(sorted(chains)) for place, chains in others.items() if chains},
        other_keys=tuple(_with_text(key, text) for key in keys),
    )


def _with_text(document: Document, text: InputDocument) -> Document:
    """The document with its tokens, if they are known; every mention must then lie within them."""
    if text.tokens is None:
        return document
    if (farthest := int(document.spans.max(initial=0))) > len(text.tokens):
        where = "a mention by its name" if farthest >= FARTHEST else f"a mention up to token {farthest:,}"
        raise InputError(
            [
                Problem.in_file(
                    "mention.outside-text",
                    document.id,
                    1,
                    1,
                    found=f"{where}",
                    expected=f"(start, end) within the {len(text.tokens):,} tokens of the document",
                    remedies=["mend it, or leave out the tokens"],
                )
            ]
        )
    return replace(document, tokens=text.tokens, sentences=text.sentences)


def _with_names(document: Document, text: InputDocument) -> Document:
    """The document with the names of its mentions, if a name occurs twice and must be reported."""
    if int(document.spans.max(initial=0)) < FARTHEST or not duplicates(document):
        return document
    names = {named_position(name): str(name) for name in chain.from_iterable(text.clusters) if not _is_span(name)}
    return replace(document, features={"name": [names.get(start, "") for start in document.spans[:, 0].tolist()]})


def _documents_from_clusters(ids: list[str], corpus: list[list[list[Any]]], inclusive: bool) -> list[Document]:
    """All documents, built together as one set of columns and then divided."""
    chain_counts = np.fromiter(map(len, corpus), np.int64, len(corpus))
    sizes = np.fromiter(map(len, chain.from_iterable(corpus)), np.int64, int(chain_counts.sum()))
    flat = list(chain.from_iterable(chain.from_iterable(corpus)))
    spans, segments = _mention_spans(flat, inclusive)
    _refuse_impossible(ids, np.repeat(owner_indices(chain_counts), sizes), spans, segments)
    return [document for document, _, _ in documents_from_columns(ids, chain_counts, sizes, spans, segments)]


def documents_from_columns(
    ids: Sequence[str],
    chain_counts: Ints,
    sizes: Ints,
    spans: Ints,
    segments: Sequence[tuple[tuple[int, int], ...]] = (),
) -> Iterator[tuple[Document, Ints, Ints]]:
    """Documents from the spans of all their mentions, chain by chain; with each document, the original order of its
    mentions and the original numbers of its chains.

    `chain_counts` are the numbers of chains per document, `sizes` the numbers of mentions per chain.
    """
    raw = owner_indices(sizes)
    owner = np.repeat(owner_indices(chain_counts), sizes)
    order = _mention_order(owner, spans, segments)
    chains, old_numbers = renumber(raw[order])
    ordered, old = spans[order], np.asarray(old_numbers, np.int64)
    mention_counts = np.bincount(owner, minlength=len(ids))
    filled = np.bincount(owner_indices(chain_counts), sizes > 0, len(ids)).astype(np.int64)
    chains -= np.repeat(np.cumsum(filled) - filled, mention_counts)  # chains are numbered from 0 in every document
    start = first = before = 0
    ends = zip(ids, np.cumsum(mention_counts).tolist(), np.cumsum(filled).tolist(), chain_counts.tolist(), strict=True)
    for name, end, last, chain_count in ends:
        parts = {i - start: segments[order[i]] for i in range(start, end) if segments[order[i]]} if segments else {}
        document = Document(name, ordered[start:end], chains[start:end], segments=parts)
        yield document, order[start:end] - start, old[first:last] - before
        start, first, before = end, last, before + chain_count


def _mention_spans(flat: list[Any], inclusive: bool) -> tuple[Ints, list[tuple[tuple[int, int], ...]]]:
    """The spans of mentions given as Python objects, and their parts; each name occupies one token."""
    last = np.array([0, int(inclusive)])
    kinds = set(map(type, flat))
    if kinds == {int} and min(flat) >= 0 and max(flat) < MOST_NAMED:
        starts = np.fromiter(flat, np.int64, len(flat))
        return np.stack([starts, starts + 1], axis=1), []
    pairs = None if kinds & {str, bytes} else _all_pairs(flat)
    if pairs is not None:
        return pairs + last, []
    spans, segments = [], []
    for mention in flat:
        parts = _mention_parts(mention, int(inclusive))
        if parts:
            spans.append((parts[0][0], max(end for _, end in parts)))
        elif _is_span(mention) and max(map(abs, mention)) < FARTHEST:
            spans.append((mention[0], mention[1] + int(inclusive)))
        else:
            spans.append((named_position(mention), named_position(mention) + 1))
        segments.append(parts if len(parts) > 1 else ())
    return np.asarray(spans, np.int64).reshape(-1, 2), segments if any(segments) else []


def _all_pairs(flat: list[Any]) -> Ints | None:
    """The spans of mentions that are all pairs of integers; None otherwise."""
    try:
        numbers = np.fromiter(chain.from_iterable(flat), np.float64)
    except (TypeError, ValueError):
        return None
    pairs = len(numbers) == 2 * len(flat) and not set(map(len, flat)) - {2}
    is_whole = pairs and bool(((numbers == np.floor(numbers)) & (np.abs(numbers) < FARTHEST)).all())
    return numbers.astype(np.int64).reshape(-1, 2) if is_whole else None


def _refuse_impossible(ids: list[str], owner: Ints, spans: Ints, segments: Sequence[Sequence[tuple[int, int]]]) -> None:
    bad = {*np.flatnonzero((spans[:, 0] < 0) | (spans[:, 1] <= spans[:, 0])).tolist()}
    bad |= {index for index, parts in enumerate(segments) if have_overlap(parts) or any(end <= at for at, end in parts)}
    raise_problems(
        [
            _overlapping_problem(ids[owner[index]], segments[index])
            if segments and segments[index]
            else _reversed_problem(ids[owner[index]], tuple(spans[index].tolist()))
            for index in sorted(bad)
        ]
    )


def _overlapping_problem(document: str, pieces: Sequence[tuple[int, int]]) -> Problem:
    expected = "pieces with start < end that do not overlap"
    return Problem.in_file("mention.overlapping", document, found=f"the mention {pieces}", expected=expected)


def _reversed_problem(document: str, span: tuple[int, ...]) -> Problem:
    remedies: list[Remedy | str] = [
        "give the token after the last one as the end",
        Remedy("read ends as last positions", (("ends", "inclusive"),)),
    ]
    return Problem.in_file(
        "mention.reversed", document, found=f"the mention {span}", expected="0 ≤ start < end", remedies=remedies
    )


def named_position(name: Any) -> int:
    """The position of a mention that has only a name: a number is its own position, other names are digested.

    The same name has the same position in key and response, whatever else they contain.

    >>> named_position(7), named_position("7"), named_position("x") == named_position("x")
    (7, 7, True)
    """
    text = str(name)
    if text.isascii() and text.isdigit() and len(text) < len(str(MOST_NAMED)):
        return int(text)
    from hashlib import blake2b  # noqa: PLC0415 - few positions have names

    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=7).digest())


def _is_span(mention: Any) -> bool:
    return (
        isinstance(mention, tuple | list)
        and len(mention) == 2
        and all(isinstance(part, int | np.integer) for part in mention)
    )


def _mention_parts(mention: Any, inclusive: int) -> tuple[tuple[int, int], ...]:
    """The parts of a mention that is a tuple of pairs; empty for others, and for positions beyond any text."""
    if not (isinstance(mention, tuple) and mention and all(_is_span(part) for part in mention)):
        return ()
    if max(abs(place) for part in mention for place in part) >= FARTHEST:
        return ()
    return tuple(sorted((start, end + inclusive) for start, end in mention))


def _mention_order(owner: Ints, spans: Ints, segments: Sequence[tuple[tuple[int, int], ...]]) -> Ints:
    """The order of mentions by document and position; the sort is stable."""
    if any(segments):
        ranks = {parts: rank for rank, parts in enumerate(sorted(set(segments)))}
        last = np.fromiter((ranks[parts] for parts in segments), np.int64, len(segments))
        return np.lexsort((last, spans[:, 1], spans[:, 0], owner))
    codes = place_codes(owner, spans)
    return np.lexsort((spans[:, 1], spans[:, 0], owner)) if codes is None else np.argsort(codes, kind="stable")


def place_codes(owner: Ints, spans: Ints, base: int | None = None) -> Ints | None:
    """Document, start and end, combined into one number with the same sort order; None if the numbers are too large."""
    if not len(owner):
        return owner
    base = int(spans.max()) + 1 if base is None else base
    if spans.min() < 0 or (int(owner.max()) + 1) * base * base >= 2**62:
        return None
    return (owner * base + spans[:, 0]) * base + spans[:, 1]


def renumber(raw: Ints) -> tuple[Ints, list[int]]:
    """Numbers from 0 in order of first occurrence, and the old number of each new one.

    The given numbers must not be negative, nor much larger than their count.

    >>> renumber(np.array([7, 3, 7, 9]))[0].tolist()
    [0, 1, 0, 2]
    """
    first = np.full(int(raw.max(initial=-1)) + 1, len(raw))
    first[raw[::-1]] = np.arange(len(raw))[::-1]
    old = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(raw))]
    rank = np.zeros(len(first), np.int64)
    rank[old] = np.arange(len(old))
    return rank[raw], old.tolist()


def _column(values: Sequence[Any], absent: Any) -> Ints | None:
    if not values or all(value == absent for value in values):
        return None
    return np.asarray(values, np.int64)


def _features(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    names = sorted({name for row in rows for name in row})
    return {name: [row.get(name, "") for row in rows] for name in names}


def empty(like: Document) -> Document:
    """The same text without mentions."""
    return replace(
        like,
        spans=np.zeros((0, 2), np.int64),
        chains=np.zeros(0, np.int64),
        heads=None, minima=None, segments={}, features={}, dependencies={}, labels=None, relations=(), lines=None,
        order=None, optional=frozenset(), other_chains=EMPTY_MAPPING, other_keys=(),
    )  # fmt: skip


def is_zero(document: Document) -> NDArray[np.bool_]:
    """The mentions that are zeros: their head (or their first token, if no head is known) is an empty node."""
    if document.positions is None or document.unit != "token":
        return np.zeros(len(document), bool)
    heads = np.full(len(document), -1) if document.heads is None else document.heads
    return np.asarray(np.where(heads >= 0, heads, document.spans[:, 0]) % STEP != 0)


def duplicates(document: Document) -> list[tuple[int, int]]:
    """Pairs of mentions with the same extent, which are neighbours in the document's order."""
    spans = document.spans
    same: list[int] = np.flatnonzero((spans[1:] == spans[:-1]).all(axis=1)).tolist() if len(spans) > 1 else []
    return [(i, i + 1) for i in same if document.segments.get(i, ()) == document.segments.get(i + 1, ())]


DUPLICATE_REMEDIES = (
    Remedy("keep the first", (("duplicates", "first"),)),
    Remedy("merge the chains", (("duplicates", "merge"),)),
    Remedy("do as the CoNLL scorer", (("duplicates", "conll"),)),
)


def duplicate_problems(document: Document) -> list[Problem]:
    """The problems that `duplicates` finds."""
    problems = []
    for first, second in duplicates(document):
        repetition = "in two chains" if document.chains[first] != document.chains[second] else "twice in one chain"
        line = int(document.lines[second]) if document.lines is not None else document.line
        problem = Problem.in_file(
            "mention.repeated", document.path or document.id, line,
            found=f"{_mention_label(document, second)} of document {document.id!r} {repetition}",
            expected="every span once", remedies=["mend the file", *DUPLICATE_REMEDIES],
        )  # fmt: skip
        problems.append(problem)
    return problems


def _mention_label(document: Document, mention: int) -> str:
    """A description of a mention for users: its words or its name, otherwise its position."""
    start, end = document.spans[mention].tolist()
    if document.tokens is not None:
        first, last = token_spans(document, document.spans[mention])[0].tolist()
        return repr(" ".join(document.tokens[first:last])[:60])
    if "name" in document.features:
        return f"the mention {document.features['name'][mention]}"
    unit = "character" if document.unit == "character" else "token"
    return f"{unit}s {start} to {end - 1}" if end - start > 1 else f"{unit} {start}"


def check(documents: Sequence[Document]) -> list[Problem]:
    """The rule of the task for files: every span occurs once."""
    return [problem for document in documents for problem in duplicate_problems(document)]


def raise_problems(problems: Sequence[Problem]) -> None:
    """Raise the problems, if there are any."""
    if problems:
        raise InputError(problems)
