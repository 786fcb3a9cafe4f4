"""What aune knows of a text whose referring expressions are grouped into chains.

A document is columns over its mentions: where they are, and which chain they are in. Positions are token numbers from 0
and spans are half-open. Mentions are sorted by position and chains numbered by their first mention, so that the order
of a file changes nothing.
"""

from __future__ import annotations

import hashlib
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
    """One referring expression, as a reader finds it."""

    start: int
    end: int
    """The token after the last one."""
    chain: Hashable
    """Any name; equal names are one chain."""
    line: int = 0
    """Where the mention opens in the file, from 1; 0 when unknown."""
    head: int = -1
    """The token that is its head, or -1."""
    segments: tuple[tuple[int, int], ...] = ()
    """The half-open parts of a discontinuous mention; empty for a mention in one piece."""
    minimum: tuple[int, int] | None = None
    """The half-open span that is enough to recognise it (MUC's MIN)."""
    features: Mapping[str, str] = {}
    """What the format says of it: `kind` (name, noun, pronoun, or the corpus's own), `etype`, `gender`…; `referring` is
    `no` for a mention that refers to nothing."""
    dependencies: frozenset[tuple[int, str]] = frozenset()
    """For a mention whose head is an empty node: what that node depends on, as (position, relation)."""
    optional: bool = False
    """Whether a key may as well lack it."""
    other_chains: tuple[Hashable, ...] = ()
    """The names of other chains that it may be in; a name that no mention has is a chain of its own."""


class ListedMention(NamedTuple):
    """A mention given as a string."""

    string: str
    chain: str
    group: str = ""
    """The list it stands in, where there are several: each is in the order of the text by itself."""
    line: int = 0
    column: int = 1


class Relation(NamedTuple):
    """A link other than identity between two chains, through one mention of each (positions in the document)."""

    kind: str
    source: int
    target: int


SPLIT = "split"
"""The kind of relation that ties a chain to the chains of its split antecedents (they, to Ann and to Bob)."""

EMPTY_MAPPING: Mapping[Any, Any] = {}
"""What documents share that have nothing to say: corpora can have very many of them."""


def _empty_mapping() -> Mapping[Any, Any]:
    return EMPTY_MAPPING


@dataclass(slots=True)  # not frozen, which would make it ten times as slow to build; nobody changes one
class Document:
    """One text and its chains. Build it with `make_document` or `documents`, which put it in order."""

    id: str
    spans: Ints
    """(mentions, 2): first token, and the token after the last one."""
    chains: Ints
    """(mentions,): the number of the chain."""
    tokens: Sequence[str] | None = None
    sentences: Sequence[int] | None = None
    """The first token of every sentence, from 0."""
    positions: Ints | None = None
    """(tokens,): where each token stands, when that is not its number: with empty nodes (see `STEP`), or
    counted in characters. Spans, heads, minima and segments then count the same; `token_spans` gives them in tokens."""
    gaps: Sequence[str] | None = None
    """(tokens + 1,): the characters before each token and after the last one; None where a file does not say."""
    unit: str = "token"
    """What positions count: `token`, `character`, or `name` when mentions have names instead of places."""
    heads: Ints | None = None
    minima: Ints | None = None
    """(mentions, 2): the least span that recognises each mention."""
    segments: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=_empty_mapping)
    """The parts of the discontinuous mentions, by mention number."""
    features: Mapping[str, Sequence[str]] = field(default_factory=_empty_mapping)
    """Columns over mentions, '' where nothing is said."""
    dependencies: Mapping[int, frozenset[tuple[int, str]]] = field(default_factory=_empty_mapping)
    """What the heads of zeros (mentions whose head is an empty node) depend on, by mention number: the position of
    the parent and the relation. A sentence's root (parent 0) stands at minus the position of its first word."""
    labels: Sequence[str] | None = None
    """The names that the file gave to the chains, by chain number."""
    relations: tuple[Relation, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=_empty_mapping)
    """What is known of the document as a whole, such as its genre."""
    lines: Ints | None = None
    """(mentions,): the line in the file where each mention opens."""
    path: str | None = None
    line: int = 1
    """The line where the document begins."""
    order: Ints | None = None
    """(mentions,): the order in which the file opens the mentions; None when it is theirs here."""
    listed: tuple[ListedMention, ...] | None = None
    """Mentions given as strings, which have no place until they are laid on a key's text."""
    lost: int = 0
    """How many mentions of an answer that was cut off could not be read."""
    optional: frozenset[int] = frozenset()
    """The mentions that a key may as well lack."""
    other_chains: Mapping[int, tuple[int, ...]] = field(default_factory=_empty_mapping)
    """The other chains that mentions may be in, by mention number; numbers from `chain_count` on are further chains."""
    other_keys: tuple[Document, ...] = ()
    """Other right answers for the whole text, each with optional mentions and other chains of its own."""

    def __len__(self) -> int:
        return len(self.chains)

    @property
    def has_alternatives(self) -> bool:
        """Whether there are several right answers."""
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
        """The mentions of every chain, by their numbers."""
        members: list[list[int]] = [[] for _ in range(self.chain_count)]
        for mention, number in enumerate(self.chains.tolist()):
            members[number].append(mention)
        return members

    def features_of(self, mention: int) -> dict[str, str]:
        """What is said of a mention, by name."""
        return {name: column[mention] for name, column in self.features.items() if column[mention]}


STEP = 256
"""Distance between the positions of two words; empty nodes stand between them. The first word stands at STEP."""

MOST_NAMED = 1_000_000_000
"""Mentions named by a number below this stand at that number."""

FARTHEST = 2**41
"""Where places end: beyond it, they are digests of names."""

MOST_WORDS = 10_000_000
"""No text is longer: beyond it, places stand for names."""


def token_spans(document: Document, spans: Ints | None = None) -> Ints:
    """Spans (those of the mentions, if none are given) as token numbers; parts of a token count as the whole one."""
    chosen = document.spans if spans is None else np.asarray(spans, np.int64).reshape(-1, 2)
    if document.positions is None:
        return chosen
    last = np.maximum(len(document.positions), 1)
    starts = np.clip(np.searchsorted(document.positions, chosen[:, 0], "right") - 1, 0, last - 1)
    ends = np.searchsorted(document.positions, chosen[:, 1], "left")
    return np.stack([starts, np.clip(ends, starts + 1, last)], axis=1)


MOST_PLACES = 5_000_000  # in all mentions of a document, which may hold one another: more would take gigabytes


def check_places(document: Document) -> None:
    """Refuse a document whose mentions are too long, all together, for each of their tokens to be looked at."""
    spans = token_spans(document)
    if (places := int((spans[:, 1] - spans[:, 0]).sum())) > MOST_PLACES:
        raise UsageError(
            f"document {document.id!r}: {places:,} words in all its mentions, expected at most {MOST_PLACES:,}: they "
            "are looked at one by one; cut the document, or leave out mentions that hold others"
        )


def mention_words(document: Document, mention: int, span: Sequence[int]) -> list[str]:
    """The words of a mention whose span in tokens is given; of a token that it begins or ends inside, its part only."""
    words = list(document.tokens[span[0] : span[1]]) if document.tokens is not None else []
    if words and document.unit == "character" and document.positions is not None:
        start, end = document.spans[mention].tolist()
        words[-1] = words[-1][: max(end - int(document.positions[span[1] - 1]), 1)]
        words[0] = words[0][max(start - int(document.positions[span[0]]), 0) :] or words[0]
    return words


def spread_positions(document: Document) -> Document:
    """The same document with positions that leave room for empty nodes, so that it compares with one that has some.

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
    """A document in order, from mentions in any order; relations name mentions by their order of arrival."""
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
    """The other chains that mentions may be in, by number; chains without mentions come after those with names."""
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
    """Relations between mentions that stand in another order."""
    place = np.argsort(order)
    return tuple(Relation(kind, int(place[source]), int(place[target])) for kind, source, target in relations)


def mentions_of(document: Document) -> list[Mention]:
    """The mentions of a document as a reader would give them, with the numbers of their chains."""
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
    per mention, with the columns `start`, `end`, `chain` and perhaps `document`. A record can say what other answers
    are right: `optional` mentions, `other_clusters` of mentions (`{(0, 2): [1]}`, -1 for one of its own), and
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
    """The document with what its author says of other right answers."""
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
    """The document with its tokens, if any are known: then every mention is made of them."""
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
    """The document with what its mentions are called, where one occurs twice and somebody will have to be told so."""
    if int(document.spans.max(initial=0)) < FARTHEST or not duplicates(document):
        return document
    names = {named_position(name): str(name) for name in chain.from_iterable(text.clusters) if not _is_span(name)}
    return replace(document, features={"name": [names.get(start, "") for start in document.spans[:, 0].tolist()]})


def _documents_from_clusters(ids: list[str], corpus: list[list[list[Any]]], inclusive: bool) -> list[Document]:
    """All the documents at once, as one set of columns cut into pieces."""
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
    """Documents from the spans of all their mentions, chain by chain; with each, the order in which its mentions were
    given and the numbers that its chains had.

    `chains_of` is how many chains each document has, `sizes` how many mentions each chain.
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
    """The spans of mentions given in plain Python, and their parts; names stand for one token each."""
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
    """The spans of mentions that are all pairs of whole numbers; None for others."""
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
    """Where a mention stands that has a name instead of a place: a number is its own place, other names are digested.

    The same name gets the same place in key and response, whatever else the two hold.

    >>> named_position(7), named_position("7"), named_position("x") == named_position("x")
    (7, 7, True)
    """
    text = str(name)
    if text.isascii() and text.isdigit() and len(text) < len(str(MOST_NAMED)):
        return int(text)
    return int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=7).digest())


def _is_span(mention: Any) -> bool:
    return (
        isinstance(mention, tuple | list)
        and len(mention) == 2
        and all(isinstance(part, int | np.integer) for part in mention)
    )


def _mention_parts(mention: Any, inclusive: int) -> tuple[tuple[int, int], ...]:
    """The parts of a mention that is a tuple of pairs; none for another, or where no text is so long."""
    if not (isinstance(mention, tuple) and mention and all(_is_span(part) for part in mention)):
        return ()
    if max(abs(place) for part in mention for place in part) >= FARTHEST:
        return ()
    return tuple(sorted((start, end + inclusive) for start, end in mention))


def _mention_order(owner: Ints, spans: Ints, segments: Sequence[tuple[tuple[int, int], ...]]) -> Ints:
    """The order of mentions by document and position; mentions alike in both stay as they were."""
    if any(segments):
        ranks = {parts: rank for rank, parts in enumerate(sorted(set(segments)))}
        last = np.fromiter((ranks[parts] for parts in segments), np.int64, len(segments))
        return np.lexsort((last, spans[:, 1], spans[:, 0], owner))
    codes = place_codes(owner, spans)
    return np.lexsort((spans[:, 1], spans[:, 0], owner)) if codes is None else np.argsort(codes, kind="stable")


def place_codes(owner: Ints, spans: Ints, base: int | None = None) -> Ints | None:
    """Document, start and end as one number that sorts as they do; None when they do not fit in one."""
    if not len(owner):
        return owner
    base = int(spans.max()) + 1 if base is None else base
    if spans.min() < 0 or (int(owner.max()) + 1) * base * base >= 2**62:
        return None
    return (owner * base + spans[:, 0]) * base + spans[:, 1]


def renumber(raw: Ints) -> tuple[Ints, list[int]]:
    """Numbers from 0 in order of first occurrence, and the old number behind each new one.

    The numbers given are not negative and not much larger than there are of them.

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
    """The same text with no mention."""
    return replace(
        like,
        spans=np.zeros((0, 2), np.int64),
        chains=np.zeros(0, np.int64),
        heads=None, minima=None, segments={}, features={}, dependencies={}, labels=None, relations=(), lines=None,
        order=None, optional=frozenset(), other_chains=EMPTY_MAPPING, other_keys=(),
    )  # fmt: skip


def is_zero(document: Document) -> NDArray[np.bool_]:
    """Which mentions are zeros: their head, or their first token where no head is known, is an empty node."""
    if document.positions is None or document.unit != "token":
        return np.zeros(len(document), bool)
    heads = np.full(len(document), -1) if document.heads is None else document.heads
    return np.asarray(np.where(heads >= 0, heads, document.spans[:, 0]) % STEP != 0)


def duplicates(document: Document) -> list[tuple[int, int]]:
    """Pairs of mentions with the same extent, neighbours in the order of the document."""
    spans = document.spans
    same: list[int] = np.flatnonzero((spans[1:] == spans[:-1]).all(axis=1)).tolist() if len(spans) > 1 else []
    return [(i, i + 1) for i in same if document.segments.get(i, ()) == document.segments.get(i + 1, ())]


DUPLICATE_REMEDIES = (
    Remedy("keep the first", (("duplicates", "first"),)),
    Remedy("merge the chains", (("duplicates", "merge"),)),
    Remedy("do as the CoNLL scorer", (("duplicates", "conll"),)),
)


def duplicate_problems(document: Document) -> list[Problem]:
    """What `duplicates` finds, in words."""
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
    """A mention as a reader of the file finds it: its words or its name, else its place."""
    start, end = document.spans[mention].tolist()
    if document.tokens is not None:
        first, last = token_spans(document, document.spans[mention])[0].tolist()
        return repr(" ".join(document.tokens[first:last])[:60])
    if "name" in document.features:
        return f"the mention {document.features['name'][mention]}"
    unit = "character" if document.unit == "character" else "token"
    return f"{unit}s {start} to {end - 1}" if end - start > 1 else f"{unit} {start}"


def check(documents: Sequence[Document]) -> list[Problem]:
    """The rules of the task for files: every span once."""
    return [problem for document in documents for problem in duplicate_problems(document)]


def raise_problems(problems: Sequence[Problem]) -> None:
    """Raise the problems, if there are any."""
    if problems:
        raise InputError(problems)
