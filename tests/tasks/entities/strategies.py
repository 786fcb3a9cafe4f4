"""Random keys and responses for the laws that every measure keeps."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests.tasks.corpora import named_texts

OPTIONS: dict[str, Any] = {"typology": "quaero"}
SKIP: dict[tuple[str, str], str] = {}

LABELS = ("pers.ind", "pers.coll", "loc.adm.town", "loc.adm.nat", "loc.fac", "org.ent", "amount", "name", "kind")
Triple = tuple[int, int, str]


@st.composite
def spans(draw: st.DrawFn, most: int = 8, length: int = 10) -> list[Triple]:
    """Any spans: nested, crossing, several labels on one stretch; none twice."""
    starts = st.integers(0, length - 1)
    value = draw(st.lists(st.tuples(starts, st.integers(1, 4), st.sampled_from(LABELS)), max_size=most))
    return sorted({(start, start + size, label) for start, size, label in value})


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Triple], list[Triple]]:
    """A key with an entity whose label has three parts, and a response that shares some of it."""
    key = sorted({*draw(spans()), (0, 2, "loc.adm.town")})
    selected = [span for span in key if draw(st.integers(0, 2))]
    return key, sorted({*selected, *draw(spans(4))})


CORPORA = named_texts(pairs())


def shuffle_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same documents and spans in another order."""
    items = [(name, rng.sample(result, len(result))) for name, result in corpus.items()]
    return dict(rng.sample(items, len(items)))


def repeat_items(corpus: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with some spans given twice or three times, and some with a second label."""
    return {
        name: [*spans, *rng.choices(spans, k=3), *((start, end, rng.choice(LABELS)) for start, end, _ in spans[:2])]
        if spans
        else spans
        for name, spans in corpus.items()
    }


REPEATS: list[dict[str, Any]] = [{}]
"""The options under which repeats are taken."""
