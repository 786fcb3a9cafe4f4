"""Random keys and responses for the laws that every measure keeps.

A text has words and empty nodes, mentions in several chains, zeros, a bridge, a split antecedent and an expression that
refers to nothing, so that no measure is without something to measure; responses have any of them or none.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from aune.tasks.coref.model import STEP, Document, Mention, Relation, make_document
from tests.tasks.corpora import named_texts

OPTIONS: dict[str, Any] = {}
SKIP: dict[tuple[str, str], str] = {}
ZEROS = (3, 7)
"""Which mentions are empty nodes."""
LATEST = 12
"""Where the expression that refers to nothing stands; the set of the first two chains comes after it."""
KINDS = ("name", "noun", "pronoun")


def place(index: int) -> int:
    """Where a mention stands: at every second word, or between two."""
    return 2 * index * STEP + (1 if index in ZEROS else STEP)


PLACES = np.asarray(sorted({*(STEP * word for word in range(1, 2 * LATEST + 5)), *map(place, ZEROS)}))


def mention(index: int, chain: object, **features: str) -> Mention:
    """A mention of one token, with what its head depends on if it is a zero."""
    depends = frozenset([((2 * index + 1) * STEP, "nsubj")]) if index in ZEROS else frozenset()
    return Mention(
        place(index), place(index) + 1, chain, head=place(index), dependencies=depends,
        features={"kind": KINDS[index % 3], **features},
    )  # fmt: skip


def text(labels: list[int], empty: bool, related: bool) -> Document:
    """Mentions grouped by their labels (-1 leaves one out), and the rest that a text can have."""
    mentions = [mention(index, label) for index, label in enumerate(labels) if label >= 0]
    at = {item.start: number for number, item in enumerate(mentions)}
    links = []
    if empty:
        mentions.append(mention(LATEST, "nothing", referring="no"))
    if related and {place(0), place(2)} <= at.keys():
        links = [Relation("bridge", at[place(2)], at[place(0)])]
        links += [Relation("split", len(mentions), at[place(index)]) for index in (0, 2)]
        mentions.append(mention(LATEST + 1, "set"))
    words = [f"w{number}" for number in range(len(PLACES))]
    return make_document("d", mentions, relations=links, tokens=words, sentences=[0], positions=PLACES)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Document, Document]:
    """A key with a link, a zero and at least two chains, and any response to it."""
    size = draw(st.integers(4, 12))
    labels = draw(st.lists(st.integers(-1, 4), min_size=size, max_size=size))
    labels[:4] = [0, 0, 1, 0]
    response = draw(st.lists(st.integers(-1, 4), min_size=size, max_size=size))
    return text(labels, True, True), text(response, draw(st.booleans()), draw(st.booleans()))


CORPORA = named_texts(pairs())


def shuffle_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same documents, chains and mentions in another order."""
    return {name: _shuffle_items(corpus[name], rng) for name in rng.sample(list(corpus), len(corpus))}


def _shuffle_items(document: Document, rng: random.Random) -> Document:
    order = rng.sample(range(len(document)), len(document))
    mentions = _mentions(document)
    links = [Relation(kind, order.index(source), order.index(target)) for kind, source, target in document.relations]
    return _rebuilt(document, [mentions[index] for index in order], rng.sample(links, len(links)))


def repeat_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with some mentions given twice or three times, in their own chain, in another, or in a new one."""
    return {name: _repeat_items(result, rng) for name, result in corpus.items()}


def _repeat_items(document: Document, rng: random.Random) -> Document:
    mentions = _mentions(document)
    if not mentions:
        return document
    chains = [*(item.chain for item in mentions), "new"]
    copies = [item._replace(chain=rng.choice(chains)) for item in rng.choices(mentions, k=rng.randint(1, 5))]
    return _rebuilt(document, [*mentions, *copies], document.relations)


REPEATS: list[dict[str, Any]] = [{"duplicates": name} for name in ("conll", "first", "merge")]
"""The options under which repeats are taken."""


def _mentions(document: Document) -> list[Mention]:
    heads = document.heads if document.heads is not None else document.spans[:, 0]
    return [
        Mention(
            *document.spans[index].tolist(), int(document.chains[index]), head=int(heads[index]),
            dependencies=document.dependencies.get(index, frozenset()),
            features={name: column[index] for name, column in document.features.items() if column[index]},
        )
        for index in range(len(document))
    ]  # fmt: skip


def _rebuilt(document: Document, mentions: list[Mention], links: Sequence[Relation]) -> Document:
    return make_document(
        document.id,
        mentions,
        relations=links,
        tokens=document.tokens,
        sentences=document.sentences,
        positions=document.positions,
    )
