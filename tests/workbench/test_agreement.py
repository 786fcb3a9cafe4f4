"""Annotators pair by pair, and beyond chance."""

from __future__ import annotations

import msgspec
import pytest

import aune
from aune.errors import UsageError
from aune.explain.annotators import annotators_agreement
from aune.workbench.agreement import agreement, pooled_agreement, project_agreement
from aune.workbench.comparison import Conventions
from aune.workbench.model import Mention, State, Text
from tests.workbench.texts import partition, text_of_mentions

LAYERS = {"Ann": [{1, 2, 3}, {4}], "Ben": [{1, 2}, {3, 4}], "Cid": [{1, 2, 3, 4}]}


def test_every_measure_pair_by_pair_and_alpha_over_all() -> None:
    text = text_of_mentions(4)
    found = agreement(text, {name: partition(text, chains) for name, chains in LAYERS.items()})
    assert [(item.first, item.second) for item in found.pairs] == [("Ann", "Ben"), ("Ann", "Cid"), ("Ben", "Cid")]
    for pair in found.pairs:
        expected = aune.score(
            "coref", LAYERS[pair.first], LAYERS[pair.second], measures=["muc", "kappa"], convention="partition"
        )
        by_name = {item.measure: item.values for item in pair.scores}
        assert by_name["coref.muc"] == expected["muc"].values
        assert by_name["coref.kappa"] == expected["kappa"].values
    plain = annotators_agreement("coref", LAYERS)
    for name, scores in found.chance.items():
        for score in scores:
            assert score.values == pytest.approx(plain[name, score.measure].values)
    assert "overall" in found.chance


def test_a_mention_of_one_annotator_alone_is_what_the_conventions_say() -> None:
    text, alone = text_of_mentions(4), {"Ann": [{1, 2}], "Ben": [{3}, {4}]}
    states = {name: partition(text, chains) for name, chains in alone.items()}
    for unmarked in ("empty", "singleton"):
        expected = annotators_agreement("coref", alone, unmarked=unmarked)["Ann–Ben", "krippendorff(masi)"]
        [score] = agreement(text, states, Conventions(unmarked=unmarked)).chance["Ann–Ben"]
        assert score.values == pytest.approx(expected.values)
        assert f"unmarked:{unmarked}" in score.signature
    assert agreement(text, states).chance == agreement(text, states, Conventions(unmarked="empty")).chance


def test_entities_agree_too() -> None:
    text = Text(id="t", characters="Ann saw Rome", tokens=[0, 3, 4, 7, 8, 12], task="entities")
    state = State({"m0": Mention(parts=((0, 3),), label="pers"), "m1": Mention(parts=((8, 12),), label="loc")})
    other = State({"m0": Mention(parts=((0, 3),), label="pers"), "m1": Mention(parts=((8, 12),), label="org")})
    result = agreement(text, {"a": state, "b": other})
    assert result.chance["a–b"]
    assert result.pairs[0].scores


def test_one_layer_is_not_enough() -> None:
    with pytest.raises(UsageError, match="at least two"):
        agreement(text_of_mentions(2), {"a": State()})


def test_several_texts_count_together() -> None:
    first, second = text_of_mentions(4), text_of_mentions(3)
    second = Text(id="other", characters=second.characters, tokens=second.tokens, sentences=second.sentences)
    others = {"Ann": [{1, 2}, {3}], "Ben": [{1}, {2, 3}]}
    annotated = [
        (text, {name: partition(text, chains) for name, chains in layers.items() if name != "Cid"})
        for text, layers in ((first, LAYERS), (second, others))
    ]
    (pair,) = pooled_agreement(annotated).pairs
    sides = (
        {"one": answer[0], "two": answer[1]} for answer in ((LAYERS[name], others[name]) for name in ("Ann", "Ben"))
    )
    expected = aune.score("coref", *sides, measures=["muc", "b_cubed"], convention="partition")
    by_name = {item.measure: item.values for item in pair.scores}
    assert by_name["coref.muc"] == expected["muc"].values
    assert by_name["coref.b_cubed"] == expected["b_cubed"].values
    with pytest.raises(UsageError, match="other annotators"):
        pooled_agreement([annotated[0], (second, {"Ann": State(), "Cid": State()})])


def test_a_project_pools_pairs_over_their_texts() -> None:
    """Each pair over the texts that both have; all pairs together; α over all texts, whoever annotated them."""
    texts = [msgspec.structs.replace(text_of_mentions(4), id=name) for name in ("one", "two", "three")]
    who = [("Ann", "Ben"), ("Ben", "Cid"), ("Ann", "Ben")]
    project = project_agreement(
        [(text, {name: partition(text, LAYERS[name]) for name in pair}) for text, pair in zip(texts, who, strict=True)]
    )
    assert [(pair.first, pair.second, pair.texts) for pair in project.pairs] == [("Ann", "Ben", 2), ("Ben", "Cid", 1)]
    keys, responses = ({text.id: LAYERS[pair[side]] for text, pair in zip(texts, who, strict=True)} for side in (0, 1))
    expected = aune.score("coref", keys, responses, measures=["muc", "b_cubed"], convention="partition")
    overall = {score.measure: score.values for score in project.overall}
    assert overall["coref.muc"] == pytest.approx(expected["muc"].values)
    assert overall["coref.b_cubed"] == pytest.approx(expected["b_cubed"].values)
    alpha = annotators_agreement("coref", {"first": keys, "second": responses})
    assert project.chance[0].values == pytest.approx(alpha.scores[0].values)
    with pytest.raises(UsageError, match="two annotators"):
        project_agreement([(texts[0], {"Ann": State()})])
