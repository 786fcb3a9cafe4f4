"""The parts of what lies in several pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.numeric.ranges import have_overlap, merge_ranges

PARTS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5)).map(lambda pair: (pair[0], sum(pair))), max_size=5)


@given(PARTS)
def test_joined_parts_cover_the_same_places_and_none_twice(parts: list[tuple[int, int]]) -> None:
    places = [place for start, end in parts for place in range(start, end)]
    together = [place for start, end in merge_ranges(parts) for place in range(start, end)]
    assert together == sorted(set(places))
    assert have_overlap(parts) == (len(set(places)) < len(places))
    assert have_overlap(parts) or merge_ranges(parts) == tuple(sorted(parts))
