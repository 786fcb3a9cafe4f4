"""NIST's ctm."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import aune
from aune.tasks.speech.alignment.networks import OptionalWord
from aune.tasks.speech.model import Utterance
from tests.tasks.formats import read, write_text

SAMPLES = Path(__file__).parent / "samples"
CTM = "f1 A 0.05 0.24 good 0.9\nf1 A 0.4 0.2 morning\nf1 B 0 1 hello\nf1 A 1.5 0.5 the\nf1 A 2 0.3 end\n"


def test_words_with_their_times() -> None:
    first, second = read("speech", "ctm", CTM)
    assert (first.id, list(first.words), second.id) == ("f1/a", ["good", "morning", "the", "end"], "f1/b")
    assert first.times[:2] == [(0.05, pytest.approx(0.29)), (0.4, pytest.approx(0.6))]


def test_the_order_of_lines_does_not_matter() -> None:
    """It gave WER 100 for 0."""
    expected = {document.id: (list(document.words), document.times) for document in read("speech", "ctm", CTM)}
    for seed in range(10):
        lines = CTM.splitlines()
        random.Random(seed).shuffle(lines)
        shuffled = read("speech", "ctm", "\n".join(lines))
        assert {document.id: (list(document.words), document.times) for document in shuffled} == expected


def test_words_without_different_times_stay_in_the_order_of_the_file() -> None:
    assert read("speech", "ctm", "f A 0 0 z\nf A 0 0 a\nf A 0 0 m\n")[0].words == ["z", "a", "m"]


def test_alternatives() -> None:
    ctm = "f A 0 1 a\nf A * * <ALT_BEGIN>\nf A 1 1 b\nf A * * <ALT>\nf A 1 2 c\nf A * * <ALT_END>\nf A 3 1 d\n"
    (document,) = read("speech", "ctm", ctm)
    assert document.tree == ["a", [["b"], ["c"]], "d"] and document.times == [(0, 1), (1, 3), (3, 4)]
    (again,) = read("speech", "ctm", write_text("speech", "ctm", [document]))
    assert (again.tree, again.times) == (document.tree, document.times)


def test_a_word_in_parentheses_may_be_missing(tmp_path: Path) -> None:
    """As in sclite, for which an optional word that nothing answers is no insertion."""
    (document,) = read("speech", "ctm", "f A 0 1 (uh)\nf A 1 1 hello\n")
    assert document.tree == ["uh", "hello"] and isinstance(document.tree[0], OptionalWord)
    assert read("speech", "ctm", "f A 0 1 (uh)\n", optional=False)[0].words == ["(uh)"]
    assert write_text("speech", "ctm", [document]) == "f a 0 1 (uh)\nf a 1 1 hello\n"
    key, response = tmp_path / "key.stm", tmp_path / "response.ctm"
    key.write_text("f A s 0 3 hello\n")
    response.write_text("f A 0 1 (uh)\nf A 1 1 hello\n")
    assert aune.score("speech", key, response, measures=["wer"])["wer"].wer == 0.0


def test_segments_are_written_as_words_spread_over_their_time() -> None:
    """It was a crash."""
    documents = read("speech", "stm", "f A s 0 2 a b\nf A s 2 3 { c / d e }\n")
    text = write_text("speech", "ctm", documents)
    assert text.startswith("f a 0 1 a\nf a 1 1 b\nf a * * <ALT_BEGIN>\n")
    assert read("speech", "ctm", text)[0].tree == ["a", "b", [["c"], ["d", "e"]]]


@pytest.mark.parametrize(
    ("utterance", "what"),
    [
        (Utterance("f/a", []), "a recording without words"),
        (Utterance("f/a", ["a"]), "words without times"),
        (Utterance("u1", ["a"], times=[(0, 1)]), "the name 'u1', where 'recording/channel' is expected"),
        (Utterance("a b/c", ["a"], times=[(0, 1)]), "the name 'a b', which is not one word"),
        (Utterance("f/a", ["<alt>"], times=[(0, 1)]), "the word '<alt>', which has a meaning there"),
        (Utterance("f/a", ["(a)"], times=[(0, 1)]), "the word '(a)', which has a meaning there"),
        (Utterance("f/a", ["a"], times=[(0, 1)], tree=[[[[["a"]]]]]), "alternatives inside alternatives"),
    ],
)
def test_what_would_come_back_as_something_else_is_refused(utterance: Utterance, what: str) -> None:
    with pytest.raises(aune.UsageError) as refusal:
        write_text("speech", "ctm", [utterance])
    assert str(refusal.value).startswith(f"ctm cannot represent {what} (utterance ")


def test_semicolons_are_escaped() -> None:
    utterance = Utterance("f/a", [";x", "a"], times=[(0, 1), (1, 2)])
    assert read("speech", "ctm", write_text("speech", "ctm", [utterance]))[0].words == [";x", "a"]


def test_a_tag_without_a_word_is_no_word() -> None:
    """As in the other formats of NIST; it was a word without a letter, which counts."""
    [document] = read("speech", "ctm", "f A 0 1 ;x\nf A 1 1 b;x\nf A 2 1 ;\n")
    assert document.words == ["b"]


def test_words_that_begin_together_keep_their_order_and_durations_may_be_negative() -> None:
    """As in sclite 2.10, which gives no error for these words with the key `a b c d`."""
    [utterance] = read("speech", "ctm", "rec 1 1.0 0.5 a\nrec 1 2.0 0.9 b\nrec 1 2.0 0.1 c\nrec 1 3.0 -0.5 d\n")
    assert list(utterance.words) == ["a", "b", "c", "d"]


def test_words_that_begin_together_keep_their_order_in_segments(tmp_path: Path) -> None:
    """The same against a key of NIST's stm: the words are cut into its segments."""
    (tmp_path / "key.stm").write_text("rec 1 s 0 4 a b c d\n")
    (tmp_path / "response.ctm").write_text("rec 1 1.0 0.5 a\nrec 1 2.0 0.9 b\nrec 1 2.0 0.1 c\nrec 1 3.0 -0.5 d\n")
    result = aune.score("speech", str(tmp_path / "key.stm"), str(tmp_path / "response.ctm"), measures=["wer"])
    assert result["wer"].main == 0
