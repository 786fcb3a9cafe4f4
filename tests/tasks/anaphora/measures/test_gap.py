"""The figures of the GAP benchmark, and a slow second count of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

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
    found = aune.score("anaphora", str(folder / "gap-test.tsv"), str(folder / "responses" / name), measures=["gap"])[
        "gap"
    ]
    assert found.f1 is not None
    assert round(100 * found.f1, 1) == figure
    assert found.bias == pytest.approx((found.feminine or 0) / (found.masculine or 1))


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
    found = aune.score("anaphora", *paths, measures=["gap"])["gap"]
    assert found.feminine == pytest.approx(2 * hits / (2 * hits + wrong))
    assert found.by("gender")["feminine"]["f1"] == found.feminine
