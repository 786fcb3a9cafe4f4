"""Positions that are all off in the same way are reported by every task with places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aune

PLACES = [(0, 2), (4, 5), (7, 9), (10, 11), (12, 14)]
SLIPS = [((1, 1), "earlier"), ((-1, -1), "later"), ((0, -1), "inclusive"), ((0, 1), "exclusive")]


def warnings(task: str, key: Any, response: Any) -> list[str]:
    return list(aune.score(task, key, response).warnings)


def move_items(places: list[tuple[int, int]], slip: tuple[int, int]) -> list[tuple[int, int]]:
    return [(start + slip[0], end + slip[1]) for start, end in places]


@pytest.mark.parametrize(("slip", "remedy"), SLIPS)
def test_mentions_that_are_all_off_are_reported(slip: tuple[int, int], remedy: str) -> None:
    """A response with the other kind of ends had 0.00 for every measure, without a word."""
    key = move_items(PLACES, (2, 3))
    [note] = warnings("coref", [key[:3], key[3:]], [move_items(key, slip)[:3], move_items(key, slip)[3:]])
    assert "0 of 5 mentions of the response have the place of one of the key's" in note
    assert remedy in note


@pytest.mark.parametrize(("slip", "remedy"), SLIPS)
def test_entities_that_are_all_off_are_reported(slip: tuple[int, int], remedy: str) -> None:
    key = move_items(PLACES, (2, 3))
    sides = ([(*place, "PER") for place in places] for places in (key, move_items(key, slip)))
    [note] = warnings("entities", *sides)
    assert "0 of 5 entities of the response have the place of one of the key's" in note
    assert remedy in note


def test_a_response_that_is_only_bad_has_no_such_note() -> None:
    key = [(*place, "PER") for place in PLACES]
    assert not warnings("entities", key, [key[0], (20, 24, "PER"), (30, 34, "PER"), (40, 44, "PER")])
    assert not warnings("entities", key, [(*place, "PER") for place in move_items(PLACES, (0, 1))][:2])


def test_documents_add_up() -> None:
    """One document says too little; several of them show it."""
    key = {f"d{number}": [(2, 4, "PER")] for number in range(4)}
    response = {name: [(3, 5, "PER")] for name in key}
    assert any("4 would have it one position earlier" in note for note in warnings("entities", key, response))


@pytest.mark.parametrize(("ends", "side"), [("inclusive", "key"), ("exclusive", "response")])
def test_mentions_that_cut_words_are_reported(ends: str, side: str, tmp_path: Path) -> None:
    """Two mentions are too few to show that all positions are off; the text shows it."""
    for name, chains in (("key", [[[0, 7], [12, 20]]]), ("response", [[[0, 6], [12, 19]]])):
        record = {"doc_key": "d", "text": "Ann Lee met Bob Hope in Rome", "clusters": chains}
        (tmp_path / name).write_text(json.dumps(record) + "\n")
    [note] = aune.score("coref", str(tmp_path / "key"), str(tmp_path / "response"), ends=ends).warnings
    assert f"2 of the 2 mentions of the {side} begin or end inside a word or with a blank" in note


def test_entities_of_a_script_without_blanks_are_moved() -> None:
    """No word is cut there."""
    text = "小明和小红去北京看小刚"
    key = [{"start": start, "end": start + 2, "label": "X"} for start in (0, 3, 6, 9)]
    response = [{**span, "end": span["end"] - 1} for span in key]
    [note] = aune.score("entities", [{"text": text, "spans": key}], [{"text": text, "spans": response}]).warnings
    assert "ends='inclusive'" in note
