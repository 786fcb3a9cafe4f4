"""Groups hold everything once, in the order in which it came."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.numeric.grouping import group_items, key_positions


@given(st.lists(st.tuples(st.integers(0, 3), st.text(max_size=1))))
def test_groups_hold_every_item_under_its_key_in_order(pairs: list[tuple[int, str]]) -> None:
    groups = group_items(pairs)
    assert list(groups) == list(dict.fromkeys(key for key, _ in pairs))
    assert all(items == [item for key, item in pairs if key == name] for name, items in groups.items())


@given(st.lists(st.integers(0, 3)))
def test_places_lead_back_to_their_keys(keys: list[int]) -> None:
    result = key_positions(keys)
    assert sorted(place for those in result.values() for place in those) == list(range(len(keys)))
    assert all(keys[place] == key for key, those in result.items() for place in those)
