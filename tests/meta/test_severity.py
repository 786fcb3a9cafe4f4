from __future__ import annotations

import json

import pytest

import aune
from aune.cli import run
from aune.contract import registry
from aune.meta.severity import result_severity, severity

NAMES = ("muc", "b_cubed", "core", "exclusive_core", "entropy", "kappa", "overlap")


@pytest.fixture(scope="module")
def comparisons():
    orderings = severity([registry.measure(name, "coref") for name in NAMES], convention="partition")
    return {(entry.first.removeprefix("coref."), entry.second.removeprefix("coref.")): entry for entry in orderings}


def test_core_is_more_severe_than_muc(comparisons):
    """PROP. 8."""
    for value in ("recall", "precision", "f1"):
        assert comparisons[f"muc.{value}", f"core.{value}"].relation == "≥"


def test_no_other_pair_of_recall_and_precision_measures_is_ordered(comparisons):
    """§4.4.3 and §6.1, κ and RCVT apart."""
    ordered = [
        pair
        for pair, entry in comparisons.items()
        if entry.relation != "≷" and not any("kappa" in name or "overlap" in name for name in pair)
    ]
    assert {frozenset(name.split(".")[0] for name in pair) for pair in ordered} == {frozenset({"muc", "core"})}
    assert all(entry.above and entry.below for pair, entry in comparisons.items() if entry.relation == "≷")


def test_what_else_holds_with_kappa_and_overlap(comparisons):
    """Not in the paper: κ is never above these, and the exclusive cores' recall never above RCVT."""
    below_kappa = {pair for pair, entry in comparisons.items() if "kappa.kappa" in pair and entry.relation != "≷"}
    names = {name for pair in below_kappa for name in pair} - {"kappa.kappa"}
    outcome = {
        f"{measure}.{value}" for measure in ("b_cubed", "exclusive_core") for value in ("recall", "precision", "f1")
    }
    assert names == outcome | {"muc.f1", "entropy.f1", "overlap.overlap"}
    assert comparisons["exclusive_core.recall", "overlap.overlap"].relation == "≤"


def test_what_seven_mentions_take_back():
    """Of six mentions or fewer, κ is never above the recall or the precision of B³; of seven, it can be."""
    key, response = [{1, 2, 3, 4, 5}, {6}, {7}], [{1, 2, 3}, {4, 5}, {6}, {7}]
    result = aune.score("coref", key, response, measures=["kappa", "b_cubed"], convention="partition")
    assert result["kappa"].kappa == pytest.approx(2 / 3)
    assert result["b_cubed"].recall == pytest.approx(23 / 35)
    assert result["b_cubed"].f1 > result["kappa"].kappa


def test_over_a_corpus():
    key, response = {"a": [{1, 2, 3, 4}], "b": [{1, 2}, {3}]}, {"a": [{1, 2}, {3, 4}], "b": [{1, 2}, {3}]}
    result = aune.score("coref", key, response, measures=["muc", "core", "b_cubed"], convention="partition")
    by_name = {(outcome.first, outcome.second): outcome for outcome in result_severity(result)}
    outcome = by_name["coref.muc.recall", "coref.core.recall"]
    assert (outcome.relation, outcome.cases, outcome.above) == ("≥", 2, "response on a: 0.6667 and 0.3333")


def test_the_command(capsys, tmp_path):
    assert run(["meta", "severity", "muc", "core", "--size", "4", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)["severity"]
    assert shown[0]["relation"] == "≥"
    (tmp_path / "a.txt").write_text("1 2 3\n")
    (tmp_path / "b.txt").write_text("1 2\n3\n")
    files = ["--key", str(tmp_path / "a.txt"), "--responses", str(tmp_path / "b.txt"), f"same={tmp_path / 'a.txt'}"]
    assert run(["meta", "severity", "muc", "core", *files]) == 0
    assert "coref.muc.recall" in capsys.readouterr().out
    assert run(["meta", "severity", "muc"]) == 2
