"""Entities: rules as you go, lanes, and two annotations side by side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aune.workbench.model import Mention, State, Text
from aune.workbench.spans import compare_spans, lanes, rule_violations

CHARACTERS = "la ville de Paris a dit non"
TEXT = Text(
    id="t", characters=CHARACTERS, task="entities", typology="quaero",
    tokens=[0, 2, 3, 8, 9, 11, 12, 17, 18, 19, 20, 23, 24, 27], sentences=[0],
)  # fmt: skip


def entity(string: str, label: str) -> Mention:
    start = CHARACTERS.index(string)
    return Mention(parts=((start, start + len(string)),), label=label)


GOOD = State(
    {
        "m0": entity("la ville de Paris", "loc.adm.town"),
        "m1": entity("ville", "kind"),
        "m2": entity("Paris", "name"),
        "m3": entity("la ville de Paris", "org.adm"),  # metonymy
    }
)


def test_quaeros_rules_are_checked_as_you_go() -> None:
    assert rule_violations(TEXT, GOOD) == []
    state = State({**GOOD.mentions, "m4": entity("dit", "name.first"), "m5": entity("non", "prod.x")})
    found = rule_violations(TEXT, state)
    assert [(one.mention, one.severity) for one in found] == [("m4", "error"), ("m5", "error")]
    assert "outside of any entity" in found[0].message
    assert CHARACTERS[found[1].start : found[1].end] == "non"
    bare = rule_violations(TEXT, State({"m0": entity("Paris", "loc.adm.town")}))
    assert [(one.severity, "without a constituent" in one.message) for one in bare] == [("warning", True)]
    third = State({**GOOD.mentions, "m6": entity("la ville de Paris", "pers.coll")})
    assert "expected at most 2" in " ".join(one.message for one in rule_violations(TEXT, third))


PLACES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=12)


@given(PLACES)
def test_no_two_mentions_of_a_lane_overlap(places: list[tuple[int, int]]) -> None:
    mentions = {f"m{n}": Mention(parts=((start, start + size),)) for n, (start, size) in enumerate(places)}
    found = lanes(mentions)
    for name, one in mentions.items():
        for other, two in mentions.items():
            if name < other and found[name] == found[other] and not (one.is_zero or two.is_zero):
                assert one.end <= two.start or two.end <= one.start


def test_two_annotations_side_by_side() -> None:
    other = State(
        {
            "x0": entity("la ville de Paris", "loc.adm.town"),
            "x1": entity("ville", "name"),
            "x2": entity("non", "kind"),
        }
    )
    found = compare_spans(TEXT, GOOD, other)
    pairs = {(one.key, one.response): one.kind for one in found.twins}
    assert pairs["m0", "x0"] == "correct"
    assert pairs["m1", "x1"] == "type"
    assert pairs[None, "x2"] == "insertion"
    assert {pair for pair, kind in pairs.items() if kind == "omission"} == {("m2", None), ("m3", None)}
    assert [one.cost for one in found.disagreements] == sorted((one.cost for one in found.disagreements), reverse=True)
    assert {one.measure for one in found.scores} >= {"entities.ser", "entities.f_measure"}
    assert compare_spans(TEXT, GOOD, GOOD).disagreements == []
