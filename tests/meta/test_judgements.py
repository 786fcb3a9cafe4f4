"""Measures beside people: agreement by hand and by peers, preferences by counting, HATS as it was published."""

from __future__ import annotations

import csv
import json
import shlex
import tempfile
from contextlib import chdir
from itertools import combinations
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.cli import run
from aune.meta.impact import Score
from aune.meta.judgements import (
    Choice,
    Grade,
    agreement_of_choices,
    agreement_of_grades,
    preferences,
    read_judgements,
)

VOTES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda two: sum(two) > 1), min_size=1, max_size=6
)


@given(VOTES)
def test_observed_agreement_pair_by_pair(votes: list[tuple[int, int]]) -> None:
    choices = [Choice(str(number), "A", "B", *two) for number, two in enumerate(votes)]
    shares = []
    for first, second in votes:
        judges = "A" * first + "B" * second
        shares.append(np.mean([entry == other for entry, other in combinations(judges, 2)]))
    assert agreement_of_choices(choices).observed == pytest.approx(np.mean(shares))


@given(st.lists(st.text("AB-", min_size=2, max_size=5), min_size=1, max_size=6))
def test_kappa_of_choices_judge_by_judge(items: list[str]) -> None:
    """Fleiss 1971: two judgements of an item drawn at random, against two drawn from all of them, with repetition."""
    choices = [Choice(str(n), "A", "B", *(votes.count(who) for who in "AB-")) for n, votes in enumerate(items)]
    every = "".join(items)
    observed = np.mean([np.mean([a == b for a, b in combinations(votes, 2)]) for votes in items])
    chance = np.mean([a == b for a in every for b in every])
    outcome = agreement_of_choices(choices).coefficient
    assert outcome == (None if chance == 1 else pytest.approx((observed - chance) / (1 - chance), abs=1e-9))


@given(st.lists(st.tuples(st.sampled_from("123"), st.sampled_from("AB"), st.booleans()), min_size=1, max_size=9))
def test_either_system_may_be_named_first(judged: list[tuple[str, str, bool]]) -> None:
    """Experiments show the two in either order: the judgements of a pair are of the same pair."""
    outcome = []
    for turned in (False, True):
        rows = ["document,first,second,preferred"]
        rows += [f"{text},{'B,A' if turned and swap else 'A,B'},{who}" for text, who, swap in judged]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "judged.csv")
            path.write_text("\n".join(rows) + "\n")
            outcome.append(read_judgements(str(path)))
    assert outcome[0] == outcome[1]


def test_pairs_without_scores_are_told(scores: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "choices.csv"
    common = ["meta", "impact", scores, "--judgements", str(table), "--application", "dictation"]
    table.write_text("document,first,second,preferred,votes\n1,A,B,A,5\n7,A,B,B,1\n2,A,B,A,2\n2,A,B,B,2\n")
    assert run(common) == 0
    out = capsys.readouterr().out
    assert "wer: 1 of 2 pairs have no scores" in out and "1 pair left out, on which people are even" in out
    table.write_text("document,first,second,preferred\n7,A,B,B\n")
    assert run(common) == 2
    assert "no judged pair has scores" in capsys.readouterr().err


@given(st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=2), min_size=2, max_size=8))
def test_alpha_of_grades_as_the_package_krippendorff_has_it(table: list[list[int]]) -> None:
    krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
    if len({grade for row in table for grade in row}) < 2:
        return
    grades = [Grade(str(n), "A", grade, str(judge)) for n, row in enumerate(table) for judge, grade in enumerate(row)]
    expected = krippendorff.alpha(reliability_data=np.array(table, float).T, level_of_measurement="interval")
    assert agreement_of_grades(grades).coefficient == pytest.approx(expected)


def test_preferences_by_hand() -> None:
    """Right, tied and wrong: a third right, half where ties are half right."""
    values = {"1": (1, 2), "2": (1, 1), "3": (2, 1)}
    scores = [
        Score(system, "wer", value, text, better="lower")
        for text, entry in values.items()
        for system, value in zip("AB", entry, strict=True)
    ]
    choices = [Choice(text, "A", "B", 3, 1) for text in "123"] + [Choice("4", "A", "B", 2, 2)]
    (preference,) = preferences(scores, choices, [0.0])
    assert (preference.items, preference.right, preference.half) == (3, pytest.approx(1 / 3), pytest.approx(0.5))
    assert preferences(scores, choices, [0.9])[0].right is None


@pytest.fixture
def scores(tmp_path: Path) -> str:
    rows = [("system", "measure", "score", "document", "better")]
    rows += [(s, "wer", v, d, "lower") for d in ("1", "2") for s, v in (("A", 0.1), ("B", 0.2), ("C", 0.3))]  # type: ignore[misc]
    (tmp_path / "scores.csv").write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return str(tmp_path / "scores.csv")


def test_the_command_line(scores: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "choices.csv"
    table.write_text("document,first,second,preferred,votes\n1,A,B,A,5\n1,A,B,B,1\n2,A,C,C,3\n")
    assert run(["meta", "impact", scores, "--judgements", str(table)]) == 2
    assert (
        run(["meta", "impact", scores, "--judgements", str(table), "--application", "dictation", "--format", "json"])
        == 0
    )
    outcome = json.loads(capsys.readouterr().out)["judgements"]
    assert outcome["application"] == "dictation" and outcome["agreement"]["items"] == 2
    assert outcome["preferences"][-1]["right"] == 0.5
    grades = tmp_path / "grades.csv"
    lines = [f"{d},{s},{g},{j}" for d in "12" for s, g in (("A", 5), ("B", 3), ("C", 1)) for j in "xy"]
    grades.write_text("\n".join(["document,system,grade,judge", *lines]) + "\n")
    common = ["meta", "impact", scores, "--judgements", str(grades), "--application", "dictation", "--draws", "50"]
    assert run([*common, "--format", "json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["judgements"]["agreement"]["coefficient"] == 1.0
    assert outcome["impact"][0]["downstream"] == "people" and outcome["impact"][0]["correlation"] == pytest.approx(1.0)
    assert run(common) == 0 and "Krippendorff" in capsys.readouterr().out


def test_bad_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("document,who\n1,A\n")
    with pytest.raises(aune.InputError, match="expected document, first, second and preferred"):
        read_judgements(str(tmp_path / "a.csv"))
    (tmp_path / "b.csv").write_text("document,first,second,preferred\n1,A,B,Z\n")
    with pytest.raises(aune.InputError, match=r"b\.csv:2:1: found 'Z'"):
        read_judgements(str(tmp_path / "b.csv"))
    for row in ("document,first,second,preferred,votes\n1,A,B,A,-2", "document,first,second,preferred\n1,A,A,A",
                "document,system,grade\n1,A,nan"):  # fmt: skip
        (tmp_path / "c.csv").write_text(row + "\n")
        with pytest.raises(aune.InputError, match=r"c\.csv:2:1: found"):
            read_judgements(str(tmp_path / "c.csv"))


def test_hats(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The worked example of docs/meta.md; the published table has 63, 53 and 49 for WER, 77, 64 and 60 for CER."""
    with (data / "speech" / "hats-fr" / "hats.txt").open(encoding="utf-8", newline="") as file:
        triplets = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = ["document,first,second,preferred,votes"]
    rows += [f"{n},A,B,{who},{row[f'nbr{who}']}" for n, row in enumerate(triplets, 1) for who in "AB"]
    texts = {"key.txt": [row["reference"] for row in triplets], "A.txt": [row["hypA"] for row in triplets],
             "B.txt": [row["hypB"] for row in triplets], "judged.csv": rows}  # fmt: skip
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    page = (Path(__file__).parents[2] / "docs" / "meta.md").read_text().partition("    $ aune score speech key.txt")
    commands = [
        line.removeprefix("    $ aune ") for line in (page[1] + page[2]).splitlines() if line.startswith("    $ ")
    ]
    with chdir(tmp_path):
        assert [run(shlex.split(command)) for command in commands] == [0, 0]
    printed = capsys.readouterr().out
    assert indent(printed.rstrip("\n"), "    ") in page[2]
    assert "63.1 (74.7)        52.6 (66.5)       49.8 (64.1)" in printed
