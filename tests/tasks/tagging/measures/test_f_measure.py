"""Per tag, against a count by hand in Python and scikit-learn's numbers where it is installed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.tasks.tagging.measures.f_measure import MEASURE

TAGS = st.lists(st.tuples(st.sampled_from("NVD"), st.sampled_from("NVD")), min_size=1, max_size=12)


@given(TAGS)
def test_each_tag(pairs: list[tuple[str, str]]) -> None:
    result = MEASURE(*([(f"w{i}", pair[side]) for i, pair in enumerate(pairs)] for side in (0, 1))).by("tag")
    for tag in {tag for pair in pairs for tag in pair}:
        right = sum(pair == (tag, tag) for pair in pairs)
        in_key, in_response = (sum(pair[side] == tag for pair in pairs) for side in (0, 1))
        assert result[tag]["recall"] == (pytest.approx(right / in_key) if in_key else None)
        assert result[tag]["precision"] == (pytest.approx(right / in_response) if in_response else None)


def test_ambiguous_and_untagged_words() -> None:
    result = MEASURE([("a", "N"), ("b", "V"), ("c", "N")], [("a", "N|V"), ("b", "_"), ("c", "N")])
    assert result.recall == pytest.approx(1 / 3) and result.precision == pytest.approx(1 / 2)
    assert result.by("tag")["several"]["precision"] == 0.0


def test_confusion() -> None:
    result = score("tagging", [("a", "N"), ("b", "V")], [("a", "N"), ("b", "N")], measures=["f_measure"])
    assert result["f_measure"].details == {"confusion": {"N": {"N": 1}, "V": {"N": 1}}}


def test_macro_over_tags() -> None:
    key, response = [("a", "N"), ("b", "V"), ("c", "N")], [("a", "N"), ("b", "V"), ("c", "V")]
    result = score("tagging", key, response, measures=["macro(f_measure, by=tag)"]).scores[0]
    assert result.recall == pytest.approx(0.75)
