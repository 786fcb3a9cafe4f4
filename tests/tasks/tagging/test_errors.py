"""The list of errors adds up to the counts of the main measure."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from aune import score
from aune.contract import registry
from aune.tasks.tagging.comparison import compare
from aune.tasks.tagging.errors import errors
from aune.tasks.tagging.model import documents

CELL = st.lists(st.sampled_from("NVD"), max_size=3, unique=True)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=10), st.sampled_from(["absolute", "relative"]))
def test_kinds_add_up(cells: list[tuple[list[str], list[str]]], evaluation: str) -> None:
    key, response = ([(f"w{i}", cell[side]) for i, cell in enumerate(cells)] for side in (0, 1))
    counts = score("tagging", key, response, evaluation=evaluation, measures=["precision_decision"]).scores[0].counts
    pairs = list(zip(documents(key), documents(response), strict=True))
    kinds = Counter(case.kind for case in errors(compare(pairs, evaluation=evaluation)))  # type: ignore[arg-type]
    silences = counts["cases"] - counts["noneval"] - counts["ok"] - counts["err"]
    assert kinds["wrong"] == counts["err"] and kinds["not evaluated"] == counts["noneval"]
    assert kinds["wrong silence"] == counts["sil_err"] and kinds["silence"] == silences - counts["sil_err"]


def test_a_case_shows_both_sides() -> None:
    pairs = list(zip(documents([("le", "D"), ("chat", "N")]), documents([("le", "D"), ("chat", "V")]), strict=True))
    [case] = errors(compare(pairs))
    assert (case.key, case.response, case.kind, case.place, case.context) == (
        "chat/N",
        "chat/V",
        "wrong",
        (1, 2),
        "le [ chat ]",
    )
    assert case.attributes == {"word": "chat", "tag": "N", "response_tag": "V", "silence": ""}
    assert registry.task("tagging").explaining.errors is errors


def test_a_word_that_could_not_be_evaluated_shows_what_stands_there() -> None:
    key = documents({"one": [("a", "X")], "two": [("il", "P"), ("là-bas", "R")]})
    response = documents({"one": [("a", "X")], "two": [("il", "P"), ("là", "R"), ("-", "F"), ("bas", "N")]})
    pairs = list(zip(key, response, strict=True))
    [case] = errors(compare(pairs))
    assert (case.kind, case.key, case.response) == ("not evaluated", "là-bas/R", "là/R -/F bas/N")
    back = errors(compare(pairs, evaluation="relative"))
    assert [(case.key, case.response) for case in back] == [
        ("là-bas/R", "là/R"),
        ("là-bas/R", "-/F"),
        ("là-bas/R", "bas/N"),
    ]
