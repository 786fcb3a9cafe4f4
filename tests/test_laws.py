"""The laws that every registered measure keeps. A new measure gets them for free."""

from __future__ import annotations

import json
import random
from contextlib import suppress
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


def scored(measure: Measure, key: object, response: object, **others: object) -> aune.Result:
    known = {**measure.options, **options_of(registry.task(measure.task).compare)}
    options = {name: value for name, value in strategies(measure.task).OPTIONS.items() if name in known}
    return aune.score(measure.task, key, response, measures=[measure], **{**options, **others})  # type: ignore[arg-type]


def law(measure: Measure, name: str) -> ModuleType:
    """The strategies of a measure's task, unless it cannot be computed here or this one law is not for it."""
    home = strategies(measure.task)
    for package in measure.requires:
        pytest.importorskip(package, reason=f"{measure.name} needs {package}")
    if why := home.SKIP.get((measure.name, name)):
        pytest.skip(why)
    return home


every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)


@every_measure
def test_is_documented(measure: Measure) -> None:
    text = measure.documentation
    assert "Source:" in text and "Edges:" in text and ">>>" in text, "definition, source, edges and a worked example"
    assert measure.headline in measure.values
    assert measure.better in ("higher", "lower", "zero")
    assert ("(experimental)" in text.partition("\n")[0]) == ("status" in measure.options), (
        "said in lists and signatures"
    )


@every_measure
def test_lives_where_its_name_says(measure: Measure) -> None:
    task, _, short = measure.name.partition(".")
    assert (Path(aune.__file__).parent / "tasks" / task / "measures" / f"{short}.py").exists()
    assert registry.measure(measure.name) is measure


@every_measure
def test_perfect_response(measure: Measure) -> None:
    home = law(measure, "perfect")

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
    home = law(measure, "order")

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
    home = law(measure, "additivity")

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
    home = law(measure, "stack")

    @FEW
    @given(home.CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        result = scored(measure, *corpora).scores[0]
        rows: Rows = result.pile("document") if measure.by else result.rows
        stack = result.scores_of(rows.matrix, rows.layout)
        cube = result.scores_of(np.stack([rows.matrix, rows.matrix]), rows.layout)
        for index in range(len(rows)):
            single = result.scores_of(rows.matrix[index], rows.layout)
            for value in measure.values:
                np.testing.assert_equal(np.asarray(stack[value])[index], np.asarray(single[value]))
                np.testing.assert_equal(np.asarray(cube[value])[1, index], np.asarray(single[value]))

    check()


def damaged(corpus: dict[str, object], rng: random.Random) -> dict[str, object]:
    """A response after an accident: documents lost, exchanged, or given twice under other names."""
    names = list(corpus)
    lost = {name: corpus[rng.choice(names)] if rng.random() < 0.3 else corpus[name] for name in names}
    kept = {name: document for name, document in lost.items() if rng.random() < 0.8} or lost
    return kept | {f"{name} again": corpus[name] for name in names if rng.random() < 0.3}


@every_measure
def test_values_stay_in_their_range(measure: Measure) -> None:
    """No value outside what its measure declares: on any pair, on damaged responses, where things are given twice
    inside a document, on every document by itself."""
    home = law(measure, "range")

    def check_values(result: aune.Result) -> None:
        for values in (result.scores[0].values, *result.scores[0].by("document").values()):
            for value, number in values.items():
                low, high = measure.range_of(value)
                assert number is None or low - 1e-9 <= number <= high + 1e-9, (value, number)
                assert number is None or np.isfinite(number), (value, number)

    known = {**options_of(registry.task(measure.task).compare), **measure.options}
    choices = {name: option.choices for name, option in known.items() if option.choices}

    @FEW
    @given(
        home.CORPORA, st.integers(0, 1000), st.fixed_dictionaries({k: st.sampled_from(v) for k, v in choices.items()})
    )
    def check(corpora: tuple[dict[str, object], dict[str, object]], seed: int, options: dict[str, object]) -> None:
        rng = random.Random(seed)
        check_values(scored(measure, *corpora))
        check_values(scored(measure, corpora[0], damaged(corpora[1], rng), extra="count"))
        check_values(scored(measure, damaged(corpora[0], rng), corpora[1]))
        repeats = [home.repeated(corpus, rng) for corpus in corpora]
        taken = rng.choice(home.REPEATS)
        for both in ((repeats[0], corpora[1]), (corpora[0], repeats[1]), repeats):
            check_values(scored(measure, *both, **taken))
        for both in (corpora, repeats):
            with suppress(aune.AuneError):  # some options do not go together, or need what these texts lack
                check_values(scored(measure, *both, **{**options, **taken}))

    check()


def test_ranges_hold_what_is_perfect() -> None:
    for measure in MEASURES:
        for value in measure.values:
            perfect = measure.perfect_of(value)
            assert np.isnan(perfect) or perfect in measure.range_of(value), (measure.name, value)


@every_measure
def test_signature_reads_back(measure: Measure) -> None:
    home = law(measure, "signature")

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
    home = law(measure, "json")

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
        assert {one["document"] for one in envelope["documents"]} == set(result.scores[0].rows.attributes["document"])
        assert result.to_json() == scored(measure, *corpora).to_json()

    check()
