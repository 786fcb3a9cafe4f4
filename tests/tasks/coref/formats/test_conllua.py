from __future__ import annotations

from pathlib import Path

from aune.core.corpus import Source
from aune.tasks.coref.formats.conllua import read
from aune.tasks.coref.model import Document, Relation

SAMPLE = Path(__file__).parent / "samples" / "conllua-two.CONLLUA"


def documents(text: str) -> tuple[list[Document], list[str]]:
    source = Source("a.conllua", text.encode())
    found = list(read(source))
    source.finish()
    return found, source.warnings


def test_the_columns_of_universal_anaphora() -> None:
    [[found], warnings] = documents(SAMPLE.read_text())
    assert (found.id, found.tokens, found.sentences) == ("a", ["Ann", "saw", "the", "door", "Rain"], [0, 4])
    assert found.clusters() == [[(0, 1), (2, 3)], [(2, 4)], [(4, 5)]]
    assert found.labels == ["1", "2", "3-Pseudo"]
    assert found.features["semtype"] == ["dn", "do", "do", "expletive"]
    assert found.features["kind"] == ["name", "pronoun", "noun", "noun"]
    assert found.minima is not None
    assert found.minima.tolist() == [[0, 1], [2, 3], [3, 4], [4, 5]]
    assert found.relations == (Relation("poss", 2, 0),)
    assert warnings == []


def test_a_least_span_elsewhere_is_left_out_with_a_warning() -> None:
    [[found], warnings] = documents("1 a _ _ _ _ _ _ _ _ (EntityID=1|Min=9)\n")
    assert found.minima is None
    assert warnings == ["a.conllua: line 1: Min=9 is not among the words of its mention, left out"]
