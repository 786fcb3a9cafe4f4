"""The TSV of the HIPE campaigns."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from aune.reading.corpus import read
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"
TASK = registry.task("entities")


def test_line_ends_and_tabs_of_spreadsheets() -> None:
    """Comments with tabs behind them were tokens, and documents lost their names."""
    first, second = read(TASK, str(SAMPLES / "hipe-spreadsheet.tsv")).documents
    assert (first.id, first.triples(), list(first.tokens)) == ("d1", [(0, 2, "loc")], ["New", "York"])
    assert (second.id, second.triples(), second.lines.tolist()) == ("d2", [(0, 1, "loc")], [8])


def test_columns_by_name_and_number() -> None:
    text = "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tMISC\na\tB-pers\tB-pers.ind\t_\nb\tO\tI-pers.ind\t_\n"
    assert read_text("entities", "hipe", text, columns=("NE-FINE-LIT",))[0].triples() == [(0, 2, "pers.ind")]
    assert read_text("entities", "hipe", text, columns=("2", "3"))[0].triples() == [(0, 2, "pers.ind"), (0, 1, "pers")]


def test_entities_run_over_sentence_ends_but_not_over_documents() -> None:
    text = "TOKEN\tNE-COARSE-LIT\tMISC\na\tB-x\tEndOfSentence\nb\tI-x\t_\n# document_id = d\nc\tI-x\t_\n"
    assert [item.triples() for item in read_text("entities", "hipe", text)] == [[(0, 2, "x")], [(0, 1, "x")]]
