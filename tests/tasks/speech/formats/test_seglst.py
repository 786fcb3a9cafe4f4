"""SegLST."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.formats import read, write_text

SAMPLE = (Path(__file__).parent / "samples" / "seglst-two-sessions.json").read_text()


def test_sessions_in_the_order_of_their_times() -> None:
    documents = read("speech", "seglst", SAMPLE)
    assert [(document.id, " ".join(document.words), document.line) for document in documents] == [
        ("s1", "good morning the end", 1),
        ("s2", "", 3),
    ]


def test_speakers_apart() -> None:
    documents = read("speech", "seglst", SAMPLE, group="speaker")
    assert [document.id for document in documents] == ["s1/ann", "s1/bob", "s2/ann"]
    assert documents[0].attributes == {"document": "s1", "speaker": "ann"}


def test_what_is_written_comes_back() -> None:
    documents = read("speech", "seglst", SAMPLE)
    again = read("speech", "seglst", write_text("speech", "seglst", documents))
    assert [(document.id, list(document.words)) for document in again] == [
        (document.id, list(document.words)) for document in documents
    ]


def test_utterances_of_one_recording_are_a_session_and_others_are_not_mixed() -> None:
    recording = read("speech", "stm", "f A ann 1 2 the end\nf A bob 0 1 good morning\n")
    (document,) = read("speech", "seglst", write_text("speech", "seglst", recording))
    assert (document.id, " ".join(document.words)) == ("f/a", "good morning the end")
    apart = read(
        "speech", "manifest", '{"id": "u1", "text": "a", "story": "s"}\n{"id": "u2", "text": "b", "story": "s"}\n'
    )
    assert [item.id for item in read("speech", "seglst", write_text("speech", "seglst", apart))] == ["u1", "u2"]
