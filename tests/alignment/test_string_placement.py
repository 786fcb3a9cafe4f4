"""Places for strings that come without positions."""

from __future__ import annotations

import runpy
from itertools import combinations, pairwise, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.alignment.projection import Placement, Status, TokenisedText
from aune.alignment.string_placement import (
    Occurrences,
    correct_bounds,
    correct_places,
    infer_offset_unit,
    place_everywhere,
    place_first,
    place_in_order,
)

DAMAGE = runpy.run_path(str(Path(__file__).parent / "corruption.py"))
LETTERS = st.lists(st.sampled_from("abc"), min_size=1, max_size=7)


def places_of(text: list[str], string: str) -> list[int]:
    return [place for place, word in enumerate(text) if word == string]


@given(LETTERS, st.lists(st.sampled_from("abcd"), max_size=5))
def test_in_order_is_the_earliest_of_the_longest_increasing_choices(text: list[str], strings: list[str]) -> None:
    """Against every choice there is."""
    places = place_in_order(Occurrences(TokenisedText.from_tokens(text)), strings)
    assert len(places) == len(strings)
    for string, placement in zip(strings, places, strict=True):
        if placement.status.is_placed:
            assert text[placement.start : placement.end] == [string]
        else:
            assert placement.status is (Status.REPEATED if string in text else Status.ABSENT)
    distinct = [(s, p.start) for s, p in zip(strings, places, strict=True) if p.status.is_placed]
    assert len(distinct) == len(set(distinct))
    choices = product(*([-1, *places_of(text, string)] for string in strings))
    rising = [c for c in choices if (remaining := [p for p in c if p >= 0]) == sorted(set(remaining))]
    most = max(sum(place >= 0 for place in choice) for choice in rising)
    assert sum(placement.status.is_placed for placement in places) >= most
    longest = [choice for choice in rising if sum(place >= 0 for place in choice) == most]
    earliest = min(longest, key=lambda choice: [place if place >= 0 else len(text) for place in choice])
    assert all(place in (-1, placement.start) for place, placement in zip(earliest, places, strict=True))


@given(LETTERS)
def test_a_text_listed_word_by_word_is_placed_word_by_word(text: list[str]) -> None:
    places = place_in_order(Occurrences(TokenisedText.from_tokens(text)), text)
    assert [placement.start for placement in places] == list(range(len(text)))


def test_nested_strings_listed_outside_in() -> None:
    text = TokenisedText.from_tokens(["my", "father", "and", "my", "mother", "saw", "my", "father"])
    listed = ["my father", "my", "my mother", "my", "my father", "my"]
    places = place_in_order(Occurrences(text), listed)
    assert [placement[:2] for placement in places] == [(0, 2), (0, 1), (3, 5), (3, 4), (6, 8), (6, 7)]


def test_a_string_is_no_part_of_a_longer_one_where_it_has_a_place_of_its_own() -> None:
    """Whoever lists parts of longer strings lists them all; a list with fewer means those that stand by themselves."""
    text = ["senate", "democrats", "lost", "when", "democrats", "left", "the", "democrats"]
    laid = [
        it[:2]
        for it in place_in_order(Occurrences(TokenisedText.from_tokens(text)), ["senate democrats", *["democrats"] * 2])
    ]
    assert laid == [(0, 2), (4, 5), (7, 8)]
    laid = [
        it[:2]
        for it in place_in_order(Occurrences(TokenisedText.from_tokens(text)), ["senate democrats", *["democrats"] * 3])
    ]
    assert laid == [(0, 2), (1, 2), (4, 5), (7, 8)]
    beside = place_in_order(Occurrences(TokenisedText.from_tokens(text)), ["democrats"], occupied=[(0, 2), (3, 5)])
    assert beside[0][:2] == (7, 8)


@given(LETTERS, st.lists(st.sampled_from(["a", "b", "a b", "b a", "a b a", "d"]), max_size=6))
def test_as_many_are_in_order_as_can_be_whatever_lies_inside(text: list[str], strings: list[str]) -> None:
    """And what lies inside of another string is listed as often as the text has it, or stands there for the order."""
    occurrences = Occurrences(TokenisedText.from_tokens(text))
    places = place_in_order(occurrences, strings)
    options = [[None, *occurrences.find(string)[1]] for string in strings]
    rising = (choice for choice in map(places_chosen, product(*options)) if is_rising(choice))
    assert longest_rise([it[:2] for it in places if it.status.is_placed]) == max(map(len, rising))


def places_chosen(choice: tuple[tuple[int, int] | None, ...]) -> list[tuple[int, int]]:
    return [(place[0], -place[1]) for place in choice if place]


def is_rising(places: list[tuple[int, int]]) -> bool:
    return all(first < other for first, other in pairwise(places))


def longest_rise(places: list[tuple[int, int]]) -> int:
    subsets = (subset for size in range(len(places) + 1) for subset in combinations(places, size))
    return max(len(subset) for subset in subsets if is_rising([(start, -end) for start, end in subset]))


def test_a_string_is_found_between_word_boundaries_only() -> None:
    occurrences = Occurrences(TokenisedText.from_characters("concatenate the cat's cat"))
    assert occurrences.find("cat") == (Status.EXACT, [(16, 19), (22, 25)])


def test_folded_strings_are_normalised() -> None:
    occurrences = Occurrences(TokenisedText.from_tokens(["food-", "web", "theory"]))
    assert occurrences.find("Food-web") == (Status.NORMALISED, [(0, 2)])
    assert occurrences.find("web site") == (Status.ABSENT, [])


@given(
    st.lists(st.sampled_from(DAMAGE["SPELT_IN_MANY_WAYS"]), min_size=1, max_size=5),
    *[st.sampled_from(list(DAMAGE["SPELLINGS"]))] * 2,
)
def test_a_string_ends_where_its_last_letter_does_however_it_is_spelt(words: list[str], here: str, second: str) -> None:
    """Accents of their own, vowel signs and `&amp;` belong to what they stand for, in texts counted in characters."""
    (text, places), (listed, stretches) = DAMAGE["spelt"](words, here), DAMAGE["spelt"](words, second)
    strings = [listed[slice(*stretch)] for stretch in stretches]
    result = place_in_order(Occurrences(TokenisedText.from_characters(text)), strings)
    assert [it[:2] for it in result] == places


def test_first_and_everywhere() -> None:
    occurrences = Occurrences(TokenisedText.from_tokens(["a", "b", "a"]))
    assert [it[:2] for it in place_first(occurrences, ["a", "a", "z"])] == [(0, 1), (0, 1), (-1, -1)]
    everywhere = place_everywhere(occurrences, ["a", "a", "z"])
    assert [[it[:2] for it in places] for places in everywhere] == [[(0, 1), (2, 3)], [], [(-1, -1)]]


@given(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6))
def test_bounds_are_those_of_every_choice(listed: int, places: int, right: int) -> None:
    right = min(right, places)
    from itertools import combinations

    used = min(listed, places)
    outcomes = {sum(place < right for place in choice) for choice in combinations(range(places), used)}
    assert correct_bounds(listed, places, right) == (min(outcomes), max(outcomes))


@pytest.mark.parametrize(
    ("reading", "given_places"),
    [
        ("characters", [(0, 4), (6, 8)]),
        ("utf-16", [(0, 4), (7, 9)]),
        ("bytes", [(0, 5), (10, 12)]),
    ],
)
def test_what_offsets_count(reading: str, given_places: list[tuple[int, int]]) -> None:
    text = TokenisedText.from_characters("café😀 ab")
    strings = ["café", "ab"]
    result, places = infer_offset_unit(text, strings, given_places, ("characters", "utf-16", "bytes"))
    assert result == reading
    assert [text.characters[slice(*place)] for place in places] == strings


def test_wrong_offsets_go_to_the_nearest_place() -> None:
    occurrences = Occurrences(TokenisedText.from_tokens(["a", "x", "a", "x", "x", "a"]))
    claimed = [(3, 4), (2, 3), (9, 10), (0, 1), (1, 2)]
    result = correct_places(occurrences, ["a", "a", "a", "a", "z"], ["L"] * 5, claimed)
    assert [it[:2] for it in result] == [(5, 6), (2, 3), (-1, -1), (0, 1), (-1, -1)]
    assert [it.status for it in result][2:] == [Status.REPEATED, Status.EXACT, Status.ABSENT]


CLAIMS = st.lists(st.tuples(st.sampled_from("abd"), st.sampled_from("LM"), st.integers(0, 7)), max_size=6)


@given(LETTERS, CLAIMS, st.randoms(use_true_random=False))
def test_strings_with_places_do_not_depend_on_their_order(
    text: list[str], claims: list[tuple[str, str, int]], random: Random
) -> None:
    """Each stays where it stands; others go elsewhere, and no two of a label to one place."""
    occurrences = Occurrences(TokenisedText.from_tokens(text))

    def place_items(items: list[tuple[str, str, int]]) -> list[tuple[tuple[str, str, int], Placement]]:
        strings, labels = [it[0] for it in items], [it[1] for it in items]
        return list(
            zip(items, correct_places(occurrences, strings, labels, [(it[2], it[2] + 1) for it in items]), strict=True)
        )

    result = place_items(claims)
    assert sorted(result) == sorted(place_items(random.sample(claims, len(claims))))
    for string, label, place in set(claims):
        if text[place : place + 1] == [string]:
            assert (place, Status.EXACT) in [(at.start, at.status) for it, at in result if it == (string, label, place)]
    taken = [(it[0], it[1], at.start) for it, at in result if at.status.is_placed]
    assert len(taken) == len(set(taken))
    for string, label, _ in set(claims):  # and none is left out while there is room
        placed_alike = [at.status.is_placed for it, at in result if it[:2] == (string, label)]
        assert sum(placed_alike) == min(len(placed_alike), text.count(string))
