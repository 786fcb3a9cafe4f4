"""Edits in words, with and without the document that they are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aune.campaign.scaffold import TEXTS
from aune.contract import registry
from aune.corrections.edit_wording import DESCRIBERS, describe_edit
from aune.corrections.item_edits import EDITORS
from aune.reading.corpus import read

EDITS: dict[str, list[tuple[dict[str, Any], str, str]]] = {
    "tagging": [
        ({"word": 1, "tags": "VERB"}, "word 1 becomes VERB", "“old” (word 1): ADJ becomes VERB"),
        ({"word": 1, "tags": "ADJ"}, "word 1 becomes ADJ", "“old” (word 1): ADJ"),
        ({"compound": [0, 2], "tags": "X"}, "words 0–1 are a compound: X", "“The old” (words 0–1) are a compound: X"),
        ({"compound": [0, 2], "tags": None}, "words 0–1 are no compound", "“The old” (words 0–1) are no compound"),
    ],
    "entities": [
        ({"remove": [0, 1, "PER"]}, "0–1 PER is no entity", "“Cleo” (0–1) PER is no entity"),
        ({"add": [1, 2, "X"]}, "1–2 X is an entity", "“met” (1–2) X is an entity"),
        ({"remove": [0, 1, "PER"], "add": [0, 1, "X"]}, "0–1 PER becomes X", "“Cleo” (0–1) PER becomes X"),
        (
            {"remove": [0, 1, "PER"], "add": [0, 2, "X"]},
            "0–1 PER becomes 0–2 X",
            "“Cleo” (0–1) PER becomes “Cleo met” (0–2) X",
        ),
    ],
    "coref": [
        ({"mention": [4, 5], "with": [2, 3]}, "4–5 belongs with 2–3", "“She” (4–5) belongs with “Dan” (2–3)"),
        ({"mention": [1, 2], "with": []}, "1–2 begins a chain of its own", "“called” (1–2) begins a chain of its own"),
        ({"mention": [0, 1], "with": None}, "0–1 is no mention", "“Cleo” (0–1) is no mention"),
        (
            {"edits": [{"mention": [0, 1], "with": None}, {"mention": [4, 5], "with": []}]},
            "0–1 is no mention; 4–5 begins a chain of its own",
            "“Cleo” (0–1) is no mention; “She” (4–5) begins a chain of its own",
        ),
    ],
    "anaphora": [
        ({"anaphor": "4", "antecedents": ["2"]}, "4 refers to 2", "4 refers to 2"),
        ({"anaphor": "4", "antecedents": []}, "4 refers to nothing", "4 refers to nothing"),
    ],
    "speech": [
        ({"text": "a b"}, "what was said is “a b”", "what was said is “a b”"),
        ({"utterance": "u", "text": "a"}, "in u, what was said is “a”", "in u, what was said is “a”"),
    ],
}


@pytest.mark.parametrize("task", EDITORS)
def test_every_kind_of_edit_has_words(task: str, tmp_path: Path) -> None:
    ending, texts = TEXTS[task]
    (tmp_path / f"key{ending}").write_text(texts[-1], "utf-8")
    [document, *_] = read(registry.task(task), str(tmp_path / f"key{ending}")).documents
    for edit, bare, quoted in EDITS[task]:
        assert describe_edit(task, edit) == bare
        assert describe_edit(task, edit, document) == quoted


def test_every_task_has_words() -> None:
    assert set(DESCRIBERS) == set(EDITORS)
    assert describe_edit("tagging", {}) == ""
