"""Convert states of one text to documents that aune's measures compare.

Every character is a position, with space for zeros between two characters (`STEP`), so extents inside words and zeros
are ordinary mentions. A mention that is not in a chain yet forms a chain of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aune.tasks.coref import model as chains
from aune.tasks.coref.model import STEP
from aune.tasks.entities import model as spans
from aune.workbench.anaphora import anaphora_document
from aune.workbench.model import Mention, Part, State, Text, in_text_order
from aune.workbench.tagging import tagged_document


class StateDocument(NamedTuple):
    """A document, with the ids of its mentions and chains in the state."""

    document: Any
    mentions: list[str]
    chains: list[str]
    """The ids of the chains; for a mention without a chain, the id of the mention."""


class Words(NamedTuple):
    """The words, positions and sentences that the documents of one text share."""

    tokens: list[str]
    places: NDArray[np.int64]
    sentences: list[int]


def text_words(text: Text) -> Words:
    """The words of a text, cached for the latest texts."""
    for known, words in _WORDS_CACHE:
        if known is text:
            return words
    starts = np.asarray(text.tokens[::2], np.int64)
    words = Words([text.characters[a:b] for a, b in text.words()], (starts + 1) * STEP, list(text.sentences) or [0])
    _WORDS_CACHE[:] = [(text, words), *_WORDS_CACHE[:3]]
    return words


_WORDS_CACHE: list[tuple[Text, Words]] = []


def shared_words(text: Text, states: Iterable[State]) -> Words:
    """The words that the documents of some states share.

    Zeros are words too. Discontinuous mentions are matched by their words: if there are any, a word is split where a
    mention begins or ends inside it, so that different mentions never match by accident.
    """
    mentions = [mention for state in states for mention in state.mentions.values()]
    words = text_words(text)
    special = [
        mention.parts for mention in mentions if len(mention.parts) > 1 or mention.parts[0][0] == mention.parts[0][1]
    ]
    if not special:
        return words
    split = any(len(parts) > 1 for parts in special)
    starts, ends = text.tokens[::2], text.tokens[1::2]
    places = {place for mention in mentions if not mention.is_zero for part in mention.parts for place in part}
    inside = [place for place in places if (word := bisect_left(ends, place)) < len(ends) and starts[word] < place]
    cuts = sorted(set(inside) - set(ends)) if split else []
    pieces = list(zip(sorted([*starts, *cuts]), sorted([*ends, *cuts]), strict=True))
    tokens = [((start + 1) * STEP, text.characters[start:end]) for start, end in pieces]
    tokens += {(mention.start * STEP + 1 + mention.order, "") for mention in mentions if mention.is_zero}
    tokens.sort()
    firsts = {int(words.places[first]) for first in words.sentences if first < len(words.places)}
    return Words(
        [token for _, token in tokens],
        np.asarray([place for place, _ in tokens], np.int64),
        [number for number, (place, _) in enumerate(tokens) if place in firsts],
    )


def coref_document(text: Text, state: State, words: Words) -> StateDocument:
    """The chains of a state as a document; the feature `id` contains the ids of the mentions."""
    names, mention_spans, segments = _ordered_mentions(state.mentions)
    table = state.mentions
    numbers: dict[str, int] = {}
    chain_numbers = [numbers.setdefault(table[name].chain or f"\0{name}", len(numbers)) for name in names]
    numbered, old_numbers = chains.renumber(np.asarray(chain_numbers, np.int64))
    called = list(numbers)
    labels = [called[old].lstrip("\0") for old in old_numbers]
    document = chains.Document(
        text.id,
        mention_spans,
        numbered,
        tokens=words.tokens,
        sentences=words.sentences,
        positions=words.places,
        segments=segments,
        features={**_features([table[name].features for name in names]), "id": names},
        labels=labels,
        relations=tuple(_relations(state, names)),
    )
    return StateDocument(document, names, labels)


def _ordered_mentions(table: Mapping[str, Mention]) -> tuple[list[str], NDArray[np.int64], dict[int, tuple[Part, ...]]]:
    """Mentions sorted for a document: their ids, their spans, and the parts of discontinuous ones."""
    names = list(table)
    several: dict[int, tuple[Part, ...]] = {}
    flat = []
    for number, mention in enumerate(table.values()):
        parts = mention.parts
        start, end = parts[0][0], parts[-1][1]
        if start == end:
            zero = start * STEP + 1 + mention.order
            flat.append((zero, zero + 1))
        else:
            flat.append(((start + 1) * STEP, end * STEP + 1))
            if len(parts) > 1:
                several[number] = tuple(((a + 1) * STEP, b * STEP + 1) for a, b in parts)
    mention_spans = np.asarray(flat, np.int64).reshape(-1, 2)
    ranks = np.zeros(len(names), np.int64)
    for rank, number in enumerate(sorted(several, key=lambda mention_number: several[mention_number]), 1):
        ranks[number] = rank
    order = np.lexsort((ranks, mention_spans[:, 1], mention_spans[:, 0]))
    places = order.tolist()
    segments = {new: several[old] for new, old in enumerate(places) if old in several} if several else {}
    return [names[old] for old in places], mention_spans[order], segments


def _features(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    names = sorted({name for row in rows for name in row})
    return {name: [row.get(name, "") for row in rows] for name in names}


def _relations(state: State, names: Sequence[str]) -> list[chains.Relation]:
    """Relations between chains, as relations between their first mentions."""
    if not state.relations:
        return []
    first: dict[str | None, int] = {}
    for number, name in enumerate(names):
        first.setdefault(state.mentions[name].chain, number)
    return [
        chains.Relation(relation.kind, first[relation.source], first[target])
        for relation in state.relations.values()
        for target in relation.targets
        if relation.source in first and target in first
    ]


def entity_relations(state: State, numbers: Mapping[str, int]) -> list[spans.Relation]:
    """The relations of a state between mentions that have numbers in a document: one for each target."""
    return [
        spans.Relation(relation.kind, numbers[relation.source], numbers[target])
        for relation in state.relations.values()
        for target in relation.targets
        if relation.source in numbers and target in numbers
    ]


def entities_document(text: Text, state: State) -> StateDocument:
    """The labelled spans of a state as a document over characters."""
    labelled = []
    for name in in_text_order(state.mentions):
        mention = state.mentions[name]
        if not mention.is_zero:
            parts = mention.parts if len(mention.parts) > 1 else ()
            features = tuple(sorted(mention.features.items()))
            span = spans.Span(mention.start, mention.end, mention.label, segments=parts, features=features)
            labelled.append((span, name))
    labelled.sort(key=lambda item: (item[0].start, -item[0].end, item[0].label, item[0].segments))
    sentences = [text.tokens[2 * first] for first in text.sentences]
    document = spans.make_document(
        text.id,
        [span for span, _ in labelled],
        length=len(text.characters),
        relations=entity_relations(state, {name: number for number, (_, name) in enumerate(labelled)}),
        unit="character",
        text=text.characters,
        sentences=np.asarray(sentences, np.int64) if sentences else None,
        typology=text.typology,
    )
    return StateDocument(document, [name for _, name in labelled], [])


def state_document(text: Text, state: State, words: Words | None = None) -> StateDocument:
    """A state as a document of its task, cached for the latest states."""
    words = words or shared_words(text, [state])
    for known_state, known_words, document in _DOCUMENT_CACHE:
        if known_words is words and known_state is state:
            return document
    document = _make_document(text, state, words)
    _DOCUMENT_CACHE[:] = [(state, words, document), *_DOCUMENT_CACHE[:7]]
    return document


def _make_document(text: Text, state: State, words: Words) -> StateDocument:
    if text.task == "tagging":
        return StateDocument(tagged_document(text, state), [], [])
    if text.task == "anaphora":
        return StateDocument(anaphora_document(text, state), [], [])
    return coref_document(text, state, words) if text.task == "coref" else entities_document(text, state)


_DOCUMENT_CACHE: list[tuple[State, Words, StateDocument]] = []
