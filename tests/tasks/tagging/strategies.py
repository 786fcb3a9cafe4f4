"""Random tagged texts for the laws that every measure keeps: other words, other tags, several tags."""

from __future__ import annotations

import itertools
import random
from typing import Any

from hypothesis import strategies as st

from tests.tasks.corpora import named_texts

OPTIONS: dict[str, Any] = {}
SKIP: dict[tuple[str, str], str] = {}

TAGS = ["N", "V", "D", "P"]
FORMS = ["a", "b", "ab", "le", "du", "x'y"]


@st.composite
def word(draw: st.DrawFn, form: str, most: int) -> dict[str, Any]:
    tags = draw(st.lists(st.sampled_from(TAGS), min_size=1, max_size=most, unique=True))
    return {
        "form": form,
        "tag": "|".join(tags),
        "upos": draw(st.sampled_from(["NOUN", "VERB", "DET"])),
        "xpos": draw(st.sampled_from(["n", "v", "d"])),
        "feats": draw(st.sampled_from(["_", "Gender=Fem", "Gender=Masc|Number=Sing"])),
        "lemma": draw(st.sampled_from(["a", "b", "le"])),
        "head": draw(st.integers(0, 2)),
        "deprel": draw(st.sampled_from(["root", "nsubj:pass", "det", "punct"])),
        "deps": draw(st.sampled_from(["0:root", "1:nsubj:pass|2:conj:and>nsubj", "2:det"])),
    }


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A key with at least two tags, and a response over the same characters cut in other places."""
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=2, max_size=8))
    key = [draw(word(form, 1)) for form in forms]
    key[0]["tag"], key[1]["tag"] = "N", "V"
    key[0]["deprel"] = "root"
    text = "".join(forms)
    cuts = set(range(1, len(text))) & set(draw(st.lists(st.integers(1, len(text)), max_size=3)))
    edges = {sum(map(len, forms[:index])) for index in range(len(forms))}
    places = [*sorted(edges ^ cuts | {0}), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    response = [draw(word(piece, 3)) for piece in pieces]
    for row in response:
        row["head"] = min(row["head"], len(response))
    return key, response


CORPORA = named_texts(pairs())


def shuffle_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same documents and alternatives in another order; the order of words is the text."""
    names = rng.sample(list(corpus), len(corpus))
    return {name: [{**item, "tag": _shuffle_items(item["tag"], rng)} for item in corpus[name]] for name in names}


def _shuffle_items(tags: str, rng: random.Random) -> str:
    parts = tags.split("|")
    return "|".join(rng.sample(parts, len(parts)))


def repeat_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with some words given a tag twice."""
    return {
        name: [{**word, "tag": "|".join([word["tag"], *word["tag"].split("|")[: rng.randrange(3)]])} for word in words]
        for name, words in corpus.items()
    }


REPEATS: list[dict[str, Any]] = [{}]
"""The options under which repeats are taken."""
