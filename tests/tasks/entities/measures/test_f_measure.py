"""Precision, recall and F: every way to be correct, labels, and what an empty side gives."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract.registry import measure
from tests.tasks.entities.pairings import Triple, all_pairings, kind_of, meet

F = measure("entities.f_measure")
KEY = [(0, 2, "PER"), (4, 6, "LOC"), (8, 9, "ORG")]


@pytest.mark.parametrize(("match", "correct"), [("strict", 1), ("boundary", 2), ("type", 2), ("overlap", 3)])
def test_ways_to_match(match: str, correct: int) -> None:
    response = [(0, 2, "PER"), (3, 6, "LOC"), (8, 9, "MISC"), (11, 12, "PER")]
    score = F(KEY, response, match=match)
    assert (score.recall, score.precision) == (correct / 3, correct / 4)


@given(*[st.integers(0, 6)] * 4)
def test_what_is_missed_or_made_up_weighs_half(right: int, wrong: int, missed: int, made_up: int) -> None:
    """Makhoul et al. 1999 (the thesis, §4.3): F is C / (C + S + (D + I)/2), where SER counts D and I as S."""
    key = [(place, place + 1, "A") for place in range(right + wrong + missed)]
    response = [(place, place + 1, "A" if place < right else "B") for place in range(right + wrong)]
    response += [(place, place + 1, "A") for place in range(50, 50 + made_up)]
    if key or response:
        half = right + wrong + (missed + made_up) / 2
        assert F(key, response).f1 == pytest.approx(right / half)


@pytest.mark.parametrize("order", [0, 1])
def test_one_strict_match_in_any_order(order: int) -> None:
    response = [(3, 5, "A"), (4, 6, "B")]
    score = F([(4, 6, "B")], response[:: 1 - 2 * order])
    assert score.counts == {"key_correct": 1, "key": 1, "response_correct": 1, "response": 2}
    assert F([(4, 6, "B")], response[:: 1 - 2 * order], match="type").counts["key_correct"] == 1


def test_two_responses_never_share_a_key_entity() -> None:
    score = F([(0, 6, "A")], [(0, 2, "A"), (3, 5, "A")], match="type")
    assert score.counts["key_correct"] == score.counts["response_correct"] == 1


def test_optimal_where_the_first_overlap_is_not() -> None:
    # The first key entity meets both responses, the second only the first one: taking the first overlap loses one.
    key, response = [(0, 4, "A"), (4, 6, "A")], [(3, 5, "A"), (0, 3, "A")]
    assert F(key, response, match="type").f1 == 1.0
    assert F([(0, 2, "A"), (2, 4, "A")], [(1, 3, "A"), (0, 1, "A")], match="type").f1 == 1.0
    assert F([(0, 2, "B"), (2, 4, "A")], [(1, 3, "A")], match="type", convention="hipe").f1 == 0.0
    assert F([(0, 2, "B"), (2, 4, "A")], [(1, 3, "A")], match="type").recall == 0.5


def test_per_label_and_macro() -> None:
    response = [(0, 2, "PER"), (4, 6, "ORG"), (8, 9, "ORG")]
    result = aune.score("entities", KEY, response, measures=["f_measure", "macro(f_measure, by=label)"])
    by_label = result["f_measure"].by("label")
    assert by_label["PER"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert by_label["ORG"] == {"precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)}
    assert by_label["LOC"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert result.scores[1].f1 == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_sentences_are_units() -> None:
    key = [["B-PER", "O"], ["O"], ["B-LOC", "I-LOC"]]
    response = [["B-PER", "O"], ["O"], ["B-LOC", "B-LOC"]]
    score = F(key, response)
    assert list(score.by("sentence")) == ["document:1", "document:2", "document:3"]
    assert [row["f1"] for row in score.by("sentence").values()] == [1.0, 0.0, 0.0]
    assert set(score.by("label")) == {"PER", "LOC"}


def test_f1_is_the_name_of_beta_1_alone() -> None:
    twice = F(KEY, KEY[:1], beta=2.0)
    assert twice.measure.headline == "f(beta=2)" and list(twice.entry()["values"]) == [
        "precision",
        "recall",
        "f(beta=2)",
    ]
    with pytest.raises(AttributeError, match=r"no value 'f1': it has precision, recall, f\(beta=2\)"):
        _ = twice.f1
    result = aune.score("entities", KEY, KEY[:1], measures=["f_measure(beta=2)", "f1", "mean(f_measure(beta=2), f1)"])
    assert result.scores[0].main == twice.main
    assert result.scores[2].main == pytest.approx((result.scores[0].main + result["f1"].f1) / 2)


def test_beta_and_undefined() -> None:
    assert F(KEY, KEY[:1], beta=2.0)["f(beta=2)"] == pytest.approx(5 * (1 / 3) / (4 + 1 / 3))
    assert F(KEY, []).f1 == 0.0
    assert F(KEY, [], undefined="none").f1 is None
    assert F(KEY, [], undefined="none").recall == 0.0
    assert F([], [], undefined="one").f1 == 1.0


def test_labels_and_depth_restrict_what_counts() -> None:
    key, response = [(0, 1, "loc.adm.town"), (2, 3, "pers.ind")], [(0, 1, "loc.adm.nat"), (2, 3, "pers.coll")]
    assert F(key, response).f1 == 0.0
    assert F(key, response, depth=1).f1 == 1.0
    assert F(key, response, labels=("loc",), depth=2).counts["key"] == 1
    assert F(key, response, labels=("lo",)).counts["key"] == 0


def test_discontinuous_entities() -> None:
    from aune.tasks.entities.model import Span, make_document

    key = make_document("d", [Span(0, 6, "A", segments=((0, 2), (4, 6)))])
    assert F(key, key).f1 == 1.0
    assert F(key, make_document("d", [Span(0, 6, "A")])).f1 == 0.0
    assert F(key, make_document("d", [Span(2, 4, "A")]), match="overlap").f1 == 0.0  # in the gap: nothing shared
    assert F(key, make_document("d", [Span(3, 5, "A")]), match="overlap").f1 == 1.0


def test_a_key_entity_taken_twice_is_found_once() -> None:
    """As the HIPE scorer pairs them, (0, 2) takes the key's entity and (1, 3), which is exact, takes it again."""
    score = F([(1, 3, "A"), (4, 5, "A")], [(0, 2, "A"), (1, 3, "A")], match="type", convention="hipe")
    assert (score.recall, score.precision) == (0.5, 1.0)


spans = runpy.run_path(str(Path(__file__).parent.parent / "strategies.py"))["spans"]


CORRECT = {
    "strict": {"correct"},
    "boundary": {"correct", "type", "subtype"},
    "type": {"correct", "boundary"},
    "overlap": {"correct", "type", "subtype", "boundary", "type_boundary", "subtype_boundary"},
}


@given(spans(5, 7), spans(5, 7), st.sampled_from(sorted(CORRECT)), st.sampled_from([0.5, 1.0, 2.0]))
def test_as_many_correct_pairs_as_can_be(key: list[Triple], response: list[Triple], match: str, beta: float) -> None:
    correct = max(
        sum(kind_of(key[a], response[b]) in CORRECT[match] for a, b in pairs) for pairs in all_pairings(key, response)
    )
    recall, precision = (correct / len(side) if side else 0.0 for side in (key, response))
    below = beta**2 * precision + recall
    score = F(key, response, match=match, beta=beta)
    assert (score.recall, score.precision) == (recall, precision)
    assert score.main == pytest.approx((1 + beta**2) * precision * recall / below if below else 0.0)


@given(spans(5, 7), spans(5, 7), st.sampled_from(["strict", "type"]))
def test_hipe_takes_the_first_that_it_meets(key: list[Triple], response: list[Triple], match: str) -> None:
    """The rules of its scorer, one response entity after the other."""
    keys, responses = (sorted(side, key=lambda span: (span[0], -span[1], span[2])) for side in (key, response))
    taken: set[Triple] = set()
    right: set[Triple] = set()
    for span in responses:
        met = [other for other in keys if meet(other, span)]
        choices = [span] if span in met else [other for other in met if other[:2] == span[:2] or other not in taken]
        taken.update(choices[:1])
        right.update(other for other in choices[:1] if kind_of(other, span) in CORRECT[match])
    assert F(key, response, match=match, pairing="first").recall == (len(right) / len(keys) if keys else 0.0)
