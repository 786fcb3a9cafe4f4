from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import aune
from aune.cli import run
from aune.meta.covariance import covariance, verdict

SIZES = [46, 20, 15, 12, 10, 8, 7, 6, 5, 5, 4, 3, 2, 2, 2]  # 147 mentions in 15 chains, as in the MUC-6 text
MUC6 = [{f"{chain}.{n}" for n in range(size)} for chain, size in enumerate(SIZES)]


def pronouns_apart(chains):
    """Ten mentions of each of the five largest chains in one chain of their own: case 3c."""
    taken = {mention for chain in chains[:5] for mention in sorted(chain)[:10]}
    return [*(chain - taken for chain in chains if chain - taken), taken]


def test_case_3c_is_better_than_3a_and_3b_by_every_measure():
    """§6.1: the scores vary together, (3c) beats (3b) and (3a) by F under all measures."""
    systems = {"3a": [{m} for c in MUC6 for m in c], "3b": [set().union(*MUC6)], "3c": pronouns_apart(MUC6)}
    measures = ["muc", "b_cubed", "core", "exclusive_core", "entropy", "kappa"]
    covariances = covariance(aune.evaluate("coref", MUC6, systems, measures=measures, convention="partition"))
    for entry in covariances.verdicts:
        if "3c" in (entry.a, entry.b):
            assert (entry.better, entry.verdict) == ("3c", "unanimous")
    assert next(verdict for verdict in covariances.verdicts if verdict.b == "3b").verdict in (
        "majority",
        "contradictory",
    )


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([1, 1, 0], ("A", "unanimous")),
        ([-1, -1, 1], ("B", "majority")),
        ([1, -1, 0], (None, "contradictory")),
        ([0, 0, 0], (None, "none")),
    ],
)
def test_verdicts(votes, expected):
    assert verdict("t", "A", "B", ["x", "y", "z"], np.array(votes))[3:5] == expected


def test_texts_vote_one_by_one():
    key = {"a": [{1, 2, 3}], "b": [{1, 2, 3}]}
    systems = {"A": {"a": [{1, 2, 3}], "b": [{1}, {2}, {3}]}, "B": {"a": [{1, 2}, {3}], "b": [{1, 2}, {3}]}}
    covariances = covariance(
        aune.evaluate("coref", key, systems, measures=["muc", "b_cubed", "macro(muc, by=document)"])
    )
    assert {verdict.text: verdict.better for verdict in covariances.verdicts if verdict.text != "all texts"} == {
        "a": "A",
        "b": "B",
    }
    assert covariances.concord[0] == ("coref.muc", "coref.b_cubed", 1.0, 2)


def test_lower_is_better_counts_the_right_way():
    systems = {"A": [{1, 2, 3}], "B": [{1, 2}, {3}]}
    covariances = covariance(aune.evaluate("coref", [{1, 2, 3}], systems, measures=["muc", "variation_of_information"]))
    assert covariances.verdicts[0].verdict == "unanimous"


def test_the_command(capsys, tmp_path):
    for name, text in {"key": "1 2 3\n", "A": "1 2 3\n", "B": "1 2\n3\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    files = [str(tmp_path / f"{name}.txt") for name in ("key", "A", "B")]
    assert run(["meta", "covariance", "coref", *files, "--input-format", "partition", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"][0]["verdict"] == "unanimous"
    assert run(["meta", "covariance", "coref", *files, "--input-format", "partition", "-m", "muc"]) == 0
    assert run(["meta", "covariance", "coref", *files[:2], "--input-format", "partition"]) == 2


def test_rank_correlation_of_systems_under_two_measures():
    generator = np.random.default_rng(2)
    key = {f"d{n:02d}": [{1, 2, 3}, {4, 5}, {6, 7, 8, 9}] for n in range(8)}

    def noisy(errors):
        broken = {}
        for name, chains in key.items():
            moved = {m for chain in chains for m in chain if generator.random() < errors}
            broken[name] = [chain - moved for chain in chains if chain - moved] + [{m} for m in sorted(moved)]
        return broken

    systems = {f"s{n}": noisy(0.15 * n) for n in range(5)}
    result = aune.evaluate("coref", key, systems, measures=["muc", "b_cubed"], convention="partition")
    by_name = {entry.by: entry for entry in covariance(result, "kendall", draws=200).correlations}
    mains = [[result[system, name].main for system in systems] for name in ("muc", "b_cubed")]
    assert by_name["pooled"].correlation == pytest.approx(stats.kendalltau(*mains).statistic)
    by_document = [[result[system, name].by("document") for system in systems] for name in ("muc", "b_cubed")]
    each = [stats.kendalltau(*([item[name]["f1"] for item in side] for side in by_document)).statistic for name in key]
    assert by_name["document"].correlation == pytest.approx(np.nanmean(each))
    assert by_name["document"].ci is not None
