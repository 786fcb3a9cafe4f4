"""One word per line: tags, compounds, documents, and what is wrong with a file."""

from __future__ import annotations

import pytest

from aune.errors import InputError
from aune.reading.source import Source
from aune.tasks.tagging.formats.tsv import read, sniff, write
from aune.tasks.tagging.model import Compound, Document

GOOD = "par\tSp\tB-Rgp\nexemple\tNcms\tI-Rgp\n\n500 000\tDi|Nk\t_\t0.500\n#\tF\nx\t\n"


def documents(text: str, **options: str) -> list[Document]:
    source = Source("x.tsv", text.encode())
    result = list(read(source, **options))  # type: ignore[arg-type]
    source.raise_problems()
    return result


def test_words_tags_and_compounds() -> None:
    [document] = documents(GOOD)
    assert document.words.values() == ["par", "exemple", "500 000", "#", "x"]
    assert document.columns["tag"].values() == ["Sp", "Ncms", "Di|Nk", "F", ""]
    assert document.compounds == (Compound(0, 2, "Rgp"),) and document.sentences.tolist() == [0, 2]
    assert document.lines is not None and document.lines.tolist() == [1, 2, 4, 5, 6]


def test_documents() -> None:
    text = "# newdoc id = a\nx\tN\n# a comment\n# newdoc id = b\ny\tV\tB-R\nz\tV\tI-R\n"
    first, second = documents(text, documents="newdoc")
    assert (first.id, second.id) == ("a", "b") and second.compounds == (Compound(0, 2, "R"),)
    assert [document.id for document in documents(text)] == ["x"]


def test_two_compounds_side_by_side() -> None:
    [document] = documents("a\tN\tB-X\nb\tN\tI-X\nc\tN\tB-Y\nd\tN\tI\n")
    assert document.compounds == (Compound(0, 2, "X"), Compound(2, 4, "Y"))


def test_it_reads_what_it_writes() -> None:
    [document] = documents(GOOD)
    [again] = documents("".join(write([document])))
    assert again.words.values() == document.words.values() and again.compounds == document.compounds
    assert again.sentences.tolist() == document.sentences.tolist()


def test_recognised() -> None:
    assert sniff(GOOD) and not sniff("le/D chat/N\n") and not sniff("") and not sniff("1\ta" + "\t_" * 8 + "\n")


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("a\tN\nb N\n", ["2:1: found 'b N', expected 'word<tab>tag': put a tab between them"]),
        ("\tN\n", ["1:1: found a tag without a word, expected 'word<tab>tag': write the word"]),
        ("a\tN\t_\t1\t2\n", ["1:1: found 5 columns, expected word, tags, compound and agreement: remove the others"]),
        ("a\tN\tI-X\n", ["1:5: found 'I-X' after no B-, expected a compound to go on: begin it with B-"]),
        (
            "a\tN\tB-X\nb\tN\nc\tN\tI-X\n",
            ["3:5: found 'I-X' after no B-, expected a compound to go on: begin it with B-"],
        ),
        (
            "abc\tN\tfoo\n",
            [
                "1:7: found 'foo', expected B-tags, I-tags or _: mend the compound's mark, or write the "
                "tags of each side into a file of its own"
            ],
        ),
    ],
)
def test_everything_wrong_at_once(text: str, problems: list[str]) -> None:
    with pytest.raises(InputError) as error:
        documents(text)
    assert str(error.value).split("\n") == [f"x.tsv:{problem}" for problem in problems]


def test_tabs_of_spreadsheets() -> None:
    """Tabs behind a comment made it a word, and tabs on a blank line a word without letters."""
    text = "# newdoc id = a\t\t\nchat\tN\t\n\t\t\n# a comment\t\t\n# newdoc id = b\t\ndort\tV\t_\n"
    first, second = documents(text, documents="newdoc")
    assert (first.id, first.words.values(), second.id, second.words.values()) == ("a", ["chat"], "b", ["dort"])
