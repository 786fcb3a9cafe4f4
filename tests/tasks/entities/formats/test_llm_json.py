"""Lists of entities as models write them: read whole, or cut off anywhere without anything made up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.core.corpus import Source
from aune.tasks.entities.formats.llm_json import read
from aune.tasks.entities.model import Document

LABELS = st.sampled_from(["PER", "LOC"])
STRINGS = st.text(st.sampled_from("aé \"'\\,[]{}:\n😀"), min_size=1, max_size=6).filter(lambda text: text.strip() != "")
ITEMS = st.lists(st.tuples(STRINGS, LABELS), max_size=5)


def documents(*answers: str, **options: str) -> list[Document]:
    lines = [json.dumps({"id": str(number), "answer": answer}) for number, answer in enumerate(answers)]
    source = Source("x", "\n".join(lines).encode())
    found = list(read(source, **options))  # type: ignore[arg-type]
    source.finish()
    return found


def listed(answer: str) -> tuple[list[tuple[str, str]], int]:
    [document] = documents(answer, unreadable="skip")
    return [(item.string, item.label) for item in document.listed or ()], document.lost


def written(items: list[tuple[str, str]], shape: str) -> str:
    if shape == "objects":
        return json.dumps([{"text": string, "label": label} for string, label in items])
    if shape == "pairs":
        return json.dumps([list(item) for item in items], ensure_ascii=False)
    return repr([list(item) for item in items])


@pytest.mark.parametrize("shape", ["objects", "pairs", "python"])
@given(items=ITEMS)
def test_every_way_of_writing_is_read(shape: str, items: list[tuple[str, str]]) -> None:
    assert listed(written(items, shape)) == (items, 0)
    assert listed(f"Sure! Here is the list:\n```json\n{written(items, shape)}\n```\nDone.") == (items, 0)


@pytest.mark.parametrize("shape", ["objects", "pairs", "python"])
@given(items=ITEMS, data=st.data())
def test_nothing_is_made_up_where_an_answer_is_cut(
    shape: str, items: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Cut at every character: whole items in order, and at most one that was begun."""
    text = written(items, shape)
    for end in range(1, len(text)):
        found, lost = listed(text[:end])
        assert found == items[: len(found)]
        assert lost <= 1
        assert len(found) + lost <= len(items)


@given(st.dictionaries(LABELS, st.lists(STRINGS, max_size=3)))
def test_lists_by_type(by_type: dict[str, list[str]]) -> None:
    expected = [(string, label) for label, strings in by_type.items() for string in strings]
    text = json.dumps(by_type)
    assert listed(text) == (expected, 0)
    for end in range(1, len(text)):
        found, lost = listed(text[:end])
        assert found == expected[: len(found)] and lost <= 1


def test_fences_are_counted_and_lists_refused_when_there_are_several() -> None:
    assert listed("```python\n[['a', 'X']]\n```") == ([("a", "X")], 0)
    assert listed("[['a', 'X']] or rather [['b', 'X']]") == ([], 0)
    assert listed("See [1]: [['a', 'X']]") == ([("a", "X")], 0)


def test_an_answer_that_evaluates_is_only_text() -> None:
    assert listed("[__import__('os').system('echo no')]") == ([], 0)


def test_deep_brackets_cost_nothing() -> None:
    assert listed("[" * 100_000) == ([], 1)
