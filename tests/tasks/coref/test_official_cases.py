"""The official numbers: the 36 cases of the CoNLL scorer 8.01, and the known figures of two corpora."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aune

NAMES = {"muc": "muc", "bcub": "b_cubed", "ceafm": "ceaf_m", "ceafe": "ceaf_e", "blanc": "blanc"}
IDS = [f"A{number}" for number in range(1, 14)] + [f"{letter}1" for letter in "BCDEFGHIJKL"]
IDS += [f"{letter}{number}" for letter in "MN" for number in range(1, 7)]


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    return data / "coref" / "conll-scorer-cases"


@pytest.fixture(scope="module")
def cases(folder: Path) -> dict[str, Any]:
    result = json.loads((folder / "expected.json").read_text())["cases"]
    return {case["id"]: case for case in result}


def test_all_cases_are_there(cases: dict[str, Any]) -> None:
    assert sorted(cases) == sorted(IDS) and len(IDS) == 36


@pytest.mark.parametrize("repair", ["conll", "first"])
@pytest.mark.parametrize("case", IDS)
def test_official_case(folder: Path, cases: dict[str, Any], case: str, repair: str) -> None:
    key, response = (str(folder / cases[case][side]) for side in ("key", "response"))
    result = aune.score("coref", key, response, measures=[*NAMES.values()], duplicates=repair)
    for rival_value, ours in NAMES.items():
        outcome = [result[ours].recall, result[ours].precision, result[ours].f1]
        assert outcome == pytest.approx(cases[case]["actual"][rival_value], abs=1e-6), ours
        if rival_value in cases[case]["expected"]:  # the official tests look at some of the measures only
            assert outcome == pytest.approx(cases[case]["expected"][rival_value], abs=5.1e-6), f"{ours}, as printed"


DUPLICATES = {"A7": ["twice in one chain"], "A8": ["in two chains"], "A9": ["in two chains", "twice in one chain"]}


@pytest.mark.parametrize("case", DUPLICATES)
def test_duplicates_are_refused_unless_a_repair_is_named(folder: Path, cases: dict[str, Any], case: str) -> None:
    key, response = (str(folder / cases[case][side]) for side in ("key", "response"))
    with pytest.raises(aune.InputError) as error:
        aune.score("coref", key, response)
    expected = [
        f"{response}:5:1: found 'b1 b2 b3 b4' of document 'LuoTestCase' {what}, expected every span once: "
        "mend the file, or keep the first with duplicates='first', or merge the chains with duplicates='merge', "
        "or do as the CoNLL scorer with duplicates='conll'"
        for what in DUPLICATES[case]
    ]
    assert str(error.value).split("\n") == expected


@pytest.mark.parametrize("case", [case for case in IDS if case not in DUPLICATES])
def test_the_other_cases_need_no_repair(folder: Path, cases: dict[str, Any], case: str) -> None:
    key, response = (str(folder / cases[case][side]) for side in ("key", "response"))
    strict = aune.score("coref", key, response)
    mended = aune.score("coref", key, response, duplicates="conll")
    assert [item.values for item in strict] == [item.values for item in mended]


FIGURES = [
    ("litbank/key", "litbank/s1-strmatch", 12.2),
    ("litbank/key", "litbank/s2-sieve", 55.1),
    ("litbank/key", "litbank/s3-goldment", 70.4),
    ("fr-litbank/test.V2.key", "fr-litbank/test.V2.s1-strmatch", 11.6),
    ("fr-litbank/test.V2.key", "fr-litbank/test.V2.s2-sieve", 44.7),
    ("fr-litbank/test.V2.key", "fr-litbank/test.V2.s3-goldment", 64.6),
    ("fr-litbank/test.V2.gold", "fr-litbank/test.V2.camembert", 76.7),
]


@pytest.mark.parametrize(("key", "response", "figure"), FIGURES, ids=[response for _, response, _ in FIGURES])
def test_known_figures(data: Path, key: str, response: str, figure: float) -> None:
    paths = [str(data / "coref" / f"{name}.conll.gz") for name in (key, response)]
    result = aune.score("coref", *paths, measures=["conll"], duplicates="conll")
    assert round(100 * (result["conll"].f1 or 0), 1) == figure
