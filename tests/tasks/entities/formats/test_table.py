"""Tables of spreadsheets: the same entities as in columns of CoNLL, and one table that holds key and response."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune import score
from aune.errors import InputError
from aune.tasks.entities.formats.table import FORMAT

BOTH = "Word,Gold,System\nParis,B-LOC,B-LOC\nis,O,O\nnice,O,B-PER\n,,\nBob,B-PER,B-PER\nDylan,I-PER,I-PER\n"


def test_key_and_response_in_one_table(tmp_path: Path) -> None:
    (tmp_path / "both.csv").write_text(BOTH, encoding="utf-8")
    result = score("ner", tmp_path / "both.csv", tmp_path / "both.csv", column="Gold", response_column="System")
    assert (result["f1"].precision, result["f1"].recall) == (2 / 3, 1)


def test_as_columns_of_conll(tmp_path: Path) -> None:
    (tmp_path / "key.conll").write_text("Paris B-LOC\nis O\nnice O\n\nBob B-PER\nDylan I-PER\n", encoding="utf-8")
    (tmp_path / "excel.csv").write_text("\ufeff" + BOTH.replace(",", ";").replace("\n", "\r\n"), encoding="utf-8")
    assert score("ner", tmp_path / "key.conll", tmp_path / "excel.csv", response_column="Gold")["f1"].f1 == 1


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "both.csv").write_text(BOTH, encoding="utf-8")
    with pytest.raises(InputError, match="found the columns Word, Gold, System, expected Gld: name the one"):
        score("ner", tmp_path / "both.csv", tmp_path / "both.csv", column="Gld")


@pytest.mark.parametrize(
    "head", ["a,b\n", "Paris B-LOC\nin O\n", "x\ty\na\tB-A\n", "B-A,O\nO,O\n", "one, two\nsome, text\n", "["]
)
def test_what_is_none(head: str) -> None:
    assert not FORMAT.sniff(head)
