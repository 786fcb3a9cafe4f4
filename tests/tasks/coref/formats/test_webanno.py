"""WebAnno TSV 3 with coreference."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import UsageError
from aune.tasks.coref.model import Mention, make_document
from tests.tasks.formats import messages, read, write_text

SAMPLES = Path(__file__).parent / "samples"
CHAINS = (SAMPLES / "webanno-chains.tsv").read_text("utf-8")
RELATIONS = (SAMPLES / "webanno-relations.tsv").read_text("utf-8")


def test_chains() -> None:
    [document] = read("coref", "webanno", CHAINS)
    assert document.tokens == ["Ann", "met", "her", "sister", ".", "She", "ran", "."]
    assert document.sentences == [0, 5]
    assert document.clusters() == [[(0, 1), (2, 3), (5, 6)], [(2, 4)]]
    assert document.features["referenceRelation"] == ["", "anaphoric", "", ""]


def test_relations_tie_chains_or_are_relations() -> None:
    [document] = read("coref", "webanno", RELATIONS)
    assert document.clusters() == [[(0, 1), (2, 3)], [(2, 4)]]
    assert [relation.kind for relation in document.relations] == ["bridge"]
    assert document.features["entity"] == ["person"] * 3


def test_what_is_written_is_read_back() -> None:
    [document] = read("coref", "webanno", CHAINS)
    text = write_text("coref", "webanno", [document])
    assert "1-3\t8-11\ther\tanaphoric->1-2|*->2-1\t*[2]|*[3]\t" in text
    [again] = read("coref", "webanno", text)
    assert (again.tokens, again.clusters(), again.sentences) == (
        document.tokens, document.clusters(), document.sentences,
    )  # fmt: skip
    assert again.features == document.features


def test_words_with_emoji_and_signs() -> None:
    document = make_document("d", [Mention(0, 1, "a"), Mention(2, 3, "a")], tokens=["😀", "a|b", "c[1]"])
    [again] = read("coref", "webanno", write_text("coref", "webanno", [document]))
    assert (again.tokens, again.clusters()) == (document.tokens, document.clusters())
    with pytest.raises(UsageError, match="not one cell of a line"):
        write_text("coref", "webanno", [make_document("d", [], tokens=["a\tb"])])
    with pytest.raises(UsageError, match="one document per file"):
        write_text("coref", "webanno", [document, document])


def test_offsets_may_count_characters_instead_of_units_of_java() -> None:
    rows = "1-1\t0-1\t😀\t*->1-1\t*\t\n1-2\t2-4\tab\t_\t_\t\n1-2.1\t3-4\tb\t*->1-2\t*\t\n"
    text = CHAINS.partition("#Text")[0] + rows
    assert read("coref", "webanno", text)[0].clusters() == [[(0, 1), (1, 2)]]
    assert messages("coref", "webanno", text.replace("0-1", "0-5"))[0].startswith("5:5: found '😀' at 0-5")


def test_relations_of_tokens_are_none_between_mentions() -> None:
    text = RELATIONS.replace("webanno.custom.Coref", "x.Dependency").replace("BT_webanno.custom.Referent", "BT_x.Token")
    assert "found no chains and no relations" in messages("coref", "webanno", text)[0]
