"""BookNLP's tables of mentions."""

from __future__ import annotations

from pathlib import Path

from aune.contract import registry
from aune.reading.corpus import read
from aune.reading.source import file_source
from tests.tasks.formats import messages
from tests.tasks.formats import read as read_text

ROWS = (Path(__file__).parent / "samples" / "booknlp-ann.entities").read_text("utf-8")
WORDS = ["Ann", "Lee", "has", "met", "her", "sister", ".", "She", "left"]
TOKENS = "sentence_ID\tword\n" + "".join(f"{number > 6:d}\t{word}\n" for number, word in enumerate(WORDS))


def test_mentions_without_words() -> None:
    [document] = read_text("coref", "booknlp", ROWS)
    assert document.clusters() == [[(0, 2), (4, 5)], [(4, 6)]] and document.labels == ["3", "7"]
    assert document.features["kind"] == ["name", "pronoun", "noun"] and document.tokens is None


def test_words_are_in_the_file_beside(tmp_path: Path) -> None:
    (tmp_path / "ann.entities").write_text(ROWS)
    (tmp_path / "ann.tokens").write_text(TOKENS)
    corpus = read(registry.task("coref"), str(tmp_path / "ann.entities"))
    [document] = corpus.documents
    assert (corpus.format, document.id, document.tokens, document.sentences) == ("booknlp", "ann", WORDS, [0, 7])
    assert len(read(registry.task("coref"), str(tmp_path)).documents) == 1


def test_a_mention_beyond_the_words_is_refused(tmp_path: Path) -> None:
    assert "expected COREF, start_token" in messages("coref", "booknlp", ROWS + "1\t2\n")[0]
    (tmp_path / "a.entities").write_text(ROWS + "9\t8\t9\tPROP\tPER\tx\n")
    (tmp_path / "a.tokens").write_text(TOKENS)
    opened = file_source(tmp_path / "a.entities")
    list(registry.format("coref", "booknlp").read(opened))
    assert [problem.code for problem in opened.problems] == ["mention.outside-text"]
