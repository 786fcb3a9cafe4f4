from __future__ import annotations

from pathlib import Path

from aune.reading.source import Source
from aune.tasks.coref.formats import conll2012
from aune.tasks.coref.formats.corefud import read, sniff, splice, write
from aune.tasks.coref.model import STEP, Document, Mention, Relation, make_document, spread_positions, token_spans

SAMPLES = Path(__file__).parent / "samples"


def documents(text: str) -> list[Document]:
    source = Source("a.conllu", text.encode())
    result = list(read(source))
    source.raise_problems()
    return result


def lines(*rows: str) -> str:
    """CoNLL-U from `ID FORM UPOS MISC`."""
    text = ""
    for row in rows:
        cells = row.split()
        plain = row[:1] == "#" or not row
        text += row if plain else "\t".join([*cells[:2], "_", cells[2], *"_____", *(cells[3:] or "_")])
        text += "\n"
    return text


def test_empty_nodes_shift_no_word() -> None:
    found, other = documents((SAMPLES / "corefud-empty-nodes.conllu").read_text())
    assert found.tokens == ["Ann", "Lee", "_", "met", "the", "big", "really", "dog", "_", "went"]
    assert found.sentences == [0, 8]
    assert found.positions is not None
    words = [1, 2, None, 3, 4, 5, 6, 7, None, 8]
    expected = [
        2 * STEP + 1 if i == 2 else 8 * STEP - STEP // 2 + 1 if n is None else n * STEP for i, n in enumerate(words)
    ]
    assert found.positions.tolist() == expected
    assert sorted(found.positions) == found.positions.tolist()
    assert (other.id, other.positions, len(other)) == ("b", None, 0)


def test_mentions_and_what_is_said_of_them() -> None:
    result = documents((SAMPLES / "corefud-empty-nodes.conllu").read_text())[0]
    assert token_spans(result).tolist() == [[0, 2], [2, 3], [4, 8], [7, 8], [8, 9], [9, 10]]
    assert result.labels == ["e1", "e2", "e3"]
    assert result.chains.tolist() == [0, 0, 1, 2, 0, 2]
    assert token_spans(result, result.segments[2]).tolist() == [[4, 6], [7, 8]]
    assert result.features["etype"] == ["person", "person", "thing", "", "person", ""]
    assert result.features["kind"] == ["name", "pronoun", "", "noun", "", ""]
    assert result.features["other"] == ["", "", "", "a-b", "", ""]
    assert result.heads is not None
    assert token_spans(result, [[head, head + 1] for head in result.heads])[:, 0].tolist() == [0, 2, 5, 7, 8, 9]
    assert result.relations == (Relation("part", 2, 0), Relation("split", 5, 0), Relation("split", 5, 2))
    assert result.attributes == {"genre": "news"}


def test_older_schemas() -> None:
    [document] = documents((SAMPLES / "corefud-grp.conllu").read_text())
    assert document.clusters() == [[(0, 3), (3, 4)]]
    assert document.labels == ["1"]
    assert document.features["etype"] == ["person", "person"]
    assert document.features["infstat"] == ["new", "giv"]
    assert document.minima is not None
    assert document.minima.tolist() == [[1, 3], [3, 4]]


def test_kinds_follow_the_head() -> None:
    rows = [
        "# global.Entity = eid-head",
        *(f"{i} x {tag} Entity=(e{i}-1)" for i, tag in enumerate(["PROPN", "NOUN", "PRON", "DET", "VERB"], 1)),
    ]
    assert documents(lines(*rows))[0].features["kind"] == ["name", "noun", "pronoun", "pronoun", ""]


def test_a_document_without_empty_nodes_compares_with_one_that_has_some() -> None:
    rows = [
        "# global.Entity = eid-head",
        "1 Ann PROPN Entity=(e1-1)",
        "2 saw VERB Entity=(e2-1",
        "3 her PRON Entity=e2)",
    ]
    plain = documents(lines(*rows))[0]
    empty = documents(lines(*rows[:2], "1.1 _ _", *rows[2:]))[0]
    assert plain.positions is None
    assert spread_positions(plain).spans.tolist() == empty.spans.tolist()
    assert spread_positions(plain).heads.tolist() == empty.heads.tolist()  # type: ignore[union-attr]


def test_zeros_at_the_very_start_have_positive_places() -> None:
    result = documents(lines("# global.Entity = eid", "0.1 _ _ Entity=(e1)", "1 went VERB Entity=(e1)"))[0]
    assert result.positions is not None
    assert result.positions.tolist() == [STEP // 2 + 1, STEP]


def test_nested_discontinuous_mentions() -> None:
    rows = [
        "# global.Entity = eid",
        "1 a X Entity=(e1[1/2])",
        "2 b X Entity=(e1[1/2])",
        "3 c X Entity=(e1[2/2])",
        "4 d X Entity=(e1[2/2])",
    ]
    result = documents(lines(*rows))[0]
    assert sorted(result.segments.values()) == [((0, 1), (3, 4)), ((1, 2), (2, 3))]


def test_sentences_without_blank_lines_between() -> None:
    assert documents(lines("1 a X", "2 b X", "1 c X"))[0].sentences == [0, 2]


def test_a_file_without_a_schema_is_read_with_a_warning() -> None:
    source = Source("a.conllu", lines("1 a NOUN Entity=(e1-thing-1-x)").encode())
    [document] = read(source)
    assert document.features["etype"] == ["thing"]
    assert source.warnings == [
        "a.conllu: line 1: no '# global.Entity' before the first mention, read as eid-etype-head-other"
    ]


def test_written_again_all_is_there() -> None:
    before = documents((SAMPLES / "corefud-empty-nodes.conllu").read_text())
    after = documents("".join(write(before)))
    for first, second in zip(before, after, strict=True):
        assert first.clusters() == second.clusters()
        assert (first.tokens, first.sentences, first.features, first.segments) == (
            second.tokens,
            second.sentences,
            second.features,
            second.segments,
        )
        assert (first.relations, first.attributes) == (second.relations, second.attributes)
        assert str(first.positions) == str(second.positions)
        assert str(first.heads) == str(second.heads)


def test_real_documents_survive(data: Path) -> None:
    source = Source("key", (data / "coref" / "litbank" / "key.conll.gz").read_bytes())
    before = list(conll2012.read(source))
    after = documents("".join(write(before)))
    assert [item.clusters() for item in before] == [item.clusters() for item in after]
    assert [document.sentences for document in before] == [document.sentences for document in after]


def test_sniff() -> None:
    assert sniff(lines("# sent_id = 1", "1 a X", ""))
    assert not sniff("#begin document (a)\n" + lines("1 a X"))


def test_lemmas_heads_and_the_rest_of_misc_stay_when_a_mention_changes() -> None:
    text = (
        "# newdoc id = a\n# global.Entity = eid-etype-head-other\n# sent_id = a-1\n# text = L'amico rise.\n"
        "1-2\tL'amico\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "1\tL'\til\tDET\tRD\tDefinite=Def\t2\tdet\t2:det\tA=1|Entity=(e1-person-2-|Z=2\n"
        "2\tamico\tamico\tNOUN\tS\tGender=Masc\t3\tnsubj\t_\tEntity=e1)\n"
        "3\trise\tridere\tVERB\tV\t_\t0\troot\t_\tSpaceAfter=No\n\n"
    )
    [before] = documents(text)
    after = make_document(
        "a", [Mention(1, 2, "e1", head=1, features={"etype": "person", "kind": "noun"}), Mention(2, 3, "new")],
        tokens=before.tokens, sentences=before.sentences,
    )  # fmt: skip
    written = splice(Source("a.conllu", text.encode()), [after]).decode()
    expected = text.replace("A=1|Entity=(e1-person-2-|Z=2", "A=1|Z=2").replace("Entity=e1)", "Entity=(e1-person-1)")
    assert written == expected.replace("_\tSpaceAfter=No\n\n", "_\tEntity=(new)|SpaceAfter=No\n\n")
