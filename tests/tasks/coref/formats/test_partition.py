from __future__ import annotations

from pathlib import Path

import pytest

from aune.reading.source import Source
from aune.tasks.coref.formats.partition import read, sniff, write
from aune.tasks.coref.model import Document, named_position

SAMPLES = Path(__file__).parent / "samples"


def documents(text: str) -> list[Document]:
    source = Source("a.txt", text.encode())
    result = list(read(source))
    source.raise_problems()
    return result


@pytest.mark.parametrize("text", ["1 2\n3,4 , 5\n6-8\n", "{1,2}\n{3 4 5} {6-8}\n", "# a remark\n\n1,2\n 3\t4,5\n{6-8}"])
def test_ways_to_write_one_partition(text: str) -> None:
    [document] = documents(text)
    assert document.id == "document"
    assert document.clusters() == [[(1, 2), (2, 3)], [(3, 4), (4, 5), (5, 6)], [(6, 9)]]
    assert document.unit == "token"


def test_names_are_places_of_their_own() -> None:
    first, second, third = documents((SAMPLES / "partition-documents.chains").read_text())
    assert [result.id for result in (first, second, third)] == ["a", "b", "c"]
    place = named_position("Ann")
    assert [place, place + 1] in first.spans.tolist()
    assert sorted(first.features["name"]) == ["Ann", "dog", "her"]
    assert (first.unit, len(second), third.features["name"][0]) == ("name", 0, "")
    assert sorted("".join(write([first])).split()[3:]) == ["Ann", "dog", "her"]


def test_long_numbers_are_names() -> None:
    [document] = documents("1234567890 5\n")
    assert document.unit == "name"
    assert "".join(write([document])).split()[3:] == ["5", "1234567890"]


def test_lines_of_mentions() -> None:
    [document] = documents("1 2\n\n3\n")
    assert document.lines is not None
    assert document.lines.tolist() == [1, 1, 3]


@pytest.mark.parametrize(
    ("head", "is_partition"),
    [
        ("1 2\n3", True),
        ("{1, m2}", True),
        ("# document x\nAnn Lee", True),
        ("a b\nc", True),
        ("Ann sat\n", False),
        ("", False),
        ("# x", False),
    ],
)
def test_sniff(head: str, is_partition: bool) -> None:
    assert sniff(head) == is_partition
