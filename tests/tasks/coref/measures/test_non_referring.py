"""Non-referring expressions: counted by themselves, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.coref.model import Document, Mention, make_document
from tests.tasks.coref.agreement import values

LABELS = st.lists(st.sampled_from(["", "a", "b", "none"]), min_size=1, max_size=7)


def text(labels: list[str]) -> list[Document]:
    """A mention per label that is not empty; those of `none` refer to nothing."""
    mentions = [
        Mention(place, place + 1, f"{place}-Pseudo" if label == "none" else label,
                features={"referring": "no"} if label == "none" else {})
        for place, label in enumerate(labels)
        if label
    ]  # fmt: skip
    return [make_document("d", mentions)]


def test_by_hand() -> None:
    key, response = text(["a", "none", "none", "a"]), text(["a", "none", "a", "none"])
    assert values("non_referring", key, response) == (1 / 2, 1 / 2, 1 / 2)
    assert values("mentions", key, response) == (1 / 2, 1 / 2, 1 / 2)  # a at 0 is the only mention of both


@settings(max_examples=60)
@given(LABELS, LABELS)
def test_against_sets(key_chain: list[str], response_chain: list[str]) -> None:
    key, response = text(key_chain), text(response_chain)
    sets = [{place for place, label in enumerate(labels) if label == "none"} for labels in (key_chain, response_chain)]
    [result] = aune.score("coref", key, response, measures=["non_referring"])
    assert tuple(result.counts.values()) == (len(sets[0] & sets[1]), len(sets[0]), len(sets[1]))
    referring = [text([label if label != "none" else "" for label in labels]) for labels in (key_chain, response_chain)]
    for name in ("muc", "b_cubed", "ceaf_e", "mentions", "kappa"):
        assert values(name, key, response) == values(name, *referring)


def test_nothing_is_undefined() -> None:
    assert values("non_referring", [{1}], [{1}], undefined="none") == (None, None, None)
    with pytest.raises(aune.UsageError):
        values("non_referring", [{1}], [{1}], undefined="what")
