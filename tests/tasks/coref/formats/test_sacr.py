from __future__ import annotations

from pathlib import Path

import pytest

from aune.reading.source import Source
from aune.tasks.coref.formats.sacr import read, sniff, splice, write
from aune.tasks.coref.model import Document, Mention, make_document

SAMPLES = Path(__file__).parent / "samples"


def documents(text: str) -> list[Document]:
    source = Source("a.sacr", text.encode())
    result = list(read(source))
    source.raise_problems()
    return result


def test_a_fable() -> None:
    [document] = documents((SAMPLES / "sacr-aesop.sacr").read_text())
    assert document.id == "aesop"
    assert document.attributes == {"title": "The Peasant and the Eagle", "work": "fable"}
    text = " ".join(document.tokens or ())
    assert text.startswith("A Peasant found an Eagle caught in a trap , and set { him } free . # not a remark L' aigle")
    assert document.labels == ["Peasant", "Eagle", "M3"]
    assert [len(cluster) for cluster in document.clusters()] == [3, 2, 1]
    assert document.features["function"][0] == "s subject"
    assert 'says "oh"' in document.features["note"]
    assert [(document.tokens or ())[start] for start in document.sentences or ()] == ["A", "L'"]


def test_several_documents() -> None:
    result = documents("#textid:a\n\n{x one}\n\n#textid: b\n\n{x two} {x three}\n\n#textid:c\n")
    assert [(document.id, len(document)) for document in result] == [("a", 1), ("b", 2), ("c", 0)]


def test_a_mention_goes_over_lines_and_may_lack_a_blank_at_the_end_of_one() -> None:
    [document] = documents("{x\nthe old\nman} sat\n")
    assert document.clusters() == [[(0, 3)]]


@pytest.mark.parametrize(
    ("head", "is_sacr"),
    [
        ("{Ann Ann} sat", True),
        ('{a:b="c" d}', True),
        ('{"doc_key": "a"}', False),
        ("{1, 2}", False),
        ("{M1 a}", False),
        ("plain", False),
    ],
)
def test_sniff(head: str, is_sacr: bool) -> None:
    assert sniff(head) == is_sacr


def test_what_is_written_is_read_again() -> None:
    before = documents((SAMPLES / "sacr-aesop.sacr").read_text())
    after = documents("".join(write(before)))
    assert [(document.id, document.tokens, document.clusters()) for document in after] == [
        (document.id, document.tokens, document.clusters()) for document in before
    ]


def test_braces_are_put_into_the_text_and_nothing_else_changes() -> None:
    text = '#title: x\r\n\r\n😀 {Ann Ann}\'s  dog, e\u0301t\u00e9 \\{ {d:kind="n" it}.\r\n'
    source = Source("a.sacr", text.encode())
    [before] = read(source)
    words = before.tokens or []
    assert words[:5] == ["😀", "Ann'", "s", "dog", ","]
    mentions = [Mention(1, 2, "Ann"), Mention(1, 4, "d"), Mention(0, 1, "new")]
    after = make_document("a", mentions, tokens=words, sentences=before.sentences, attributes=before.attributes)
    expected = text.replace("😀 {Ann Ann}'s  dog", "{new 😀} {d {Ann Ann}'s  dog}").replace('{d:kind="n" it}', "it")
    assert splice(source, [after]).decode() == expected
