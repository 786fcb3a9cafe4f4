from __future__ import annotations

from typing import Any

from hypothesis import given

from aune.contract.registry import measure
from tests.tasks.tagging.measures.test_elas import graphs
from tests.tasks.tagging.ud import enhanced_figures

MEASURE = measure("tagging.eulas")


@given(graphs())
def test_edge_by_edge(sides: tuple[list[Any], list[Any]]) -> None:
    assert MEASURE(*sides).counts == enhanced_figures(*sides, sub_types=False)


def test_sub_types_of_a_path_do_not_matter() -> None:
    key = [{"form": "a", "deps": "0:root"}, {"form": "b", "deps": "1:conj:and>nsubj:pass"}]
    assert MEASURE(key, [key[0], {**key[1], "deps": "1:conj>nsubj"}]).f1 == 1.0
    assert MEASURE(key, [key[0], {**key[1], "deps": "1:nsubj"}]).f1 == 0.5
