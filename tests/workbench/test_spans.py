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
    result = rule_violations(TEXT, state)
    assert [(item.mention, item.severity) for item in result] == [("m4", "error"), ("m5", "error")]
    assert "outside of any entity" in result[0].message
    assert CHARACTERS[result[1].start : result[1].end] == "non"
    bare = rule_violations(TEXT, State({"m0": entity("Paris", "loc.adm.town")}))
    assert [(problem.severity, "without a constituent" in problem.message) for problem in bare] == [("warning", True)]
    third = State({**GOOD.mentions, "m6": entity("la ville de Paris", "pers.coll")})
    assert "expected at most 2" in " ".join(violation.message for violation in rule_violations(TEXT, third))


PLACES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=12)


@given(PLACES)
def test_no_two_mentions_of_a_lane_overlap(places: list[tuple[int, int]]) -> None:
    mentions = {f"m{n}": Mention(parts=((start, start + size),)) for n, (start, size) in enumerate(places)}
    result = lanes(mentions)
    for name, mention in mentions.items():
        for other, two in mentions.items():
            if name < other and result[name] == result[other] and not (mention.is_zero or two.is_zero):
                assert mention.end <= two.start or two.end <= mention.start


def test_two_annotations_side_by_side() -> None:
    other = State(
        {
            "x0": entity("la ville de Paris", "loc.adm.town"),
            "x1": entity("ville", "name"),
            "x2": entity("non", "kind"),
        }
    )
    result = compare_spans(TEXT, GOOD, other)
    pairs = {(twin.key, twin.response): twin.kind for twin in result.twins}
    assert pairs["m0", "x0"] == "correct"
    assert pairs["m1", "x1"] == "type"
    assert pairs[None, "x2"] == "insertion"
    assert {pair for pair, kind in pairs.items() if kind == "omission"} == {("m2", None), ("m3", None)}
    assert [disagreement.cost for disagreement in result.disagreements] == sorted(
        (disagreement.cost for disagreement in result.disagreements), reverse=True
    )
    assert {score.measure for score in result.scores} >= {"entities.ser", "entities.f_measure"}
    assert compare_spans(TEXT, GOOD, GOOD).disagreements == []
