"""Split antecedents, against the published cases of the Universal Anaphora scorer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import aune
from aune.tasks.coref.model import Document, Mention, Relation, document
from tests.tasks.coref.agreement import CHAINS, Chains, assert_same, values


def text(chains: str) -> list[Document]:
    """`ab cd e ac+fg`: chains of one-letter mentions; before + one letter of each part of a split antecedent."""
    mentions: list[Mention] = []
    links: list[tuple[int, str]] = []
    for number, chain in enumerate(chains.split()):
        parts, _, members = chain.rpartition("+")
        links += [(len(mentions), part) for part in parts]
        mentions += [Mention(ord(letter), ord(letter) + 1, number) for letter in members]
    place = {chr(mention.start): index for index, mention in enumerate(mentions)}
    relations = [Relation("split", source, place[part]) for source, part in links]
    return [document("d", mentions, relations=relations)]


def triple(key: str, response: str, of: str) -> tuple[float | None, ...]:
    [found] = aune.score("coref", text(key), text(response), measures=["split_antecedents"], of=of)
    return found.recall, found.precision, found.f1


PA = "ab cd e ac+fg"
PB = "ab cd e ac+fg ae+h"
NAMES = ("b_cubed", "muc", "ceaf_m", "ceaf_e", "lea")
PERFECT = dict.fromkeys(NAMES, 1.0)
# F as the scorer's table of cases prints it
CASES = {
    "PA-1 perfect": (PA, PA, PERFECT),
    "PA-2 equivalent": (PA, "ab cd e ad+fg", PERFECT),
    "PA-3 equivalent": (PA, "ab cd e bd+fg", PERFECT),
    "PA-4 missing": (
        PA, "ab cd e fg",
        {"b_cubed": 38 / 43, "muc": 6 / 7, "ceaf_m": 0.93333, "ceaf_e": 3.8 / 4, "lea": 6 / 7},
    ),
    "PA-5 extra": (
        PA, "ab cd e ace+fg",
        {"b_cubed": 0.97523, "muc": 22 / 23, "ceaf_m": 0.98611, "ceaf_e": 0.98333, "lea": 38 / 39},
    ),
    "PA-6 partly right": (
        PA, "ab cd e ae+fg",
        {"b_cubed": 0.903, "muc": 7 / 8, "ceaf_m": 0.94643, "ceaf_e": 0.95833, "lea": 0.89535},
    ),
    "PA-7 part cut": (
        PA, "ab c e ac+fg",
        {"b_cubed": 0.84032, "muc": 5 / 7, "ceaf_m": 0.91429, "ceaf_e": 0.90278, "lea": 0.68670},
    ),
    "PA-8 one antecedent twice": (PA, "ab cd e ac+f bc+g", PERFECT),
    "PA-9 parts merged": (
        PA, "ab cde ac+fg",
        {"b_cubed": 0.86016, "muc": 11 / 13, "ceaf_m": 0.86111, "ceaf_e": 0.79048, "lea": 0.74590},
    ),
    "PA-10 aligned": (
        PA, "ab cd e ac+f bce+g",
        {"b_cubed": 0.83333, "muc": 3 / 4, "ceaf_m": 0.82353, "ceaf_e": 0.84444, "lea": 0.76364},
    ),
    "PA-11 one part twice": (
        PA, "ab cd e ab+fg",
        {"b_cubed": 0.93923, "muc": 14 / 15, "ceaf_m": 0.95833, "ceaf_e": 0.97222, "lea": 14 / 15},
    ),
    "PB-1 perfect": (PB, PB, PERFECT),
    "PB-2 equivalent": (PB, "ab cd e ad+fg be+h", PERFECT),
    "PB-3 aligned": (
        PB, "ab cd e ac+fg ace+h",
        {"b_cubed": 0.96266, "muc": 28 / 29, "ceaf_m": 0.975, "ceaf_e": 4.9 / 5, "lea": 0.95833},
    ),
    "PB-4 merged": (
        PB, "ab cd e ac+fgh",
        {"b_cubed": 0.84158, "muc": 4 / 5, "ceaf_m": 0.84211, "ceaf_e": 0.85714, "lea": 0.78873},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_published_case(case: str, name: str) -> None:
    key, response, expected = CASES[case]
    assert triple(key, response, name)[2] == pytest.approx(expected[name], abs=1e-5)


def test_split_antecedents_alone() -> None:
    """Of PA-5: four mentions of the parts, all found, and one too many."""
    [found] = aune.score("coref", text(PA), text("ab cd e ace+fg"), measures=["split_antecedents"], of="b_cubed")
    assert (found.split_recall, found.split_precision) == (1, pytest.approx(4 / 5))


def test_parts_of_parts() -> None:
    """A set of sets stands for the parts of those."""
    nested, flat = "ab cd e ac+f fe+g", "ab cd e ac+f ace+g"
    for name in NAMES:
        assert triple(nested, flat, name) == (1, 1, 1)


@settings(max_examples=50)
@given(CHAINS)
def test_without_any_it_is_the_measure_itself(chains: tuple[Chains, Chains]) -> None:
    for name in NAMES:
        assert_same(values("split_antecedents", *chains, of=name)[3:], values(name, *chains))
