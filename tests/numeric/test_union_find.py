"""Things that are tied hang together, however they were tied."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.numeric.union_find import UnionFind

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


@given(PAIRS)
def test_groups_are_what_can_be_reached(pairs: list[tuple[int, int]]) -> None:
    ties = UnionFind(range(10))
    for first, other in pairs:
        ties.union(first, other)
    groups = {frozenset([number]) for number in range(10)}
    for pair in pairs:
        touched = {group for group in groups if group & set(pair)}
        groups = groups - touched | {frozenset().union(*touched)}
    assert set(map(frozenset, ties.groups(range(10)))) == groups
    assert all(ties.find(number) == min(group) for group in groups for number in group)
