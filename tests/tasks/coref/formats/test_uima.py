"""UIMA's CAS with coreference."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.formats import messages, read, read_with_warnings

SAMPLES = Path(__file__).parent / "samples"
CHAINS = (SAMPLES / "uima-chains.xmi").read_text("utf-8")
RELATION = (SAMPLES / "uima-relation.json").read_text("utf-8")


def test_chains_follow_their_links() -> None:
    [document] = read("coref", "uima", CHAINS)
    assert document.unit == "character" and document.tokens == ["Ann", "met", "her", "sister", "in", "Paris"]
    assert document.clusters() == [[(0, 3), (8, 11)], [(8, 18)]]
    assert document.features["referenceType"] == ["name", "pronoun", ""]


def test_a_link_named_bridge_is_a_relation_and_one_named_coref_makes_a_chain() -> None:
    [document] = read("coref", "uima", RELATION)
    assert (document.chain_count, [relation.kind for relation in document.relations]) == (2, ["bridge"])
    assert document.clusters() == [[(2, 9), (17, 20)], [(17, 24)]]  # an emoji is two in the file
    [document] = read("coref", "uima", RELATION.replace("bridge", "coref"))
    assert (document.chain_count, document.relations) == (1, ())


TWO_LAYERS = RELATION.replace(
    '"type": "bridge"', '"type": "bridge"}, {"%ID": 8, "%TYPE": "custom.Anaphora", "@Governor": 3, "@Dependent": 4'
)


def test_layers_are_chosen_by_name_and_never_guessed_among_several() -> None:
    assert messages("coref", "uima", TWO_LAYERS) == [
        "1:1: found 2 layers that may be coreference (Coref, Anaphora), expected one of them: choose with --layer Coref"
    ]
    assert read("coref", "uima", TWO_LAYERS, layer="Anaphora")[0].chain_count == 2
    assert messages("coref", "uima", TWO_LAYERS, layer="Other") == [
        "1:1: found no layer 'Other', expected one of Coref, Anaphora, Mention: choose with --layer LAYER"
    ]


def test_a_layer_of_spans_is_chains_of_one_mention_only_when_it_is_named() -> None:
    text = RELATION.replace("Governor", "x").replace("Dependent", "y").replace("Coref", "Mention")
    assert "found no chains and no relations" in messages("coref", "uima", text)[0]
    assert read("coref", "uima", text, layer="Mention")[0].chain_count == 5


def test_a_chain_that_goes_in_circles_is_refused() -> None:
    text = CHAINS.replace('begin="8" end="11" referenceType', 'begin="8" end="11" next="10" referenceType')
    assert messages("coref", "uima", text) == [
        "14:3: found CoreferenceChain that refers to '10', expected the id of an annotation of the file: "
        "export the document again"
    ]


def test_what_is_not_read_is_counted() -> None:
    text = CHAINS.replace("<cas:Sofa", '<ner:NamedEntity xmi:id="20" sofa="1" begin="0" end="3" value="PER"/><cas:Sofa')
    _, warnings = read_with_warnings("coref", "uima", text)
    assert warnings == ["not read: 1 annotations of the layer NamedEntity"]


def test_a_text_without_annotations_has_no_chains() -> None:
    text = "\n".join(line for line in CHAINS.split("\n") if "coref:" not in line or "xmlns" in line)
    [document], warnings = read_with_warnings("coref", "uima", text)
    assert len(document) == 0 and warnings == [
        "no layer with annotations beside tokens and sentences: read as a text without chains"
    ]
