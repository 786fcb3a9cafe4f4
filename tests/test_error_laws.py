"""Laws over the errors and the views of every task: what is listed is what the measures count, and what the page shows.

A new task gets them for free, and says here what its errors add up to.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aune.contract import registry
from aune.contract.error_record import ErrorRecord
from aune.contract.options import options_of
from aune.explain.analysis import Study, study
from aune.reports.page import write

LISTED = [name for name in registry.task_names() if registry.task(name).explaining.errors]
FEW = settings(max_examples=settings.default.max_examples // 2)

Counts = Mapping[str, float]
SUMS: dict[str, tuple[str, Callable[[Counts], float]]] = {
    "coref": ("muc", lambda n: n["key_links"] + n["response_links"] - 2 * n["common_links"]),
    "entities": ("ser", lambda n: n["cost"]),
    "speech": ("wer", lambda n: n["substitutions"] + n["deletions"] + n["insertions"]),
    "tagging": ("precision_decision", lambda n: n["cases"] - n["ok"]),
    "anaphora": ("pairs", lambda n: n["incorrect"] + n["false_alarms"] + n["misses"]),
}
"""The costs of all errors are this function of the counts of this measure."""

KINDS: dict[str, dict[str, tuple[str, ...]]] = {
    "entities": {"omission": ("omission",), "insertion": ("insertion",), "boundary": ("boundary",), "type": ("type",)},
    "speech": {"substitution": ("substitutions",), "deletion": ("deletions",), "insertion": ("insertions",)},
    "tagging": {"wrong": ("err",), "wrong silence": ("sil_err",), "not evaluated": ("noneval",)},
    "anaphora": {"miss": ("misses",), "false alarm": ("false_alarms",), "incorrect": ("incorrect",)},
}
"""Errors of these kinds are as many as these counts."""


def strategies(task: str) -> ModuleType:
    return import_module(f"tests.tasks.{task}.strategies")


def study_sides(task: str, key: object, response: object) -> Study:
    measure = registry.measure(SUMS[task][0], task)
    known = options_of(registry.task(task).comparing.compare) | measure.options
    options = {name: value for name, value in strategies(task).OPTIONS.items() if name in known}
    return study(task, key, {"s": response}, measures=[measure], **options)


every_task = pytest.mark.parametrize("task", LISTED)


def plain(case: ErrorRecord) -> tuple[Any, ...]:
    """What does not depend on how a file writes things, such as the order of alternative tags."""
    return (case.document, case.place, case.kind, bool(case.key), bool(case.response), case.cost)


@every_task
def test_costs_add_up_to_what_the_measure_counts(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        outcome = study_sides(task, *corpora)
        counts = outcome.result.scores[0].counts
        assert sum(case.cost for case in outcome.cases["s"]) == pytest.approx(SUMS[task][1](counts))
        kinds = Counter(case.kind for case in outcome.cases["s"])
        for kind, columns in KINDS.get(task, {}).items():
            assert kinds[kind] == pytest.approx(sum(counts[column] for column in columns)), kind

    check()


@every_task
def test_a_perfect_response_has_no_errors(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[object, object]) -> None:
        assert study_sides(task, corpora[0], corpora[0]).cases["s"] == []

    check()


@every_task
def test_order_changes_no_error(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA, st.integers(0, 1000))
    def check(corpora: tuple[Any, Any], seed: int) -> None:
        rng = random.Random(seed)
        before = study_sides(task, *corpora).cases["s"]
        after = study_sides(task, *(strategies(task).shuffle_items(corpus, rng) for corpus in corpora)).cases["s"]
        assert Counter(map(plain, before)) == Counter(map(plain, after))

    check()


def documents(corpus: dict[str, Any]) -> list[str]:
    """The document of every text: itself, or the one that an utterance says it is of."""
    return [text.get("document", name) if isinstance(text, dict) else name for name, text in corpus.items()]


@every_task
def test_errors_say_where_and_what(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[Any, Any]) -> None:
        for case in study_sides(task, *corpora).cases["s"]:
            assert case.document in documents(corpora[0])
            assert 0 <= case.place[0] <= case.place[1]
            assert case.kind and (case.key or case.response) and case.cost >= 0
            assert all(isinstance(value, str) for value in case.attributes.values())

    check()


def views(outcome: Study) -> list[Any]:
    module = import_module(f"aune.tasks.{outcome.result.task}.view")
    return [view for comparison in outcome.comparisons["s"] for view in module.view(comparison)]


@every_task
def test_views_show_every_word_once(task: str) -> None:
    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[Any, Any]) -> None:
        shown = views(study_sides(task, *corpora))
        assert sorted(view.document for view in shown) == sorted(set(documents(corpora[0])))
        for view in shown:
            assert list(view.sentences) == sorted(set(view.sentences)) or len(view.breaks) == len(view.sentences)
            assert all(0 <= span.start < span.end <= len(view.words) for span in (*view.key, *view.response))
            if view.columns:
                words = [place for column in view.columns for place in range(column.start, column.end)]
                assert words == list(range(len(view.words)))

    check()


@every_task
def test_views_mark_what_is_wrong(task: str) -> None:
    """A perfect response has no mark; one with errors has some."""

    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[Any, Any]) -> None:
        def marks(key: Any, response: Any) -> int:
            return sum(
                bool(item.error)
                for view in views(study_sides(task, key, response))
                for item in (*view.key, *view.response, *view.columns)
            )

        assert marks(corpora[0], corpora[0]) == 0
        assert (marks(*corpora) > 0) == bool(study_sides(task, *corpora).cases["s"])

    check()


@every_task
def test_confusions_add_up(task: str) -> None:
    """The diagonal holds nothing for a response that has nothing right, and all labels of a perfect one."""
    module = import_module(f"aune.tasks.{task}.view")

    @FEW
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[Any, Any]) -> None:
        result = study_sides(task, *corpora)
        for comparison in result.comparisons["s"]:
            layout = module.confusion(comparison)
            if layout is None:
                continue
            assert all(times >= 0 for times in layout.right.values())
            for case in result.cases["s"]:
                assert layout.row in case.attributes or hasattr(case, layout.row)
                assert layout.column in case.attributes or hasattr(case, layout.column)

    check()


@every_task
def test_any_study_makes_a_page(task: str) -> None:
    @settings(max_examples=5)
    @given(strategies(task).CORPORA)
    def check(corpora: tuple[Any, Any]) -> None:
        assert "</html>" in write(study_sides(task, *corpora))

    check()


def test_every_task_says_what_its_errors_add_up_to() -> None:
    assert set(LISTED) <= set(SUMS)


@every_task
def test_order_changes_no_view(task: str) -> None:
    """The same words in each document and the same of them marked; utterances without times stand as in the file."""

    @FEW
    @given(strategies(task).CORPORA, st.integers(0, 1000))
    def check(corpora: tuple[Any, Any], seed: int) -> None:
        rng = random.Random(seed)
        shuffled = [strategies(task).shuffle_items(corpus, rng) for corpus in corpora]
        before, after = (
            sorted(
                (view.document, sorted(view.words), mark_words(view, view.key), mark_words(view, view.response))
                for view in views(study_sides(task, *pair))
            )
            for pair in (corpora, shuffled)
        )
        assert before == after

    check()


def mark_words(view: Any, spans: Any) -> list[list[str]]:
    return sorted(list(view.words[span.start : span.end]) for span in spans)
