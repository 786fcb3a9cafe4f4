"""Bad events are refused with reasons; good ones can be put back."""

from __future__ import annotations

from typing import Any

import pytest

from aune.workbench.events import MAX_CHANGES, event_problems, fold, fold_all
from aune.workbench.model import Chain, Event, Mention, Relation, State, Text

TEXT = Text(id="t", characters="Ann saw her dog.")
STATE = State(
    {"m1": Mention(parts=((0, 3),), chain="c1"), "m2": Mention(parts=((8, 11),), chain="c1")},
    {"c1": Chain(), "c2": Chain(name="nobody")},
    {"r1": Relation(kind="part", source="c1", targets=("c2",))},
)


def event(*changes: Any) -> Event:
    return Event(id="e", operation="x", changes=changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("tokens", "m1", None), "found the table 'tokens', expected one of mentions, chains, relations"),
        (("mentions", "", None), "found the id '' in mentions, expected 1 to 100 characters"),
        (("mentions", "m1", {"parts": "x"}), "mentions m1: Expected `array`, got `str` - at `$.parts`"),
        (("mentions", "m1", {"parts": [[0, 3]], "colour": "red"}), "unknown field `colour`"),
        (("mentions", "m1", {}), "missing required field `parts`"),
        (("mentions", "m1", {"parts": []}), "found no part, expected one or more"),
        (("mentions", "m1", {"parts": [[0, 17]]}), "found the part 0 to 17, expected parts in order between 0 and 16"),
        (("mentions", "m1", {"parts": [[4, 2]]}), "found the part 4 to 2"),
        (("mentions", "m1", {"parts": [[4, 6], [2, 3]]}), "found the part 2 to 3, expected parts in order between 6"),
        (("mentions", "m1", {"parts": [[4, 6], [7, 7]]}), "found the part 7 to 7"),
        (("mentions", "m1", {"parts": [[-1, 6]]}), "found the part -1 to 6"),
        (("mentions", "m9", {"parts": [[4, 6]], "chain": "c9"}), "found the chain 'c9', which is not there"),
        (("chains", "c1", None), "mentions m1: found the chain 'c1', which is not there"),
        (("chains", "c2", None), "relations r1: found the chain 'c2', which is not there"),
        (("chains", "c3", {}), "chains c3: found no mention, relation, name or notes: remove it"),
        (("relations", "r2", {"kind": "part", "source": "c1", "targets": []}), "found no target"),
        (("relations", "r2", {"kind": "part", "source": "c1", "targets": ["c7"]}), "found the chain 'c7'"),
    ],
)
def test_a_bad_change_is_refused(change: Any, message: str) -> None:
    assert message in "\n".join(event_problems(TEXT, STATE, event(change)))


def test_good_changes_are_taken_and_put_back() -> None:
    good = event(
        ("mentions", "m3", {"parts": [[0, 3], [8, 11]], "chain": "c3"}),
        ("chains", "c3", {}),
        ("mentions", "m4", {"parts": [[16, 16]], "order": 1}),
        ("mentions", "m1", {"parts": [[0, 7]], "chain": "c1", "features": {"kind": "name"}}),
        ("mentions", "m1", {"parts": [[0, 1]], "chain": "c1"}),
        ("mentions", "m2", None),
        ("relations", "r1", None),
    )
    assert event_problems(TEXT, STATE, good) == []
    after, inverse = fold(STATE, good)
    assert after.mentions["m1"] == Mention(parts=((0, 1),), chain="c1")
    assert fold_all(after, [event(*inverse)]) == STATE


def test_an_entity_needs_its_label() -> None:
    text = Text(id="t", characters="Ann", task="entities")
    assert "found no label" in event_problems(text, State(), event(("mentions", "m1", {"parts": [[0, 3]]})))[0]


def test_too_much_at_once_is_refused() -> None:
    many = event(*[("mentions", f"m{number}", None) for number in range(MAX_CHANGES + 1)])
    assert "send fewer" in event_problems(TEXT, STATE, many)[0]
