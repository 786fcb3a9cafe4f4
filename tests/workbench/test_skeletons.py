"""Skeletons: what people type, the papers' examples, and both sides as SGML."""

from __future__ import annotations

import math

import pytest

from aune.contract import registry
from aune.reading.source import Source
from aune.workbench.model import members
from aune.workbench.skeletons import EXAMPLES, MAX_MENTIONS, compare_skeleton, parse_classes, partition, sgml, skeleton
from tests.tasks.coref.test_paper_1999 import KEYS, RESPONSES, TABLE_2, TABLE_3


@pytest.mark.parametrize(
    ("typed", "classes"),
    [
        ("1 2 / 3-5", [[1, 2], [3, 4, 5]]),
        ("{1,2},{3 , 4}", [[1, 2], [3, 4]]),
        ("1, 2\n\n3–4\n", [[1, 2], [3, 4]]),
        ("", []),
        ("1;2|3", [[1], [2], [3]]),
    ],
)
def test_classes_are_read_as_people_type_them(typed: str, classes: list[list[int]]) -> None:
    assert parse_classes(typed, 6).classes == classes
    assert not parse_classes(typed, 6).problems


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("1 x", "found 'x', expected numbers such as 1 2 / 3-5"),
        ("7", "found 7, expected numbers from 1 to 6"),
        ("3-1", "found 3-1, expected numbers from 1 to 6"),
        ("1 / 1", "found 1 in two classes, expected every mention once"),
    ],
)
def test_what_is_wrong_is_told_and_the_rest_counts(typed: str, problem: str) -> None:
    assert parse_classes(f"2-3 / {typed}", 6).problems == [problem]
    assert [2, 3] in parse_classes(f"2-3 / {typed}", 6).classes


@pytest.mark.parametrize("example", [entry for entry in EXAMPLES if entry.name != "3c"], ids=lambda one: one.name)
def test_the_papers_examples_give_its_figures(example: object) -> None:
    name = example.name  # type: ignore[attr-defined]
    comparison = compare_skeleton(example.mentions, example.key, example.response)  # type: ignore[attr-defined]
    for state, chains in ((comparison.key, KEYS[name]), (comparison.response, RESPONSES[name])):
        shift = min(min(chain) for chain in chains) - 1
        numbers = [sorted(int(entry[1:]) for entry in names) for names in members(state).values()]
        assert sorted(numbers) == sorted(sorted(entry - shift for entry in chain) for chain in chains)
    scores = {score.measure.removeprefix("coref."): score for score in comparison.compared.scores}
    muc = scores["muc"].values
    assert (round(100 * (muc["recall"] or 0)), round(100 * (muc["precision"] or 0))) == TABLE_2[name][0]
    for measure, figure in zip(
        ("muc", "b_cubed", "kappa", "core", "exclusive_core", "entropy"), TABLE_3[name], strict=True
    ):
        assert math.floor(100 * (scores[measure].values[scores[measure].main] or 0) + 0.5) == figure


def test_example_3c_as_far_as_the_paper_tells() -> None:
    [example] = [item for item in EXAMPLES if item.name == "3c"]
    comparison = compare_skeleton(example.mentions, example.key, example.response)
    assert not comparison.problems
    sizes = sorted(len(names) for names in members(comparison.response).values())
    assert (len(sizes), sizes[-1], sum(sizes)) == (16, 50, 147)
    scores = {score.measure: score for score in comparison.compared.scores}
    assert [round(100 * (value or 0)) for value in scores["coref.muc"].values.values()] == [96, 97, 97]
    assert round(100 * (scores["coref.kappa"].values["kappa"] or 0)) == 66
    assert scores["coref.distribution"].direction == "r"


def test_both_sides_go_out_as_sgml() -> None:
    comparison = compare_skeleton(25, "1 2 / 3-5", "1-5")
    for state in (comparison.key, comparison.response):
        data = sgml(comparison.text, state)
        [document] = registry.format("coref", "muc").read(Source("s.sgml", data))
        numbers = [sorted(start + 1 for start, _ in chain) for chain in document.clusters()]
        assert sorted(numbers) == sorted(sorted(int(name[1:]) for name in names) for names in members(state).values())


def test_there_are_bounds() -> None:
    assert len(skeleton(10**9).tokens) == 2 * MAX_MENTIONS
    assert "at most" in compare_skeleton(MAX_MENTIONS + 1, "", "").problems["key"][0]
    assert skeleton(-3).characters == ""
    assert partition(skeleton(0), []).mentions == {}
