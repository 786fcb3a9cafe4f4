"""Small worlds of speech: all texts of a few words over two of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from rapidfuzz.distance import Levenshtein

from aune.contract import registry
from aune.contract.small_worlds import universe_from_states

Words: TypeAlias = tuple[str, ...]
VOCABULARY = ("a", "b")


def all_texts(words: int) -> Iterator[Words]:
    """Every text of one up to this many words; an empty key would leave nothing to recognise."""
    for length in range(1, words + 1):
        yield from product(VOCABULARY, repeat=length)


def make_document(words: Words) -> Any:
    (document,) = registry.task("speech").reading.documents({"utterance": " ".join(words)})
    return document


def corrections(key: Words, response: Words) -> list[Words]:
    """The responses after one edit of a shortest path to the key; none of them is empty."""
    responses = []
    for edit in Levenshtein.editops(response, key):
        at, word = edit.src_pos, key[edit.dest_pos : edit.dest_pos + 1]
        rest = at + (edit.tag != "insert")
        responses.append((*response[:at], *(() if edit.tag == "delete" else word), *response[rest:]))
    return [
        candidate
        for candidate in dict.fromkeys(responses)
        if candidate and len(candidate) <= max(len(key), len(response))
    ]


def shuffle(generator: np.random.Generator, key: Words) -> Words:
    return tuple(generator.permutation(np.array(key)).tolist())


def sample(generator: np.random.Generator, words: int) -> tuple[Words, Words]:
    key = tuple(generator.choice(list("abcdefgh"), words).tolist())
    changed = [word for word in key if generator.random() > 0.1] + (["z"] if generator.random() < 0.5 else [])
    return key, tuple(changed or ["z"])


UNIVERSE = universe_from_states(
    all_texts,
    make_document,
    " ".join,
    trivial={"the first word only": lambda key: key[:1]},
    profile=lambda words: tuple(sorted(words)),
    shuffle=shuffle,
    corrections=corrections,
    sample=sample,
    nested=True,
)
