"""SegLST."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.formats import read, written

SAMPLE = (Path(__file__).parent / "samples" / "seglst-two-sessions.json").read_text()


def test_sessions_in_the_order_of_their_times() -> None:
    found = read("speech", "seglst", SAMPLE)
    assert [(one.id, " ".join(one.words), one.line) for one in found] == [
        ("s1", "good morning the end", 1),
        ("s2", "", 3),
    ]


def test_speakers_apart() -> None:
    found = read("speech", "seglst", SAMPLE, group="speaker")
    assert [one.id for one in found] == ["s1/ann", "s1/bob", "s2/ann"]
    assert found[0].attributes == {"document": "s1", "speaker": "ann"}


def test_what_is_written_comes_back() -> None:
    found = read("speech", "seglst", SAMPLE)
    again = read("speech", "seglst", written("speech", "seglst", found))
    assert [(one.id, list(one.words)) for one in again] == [(one.id, list(one.words)) for one in found]


def test_utterances_of_one_recording_are_a_session_and_others_are_not_mixed() -> None:
    recording = read("speech", "stm", "f A ann 1 2 the end\nf A bob 0 1 good morning\n")
    (one,) = read("speech", "seglst", written("speech", "seglst", recording))
    assert (one.id, " ".join(one.words)) == ("f/a", "good morning the end")
    apart = read(
        "speech", "manifest", '{"id": "u1", "text": "a", "story": "s"}\n{"id": "u2", "text": "b", "story": "s"}\n'
    )
    assert [one.id for one in read("speech", "seglst", written("speech", "seglst", apart))] == ["u1", "u2"]
