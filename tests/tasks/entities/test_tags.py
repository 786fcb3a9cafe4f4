"""Schemes are detected, illegal sequences found and repaired as asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.tasks.entities.tags import decode_tags, tag_numbers

LEGAL = {  # "A A B" and "A A" touching, a single token, in each scheme
    "IOB1": ["I-A", "I-A", "B-A", "O", "I-B"],
    "IOB2": ["B-A", "I-A", "B-A", "O", "B-B"],
    "IOE1": ["I-A", "E-A", "I-A", "O", "I-B"],
    "IOE2": ["I-A", "E-A", "E-A", "O", "E-B"],
    "BIOES": ["B-A", "E-A", "S-A", "O", "S-B"],
    "BILOU": ["B-A", "L-A", "U-A", "O", "U-B"],
}


def read(tags: list[str], scheme: str = "auto", repair: str = "conlleval"):  # type: ignore[no-untyped-def]
    numbers, codes = tag_numbers(tags, len(tags))
    return decode_tags(codes, numbers, np.array([0]), scheme, repair)


@pytest.mark.parametrize("scheme", LEGAL)
def test_schemes_are_detected_and_say_the_same(scheme: str) -> None:
    documents = read(LEGAL[scheme])
    assert documents.scheme == scheme
    assert documents.spans.tolist() == [[0, 2], [2, 3], [4, 5]]
    assert len(documents.illegal) == 0


@pytest.mark.parametrize(
    ("scheme", "tags", "illegal"),
    [
        ("IOB2", ["O", "I-A", "I-A", "B-A"], [1]),
        ("IOB2", ["B-A", "I-B"], [1]),
        ("IOB1", ["B-A", "O", "I-A"], [0]),
        ("IOE2", ["I-A", "I-A", "O", "E-A"], [0]),
        ("IOE1", ["I-A", "E-A", "O"], [0]),
        ("BIOES", ["B-A", "O", "S-A"], [0]),
        ("BIOES", ["I-A", "E-A"], [0]),
        ("BILOU", ["U-A", "I-A", "L-A"], [1]),
        ("IOB2", ["B-A", "E-A"], [0]),
    ],
)
def test_illegal_sequences(scheme: str, tags: list[str], illegal: list[int]) -> None:
    assert read(tags, scheme).illegal.tolist() == illegal
    assert len(read(tags, scheme, "discard").spans) == len(read(tags, scheme).spans) - len(illegal)


def test_sentences_end_entities() -> None:
    numbers, codes = tag_numbers(["B-A", "I-A", "I-A"], 3)
    assert decode_tags(codes, numbers, np.array([0, 2])).spans.tolist() == [[0, 2], [2, 3]]


def test_tags_without_label_or_prefix() -> None:
    assert read(["B", "I", "O"]).names == ["_"]
    assert read(["PER", "PER", "O"], "IO").names == ["PER"]
    assert read(["PER", "O"]).unreadable == [0]
    assert read(["B-", "O"]).unreadable == [0]


@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"]), max_size=12))
def test_every_scheme_writes_and_reads_back(tags: list[str]) -> None:
    """The spans of any sequence, written in each scheme, are read back."""
    spans = read(tags).spans.tolist()
    labels = [read(tags).names[number] for number in read(tags).labels.tolist()]
    for scheme in ("IOB2", "IOE2", "BIOES", "BILOU"):
        end, single = {"BILOU": ("L", "U")}.get(scheme, ("E", "S"))
        written = ["O"] * len(tags)
        for (start, stop), label in zip(spans, labels, strict=True):
            letters = ["B", *["I"] * (stop - start - 2), end] if stop - start > 1 else [single]
            if scheme == "IOB2":
                letters = ["B", *["I"] * (stop - start - 1)]
            if scheme == "IOE2":
                letters = [*["I"] * (stop - start - 1), "E"]
            written[start:stop] = [f"{letter}-{label}" for letter in letters]
        documents = read(written, scheme)
        assert documents.spans.tolist() == spans and len(documents.illegal) == 0
