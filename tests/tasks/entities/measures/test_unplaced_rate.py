"""The unplaced rate of entities: a case by hand, and counting which strings the text has."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure
from aune.tasks.entities.model import Document, Span, StringEntity, make_document
from tests.tasks.placed import by_status, unplaced_and_given

RATE = measure("entities.unplaced_rate")
WORDS = ("Paris", "Ann", "met")
LABELS = ("PER", "LOC")


def strings(*items: tuple[str, str], lost: int = 0) -> Document:
    return replace(make_document("d", []), listed=tuple(StringEntity(*item) for item in items), lost=lost)


def text(words: str, *spans: Span) -> Document:
    return make_document("d", spans, length=len(words.split()), words=words.split)


def test_by_hand() -> None:
    """Eve is absent, the second Ann is one too many, and one more was cut off: three of five."""
    response = strings(("Ann", "PER"), ("Eve", "PER"), ("Ann", "PER"), ("Bob", "PER"), lost=1)
    score = RATE([text("Ann met Bob")], [response])
    assert score.counts == by_status(exact=2, absent=1, repeated=1, cut_off=1) and score.unplaced == 3 / 5


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from([*WORDS, "Oslo"]), st.sampled_from(LABELS)), max_size=8),
)
def test_what_has_no_place(words: list[str], items: list[tuple[str, str]]) -> None:
    """Each string of a label takes a place of its own; at all of them, only the absent have none."""
    key, response = text(" ".join(words)), strings(*items)
    counts = Counter(words)
    beyond = sum(max(0, number - counts[string]) for (string, _), number in Counter(items).items())
    assert unplaced_and_given(RATE([key], [response])) == (beyond, len(items))
    absent = sum(string not in counts for string, _ in items)
    everywhere = sum(counts[string] for string, _ in set(items)) + absent
    assert unplaced_and_given(RATE([key], [response], place="all")) == (absent, everywhere)
    assert unplaced_and_given(RATE([key], [response], place="first")) == (absent, len(items))


def test_a_string_with_two_labels_stands_everywhere_with_both() -> None:
    response = strings(("Paris", "LOC"), ("Paris", "ORG"), ("Paris", "LOC"))
    assert unplaced_and_given(RATE([text("Paris met Paris")], [response], place="all")) == (0, 4)


def test_another_version_of_the_text() -> None:
    """What stands on words that the key lacks has no place in it."""
    key = text("Ann met Bob in Paris on Monday", Span(0, 1, "PER"))
    response = text("Ann met Bob in Paris on Monday with Eve", Span(0, 1, "PER"), Span(8, 9, "PER"))
    score = RATE([key], [response], realign="words")
    assert unplaced_and_given(score) == (1, 2)


def test_edges() -> None:
    key = text("Ann met Bob", Span(0, 1, "PER"))
    assert RATE([key], [key]).unplaced == 0.0
    nothing = RATE([key], [strings()])
    assert nothing.unplaced is None and nothing.reasons["unplaced"] == "the response gives nothing"
