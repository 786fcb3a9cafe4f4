"""Meetings whose utterances go to any speaker: by hand, by trying every way, and as meeteval has them."""

from __future__ import annotations

import os
import random
import warnings
from itertools import product
from typing import Any

import pytest

import aune
from aune.errors import UsageError
from aune.tasks.speech.alignment.meetings import speaker_streams, untimed_errors
from aune.tasks.speech.alignment.utterance_assignment import Part, join_parts
from aune.tasks.speech.model import Recording
from tests.tasks.speech.alignment.test_meetings import recordings, with_every_session

MEETINGS = 1000 if os.environ.get("AUNE_FULL") else 60
VOCABULARY = ("yes", "no", "well", "a", "goodness")


def random_side(rng: random.Random, speakers: str) -> list[dict[str, Any]]:
    segments = []
    for number in range(rng.randint(1, 6)):
        start = rng.randint(0, 40) / 4
        segments.append({
            "session_id": "s1", "speaker": speakers[0] if not number else rng.choice(speakers), "start_time": start,
            "end_time": start + rng.randint(1, 20) / 4, "words": " ".join(rng.choices(VOCABULARY, k=rng.randint(0, 4))),
        })  # fmt: skip
    return segments


def random_meetings(count: int) -> list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    rng = random.Random(5)
    return [(random_side(rng, "xyz"), random_side(rng, "ABC")) for _ in range(count)]


def errors(measure: str, key: Any, response: Any, **options: Any) -> tuple[int, int]:
    """Errors and words of the key."""
    counts = aune.score("speech", recordings(key), recordings(response), measures=[measure], **options)[measure].counts
    wrong = counts["substitutions"] + counts["deletions"] + counts["insertions"]
    return int(wrong), int(counts["correct"] + counts["substitutions"] + counts["deletions"])


def test_meeteval_has_the_same_totals() -> None:
    meeteval = pytest.importorskip("meeteval", reason="meeteval is not installed")
    wer = meeteval.wer.wer
    for key, response in random_meetings(MEETINGS):
        sides = [meeteval.io.SegLST(side) for side in (key, with_every_session(key, response))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            orc, swapped = wer.orc.orc_word_error_rate(*sides), wer.orc.orc_word_error_rate(*sides[::-1])
            timed = wer.time_constrained_orc.time_constrained_orc_wer(*sides, collar=1.0)
            greedy = wer.di_cp.greedy_di_cp_word_error_rate(*sides)
        assert errors("orc_wer", key, response) == (orc.errors, orc.length)
        assert errors("tcorc_wer", key, response, collar=1.0) == (timed.errors, timed.length)
        exact = errors("di_cp_wer", key, response)
        assert exact == (swapped.errors, orc.length) and exact[0] <= greedy.errors


EXAMPLES: list[tuple[Any, Any, int, int]] = [
    (["a b", "c d", "e f"], ["a b c d e f"], 0, 6),
    (["a b", "c d", "e f"], ["a b", "c d e f"], 0, 6),
    (["a", "c d e"], ["a c", "d e"], 2, 4),
]
"""What meeteval's own documentation shows for ORC-WER: utterances, streams, errors and words."""


@pytest.mark.parametrize(("utterances", "streams", "wrong", "words"), EXAMPLES)
def test_the_examples_of_meeteval(utterances: list[str], streams: list[str], wrong: int, words: int) -> None:
    key, response = (
        [
            {"session_id": "m", "speaker": str(number) if by_speaker else "ann", "words": text,
             "start_time": float(number), "end_time": number + 1.0}
            for number, text in enumerate(side)
        ]
        for side, by_speaker in ((utterances, False), (streams, True))
    )  # fmt: skip
    assert errors("orc_wer", key, response) == (wrong, words)
    assert errors("di_cp_wer", response, key)[0] == wrong


def fewest(key: list[dict[str, Any]], response: list[dict[str, Any]]) -> int:
    """The fewest errors of any way to give the utterances of the key to the speakers of the response."""
    (spoken,), (heard,) = recordings(key), recordings(response)
    streams = speaker_streams(heard)
    parts = sorted(spoken.utterances, key=lambda part: part.span[0] if part.span else 0)
    alone = [Part("", speaker_streams(Recording("m", (part,)))[part.attributes["speaker"]]) for part in parts]

    def given_to(name: str, names: tuple[str, ...]) -> list[Part]:
        return [part for part, place in zip(alone, names, strict=True) if place == name]

    return min(
        sum(untimed_errors(join_parts(given_to(name, names)), stream).errors for name, stream in streams.items())
        for names in product(streams, repeat=len(parts))
    )


def test_no_other_way_has_fewer_errors() -> None:
    for key, response in random_meetings(25):
        exact = errors("orc_wer", key, response)[0]
        assert exact == fewest(key, response)
        assert exact <= errors("orc_wer", key, response, search="greedy")[0] <= errors("cp_wer", key, response)[0]


def test_tables_that_are_too_large_are_refused() -> None:
    text = " ".join(["word"] * 300)
    key = [{"session_id": "m", "speaker": name, "start_time": 0.0, "end_time": 9.0, "words": text} for name in "xyz"]
    with pytest.raises(UsageError, match=r"3 utterances to give to 3 speakers.*choose the search greedy"):
        errors("orc_wer", key, key)
    assert errors("orc_wer", key, key, search="greedy") == (0, 900)


def test_a_response_without_any_utterance() -> None:
    key = [{"session_id": "m", "speaker": "x", "start_time": 0.0, "end_time": 9.0, "words": "a b"}]
    result = aune.score("speech", recordings(key), [Recording("m", ())], measures=["orc_wer", "di_cp_wer", "tcorc_wer"])
    assert [result[name].counts["deletions"] for name in ("orc_wer", "di_cp_wer", "tcorc_wer")] == [2, 2, 2]
