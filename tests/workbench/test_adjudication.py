"""A key made from annotations: what all agree on, the questions that are left, and their order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aune.errors import UsageError
from aune.workbench.adjudication import Annotations, accept_event, adjudication_state, initial_key
from aune.workbench.comparison import compare_states
from aune.workbench.decisions import (
    decisions,
    define_event,
    describe_event,
    extent_id,
    join_event,
    keep_apart_event,
    reject_event,
    relate_event,
    unrelate_event,
)
from aune.workbench.layer import Layer, active_events
from aune.workbench.model import Chain, Mention, Relation, State, Text, members
from tests.workbench.texts import partition, text_of_mentions

TEXT = text_of_mentions(9)
LAYERS = {"Ann": partition(TEXT, [{1, 2, 3}, {4, 5}, {7}]), "Ben": partition(TEXT, [{1, 2}, {3, 6}, {4, 5}])}


def word(number: int) -> str:
    start, end = list(TEXT.words())[number - 1]
    return f"{start}-{end}"


def groups(state: State) -> set[frozenset[str]]:
    return {frozenset(extent_id(state.mentions[name]) for name in names) for names in members(state).values()}


def test_the_key_begins_with_what_all_agree_on() -> None:
    assert groups(initial_key(LAYERS)) == {
        frozenset({word(1), word(2)}), frozenset({word(3)}), frozenset({word(4), word(5)}),
    }  # fmt: skip
    adjudication = adjudication_state(LAYERS, initial_key(LAYERS), [])
    assert [(mention.about, mention.without) for mention in adjudication.mentions] == [
        (word(6), ["Ann"]),
        (word(7), ["Ben"]),
    ]
    assert adjudication.agreed == 5
    [tie] = adjudication.ties
    assert (tie.about, tie.together, tie.apart) == ([word(1), word(3)], ["Ann"], ["Ben"])
    with pytest.raises(UsageError, match="at least one"):
        initial_key({})


def test_decisions_are_events_with_reasons_that_can_be_undone() -> None:
    layer = Layer(TEXT, initial_key(LAYERS))
    layer.add(accept_event(LAYERS, layer.state, word(6), reason="it refers"))
    adjudication = adjudication_state(LAYERS, layer.state, layer.log)
    assert [mention.about for mention in adjudication.mentions] == [word(7)]
    assert groups(layer.state) >= {frozenset({word(3), word(6)})}  # all who have it put it there
    layer.add(reject_event(word(7), reason="an idiom"))
    [tie] = adjudication_state(LAYERS, layer.state, layer.log).ties
    layer.add(join_event(layer.state, tie.first, tie.second, reason="the same man"))
    done = adjudication_state(LAYERS, layer.state, layer.log)
    assert not done.mentions
    assert not done.ties
    assert [(decision.operation, decision.reason) for decision in done.decisions] == [
        ("accept", "it refers"), ("reject", "an idiom"), ("join", "the same man"),
    ]  # fmt: skip
    while (event := layer.undo()) is not None:
        layer.add(event)
    assert layer.state == initial_key(LAYERS)
    assert adjudication_state(LAYERS, layer.state, layer.log) == adjudication_state(LAYERS, initial_key(LAYERS), [])


def test_two_chains_kept_apart_are_not_asked_again() -> None:
    layer = Layer(TEXT, initial_key(LAYERS))
    [tie] = adjudication_state(LAYERS, layer.state, layer.log).ties
    layer.add(keep_apart_event(layer.state, tie.first, tie.second, reason="two men"))
    assert adjudication_state(LAYERS, layer.state, layer.log).ties == []
    with pytest.raises(UsageError, match="no mention"):
        keep_apart_event(layer.state, tie.first, "nobody")


def test_the_dearest_question_comes_first() -> None:
    layers = {
        "Ann": partition(TEXT, [{1, 2, 3, 4}, {5, 6}]),
        "Ben": partition(TEXT, [{1, 2}, {3, 4}, {5}, {6}]),
    }
    ties = adjudication_state(layers, initial_key(layers), []).ties
    assert [tie.worth for tie in ties] == [2.0, 1.0]
    more = {**layers, "Cid": partition(TEXT, [{1, 2, 8}, {3, 4}, {5}, {6}, {9}])}
    adjudication = adjudication_state(more, initial_key(more), [])
    assert [mention.about for mention in adjudication.mentions] == [word(8), word(9)]


def test_joining_keeps_names_and_moves_relations() -> None:
    key = State(
        {name: Mention(parts=((place, place + 1),), chain=f"c{place}") for place, name in enumerate("abc")},
        {"c0": Chain(notes="one"), "c1": Chain(name="Ann", notes="two"), "c2": Chain()},
        {
            "r0": Relation(kind="part", source="c0", targets=("c1",)),
            "r1": Relation(kind="part", source="c2", targets=("c0", "c1")),
        },
    )
    layer = Layer(TEXT, key)
    layer.add(join_event(key, "c0", "c1"))
    assert layer.state.chains == {"c0": Chain(name="Ann", notes="one\ntwo"), "c2": Chain()}
    assert layer.state.relations == {"r1": Relation(kind="part", source="c2", targets=("c0",))}


CHAINS = st.lists(st.sets(st.integers(1, 9), min_size=1), min_size=1, max_size=4).map(
    lambda chains: [chain - set().union(*chains[:number]) for number, chain in enumerate(chains)]
)


@settings(max_examples=60, deadline=None)
@given(CHAINS, CHAINS, CHAINS)
def test_whoever_follows_one_annotator_ends_with_that_annotation(
    item: list[set[int]], two: list[set[int]], three: list[set[int]]
) -> None:
    layers = {
        name: partition(TEXT, [chain for chain in chains if chain])
        for name, chains in (("Ann", item), ("Ben", two), ("Cid", three))
    }
    annotations = Annotations(layers)  # follows the key as it changes, and says what one made anew says
    followed = Layer(TEXT, annotations.initial_key())
    while True:
        result = annotations.adjudication(followed.state, decisions(active_events(followed.log)))
        assert result == adjudication_state(layers, followed.state, followed.log)
        assert result.open == {
            "mentions": len(result.mentions),
            "ties": len(result.ties),
            "features": 0,
            "chains": 0,
            "relations": 0,
        }
        if result.mentions:
            request = result.mentions[0]
            answer = "Ann" not in request.without
            event = accept_event(layers, followed.state, request.about) if answer else reject_event(request.about)
        elif result.ties:
            tie = result.ties[0]
            together = join_event if "Ann" in tie.together else keep_apart_event
            event = together(followed.state, tie.first, tie.second)
        else:
            break
        followed.add(event)
    ann = layers["Ann"]
    remaining = {extent_id(mention) for mention in ann.mentions.values()}
    assert {extent_id(mention) for mention in followed.state.mentions.values()} == remaining
    assert compare_states(TEXT, ann, followed.state).disagreements == []


def test_entities_are_decided_by_extent_and_kind() -> None:
    text = Text(id="t", characters="Ann saw Rome", tokens=[0, 3, 4, 7, 8, 12], task="entities")
    layers = {
        "a": State({"m0": Mention(parts=((0, 3),), label="pers"), "m1": Mention(parts=((8, 12),), label="loc")}),
        "b": State({"m0": Mention(parts=((0, 3),), label="pers"), "m1": Mention(parts=((8, 12),), label="org")}),
    }
    layer = Layer(text, initial_key(layers))
    assert [entity.label for entity in layer.state.mentions.values()] == ["pers"]
    [mention] = adjudication_state(layers, layer.state, layer.log).mentions
    assert [(choice.label, choice.layers) for choice in mention.choices] == [("loc", ["a"]), ("org", ["b"])]
    layer.add(accept_event(layers, layer.state, mention.about, "org", "the town's government"))
    assert not adjudication_state(layers, layer.state, layer.log).mentions
    with pytest.raises(UsageError, match="no annotation"):
        accept_event(layers, layer.state, mention.about, "prod")


def test_two_labels_of_one_extent_are_one_choice() -> None:
    """Metonymy: a town that stands for its team."""
    text = Text(id="t", characters="Ann saw Rome", tokens=[0, 3, 4, 7, 8, 12], task="entities")
    town, team = Mention(parts=((8, 12),), label="loc"), Mention(parts=((8, 12),), label="org")
    layers = {"a": State({"m0": town, "m1": team}), "b": State({"m0": town})}
    layer = Layer(text, initial_key(layers))
    [mention] = adjudication_state(layers, layer.state, layer.log).mentions
    assert [(choice.label, choice.layers) for choice in mention.choices] == [("loc", ["b"]), ("loc + org", ["a"])]
    layer.add(accept_event(layers, layer.state, mention.about, "loc + org"))
    assert sorted(entity.label for entity in layer.state.mentions.values()) == ["loc", "org"]
    assert not adjudication_state(layers, layer.state, layer.log).mentions
    pair = {"a": layers["a"], "b": layers["a"]}
    assert sorted(entity.label for entity in initial_key(pair).mentions.values()) == ["loc", "org"]


def features(**values: str) -> State:
    return State({"m": Mention(parts=((0, 2),), chain="c", features=values)}, {"c": Chain()})


def test_features_are_asked_where_annotators_differ() -> None:
    layers = {
        "Ann": features(kind="noun", gender="feminine"),
        "Ben": features(kind="name", gender="feminine"),
        "Cid": features(kind="name"),
        "Dan": features(),
    }
    layer = Layer(TEXT, initial_key(layers))
    assert [mention.features for mention in layer.state.mentions.values()] == [
        {"gender": "feminine"}
    ]  # Cid never uses gender
    [requests] = adjudication_state(layers, layer.state, layer.log).features
    assert (requests.feature, requests.without) == ("kind", [])  # and Dan no feature at all
    assert [(choice.value, choice.layers) for choice in requests.choices] == [
        ("name", ["Ben", "Cid"]),
        ("noun", ["Ann"]),
    ]
    assert requests.worth == pytest.approx(2 / 3)
    layer.add(describe_event(layer.state, requests.about, "kind", "noun", reason="no capital"))
    adjudication = adjudication_state(layers, layer.state, layer.log)
    assert not adjudication.features
    [decision] = adjudication.decisions
    assert (decision.operation, decision.about, decision.value, decision.reason) == (
        "describe", [requests.about, "kind"], "noun", "no capital",
    )  # fmt: skip
    assert [mention.features["kind"] for mention in layer.state.mentions.values()] == ["noun"]
    back = layer.undo()
    assert back is not None
    layer.add(back)
    layer.add(describe_event(layer.state, requests.about, "kind", ""))  # none of them
    assert not adjudication_state(layers, layer.state, layer.log).features
    with pytest.raises(UsageError, match="accept it first"):
        describe_event(layer.state, "3-5", "kind", "name")


def test_what_only_some_describe() -> None:
    other = Mention(parts=((3, 5),), chain="c", features={"kind": "name"})
    silent = State({"m": Mention(parts=((0, 2),), chain="c"), "n": other}, {"c": Chain()})
    layers = {"Ann": State({**features(kind="noun").mentions, "n": other}, {"c": Chain()}), "Ben": silent}
    [feature] = adjudication_state(layers, initial_key(layers), []).features
    assert ([choice.value for choice in feature.choices], feature.without, feature.worth) == (["noun"], ["Ben"], 1.0)


def test_features_of_entities_are_those_of_a_label() -> None:
    text = Text(id="t", characters="Ann saw Rome", tokens=[0, 3, 4, 7, 8, 12], task="entities")
    layers = {
        name: State({"m0": Mention(parts=((8, 12),), label="loc", features={"metonymy": value})})
        for name, value in (("a", "yes"), ("b", "no"))
    }
    layer = Layer(text, initial_key(layers))
    [entity] = adjudication_state(layers, layer.state, layer.log).features
    layer.add(describe_event(layer.state, entity.about, entity.feature, "yes", entity.label))
    assert not adjudication_state(layers, layer.state, layer.log).features
    assert layer.log[-1].about == (entity.about, "metonymy", "loc")


def with_relation(state: State, *relations: Relation) -> State:
    return State(state.mentions, state.chains, {f"r{number}": relation for number, relation in enumerate(relations)})


def test_relations_are_asked_where_annotators_differ() -> None:
    state = partition(TEXT, [{1, 2}, {3}, {4}])
    item, two, three = (state.mentions[name].chain or "" for name in list(state.mentions)[1:4])
    layers = {
        "Ann": with_relation(state, Relation(kind="part", source=item, targets=(two,))),
        "Ben": with_relation(state, Relation(kind="part", source=item, targets=(three, two))),
        "Cid": state,
    }
    layer = Layer(TEXT, initial_key(layers))
    first, second = adjudication_state(layers, layer.state, layer.log).relations
    assert (first.kind, first.layers, first.without) == ("part", ["Ann"], ["Ben"])  # Cid never relates anything
    assert (second.layers, len(second.targets)) == (["Ben"], 2)
    layer.add(relate_event(layer.state, first.kind, first.source, first.targets, "a wheel of it"))
    assert [(relation.kind, list(relation.targets)) for relation in layer.state.relations.values()] == [
        ("part", first.targets)
    ]
    layer.add(unrelate_event(layer.state, second.kind, second.source, second.targets))
    adjudication = adjudication_state(layers, layer.state, layer.log)
    assert adjudication.relations == []
    assert [decision.operation for decision in adjudication.decisions] == ["relate", "unrelated"]
    agreed = initial_key(dict.fromkeys(("Ann", "Ben"), layers["Ann"]))
    assert [(relation.kind, len(relation.targets)) for relation in agreed.relations.values()] == [("part", 1)]


def named_state(**fields: object) -> State:
    return State({"m": Mention(parts=((0, 2),), chain="c")}, {"c": Chain(**fields)})  # type: ignore[arg-type]


def test_the_key_takes_what_nobody_contradicts_of_chains() -> None:
    """A name that only one gives; notes; features of those who use them."""
    answer = named_state(name="Ann", notes="of the council", features={"being": "person"})
    layers = {"a": named_state(), "b": answer, "c": named_state(name="Ann")}
    key = initial_key(layers)
    assert list(key.chains.values()) == [answer.chains["c"]]
    assert adjudication_state(layers, key, []).chains == []


def test_what_annotators_say_differently_of_a_chain_is_asked() -> None:
    layers = {
        "Ann": named_state(name="the mayor", notes="elected", features={"being": "person"}),
        "Ben": named_state(name="the town", features={"being": "place"}),
        "Cid": named_state(name="the mayor", notes="who is it?"),
        "Dan": named_state(),
    }
    layer = Layer(TEXT, initial_key(layers))
    assert list(layer.state.chains.values()) == [Chain()]
    request = adjudication_state(layers, layer.state, layer.log).chains
    assert [(item.what, item.worth) for item in request] == [
        ("feature:being", 1.0),
        ("notes", 1.0),
        ("name", pytest.approx(2 / 3)),
    ]
    assert [(choice.value, choice.layers) for choice in request[2].choices] == [
        ("the mayor", ["Ann", "Cid"]),
        ("the town", ["Ben"]),
    ]
    assert request[2].without == []  # Dan names nothing
    assert request[1].without == []  # and Ben never takes notes
    for question, value in zip(request, ("person", "", "the mayor"), strict=True):
        layer.add(define_event(layer.state, question.what, question.chain, value, "so we say"))
    adjudication = adjudication_state(layers, layer.state, layer.log)
    assert adjudication.chains == []
    assert list(layer.state.chains.values()) == [Chain(name="the mayor", features={"being": "person"})]
    assert [(decision.operation, decision.about[0], decision.value) for decision in adjudication.decisions] == [
        ("define", "feature:being", "person"), ("define", "notes", ""), ("define", "name", "the mayor"),
    ]  # fmt: skip
    for _ in request:
        back = layer.undo()
        assert back is not None
        layer.add(back)
    assert adjudication_state(layers, layer.state, layer.log).chains == request
    for wrong in ("colour", "feature:", ""):
        with pytest.raises(UsageError, match="expected name, notes or feature"):
            define_event(layer.state, wrong, request[0].chain, "red")


def test_names_of_chains_that_annotators_cut_differently() -> None:
    """Whoever has a mention of the key's chain in a chain of theirs says something of it."""

    def cut_chains(chains: list[set[int]], *names: str) -> State:
        state = partition(TEXT, chains)
        homes = dict.fromkeys(mention.chain or "" for mention in state.mentions.values())
        return State(state.mentions, {home: Chain(name=name) for home, name in zip(homes, names, strict=True)})

    layers = {"Ann": cut_chains([{1, 2, 3}], "Ann"), "Ben": cut_chains([{1, 2}, {3}], "Ann", "Ben")}
    key = initial_key(layers)
    assert sorted(chain.name for chain in key.chains.values()) == ["", "Ann"]
    [requests] = adjudication_state(layers, key, []).chains
    assert (requests.about, [choice.value for choice in requests.choices]) == (["name", word(3)], ["Ann", "Ben"])
