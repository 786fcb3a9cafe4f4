"""Lists of entities as models write them: read whole, or cut off anywhere without anything made up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aune.errors import InputError
from aune.reading.source import Source
from aune.tasks.entities.formats.llm_json import read
from aune.tasks.entities.model import Document

LABELS = st.sampled_from(["PER", "LOC"])
STRINGS = st.text(st.sampled_from("aé \"'\\,[]{}:\n😀"), min_size=1, max_size=6).filter(lambda text: text.strip() != "")
SHAPES = ["objects", "pairs", "python", "wrapped", "wrapped twice", "called", "lines"]
ITEMS = st.lists(st.tuples(STRINGS, LABELS), max_size=5)


def documents(*answers: str, **options: str) -> list[Document]:
    lines = [json.dumps({"id": str(number), "answer": answer}) for number, answer in enumerate(answers)]
    source = Source("x", "\n".join(lines).encode())
    result = list(read(source, **options))  # type: ignore[arg-type]
    source.raise_problems()
    return result


def list_items(answer: str) -> tuple[list[tuple[str, str]], int]:
    [document] = documents(answer, unreadable="skip")
    return [(item.string, item.label) for item in document.listed or ()], document.lost


def write_text(items: list[tuple[str, str]], shape: str) -> str:
    objects = [{"text": string, "label": label} for string, label in items]
    if shape == "objects":
        return json.dumps(objects)
    if shape == "wrapped":
        return json.dumps({"reasoning": "Well.", "entities": objects, "count": len(items)})
    if shape == "wrapped twice":
        return json.dumps({"result": {"Named Entities": objects}})
    if shape == "called":
        return json.dumps({"name": "extract", "arguments": {"entities": objects}})
    if shape == "lines":
        return "\n".join(map(json.dumps, objects)) or "[]"
    if shape == "pairs":
        return json.dumps([list(item) for item in items], ensure_ascii=False)
    return repr([list(item) for item in items])


@pytest.mark.parametrize("shape", SHAPES)
@given(items=ITEMS)
def test_every_way_of_writing_is_read(shape: str, items: list[tuple[str, str]]) -> None:
    assert list_items(write_text(items, shape)) == (items, 0)
    assert list_items(f"Sure! Here is the list:\n```json\n{write_text(items, shape)}\n```\nDone.") == (items, 0)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=20)
@given(items=ITEMS)
def test_nothing_is_made_up_where_an_answer_is_cut(shape: str, items: list[tuple[str, str]]) -> None:
    """Cut at every character: whole items in order, and at most one that was begun."""
    text = write_text(items, shape)
    for end in range(1, len(text)):
        result, lost = list_items(text[:end])
        assert result == items[: len(result)]
        assert lost <= 1
        assert len(result) + lost <= max(len(items), "{" in text)  # what an object holds is not known at its first name


@given(st.dictionaries(LABELS, st.lists(STRINGS, max_size=3)))
def test_lists_by_type(by_type: dict[str, list[str]]) -> None:
    expected = [(string, label) for label, strings in by_type.items() for string in strings]
    text = json.dumps(by_type)
    assert list_items(text) == (expected, 0)
    for end in range(1, len(text)):
        found, lost = list_items(text[:end])
        assert found == expected[: len(found)] and lost <= 1


def test_fences_are_counted_and_lists_refused_when_there_are_several() -> None:
    assert list_items("```python\n[['a', 'X']]\n```") == ([("a", "X")], 0)
    assert list_items("[['a', 'X']] or rather [['b', 'X']]") == ([], 0)
    assert list_items("See [1]: [['a', 'X']]") == ([("a", "X")], 0)


def test_an_answer_that_evaluates_is_only_text() -> None:
    assert list_items("[__import__('os').system('echo no')]") == ([], 0)


def test_deep_brackets_cost_nothing() -> None:
    assert list_items("[" * 100_000) == ([], 1)


@pytest.mark.parametrize(
    "item",
    [
        {"Text": "Ann", "Type": "PER"}, {"entity_name": "Ann", "entityType": "PER"},
        {"value": "Ann", "labels": ["PER"]}, {"entity_group": "PER", "word": "Ann", "score": 0.9},
        {"entity": "PER", "word": "Ann"},
        {"entity": "Ann", "category": "PER"}, {"text": "Ann", "label": "PER", "mentions": ["Ann", "she"]},
    ],
)  # fmt: skip
def test_what_fields_are_called(item: dict[str, object]) -> None:
    assert list_items(json.dumps([item])) == ([("Ann", "PER")], 0)
    assert list_items(json.dumps(item)) == ([("Ann", "PER")], 0)


@pytest.mark.parametrize(
    "by_type",
    [
        {"PER": ["Ann"], "LOC": []}, {"PER": ["Ann"], "LOC": None}, {"PER": [{"text": "Ann"}]},
        {"entities": {"PER": ["Ann"]}}, {"entities": '{"PER": ["Ann"]}'},
    ],
)  # fmt: skip
def test_what_is_listed_by_type(by_type: dict[str, object]) -> None:
    assert list_items(json.dumps(by_type)) == ([("Ann", "PER")], 0)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"PER": ["Ann"], "LOC": "Lyon"}', "expected a list of items"),
        ('[{"PER": "Ann"}]', "expected a string and a label"),
        ('[["Ann", "B-PER"], ["spoke", "O"]]', "tags of words are read from columns"),
        ('[{"text": "Ann", "label": null}]', "expected a string and a label"),
        ('{"tool_calls": [{"name": "f", "arguments": "[]"}, {"name": "f", "arguments": "[]"}]}', "2 calls of a tool"),
        ("```json\n[['Ann', 'PER']]\n```\n```json\n[['Bo', 'PER']]\n```", "found 2 lists, expected one"),
        ("[['Ann', 'PER'], ...]", "expected a list of items"),
        ("", "found an empty answer"),
        ("I am sorry, I cannot do that.", "expected a list of items"),
    ],
)
def test_what_could_mean_two_things_is_refused(answer: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        documents(answer)


@pytest.mark.parametrize(
    "nothing", ["[]", "{}", '{"entities": null}', "No entities.", "Aucune entité nommée.", "没有命名实体。"]
)
def test_ways_of_saying_that_there_is_nothing(nothing: str) -> None:
    assert list_items(nothing) == ([], 0)
