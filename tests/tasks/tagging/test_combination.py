"""Votes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.errors import UsageError
from aune.tasks.tagging.combination import combine_taggings, disagreements
from aune.tasks.tagging.formats.tsv import write
from aune.tasks.tagging.model import documents

CELLS = st.lists(st.sampled_from("NVD"), min_size=1, max_size=2, unique=True)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=5), st.integers(0, 9))
def test_winner_and_agreement(votes: list[list[list[str]]], seed: int) -> None:
    text = documents([(f"w{i}", "_") for i in range(len(votes))])
    systems = {f"s{s}": documents([(f"w{i}", cells[s]) for i, cells in enumerate(votes)]) for s in range(3)}
    [combine_tagging] = combine_taggings(text, systems, weights={"s0": 2.0})
    for cells, tag, share in zip(
        votes, combine_tagging.columns["tag"].values(), combine_tagging.columns["agreement"].values(), strict=True
    ):
        cast = {item: sum((2, 1, 1)[s] * (item in cells[s]) / len(cells[s]) for s in range(3)) for item in "DNV"}
        assert tag == max(cast, key=lambda entry: (round(cast[entry], 9), -ord(entry)))
        assert float(share) == pytest.approx(cast[tag] / 4, abs=6e-4)
    names = random.Random(seed).sample(list(systems), 3)
    again = combine_taggings(text, {name: systems[name] for name in names}, weights={"s0": 2.0})[0]
    assert again.columns["tag"].values() == combine_tagging.columns["tag"].values(), (
        "the order of systems does not matter"
    )


def test_other_words_and_nothing_said() -> None:
    text = documents([("la", "_"), ("mer", "_")])
    [combine_tagging] = combine_taggings(
        text, {"a": documents([("la", "D"), ("mer", "N")]), "b": documents([("lamer", "X")])}
    )
    assert combine_tagging.columns["tag"].values() == ["D", "N"] and combine_tagging.columns["agreement"].values() == [
        "0.500",
        "0.500",
    ]
    [none] = combine_taggings(text, {"b": documents([("lamer", "X")])})
    assert none.columns["tag"].values() == ["_", "_"]


def test_it_is_scored_like_any_system() -> None:
    key = documents([("a", "N"), ("b", "V")])
    made = combine_taggings(key, {"x": key, "y": documents([("a", "V"), ("b", "V")]), "z": key})
    assert score("tagging", key, made)["accuracy"].accuracy == 1.0
    assert "".join(write(made)) == "a\tN\t_\t0.667\nb\tV\t_\t1.000\n\n"


def test_what_cannot_be_combined() -> None:
    text = documents({"a": [("x", "N")], "b": [("y", "N")]})
    with pytest.raises(UsageError, match="no document 'b'"):
        combine_taggings(text, {"s": documents({"a": [("x", "N")], "c": []})})
    with pytest.raises(UsageError, match="weights"):
        combine_taggings(text, {"s": text}, weights={"s": 0})
    with pytest.raises(UsageError, match="at least one system"):
        combine_taggings(text, {})


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=5), st.sampled_from([0.4, 0.7, 1.0]))
def test_disagreements_are_the_words_below_the_agreement(votes: list[list[list[str]]], below: float) -> None:
    text = documents([(f"w{i}", "_") for i in range(len(votes))])
    systems = {f"s{s}": documents([(f"w{i}", cells[s]) for i, cells in enumerate(votes)]) for s in range(3)}
    _, *found = disagreements(text, systems, below=below)
    expected = {}
    for number, cells in enumerate(votes, 1):
        cast = {tag: sum((tag in cell) / len(cell) for cell in cells) for tag in "NVD"}
        if round(max(cast.values()) / 3, 3) < below:
            expected[number] = tuple("|".join(cell) for cell in cells)
    assert {row[1]: tuple(row[4:7]) for row in found} == expected
    assert [float(row[3]) for row in found] == sorted(float(row[3]) for row in found)


def test_a_system_that_says_nothing_disagrees() -> None:
    text = documents([("la", "_"), ("mer", "_")])
    given_systems = {"a": documents([("la", "D"), ("mer", "N")]), "b": documents([("lamer", "X")])}
    head, *rows = disagreements(text, given_systems)
    assert head[4:6] == ["a", "b"] and [row[2:6] for row in rows] == [
        ["la", "0.500", "D", "_"], ["mer", "0.500", "N", "_"],
    ]  # fmt: skip
