"""The laws that every registered measure keeps. A new measure gets them for free."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.contract.measure import Measure
from aune.contract.options import options_of
from aune.contract.signature import parse_signature
from aune.errors import InputError
from aune.results.rows import Rows

TASKS = registry.task_names()
MEASURES = [measure for task in TASKS for measure in registry.measures(task)]
FEW = settings(max_examples=settings.default.max_examples // 2)

every_task = pytest.mark.parametrize("task", TASKS)
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)


def strategies(task: str) -> ModuleType:
    """The random keys and responses that every task brings for the laws."""
    return import_module(f"tests.tasks.{task}.strategies")


def score_sides(measures: Sequence[Measure], key: object, response: object, **others: object) -> aune.Result:
    task = measures[0].task
    known = {
        name
        for item in (options_of(registry.task(task).comparing.compare), *(m.options for m in measures))
        for name in item
    }
    options = {name: value for name, value in strategies(task).OPTIONS.items() if name in known}
    return aune.score(task, key, response, measures=measures, **{**options, **others})


def lacking(measure: Measure) -> list[str]:
    """The packages that a measure needs and that are not here."""
    return [package for package in measure.requires if find_spec(package) is None]


def keeping(task: str, law: str) -> list[Measure]:
    """The measures of a task that a law is for, as far as they can be computed here: they share every comparison."""
    exceptions = strategies(task).SKIP
    return [
        measure for measure in registry.measures(task) if not lacking(measure) and (measure.name, law) not in exceptions
    ]


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


@every_task
def test_perfect_response(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        for score in score_sides(keeping(task, "perfect"), corpora[0], corpora[0]).scores:
            for value, number in score.values.items():
                expected = score.measure.perfect_of(value)  # NaN: a perfect response leaves nothing to divide by
                right = number is None if np.isnan(expected) else number == pytest.approx(expected, abs=1e-12)
                assert right, (score.measure.name, value, number)

    check()


SAMPLES = sorted(Path(__file__).parent.glob("tasks/*/formats/samples/*"))
ZERO_WITHOUT = ("coref.bridging", "coref.non_referring", "coref.split_antecedents", "coref.typed_links", "coref.zeros")
"""Measures that are 0 where a text has nothing of their kind, as their official scorer has it."""
OF_TAGS = ("accuracy", "f_measure", "kappa", "precision_decision", "projection")
IMPERFECT = {
    **{("slash-compounds.txt", f"tagging.{name}"): "a word with two tags is not decided" for name in OF_TAGS},
    **{("tsv-compounds.tsv", f"tagging.{name}"): "a word with two tags is not decided" for name in OF_TAGS},
    ("jsonl-compounds.jsonl", "tagging.kappa"): "a unit over two words is no pair of words that can agree",
}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_sample_is_a_perfect_response_to_itself(sample: Path) -> None:
    """In every format, all that it can say: what the strategies above do not think of."""
    task = sample.parts[-4]
    try:
        scores = score_sides(keeping(task, "perfect"), sample, sample).scores
    except InputError:
        return  # no key: the text beside a file, or answers that have no places
    wrong = {
        score.measure.name: score.values
        for score in scores
        for value, number in score.values.items()
        if number is not None and not (number == 0 and score.measure.name in ZERO_WITHOUT)
        if number != pytest.approx(score.measure.perfect_of(value), abs=1e-12, nan_ok=True)
    }
    assert wrong.keys() == {measure for name, measure in IMPERFECT if name == sample.name}, wrong


REAL_KEYS = {
    "anaphora/gap/gap-test.tsv": "anaphora",
    "entities/wnut17/gold.conll": "entities",
    "entities/hipe2022-ajmc-fr/gold.tsv": "entities",
    "exports/conll2003/skillspan_tech_test.conll.gz": "entities",
    "speech/sctk-samples/sclite_testdata/csrnab.ref": "speech",
    "tagging/conll2018-fr_sequoia/gold.conllu.gz": "tagging",
    "tagging/grace-like/gold.tsv": "tagging",
}
"""Keys of real corpora; those of coreference are in tests/tasks/coref/test_key_against_itself.py."""


@pytest.mark.filterwarnings("ignore::aune.AuneWarning")
@pytest.mark.parametrize("name", REAL_KEYS)
def test_a_real_key_is_a_perfect_response_to_itself(name: str, data: Path) -> None:
    if not (data / name).exists():
        pytest.skip(f"{data / name} is absent: the corpora are in ../shared/data")
    imperfect = {
        (score.name, value): number
        for score in score_sides(keeping(REAL_KEYS[name], "perfect"), str(data / name), str(data / name))
        for value, number in score.values.items()
        if number is not None and not np.isnan(perfect := score.measure.perfect_of(value))
        if number != pytest.approx(perfect, abs=1e-12)
    }
    assert not imperfect


@every_task
def test_order_changes_nothing(task: str) -> None:
    home = strategies(task)

    @FEW
    @given(home.CORPORA, st.integers(0, 1000))
    def check(corpora: tuple[dict[str, object], dict[str, object]], seed: int) -> None:
        rng = random.Random(seed)
        measures = keeping(task, "order")
        before = score_sides(measures, *corpora)
        after = score_sides(measures, *(home.shuffle_items(corpus, rng) for corpus in corpora))
        for first, second in zip(before.scores, after.scores, strict=True):
            assert first.values == second.values, first.measure.name
            assert first.counts == second.counts, first.measure.name

    check()


@every_task
def test_a_side_without_anything_is_told(task: str) -> None:
    """A response without a single entity scores 0 as one that is all wrong: the difference is said."""
    home = registry.task(task)
    name, holds = home.reading.annotation
    measures = [registry.measure(home.ranking, task)]

    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        key = home.reading.documents(corpora[0])
        assume(any(map(holds, key)))
        empty = [home.reading.empty(document) for document in key]
        for sides, message in (((key, key), ""), ((key, empty), "response"), ((empty, key), "the key")):
            with suppress(aune.NothingToScoreError):
                answers = [
                    warning
                    for warning in score_sides(measures, *sides).warnings
                    if f"contains not a single {name}" in warning
                ]
                assert [line.startswith(message) for line in answers] == [True] * bool(message), answers

    check()


@every_task
def test_counts_add_up_over_documents(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[dict[str, object], dict[str, object]]) -> None:
        measures = keeping(task, "additivity")
        together = score_sides(measures, *corpora)
        alone = [score_sides(measures, {name: corpora[0][name]}, {name: corpora[1][name]}) for name in corpora[0]]
        for index, measure in enumerate(measures):
            total, *parts = (result.scores[index].rows.total for result in [together, *alone])
            if len({len(item) for item in [total, *parts]}) == 1:  # counts by label differ in width
                np.testing.assert_allclose(np.sum(parts, axis=0), total, atol=1e-9, err_msg=measure.name)

    check()


@every_task
def test_score_of_a_stack_is_the_stack_of_scores(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        for score in score_sides(keeping(task, "stack"), *corpora).scores:
            rows: Rows = score.sum_by_unit("document") if score.measure.by else score.rows
            stack = score.score_sums(rows.matrix, rows.layout)
            cube = score.score_sums(np.stack([rows.matrix, rows.matrix]), rows.layout)
            for index in range(len(rows)):
                single = score.score_sums(rows.matrix[index], rows.layout)
                for value in score.measure.values:
                    name = f"{score.measure.name} {value}"
                    np.testing.assert_equal(np.asarray(stack[value])[index], np.asarray(single[value]), name)
                    np.testing.assert_equal(np.asarray(cube[value])[1, index], np.asarray(single[value]), name)

    check()


def damaged_response(corpus: dict[str, object], rng: random.Random) -> dict[str, object]:
    """A response after an accident: documents lost, exchanged, or given twice under other names."""
    names = list(corpus)
    lost = {name: corpus[rng.choice(names)] if rng.random() < 0.3 else corpus[name] for name in names}
    remaining = {name: document for name, document in lost.items() if rng.random() < 0.8} or lost
    return remaining | {f"{name} again": corpus[name] for name in names if rng.random() < 0.3}


def check_ranges(result: aune.Result) -> None:
    for score in result.scores:
        for values in (score.values, *score.by("document").values()):
            for value, number in values.items():
                low, high = score.measure.range_of(value)
                inside = number is None or (np.isfinite(number) and low - 1e-9 <= number <= high + 1e-9)
                assert inside, (score.measure.name, value, number)


@every_task
def test_values_stay_in_their_range(task: str) -> None:
    """No value outside what its measure declares: on any pair, on damaged responses, where things are given twice
    inside a document, on every document by itself."""
    home = strategies(task)

    @FEW
    @given(home.CORPORA, st.integers(0, 1000))
    def check(corpora: tuple[dict[str, object], dict[str, object]], seed: int) -> None:
        rng = random.Random(seed)
        measures = keeping(task, "range")
        check_ranges(score_sides(measures, *corpora))
        check_ranges(score_sides(measures, corpora[0], damaged_response(corpora[1], rng), extra="count"))
        check_ranges(score_sides(measures, damaged_response(corpora[0], rng), corpora[1]))
        repeats = [home.repeat_items(corpus, rng) for corpus in corpora]
        taken = rng.choice(home.REPEATS)
        for pair in ((repeats[0], corpora[1]), (corpora[0], repeats[1]), repeats):
            check_ranges(score_sides(measures, *pair, **taken))

    check()


@every_measure
def test_values_stay_in_their_range_with_any_options(measure: Measure) -> None:
    if lacking(measure):
        pytest.skip(f"{measure.name} needs {', '.join(lacking(measure))}")
    home = strategies(measure.task)
    known = {**options_of(registry.task(measure.task).comparing.compare), **measure.options}
    choices = {name: st.sampled_from(option.choices) for name, option in known.items() if option.choices}

    @settings(max_examples=settings.default.max_examples // 3)
    @given(home.CORPORA, st.integers(0, 1000), st.fixed_dictionaries(choices))
    def check(corpora: tuple[dict[str, object], dict[str, object]], seed: int, options: dict[str, object]) -> None:
        rng = random.Random(seed)
        repeats = [home.repeat_items(corpus, rng) for corpus in corpora]
        for pair in (corpora, repeats):
            with suppress(aune.AuneError):  # some options do not go together, or need what these texts lack
                check_ranges(score_sides([measure], *pair, **{**options, **rng.choice(home.REPEATS)}))

    check()


def test_ranges_hold_what_is_perfect() -> None:
    for measure in MEASURES:
        for value in measure.values:
            perfect = measure.perfect_of(value)
            assert np.isnan(perfect) or perfect in measure.range_of(value), (measure.name, value)


@every_task
def test_signature_reads_back(task: str) -> None:
    @settings(max_examples=3)
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        for score in score_sides(keeping(task, "signature"), *corpora).scores:
            again = parse_signature(str(score.signature))
            assert again == score.signature
            assert again.measure == score.measure.name and again.version == aune.__version__
            shown = {name for name, option in score.measure.options.items() if not option.hidden_at_default}
            assert shown <= set(again.options), score.measure.name

    check()


@every_task
def test_json_envelope(task: str) -> None:
    @settings(max_examples=3)
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[dict[str, object], object]) -> None:
        measures = keeping(task, "json")
        result = score_sides(measures, *corpora)
        envelope = json.loads(result.to_json(by="document"))
        assert envelope["schema"] == 2 and envelope["task"] == task
        assert envelope["tool"] == {"name": "aune", "version": aune.__version__}
        for answer, score, measure in zip(envelope["scores"], result.scores, measures, strict=True):
            assert answer["measure"] == measure.name and answer["better"] == measure.better
            assert list(answer["values"]) == list(measure.values)
            assert answer["values"] == score.values
        named = {name for score in result.scores for name in score.rows.attributes["document"]}
        assert {group["document"] for group in envelope["groups"]} == named
        assert result.to_json() == score_sides(measures, *corpora).to_json()

    check()
