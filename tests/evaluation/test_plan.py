"""The one check of options: known to somebody, with a value that somebody accepts, of what is scored and read."""

from __future__ import annotations

from typing import Any

import pytest

from aune.contract import registry
from aune.errors import UsageError
from aune.evaluation.plan import (
    check_options_used,
    check_reader_options,
    options_for_responses,
    resolve_options,
    select_measures,
)

ENTITIES = registry.task("entities")


def test_options_of_measures_that_are_not_scored_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'alpha' is one of entities.eter, not of the measures scored"):
        resolve_options(ENTITIES, select_measures(ENTITIES, ["f_measure"]), None, {"alpha": "0.5"})
    resolved = resolve_options(ENTITIES, select_measures(ENTITIES, ["eter"]), None, {"alpha": "0.5"}).explicit
    assert resolved == {"alpha": 0.5}


@pytest.mark.parametrize("value", [-1, "5", "nan", float("inf"), "x"])
def test_values_outside_the_range_are_refused(value: Any) -> None:
    with pytest.raises(UsageError, match=r"--alpha .*: expected number 0 to 1"):
        resolve_options(ENTITIES, select_measures(ENTITIES, ["eter"]), None, {"alpha": value})


def test_conventions_fill_in() -> None:
    coref = registry.task("coref")
    muc = select_measures(coref, ["muc"])
    assert resolve_options(coref, muc, "partition", {}).values_for(muc[0].options)["mentions"] == "complete"
    assert (
        resolve_options(coref, muc, "partition", {"mentions": "conll"}).values_for(muc[0].options)["mentions"]
        == "conll"
    )
    with pytest.raises(UsageError, match="unknown convention of coref 'partitoin': did you mean 'partition'"):
        resolve_options(coref, muc, "partitoin", {})


def test_who_only_reads_knows_only_options_of_readers() -> None:
    assert check_reader_options(ENTITIES, {"columns": "3"}) == {"columns": ("3",)}
    with pytest.raises(UsageError, match="unknown option 'colums': did you mean 'columns'"):
        check_reader_options(ENTITIES, {"colums": "3"})
    with pytest.raises(UsageError, match="unknown option 'alpha'"):
        check_reader_options(ENTITIES, {"alpha": "0.5"})


def test_what_other_formats_take_is_refused_once_files_are_read() -> None:
    with pytest.raises(UsageError, match="'columns' is one of the formats hipe, not of conll, which was read"):
        check_options_used(ENTITIES, {"columns": ("3",)}, {"column"}, {"conll"})
    check_options_used(ENTITIES, {"columns": ("3",)}, {"columns"}, {"hipe"})


def test_options_for_responses_alone() -> None:
    assert options_for_responses({"text_field": "a", "response_text_field": "b"})["text_field"] == "b"


def test_measures_of_another_task_are_refused() -> None:
    with pytest.raises(UsageError, match=r"speech\.wer is a measure of speech, not of entities"):
        select_measures(ENTITIES, [registry.measure("speech.wer")])
    assert len(select_measures(ENTITIES, ["all"])) == len(registry.measures("entities"))
