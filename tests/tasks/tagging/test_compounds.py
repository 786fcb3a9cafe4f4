"""Units over several words against a slow second reading: the key has a unit over the same characters, or not."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import aune

WORDS = ["ab", "cd", "ef", "gh"]


@st.composite
def marked(draw: st.DrawFn) -> dict[str, Any]:
    """Four words with tags, and compounds over some of them."""
    compounds, start = [], 0
    while start < 3:
        end = draw(st.integers(start + 1, 4))
        if end - start > 1 and draw(st.booleans()):
            compounds.append([start, end, draw(st.sampled_from("NV"))])
        start = end
    return {
        "words": WORDS,
        "tags": draw(st.lists(st.sampled_from("NV"), min_size=4, max_size=4)),
        "compounds": compounds,
    }


@given(marked(), marked())
def test_a_marked_unit_counts_where_the_key_marks_it(key: dict[str, Any], response: dict[str, Any]) -> None:
    found = aune.score("tagging", key, response, measures=["precision_decision"]).scores[0].counts
    units = {(start, end): tag for start, end, tag in key["compounds"]}
    ok = 0
    for word in range(4):
        own = next((one for one in response["compounds"] if one[0] <= word < one[1]), None)
        if own and (own[0], own[1]) in units:
            ok += own[2] == units[own[0], own[1]]
        else:
            ok += key["tags"][word] == response["tags"][word]
    assert (found["cases"], found["noneval"], found["ok"], found["err"]) == (4, 0, ok, 4 - ok)
