"""The pairings of SER, MUC and ETER against a slow search of all one-to-one pairings."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aune.contract.registry import measure
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.measures.eter import alignment_of
from aune.tasks.entities.measures.ser import costs_of, pair_slots
from aune.tasks.entities.model import documents
from aune.tasks.entities.pairing.spans import KINDS, Criterion, crossing_pairs, lexicographic_matching
from tests.tasks.entities.pairings import WRONG, Triple, all_pairings, kind_of, meet

STRATEGIES = runpy.run_path(str(Path(__file__).parents[1] / "strategies.py"))
spans: Callable[..., st.SearchStrategy[list[Triple]]] = STRATEGIES["spans"]
COMPONENTS = {"name", "kind"}


def quality(
    pairs: list[tuple[Triple, Triple]], keys: int, responses: int, cost: dict[str, Fraction]
) -> tuple[Fraction, int, int]:
    """What a pairing costs, how many properties are wrong, how far boundaries are apart: lower is better."""
    kinds = [kind_of(key, response) for key, response in pairs]
    alone = keys - len(pairs), responses - len(pairs)
    total = sum(
        (cost.get(kind, Fraction(0)) for kind in kinds), cost["omission"] * alone[0] + cost["insertion"] * alone[1]
    )
    far = sum(abs(k[0] - r[0]) + abs(k[1] - r[1]) for k, r in pairs)
    return total, sum(WRONG[kind] for kind in kinds) + 4 * sum(alone), far


# Two right pairs and two entities alone cost as much as three pairs that are wrong: ties with other numbers of pairs.
SHIFTED = [(0, 2, "loc.adm.nat"), (1, 4, "loc.adm.town"), (3, 6, "org.ent")]
DEAR = {"subtype_boundary": "1", "type_boundary": "1", "omission": "2", "insertion": "1"}
WEIGHTS = st.fixed_dictionaries({}, optional={
    name: st.sampled_from(["0", "0.25", "0.5", "1", "2", "3"])
    for name in ("boundary", "type_boundary", "subtype_boundary", "omission", "insertion")
})  # fmt: skip


@example(SHIFTED, [*SHIFTED[1:], (4, 5, "pers.ind")], DEAR)
@given(spans(5, 7), spans(5, 7), WEIGHTS)
def test_ser_pairs_at_the_lowest_cost_then_the_fewest_wrong_properties(
    key: list[Triple], response: list[Triple], weights: dict[str, str]
) -> None:
    text = ",".join(f"{name}={value}" for name, value in weights.items())
    comparison = compare([(documents(key)[0], documents(response)[0])])
    costs = costs_of(comparison, text)
    exact = {name: Fraction(value).limit_denominator() for name, value in costs.items()}
    result = pair_slots(comparison, costs)
    keys, responses = sorted(key, key=_content), sorted(response, key=_content)
    chosen = [(keys[a], responses[b]) for a, b in zip(result.key.tolist(), result.response.tolist(), strict=True)]
    assert [kind_of(*pair) for pair in chosen] == [KINDS[kind] for kind in result.kind.tolist()]

    def rank(pairs: Sequence[tuple[int, int]]) -> tuple[Any, list[int]]:
        """Its quality; then the first in the text, where the first span has the first one that it can have."""
        answers = dict(pairs)
        order = [answers.get(number, len(responses)) for number in range(len(keys))]
        return quality([(keys[a], responses[b]) for a, b in pairs], len(keys), len(responses), exact), order

    first = min(all_pairings(keys, responses), key=rank)
    assert quality(chosen, len(keys), len(responses), exact) == rank(first)[0]
    assert sorted(zip(result.key.tolist(), result.response.tolist(), strict=True)) == sorted(first)


def _content(span: Triple) -> tuple[int, int, str]:
    return span[0], -span[1], span[2]


@given(spans(5, 7), spans(5, 7), st.sampled_from(["strict", "exact", "partial", "type"]))
def test_muc_gives_the_largest_credit(key: list[Triple], response: list[Triple], schema: str) -> None:
    def credit(pair: tuple[Triple, Triple]) -> Fraction:
        kind = kind_of(*pair)
        same_bounds, same_label = "boundary" not in kind, kind in ("correct", "boundary")
        return {
            "strict": Fraction(same_bounds and same_label),
            "exact": Fraction(same_bounds),
            "partial": Fraction(1 if same_bounds else Fraction(1, 2)),
            "type": Fraction(same_label),
        }[schema]

    best = max(
        (sum((credit((key[a], response[b])) for a, b in pairs), Fraction(0)), len(pairs))
        for pairs in all_pairings(key, response)
    )
    result = measure("entities.muc")(key, response, schema=schema).counts
    assert result["correct"] + Fraction(result["partial"]) / 2 == best[0]
    assert len(key) - result["missing"] == len(response) - result["spurious"]


# ETER: trees found and compared in the slow way.


class Tree:
    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.labels: set[str] = set()
        self.parts: list[tuple[int, int, frozenset[str]]] = []

    def __getitem__(self, index: int) -> int:
        return (self.start, self.end)[index]


def trees(triples: list[Triple]) -> list[Tree]:
    """Entities with labels and constituents, by looking at all spans for each."""
    order = sorted(triples, key=lambda span: (span[0], -span[1], span[2] in COMPONENTS, span[2]))

    def parent(index: int) -> int | None:
        around = [item for item in range(index) if order[item][1] >= order[index][1]]
        return max(around, default=None)

    def is_type(index: int) -> bool:
        return order[index][2] not in COMPONENTS

    def head(index: int) -> int:
        above = parent(index)
        same = above is not None and is_type(index) and is_type(above) and order[above][:2] == order[index][:2]
        return head(above) if same and above is not None else index

    made = {index: Tree(*order[index][:2]) for index in range(len(order)) if is_type(index) and head(index) == index}
    for index, (_, _, label) in enumerate(order):
        if is_type(index):
            made[head(index)].labels.add(label)
    for index, (start, end, label) in enumerate(order):
        above = parent(index)
        if head(index) == index and above is not None and is_type(above):
            labels = made[index].labels if index in made else {label}
            made[head(above)].parts.append((start, end, frozenset(labels)))
    return list(made.values())


def label_error(key: set[str], response: set[str]) -> Fraction:
    """Eqs 4.9 and 4.11 to 4.14 by trying every assignment."""

    def elementary(text: str, other: str) -> Fraction:
        return (
            Fraction(0)
            if text == other
            else Fraction(1, 4)
            if text.split(".", maxsplit=1)[0] == other.split(".", maxsplit=1)[0]
            else Fraction(1, 2)
        )

    def best(left: list[str], right: list[str]) -> Fraction:
        if not left:
            return Fraction(1, 2) * len(right)
        rest = [best(left[1:], right) + Fraction(1, 2)] if len(left) > len(right) else []
        return min(
            rest
            + [best(left[1:], right[:i] + right[i + 1 :]) + elementary(left[0], item) for i, item in enumerate(right)]
        )

    return best(sorted(key), sorted(response)) / max(len(key), len(response))


def decomposition_error(key: Tree, response: Tree) -> Fraction:
    def error(item: Any, other: Any) -> Fraction:
        return Fraction(1, 2) * (item[2] != other[2]) + Fraction(1, 4) * (item[:2] != other[:2])

    best = min(
        sum((error(key.parts[a], response.parts[b]) for a, b in pairs), Fraction(0))
        + len(key.parts) + len(response.parts) - 2 * len(pairs)
        for pairs in all_pairings(key.parts, response.parts)
    )  # fmt: skip
    return best / max(len(key.parts), 1)


def slow_eter(
    key: list[Triple], response: list[Triple], share: Fraction | None = None
) -> tuple[Fraction, Fraction, Fraction, int]:
    """Σ E_T, Σ E_C, what is unpaired, and the text shared, of the best alignment."""
    keys, responses = trees(key), trees(response)

    def weigh(pairs: list[tuple[int, int]]) -> tuple[Any, ...]:
        sides = [(keys[a], responses[b]) for a, b in pairs]
        type_error = sum(
            (
                label_error(k.labels, r.labels) + Fraction(1, 4) * ((k.start, k.end) != (r.start, r.end))
                for k, r in sides
            ),
            Fraction(0),
        )
        inner = sum((decomposition_error(k, r) for k, r in sides), Fraction(0))
        alone = len(keys) + len(responses) - 2 * len(pairs)
        shared = sum(meet(k, r) for k, r in sides)
        if share is None:
            return type_error + alone, inner, -shared, type_error, Fraction(alone)
        return (
            (1 - share) * type_error + share * inner + alone,
            -shared,
            Fraction(0),
            type_error,
            inner,
            Fraction(alone),
        )

    result = min(map(weigh, all_pairings(keys, responses)))
    if share is None:
        return result[3], result[1], result[4], len(keys)
    return result[3], result[4], result[5], len(keys)


@example(SHIFTED, [*SHIFTED[1:], (4, 5, "pers.ind")])
@example(SHIFTED, [*SHIFTED[1:], (4, 6, "pers.ind")])
@given(spans(6, 7), spans(6, 7))
def test_eter_is_that_of_the_slow_search(key: list[Triple], response: list[Triple]) -> None:
    type_error, inner, alone, size = slow_eter(key, response)
    result = measure("entities.eter")(key, response, typology="quaero")
    counts = result.counts
    assert counts["key"] == size
    assert counts["omission"] + counts["insertion"] == alone
    assert counts["type_error"] == pytest.approx(float(type_error))
    assert counts["decomposition_error"] == pytest.approx(float(inner))
    if size:
        assert result.eter == pytest.approx(float((alone + type_error / 2 + inner / 2) / size))


@given(spans(6, 7), spans(6, 7), st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)]))
def test_global_alignment_is_that_of_the_slow_search(
    key: list[Triple], response: list[Triple], share: Fraction
) -> None:
    type_error, inner, alone, size = slow_eter(key, response, share)
    options = {"alignment": "global", "alignment_alpha": float(share), "alpha": float(share), "typology": "quaero"}
    found = measure("entities.eter")(key, response, **options)
    if size:
        expected = (alone + (1 - share) * type_error + share * inner) / size
        assert found.eter == pytest.approx(float(expected))
        levels = measure("entities.eter")(key, response, alpha=float(share), typology="quaero")
        assert found.eter <= levels.eter + 1e-9


def test_pairings_are_made_once_for_all_measures_with_the_same_cost() -> None:
    comparison = compare([(documents([(0, 2, "a")])[0], documents([(0, 3, "a")])[0])])
    assert pair_slots(comparison, costs_of(comparison)) is pair_slots(comparison, costs_of(comparison))
    assert alignment_of(comparison, "levels", 0.5, "") is alignment_of(comparison, "levels", 0.5, "")


def test_later_criteria_give_way_where_numbers_would_be_inexact() -> None:
    left, right = np.array([0, 0, 1]), np.array([0, 1, 0])
    first = Criterion(np.array([3.0, 2.0, 2.0]), 3.0)
    huge = Criterion(np.array([1e15, 0.0, 0.0]), 1e15)
    small = Criterion(np.array([9.0, 0.0, 0.0]), 9.0)
    for criteria in ([first], [first, small], [first, huge], [first, small, huge]):
        assert lexicographic_matching(left, right, criteria).tolist() == [False, True, True]


def test_one_entity_with_very_many_constituents() -> None:
    key = [(0, 4000, "loc.fac"), *((4 * place, 4 * place + 2, "name") for place in range(1000))]
    response = [(0, 4000, "loc.fac"), *((4 * place + 1, 4 * place + 2, "kind") for place in range(1000))]
    assert measure("entities.eter")(key, response, typology="quaero", alpha=1.0).eter == pytest.approx(0.75)


def test_one_span_around_very_many_is_not_slow() -> None:
    """Were all spans under the outer one looked at for each other, this would take more memory than there is."""
    many = 60_000
    starts = np.concatenate([[0], np.arange(many) * 2])
    ends = np.concatenate([[2 * many], np.arange(many) * 2 + 2])
    left, right = crossing_pairs(starts, ends, starts, ends)
    assert len(left) == 3 * many + 1
    assert ((left == right) | (left == 0) | (right == 0)).all()


@given(*[st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=8)] * 2)
def test_spans_that_cross_are_those_that_share_a_position(
    item: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    key_value, response_value = ([(start, start + size) for start, size in sorted(value)] for value in (item, other))
    columns = [
        np.asarray([span[end] for span in side], np.int64) for side in (key_value, response_value) for end in (0, 1)
    ]
    left, right = crossing_pairs(*columns)
    slow = [
        (i, j) for i, span in enumerate(key_value) for j, another in enumerate(response_value) if meet(span, another)
    ]
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == slow
