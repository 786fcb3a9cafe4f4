"""JSON lines: which records there are, where they are, and what is said of bad ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.reading.source import Source
from aune.syntax.jsonlines import Record, Shape, kind, locate, records, shorten_json, to_json_line


class Span(msgspec.Struct):
    start: Annotated[int, msgspec.Meta(ge=0)]
    label: str = ""


class Text(msgspec.Struct):
    spans: list[Span]
    id: str | int | None = None


SHAPE = Shape(Text, "`spans`")


def read(text: str) -> tuple[list[Text], list[str]]:
    source = Source("x", text.encode())
    result = [text for record in records(source) if (text := SHAPE.decode(source, record)) is not None]
    return result, [f"{problem.place.line}:{problem.place.column}: {problem.message}" for problem in source.problems]


@pytest.mark.parametrize(
    "text",
    [
        '{"id": 1, "spans": []}\n\n  \n{"id": 2, "spans": [], "other": {"a": [1]}}\n',
        '[{"id": 1, "spans": []},\n {"id": 2, "spans": []}]',
        '\n[\n{"id": 1,\n"spans": []}\n,\n{"id": 2, "spans": []}\n]\n',
    ],
)
def test_records_are_lines_or_the_items_of_a_list(text: str) -> None:
    assert read(text) == ([Text([], 1), Text([], 2)], [])


def test_one_object_over_several_lines() -> None:
    assert read('\n{\n "id": 1,\n "spans": []\n}\n') == ([Text([], 1)], [])


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('{"a": 1}\n\n{"b": 2}', [(1, 1, 1), (2, 3, 1)]),
        ('[ {"a": 1},\n  {"a": 1}, 3 ]', [(1, 1, 3), (2, 2, 3), (3, 2, 13)]),
        ('\n [{\n"é": 1}, 2,\n3]', [(1, 2, 3), (2, 3, 10), (3, 4, 1)]),
    ],
)
def test_every_record_has_its_place(text: str, places: list[tuple[int, int, int]]) -> None:
    result = list(records(Source("x", text.encode())))
    assert [(record.number, record.line, record.column) for record in result] == places
    lines = text.split("\n")
    assert all(lines[record.line - 1][record.column - 1 :].startswith(record.text.split("\n")[0]) for record in result)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"spans": [}', "1:12: found broken JSON (invalid character), expected one whole object per line: correct it"),
        ('{"spans": [', "1:12: found broken JSON (Input data was truncated), "
         "expected one whole object per line: correct it"),
        ('[1,\n {"é": }]',
         "2:8: found broken JSON (invalid character), expected one whole object per line: correct it"),
        ("[1]", "1:2: found a number, expected an object with `spans`: write one"),
        ("{}", "1:1: found no field `spans`, expected `spans`: add it"),
        ('{"spans": 3}', "1:11: found a number in `spans`, expected a list: correct the field"),
        ('{"spans": [{"start": 1}, {"start": "é"}]}',
         "1:36: found a string in `spans[1].start`, expected a number: correct the field"),
        ('{"spans": [{"start": -1}]}',
         "1:22: found a value out of range in `spans[0].start`, expected a number >= 0: correct the field"),
        ('{"spans": [], "id": []}',
         "1:21: found a list in `id`, expected a number or a string or null: correct the field"),
        ('{"spans": [], "id": 1} x', "1:25: found broken JSON (trailing characters), "
         "expected one whole object per line: correct it"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_its_place(text: str, message: str) -> None:
    assert read(text) == ([], [message])


def test_every_wrong_field_is_told() -> None:
    assert read('{"spans": 1, "id": []}')[1] == [
        "1:11: found a number in `spans`, expected a list: correct the field",
        "1:20: found a list in `id`, expected a number or a string or null: correct the field",
    ]


def test_deep_nesting_is_a_problem_of_the_file() -> None:
    result, messages = read("[" * 100_000)
    assert not result and "found broken JSON" in messages[0]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(VALUES, max_size=4), st.sampled_from([None, 1]))
def test_every_item_of_a_list_is_found_where_it_stands(values: list[object], indent: int | None) -> None:
    import json

    text = json.dumps(values, indent=indent, ensure_ascii=False)
    result = list(records(Source("x", text.encode())))
    assert [json.loads(record.text) for record in result] == values
    lines = text.split("\n")
    assert all(lines[record.line - 1][record.column - 1 :].startswith(record.text.split("\n")[0]) for record in result)


@given(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3))
def test_paths_lead_to_values(fields: dict[str, object]) -> None:
    record = Record(1, 3, to_json_line(fields), 5)
    for name, value in fields.items():
        line, column = locate(record, name)
        assert line == 3 and record.text[column - 5 :].startswith(to_json_line(value))
        if isinstance(value, list):
            for number, item in enumerate(value):
                _, column = locate(record, f"{name}[{number}]")
                assert record.text[column - 5 :].startswith(to_json_line(item))


def test_a_path_that_leads_nowhere_is_the_record() -> None:
    assert locate(Record(1, 3, '{"a": []}', 5), "a[2].b") == (3, 5)
    assert locate(Record(1, 3, "7", 5), "a") == (3, 5)


def test_values_in_messages() -> None:
    assert [kind(value) for value in ({}, [], "", True, None, 1.5)] == [
        "an object", "a list", "a string", "true or false", "null", "a number"
    ]  # fmt: skip
    assert shorten_json("é" * 100) == '"' + "é" * 56 + "…"


def test_a_name_used_twice_in_an_object_is_reported(tmp_path: Path) -> None:
    for text in (
        '{"id": "u", "text": "a", "text": "b"}\n',
        '{"id": "v", "text": "a"}\n{"id": "u", "id": "w", "text": "b"}\n',
    ):
        path = tmp_path / "a.jsonl"
        path.write_text(text)
        with pytest.raises(aune.InputError, match="twice in one object, expected every name once: remove one"):
            aune.score("speech", str(path), str(path))
