from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import InputError
from aune.reading.source import Source
from aune.tasks.coref.formats.conllua import read, splice, write
from aune.tasks.coref.model import Document, Mention, Relation, make_document

SAMPLE = Path(__file__).parent / "samples" / "conllua-two.CONLLUA"


def documents(text: str) -> tuple[list[Document], list[str]]:
    source = Source("a.conllua", text.encode())
    result = list(read(source))
    source.raise_problems()
    return result, source.warnings


def test_the_columns_of_universal_anaphora() -> None:
    [[result], warnings] = documents(SAMPLE.read_text())
    assert (result.id, result.tokens, result.sentences) == ("a", ["Ann", "saw", "the", "door", "Rain"], [0, 4])
    assert result.clusters() == [[(0, 1), (2, 3)], [(2, 4)], [(4, 5)]]
    assert result.labels == ["1", "2", "3-Pseudo"]
    assert result.features["referring"] == ["", "", "", "no"]
    assert result.features["semtype"] == ["dn", "do", "do", "expletive"]
    assert result.features["kind"] == ["name", "pronoun", "noun", "noun"]
    assert result.minima is not None
    assert result.minima.tolist() == [[0, 1], [2, 3], [3, 4], [4, 5]]
    assert result.relations == (Relation("poss", 2, 0),)
    assert warnings == []


def test_a_least_span_elsewhere_is_left_out_with_a_warning() -> None:
    [[result], warnings] = documents("1 a _ _ _ _ _ _ _ _ (EntityID=1|Min=9)\n")
    assert result.minima is None
    assert warnings == ["a.conllua: line 1: Min=9 is not among the words of its mention, left out"]


def test_a_markable_that_opens_again_is_one_discontinuous_mention_and_zeros_shift_nothing() -> None:
    [[result], _] = documents((SAMPLE.parent / "conllua-zeros.CONLLUA").read_text())
    assert result.positions is not None
    assert result.positions.tolist() == [129, 256, 512, 768, 1024, 1025, 1280, 1536, 1792, 2048, 2304, 2560]
    assert result.segments == {2: ((1024, 1281), (1792, 1793))}
    without = [word for word in result.positions.tolist() if word % 256 == 0]
    assert without == [256 * (number + 1) for number in range(10)]
    assert result.features["referring"][-1] == "no"


def test_elements_of_a_set_are_split_antecedents() -> None:
    [[result], _] = documents((SAMPLE.parent / "conllua-zeros.CONLLUA").read_text())
    [plural] = [index for index, start in enumerate(result.spans[:, 0].tolist()) if start == 9 * 256]
    splits = {(relation.source, tuple(result.spans[relation.target].tolist())) for relation in result.relations[1:]}
    assert splits == {(plural, (512, 513)), (plural, (1792, 1793))}
    assert result.relations[0].kind == "part"


def test_closing_brackets_with_names_may_cross() -> None:
    [[result], _] = documents((SAMPLE.parent / "conllua-crossing.CONLLUA").read_text())
    assert result.clusters() == [[(0, 3), (3, 4)], [(1, 4)]]


def test_discourse_deixis_is_another_layer() -> None:
    text = (SAMPLE.parent / "conllua-zeros.CONLLUA").read_bytes()
    [document] = read(Source("a.conllua", text), layer="discourse_deixis")
    assert (document.clusters(), document.labels) == ([[(256, 1281)]], ["9"])


def test_names_that_contradict_each_other_are_told() -> None:
    """The first EntityID of a mention in parts is kept, and a bridge goes to the mention that it names."""
    text = (
        "# global.columns = ID FORM IDENTITY BRIDGING\n"
        "1 a (EntityID=1|MarkableID=m1) _\n2 b _ _\n"
        "3 c (EntityID=2|MarkableID=m1)(EntityID=3|MarkableID=m2) (MarkableID=m2|MentionAnchor=m1|EntityAnchor=2)\n"
    )
    [[result], warnings] = documents(text)
    assert result.labels == ["1", "3"] and result.relations == (("bridge", 1, 0),)
    assert warnings == [
        "a.conllua: line 4: m1 goes on with EntityID=2: EntityID=1, its first one, is kept",
        "a.conllua: line 4: EntityAnchor=2 is not the entity of m1, 1: the bridge goes to the mention",
    ]


def test_a_property_without_a_name_or_a_value() -> None:
    [_, warnings] = documents("# global.columns = ID FORM IDENTITY\n1 a (EntityID=1|loose|)\n")
    assert warnings == ["a.conllua: line 2: 'loose' is no property such as EntityID=1, left out"]
    with pytest.raises(InputError, match="2:5: found the property '=5' without a name"):
        documents("# global.columns = ID FORM IDENTITY\n1 a (EntityID=1|=5)\n")


def test_what_is_no_bridge_is_told() -> None:
    [_, warnings] = documents("# global.columns = ID FORM IDENTITY BRIDGING\n1 a (EntityID=1) none\n")
    assert warnings == ["a.conllua: line 2: 'none' in BRIDGING is neither '_' nor brackets: only brackets are read"]


def test_bridges_without_an_anchor_are_left_out_with_a_warning() -> None:
    row = "1 a (EntityID=1|MarkableID=m1) (MarkableID=m1|MentionAnchor=m9)"
    [[result], warnings] = documents(f"# global.columns = ID FORM IDENTITY BRIDGING\n{row}\n")
    assert result.relations == ()
    assert warnings == ["a.conllua: line 2: the bridge with 'm9', which is no mention of the document, is left out"]


def test_what_is_written_is_read_again() -> None:
    [[before], _] = documents((SAMPLE.parent / "conllua-zeros.CONLLUA").read_text())
    [[after], _] = documents("".join(write([before])))
    assert (after.clusters(), after.segments) == (before.clusters(), before.segments)
    assert after.positions is not None and before.positions is not None
    assert after.positions.tolist() == before.positions.tolist()
    assert (after.features, set(after.relations)) == (before.features, set(before.relations))


def test_one_mention_changes_only_its_own_brackets() -> None:
    text = SAMPLE.read_text()
    [[before], _] = documents(text)
    mentions = [
        Mention(0, 1, "1", minimum=(0, 1), features={"semtype": "dn"}), Mention(2, 3, "1", features={"semtype": "do"}),
        Mention(2, 4, "1", minimum=(3, 4), features={"semtype": "do"}),
        Mention(4, 5, "3-Pseudo", minimum=(4, 5), features={"semtype": "expletive", "referring": "no"}),
    ]  # fmt: skip
    after = make_document("a", mentions, tokens=before.tokens, sentences=before.sentences, relations=before.relations)
    assert splice(Source("a.conllua", text.encode()), [after]).decode() == text.replace("(EntityID=2|", "(EntityID=1|")
