"""Split antecedents, against the published cases of the Universal Anaphora scorer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given, settings

import aune
from aune.tasks.coref.measures.split_antecedents import SplitChain, best_alignment
from aune.tasks.coref.model import Document, Mention, Relation, make_document
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
    return [make_document("d", mentions, relations=relations)]


def triple(key: str, response: str, of: str) -> tuple[float | None, ...]:
    [result] = aune.score("coref", text(key), text(response), measures=["split_antecedents"], of=of)
    return result.recall, result.precision, result.f1


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
    [result] = aune.score("coref", text(PA), text("ab cd e ace+fg"), measures=["split_antecedents"], of="b_cubed")
    assert (result.split_recall, result.split_precision) == (1, pytest.approx(4 / 5))


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


# Which split antecedents are aligned, against all alignments.

Part = frozenset[int]


def exact_f(of: str, key: Sequence[Part], response: Sequence[Part]) -> Fraction:
    """F of parts, as a fraction, straight from the definitions."""
    recall, precision = exact_share(of, key, response), exact_share(of, response, key)
    return 2 * recall * precision / (recall + precision) if recall + precision else Fraction(0)


def exact_share(of: str, chains: Sequence[Part], others: Sequence[Part]) -> Fraction:
    mentions = sum(map(len, chains))
    cells = [(chain, other, len(chain & other)) for chain in chains for other in others]
    if of == "b_cubed":
        return sum((Fraction(shared**2, len(chain)) for chain, _, shared in cells), Fraction(0)) / mentions
    if of == "muc":
        total = sum(shared - 1 for chain, _, shared in cells if shared and len(chain) > 1)
        total += sum(chain in others for chain in chains if len(chain) == 1)
        return Fraction(total, sum(max(len(chain) - 1, 1) for chain in chains))
    if of == "lea":
        resolved = [Fraction(shared * (shared - 1), len(chain) - 1) for chain, _, shared in cells if len(chain) > 1]
        return (sum(resolved, Fraction(0)) + sum(len(chain) == 1 and chain in others for chain in chains)) / mentions
    few, many = sorted((chains, others), key=len)
    weight = {
        (item, other): Fraction(2 * len(item & other), len(item) + len(other)) if of == "ceaf_e" else len(item & other)
        for item in few
        for other in many
    }
    best = max(sum(weight[pair] for pair in zip(few, order, strict=False)) for order in permutations(many))
    return Fraction(best) / (len(chains) if of == "ceaf_e" else mentions)


def alignments(height: int, width: int) -> Iterator[tuple[int, ...]]:
    """For each key chain the response chain that it is aligned with; nobody is written as the number after the last."""
    if not height:
        yield ()
        return
    for rest in alignments(height - 1, width):
        yield from ((*rest, choice) for choice in range(width + 1) if choice == width or choice not in rest)


def first_of_the_best(
    of: str, key: list[SplitChain], response: list[SplitChain]
) -> list[tuple[SplitChain, SplitChain]]:
    def pairs(alignment: tuple[int, ...]) -> list[tuple[SplitChain, SplitChain]]:
        return [(key[i], response[j]) for i, j in enumerate(alignment) if j < len(response)]

    likeness = {(item, other): exact_f(of, list(item.parts), list(other.parts)) for item in key for other in response}

    def rank(alignment: tuple[int, ...]) -> tuple[Fraction, int, tuple[int, ...]]:
        chosen = pairs(alignment)
        shared = sum(len(first.mentions & other.mentions) for first, other in chosen)
        return -sum((likeness[pair] for pair in chosen), Fraction(0)), -shared, alignment

    allowed = (item for item in alignments(len(key), len(response)) if all(likeness[pair] for pair in pairs(item)))
    return pairs(min(allowed, key=rank))


@pytest.mark.parametrize("of", NAMES)
def test_split_antecedents_are_aligned_by_likeness_then_by_their_chains_then_in_order(of: str) -> None:
    random = Random(2)
    for _ in range(60):
        sides = []
        for _ in range(2):
            letters = random.sample(range(6), 6)
            parts = [frozenset(letters[:2]), frozenset(letters[2:3]), frozenset(letters[3:5]), frozenset(letters[5:])]
            antecedents = random.sample([set(some) for size in (2, 3) for some in combinations(parts, size)], 3)
            homes = [random.randrange(3) for _ in range(5)]
            mentions = [frozenset(10 + place for place, home in enumerate(homes) if home == item) for item in range(3)]
            sides.append(
                [SplitChain(some, frozenset(split)) for some, split in zip(mentions, antecedents, strict=True)]
            )
        assert list(best_alignment(*sides, of)) == first_of_the_best(of, *sides)


def test_antecedents_as_like_as_others_follow_their_chains() -> None:
    """Each of the key's is half like both of the response: x goes with x, (4 + 2 · 1.5² / 2) / 8, and not with y."""
    for key in ("a b c d ab+x cd+y", "a b c d cd+x ab+y"):
        for response in ("a b c d ac+x bd+y", "a b c d bd+x ac+y", "a b c d ac+wy bd+x"):
            assert triple(key, response, "b_cubed")[0] == 0.78125
