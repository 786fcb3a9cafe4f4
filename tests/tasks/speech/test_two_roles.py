"""Records that contain the texts of both sides are refused until the field of each side is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.speech.text_roles import text_roles

RECORD = {"id": "a", "text": "good morning you", "pred_text": "good evening you"}
FILES = {
    "both.jsonl": '{"id": "a", "text": "good morning you", "pred_text": "good evening you"}\n' * 1,
    "more.jsonl": '{"id": "a", "dur": 1.5, "pred_text": "good evening you", "text": "good morning you"}\n',
    "list.json": '[{"id": "a", "ref": "good morning you", "hyp": "good evening you"}]\n',
    "both.csv": "id,reference,hypothesis\na,good morning you,good evening you\n",
    "both.tsv": "hypothesis\treference\ngood evening you\tgood morning you\n",
}
FIELDS = {
    "both.jsonl": ("text", "pred_text"),
    "more.jsonl": ("text", "pred_text"),
    "list.json": ("ref", "hyp"),
    "both.csv": ("reference", "hypothesis"),
    "both.tsv": ("reference", "hypothesis"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_both_sides_needs_the_fields_and_is_then_both_sides(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name])
    key_field, response_field = FIELDS[name]
    with pytest.raises(aune.InputError) as refusal:
        aune.score("speech", str(path), str(path))
    assert {problem.code for problem in refusal.value.problems} == {"record.two-roles"}
    assert f"text_field={key_field!r}, response_text_field={response_field!r}" in str(refusal.value)
    command = refusal.value.problems[0].message
    assert f"--text-field {key_field} --response-text-field {response_field}" in command
    fields = {"text_field": key_field, "response_text_field": response_field}
    assert aune.score("speech", str(path), str(path), **fields)["wer"].main == pytest.approx(1 / 3)


def test_records_in_python_are_refused_alike() -> None:
    with pytest.raises(aune.UsageError, match="text_field='text', response_text_field='pred_text'"):
        aune.score("speech", [RECORD], [RECORD])
    fields = {"text_field": "text", "response_text_field": "pred_text"}
    assert aune.score("speech", [RECORD], [RECORD], **fields)["wer"].main == pytest.approx(1 / 3)


SIDES = st.sampled_from(["text", "words", "transcript", "reference", "ref", "ground_truth", "target_text"])
ANSWERS = st.sampled_from(["pred_text", "hypothesis", "hyp", "prediction", "predicted_transcript", "asr_text"])


@given(SIDES, ANSWERS, st.booleans())
def test_a_record_with_both_roles_never_scores_the_key_against_itself(key: str, response: str, first: bool) -> None:
    fields = [(key, "a b"), (response, "a c")]
    record = {"id": "u", **dict(fields if first else fields[::-1])}
    assert text_roles(record) is not None
    with pytest.raises(aune.UsageError, match="in the record of utterance 'u'"):
        aune.score("speech", [record], [record])


def test_one_side_is_no_two() -> None:
    for record in ({"text": "a", "pred_score": 0.5}, {"pred_text": "a"}, {"text": "a", "words": ["a"]}):
        assert text_roles(record) is None
