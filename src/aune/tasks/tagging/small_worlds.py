"""Small worlds of tagging: all ways to tag a few words with three tags."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from aune.contract import registry
from aune.contract.small_worlds import universe_from_states

Tags: TypeAlias = tuple[str, ...]
MAX_WORDS = 4  # words: 81 ways to tag them, 6,561 pairs


def taggings(words: int) -> Iterator[Tags]:
    """Every way to tag this many words; none for more than `MAX_WORDS`."""
    if words <= MAX_WORDS:
        yield from product(("N", "V", "D"), repeat=words)


def make_document(tags: Tags) -> Any:
    words = [{"form": f"w{place}", "tag": tag, "upos": tag, "xpos": tag, "feats": f"Gender={tag}", "lemma": tag,
              "head": min(place, 1), "deprel": "root" if tag == "N" else "dep"}
             for place, tag in enumerate(tags)]  # fmt: skip
    (document,) = registry.task("tagging").reading.documents({"document": words})
    return document


def corrections(key: Tags, response: Tags) -> list[Tags]:
    """The responses in which one wrong tag is corrected."""
    wrong = [
        place
        for place, (key_tag, response_tag) in enumerate(zip(key, response, strict=True))
        if key_tag != response_tag
    ]
    return [(*response[:place], key[place], *response[place + 1 :]) for place in wrong]


def shuffle(generator: np.random.Generator, key: Tags) -> Tags:
    return tuple(generator.permutation(np.array(key)).tolist())


def sample(generator: np.random.Generator, words: int) -> tuple[Tags, Tags]:
    key = generator.choice(["N", "V", "D", "A"], words)
    response = key.copy()
    changed = generator.choice(words, generator.integers(1, 4), replace=False)
    response[changed] = generator.choice(["N", "V", "D", "A"], len(changed))
    return tuple(key.tolist()), tuple(response.tolist())


UNIVERSE = universe_from_states(
    taggings,
    make_document,
    " ".join,
    trivial={"always the same tag": lambda key: ("N",) * len(key)},
    profile=lambda tags: tuple(sorted(tags)),
    shuffle=shuffle,
    corrections=corrections,
    sample=sample,
)
