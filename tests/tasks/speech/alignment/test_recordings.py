"""Which utterance a word belongs to, by its time: sclite's rule, in any order of lines, and without times."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.speech.alignment.recordings import middle, share_words
from aune.tasks.speech.model import Entity, Recording, Utterance

CENTISECONDS = st.integers(0, 2000)


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, str]]]:
    """The ends of segments that touch, and the begin and duration of words in order, all as they stand in files."""
    ends = sorted(draw(st.sets(CENTISECONDS, min_size=2, max_size=5)))
    begins = sorted(draw(st.sets(CENTISECONDS, max_size=12)))
    durations = [draw(st.integers(0, 120)) for _ in begins]
    for place, begin in enumerate(begins):  # many middles exactly where a segment ends
        if draw(st.booleans()):
            later = [end for end in ends if end > begin]
            durations[place] = 2 * (later[0] - begin) if later else durations[place]
    words = [(f"{begin / 100:.2f}", f"{length / 100:.2f}") for begin, length in zip(begins, durations, strict=True)]
    return [f"{end / 100:.2f}" for end in ends], words


def slow(ends: list[str], words: list[tuple[str, str]]) -> list[list[int]]:
    """sclite's rule in its own arithmetic: on to the next segment while the middle is not before the segment's end."""
    result: list[list[int]] = [[] for _ in ends]
    segment = 0
    for number, (begin, duration) in enumerate(words):
        while segment < len(ends) - 1 and float(begin) + float(duration) / 2.0 >= float(ends[segment]):
            segment += 1
        result[segment].append(number)
    return result


def recording(ends: list[str]) -> Recording:
    times = [0.0, *map(float, ends)]
    parts = [Utterance(str(n), "", span=(a, b)) for n, (a, b) in enumerate(pairwise(times))]
    return Recording("r", tuple(parts))


def timed_utterance(words: list[tuple[str, str]], order: list[int]) -> Utterance:
    times = [(float(begin), float(begin) + float(duration)) for begin, duration in words]
    return Utterance("r", [str(n) for n in order], times=[times[n] for n in order])


@given(files(), st.randoms())
def test_words_go_where_sclite_puts_them_in_any_order(case: Any, rng: random.Random) -> None:
    ends, words = case
    order = list(range(len(words)))
    expected = [[str(number) for number in own_value] for own_value in slow(ends, words)]
    for shuffled in (order, rng.sample(order, len(order))):
        found = share_words(recording(ends), timed_utterance(words, shuffled)).pairs
        assert [list(response.words) for _, response in found] == expected


def test_a_middle_on_the_boundary_goes_to_the_next_segment() -> None:
    """0.01 + 0.06 / 2 is 0.04 in sclite's arithmetic; the mean of 0.01 and 0.07 would be less than the 0.04 read."""
    assert (0.01 + (0.01 + 0.06)) / 2 < 0.04 <= middle(0.01, 0.01 + 0.06)
    result = share_words(recording(["0.04", "1.00"]), timed_utterance([("0.01", "0.06")], [0])).pairs
    assert [list(response.words) for _, response in result] == [[], ["0"]]


def test_the_order_of_ctm_lines_does_not_matter(data: Path, tmp_path: Path) -> None:
    folder = data / "speech" / "sctk-samples" / "sclite_testdata"
    text = (folder / "stm2ctm_missing.hyp.ctm").read_text()
    lines = [line for line in text.splitlines() if "<ALT" not in line]
    (tmp_path / "sorted.ctm").write_text("\n".join(lines) + "\n")
    (tmp_path / "mixed.ctm").write_text("\n".join(random.Random(1).sample(lines, k=len(lines))) + "\n")
    key = str(folder / "stm2ctm_missing.ref.stm")
    options: dict[str, Any] = {"measures": ["wer"], "normalise": "case", "alignment": "sclite"}
    result = aune.evaluate("speech", key, [str(tmp_path / "sorted.ctm"), str(tmp_path / "mixed.ctm")], **options)
    assert result["sorted", "wer"].counts == result["mixed", "wer"].counts


def stm(tmp_path: Path, *lines: str) -> str:
    (tmp_path / "key.stm").write_text("".join(f"r 1 ann {line}\n" for line in lines))
    return str(tmp_path / "key.stm")


def test_a_response_without_times_is_compared_as_one_text(tmp_path: Path) -> None:
    key = stm(tmp_path, "0 1 good morning", "1 2 all of you")
    (tmp_path / "r.txt").write_text("good morning all of you\n")
    result = aune.score("speech", key, str(tmp_path / "r.txt"), measures=["wer"], response_format="lines")
    assert result["wer"].wer == 0
    assert any("no times" in note and "one text" in note for note in result.warnings)


def test_a_segment_to_be_left_out_needs_times(tmp_path: Path) -> None:
    key = stm(tmp_path, "0 1 good morning", "1 2 IGNORE_TIME_SEGMENT_IN_SCORING")
    (tmp_path / "r.txt").write_text("good morning all of you\n")
    with pytest.raises(aune.InputError, match="expected times in the response"):
        aune.score("speech", key, str(tmp_path / "r.txt"), measures=["wer"], response_format="lines")


def test_entities_and_wordings_are_kept_in_one_text(tmp_path: Path) -> None:
    key = [Recording("r", (
        Utterance("1", "in paris", span=(0, 1)),
        Utterance("2", "with ann lee", entities=(Entity(1, 3, "PER"),), span=(1, 2)),
    ))]  # fmt: skip
    result = aune.score("speech", key, [Utterance("r", "in paris with ann leigh")], measures=["ne_wer"])
    assert result["ne_wer"].ne_wer == 0.5
