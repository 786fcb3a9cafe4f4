"""The judgements of annotators, position by position and by sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.explain.annotators import annotators_agreement
from aune.tasks.entities.judgements import judgements, sentences
from aune.tasks.entities.model import Mention, Referent, Span, make_document

FIRST = make_document("d", [Span(0, 2, "PER"), Span(3, 4, "LOC")], length=4, sentences=np.asarray([0, 3]))
SECOND = make_document("d", [Span(0, 1, "PER")], length=4)


def test_positions_and_their_sentences() -> None:
    assert judgements([FIRST, SECOND, None]) == [
        ["B-PER", "B-PER", None], ["I-PER", "O", None], ["O", "O", None], ["B-LOC", "O", None],
    ]  # fmt: skip
    assert sentences([None, SECOND, FIRST]) == [1, 1, 1, 2]
    assert sentences([SECOND]) == [1, 1, 1, 1]


TREE = [Span(0, 4, "func.ind"), Span(0, 1, "kind", 1), Span(2, 4, "loc.adm.town", 1), Span(3, 4, "name", 2)]


def kappa(first: list[Span], second: list[Span]) -> float | None:
    annotators = {name: make_document("d", spans, length=8) for name, spans in (("A", first), ("B", second))}
    result = annotators_agreement("entities", {name: [document] for name, document in annotators.items()})
    assert result["A–B", "cohen"].kappa == pytest.approx(result["A–B", "krippendorff"].alpha, abs=0.2)
    return result["A–B", "cohen"].kappa


def test_every_node_counts_with_its_place() -> None:
    document = make_document("d", TREE, length=5)
    assert [row[0] for row in judgements([document])] == [
        "B-func.ind > B-kind", "I-func.ind", "I-func.ind > B-loc.adm.town",
        "I-func.ind > I-loc.adm.town > B-name", "O",
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(len(TREE)))
def test_another_label_anywhere_in_the_tree_is_disagreement(number: int) -> None:
    """Only the outermost counted, and of equal extents the one that the alphabet put first."""
    other = [span._replace(label="zzz") if place == number else span for place, span in enumerate(TREE)]
    assert kappa(TREE, TREE) == 1.0
    assert kappa(TREE, other) < 1.0
    assert kappa(TREE, TREE[:number] + TREE[number + 1 :]) < 1.0


def test_labels_are_not_compared_by_their_spelling() -> None:
    """A component over the whole entity won over the type, so that annotators who share no type had a κ of 1."""
    first, second = [Span(0, 1, "pers.ind"), Span(0, 1, "name", 1)], [Span(0, 1, "org.ent"), Span(0, 1, "name", 1)]
    assert kappa(first, second) < 1.0
    assert kappa([Span(0, 1, "a"), Span(0, 1, "b", 1)], [Span(0, 1, "b"), Span(0, 1, "a", 1)]) < 1.0


def test_annotators_of_ace_disagree_about_all_that_counts() -> None:
    smith = Referent("PER", "Individual", "SPC", (Mention(0, 2), Mention(5, 6, "PRO")))
    others = [
        smith._replace(kind="GEN"), smith._replace(subtype="Group"), smith._replace(mentions=smith.mentions[:1]),
        smith._replace(mentions=(smith.mentions[0], smith.mentions[1]._replace(role="ORG"))),
    ]  # fmt: skip

    def tags(*entities: Referent) -> list[list[str | None]]:
        return judgements([make_document("d", [], length=8, referents=entities)])

    assert all(tags(smith) != tags(other) for other in others)
    one_each = [smith._replace(mentions=(mention,)) for mention in smith.mentions]
    assert tags(smith) != tags(*one_each)


@st.composite
def annotations(draw: st.DrawFn) -> list[Span]:
    triples = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3), st.sampled_from("ABC")), max_size=5))
    return [Span(start, start + size, label) for start, size, label in triples]


@given(annotations(), annotations())
@settings(max_examples=200)
def test_agreement_is_perfect_only_for_equal_annotations(first: list[Span], second: list[Span]) -> None:
    """The law: whatever a measure counts, κ sees."""
    documents = [make_document("d", spans, length=8) for spans in (first, second)]
    rows = judgements(documents)
    same = all(item == other for item, other in rows)
    scores = aune.score(
        "entities", {"d": first}, {"d": second}, measures=["f_measure", "ser", "eter", "token_accuracy"]
    )
    assert same == ({span[:3] for span in first} == {span[:3] for span in second})
    perfect = all(score.main in (None, score.measure.perfect_of(score.measure.headline)) for score in scores)
    if len(first) and len(second):
        assert not same or perfect
