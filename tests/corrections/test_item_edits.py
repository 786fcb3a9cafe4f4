"""Edits of one item as data: they change what they say and nothing else, in the key's own file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aune.campaign.scaffold import TEXTS
from aune.contract import registry
from aune.corrections.item_edits import EDITORS
from aune.corrections.key_revision import edit_key
from aune.errors import UsageError

CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("tagging", "key", {"word": 1, "tags": "X|Y"}, "cat\tNOUN"),
    ("tagging", "key", {"compound": [0, 2], "tags": "ADV"}, "The\tDET"),
    ("entities", "key", {"remove": [3, 4, "LOC"], "add": [3, 4, "ORG"]}, "Oslo\tB-LOC"),
    ("entities", "key", {"add": [1, 2, "EVENT"]}, "lives\tO"),
    ("entities", "key", {"remove": [0, 1, "PER"]}, "Ann\tB-PER"),
    ("coref", "a", {"mention": [3, 4], "with": [0, 1]}, "clusters"),
    ("coref", "a", {"mention": [2, 3], "with": []}, "clusters"),
    ("coref", "a", {"mention": [2, 3], "with": None}, "clusters"),
    ("anaphora", "a", {"anaphor": "2", "antecedents": ["1"]}, "antecedents"),
    ("speech", "u1", {"text": "good morning to all"}, "good morning to you"),
]


@pytest.mark.parametrize(("task", "document", "edit", "line"), CASES)
def test_an_edit_changes_its_item_only(task: str, document: str, edit: dict[str, Any], line: str) -> None:
    ending, [text, *_] = TEXTS[task]
    before = text.encode()
    after, documents, _ = edit_key(task, f"key{ending}", before, "", {}, [(document, edit)])
    assert after != before
    again, read_back, _ = edit_key(task, f"key{ending}", after, "", {}, [])
    assert again == after
    assert [item.id for item in read_back] == [item.id for item in documents]
    old, new = before.decode().splitlines(), after.decode().splitlines()
    changed = [item for item in old if item not in new]
    assert all(line in item or task in ("coref", "speech") or edit.get("compound") for item in changed), changed
    result = registry.task(task)
    assert result.reading.count_losses is None or not any(
        result.reading.count_losses(a, b) for a, b in zip(documents, read_back, strict=True)
    )


WRONG = [
    ("tagging", "key", {"word": 99, "tags": "X"}),
    ("tagging", "key", {"word": 0, "tags": "a\tb"}),
    ("tagging", "key", {"word": 0}),
    ("tagging", "key", {"word": "x", "tags": "X"}),
    ("tagging", "key", {"compound": [0, 2], "tags": None}),
    ("tagging", "other", {"word": 0, "tags": "X"}),
    ("tagging", "key", {"word": 0, "tags": "X", "more": 1}),
    ("entities", "key", {"remove": [0, 1, "LOC"]}),
    ("entities", "key", {"add": [0, 99, "LOC"]}),
    ("entities", "key", {}),
    ("coref", "a", {"mention": [1, 2], "with": None}),
    ("coref", "a", {"mention": [1, 2], "with": [3, 4]}),
    ("coref", "a", {"mention": [0, 99], "with": []}),
    ("anaphora", "a", {"anaphor": "99", "antecedents": []}),
    ("speech", "u1", {"text": 3}),
    ("speech", "u1", {"text": "a\nb"}),
]


@pytest.mark.parametrize(("task", "document", "edit"), WRONG)
def test_an_edit_of_nothing_is_refused(task: str, document: str, edit: dict[str, Any], tmp_path: Path) -> None:
    ending, [text, *_] = TEXTS[task]
    with pytest.raises(UsageError):
        edit_key(task, f"key{ending}", text.encode(), "", {}, [(document, edit)])


def test_every_task_has_edits() -> None:
    assert set(EDITORS) == set(TEXTS)
