"""The figures of the GAP benchmark, and a slow second count of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune

RESPONSES = {
    "bert-bouchardi/results/gap_scorer-test.tsv": 86.5,
    "bert-bouchardi/results/kaggle-test.tsv": 86.5,
    "own/gap-test.title.tsv": 60.4,
    "own/gap-test.first.tsv": 48.7,
    "own/gap-test.recency.tsv": 44.7,
}


@pytest.mark.parametrize(("name", "figure"), RESPONSES.items())
def test_figures(data: Path, name: str, figure: float) -> None:
    folder = data / "anaphora" / "gap"
    gap = aune.score("anaphora", str(folder / "gap-test.tsv"), str(folder / "responses" / name), measures=["gap"])[
        "gap"
    ]
    assert gap.f1 is not None
    assert round(100 * gap.f1, 1) == figure
    assert gap.bias == pytest.approx((gap.feminine or 0) / (gap.masculine or 1))


def test_a_slow_count_by_gender(data: Path) -> None:
    folder = data / "anaphora" / "gap"
    with (folder / "gap-test.tsv").open(encoding="utf-8") as file:
        key = {row["ID"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    response = {}
    for line in (folder / "responses/own/gap-test.title.tsv").read_text().splitlines():
        name, first, second = line.split("\t")
        response[name] = {"A": first == "TRUE", "B": second == "TRUE"}
    feminine = [row for row in key.values() if row["Pronoun"].lower() in ("she", "her", "hers")]
    outcomes = [
        (row[f"{name}-coref"].upper() == "TRUE", response[row["ID"]][name]) for row in feminine for name in "AB"
    ]
    hits, wrong = outcomes.count((True, True)), outcomes.count((True, False)) + outcomes.count((False, True))
    paths = [str(folder / "gap-test.tsv"), str(folder / "responses/own/gap-test.title.tsv")]
    gap = aune.score("anaphora", *paths, measures=["gap"])["gap"]
    assert gap.feminine == pytest.approx(2 * hits / (2 * hits + wrong))
    assert gap.by("gender")["feminine"]["f1"] == gap.feminine


# The scorer's counting, a second time, on rows of our own.

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
ROWS = st.lists(
    st.tuples(st.sampled_from(["he", "she"]), st.sampled_from([(True, False), (False, True), (False, False)])),
    min_size=1, max_size=6,
)  # fmt: skip
ANSWERS = st.lists(st.one_of(st.none(), st.tuples(st.booleans(), st.booleans())), min_size=6, max_size=6)


def score_sides(
    rows: list[tuple[str, tuple[bool, bool]]], answers: list[tuple[bool, bool] | None], folder: Path
) -> aune.Result:
    key = [HEADER]
    for number, (pronoun, (first, second)) in enumerate(rows):
        key.append(f"t-{number}\tAnn saw Eve . {pronoun} sat\t{pronoun}\t14\tAnn\t0\t{first}\tEve\t8\t{second}\tx/y")
    values = [f"t-{number}\t{answer[0]}\t{answer[1]}" for number, answer in enumerate(answers) if answer]
    (folder / "key.tsv").write_text("\n".join([*key, ""]).replace("True", "TRUE").replace("False", "FALSE"))
    (folder / "response.tsv").write_text("\n".join([*values, ""]).upper().replace("T-", "t-"))
    return aune.score("anaphora", str(folder / "key.tsv"), str(folder / "response.tsv"), measures=["gap"])


def test_a_missing_row_is_two_false_negatives(tmp_path: Path) -> None:
    rows = [("he", (True, False)), ("she", (False, False)), ("he", (False, True))]
    [result] = score_sides(rows, [(True, False), None, (False, False)], tmp_path)
    assert (result.recall, result.precision, result.f1) == (1 / 4, 1, 2 / 5)
    assert (result.masculine, result.feminine) == (2 / 3, 0)


def test_nothing_positive_is_a_precision_of_zero(tmp_path: Path) -> None:
    [result] = score_sides([("he", (True, False)), ("she", (False, False))], [(False, False), (False, False)], tmp_path)
    assert (result.recall, result.precision, result.f1, result.masculine, result.feminine) == (0, 0, 0, 0, 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gap")


@settings(max_examples=60)
@given(rows=ROWS, answers=ANSWERS)
def test_agrees_with_the_scorer_s_counting(
    folder: Path, rows: list[tuple[str, tuple[bool, bool]]], answers: list[tuple[bool, bool] | None]
) -> None:
    answers = answers[: len(rows)]
    if not any(answers):
        return
    [result] = score_sides(rows, answers, folder)

    def f1(remaining: set[str]) -> tuple[float, float, float]:
        hits = alarms = misses = 0
        for (pronoun, expected), answer in zip(rows, answers, strict=True):
            if pronoun in remaining:
                for name in range(2):
                    hits += answer is not None and expected[name] and answer[name]
                    alarms += answer is not None and answer[name] and not expected[name]
                    misses += answer is None or (expected[name] and not answer[name])
        recall = hits / (hits + misses) if hits + misses else 0.0
        precision = hits / (hits + alarms) if hits + alarms else 0.0
        return recall, precision, 2 * hits / (2 * hits + alarms + misses) if hits + alarms + misses else 0.0

    assert (result.recall, result.precision, result.f1) == pytest.approx(f1({"he", "she"}))
    for gender, pronoun in ((result.masculine, "he"), (result.feminine, "she")):
        assert gender == (pytest.approx(f1({pronoun})[2]) if pronoun in [item for item, _ in rows] else None)
