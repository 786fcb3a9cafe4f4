from __future__ import annotations

from aune.core.registry import measure

ERR = measure("entities.err")


def test_share_of_what_is_wrong() -> None:
    key = [(0, 2, "A"), (4, 6, "A"), (8, 9, "A")]
    response = [(0, 2, "A"), (4, 6, "B"), (11, 12, "A")]
    assert ERR(key, response).err == 3 / 4  # one substitution, one omission, one insertion, one correct
    assert ERR(key, [(0, 2, "A"), (4, 7, "A"), (8, 9, "A")], schema="partial").err == 0.5 / 3
    assert ERR(key, key).err == 0.0
    assert ERR([], []).err is None
