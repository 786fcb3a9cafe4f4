from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aune.evaluation.pipeline import evaluate
from aune.reading.source import Source
from aune.tasks.coref.formats.muc import read, splice, write
from aune.tasks.coref.model import Document, Mention, Relation, make_document

SAMPLES = Path(__file__).parent / "samples"


def documents(text: str) -> tuple[list[Document], list[str]]:
    source = Source("a.sgm", text.encode())
    result = list(read(source))
    source.raise_problems()
    return result, source.warnings


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
    assert first.features == {}
    assert first.optional == {1}
    assert warnings == []


def test_least_spans() -> None:
    result = documents((SAMPLES / "muc-two.sgm").read_text())[0][0]
    assert result.minima is not None
    tokens = result.tokens or []
    assert [tokens[start:end] for start, end in result.minima[[0, 2]].tolist()] == [["AT", "&", "T"], ["president"]]
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


TEXT = """<DOC><SLUG fv=tia> 3 </SLUG>
<!-- <COREF ID="9"> --><HL>Profit of $3.5</HL>
<TEXT><P><ENAMEX TYPE="ORG"><COREF ID="1" MIN='AT&amp;T'>AT&amp;T</COREF></ENAMEX> said <coref id=2 ref=1>it</coref>
grew and <COREF ID="3" TYPE="IDENT" REF="2" STATUS="OPT">its head</COREF> left.</TEXT></DOC>
"""


def splice_documents(mentions: list[Mention], relations: tuple[Relation, ...] = ()) -> str:
    source = Source("a.sgm", TEXT.encode())
    [before] = read(source)
    after = make_document(before.id, mentions, tokens=before.tokens, sentences=before.sentences, relations=relations)
    return splice(source, [after]).decode()


def places() -> dict[str, int]:
    [result], _ = documents(TEXT)
    return {token: index for index, token in reversed(list(enumerate(result.tokens or ())))}


def test_a_removed_mention_leaves_its_links_tied() -> None:
    at = places()
    mentions = [
        Mention(at["AT"], at["AT"] + 3, "1"), Mention(at["its"], at["its"] + 2, "1", features={"status": "OPT"})
    ]  # fmt: skip
    expected = TEXT.replace("<coref id=2 ref=1>it</coref>", "it").replace('REF="2"', 'REF="1"')
    assert splice_documents(mentions) == expected


def test_a_new_mention_encloses_what_begins_with_it_and_foreign_tags_stay() -> None:
    at = places()
    mentions = [
        Mention(at["AT"], at["AT"] + 3, "1"), Mention(at["it"], at["it"] + 1, "1"),
        Mention(at["its"], at["its"] + 2, "1", features={"status": "OPT"}),
        Mention(at["AT"], at["said"] + 1, "new"), Mention(at["$"], at["3.5"] + 1, "new"),
    ]  # fmt: skip
    expected = TEXT.replace("$3.5", '<COREF ID="4">$3.5</COREF>')
    expected = expected.replace("<P><ENAMEX", '<P><COREF ID="5" REF="4" TYPE="IDENT"><ENAMEX')
    assert splice_documents(mentions) == expected.replace("said <coref", "said</COREF> <coref")


def test_optional_mentions_are_written() -> None:
    document = make_document("d", [Mention(0, 1, "a"), Mention(1, 2, "a", optional=True)], tokens=["Ann", "her"])
    text = "".join(write([document]))
    assert '<COREF ID="2" REF="1" TYPE="IDENT" STATUS="OPT">her' in text
    assert documents(text)[0][0].optional == {1}


def test_a_missed_optional_mention_costs_no_recall() -> None:
    key = '<COREF ID="1">Ann</COREF> <COREF ID="2" REF="1">she</COREF> <COREF ID="3" REF="1" STATUS="OPT">her</COREF>'
    response = key.replace('<COREF ID="3" REF="1" STATUS="OPT">her</COREF>', "her")
    key_documents, response_documents = documents(key)[0], documents(response)[0]
    result = evaluate("coref", key_documents, {"x": response_documents}, measures=["muc", "mentions"])
    assert [score.main for score in result] == [1.0, 1.0]
