"""Small calls from Python give the results of the ordinary way, whatever is remembered from earlier calls."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune import api
from aune.evaluation import small_calls
from aune.results.result import Result
from tests.tasks.tagging.test_batches import tagged_sides
from tests.test_laws import TASKS, keeping, score_sides, strategies

WORDS = ["the", "The", "cat", "catt", "é", "e\u0301", "a\u00a0b", "\ufffd", "don't", "don\u2019t", "sat"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "S-PER", "E-LOC", "U-PER", "B-document", "X"]


def pairs_of(items: Any) -> Any:
    return st.lists(st.tuples(items, items), min_size=1, max_size=5).map(
        lambda pairs: tuple(map(list, zip(*pairs, strict=True)))
    )


@st.composite
def tag_lists(draw: Any) -> tuple[list[list[str]], list[list[str]]]:
    lengths = draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    key, response = ([[draw(st.sampled_from(TAGS)) for _ in range(size)] for size in lengths] for _ in "kr")
    return key, response


SMALL_CALLS = {
    ("speech", "wer"): pairs_of(TEXTS),
    ("entities", "f_measure"): tag_lists(),
    ("tagging", "accuracy"): tagged_sides(),
}


def content(task: str, key: Any, response: Any, measure: str) -> Any:
    """Everything that somebody can look at in a result, or the error."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        try:
            result = aune.score(task, key, response, measures=[measure])
        except aune.AuneError as error:
            return str(error)
    score = result.scores[0]
    return (
        score.values, score.reasons, score.counts, str(score.signature), score.options,
        score.by("document"), score.counts_by("document"), score.details, score.support, score.rows.matrix.tolist(),
        {name: list(values) for name, values in score.rows.attributes.items()},
        result.to_dict(), result.records(), str(result), [str(warning.message) for warning in issued],
    )  # fmt: skip


def ordinary(monkeypatch: pytest.MonkeyPatch, *call: Any) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(api, "score_small", lambda *_: None)
        return content(*call)


def test_every_task_with_batches_is_tried() -> None:
    from aune.contract import registry

    known = {f"{task}.{measure}" for task, measure in SMALL_CALLS}
    assert known == {name for task in TASKS for name in registry.task(task).comparing.batches}


@pytest.mark.parametrize("call", SMALL_CALLS, ids=".".join)
def test_small_calls_are_as_ordinary_ones(call: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    task, measure = call
    monkeypatch.setattr(small_calls, "_KINDS", {})

    @given(SMALL_CALLS[call])
    def check(sides: tuple[Any, Any]) -> None:
        expected = ordinary(monkeypatch, task, *sides, measure)
        for _ in range(2):  # the first may be remembered, the second is then counted by what was
            assert content(task, *sides, measure) == expected

    check()
    assert small_calls._KINDS, "none was a small call"


@pytest.mark.parametrize("task", TASKS)
def test_no_earlier_call_changes_a_result(task: str) -> None:
    """For every measure: plans are remembered by measures and options, results never."""

    @settings(max_examples=4)
    @given(strategies(task).CORPORA, strategies(task).CORPORA)
    def check(first: Any, second: Any) -> None:
        for measure in keeping(task, "perfect"):
            result, again = (score_sides([measure], *corpora) for corpora in (first, first))
            score_sides([measure], *second)
            last = score_sides([measure], *first)
            assert result.to_json() == again.to_json() == last.to_json()

    check()


def small(task: str = "speech", key: Any = None, response: Any = None, measure: str = "wer") -> Result:
    """A small call that is not the first of its kind."""
    key, response = key or ["one two", "three"], response or ["one too", "three"]
    for _ in range(2):
        result = aune.score(task, key, response, measures=measure)
    assert type(result.scores[0].rows).__name__ == "LateRows"
    return result


def test_rows_are_those_of_the_call_even_if_the_lists_change() -> None:
    key, response = [["B-PER", "O", "O"]], [["O", "O", "O"]]
    result = small("entities", key, response, "f_measure")
    response[0][0] = "B-PER"
    key.append(["O"])
    assert result.scores[0].rows.total.tolist() == result.scores[0].rows.matrix.sum(axis=0).tolist()
    assert result["f_measure"].by("document")["document"]["recall"] == 0


def test_a_small_result_can_be_sent_and_saved() -> None:
    result = small()
    sent = pickle.loads(pickle.dumps(result.scores[0].rows))
    assert sent.matrix.tolist() == result.scores[0].rows.matrix.tolist()
    assert Result.from_json(result.to_json(by="document"))["wer"].by("document") == result["wer"].by("document")


@pytest.mark.parametrize(
    "options",
    [{"convention": "sclite"}, {"case": "fold"}, {"ci": True}, {"missing": "skip"}, {"measures": ["wer", "cer"]}],
)
def test_other_calls_go_the_ordinary_way(options: dict[str, Any]) -> None:
    small()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_calls, "_make_result", lambda *_: pytest.fail("no small call"))
        try:
            aune.score("speech", ["one two", "three"], ["one too", "three"], **{"measures": ["wer"], **options})
        except aune.UsageError:  # an option that the task has not
            assert "case" in options


def test_unknown_names_are_refused_as_ever() -> None:
    for task, measure in (("speech", "werr"), ("speach", "wer")):
        for _ in range(2):
            with pytest.raises(aune.UsageError):
                aune.score(task, ["one"], ["one"], measures=[measure])
