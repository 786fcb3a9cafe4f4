from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aune.core.corpus import Source
from aune.tasks.coref.formats.muc import read, write
from aune.tasks.coref.model import Document, Relation

SAMPLES = Path(__file__).parent / "samples"


def documents(text: str) -> tuple[list[Document], list[str]]:
    source = Source("a.sgm", text.encode())
    found = list(read(source))
    source.finish()
    return found, source.warnings


def test_real_sgml() -> None:
    (first, second), warnings = documents((SAMPLES / "muc-two.sgm").read_text())
    assert (first.id, second.id, len(second)) == ("a1", "a2", 0)
    assert first.tokens is not None
    assert first.tokens[:8] == ["AT", "&", "T", "news", "The", "AT", "&", "T"]
    assert "".join(first.tokens).endswith("3<4.")
    assert first.sentences == [0, 4, 20]
    assert first.labels == ["1", "3", "4"]
    assert [len(cluster) for cluster in first.clusters()] == [3, 1, 2]
    assert first.relations == (Relation("PRED", 3, 2),)
    assert first.features == {"status": ["", "OPT", "", "", "", ""]}
    assert warnings == []


def test_least_spans() -> None:
    found = documents((SAMPLES / "muc-two.sgm").read_text())[0][0]
    assert found.minima is not None
    tokens = found.tokens or []
    assert [tokens[start:end] for start, end in found.minima[[0, 2]].tolist()] == [["AT", "&", "T"], ["president"]]
    assert documents('<COREF ID=1 MIN="dog">the cat</COREF>')[1] == [
        "a.sgm: line 1: MIN='dog' is not in the text of its mention, left out"
    ]


def test_links_are_closed_transitively_in_any_direction() -> None:
    tags = {1: "", 2: "REF=3", 3: "REF=1", 4: "REF=5", 5: "", 6: ""}
    text = " ".join(f"<COREF ID={name} {ref}>x</COREF>" for name, ref in tags.items())
    assert documents(text)[0][0].chains.tolist() == [0, 0, 0, 1, 1, 2]


def test_mentions_do_not_change_the_tokens() -> None:
    plain = documents("<DOC>Ann's re-entry, at 3.5%.</DOC>")[0][0]
    marked = documents(
        "<DOC><COREF ID=1>Ann</COREF>'<COREF ID=2>s <COREF ID=3>re</COREF>-ent</COREF>ry, at 3.5%.</DOC>"
    )[0][0]
    assert plain.tokens == marked.tokens == ["Ann", "'", "s", "re", "-", "entry", ",", "at", "3.5", "%", "."]
    assert marked.spans.tolist() == [[0, 1], [2, 6], [3, 4]]


def test_tokens_of_other_formats_survive() -> None:
    tokens = ["U.S.", "<b>", "can't", "&amp;", "a b"]
    before = documents("<COREF ID=1>x</COREF> y")[0][0]
    [after] = documents("".join(write([replace(before, tokens=tokens)])))[0]
    assert after.tokens == ["U.S.", "<b>", "can't", "&amp;", "a_b"]
