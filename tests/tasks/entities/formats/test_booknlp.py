"""BookNLP's tables of mentions, read as entities."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from aune.reading.corpus import read
from tests.tasks.formats import read as read_text

ROWS = (Path(__file__).parent / "samples" / "booknlp-ann.entities").read_text("utf-8")


def test_kinds_of_mentions() -> None:
    assert read_text("entities", "booknlp", ROWS)[0].triples() == [(0, 2, "PER"), (4, 6, "PER"), (4, 5, "PER")]
    assert read_text("entities", "booknlp", ROWS, mention_kinds=("PROP",))[0].triples() == [(0, 2, "PER")]


def test_words_are_in_the_file_beside(tmp_path: Path) -> None:
    (tmp_path / "ann.entities").write_text(ROWS)
    (tmp_path / "ann.tokens").write_text(
        "sentenceID\toriginalWord\n0\tAnn\n0\tLee\n0\thas\n1\tmet\n1\ther\n1\tsister\n"
    )
    [document] = read(registry.task("entities"), str(tmp_path / "ann.entities")).documents
    assert list(document.tokens)[-1] == "sister" and document.sentences.tolist() == [0, 3]
