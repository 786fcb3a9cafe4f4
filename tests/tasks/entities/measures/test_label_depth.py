from __future__ import annotations

from aune.core.registry import measure

DEPTH = measure("entities.label_depth")


def test_right_down_to_each_depth() -> None:
    key = [(0, 1, "loc.adm.town"), (2, 3, "loc.adm.town"), (4, 5, "loc.fac"), (6, 7, "pers.ind"), (8, 9, "amount")]
    response = [(0, 1, "loc.adm.town"), (2, 3, "loc.adm.nat"), (4, 5, "loc.oro"), (6, 7, "func.ind"), (8, 9, "amount")]
    found = DEPTH(key, response)
    assert found.values == {"type": 4 / 5, "subtype": 2 / 4, "third": 1 / 2, "label": 2 / 5}


def test_only_what_was_found_counts() -> None:
    found = DEPTH([(0, 1, "loc.fac"), (5, 6, "loc.fac")], [(0, 1, "loc.fac")])
    assert found.type == 1.0 and found.third is None
    assert found.reasons["third"] == "no pair with a label of that depth"
