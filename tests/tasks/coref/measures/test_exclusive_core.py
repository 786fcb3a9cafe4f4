"""XC: against the algorithm of §4.5 taken literally."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tasks.coref import oracle
from tests.tasks.coref.agreement import CHAINS, EDGES, Chains, agrees_completed, assert_same, values


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        # {1 2 3} takes {1 2 4 5}; {4 5} finds nothing free
        ([{1, 2, 3}, {4, 5}], [{1, 2, 4, 5}, {3}], (2 / 5, 3 / 5, 12 / 25)),
        # equal sizes: the chain whose first mention comes first chooses first
        ([{1, 2}, {3, 4}], [{1, 2, 3, 4}], (1 / 2, 1 / 2, 1 / 2)),
        # equal overlaps: the smaller response chain is taken, so that {5} gets the other one
        ([{1, 2, 3, 4}, {5}], [{1, 2, 5}, {3, 4}], (3 / 5, 3 / 5, 3 / 5)),
        # equal overlaps and sizes: {1 2 5}, whose first mention comes first; {5 7} takes {7} and {6} the last one
        ([{1, 2, 3, 4}, {5, 7}, {6}], [{1, 2, 5}, {3, 4, 6}, {7}], (4 / 7, 4 / 7, 4 / 7)),
        # the same when 7 was left out and has to be completed
        ([{1, 2, 3, 4}, {5, 7}, {6}], [{1, 2, 5}, {3, 4, 6}], (4 / 7, 4 / 7, 4 / 7)),
    ],
)
def test_by_hand(key: list[set[int]], response: list[set[int]], expected: tuple[float, ...]) -> None:
    assert_same(values("exclusive_core", key, response), expected)


def nothing_else(key: Chains, response: Chains, empty: int | None = 0) -> tuple[oracle.Number, ...]:
    """§4.5 to the letter: a chain whose largest projection is taken has the empty core."""
    free = list(response)
    inside = outside = 0
    for chain in sorted(key, key=lambda chain: (-len(chain), min(chain))):
        core = min(response, key=lambda rival_value: (-len(rival_value & chain), -len(rival_value), min(rival_value)))
        if core in free:
            inside += len(core & chain)
            outside += len(core - chain)
            free.remove(core)
    total = oracle.size(key)
    return oracle.triple(
        oracle.divide_counts(inside, total, empty), oracle.divide_counts(total - outside, total, empty)
    )


@given(CHAINS)
def test_the_empty_core(chains: tuple[Chains, Chains]) -> None:
    whole = oracle.complete_sides(*chains)
    assert_same(values("exclusive_core", *chains, taken="empty"), nothing_else(*whole))


def test_row_3c_of_table_2() -> None:
    """69/84 for a system that puts the 50 pronouns in one class; sizes that meet every figure of rows 3a to 3c."""
    sizes, pronouns = [46, 33, 29, 7, 5, 5, 4, 4, *[2] * 7], [26, 15, 7, *[0] * 4, 1, *[0] * 6, 1]
    key, response, lone, start = [], [], set(), 0
    for size, some in zip(sizes, pronouns, strict=True):
        key.append(set(range(start, start + size)))
        lone |= set(range(start, start + some))
        response.append(set(range(start + some, start + size)))
        start += size
    assert start == 147 and len(lone) == 50
    recall, precision, f1 = values("exclusive_core", key, [*response, lone], taken="empty")
    assert [round(100 * (value or 0)) for value in (recall, precision, f1)] == [69, 84, 76]
    assert round(100 * (values("exclusive_core", key, [*response, lone])[0] or 0)) == 70  # the next best is free
    published = {"muc": (96, 97, 97), "b_cubed": (65, 79, 71), "core": (67, 82, 73), "entropy": (76, 81, 78)}
    for name, figures in published.items():
        scores = values(name, key, [*response, lone], mentions="complete")
        assert tuple(round(100 * (value or 0)) for value in scores) == figures, name
    assert [round(100 * (values(name, key, [*response, lone])[0] or 0)) for name in ("kappa", "overlap")] == [66, 86]


@given(CHAINS)
def test_agrees_with_the_oracle(chains: tuple[Chains, Chains]) -> None:
    agrees_completed("exclusive_core", oracle.exclusive_core, *chains)


@given(st.lists(CHAINS, min_size=2, max_size=4))
def test_documents_choose_apart(corpus: list[tuple[Chains, Chains]]) -> None:
    key = {f"{index}": item for index, (item, _) in enumerate(corpus)}
    response = {f"{index}": other for index, (_, other) in enumerate(corpus)}
    recalls, sizes = [], []
    for first, other in corpus:
        whole = oracle.complete_sides(first, other)
        sizes.append(oracle.size(whole[0]))
        recalls.append((oracle.exclusive_core(*whole)[0] or 0) * sizes[-1])
    expected = sum(recalls) / sum(sizes) if sum(sizes) else 0
    assert values("exclusive_core", key, response)[0] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("edge", "conll"),
    [
        ("empty key", 1.0),
        ("empty response", 1.0),
        ("both empty", 0.0),
        ("one mention", 1.0),
        ("identical singletons", 1.0),
    ],
)
def test_edges(edge: str, conll: float) -> None:
    assert values("exclusive_core", *EDGES[edge]) == (conll,) * 3
    assert values("exclusive_core", *EDGES[edge], convention="partition") == (1.0, 1.0, 1.0)
