"""Balanced assignments: every text has its annotators, nobody much more work than others."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from aune.workbench.assignment import Assignment, assign_texts


@pytest.mark.parametrize("seed", range(30))
def test_every_text_has_its_annotators_and_work_is_balanced(seed: int) -> None:
    chance = random.Random(seed)
    sizes = {f"t{number}": chance.randint(0, 400) for number in range(chance.randint(1, 60))}
    people = [f"p{number}" for number in range(chance.randint(1, 9))]
    each = chance.randint(1, len(people))
    assigned = assign_texts(sizes, people, each)
    assert len(set(assigned)) == len(assigned)
    assert Counter(item.text for item in assigned) == dict.fromkeys(sizes, each)
    load = Counter(dict.fromkeys(people, 0))
    for item in assigned:
        load[item.person] += sizes[item.text]
    assert max(load.values()) - min(load.values()) <= 2 * max(sizes.values())


def test_what_is_assigned_already_counts() -> None:
    sizes = {"one": 10, "two": 10}
    known = [Assignment("one", "Ann"), Assignment("one", "Zoe")]
    assert assign_texts(sizes, ["Ann", "Ben"], 2, known) == [Assignment("two", "Ben"), Assignment("two", "Ann")]


def test_everybody_is_compared_with_many() -> None:
    """With ten people and texts of one length, all pairs share texts, and about as many."""
    assigned = assign_texts({str(number): 100 for number in range(200)}, [str(number) for number in range(10)], 2)
    people: dict[str, list[str]] = {}
    for item in assigned:
        people.setdefault(item.text, []).append(item.person)
    shared = Counter(pair for group in people.values() for pair in combinations(sorted(group), 2))
    assert len(shared) == 45 and max(shared.values()) - min(shared.values()) <= 3
