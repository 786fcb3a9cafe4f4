"""The seven kinds of error: hand-made cases, sums that add up, and a corrected response that is the key."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.error_record import ErrorRecord
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.errors import KINDS, correct_response, diagnosis, errors
from aune.tasks.coref.measures import conll, muc
from aune.tasks.coref.model import Mention, documents, make_document
from aune.tasks.coref.pair_comparison import compare

A, B, C, D, E = (0, 1), (2, 3), (4, 5), (6, 7), (8, 9)


def compare_sides(key: Any, response: Any) -> Comparison:
    return compare(list(zip(documents(key), documents(response), strict=True)))


def kinds(key: Any, response: Any) -> dict[str, int]:
    return dict(Counter(case.kind for case in errors(compare_sides(key, response))))


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ([[A, B, C]], [[A, B, C]], {}),
        ([[A, B, C]], [[A, B], [C]], {"divided entity": 1}),
        ([[A, B, C]], [[A], [B], [C]], {"divided entity": 2}),
        ([[A, B], [C]], [[A, B, C]], {"conflated entities": 1}),
        ([[A, B], [C], [D]], [[A, B, C, D]], {"conflated entities": 2}),
        ([[A, B]], [[A, B, C]], {"extra mention": 1}),
        ([[A, B]], [[A, B], [C, D, E]], {"extra entity": 1}),
        ([[A, B, C]], [[A, B]], {"missing mention": 1}),
        ([[A, B], [C, D]], [[A, B]], {"missing entity": 1}),
        ([[(0, 3), B]], [[(0, 2), B]], {"span error": 1}),
        ([[(0, 4), C]], [[(3, 4), C]], {"missing mention": 1, "extra mention": 1}),
        ([[A, B], [C, D]], [[A, C], [B, D]], {"conflated entities": 2, "divided entity": 2}),
        ([[A, B], [C, D]], [[A, (2, 4), C], [E]], {
            "span error": 1, "conflated entities": 1, "extra entity": 1, "missing mention": 1,
        }),
    ],
)  # fmt: skip
def test_kinds_by_hand(key: Any, response: Any, expected: dict[str, int]) -> None:
    assert kinds(key, response) == expected


def test_a_case_says_where_and_what() -> None:
    text = ["Tom", "met", "Ann", ".", "He", "liked", "her", "."]
    mentions = [Mention(0, 1, "t"), Mention(2, 3, "a"), Mention(4, 5, "t"), Mention(6, 7, "a")]
    wrong = [Mention(0, 1, "t"), Mention(2, 3, "a"), Mention(4, 5, "a"), Mention(6, 7, "a")]
    key, response = make_document("d", mentions, tokens=text), make_document("d", wrong, tokens=text)
    conflated, divided = errors(compare([(key, response)]))
    assert conflated == ErrorRecord(
        "d",
        (4, 5),
        "conflated entities",
        "He",
        "Ann · her",
        "Tom met Ann . [ He ] liked her .",
        1.0,
        {"mention": "1 token", "mentions": "1"},
    )
    assert (divided.kind, divided.key, divided.response) == ("divided entity", "Tom", "He")


def test_heads_decide_what_a_span_error_is() -> None:
    key = make_document("d", [Mention(0, 6, 1, head=5), Mention(8, 9, 1, head=8)])
    near = make_document("d", [Mention(5, 6, 1, head=5), Mention(8, 9, 1, head=8)])
    far = make_document("d", [Mention(0, 5, 1, head=4), Mention(8, 9, 1, head=8)])
    assert [case.kind for case in errors(compare([(key, near)]))] == ["span error"]
    assert [case.kind for case in errors(compare([(key, far)]))] == ["extra mention", "missing mention"]


@st.composite
def chains(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    """Chains over spans that may overlap."""
    spans = draw(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 3)), min_size=1, max_size=12, unique=True))
    result: dict[int, list[tuple[int, int]]] = {}
    for start, length in spans:
        result.setdefault(draw(st.integers(0, 3)), []).append((start, start + length))
    return list(result.values())


CORPORA = st.lists(st.tuples(chains(), chains()), min_size=1, max_size=3)


def corpus(pairs: list[tuple[Any, Any]]) -> Comparison:
    names = [f"d{index}" for index in range(len(pairs))]
    return compare_sides(
        dict(zip(names, (key for key, _ in pairs), strict=True)),
        dict(zip(names, (response for _, response in pairs), strict=True)),
    )


@given(CORPORA)
def test_costs_add_up_to_the_link_errors_of_muc(pairs: list[tuple[Any, Any]]) -> None:
    comparison = corpus(pairs)
    links = muc.count(comparison)
    wrong = links.key_links + links.response_links - 2 * links.common_links
    assert sum(case.cost for case in errors(comparison)) == wrong.sum()


@given(CORPORA)
def test_mentions_add_up_to_those_without_a_match(pairs: list[tuple[Any, Any]]) -> None:
    comparison = corpus(pairs)
    table = comparison.conll
    mentions: Counter[str] = Counter()
    for case in errors(comparison):
        mentions[case.kind] += int(case.attributes["mentions"])
    common = table.common_mentions.sum()
    missed = mentions["span error"] + mentions["missing mention"] + mentions["missing entity"]
    spurious = mentions["span error"] + mentions["extra mention"] + mentions["extra entity"]
    assert (missed, spurious) == (table.key_mentions.sum() - common, table.response_mentions.sum() - common)


@given(CORPORA)
def test_with_everything_corrected_the_response_is_the_key(pairs: list[tuple[Any, Any]]) -> None:
    mended = correct_response(corpus(pairs), KINDS)
    assert errors(mended) == []
    perfect = compare([(key, key) for key, _ in mended.pairs])
    for measure in (muc, conll):
        assert str(measure.count(mended)) == str(measure.count(perfect))


@given(CORPORA, st.sampled_from(KINDS))
def test_correcting_one_kind_leaves_none_of_it(pairs: list[tuple[Any, Any]], kind: str) -> None:
    left = Counter(case.kind for case in errors(correct_response(corpus(pairs), [kind])))
    if kind not in ("span error", "divided entity"):  # a new extent may turn out to be in the way of another
        assert left[kind] == 0
    assert correct_response(corpus(pairs), []).conll.cells.sum() == corpus(pairs).conll.cells.sum()


@settings(max_examples=30)
@given(CORPORA, st.randoms(use_true_random=False))
def test_order_changes_nothing(pairs: list[tuple[Any, Any]], rng: Any) -> None:
    shuffled = [tuple(rng.sample([rng.sample(c, len(c)) for c in side], len(side)) for side in pair) for pair in pairs]
    assert errors(corpus(pairs)) == errors(corpus(shuffled))  # type: ignore[arg-type]


def test_the_gains_in_turn_add_up_to_what_is_missing() -> None:
    from aune.explain.analysis import study

    outcome = study("coref", [[A, B, C], [D, E]], {"s": [[A, B, D], [C], [(20, 21)]]}, measures=["conll", "b_cubed"])
    for measure in ("conll", "b_cubed"):
        rows = outcome.kinds("s", measure)
        assert sum(row.in_turn or 0 for row in rows) == pytest.approx(1 - (outcome.result["s", measure].main or 0))


def test_the_task_lists_its_errors() -> None:
    assert registry.task("coref").explaining.errors is errors


def test_wrong_extents_are_the_first_of_the_pairings_that_share_most() -> None:
    """Against all pairings of mentions that no other mention matches and that share half of the longer one."""
    random, spans = Random(3), [(start, start + size) for start in range(4) for size in (2, 3, 4)]
    for _ in range(300):
        key_chain, response_chain = (sorted(random.sample(spans, random.randint(2, 4))) for _ in range(2))
        sides = [
            make_document("d", [Mention(*span, number) for number, span in enumerate(side)])
            for side in (key_chain, response_chain)
        ]
        result = diagnosis(compare([(sides[0], sides[1])])).span_pairs
        assert result == first_that_shares_most(key_chain, response_chain)


def first_that_shares_most(
    key_chain: list[tuple[int, int]], response_chain: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    shared = {
        (i, j): len(set(range(*item)) & set(range(*other)))
        for i, item in enumerate(key_chain)
        for j, other in enumerate(response_chain)
        if item not in response_chain and other not in key_chain
    }
    allowed = [
        (i, j) for (i, j), common in shared.items()
        if common and 2 * common >= max(key_chain[i][1] - key_chain[i][0], response_chain[j][1] - response_chain[j][0])
    ]  # fmt: skip
    pairings = [
        pairs
        for size in range(5)
        for pairs in combinations(allowed, size)
        if len({i for i, _ in pairs}) == len({j for _, j in pairs}) == size
    ]

    def rank(pairs: tuple[tuple[int, int], ...]) -> tuple[int, list[int]]:
        answer = dict(pairs)
        return -sum(shared[pair] for pair in pairs), [answer.get(i, len(response_chain)) for i in range(len(key_chain))]

    return sorted(min(pairings, key=rank))
