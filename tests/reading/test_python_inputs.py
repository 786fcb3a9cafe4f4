"""What other packages hold, as lists and dicts, and how a refusal words what it found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aune
from aune.reading.python_inputs import (
    all_of_kind,
    check_same_number,
    describe_value,
    group_rows,
    is_missing,
    ready_documents,
    to_plain,
)
from aune.tasks.anaphora.model import Document
from aune.tasks.speech.model import Utterance


def test_arrays_series_and_frames_become_lists_and_dicts() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = [{"word": "le", "tag": "D"}, {"word": "chat", "tag": "N"}]
    assert to_plain(pandas.DataFrame(rows)) == to_plain(polars.DataFrame(rows)) == rows
    assert (
        to_plain(pandas.Series(["a", "b"]))
        == to_plain(polars.Series(["a", "b"]))
        == to_plain(np.array(["a", "b"]))
        == ["a", "b"]
    )
    assert to_plain(pytest.importorskip("pyarrow").Table.from_pylist(rows)) == rows
    assert to_plain(3) == 3 and to_plain("text") == "text"


def test_documents_that_are_made_stay_what_they_are() -> None:
    first, second = documents = [Document("1", ()), Document("2", ())]
    assert ready_documents(first, Document) == [first]
    assert ready_documents(documents, Document) is documents
    assert ready_documents({"a": first, "b": second}, Document) == [Document("a", ()), Document("b", ())]
    assert (
        ready_documents([first, "text"], Document)
        is ready_documents([], Document)
        is ready_documents({}, Document)
        is None
    )


def test_a_lazy_frame_is_not_there_yet() -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(aune.UsageError, match=r"give it as frame\.collect\(\)"):
        to_plain(polars.LazyFrame({"a": [1]}))


class Names:
    """A feature of a Hugging Face data set whose numbers stand for names (the package itself: `make recipes`)."""

    def __init__(self, names: list[str]) -> None:
        self.names = names


class DataSet:
    column_names = ("tokens", "ner_tags")

    def __init__(self) -> None:
        self.features = {"tokens": object(), "ner_tags": [Names(["O", "B-PER"])]}

    def __iter__(self) -> Any:
        return iter([{"tokens": ["Ann", "sings"], "ner_tags": [1, 0]}])


def test_a_data_set_gives_the_names_of_its_classes() -> None:
    assert to_plain(DataSet()) == [{"tokens": ["Ann", "sings"], "ner_tags": ["B-PER", "O"]}]
    assert (
        aune.score("entities", DataSet(), [{"tokens": ["Ann", "sings"], "ner_tags": ["O", "O"]}])["f_measure"].recall
        == 0
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([["D", "N"], ["V"]], "a list of 2 lists of strings: [['D', 'N'], ['V']]"),
        ([1, "a"], "a list of 2 values of several kinds: [1, 'a']"),
        ({"a": {1, 2}}, "a dict of 1 set of whole numbers: {'a': {1, 2}}"),
        (None, "None"),
        (True, "the truth value True"),
        ([], "a list of nothing: []"),
        (["x" * 100], "a list of 1 string: ['" + "x" * 57 + "…"),
    ],
)
def test_values_in_words(value: Any, words: str) -> None:
    assert describe_value(value) == words


def test_truth_values_are_no_numbers() -> None:
    assert all_of_kind([1, 2], int) and not all_of_kind([1, True], int) and all_of_kind([], int)


def test_rows_without_a_name_are_refused() -> None:
    assert is_missing(float("nan")) and is_missing(None) and not is_missing("") and not is_missing(0)
    with pytest.raises(
        aune.UsageError, match=r"^found nothing in column 'document' of row 2, expected a value in each"
    ):
        group_rows([{"document": "a"}, {"document": None}], ["document"], "all")


def test_lists_of_other_lengths_are_refused() -> None:
    first, second = [Utterance("1", "a")], [Utterance("1", "a"), Utterance("2", "b")]
    with pytest.raises(aune.UsageError, match=r"^found 1 and 2 utterances in key and response, expected lists"):
        check_same_number(first, second, "utterances")
    check_same_number([Utterance("x", "a"), Utterance("y", "b"), Utterance("z", "b")], second, "utterances")
