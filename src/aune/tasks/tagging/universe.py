"""The small worlds of tagging: all ways to tag a few words with three tags."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from aune.core import registry
from aune.core.universe import universe_of

Tags: TypeAlias = tuple[str, ...]
MOST = 4  # words: 81 ways to tag them, 6,561 pairs


def taggings(words: int) -> Iterator[Tags]:
    """Every way to tag so many words; none for more than `MOST`."""
    if words <= MOST:
        yield from product(("N", "V", "D"), repeat=words)


def made(tags: Tags) -> Any:
    words = [{"form": f"w{place}", "tag": tag, "upos": tag, "xpos": tag, "feats": f"Gender={tag}", "lemma": tag,
              "head": min(place, 1), "deprel": "root" if tag == "N" else "dep"}
             for place, tag in enumerate(tags)]  # fmt: skip
    (document,) = registry.task("tagging").documents({"document": words})
    return document


def corrections(key: Tags, response: Tags) -> list[Tags]:
    """The responses with one word's tag put right."""
    wrong = [place for place, (right, given) in enumerate(zip(key, response, strict=True)) if right != given]
    return [(*response[:place], key[place], *response[place + 1 :]) for place in wrong]


def shuffled(generator: np.random.Generator, key: Tags) -> Tags:
    return tuple(generator.permutation(np.array(key)).tolist())


def sample(generator: np.random.Generator, words: int) -> tuple[Tags, Tags]:
    key = generator.choice(["N", "V", "D", "A"], words)
    response = key.copy()
    moved = generator.choice(words, generator.integers(1, 4), replace=False)
    response[moved] = generator.choice(["N", "V", "D", "A"], len(moved))
    return tuple(key.tolist()), tuple(response.tolist())


UNIVERSE = universe_of(
    taggings,
    made,
    " ".join,
    trivial={"always the same tag": lambda key: ("N",) * len(key)},
    profile=lambda tags: tuple(sorted(tags)),
    shuffled=shuffled,
    corrections=corrections,
    sample=sample,
)
