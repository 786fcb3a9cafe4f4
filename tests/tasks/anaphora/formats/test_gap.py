"""The GAP corpus, its answers and its tables of probabilities."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import UsageError
from aune.reading.source import Source
from aune.tasks.anaphora.formats.gap import read, splice, write
from aune.tasks.anaphora.model import Document, documents

SAMPLE = Path(__file__).parent / "samples" / "gap-one.tsv"


def one(text: str) -> Document:
    [document] = read(Source("x", text.encode()))
    return document


def test_a_key_has_a_pronoun_and_two_names() -> None:
    result = one(SAMPLE.read_text())
    [anaphor] = result.anaphors
    assert anaphor.antecedents == ("A",)
    assert [candidate.text for candidate in anaphor.candidates] == ["Ann", "Bo"]
    assert anaphor.attributes == {"pronoun": "she", "gender": "feminine", "distance": "0–99"}
    assert result.attributes["title"] == "Ann Lee"


def test_the_likeliest_of_three_decides() -> None:
    assert one("ID\tA\tB\tNEITHER\nt-1\t0.2\t0.7\t0.1\n").anaphors[0].antecedents == ("B",)
    assert one("ID\tA\tB\tNEITHER\nt-1\t0.2\t0.3\t0.5\n").anaphors[0].antecedents == ()


def test_answers_are_written_and_read_again() -> None:
    before = one("t-1\tFALSE\tTRUE\n")
    assert "".join(write([before])) == "t-1\tFALSE\tTRUE\n"


@pytest.mark.parametrize("anaphors", [{"he": "Ann"}, {"pronoun": "Ann"}, {}])
def test_other_anaphors_are_refused(anaphors: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="cannot be written as gap"):
        list(write(documents({"d": anaphors or {"anaphors": {}}})))


def test_an_answer_is_two_cells_of_the_key() -> None:
    text = SAMPLE.read_text()
    [after] = documents({"t-1": {"anaphors": {"pronoun": "B"}}})
    before = one(text)
    edited = Document(before.id, after.anaphors, before.chains, before.kinds, before.texts)
    changed = splice(Source("x", text.encode()), [edited]).decode()
    assert changed == text.replace("\tTRUE\t", "\t1\t").replace("\tFALSE\t", "\tTRUE\t").replace("\t1\t", "\tFALSE\t")


def test_probabilities_cannot_be_edited() -> None:
    table = "ID\tA\tB\tNEITHER\nt-1\t0.2\t0.7\t0.1\n"
    [after] = documents({"t-1": {"anaphors": {"pronoun": "A"}}})
    with pytest.raises(UsageError, match="probabilities"):
        splice(Source("x", table.encode()), [after])
    assert splice(Source("x", table.encode()), [one(table)]) == table.encode()
