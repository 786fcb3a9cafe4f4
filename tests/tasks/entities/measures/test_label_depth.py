from __future__ import annotations

import runpy
from pathlib import Path

from hypothesis import given

from aune.contract.registry import measure
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.measures.ser import costs_of
from aune.tasks.entities.model import documents
from tests.tasks.entities.pairings import WRONG, Triple, best_pairings

DEPTH = measure("entities.label_depth")


def test_right_down_to_each_depth() -> None:
    key = [(0, 1, "loc.adm.town"), (2, 3, "loc.adm.town"), (4, 5, "loc.fac"), (6, 7, "pers.ind"), (8, 9, "amount")]
    response = [(0, 1, "loc.adm.town"), (2, 3, "loc.adm.nat"), (4, 5, "loc.oro"), (6, 7, "func.ind"), (8, 9, "amount")]
    score = DEPTH(key, response)
    assert score.values == {"type": 4 / 5, "subtype": 2 / 4, "third": 1 / 2, "label": 2 / 5}


def test_only_what_was_found_counts() -> None:
    score = DEPTH([(0, 1, "loc.fac"), (5, 6, "loc.fac")], [(0, 1, "loc.fac")])
    assert score.type == 1.0 and score.third is None
    assert score.reasons["third"] == "no pair with a label of that depth"


spans = runpy.run_path(str(Path(__file__).parent.parent / "strategies.py"))["spans"]


def slow_depths(pairs: list[tuple[Triple, Triple]]) -> tuple[float | None, ...]:
    """The shares of right labels among pairs, down to one, two and three parts, and whole."""
    labels = [(key[2].split("."), response[2].split(".")) for key, response in pairs]
    deep = [[pair for pair in labels if len(pair[0]) >= depth] for depth in (1, 2, 3)]
    right = [sum(key[:depth] == response[:depth] for key, response in deep[depth - 1]) for depth in (1, 2, 3)]
    shares = [count / len(those) if those else None for count, those in zip(right, deep, strict=True)]
    return *shares, (sum(key == response for key, response in labels) / len(labels) if labels else None)


@given(spans(5, 7), spans(5, 7))
def test_shares_of_one_of_the_best_pairings(key: list[Triple], response: list[Triple]) -> None:
    """Several pairings may be as good; boundaries then decide, but never with another share than theirs."""
    costs = costs_of(compare([(documents(key)[0], documents(response)[0])]))
    gain = {kind: costs["omission"] + costs["insertion"] - costs.get(kind, 0.0) for kind in WRONG}
    expected = [slow_depths(pairs) for pairs in best_pairings(key, response, gain)]
    assert tuple(DEPTH(key, response).values.values()) in expected
