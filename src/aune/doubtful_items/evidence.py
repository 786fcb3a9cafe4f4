"""Evidence against an item of a key: from systems, the same string elsewhere, annotators, and a model.

Each kind of evidence is a number from 0 (nothing) to 1.

systems      the share of the systems' votes for the value with most votes (other than the key's), less the share for
             the key. A system's vote is the log-odds of its accuracy, divided by how many systems make the
             same errors as it: copies of one system have one vote together.
strings      the share of items with the same string and context that the key labels differently.
annotators   the share of the annotators whose value differs from the key's.
model        one minus the probability of the key's value, by a model that was trained on other parts of the key.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from aune.doubtful_items.items import Item

KINDS = ("systems", "strings", "annotators", "model")
LEAST_VOTE = 0.1  # the vote of a system that is no better than chance
WEIGHT_DIGITS = 6


class Evidence(NamedTuple):
    """The evidence against an item, by kind; None if a kind does not apply."""

    systems: float | None
    strings: float | None
    annotators: float | None
    model: float | None
    agreed: Hashable = None
    """The value other than the key's with most votes of the systems, otherwise of the annotators."""
    supporters: tuple[str, ...] = ()
    """The systems and annotators that give this value."""

    @property
    def by_kind(self) -> dict[str, float | None]:
        values = (self.systems, self.strings, self.annotators, self.model)
        return dict(zip(KINDS, values, strict=True))


def system_votes(items: Sequence[Item], systems: Sequence[str]) -> dict[str, float]:
    """The vote of each system: log-odds of its accuracy, divided among systems that make the same errors.

    >>> key = [Item("d", (n, n + 1), "w", "N", {"a": "V", "copy": "V", "b": "N"} if n == 0 else
    ...             {"a": "N", "copy": "N", "b": "V" if n == 1 else "N"}) for n in range(20)]
    >>> {name: round(vote, 3) for name, vote in system_votes(key, ["a", "copy", "b"]).items()}
    {'a': 1.282, 'copy': 1.282, 'b': 2.565}
    """
    errors = {
        name: {
            number: item.answers[name]
            for number, item in enumerate(items)
            if name in item.answers and item.answers[name] != item.value
        }
        for name in systems
    }
    votes = {}
    for name in systems:
        seen = sum(name in item.answers for item in items)
        accuracy = (seen - len(errors[name]) + 0.5) / (seen + 1)
        quality = max(math.log(accuracy / (1 - accuracy)), LEAST_VOTE)
        alike = sum(_overlap(errors[name], errors[other]) if other != name else 1.0 for other in systems)
        votes[name] = round(quality / alike, WEIGHT_DIGITS)
    return votes


def _overlap(first: Mapping[int, Hashable], second: Mapping[int, Hashable]) -> float:
    """The share of the errors of one system that another system makes too."""
    shared = sum(second.get(number) == value for number, value in first.items())
    return shared / len(first) if first else 0.0


def weigh_evidence(items: Sequence[Item], systems: Sequence[str], annotators: Sequence[str]) -> list[Evidence]:
    """The evidence against each item."""
    votes = system_votes(items, systems)
    labels = _labels_by_string(items)
    rows = []
    for item in items:
        share, agreed = _system_evidence(item, votes)
        others = [item.answers[name] for name in annotators if name in item.answers]
        if agreed is None and others:
            agreed = _most_frequent([value for value in others if value != item.value])
        supporters = tuple(name for name in item.answers if agreed is not None and item.answers[name] == agreed)
        rows.append(
            Evidence(
                share,
                item.variation if item.variation is not None else _variation(item, labels),
                sum(value != item.value for value in others) / len(others) if others else None,
                None if item.likelihood is None else 1 - item.likelihood,
                agreed,
                supporters,
            )
        )
    return rows


def _system_evidence(item: Item, votes: Mapping[str, float]) -> tuple[float | None, Hashable]:
    """How far systems agree against the key, and the value on which they agree."""
    ballot: defaultdict[Hashable, float] = defaultdict(float)
    for name, vote in votes.items():
        if name in item.answers:
            ballot[item.answers[name]] += vote
    if not ballot:
        return None, None
    total = sum(ballot.values())
    others = {value: weight for value, weight in ballot.items() if value != item.value}
    if not others:
        return 0.0, None
    agreed = min(others, key=lambda value: (-round(others[value], WEIGHT_DIGITS), str(value)))
    return max(others[agreed] - ballot.get(item.value, 0.0), 0.0) / total, agreed


def _most_frequent(values: Sequence[Hashable]) -> Hashable:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], str(value)), default=None)


def _labels_by_string(items: Sequence[Item]) -> dict[Hashable, Counter[Hashable]]:
    labels: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for item in items:
        for string in item.strings:
            labels[string][_label(item)] += 1
    return labels


def _label(item: Item) -> Hashable:
    return item.value if item.label is None else item.label


def _variation(item: Item, labels: Mapping[Hashable, Counter[Hashable]]) -> float | None:
    """The largest share, over contexts, of items with this string that are labelled differently."""
    if not item.strings:
        return None
    shares = []
    for string in item.strings:
        others = labels[string].total() - 1
        different = others + 1 - labels[string][_label(item)]
        shares.append(different / (others + 1))
    return max(shares)
