"""The unplaced rate of coreference: a case by hand, and counting which strings the text has."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure
from aune.tasks.coref.model import Document, ListedMention, Mention, make_document
from tests.tasks.placed import by_status, unplaced_and_given

RATE = measure("coref.unplaced_rate")
WORDS = ("Marie", "Paul", "dit")


def strings(*items: tuple[str, str], lost: int = 0) -> Document:
    return replace(make_document("d", []), listed=tuple(ListedMention(*item) for item in items), lost=lost)


def text(words: str, *mentions: Mention) -> Document:
    return make_document("d", mentions, tokens=words.split())


def test_by_hand() -> None:
    """Zoé is absent, the second Paul is one too many, and one more was cut off: three of five."""
    response = strings(("Marie", "1"), ("Zoé", "1"), ("Paul", "2"), ("Paul", "2"), lost=1)
    score = RATE([text("Marie aime Paul")], [response], place="in-order")
    assert score.counts == by_status(exact=2, absent=1, repeated=1, cut_off=1) and score.unplaced == 3 / 5


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    st.lists(st.tuples(st.sampled_from([*WORDS, "Zoé"]), st.sampled_from("12")), max_size=8),
)
def test_what_has_no_place(words: list[str], items: list[tuple[str, str]]) -> None:
    """A place holds one mention, whatever its chain: strings listed more often than the text has them are left over."""
    counts = Counter(words)
    beyond = sum(max(0, number - counts[string]) for string, number in Counter(item[0] for item in items).items())
    score = RATE([text(" ".join(words))], [strings(*items)], place="in-order")
    assert unplaced_and_given(score) == (beyond, len(items))


def test_another_version_of_the_text() -> None:
    """What stands on words that the key lacks has no place in it."""
    key = text("Marie dit que Paul aime la mer", Mention(0, 1, "m"))
    response = text("Marie dit que Paul aime la mer et Zoé", Mention(0, 1, "m"), Mention(8, 9, "z"))
    assert unplaced_and_given(RATE([key], [response], realign="words")) == (1, 2)


def test_edges() -> None:
    key = text("Marie dit", Mention(0, 1, "m"))
    assert RATE([key], [key]).unplaced == 0.0
    nothing = RATE([key], [text("Marie dit")])
    assert nothing.unplaced is None and nothing.reasons["unplaced"] == "the response gives nothing"
