"""JSON lines of utterances."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.reading.source import Source
from aune.tasks.speech.formats import manifest
from aune.tasks.speech.model import Entity, Utterance
from tests.tasks.formats import read, read_with_warnings, write_text

SAMPLES = Path(__file__).parent / "samples"


def test_fields_by_name() -> None:
    line = '{"uid": 7, "raw": "a b", "clean": "a", "story": "s", "n": 1.5, "deep": {"x": 1}}\n'
    (document,) = read("speech", "manifest", line, text_field=("raw",), id_field=("uid",))
    assert (document.id, document.text, document.attributes["document"], document.attributes["n"]) == (
        "7",
        "a b",
        "s",
        "1.5",
    )
    assert "deep" not in document.attributes and document.attributes["clean"] == "a"


def test_entities_and_times() -> None:
    first, second = read("speech", "manifest", (SAMPLES / "manifest-two.jsonl").read_text())
    assert first.entities == (Entity(3, 5, "LOC"),) and first.attributes == {"speaker": "ann"}
    assert (second.id, second.times, second.span) == ("b.wav", [(0.0, 0.5), (0.5, 1.0)], (0.0, 1.0))
    record = {"text": "new york", "entities": [[0, 2, "LOC"], {"start": 1, "end": 2, "label": "X"}]}
    assert read("speech", "manifest", json.dumps(record))[0].entities == (Entity(0, 2, "LOC"), Entity(1, 2, "X"))


def test_a_field_of_another_shape_does_not_stop_the_words() -> None:
    """SLURP keeps its entities as spans of token numbers, and WER needs none."""
    (document,), warnings = read_with_warnings("speech", "manifest", (SAMPLES / "manifest-slurp.jsonl").read_text())
    assert (list(document.words), document.entities) == (["wake", "me", "at", "nine"], ())
    assert warnings == ["'entities' of 1 utterance in another shape than [start, end, type]: not read"]
    text = '{"text": "a", "times": {"begin": 1}, "entities": "none"}\n{"text": "b", "entities": [["x"]]}\n'
    result, warnings = read_with_warnings("speech", "manifest", text)
    assert [item.times for item in result] == [None, None]
    assert warnings == [
        "'entities' of 2 utterances in another shape than [start, end, type]: not read",
        "'times' of 1 utterance in another shape than [begin, end]: not read",
    ]


def test_what_is_written_comes_back() -> None:
    documents = read("speech", "manifest", (SAMPLES / "manifest-two.jsonl").read_text())
    again = read("speech", "manifest", write_text("speech", "manifest", documents))
    assert [utterance._replace(text=list(utterance.words)) for utterance in again] == [
        utterance._replace(text=list(utterance.words)) for utterance in documents
    ]


def test_words_with_blanks_stay_words() -> None:
    utterance = Utterance("u", ["new york", "{"], {"x": "é\n"})
    assert read("speech", "manifest", write_text("speech", "manifest", [utterance])) == [utterance]


def test_fields_that_would_hide_the_words_are_refused() -> None:
    with pytest.raises(
        aune.UsageError, match="manifest cannot represent the field 'text', which is the utterance's own"
    ):
        write_text("speech", "manifest", [Utterance("u", ["a"], {"text": "b"})])
    with pytest.raises(aune.UsageError, match="manifest cannot represent an empty word"):
        write_text("speech", "manifest", [Utterance("u", [""])])


def test_one_manifest_can_hold_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    pair = {"text": "we met in new york", "pred_text": "we met new york", "entities": [[3, 5, "LOC"]]}
    path.write_text(json.dumps({"audio_filepath": "a.wav", **pair, "times": [[0, 1]] * 5}) + "\n")
    sides = {"text_field": "text", "response_text_field": "pred_text"}
    result = aune.score("speech", path, path, measures=["wer", "ne_wer"], **sides)
    assert result["wer"].counts == {"correct": 4, "substitutions": 0, "deletions": 1, "insertions": 0}
    assert result["ne_wer"].ne_wer == 0.0
    signed = result["wer"].signature.options
    assert (signed["text_field"], signed["response_text_field"]) == ("text", "pred_text")
    again = aune.score("speech", path, path, measures=["wer"], **{name: signed[name] for name in sides})
    assert again["wer"].signature == result["wer"].signature
    with pytest.raises(aune.UsageError, match="did you mean 'response_text_field'"):
        aune.score("speech", path, path, response_text_fild="pred_text")


def test_an_option_of_the_response_s_format_alone_is_signed(tmp_path: Path) -> None:
    path = tmp_path / "response.jsonl"
    path.write_text('{"id": "u", "mine": "a b"}\n')
    result = aune.score("speech", {"u": "a b"}, path, measures=["wer"], text_field="mine")["wer"]
    assert result.wer == 0.0 and result.signature.options["text_field"] == "mine"


RECORD: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["a b", "", "é"]) | st.just(["a", "b"]),
        "id": st.text("xy", min_size=1) | st.integers(0, 9),
    },
    optional={"speaker": st.just("ann"), "n": st.none() | st.booleans() | st.just(1.5), "times": st.just([])},
)


@given(st.lists(RECORD, max_size=5), st.sampled_from(["\n", "\r\n", "\n\n", " \n", ""]))
def test_records_read_at_once_are_those_read_one_by_one(values: list[Any], end: str) -> None:
    data = end.join(json.dumps(value) for value in values).encode()
    at_once, alone = Source("a.jsonl", data), Source("a.jsonl", data)
    documents = list(manifest.read(at_once))
    with patch.object(manifest, "_uniform_utterances", return_value=None):
        assert documents == list(manifest.read(alone))
    assert (at_once.problems, at_once.warnings) == (alone.problems, alone.warnings)


def test_a_list_of_texts_is_no_list_of_words() -> None:
    """As doccano exports transcripts."""
    [utterance] = read("speech", "manifest", '{"id": "a", "label": ["good day", "Ann"]}\n', text_field=("label",))
    assert utterance.words == ["good", "day", "Ann"]
