"""ACE value, by hand."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract.registry import measure
from aune.errors import InputError
from aune.tasks.entities.model import Mention, Referent
from aune.tasks.entities.pairing.referents import load_weights, map_entities, side_referents

ACE = measure("entities.ace_value")
SMITH = Referent("PER", "Individual", "SPC", (Mention(0, 2), Mention(5, 6, "PRO")))
DARPA = Referent("ORG", "Government", "SPC", (Mention(8, 9),))


def test_perfect_and_empty() -> None:
    assert ACE([SMITH, DARPA], [DARPA, SMITH]).ledr == 1.0
    score = ACE([SMITH, DARPA], [])
    assert score.ledr == 0.0 and score.counts == {"edt": 0, "key_edt": 2.1}
    assert ACE([], [SMITH]).ledr is None


@pytest.mark.parametrize(
    ("response", "value"),
    [
        (SMITH, 1.1),
        (SMITH._replace(type="ORG"), 1.1 * 0.5),  # eq. 1.2: a wrong type
        (SMITH._replace(subtype="Group"), 1.1 * 0.9),
        (SMITH._replace(type="ORG", subtype="Group"), 1.1 * 0.5 * 0.9),
        (SMITH._replace(kind="GEN"), 0.0),  # the smaller worth: GEN is worth nothing
        (SMITH._replace(mentions=SMITH.mentions[:1]), 1.0),  # a mention missed
        (SMITH._replace(mentions=(Mention(0, 2, "NOM"),)), 0.5 * 0.9),  # the smaller worth, and the type is wrong
        (SMITH._replace(mentions=(Mention(0, 2, role="ORG"),)), 0.9),
        (SMITH._replace(mentions=(Mention(0, 2, style="METONYMIC"),)), 0.9),
        (SMITH._replace(mentions=(Mention(0, 2), Mention(20, 21))), 1 - 0.75),  # a mention too many
        (SMITH._replace(mentions=(Mention(20, 21),)), -0.75),  # a false alarm
    ],
)
def test_value_of_one_entity(response: Referent, value: float) -> None:
    assert ACE([SMITH], [response]).counts["edt"] == pytest.approx(value)


def test_each_key_entity_is_used_once() -> None:
    split = [SMITH._replace(mentions=SMITH.mentions[:1]), SMITH._replace(mentions=SMITH.mentions[1:])]
    assert ACE([SMITH], split).counts["edt"] == pytest.approx(1.0 - 0.75 * 0.1)  # the name counts, the pronoun is false


def test_weights_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ace.toml"
    file.write_text("false_alarm = 0.5\n[types]\nORG = 0.2\n", encoding="utf-8")
    assert ACE([SMITH, DARPA], [SMITH], ace_weights=str(file)).ledr == pytest.approx(1.1 / 1.3)
    assert ACE([SMITH], [SMITH, DARPA], ace_weights=str(file)).counts["edt"] == pytest.approx(1.1 - 0.5 * 0.2)
    file.write_text("false_alarm = 'much'\n", encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text("[types\n", encoding="utf-8")
    with pytest.raises(InputError, match="expected a TOML file of ACE weights"):
        ACE([SMITH], [SMITH], ace_weights=str(other))


def test_rows_by_type() -> None:
    values = ACE([SMITH, DARPA], [SMITH]).by("label")
    assert values == {"ORG": {"ledr": 0.0}, "PER": {"ledr": 1.0}}


MINISTER = [(0, 2, "func.ind"), (0, 1, "qualifier"), (1, 2, "kind")]
BARCELONA = [(4, 5, "loc.adm.town"), (4, 5, "org.ent")]


def test_components_and_second_labels_are_no_entities() -> None:
    """SOURCES: a component or a second label of one entity is not another entity."""
    score = ACE([*MINISTER, (4, 5, "func.ind"), (4, 5, "kind")], MINISTER, typology="quaero")
    assert score.counts == {"edt": 1, "key_edt": 2}
    assert ACE(BARCELONA, BARCELONA[::-1]).counts == {"edt": 1, "key_edt": 1}
    assert ACE(BARCELONA, BARCELONA[:1]).ledr == 0.5 * 0.9  # other types, and other sub-types
    assert set(ACE(BARCELONA, BARCELONA).by("label")) == {"loc+org"}


def test_the_weight_of_an_entity_with_two_types(tmp_path: Path) -> None:
    file = tmp_path / "ace.toml"
    file.write_text("[types]\nloc = 0.2\norg = 0.6\n", encoding="utf-8")
    assert ACE(BARCELONA, BARCELONA, ace_weights=str(file)).counts["key_edt"] == pytest.approx(0.4)


def test_options_about_labels_count() -> None:
    """They changed nothing for the entities of ACE."""
    lower, group = DARPA._replace(type="org"), SMITH._replace(subtype="Group")
    assert ACE([SMITH, DARPA], [SMITH, lower]).counts["edt"] == pytest.approx(1.1 + 0.5)
    assert ACE([SMITH, DARPA], [SMITH, lower], case="fold").ledr == 1.0
    assert ACE([SMITH, DARPA], [SMITH, lower], labels=("PER",)).counts == {"edt": 1.1, "key_edt": 1.1}
    assert ACE([SMITH], [group], depth=1).ledr == 1.0
    assert ACE([SMITH, DARPA], [SMITH, lower], rename=("org.Government=ORG.Government",)).ledr == 1.0


MENTIONS = st.builds(
    lambda start, size, *rest: Mention(start, start + size, *rest),
    st.integers(0, 6), st.integers(1, 3), st.sampled_from(["NAM", "NOM", "PRO"]), st.sampled_from(["", "ORG"]),
    st.sampled_from(["LITERAL", "METONYMIC"]),
)  # fmt: skip
REFERENTS = st.lists(
    st.builds(
        Referent, st.sampled_from(["PER", "ORG"]), st.sampled_from(["", "x"]), st.sampled_from(["SPC", "GEN"]),
        st.lists(MENTIONS, min_size=1, max_size=3, unique=True).map(tuple),
    ),
    max_size=3,
)  # fmt: skip
TYPES = {"NAM": 1.0, "NOM": 0.5, "PRO": 0.1}
CLASSES = {"SPC": 1.0, "GEN": 0.0}


def maps(left: int, right: int) -> list[dict[int, int]]:
    """Every partial one-to-one map from numbers below `right` to numbers below `left`."""
    return [
        dict(zip(some, others, strict=True))
        for size in range(min(left, right) + 1)
        for some in itertools.combinations(range(right), size)
        for others in itertools.permutations(range(left), size)
    ]


def slow_pair(key: Referent, response: Referent) -> float | None:
    """What a response entity is worth on a key entity; None where they share no text."""

    def meets(a: int, b: int) -> bool:
        return key.mentions[a].start < response.mentions[b].end and response.mentions[b].start < key.mentions[a].end

    values = []
    for chosen in maps(len(key.mentions), len(response.mentions)):
        if all(meets(a, b) for b, a in chosen.items()):
            value = 0.0
            for b, mention in enumerate(response.mentions):
                if b in chosen:
                    other = key.mentions[chosen[b]]
                    wrong = (mention.type != other.type) + (mention.role != other.role) + (mention.style != other.style)
                    value += min(TYPES[mention.type], TYPES[other.type]) * 0.9**wrong
                else:
                    value -= 0.75 * TYPES[mention.type]
            values.append(value)
    entity = min(CLASSES[key.kind], CLASSES[response.kind])
    entity *= 0.5 if key.type != response.type else 1.0
    entity *= 0.9 if key.subtype != response.subtype else 1.0
    entity *= 0.75 if key.kind != response.kind else 1.0
    return entity * max(values) if len(values) > 1 else None


@given(REFERENTS, REFERENTS)
def test_value_by_trying_every_map(key: list[Referent], response: list[Referent]) -> None:
    worth = [[slow_pair(item, other) for other in response] for item in key]
    lone = [
        -0.75 * CLASSES[document.kind] * sum(TYPES[mention.type] for mention in document.mentions)
        for document in response
    ]
    best = max(
        sum((worth[chosen[b]][b] or 0.0) if b in chosen else lone[b] for b in range(len(response)))
        for chosen in maps(len(key), len(response))
        if all(worth[a][b] is not None for b, a in chosen.items())
    )
    score = ACE(key, response)
    known = sum(CLASSES[document.kind] * sum(TYPES[mention.type] for mention in document.mentions) for document in key)
    assert score.counts["edt"] == pytest.approx(best, abs=1e-9)
    assert score.counts["key_edt"] == pytest.approx(known)


def around(type: str, *starts: int) -> Referent:
    return Referent(type, "", "SPC", tuple(Mention(start, start + 1) for start in starts))


def test_of_maps_of_equal_value_the_first_is_taken() -> None:
    """The first key entity in the text has the first response entity that it can have, then the next one."""
    random = Random(5)
    for _ in range(150):
        sides = [
            [around(random.choice(["PER", "ORG"]), *random.sample(range(4), random.randint(1, 3))) for _ in range(size)]
            for size in (random.randint(2, 4), random.randint(2, 4))
        ]
        assert_first_map(*sides)


@given(REFERENTS, REFERENTS)
def test_of_maps_of_entities_of_all_kinds(key: list[Referent], response: list[Referent]) -> None:
    assert_first_map(key, response)


def assert_first_map(key: list[Referent], response: list[Referent]) -> None:
    sides = [side_referents([item], np.zeros(1, np.int64)) for item in (key, response)]
    keys, responses = sides[0].entities, sides[1].entities
    gain = {
        (a, b): worth_there + 0.75 * CLASSES[other.kind] * sum(TYPES[mention.type] for mention in other.mentions)
        for a, item in enumerate(keys)
        for b, other in enumerate(responses)
        if (worth_there := slow_pair(item, other)) is not None
    }

    def rank(chosen: dict[int, int]) -> tuple[float, list[int]]:
        answer = {a: b for b, a in chosen.items()}
        total = sum(gain[a, b] for b, a in chosen.items())
        return -round(total, 9), [answer.get(a, len(responses)) for a in range(len(keys))]

    useful = [
        chosen
        for chosen in maps(len(keys), len(responses))
        if all(gain.get((a, b), 0) > 1e-9 for b, a in chosen.items())
    ]
    best = min(useful, key=rank)
    assert map_entities(*sides, load_weights("")).mapped.tolist() == [best.get(b, -1) for b in range(len(responses))]
