"""Measures that look at entities, classes and stories."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.errors import errors
from aune.tasks.speech.model import documents

KEY = {
    "u1": {"text": "good morning ann smith from new york", "entities": [(2, 4, "PER"), (5, 7, "LOC")], "speaker": "x"},
    "u2": {"text": "thank you", "speaker": "y"},
    "u3": {"text": "hello bob", "entities": [(1, 2, "PER")], "speaker": "y"},
}
RESPONSE = {"u1": "good morning an von smith from york", "u2": "thanks you", "u3": "hello hello bob"}


def test_an_insertion_counts_between_two_words_of_an_entity_only() -> None:
    result = aune.score("speech", KEY, RESPONSE, measures=["ne_wer"])["ne_wer"]
    assert result.counts == {"correct": 3, "substitutions": 1, "deletions": 1, "insertions": 1}
    assert result.ne_wer == pytest.approx(3 / 5)
    assert result.by("label")["PER"]["ne_wer"] == pytest.approx(2 / 3)


def test_classes_add_up_to_the_whole() -> None:
    result = aune.score("speech", KEY, RESPONSE, measures=["wer"], alignment="similar")["wer"]
    classes = result.counts_by("label")
    assert sorted(classes) == ["", "LOC", "PER"]
    for name, total in result.counts.items():
        assert sum(row[name] for row in classes.values()) == total
    assert classes["LOC"] == {"correct": 1, "substitutions": 0, "deletions": 1, "insertions": 0}
    assert result.by("label")["LOC"]["wer"] == 0.5
    assert result.counts_by("speaker")["x"]["correct"] == 5 and result.by("speaker")["y"]["wer"] == 0.5
    with pytest.raises(aune.UsageError, match="unknown attribute to group by 'speeker': did you mean 'speaker'"):
        result.by("speeker")


def test_nested_entities_are_the_outermost() -> None:
    key = {"u": {"text": "in fiscal twenty twenty", "entities": [(1, 4, "DATE"), (2, 4, "YEAR")]}}
    result = aune.score("speech", key, {"u": "in fiscal twenty"}, measures=["ne_wer"])["ne_wer"]
    assert result.by("label") == {"": pytest.approx(result.by("label")[""]), "DATE": result.values}


def test_no_entities_is_undefined() -> None:
    result = aune.score("speech", ["a b"], ["a"], measures=["ne_wer", "story_ne_wer"])
    assert result["ne_wer"].ne_wer is None and result["ne_wer"].reasons["ne_wer"] == "the key has no entity"
    assert result["story_ne_wer"].ne_wer is None


def test_the_tokens_of_the_response_reach_entities_through_the_alignment() -> None:
    """NE-WER sees the words that answer an entity, wherever they stand and whatever is around them."""
    one = aune.score("speech", KEY, RESPONSE, measures=["ne_wer"])["ne_wer"].counts
    more = {name: f"uh uh {text} you know" for name, text in RESPONSE.items()}
    assert aune.score("speech", KEY, more, measures=["ne_wer"])["ne_wer"].counts == one


def test_stories_weigh_the_same() -> None:
    key = {
        "a1": {"text": "one two", "document": "a", "entities": [(0, 1, "N")]},
        "a2": {"text": "three four", "document": "a"},
        "b1": {"text": "five", "document": "b", "entities": [(0, 1, "N")]},
    }
    response = {"a1": "one", "a2": "three four", "b1": "six"}
    result = aune.score(
        "speech", key, response, measures=["wer", "story_wer", "story_ne_wer", "macro(wer, by=document)"]
    )
    assert result["wer"].wer == pytest.approx(2 / 5)
    assert result["story_wer"].wer == pytest.approx((1 / 4 + 1) / 2) == result["macro(speech.wer,by=document)"].wer
    assert result["story_ne_wer"].ne_wer == pytest.approx((0 + 1) / 2)


def test_content_words() -> None:
    counts = aune.score("speech", ["the cat is on the mat"], ["a cat is on hat the mat"], measures=["content_wer"])
    assert counts["content_wer"].counts == {"correct": 2, "substitutions": 0, "deletions": 0, "insertions": 1}


def test_stop_lists_come_from_files_too(tmp_path: Path) -> None:
    (tmp_path / "stop").write_text("cat\nmat\n")
    score = aune.score("speech", ["the cat"], ["a mat"], measures=["content_wer"], stop=str(tmp_path / "stop"))
    assert score["content_wer"].counts == {"correct": 0, "substitutions": 1, "deletions": 0, "insertions": 0}
    with pytest.raises(aune.UsageError, match="expected en, fr, none or a file"):
        aune.score("speech", ["a"], ["b"], measures=["content_wer"], stop=str(tmp_path / "none"))


def test_parts_of_speech_can_be_left_out() -> None:
    pytest.importorskip("gruut")
    options = {"stop": "none", "pos": ("DT", "IN")}
    score = aune.score(
        "speech", ["the cat sat on the mat"], ["a cat sat in a hat"], measures=["content_wer"], **options
    )
    assert score["content_wer"].counts == {"correct": 2, "substitutions": 1, "deletions": 0, "insertions": 0}


def test_phonemes() -> None:
    pytest.importorskip("gruut")
    assert aune.score("speech", ["their books"], ["there books"], measures=["per"])["per"].per == 0.0
    assert (aune.score("speech", ["their books"], ["the books"], measures=["per"])["per"].per or 0) > 0


def test_a_missing_package_is_told_before_any_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    import aune.core.measure

    monkeypatch.setattr(aune.core.measure, "find_spec", lambda name: None)
    with pytest.raises(aune.UsageError, match=r"speech.per needs the package gruut: .*'aune\[phonemes\]'"):
        aune.score("speech", "no-such-file", "no-such-file", measures=["per"])


def test_errors_are_those_of_the_word_error_rate() -> None:
    both = compare(list(zip(documents(KEY), documents(RESPONSE), strict=True)))
    found = errors(both)
    counts = aune.score("speech", KEY, RESPONSE, measures=["wer"])["wer"].counts
    for name in ("substitution", "deletion", "insertion"):
        assert sum(case.kind == name for case in found) == counts[f"{name}s"]
    thanks = next(case for case in found if case.key == "thank")
    assert thanks.response == "thanks" and thanks.context == "[thank → thanks] you" and thanks.place == (0, 1)
    assert thanks.document == "u2" and thanks.attributes["speaker"] == "y"
    assert next(case for case in found if case.kind == "deletion").attributes["label"] == "LOC"
