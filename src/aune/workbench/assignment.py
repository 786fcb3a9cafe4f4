"""Assign texts to annotators: as many annotators per text as requested, with a balanced workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple


class Assignment(NamedTuple):
    """A text, and a person who is asked to annotate it."""

    text: str
    person: str


def assign_texts(
    sizes: Mapping[str, int], people: Sequence[str], each: int, known: Collection[Assignment] = ()
) -> list[Assignment]:
    """New assignments that give each text `each` annotators, counting those that it already has.

    `sizes` are the numbers of words of the texts. Long texts are assigned first, to the people with the least work. If
    workloads differ by at most the size of the text, the person who shares the fewest texts with its other annotators
    comes first, so that everybody can be compared with many others.

    >>> assign_texts({"one": 10, "two": 10, "three": 10}, ["Ann", "Ben", "Cid"], 2)[:2]
    [Assignment(text='one', person='Ann'), Assignment(text='one', person='Ben')]
    """
    people_of_text: dict[str, list[str]] = {text: [] for text in sizes}
    load = dict.fromkeys(people, 0)
    for text, annotator in known:
        if text in sizes:
            people_of_text[text].append(annotator)
            load[annotator] = load.get(annotator, 0) + sizes[text]
    shared = Counter(pair for group in people_of_text.values() for pair in combinations(sorted(group), 2))
    assigned = []
    for text in sorted(sizes, key=lambda name: -sizes[name]):
        group = people_of_text[text]
        while len(group) < each and (person := _next_person(people, group, load, shared, sizes[text])) is not None:
            shared.update(_pair(person, other) for other in group)
            group.append(person)
            load[person] += sizes[text]
            assigned.append(Assignment(text, person))
    return assigned


def _next_person(
    people: Sequence[str], group: Sequence[str], load: Mapping[str, int], shared: Counter[tuple[str, str]], size: int
) -> str | None:
    """The next annotator of a text, besides those who have it already; None if nobody is left."""
    free = [person for person in people if person not in group]
    if not free:
        return None
    least = min(load[person] for person in free)
    near = [person for person in free if load[person] <= least + size]

    def rank(person: str) -> tuple[int, int]:
        return sum(shared[_pair(person, other)] for other in group), load[person]

    return min(near, key=rank)


def _pair(person: str, other: str) -> tuple[str, str]:
    return min(person, other), max(person, other)
