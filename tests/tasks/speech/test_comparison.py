"""The WER of every type of entity and speaker: by hand, and error by error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import aune
from tests.tasks.speech.measures.test_ne_wer import KEY, RESPONSE
from tests.tasks.speech.oracles import make_annotation, steps


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


@given(make_annotation())
def test_error_by_error(corpora: tuple[dict[str, Any], dict[str, Any]]) -> None:
    key, response = corpora
    found = aune.score("speech", key, response, measures=["wer"], alignment="similar")["wer"]
    listed = steps(key, response)
    if "label" not in found.rows.attributes:
        return
    for label, row in found.counts_by("label").items():
        own_value = [error for error in listed if error[3] == label]
        expected = tuple(sum(error[1] == kind for error in own_value) for kind in "SDI")
        assert (row["substitutions"], row["deletions"], row["insertions"]) == expected
