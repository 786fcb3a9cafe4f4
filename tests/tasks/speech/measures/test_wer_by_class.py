"""The WER of every class: by hand, and error by error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import aune
from tests.tasks.speech.measures.test_ne_wer import KEY, RESPONSE
from tests.tasks.speech.oracles import annotated, steps


def test_classes_add_up_to_the_whole() -> None:
    result = aune.score("speech", KEY, RESPONSE, measures=["wer", "wer_by_class"], alignment="similar")
    classes = result["wer_by_class"].details
    assert sorted(classes) == ["", "LOC", "PER"]
    for name, total in result["wer"].counts.items():
        assert sum(row[name] for row in classes.values()) == total
    assert classes["LOC"] == {"wer": 0.5, "correct": 1, "substitutions": 0, "deletions": 1, "insertions": 0}
    speakers = aune.score("speech", KEY, RESPONSE, measures=["wer_by_class"], field="speaker")["wer_by_class"].details
    assert speakers["x"]["correct"] == 5 and speakers["y"]["wer"] == 0.5
    assert result["wer"].by("speaker")["y"]["wer"] == 0.5
    with pytest.raises(aune.UsageError, match="unknown field to tell classes by 'speeker': did you mean 'speaker'"):
        aune.score("speech", KEY, RESPONSE, measures=["wer_by_class"], field="speeker")


@given(annotated())
def test_error_by_error(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    key, response = corpora
    found = aune.score("speech", key, response, measures=["wer_by_class"])["wer_by_class"].details
    listed = steps(key, response)
    for label, row in found.items():
        mine = [error for error in listed if error[3] == label]
        assert (row["substitutions"], row["deletions"], row["insertions"]) == tuple(
            sum(error[1] == kind for error in mine) for kind in "SDI"
        )
