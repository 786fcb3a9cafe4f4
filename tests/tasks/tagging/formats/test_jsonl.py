"""JSON lines."""

from __future__ import annotations

import pytest

from aune.errors import InputError
from aune.reading.source import Source
from aune.tasks.tagging.formats.jsonl import read, sniff, write
from aune.tasks.tagging.model import Compound, Document

GOOD = (
    '{"id": "a", "words": ["par", "exemple"], "tags": ["Sp", ["Ncms", "Ncm-"]], "compounds": [[0, 2, "Rgp"]], '
    '"attributes": {"genre": "novel"}}\n\n{"words": ["x"], "upos": ["NOUN"], "lemma": ["x"], "extra": 1}\n'
)


def documents(text: str) -> tuple[list[Document], list[str]]:
    source = Source("x.jsonl", text.encode())
    result = list(read(source))
    source.raise_problems()
    return result, source.warnings


def test_documents() -> None:
    (first, second), warnings = documents(GOOD)
    assert first.columns["tag"].values() == ["Sp", "Ncms|Ncm-"] and first.compounds == (Compound(0, 2, "Rgp"),)
    assert first.attributes == {"genre": "novel"} and second.id == "x:3" and second.columns["upos"].values() == ["NOUN"]
    assert warnings == ["x.jsonl: fields not read: extra (first at line 3)"]


def test_it_reads_what_it_writes() -> None:
    result, _ = documents(GOOD)
    again, _ = documents("".join(write(result)))
    assert [(document.id, document.words.values(), document.compounds) for document in again] == [
        (document.id, document.words.values(), document.compounds) for document in result
    ]


def test_recognised() -> None:
    assert sniff(GOOD) and not sniff('{"tokens": []}')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "{",
            "1:2: found broken JSON (Input data was truncated), expected one whole object per line: correct it",
        ),
        ("{}", '1:1: found no list of words, expected {"words": […], "tags": […]}: mend the record'),
        (
            '{"words": ["a"], "tags": []}',
            "1:1: found 0 values of 'tag' for 1 words, expected lists of the same length: mend the record",
        ),
        (
            '{"words": [" "], "tags": ["N"]}',
            "1:1: found a word without a character, expected lists of the same length: mend the record",
        ),
        (
            '{"words": ["a"], "tags": ["N"], "compounds": [[0, 9, "X"]]}',
            "1:1: found a compound outside the words or across another one, "
            "expected lists of the same length: mend the record",
        ),
        (
            '{"words": ["a"], "tags": ["N"], "sentences": [5]}',
            "1:1: found a sentence that starts outside the words, expected lists of the same length: mend the record",
        ),
    ],
)
def test_what_is_wrong(text: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        documents(text)
    assert str(error.value) == f"x.jsonl:{problem}"
