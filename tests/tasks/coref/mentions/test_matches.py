"""When a mention of the response is a mention of the key: the rules of the CorefUD scorer, and ours."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.coref.comparing import compare
from aune.tasks.coref.model import STEP, Document, Mention, document

Spans = list[tuple[int, int]]


def matched(key: Document, response: Document, match: str) -> list[tuple[Spans, Spans]]:
    """The matched extents, in the order of the key."""
    found = compare([(key, response)], match=match)  # type: ignore[arg-type]
    pairs = zip(*(numbers.tolist() for numbers in found.matched), strict=True)
    return sorted((parts(key, one), parts(response, other)) for one, other in pairs)


def parts(found: Document, mention: int) -> Spans:
    return list(found.segments.get(mention, ())) or [tuple(found.spans[mention].tolist())]


def text(*mentions: tuple[int, int, int]) -> Document:
    """Mentions as start, end and head."""
    return document("d", [Mention(start, end, number, head=head) for number, (start, end, head) in enumerate(mentions)])


def one(start: int, end: int) -> Spans:
    return [(start, end)]


def test_exact_needs_the_same_tokens() -> None:
    key, response = text((0, 3, 1), (5, 6, 5)), text((0, 2, 1), (5, 6, 5))
    assert matched(key, response, "exact") == [(one(5, 6), one(5, 6))]


def test_partial_lies_inside_and_holds_the_head() -> None:
    key = text((0, 5, 3))
    assert matched(key, text((2, 5, 2)), "partial") == [(one(0, 5), one(2, 5))]  # its own head does not matter
    assert matched(key, text((0, 3, 1)), "partial") == []  # without the head
    assert matched(key, text((2, 6, 3)), "partial") == []  # not inside


def test_partial_without_heads_is_exact() -> None:
    key = text((0, 5, -1))
    assert matched(key, text((0, 4, -1)), "partial") == []
    assert matched(key, text((0, 5, -1)), "partial") == [(one(0, 5), one(0, 5))]


def test_partial_with_minimal_spans() -> None:
    """MUC: at least the MIN, at most the whole."""
    key = document("d", [Mention(0, 6, "a", minimum=(3, 5))])
    assert matched(key, document("d", [Mention(2, 5, "a")]), "partial") == [(one(0, 6), one(2, 5))]
    assert matched(key, document("d", [Mention(4, 6, "a")]), "partial") == []  # holds half of the MIN
    assert matched(key, document("d", [Mention(3, 7, "a")]), "partial") == []


def test_partial_prefers_the_exact_mention_then_the_longest() -> None:
    key = text((0, 5, 3), (2, 5, 3))
    response = text((3, 5, 3), (2, 5, 3))
    assert matched(key, response, "partial") == [(one(0, 5), one(3, 5)), (one(2, 5), one(2, 5))]
    assert matched(text((0, 6, 3)), text((3, 4, 3), (2, 6, 3), (1, 4, 3)), "partial") == [(one(0, 6), one(2, 6))]


def test_equal_shares_go_to_the_mention_that_starts_first() -> None:
    assert matched(text((0, 6, 3)), text((2, 5, 3), (1, 4, 3)), "partial") == [(one(0, 6), one(1, 4))]


def test_head_needs_the_same_head() -> None:
    key = text((0, 5, 3))
    assert matched(key, text((2, 8, 3)), "head") == [(one(0, 5), one(2, 8))]
    assert matched(key, text((0, 4, 2)), "head") == []
    assert matched(key, text((0, 5, 2)), "head") == []  # not even for the same tokens
    assert matched(key, text((0, 5, 3)), "head") == [(one(0, 5), one(0, 5))]


def test_a_head_that_nobody_names_is_the_first_token() -> None:
    """As in the CorefUD scorer, whose reader puts it there."""
    key = text((0, 5, 3))
    assert matched(key, text((2, 8, -1)), "head") == []  # though it holds the key's head
    assert matched(key, text((3, 8, -1)), "head") == [(one(0, 5), one(3, 8))]
    assert matched(key, text((0, 5, -1)), "head") == []  # not even for the same tokens
    assert matched(text((0, 5, -1)), text((0, 3, -1)), "head") == [(one(0, 5), one(0, 3))]


def test_a_response_without_heads_is_told() -> None:
    key, response = text((0, 5, 3), (6, 7, 6)), text((0, 5, -1), (6, 7, -1))
    result = aune.score("coref", [key], [response], measures=["mentions"], match="head")
    assert result.warnings == [
        "response: the response names no heads in 1 document: --match head takes the first token of a mention"
    ]


def test_the_key_s_share_decides_between_mentions_of_one_head() -> None:
    """As in CRAC 2023: |K∩R| / |K|, whatever else the response holds."""
    assert matched(text((0, 4, 3)), text((3, 4, 3), (1, 9, 3)), "head") == [(one(0, 4), one(1, 9))]


def test_discontinuous_mentions_are_sets_of_tokens() -> None:
    key = document("d", [Mention(0, 6, "a", head=1, segments=((0, 2), (4, 6)))])
    inside = document("d", [Mention(1, 5, "a", segments=((1, 2), (4, 5)))])
    across = document("d", [Mention(0, 4, "a")])
    assert matched(key, key, "exact") == [([(0, 2), (4, 6)], [(0, 2), (4, 6)])]
    assert matched(key, document("d", [Mention(0, 6, "a")]), "exact") == []
    assert matched(key, inside, "partial") == [([(0, 2), (4, 6)], [(1, 2), (4, 5)])]
    assert matched(key, across, "partial") == []


def test_empty_nodes_are_matched_by_place() -> None:
    places = np.asarray([STEP, STEP + 1, STEP + 2, 2 * STEP])
    key = document("d", [Mention(STEP + 1, STEP + 2, "a", head=STEP + 1)], tokens=["x", "", "", "y"], positions=places)
    same = document("d", [Mention(STEP + 1, STEP + 2, "b")], tokens=["x", "", "", "y"], positions=places)
    next_to = document("d", [Mention(STEP + 2, STEP + 3, "b")], tokens=["x", "", "", "y"], positions=places)
    for match in ("exact", "partial", "head"):
        assert len(matched(key, same, match)) == 1
        assert matched(key, next_to, match) == []


def test_a_response_without_empty_nodes_still_matches_words() -> None:
    places = np.asarray([STEP, STEP + 1, 2 * STEP])
    key = document("d", [Mention(2 * STEP, 2 * STEP + 1, "a", head=2 * STEP)], tokens=["x", "", "y"], positions=places)
    response = document("d", [Mention(1, 2, "a", head=1)], tokens=["x", "y"])
    for match in ("exact", "partial", "head"):
        assert aune.score("coref", [key], [response], measures=["mentions"], match=match)["mentions"].f1 == 1


def with_nodes(tokens: list[int], mention: tuple[int, int], head: int = -1, chain: str = "a") -> Document:
    """A document whose tokens stand at these places, with one mention."""
    return document(
        "d",
        [Mention(*mention, chain, head=head)],
        tokens=[str(place) for place in tokens],
        positions=np.asarray(tokens),
    )


def test_an_empty_node_inside_on_one_side_only() -> None:
    """Sets of tokens, as in the CorefUD scorer: {1, 1.1, 2} and {1, 2} are not the same mention."""
    key = with_nodes([STEP, STEP + 1, 2 * STEP], (STEP, 2 * STEP + 1), STEP)
    response = with_nodes([STEP, 2 * STEP, 3 * STEP, 3 * STEP + 1], (STEP, 2 * STEP + 1), STEP)
    bare = document("d", [Mention(0, 2, "a", head=0)], tokens=["x", "y"])
    for other in (response, bare):
        assert matched(key, other, "exact") == []
        assert len(matched(key, other, "partial")) == 1  # {1, 2} lies inside {1, 1.1, 2}
        assert matched(other, key, "partial") == []  # and not the other way round
        assert len(matched(key, other, "head")) == 1
    skipped = document(
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
def test_loose_matches_are_as_many_as_the_scorer_would_find(match: str) -> None:
    """Against the definition: exact matches first, then the best sum of |K∩R| / |K| over all pairings."""

    @given(SPANS, SPANS)
    def check(key: list[tuple[int, int, int]], response: list[tuple[int, int, int]]) -> None:
        found = matched(text(*key), text(*response), match)
        expected, total = by_definition(key, response, match)
        assert set(expected) <= set(map(_spans, found))
        shares = [share(left, right) for left, right in map(_spans, found)]
        assert sum(shares) == pytest.approx(total)

    check()


def _spans(pair: tuple[Spans, Spans]) -> tuple[tuple[int, int], tuple[int, int]]:
    return pair[0][0], pair[1][0]


def share(key: tuple[int, ...], response: tuple[int, ...]) -> float:
    mine, theirs = set(range(*key[:2])), set(range(*response[:2]))
    return len(mine & theirs) / len(mine)


def by_definition(
    key: list[tuple[int, int, int]], response: list[tuple[int, int, int]], match: str
) -> tuple[list[tuple[tuple[int, int], tuple[int, int]]], float]:
    """The pairs that are certain, and the sum of shares of all pairs."""
    exact = [
        (mine, theirs)
        for mine in key
        for theirs in response
        if mine[:2] == theirs[:2] and (match == "partial" or mine[2] == theirs[2])
    ]
    left = [mine for mine in key if mine not in [one for one, _ in exact]]
    right = [theirs for theirs in response if theirs not in [other for _, other in exact]]

    def worth(mine: tuple[int, int, int], theirs: tuple[int, int, int]) -> float:
        inside = mine[0] <= theirs[0] and theirs[1] <= mine[1] and theirs[0] <= mine[2] < theirs[1]
        return share(mine, theirs) if (inside if match == "partial" else mine[2] == theirs[2]) else 0.0

    few, many = sorted((left, right), key=len)
    pairings = [
        zip(chosen, right, strict=True) if many is left else zip(left, chosen, strict=True)
        for chosen in permutations(many, len(few))
    ]
    best = max(sum(worth(mine, theirs) for mine, theirs in pairing) for pairing in pairings)
    return [(one[:2], other[:2]) for one, other in exact], len(exact) + best
