"""Links and classes are the same partition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.errors import UsageError
from aune.workbench.links import classes, links
from aune.workbench.model import Chain, Mention, Relation, State, members
from tests.workbench.texts import partition, text_of_mentions

TEXT = text_of_mentions(10)


def groups(state: State) -> set[frozenset[str]]:
    return {frozenset(names) for names in members(state).values()}


@given(st.lists(st.integers(0, 4), min_size=10, max_size=10))
def test_to_links_and_back_is_the_same_state(numbers: list[int]) -> None:
    chains = [{place for place, number in enumerate(numbers, 1) if number == chain} for chain in range(5)]
    state = partition(TEXT, [chain for chain in chains if chain])
    assert classes(state, links(state)) == State(state.mentions, {name: Chain() for name in state.chains})
    assert len(links(state)) == len(state.mentions) - len(state.chains)


@given(st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10))))
def test_any_links_make_the_classes_that_they_hold_together(pairs: list[tuple[int, int]]) -> None:
    state = partition(TEXT, [range(1, 11)])
    result = classes(state, [(f"m{item}", f"m{other}") for item, other in pairs])
    home = list(range(11))
    for first, other in pairs:
        home = [home[first] if number == home[other] else number for number in home]
    closed = {frozenset(f"m{item}" for item in range(1, 11) if home[item] == group) for group in home[1:]}
    assert groups(result) == closed
    assert links(classes(result, links(result))) == links(result)


def test_names_and_relations_stay_with_their_chains() -> None:
    state = State(
        {
            "m1": Mention(parts=((0, 2),), chain="c1"),
            "m2": Mention(parts=((3, 5),), chain="c2"),
            "m3": Mention(parts=((6, 8),)),
        },
        {"c1": Chain(name="Ann"), "c2": Chain(notes="who?")},
        {"r1": Relation(kind="part", source="c2", targets=("c1",))},
    )
    assert classes(state, []) == state
    merged = classes(state, [("m2", "m1")])
    assert merged.chains == {"c1": Chain(name="Ann")}
    assert merged.relations == {}
    assert merged.mentions["m3"].chain is None
    with pytest.raises(UsageError, match="m9"):
        classes(state, [("m9", "m1")])
