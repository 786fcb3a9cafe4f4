"""cpWER and tcpWER: by hand, by trying every pairing of speakers, and as meeteval has them."""

from __future__ import annotations

import warnings
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.tasks.speech.alignment.meetings import (
    NO_SPEAKER,
    SpeakerWords,
    pair_speakers,
    speaker_streams,
    time_constrained,
    untimed_errors,
)
from aune.tasks.speech.model import Recording, Utterance

WORDS = st.lists(st.sampled_from(["yes", "no", "well", "a", "goodness"]), max_size=5).map(" ".join)


@st.composite
def segments(draw: st.DrawFn, speakers: str) -> list[dict[str, Any]]:
    """The segments of two sessions as SegLST has them, with speakers who may interrupt themselves."""
    result = []
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, 40)) / 4
        result.append({
            "session_id": draw(st.sampled_from(["s1", "s2"])), "speaker": draw(st.sampled_from(list(speakers))),
            "start_time": start, "end_time": start + draw(st.integers(1, 20)) / 4, "words": draw(WORDS),
        })  # fmt: skip
    return [{**segment, "session_id": "s1"} for segment in result[:1]] + result[1:]


def recordings(result: list[dict[str, Any]]) -> list[Recording]:
    sessions: dict[str, list[Utterance]] = {}
    for number, item in enumerate(result):
        span = item["start_time"], item["end_time"]
        part = Utterance(str(number), item["words"], {"speaker": item["speaker"]}, span=span)
        sessions.setdefault(item["session_id"], []).append(part)
    return [Recording(name, tuple(parts)) for name, parts in sessions.items()]


def with_every_session(key: list[dict[str, Any]], response: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """meeteval refuses a response that lacks a session: an empty segment stands for it."""
    missing = {item["session_id"] for item in key} - {item["session_id"] for item in response}
    empty = [
        {"session_id": name, "speaker": "A", "start_time": 0.0, "end_time": 1.0, "words": ""}
        for name in sorted(missing)
    ]
    known = {item["session_id"] for item in key}
    return [item for item in response if item["session_id"] in known] + empty


@settings(deadline=None)
@given(segments("xyz"), segments("ABC"), st.sampled_from([0.5, 1.0, 5.0]))
def test_meeteval_has_the_same_totals(key: Any, response: Any, collar: float) -> None:
    meeteval = pytest.importorskip("meeteval", reason="meeteval is not installed")
    response = with_every_session(key, response)
    sides = [meeteval.io.SegLST(side) for side in (key, response)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = sum(meeteval.wer.cpwer(*sides).values()), sum(meeteval.wer.tcpwer(*sides, collar=collar).values())
    result = aune.score("speech", recordings(key), recordings(response), measures=["cp_wer", "tcp_wer"], collar=collar)
    for name, peer in zip(("cp_wer", "tcp_wer"), expected, strict=True):
        counts = result[name].counts
        assert counts["substitutions"] + counts["deletions"] + counts["insertions"] == peer.errors
        assert counts["correct"] + counts["substitutions"] + counts["deletions"] == peer.length


def slow(key: SpeakerWords, response: SpeakerWords, collar: float | None) -> int:
    """The fewest errors, cell by cell."""
    rows = [[i + j for j in range(len(response.words) + 1)] for i in range(len(key.words) + 1)]
    for i, word in enumerate(key.words):
        for j, heard in enumerate(response.words):
            middle = (response.begin[j] + response.end[j]) / 2
            near = collar is None or (key.begin[i] < middle + collar and key.end[i] > middle - collar)
            pair = [rows[i][j] + (word != heard)] if near else []
            rows[i + 1][j + 1] = min([rows[i][j + 1] + 1, rows[i + 1][j] + 1, *pair])
    return rows[-1][-1]


@given(segments("x"), segments("A"), st.sampled_from([0.25, 1.0, 5.0]))
def test_errors_of_two_speakers_cell_by_cell(key: Any, response: Any, collar: float) -> None:
    spoken, heard = (
        speaker_streams(recordings([{**item, "session_id": "s1"} for item in side])[0]) for side in (key, response)
    )
    first, other = next(iter(spoken.values())), next(iter(heard.values()))
    assert untimed_errors(first, other).errors == slow(first, other, None)
    assert time_constrained(collar)(first, other).errors == slow(first, other, collar)


@given(segments("xyz"), segments("ABC"))
def test_no_other_pairing_of_speakers_has_fewer_errors(key: Any, response: Any) -> None:
    key, response = ([{**item, "session_id": "s1"} for item in side] for side in (key, response))
    spoken, heard = (speaker_streams(recordings(side)[0]) for side in (key, response))
    size = max(len(spoken), len(heard))
    nobody = SpeakerWords([], next(iter(spoken.values())).begin[:0], next(iter(spoken.values())).end[:0])
    keys = [*spoken.values(), *[nobody] * (size - len(spoken))]
    responses = [*heard.values(), *[nobody] * (size - len(heard))]
    least = min(
        sum(slow(first, other, None) for first, other in zip(keys, order, strict=True))
        for order in permutations(responses)
    )
    counts = aune.score("speech", recordings(key), recordings(response), measures=["cp_wer"])["cp_wer"].counts
    assert counts["substitutions"] + counts["deletions"] + counts["insertions"] == least


@given(segments("xyz"), segments("ABC"))
def test_equals_are_paired_by_name(key: Any, response: Any) -> None:
    """Which speakers are shown as one another's is nobody's choice: the first of all best pairings."""
    sides = [speaker_streams(recordings(side)[0]) for side in (key, response)]
    size = max(map(len, sides))
    keys, responses = ([*side.items(), *[("", NO_SPEAKER)] * (size - len(side))] for side in sides)

    def cost(order: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        result = [untimed_errors(spoken, responses[place][1]) for (_, spoken), place in zip(keys, order, strict=True)]
        return sum(item.errors for item in result), sum(item.substitutions for item in result), order

    best = min(map(cost, permutations(range(size))))[2]
    expected = [(name, responses[place][0]) for (name, _), place in zip(keys, best, strict=True)]
    assert [(pair.key, pair.response) for pair in pair_speakers(*sides, untimed_errors)] == expected
