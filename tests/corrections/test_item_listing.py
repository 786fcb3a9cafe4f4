from __future__ import annotations

from pathlib import Path

import pytest

from aune.campaign.scaffold import TEXTS
from aune.contract import registry
from aune.corrections.item_edits import edit_documents
from aune.corrections.item_listing import ADD, EXAMPLES, LISTERS, PARSERS, list_items, parse_edit
from aune.errors import UsageError
from aune.reading.corpus import read
from aune.tasks.entities import model as entities


@pytest.mark.parametrize("task", TEXTS)
def test_typing_what_the_key_says_changes_nothing(task: str, tmp_path: Path) -> None:
    """Every item of every sample key: its own value, typed as an edit, is accepted, and leaves its item as it was."""
    ending, texts = TEXTS[task]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}{ending}").write_text(text)
        for document in read(registry.task(task), str(tmp_path / f"{number}{ending}")).documents:
            for item in list_items(task, document):
                if item.place == ADD:
                    continue
                [after] = edit_documents(task, [document], document.id, parse_edit(task, item.place, item.value))
                assert list_items(task, after) == list_items(task, document)


def test_what_is_typed() -> None:
    assert parse_edit("tagging", "3", "N|V") == {"word": 3, "tags": "N|V"}
    assert parse_edit("entities", ADD, "1 2 LOC") == {"add": [1, 2, "LOC"]}
    assert parse_edit("entities", "1 2 LOC", "") == {"remove": [1, 2, "LOC"]}
    assert parse_edit("coref", "3 5", "") == {"mention": [3, 5], "with": None}
    assert parse_edit("coref", ADD, "3 5, 0 1") == {"mention": [3, 5], "with": [0, 1]}
    assert parse_edit("anaphora", "12", "3 7") == {"anaphor": "12", "antecedents": ["3", "7"]}
    assert parse_edit("speech", "u3", "hello there") == {"utterance": "u3", "text": "hello there"}
    assert set(LISTERS) == set(PARSERS) == set(EXAMPLES) == set(TEXTS)


@pytest.mark.parametrize(
    ("task", "place", "value"), [("tagging", "x", "N"), ("entities", ADD, "1 LOC"), ("coref", "3", "")]
)
def test_what_cannot_be_read(task: str, place: str, value: str) -> None:
    with pytest.raises(UsageError, match="expected such as"):
        parse_edit(task, place, value)


def test_items_are_quoted_with_what_stands_around_them() -> None:
    [document] = entities.documents([{"tokens": ["Cleo", "met", "Dan", "in", "Rome", "."], "spans": [[2, 3, "PER"]]}])
    [dan, _] = list_items("entities", document)
    assert (dan.before, dan.text, dan.after) == ("Cleo met", "Dan", "in Rome .")
    [document] = entities.documents([{"text": "Cleo met Dan.", "spans": [[9, 12, "PER"]]}])
    [dan, _] = list_items("entities", document)
    assert (dan.before, dan.text, dan.after) == ("Cleo met ", "Dan", ".")
