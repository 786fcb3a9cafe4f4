"""Two states side by side: the figures of the seed's tables, its figure 1, and what a disagreement costs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.reading.source import file_source
from aune.workbench.comparison import (
    TABLE_2,
    Conventions,
    StateComparison,
    compare_states,
    find_chain,
    restrict_to_passage,
    scores,
)
from aune.workbench.disagreements import Disagreement
from aune.workbench.documents import state_document
from aune.workbench.files import texts
from aune.workbench.model import Chain, Mention, State, Text
from tests.tasks.coref.test_paper_1999 import KEYS, RESPONSES, TABLE_3
from tests.tasks.coref.test_paper_1999 import TABLE_2 as FIGURES
from tests.workbench.texts import partition, text_of_mentions


def percent(value: float | None, digits: int = 0) -> float:
    assert value is not None
    return math.floor(100 * value * 10**digits + 0.5) / 10**digits


@pytest.mark.parametrize("row", FIGURES)
def test_the_figures_of_table_2_and_3(row: str) -> None:
    text = text_of_mentions(200)
    found = {
        score.measure.removeprefix("coref."): score
        for score in scores(text, partition(text, KEYS[row]), partition(text, RESPONSES[row]))
    }
    muc, b_cubed, core, exclusive, direction, overlap, entropy = FIGURES[row]
    expected = {"muc": muc, "b_cubed": b_cubed, "core": core, "exclusive_core": exclusive, "entropy": entropy}
    for name, figures in expected.items():
        values = found[name].values
        assert (percent(values["recall"]), percent(values["precision"])) == figures, name
    assert percent(found["overlap"].values["overlap"], 1 if row == "1" else 0) == overlap
    assert found["distribution"].direction == direction
    for name, figure in zip(
        ("muc", "b_cubed", "kappa", "core", "exclusive_core", "entropy"), TABLE_3[row], strict=True
    ):
        assert percent(found[name].values[found[name].main]) == figure, name
    assert set(TABLE_2) <= set(found)
    assert "mentions:complete" in found["muc"].signature


def by_numbers(state_comparison: StateComparison, numbers: list[int]) -> set[int]:
    """Expressions as the mention numbers of the seed."""
    return {int((state_comparison.expressions[number].key or "m0")[1:]) for number in numbers}


def test_figure_1() -> None:
    """§3.2: π(K3) = {{6…10}, {11, 12}}, σ*(R2) = {K2, K3, K4}; c*(R2) = K4, xc*(K3) = R1, xc*(K4) = R2."""
    text = text_of_mentions(17)
    comparison = compare_states(text, partition(text, KEYS["1"]), partition(text, RESPONSES["1"]))
    parts = [[by_numbers(comparison, part.mentions) for part in fate.projections] for fate in comparison.key]
    assert parts[2] == [{6, 7, 8, 9, 10}, {11, 12}]
    assert parts[3] == [{13, 14, 15, 16}, {17}]
    assert [fate.exclusive for fate in comparison.key] == [None, None, 0, 1]
    assert [part.other for part in comparison.response[1].projections] == [3, 1, 2]
    assert [fate.core for fate in comparison.response] == [2, 3, 3]
    assert [fate.pair for fate in comparison.key] == [None, 1, 0, 2] or comparison.key[2].pair == 0
    assert find_chain(comparison, "key", "c3") is not None
    picked = find_chain(comparison, "response", "c2")
    assert picked is not None
    assert set(picked.others) == {1, 2, 3}
    assert find_chain(comparison, "key", "nobody") is None


def test_b_cubed_mention_by_mention_is_its_average() -> None:
    text = text_of_mentions(17)
    comparison = compare_states(text, partition(text, KEYS["1"]), partition(text, RESPONSES["1"]))
    [b_cubed] = [score for score in comparison.scores if score.measure == "coref.b_cubed"]
    assert sum(expression.recall for expression in comparison.expressions) / 17 == pytest.approx(
        b_cubed.values["recall"]
    )
    assert sum(expression.precision for expression in comparison.expressions) / 17 == pytest.approx(
        b_cubed.values["precision"]
    )


PARTITIONS = st.lists(st.sets(st.integers(1, 12), min_size=1), min_size=1, max_size=5).map(
    lambda chains: [chain - set().union(*chains[:number]) for number, chain in enumerate(chains)]
)


def b_cubed(key: list[set[int]], response: list[set[int]]) -> tuple[float, float]:
    """The sums of recall and precision, both sides completed, by the definition."""
    every = set().union(*key, *response)
    sides = [[*side, *({item} for item in every - set().union(*side))] for side in (key, response)]
    of = [{item: chain for chain in side for item in chain} for side in sides]
    shared = {item: len(of[0][item] & of[1][item]) for item in every}
    return sum(shared[item] / len(of[0][item]) for item in every), sum(
        shared[item] / len(of[1][item]) for item in every
    )


def mend_disagreement(response: list[set[int]], disagreement: Disagreement) -> list[set[int]]:
    """The response with one disagreement put right."""
    about = {int(name[1:]) for name in disagreement.response or disagreement.key}
    without = [chain - about for chain in response]
    if disagreement.kind in ("conflated entities", "extra mention"):
        return [*without, about]
    if disagreement.kind == "extra entity":
        return [*without, *({name} for name in about)]
    if disagreement.kind == "missing entity":
        return [*response, about]
    rest = {int(name[1:]) for name in disagreement.rest}
    return [*(chain - rest for chain in without), about | rest]


@settings(max_examples=60, deadline=None)
@given(PARTITIONS, PARTITIONS)
def test_what_a_disagreement_costs(key: list[set[int]], response: list[set[int]]) -> None:
    """Splitting gives precision back, joining recall: as much as its cost says."""
    key, response = [chain for chain in key if chain], [chain for chain in response if chain]
    text = text_of_mentions(12)
    comparison = compare_states(text, partition(text, key), partition(text, response))
    before = b_cubed(key, response)
    for disagreement in comparison.disagreements:
        after = b_cubed(key, mend_disagreement(response, disagreement))
        precise = disagreement.kind in ("conflated entities", "extra mention", "extra entity")
        assert after[precise] - before[precise] == pytest.approx(disagreement.cost), disagreement
    costs = [round(item.cost, 9) for item in comparison.disagreements]
    assert costs == sorted(costs, reverse=True)
    assert bool(comparison.disagreements) == (sorted(map(sorted, key)) != sorted(map(sorted, response)))


def test_conventions() -> None:
    text = text_of_mentions(12)
    key, response = partition(text, [{1, 2, 3}, {4}, {5, 6}]), partition(text, [{1, 2}, {3, 4}, {7}])
    remaining = {item.measure: item for item in scores(text, key, response, Conventions(convention="conll"))}
    dropped = {
        item.measure: item for item in scores(text, key, response, Conventions(convention="conll", singletons="drop"))
    }
    expected = aune.score("coref", [{1, 2, 3}, {4}, {5, 6}], [{1, 2}, {3, 4}, {7}], measures=["muc", "b_cubed"])
    assert remaining["coref.b_cubed"].values == expected["b_cubed"].values
    assert "singletons:drop" in dropped["coref.b_cubed"].signature
    assert dropped["coref.b_cubed"].values != remaining["coref.b_cubed"].values
    passage = Conventions(end=text.tokens[5])  # the first three mentions
    [muc] = scores(text, key, response, Conventions(end=text.tokens[5], measures=("muc",)))
    assert muc.values["recall"] == 0.5
    assert len(compare_states(text, key, response, passage).expressions) == 3
    assert restrict_to_passage(key, 0, None) is key


def test_sub_categories_by_kind() -> None:
    text = text_of_mentions(4)
    key = partition(text, [{1, 2}, {3, 4}])
    marked = State(
        {
            name: Mention(
                parts=mention.parts, chain=mention.chain, features={"kind": "pronoun" if name < "m3" else "name"}
            )
            for name, mention in key.mentions.items()
        },
        key.chains,
    )
    [muc] = scores(text, marked, partition(text, [{1, 2, 3, 4}]), Conventions(only=("pronoun",), measures=("muc",)))
    assert muc.values == {"recall": 1.0, "precision": 1.0, "f1": 1.0}
    assert "only:pronoun" in muc.signature


def test_zeros_extents_inside_words_and_mentions_twice() -> None:
    text = Text(id="t", characters="a😀b cd", tokens=[0, 3, 4, 6])
    parts: list[Any] = [((0, 3),), ((1, 2),), ((3, 3),), ((3, 3),), ((0, 1), (2, 3)), ((0, 3),)]
    mentions = {
        f"m{number}": Mention(parts=part, order=int(number == 3), chain="c1" if number < 4 else None)
        for number, part in enumerate(parts)
    }
    state = State(mentions, {"c1": Chain()})
    assert len(state_document(text, state).document) == 6
    comparison = compare_states(text, state, state)
    assert all(expression.recall == expression.precision == 1 for expression in comparison.expressions)
    assert comparison.disagreements == []


def test_nothing_at_all() -> None:
    text = text_of_mentions(3)
    comparison = compare_states(text, State(), State())
    assert comparison.expressions == comparison.key == comparison.disagreements == []
    assert {score.measure for score in comparison.scores} >= {"coref.muc"}


def test_entities_are_scored_too() -> None:
    text = Text(id="t", characters="Ann saw Rome", tokens=[0, 3, 4, 7, 8, 12], task="entities")
    key = State({"m0": Mention(parts=((0, 3),), label="pers"), "m1": Mention(parts=((8, 12),), label="loc")})
    response = State({"m0": Mention(parts=((0, 3),), label="pers"), "m1": Mention(parts=((8, 12),), label="org")})
    result = {item.measure: item for item in scores(text, key, response)}
    score = result["entities.f_measure"]
    assert score.values[score.main] == 0.5


@pytest.mark.parametrize("convention", ["conll", "partition"])
def test_the_page_says_what_the_command_line_says(data: Path, convention: str) -> None:
    """The same digits for a novel as layers and as files, for every measure that the page shows."""
    folder = data / "coref" / "litbank"
    key, response = (
        texts(file_source(folder / f"{name}.conll.gz"), "coref", "conll2012")[0] for name in ("key", "s2-sieve")
    )
    assert key[0] == response[0]
    found = scores(key[0], key[1], response[1], Conventions(convention=convention))
    names = [entry.measure.removeprefix("coref.") for entry in found]
    files = [str(folder / f"{name}.conll.gz") for name in ("key", "s2-sieve")]
    whole = aune.score("coref", *files, measures=names, convention=convention, duplicates="first")
    for item in found:
        expected = whole[item.measure].by("document")[key[0].id]
        assert item.values == pytest.approx(expected, nan_ok=True), item.measure
