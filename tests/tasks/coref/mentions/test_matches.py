"""When a mention of the response is a mention of the key: the rules of the CorefUD scorer, and ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.coref.model import STEP, Document, Mention, make_document
from aune.tasks.coref.pair_comparison import compare

Span = tuple[int, int]
Spans = list[Span]
Headed = tuple[int, int, int]
Thing = TypeVar("Thing")


def match_extents(key: Document, response: Document, match: str) -> list[tuple[Spans, Spans]]:
    """The matched extents, in the order of the key."""
    comparison = compare([(key, response)], match=match)  # type: ignore[arg-type]
    pairs = zip(*(numbers.tolist() for numbers in comparison.matched), strict=True)
    return sorted((parts(key, first), parts(response, other)) for first, other in pairs)


def parts(document: Document, mention: int) -> Spans:
    return list(document.segments.get(mention, ())) or [tuple(document.spans[mention].tolist())]


def text(*mentions: tuple[int, int, int]) -> Document:
    """Mentions as start, end and head."""
    return make_document(
        "d", [Mention(start, end, number, head=head) for number, (start, end, head) in enumerate(mentions)]
    )


def one(start: int, end: int) -> Spans:
    return [(start, end)]


def test_exact_needs_the_same_tokens() -> None:
    key, response = text((0, 3, 1), (5, 6, 5)), text((0, 2, 1), (5, 6, 5))
    assert match_extents(key, response, "exact") == [(one(5, 6), one(5, 6))]


def test_partial_lies_inside_and_holds_the_head() -> None:
    key = text((0, 5, 3))
    assert match_extents(key, text((2, 5, 2)), "partial") == [(one(0, 5), one(2, 5))]  # its own head does not matter
    assert match_extents(key, text((0, 3, 1)), "partial") == []  # without the head
    assert match_extents(key, text((2, 6, 3)), "partial") == []  # not inside


def test_partial_without_heads_is_exact() -> None:
    key = text((0, 5, -1))
    assert match_extents(key, text((0, 4, -1)), "partial") == []
    assert match_extents(key, text((0, 5, -1)), "partial") == [(one(0, 5), one(0, 5))]


def test_minimum_contains_the_minimal_span() -> None:
    """MUC: at least the MIN, at most the whole."""
    key = make_document("d", [Mention(0, 6, "a", head=0, minimum=(3, 5))])
    assert match_extents(key, make_document("d", [Mention(2, 5, "a")]), "minimum") == [(one(0, 6), one(2, 5))]
    assert match_extents(key, make_document("d", [Mention(4, 6, "a")]), "minimum") == []  # contains half of the MIN
    assert match_extents(key, make_document("d", [Mention(3, 7, "a")]), "minimum") == []


def test_minimum_without_minimal_spans_is_exact() -> None:
    key = text((0, 5, 3))
    assert match_extents(key, text((3, 5, 3)), "minimum") == []
    assert match_extents(key, text((0, 5, 1)), "minimum") == [(one(0, 5), one(0, 5))]


@pytest.mark.parametrize("match", ["partial", "head"])
def test_minimal_spans_count_for_minimum_only(match: str) -> None:
    key = make_document("d", [Mention(0, 6, "a", head=4, minimum=(1, 3))])
    assert match_extents(key, make_document("d", [Mention(4, 6, "a", head=4)]), match) == [(one(0, 6), one(4, 6))]
    assert match_extents(key, make_document("d", [Mention(1, 3, "a", head=1)]), match) == []


def test_heads_of_a_response_without_minspan(tmp_path: Path) -> None:
    """The schema of the key has a field more than that of the response, and nothing else differs."""

    def write(name: str, schema: str, *entities: str) -> str:
        rows = [f"{number}\t{word}" + "\t_" * 7 + f"\tEntity={entity}" for number, (word, entity) in enumerate(
            zip(("the", "cat", "it"), entities, strict=True), 1)]  # fmt: skip
        lines = ["# newdoc id = d", f"# global.Entity = {schema}", "# sent_id = 1", *rows, "", ""]
        (tmp_path / name).write_text("\n".join(lines))
        return str(tmp_path / name)

    key = write("key.conllu", "eid-head-minspan", "(1-2-1,2", "1)", "(1-1-1)")
    response = write("response.conllu", "eid-head", "(1-2", "1)", "(1-1)")
    assert aune.score("coref", key, response, match="head")["conll"].f1 == 1
    assert aune.score("coref", key, response, convention="corefud")["conll"].f1 == 1


def test_what_recognises_mentions_is_missing() -> None:
    key, headless = make_document("d", [Mention(0, 5, "a", minimum=(3, 5))]), text((0, 5, -1))
    notes = {
        match: aune.score("coref", [key], [headless], measures=["mentions"], match=match).warnings
        for match in ("partial", "head")
    }
    assert notes == {
        "partial": [
            "response: the key names no heads in 1 document: match='partial' compares all tokens of a mention; "
            "match='minimum' compares its minimal spans"
        ],
        "head": [
            "response: the key names no heads in 1 document: match='head' takes the first token of a mention; "
            "match='minimum' compares its minimal spans",
            "response: the response names no heads in 1 document: match='head' takes the first token of a mention",
        ],
    }
    assert aune.score("coref", [headless], [key], measures=["mentions"], match="minimum").warnings == [
        "response: the key names no minimal spans in 1 document: match='minimum' compares all tokens of a mention"
    ]


def test_partial_prefers_the_exact_mention_then_the_longest() -> None:
    key = text((0, 5, 3), (2, 5, 3))
    response = text((3, 5, 3), (2, 5, 3))
    assert match_extents(key, response, "partial") == [(one(0, 5), one(3, 5)), (one(2, 5), one(2, 5))]
    assert match_extents(text((0, 6, 3)), text((3, 4, 3), (2, 6, 3), (1, 4, 3)), "partial") == [(one(0, 6), one(2, 6))]


def test_equal_shares_go_to_the_mention_that_starts_first() -> None:
    assert match_extents(text((0, 6, 3)), text((2, 5, 3), (1, 4, 3)), "partial") == [(one(0, 6), one(1, 4))]


def test_head_needs_the_same_head() -> None:
    key = text((0, 5, 3))
    assert match_extents(key, text((2, 8, 3)), "head") == [(one(0, 5), one(2, 8))]
    assert match_extents(key, text((0, 4, 2)), "head") == []
    assert match_extents(key, text((0, 5, 2)), "head") == []  # not even for the same tokens
    assert match_extents(key, text((0, 5, 3)), "head") == [(one(0, 5), one(0, 5))]


def test_a_head_that_nobody_names_is_the_first_token() -> None:
    """As in the CorefUD scorer, whose reader puts it there."""
    key = text((0, 5, 3))
    assert match_extents(key, text((2, 8, -1)), "head") == []  # though it holds the key's head
    assert match_extents(key, text((3, 8, -1)), "head") == [(one(0, 5), one(3, 8))]
    assert match_extents(key, text((0, 5, -1)), "head") == []  # not even for the same tokens
    assert match_extents(text((0, 5, -1)), text((0, 3, -1)), "head") == [(one(0, 5), one(0, 3))]


def test_a_response_without_heads_is_told() -> None:
    key, response = text((0, 5, 3), (6, 7, 6)), text((0, 5, -1), (6, 7, -1))
    result = aune.score("coref", [key], [response], measures=["mentions"], match="head")
    assert result.warnings == [
        "response: the response names no heads in 1 document: match='head' takes the first token of a mention"
    ]


def test_the_key_s_share_decides_between_mentions_of_one_head() -> None:
    """As in CRAC 2023: |K∩R| / |K|, whatever else the response holds."""
    assert match_extents(text((0, 4, 3)), text((3, 4, 3), (1, 9, 3)), "head") == [(one(0, 4), one(1, 9))]


def test_discontinuous_mentions_are_sets_of_tokens() -> None:
    key = make_document("d", [Mention(0, 6, "a", head=1, segments=((0, 2), (4, 6)))])
    inside = make_document("d", [Mention(1, 5, "a", segments=((1, 2), (4, 5)))])
    across = make_document("d", [Mention(0, 4, "a")])
    assert match_extents(key, key, "exact") == [([(0, 2), (4, 6)], [(0, 2), (4, 6)])]
    assert match_extents(key, make_document("d", [Mention(0, 6, "a")]), "exact") == []
    assert match_extents(key, inside, "partial") == [([(0, 2), (4, 6)], [(1, 2), (4, 5)])]
    assert match_extents(key, across, "partial") == []


def test_empty_nodes_are_matched_by_place() -> None:
    places = np.asarray([STEP, STEP + 1, STEP + 2, 2 * STEP])
    key = make_document(
        "d", [Mention(STEP + 1, STEP + 2, "a", head=STEP + 1)], tokens=["x", "", "", "y"], positions=places
    )
    same = make_document("d", [Mention(STEP + 1, STEP + 2, "b")], tokens=["x", "", "", "y"], positions=places)
    next_to = make_document("d", [Mention(STEP + 2, STEP + 3, "b")], tokens=["x", "", "", "y"], positions=places)
    for match in ("exact", "partial", "head"):
        assert len(match_extents(key, same, match)) == 1
        assert match_extents(key, next_to, match) == []


def test_a_response_without_empty_nodes_still_matches_words() -> None:
    places = np.asarray([STEP, STEP + 1, 2 * STEP])
    key = make_document(
        "d", [Mention(2 * STEP, 2 * STEP + 1, "a", head=2 * STEP)], tokens=["x", "", "y"], positions=places
    )
    response = make_document("d", [Mention(1, 2, "a", head=1)], tokens=["x", "y"])
    for match in ("exact", "partial", "head"):
        assert aune.score("coref", [key], [response], measures=["mentions"], match=match)["mentions"].f1 == 1


def with_nodes(tokens: list[int], mention: tuple[int, int], head: int = -1, chain: str = "a") -> Document:
    """A document whose tokens stand at these places, with one mention."""
    return make_document(
        "d",
        [Mention(*mention, chain, head=head)],
        tokens=[str(place) for place in tokens],
        positions=np.asarray(tokens),
    )


def test_an_empty_node_inside_on_one_side_only() -> None:
    """Sets of tokens, as in the CorefUD scorer: {1, 1.1, 2} and {1, 2} are not the same mention."""
    key = with_nodes([STEP, STEP + 1, 2 * STEP], (STEP, 2 * STEP + 1), STEP)
    response = with_nodes([STEP, 2 * STEP, 3 * STEP, 3 * STEP + 1], (STEP, 2 * STEP + 1), STEP)
    bare = make_document("d", [Mention(0, 2, "a", head=0)], tokens=["x", "y"])
    for other in (response, bare):
        assert match_extents(key, other, "exact") == []
        assert len(match_extents(key, other, "partial")) == 1  # {1, 2} lies inside {1, 1.1, 2}
        assert match_extents(other, key, "partial") == []  # and not the other way round
        assert len(match_extents(key, other, "head")) == 1
    skipped = make_document(
        "d", [Mention(STEP, 2 * STEP + 1, "a", segments=((STEP, STEP + 1), (2 * STEP, 2 * STEP + 1)))],
        tokens=["x", "", "y"], positions=np.asarray([STEP, STEP + 1, 2 * STEP]),
    )  # fmt: skip
    assert len(compare([(skipped, bare)]).matched[0]) == 1  # the same two words


SPANS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(0, 3)).map(
        lambda drawn: (drawn[0], drawn[0] + drawn[1], drawn[0] + min(drawn[2], drawn[1] - 1))
    ),
    unique_by=lambda span: span[:2],
    max_size=4,
)


@pytest.mark.parametrize("match", ["partial", "head"])
def test_loose_matches_are_the_first_of_the_best(match: str) -> None:
    """Against the definition: exact matches, then the best sum of |K∩R| / |K| over all pairings, then the first."""

    @settings(max_examples=300)
    @given(SPANS, SPANS)
    def check(key: list[Headed], response: list[Headed]) -> None:
        assert matched_spans(key, response, match) == by_definition(key, response, match)

    check()


@pytest.mark.parametrize("match", ["partial", "head"])
def test_equal_sums_around_one_head(match: str) -> None:
    """Where ties are many: 1/2 + 3/5 is 1/5 + 9/10."""
    random, spans = Random(1), list(product(range(4), range(4, 8), [3]))
    for _ in range(600):
        key, response = (random.sample(spans, random.randint(2, 4)) for _ in range(2))
        assert matched_spans(key, response, match) == by_definition(key, response, match)


def matched_spans(key: list[Headed], response: list[Headed], match: str) -> list[tuple[Span, Span]]:
    return [
        (key_chain[0], response_chain[0])
        for key_chain, response_chain in match_extents(text(*key), text(*response), match)
    ]


def by_definition(key: list[Headed], response: list[Headed], match: str) -> list[tuple[Span, Span]]:
    """The pairs that are certain, then the first of all pairings of the others with the largest sum of shares."""
    exact = [
        (key_chain, response_chain)
        for key_chain in key
        for response_chain in response
        if key_chain[:2] == response_chain[:2] and (match == "partial" or key_chain[2] == response_chain[2])
    ]
    left = sorted(set(key) - {key_chain for key_chain, _ in exact})
    right = sorted(set(response) - {response_chain for _, response_chain in exact})

    def is_allowed(key_mention: Headed, response_mention: Headed) -> bool:
        inside = (
            key_mention[0] <= response_mention[0]
            and response_mention[1] <= key_mention[1]
            and response_mention[0] <= key_mention[2] < response_mention[1]
        )
        return inside if match == "partial" else key_mention[2] == response_mention[2]

    def share(key_mention: Headed, response_mention: Headed) -> Fraction:
        return Fraction(
            len(set(range(*key_mention[:2])) & set(range(*response_mention[:2]))), key_mention[1] - key_mention[0]
        )

    pairs = exact + first_of_the_best(left, right, lambda *pair: share(*pair) if is_allowed(*pair) else Fraction(0))
    return sorted((key_chain[:2], response_chain[:2]) for key_chain, response_chain in pairs)


def first_of_the_best(
    left: Sequence[Thing], right: Sequence[Thing], worth: Callable[[Thing, Thing], Fraction]
) -> list[tuple[Thing, Thing]]:
    """The first of all pairings with the largest sum: each on the left, in turn, has the first that it can have."""

    def pairings(number: int, free: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if number == len(left):
            yield ()
            return
        for choice in (*free, len(right)):  # the last one is nobody
            if choice == len(right) or worth(left[number], right[choice]):
                rest = tuple(item for item in free if item != choice)
                yield from ((choice, *others) for others in pairings(number + 1, rest))

    def total(pairing: tuple[int, ...]) -> Fraction:
        return sum((worth(left[i], right[j]) for i, j in enumerate(pairing) if j < len(right)), Fraction(0))

    first = min(pairings(0, tuple(range(len(right)))), key=lambda pairing: (-total(pairing), pairing))
    return [(left[i], right[j]) for i, j in enumerate(first) if j < len(right)]


LINKS = st.frozensets(st.tuples(st.integers(0, 2), st.sampled_from(["nsubj", "obj"])), min_size=1, max_size=3)


@settings(max_examples=200)
@given(st.lists(LINKS, max_size=4), st.lists(LINKS, max_size=4))
def test_zeros_that_depend_alike_are_the_first_of_the_best(
    key: list[frozenset[tuple[int, str]]], response: list[frozenset[tuple[int, str]]]
) -> None:
    def agreement(item: frozenset[Any], other: frozenset[Any]) -> Fraction:
        return Fraction(2 * len(item & other), len(item) + len(other))

    def worth(key_chain: int, response_chain: int) -> Fraction:
        pair = key[key_chain], response[response_chain]
        parents = [frozenset(parent for parent, _ in links) for links in pair]
        return 10 * agreement(*pair) + agreement(*parents)

    result = compare([(zeros(key, 1), zeros(response, 60))], zeros="dependent").matched
    pairs = sorted(zip(*(numbers.tolist() for numbers in result), strict=True))
    assert pairs == first_of_the_best(range(len(key)), range(len(response)), worth)


def zeros(links: list[frozenset[tuple[int, str]]], first: int) -> Document:
    """Empty nodes one after the other, behind the first word; where they stand says nothing when `first` differs."""
    places = [STEP + first + number for number in range(len(links))]
    mentions = [Mention(place, place + 1, number, head=place) for number, place in enumerate(places)]
    made = make_document("d", mentions, tokens=["x", *("" for _ in places), "y"],
                    positions=np.asarray([STEP, *places, 2 * STEP]))  # fmt: skip
    return replace(made, dependencies=dict(enumerate(links)))


@pytest.mark.parametrize("match", ["partial", "head"])
def test_very_many_mentions_of_one_head_take_no_time(match: str) -> None:
    size = 500
    key = text(*((number, 2 * size, 2 * size - 1) for number in range(size)))
    response = text(*((number, 2 * size + 1 - (match == "partial"), 2 * size - 1) for number in range(size, 2 * size)))
    start = time.process_time()
    assert len(match_extents(key, response, match)) == size
    assert time.process_time() - start < 10


def test_too_many_mentions_of_one_head_are_refused() -> None:
    size = 1_500
    key = text(*((number, 2 * size, 2 * size - 1) for number in range(size)))
    response = text(*((number, 2 * size, 2 * size - 1) for number in range(size, 2 * size - 1)))
    with pytest.raises(aune.UsageError, match="document 'd'"):
        match_extents(key, response, "head")
