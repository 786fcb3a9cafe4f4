"""The law of support: how much there was to find depends on the key alone, whatever a system answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.contract import registry
from tests.evaluation.test_streaming import corpus, measures, write_text


@pytest.mark.parametrize("task", registry.task_names())
def test_support_is_the_keys(task: str, tmp_path: Path) -> None:
    key, response = corpus(task)
    paths = {name: write_text(tmp_path, name, lines) for name, lines in (("key", key), ("some", response))}
    requests = [item for item in measures(task) if item.support_counts]
    result = aune.evaluate(task, paths["key"], {"itself": paths["key"], "some": paths["some"]}, measures=requests)
    for measure in result.measures:
        perfect, other = (result[system, measure.name].support for system in ("itself", "some"))
        assert perfect == pytest.approx(other), f"{measure.name}: {measure.support_counts} depend on the response"
        if perfect is not None:
            documents = [number or 0 for number in result["some", measure.name].support_by("document").values()]
            assert sum(documents) == pytest.approx(perfect)


def test_words_are_the_support_of_error_rates() -> None:
    wer = aune.score("speech", ["one two three", "four"], ["one too", "four five"])["wer"]
    assert wer.support == 4 and wer.measure.support_counts == ("correct", "substitutions", "deletions")
    assert wer.support_by("document") == {"1": 3, "2": 1}


def test_labels_rest_on_their_support() -> None:
    key = [(0, 1, "PER"), (2, 3, "PER"), (5, 6, "LOC")]
    f_measure = aune.score("entities", key, [(0, 1, "PER"), (5, 6, "ORG")])["f_measure"]
    assert f_measure.support_by("label") == {"LOC": 1, "ORG": 0, "PER": 2}
    assert {name: values["recall"] for name, values in f_measure.by("label").items()}["PER"] == 0.5
