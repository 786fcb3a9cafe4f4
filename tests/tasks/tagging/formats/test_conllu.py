"""CoNLL-U: columns, multiword tokens, documents, and everything wrong with a file at once."""

from __future__ import annotations

import pytest

from aune.contract import registry
from aune.errors import InputError
from aune.reading.source import Source
from aune.tasks.tagging.formats.conllu import read, sniff, write
from aune.tasks.tagging.model import Document

GOOD = """# newdoc id = a
# sent_id = 1
1-2\tAux\t_\t_\t_\t_\t_\t_\t_\t_
1\tÀ\tà\tADP\tP\t_\t3\tcase\t_\t_
2\tles\tle\tDET\tD\tDefinite=Def\t3\tdet\t_\t_
3\tÉtats\tétat\tNOUN\tNC\t_\t0\troot\t_\t_

# newdoc id = b
# sent_id = 2
1\t500 000\t_\tNUM\t_\t_\t0\troot\t_\t_
1.1\tvide\t_\t_\t_\t_\t_\t_\t_\t_
2\t%\t_\tNOUN\t_\t_\t1\tdep\t_\t_
"""


def documents(text: str, **options: str) -> list[Document]:
    source = Source("x.conllu", text.encode())
    result = list(read(source, **options))  # type: ignore[arg-type]
    source.raise_problems()
    return result


def test_the_whole_file_is_a_document() -> None:
    [document] = documents(GOOD)
    assert document.id == "x" and document.words.values() == ["À", "les", "États", "500 000", "%"]
    assert document.surface.values() == ["Aux", "États", "500 000", "%"]
    assert document.owner is not None and document.owner.tolist() == [0, 0, 1, 2, 3]
    assert (
        document.sentences.tolist() == [0, 3]
        and document.lines is not None
        and document.lines.tolist() == [4, 5, 6, 10, 12]
    )
    assert document.columns["upos"].values() == ["ADP", "DET", "NOUN", "NUM", "NOUN"]


def test_newdoc_makes_documents() -> None:
    first, second = documents(GOOD, documents="newdoc")
    assert (first.id, second.id, len(first), len(second)) == ("a", "b", 3, 2)
    assert second.sentences.tolist() == [0] and second.multiword is not None and not second.multiword.any()


def test_crlf_and_missing_last_line_end() -> None:
    assert documents(GOOD.rstrip("\n").replace("\n", "\r\n"))[0].words.values() == documents(GOOD)[0].words.values()


def test_it_reads_what_it_writes() -> None:
    result = documents(GOOD, documents="newdoc")
    again = documents("".join(write(result)), documents="newdoc")
    assert [(document.id, document.words.values(), document.surface.values()) for document in again] == [
        (document.id, document.words.values(), document.surface.values()) for document in result
    ]
    assert [document.sentences.tolist() for document in again] == [document.sentences.tolist() for document in result]


def test_recognised() -> None:
    assert sniff(GOOD) and not sniff("a\tN\n") and not sniff("")
    assert registry.format("tagging", "conllu").name == "conllu"


ROW = "\t_" * 8


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (f"1\ta{ROW}\n2\tb\tc\n", ["2:1: found 3 columns, expected 10 separated by tabs: write _ in the empty ones"]),
        (f"1\ta{ROW}\n3\tb{ROW}\n", ["2:1: found word number 3, expected 2: number the words of a sentence from 1"]),
        (f"x\ta{ROW}\n", ["1:1: found the word number 'x', expected such as 3, 3-4 or 3.1: mend the first column"]),
        (f"1\t {ROW}\n", ["1:1: found a word without a character, expected a form: write the word"]),
        (
            f"1-3\tab{ROW}\n1\ta{ROW}\n2\tb{ROW}\n",
            ["1:1: found the range 1-3, expected its words on the next lines: mend the range"],
        ),
        (
            f"2-1\tab{ROW}\n1\ta{ROW}\n",
            ["1:1: found the range 2-1, expected its words on the next lines: mend the range"],
        ),
        (
            f"1-2\tab{ROW}\n1\ta{ROW}\n2-3\tbc{ROW}\n2\tb{ROW}\n3\tc{ROW}\n",
            ["3:1: found the range 2-3 across another, expected them apart: remove one"],
        ),
        (
            "a\nb\n",
            [
                "1:1: found 1 columns, expected 10 separated by tabs: write _ in the empty ones",
                "2:1: found 1 columns, expected 10 separated by tabs: write _ in the empty ones",
            ],
        ),
    ],
)
def test_everything_wrong_at_once(text: str, problems: list[str]) -> None:
    with pytest.raises(InputError) as error:
        documents(text)
    assert str(error.value).split("\n") == [f"x.conllu:{problem}" for problem in problems]
