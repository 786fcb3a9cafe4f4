"""The laws that every registered measure keeps. A new measure gets them for free."""

from __future__ import annotations

import json
import random
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.core import registry
from aune.core.measure import Measure
from aune.core.options import options_of
from aune.core.rows import Rows
from aune.core.signature import parse

MEASURES = [measure for task in registry.task_names() for measure in registry.measures(task)]
FEW = settings(max_examples=25)


def strategies(task: str) -> ModuleType:
    """The random keys and responses that every task brings for the laws."""
    return import_module(f"tests.tasks.{task}.strategies")


def scored(measure: Measure, key: object, response: object) -> aune.Result:
    known = {**measure.options, **options_of(registry.task(measure.task).compare)}
    options = {name: value for name, value in strategies(measure.task).OPTIONS.items() if name in known}
    return aune.score(measure.task, key, response, measures=[measure], **options)


def law(measure: Measure) -> ModuleType:
    home = strategies(measure.task)
    if measure.name in home.SKIP:
        pytest.skip(home.SKIP[measure.name])
    return home


every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)


@every_measure
def test_is_documented(measure: Measure) -> None:
    text = measure.documentation
    assert "Source:" in text and "Edges:" in text and ">>>" in text, "definition, source, edges and a worked example"
    assert measure.headline in measure.values
    assert measure.better in ("higher", "lower", "zero")


@every_measure
def test_lives_where_its_name_says(measure: Measure) -> None:
    task, _, short = measure.name.partition(".")
    assert (Path(aune.__file__).parent / "tasks" / task / "measures" / f"{short}.py").exists()
    assert registry.measure(measure.name) is measure


@every_measure
def test_perfect_response(measure: Measure) -> None:
    home = law(measure)

    @FEW
    @given(home.CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        result = scored(measure, corpora[0], corpora[0]).scores[0]
        for value, number in result.values.items():
            expected = measure.perfect_of(value)  # NaN: a perfect response leaves nothing to divide by
            assert number is None if np.isnan(expected) else number == pytest.approx(expected, abs=1e-12), value

    check()


@every_measure
def test_order_changes_nothing(measure: Measure) -> None:
    home = law(measure)

    @FEW
    @given(home.CORPORA, st.integers(0, 1000))
    def check(corpora: tuple[dict[str, object], dict[str, object]], seed: int) -> None:
        rng = random.Random(seed)
        before = scored(measure, *corpora).scores[0]
        after = scored(measure, *(home.shuffled(corpus, rng) for corpus in corpora)).scores[0]
        assert before.values == after.values
        assert before.counts == after.counts

    check()


@every_measure
def test_counts_add_up_over_documents(measure: Measure) -> None:
    home = law(measure)

    @FEW
    @given(home.CORPORA)
    def check(corpora: tuple[dict[str, object], dict[str, object]]) -> None:
        together = scored(measure, *corpora).scores[0].rows.total
        alone = [
            scored(measure, {name: corpora[0][name]}, {name: corpora[1][name]}).scores[0].rows.total
            for name in corpora[0]
        ]
        if len({len(one) for one in [together, *alone]}) == 1:  # counts by label differ in width
            np.testing.assert_allclose(np.sum(alone, axis=0), together, atol=1e-9)

    check()


@every_measure
def test_score_of_a_stack_is_the_stack_of_scores(measure: Measure) -> None:
    home = law(measure)

    @FEW
    @given(home.CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        result = scored(measure, *corpora).scores[0]
        rows: Rows = result.rows
        stack = result.scores_of(rows.matrix, rows.layout)
        cube = result.scores_of(np.stack([rows.matrix, rows.matrix]), rows.layout)
        for index in range(len(rows)):
            single = result.scores_of(rows.matrix[index], rows.layout)
            for value in measure.values:
                np.testing.assert_equal(np.asarray(stack[value])[index], np.asarray(single[value]))
                np.testing.assert_equal(np.asarray(cube[value])[1, index], np.asarray(single[value]))

    check()


@every_measure
def test_signature_reads_back(measure: Measure) -> None:
    home = law(measure)

    @settings(max_examples=3)
    @given(home.CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        result = scored(measure, *corpora).scores[0]
        again = parse(str(result.signature))
        assert again == result.signature
        assert again.measure == measure.name and again.version == aune.__version__
        assert set(measure.options) <= set(again.options)

    check()


@every_measure
def test_json_envelope(measure: Measure) -> None:
    home = law(measure)

    @settings(max_examples=3)
    @given(home.CORPORA)
    def check(corpora: tuple[dict[str, object], object]) -> None:
        result = scored(measure, *corpora)
        envelope = json.loads(result.to_json())
        assert envelope["schema"] == 1 and envelope["task"] == measure.task
        assert envelope["tool"] == {"name": "aune", "version": aune.__version__}
        [score] = envelope["scores"]
        assert score["measure"] == measure.name and score["better"] == measure.better
        assert list(score["values"]) == list(measure.values)
        assert score["values"] == result.scores[0].values
        assert {one["document"] for one in envelope["documents"]} <= set(corpora[0])
        assert result.to_json() == scored(measure, *corpora).to_json()

    check()
