"""Systems with several runs: the variance of texts and runs, and what tests and intervals make of it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import aune
from aune.cli import run
from aune.results.result import Result
from aune.statistics.comparison import compare_systems
from aune.statistics.contrasts import SystemRuns, contrast_systems, two_sided_p
from aune.statistics.effective_sample import difference_interval
from aune.statistics.run_summaries import changing_units, summarise_runs
from benchmarks.coverage import FREE, stack_campaigns

MASAKHANE = Path(__file__).resolve().parents[2] / "../shared/data/runs/masakhaner2-zul"
CAMPAIGNS = 400


def crossed_values(generator, units, runs, texts, trainings, noise, shared=None):
    """Values of systems' runs on units: an effect of the text, one of the run, and noise; (runs, units, campaigns)."""
    text = generator.normal(0, texts, (1, units, CAMPAIGNS)) if shared is None else shared
    training = generator.normal(0, trainings, (runs, 1, CAMPAIGNS))
    return 50 + text + training + generator.normal(0, noise, (runs, units, CAMPAIGNS))


def system(name, values) -> SystemRuns:
    return SystemRuns(name, [stack_campaigns(FREE, [run_values, np.ones_like(run_values)]) for run_values in values])


@pytest.mark.parametrize(("units", "runs"), [(20, 3), (60, 5)])
def test_the_variance_of_the_mean_is_that_of_texts_and_runs(units, runs):
    """The mean of what is estimated is the variance of the means over campaigns, which the simulation knows."""
    values = crossed_values(np.random.default_rng(1), units, runs, texts=1.0, trainings=0.3, noise=0.8)
    simulated = system("A", values)
    truth = 1.0 / units + 0.09 / runs + 0.64 / (units * runs)
    assert simulated.variance.mean() == pytest.approx(truth, rel=0.1)
    assert simulated.mean_values.var() == pytest.approx(truth, rel=0.2)
    assert simulated.run_variance.mean() == pytest.approx(0.09 / runs, rel=0.25)


@pytest.mark.parametrize("trainings", [0.0, 0.4])
@pytest.mark.parametrize(("units", "runs"), [(20, 3), (50, 5)])
def test_equal_systems_are_told_apart_as_often_as_the_level_says(units, runs, trainings):
    """And the interval of the difference contains 0 in 95 % of campaigns; resampling texts alone would not do."""
    generator = np.random.default_rng(2)
    shared = generator.normal(0, 1.0, (1, units, CAMPAIGNS))
    first, second = (
        system(name, crossed_values(generator, units, runs, 1.0, trainings, 0.8, shared=shared)) for name in "AB"
    )
    contrast = contrast_systems(first, second)
    low, high = difference_interval(contrast.spread, 0.95)
    assert ((low <= 0) & (high >= 0)).mean() >= 0.93
    assert (two_sided_p(contrast.spread) <= 0.05).mean() <= 0.07
    if trainings:
        texts_alone = np.abs(contrast.spread.observed) / np.sqrt(contrast.text_variance)
        assert (texts_alone > 2).mean() > 0.25


def test_systems_of_one_run_have_the_paired_t_test():
    generator = np.random.default_rng(3)
    first, second = generator.normal(50, 1, (40, 1)), generator.normal(50.4, 1, (40, 1))
    contrast = contrast_systems(system("A", [first]), system("B", [second]))
    assert two_sided_p(contrast.spread)[0] == pytest.approx(stats.ttest_rel(first[:, 0], second[:, 0]).pvalue, rel=1e-3)


def test_a_perfect_mean_is_not_certain():
    key = {str(number): [{1, 2}] for number in range(40)}
    result = aune.evaluate("coref", key, {"A": aune.Runs([key, key, key])}, measures=["muc"])
    summary = next(entry for entry in summarise_runs(result) if entry.value == "f1")
    assert (summary.mean, summary.sd, summary.changing) == (1.0, 0.0, 0)
    assert summary.ci == pytest.approx((0.9119, 1.0), abs=1e-3)


KEY = {f"d{number:02d}": [{1, 2, 3}, {4, 5}] for number in range(12)}


def broken(seed: int):
    generator = np.random.default_rng(seed)
    return {name: [{1, 2}, {3}, {4, 5}] if generator.random() < 0.4 else chains for name, chains in KEY.items()}


@pytest.fixture(scope="module")
def result() -> Result:
    runs = {"A": aune.Runs([broken(1), broken(2), broken(3)]), "B": aune.Runs([KEY, broken(4)]), "C": broken(5)}
    return aune.evaluate("coref", KEY, runs, measures=["muc"])


def test_runs_are_scores_of_their_own_and_one_system_together(result):
    assert result.runs == {"A": ["A/1", "A/2", "A/3"], "B": ["B/1", "B/2"], "C": ["C"]}
    values = [result[name, "muc"].f1 for name in result.runs["A"]]
    summary = next(entry for entry in summarise_runs(result) if (entry.system, entry.value) == ("A", "f1"))
    assert (summary.mean, summary.sd) == pytest.approx((np.mean(values), np.std(values, ddof=1)))
    assert (summary.least, summary.most, summary.runs) == pytest.approx((min(values), max(values), 3))


def test_pairs_are_of_systems_and_a_single_run_is_noted(result):
    comparisons = compare_systems(result)
    assert [(pair.a, pair.b) for pair in comparisons.pairs if pair.value == "f1"] == [
        ("A", "B"),
        ("A", "C"),
        ("B", "C"),
    ]
    assert comparisons.settings["test"] == "runs"
    assert any(
        text.startswith("C: a single run, compared with systems that have several") for text in comparisons.warnings
    )
    with pytest.raises(aune.UsageError, match="compares single runs, and A has several"):
        compare_systems(result, "wilcoxon")
    with pytest.raises(aune.UsageError, match="unknown test 'runs'"):
        aune.compare(aune.evaluate("coref", KEY, {"A": KEY, "B": broken(1)}), test="runs")


def test_saved_runs_are_runs_again(result, tmp_path):
    aune.save(result, tmp_path / "rows")
    aune.save(result, tmp_path / "result.json")
    for name in ("rows", "result.json"):
        again = aune.load(tmp_path / name)
        assert again.runs == result.runs
        assert compare_systems(again).pairs == compare_systems(result).pairs


def test_results_in_a_list_are_runs():
    single = [aune.score("coref", KEY, broken(seed), measures=["muc"]) for seed in (1, 2, 3)]
    joined = aune.compare({"A": single[:2], "B": single[2]})
    assert joined.result.runs == {"A": ["A/1", "A/2"], "B": ["B"]}
    with pytest.raises(aune.UsageError, match="found a list of 2 values of several kinds"):
        aune.compare([single[:2], single[2]])  # type: ignore[list-item]
    pair = aune.evaluate("coref", KEY, {"A": KEY, "B": broken(1)}, measures=["muc"])
    with pytest.raises(aune.UsageError, match="expected the runs of a system by its name"):
        aune.compare({"A": [pair, pair], "B": single[2]})


def test_units_that_change_are_listed_with_the_largest_first(result):
    changing = changing_units(result, "coref.muc", "f1")
    own_part = [entry for entry in changing if entry.system == "A"]
    assert own_part and all(first.sd >= second.sd for first, second in pairwise(own_part))
    assert not [entry for entry in changing if entry.system == "C"]
    rows = {name: [run.by("document")[name]["f1"] for run in result if run.run_of == "A"] for name in KEY}
    assert {entry.unit for entry in own_part} <= {name for name, values in rows.items() if len(set(values)) > 1}


def write_runs(folder: Path) -> list[str]:
    def text(chains):
        return "".join(f"# document {name}\n" + "".join(" ".join(map(str, sorted(c))) + "\n" for c in document)
                       for name, document in chains.items())  # fmt: skip

    (folder / "key.txt").write_text(text(KEY))
    for number in (1, 2, 3):
        (folder / f"run{number}.txt").write_text(text(broken(number)))
    return [str(folder / "key.txt"), f"A={folder}/run1.txt,{folder}/run2.txt", f"B={folder}/run*.txt"]


def test_the_command_takes_runs_with_commas_and_patterns(tmp_path, capsys):
    arguments = ["coref", *write_runs(tmp_path), "-m", "muc", "--input-format", "partition"]
    assert run(["score", *arguments]) == 0
    table = capsys.readouterr().out
    assert "±" in table and "mean ± standard deviation of the runs (n − 1)" in table
    assert run(["score", *arguments, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(entry["system"], entry["runs"]) for entry in shown["systems"] if entry["value"] == "f1"] == [
        ("A", 2),
        ("B", 3),
    ]
    assert {entry.get("run_of") for entry in shown["scores"]} == {"A", "B"}
    assert run(["compare", *arguments]) == 0
    assert "test:runs" in capsys.readouterr().out
    assert run(["score", "coref", str(tmp_path / "key.txt"), f"A={tmp_path}/none*.txt"]) == 2


@pytest.mark.skipif(not MASAKHANE.exists(), reason="the runs of MasakhaNER are not here")
def test_masakhaner_has_the_published_means():
    systems = {name: sorted(MASAKHANE.glob(f"{name}.run*")) for name in ("afroxlmr", "mdeberta", "mbert")}
    result = aune.evaluate("ner", MASAKHANE / "gold.conll.gz", systems, measures=["f1"])
    shown = {entry.system: f"{100 * entry.mean:.2f} ± {100 * entry.sd:.2f}"
             for entry in summarise_runs(result) if entry.value == "f1"}  # fmt: skip
    assert shown == {"afroxlmr": "88.37 ± 0.88", "mdeberta": "88.29 ± 0.87", "mbert": "81.72 ± 0.73"}
