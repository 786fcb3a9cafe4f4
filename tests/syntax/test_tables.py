"""Tables with a heading: whoever reads one refuses the same things, and says where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aune
from aune.meta.impact import read_scores
from aune.meta.judgements import read_judgements
from aune.reading.source import Source
from aune.syntax.tables import delimiter, records, rows

READERS: list[tuple[Callable[[str], Any], str]] = [
    (read_scores, "system,measure,score"),
    (read_judgements, "document,system,grade"),
]


@pytest.mark.parametrize(
    ("head", "expected"), [("a,b", ","), ("a\tb,c", "\t"), ("a;b", ";"), ("a;b,c", ","), ("a", ",")]
)
def test_what_stands_between_columns(head: str, expected: str) -> None:
    assert delimiter(f"{head}\nx;y,z\t") == expected


def test_rows_begin_where_they_begin() -> None:
    """A cell in quotes may contain line ends; a blank line is a row without cells."""
    result = list(rows(Source("a.csv", b'\xef\xbb\xbfid,text\r\n1,"two\r\nlines"\r\n\r\n2,one')))
    assert [(row.line, len(row.cells)) for row in result] == [(1, 2), (2, 2), (4, 0), (5, 2)]


def test_a_cell_may_be_as_long_as_a_transcript() -> None:
    long = "word " * 100_000
    assert list(rows(Source("a.csv", f"id,text\n1,{long}\n".encode())))[1].cells == ["1", long]


def test_rows_of_another_width_are_problems() -> None:
    source = Source("a.csv", b"a,b\n1,2\n1\n\n1,2,3\n")
    assert list(records(source)[1]) == [(2, {"a": "1", "b": "2"})]
    assert [(problem.place.line, problem.message.partition(",")[0]) for problem in source.problems] == [
        (3, "found 1 cells"),
        (5, "found 3 cells"),
    ]


@pytest.mark.parametrize(("read", "heading"), READERS)
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A,wer", "3:1: found 2 cells, expected the 3 of the heading"),
        ("A,wer,1,2", "3:1: found 4 cells, expected the 3 of the heading"),
    ],
)
def test_every_reader_refuses_them(
    tmp_path: Path, read: Callable[[str], Any], heading: str, row: str, message: str
) -> None:
    """Cells that are not there were read as nothing."""
    path = tmp_path / "table.csv"
    path.write_text(f"{heading}\nB,bleu,1\n{row}\n")
    with pytest.raises(aune.InputError, match=message):
        read(str(path))
