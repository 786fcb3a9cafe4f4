"""Plans of test sets: the power that they state is the power that tests have."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import aune
from aune.cli import run
from aune.statistics.contrasts import Contrast, SystemRuns, contrast_systems, contrast_with_unknown
from aune.statistics.planning import plan_sample, usual_sizes
from aune.statistics.power import Precision, noncentrality, power_of, text_factors
from benchmarks.coverage import SHARE, F, stack_campaigns
from benchmarks.power import mcnemar_power, paired_counts, power_in_campaigns


@pytest.mark.parametrize("freedom", [1, 4, 9, 50, 199, 250, 5_000])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_noncentrality_gives_the_power(freedom, power):
    """Against scipy's noncentral t."""
    shift = noncentrality(freedom, 0.025, power)
    truth = stats.nct.sf(stats.t.isf(0.025, freedom), freedom, shift)
    assert truth == pytest.approx(power, abs=0.001)
    assert power_of(freedom, 0.025, shift) == pytest.approx(power, abs=0.01)


STATSMODELS_POWER = {
    (0.2, 30): (0.18518338712591942, 198.150820955562),
    (0.5, 20): (0.5645044184390203, 33.36713118431779),
    (0.1, 900): (0.8500927455435615, 786.808940181792),
}
"""Of statsmodels 0.15.0, for an effect and a number of units: `TTestPower().power(effect, units, 0.05)`, and the units
for a power of 80 %, `TTestPower().solve_power(effect, None, 0.05, 0.8)`.
"""


@pytest.mark.parametrize(("effect", "units"), STATSMODELS_POWER)
def test_the_power_of_a_paired_t_test_is_that_of_statsmodels(effect, units):
    power, needed = STATSMODELS_POWER[effect, units]
    assert power_of(units - 1, 0.025, effect * np.sqrt(units)) == pytest.approx(power, abs=0.002)
    assert simple_precision(1.0).units_needed(effect, 0.025, 0.8) == pytest.approx(needed, abs=1.0)


def test_the_figures_of_statsmodels_are_those_of_the_package():
    power = pytest.importorskip("statsmodels.stats.power", reason="statsmodels is not here").TTestPower()
    for (effect, units), expected in STATSMODELS_POWER.items():
        assert (power.power(effect, units, 0.05), power.solve_power(effect, None, 0.05, 0.8)) == pytest.approx(expected)


def simple_precision(spread: float, units: int = 10_000) -> Precision:
    """What units say that contribute independently to a difference, all of them differing."""
    values = np.random.default_rng(1).normal(0, 1, (units, 1))
    values = spread * (values - values.mean()) / values.std(ddof=1)
    ones = np.ones_like(values)
    contrast = contrast_systems(
        SystemRuns("A", [stack_campaigns(SHARE, [values, ones])]),
        SystemRuns("B", [stack_campaigns(SHARE, [0 * ones, ones])]),
    )
    return Precision(contrast, 0)


def test_range_of_the_variance_is_that_of_chi_square():
    low, high = text_factors(9, 0.95)
    assert (1 / low, 1 / high) == pytest.approx((stats.chi2.isf(0.025, 9) / 9, stats.chi2.ppf(0.025, 9) / 9))


@pytest.mark.parametrize("measure", [SHARE, F], ids=["accuracy", "F"])
@pytest.mark.parametrize("units", [40, 160])
def test_the_stated_power_is_the_power_of_the_tests(measure, units):
    """From a large pilot: the difference that is called detectable is found in 80 % of campaigns, within 3 points."""
    assert power_in_campaigns(measure, units, campaigns=1_500, draws=499, seed=5) == pytest.approx(0.8, abs=0.03)


def test_the_power_of_paired_items_is_that_of_card_and_others():
    """Items that are right or wrong under two systems (Card et al. 2020, §3.1): the exact power of McNemar's test."""
    items, better, worse = 2_000, 0.05, 0.03
    contrast = paired_counts(items, better, worse)
    stated = Precision(contrast, 0).power(items, 0.025, better - worse)
    assert stated == pytest.approx(mcnemar_power(items, better, worse), abs=0.03)


KEY = {f"d{number:02d}": [{1, 2, 3}, {4, 5}] for number in range(20)}


def broken(seed: int, share: float = 0.4):
    generator = np.random.default_rng(seed)
    return {name: [{1, 2}, {3}, {4, 5}] if generator.random() < share else chains for name, chains in KEY.items()}


def test_a_pilot_of_ten_documents_says_how_far_its_plan_may_be_off():
    pilot = {name: KEY[name] for name in list(KEY)[:10]}
    result = aune.evaluate("coref", pilot, {"A": broken(1), "B": broken(2)}, measures=["muc"])
    requirement = next(entry for entry in aune.plan(result, difference="5%").requirements if entry.value == "f1")
    assert requirement.needed_low < requirement.needed < requirement.needed_high
    assert requirement.units == 10 and requirement.difference == 0.05
    precise = plan_sample(result, difference="5%", sizes=[requirement.needed, requirement.needed - 1])
    before, after = (point.detectable for point in precise.curve if point.value == "f1")
    assert after <= 0.05 < before


def test_one_system_is_planned_for_by_the_correlation_with_another():
    result = aune.score("coref", KEY, broken(1), measures=["muc"])
    cautious, hopeful = (plan_sample(result, correlation=size).requirements[-1].spread for size in (0.0, 0.75))
    assert cautious == pytest.approx(2 * hopeful)
    pair = aune.evaluate("coref", KEY, {"A": broken(1), "B": broken(2)}, measures=["muc"])
    with pytest.raises(aune.UsageError, match="acts with one system alone"):
        plan_sample(pair, correlation=0.5)


def test_more_runs_are_needed_where_texts_would_not_help():
    """The variance of runs does not fall with texts: no number of documents shows less than it allows."""
    runs = aune.Runs([broken(1, 0.1), broken(2, 0.5), broken(3, 0.9)])
    others = aune.Runs([broken(4, 0.1), broken(5, 0.5), broken(6, 0.9)])
    result = aune.evaluate("coref", KEY, {"A": runs, "B": others}, measures=["muc"])
    requirement = next(entry for entry in plan_sample(result, difference=0.01).requirements if entry.value == "f1")
    assert requirement.needed is None and requirement.detectable is not None


def test_systems_that_never_differ_leave_nothing_to_plan_from():
    result = aune.evaluate("coref", KEY, {"A": KEY, "B": KEY}, measures=["muc"])
    plan = plan_sample(result)
    assert [entry.detectable for entry in plan.requirements] == [None] * 3 and not plan.curve
    assert plan.warnings == [
        "coref.muc.f1: A and B differ on none of the 20 documents: there is no spread to plan from"
    ]


def test_differences_are_shares_or_percentages():
    result = aune.evaluate("coref", KEY, {"A": KEY, "B": broken(1)}, measures=["muc"])
    assert plan_sample(result, difference="2%").requirements == plan_sample(result, difference=0.02).requirements
    with pytest.raises(aune.UsageError, match=r"write 0\.02, or 2%"):
        plan_sample(result, difference=2)
    with pytest.raises(aune.UsageError, match="expected a number above 0"):
        plan_sample(result, difference="much")


def test_usual_sizes_reach_beyond_what_is_needed():
    assert usual_sizes(100, None)[-1] == 200
    assert 12_345 in usual_sizes(100, 12_345)


@pytest.fixture
def files(tmp_path):
    for name, chains in {"key": KEY, "A": broken(1), "B": broken(2)}.items():
        lines = [f"# document {d}\n" + "\n".join(" ".join(map(str, sorted(c))) for c in cs) for d, cs in chains.items()]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return [str(tmp_path / f"{name}.txt") for name in ("key", "A", "B")]


def test_the_command_plans_from_files_and_from_rows(files, tmp_path, capsys):
    arguments = ["coref", *files, "-m", "muc", "--input-format", "partition"]
    assert run(["plan", *arguments, "--difference", "5%", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["plan"] == {"power": 0.8, "level": 0.95, "unit": "document", "units": 20}
    assert run(["score", *arguments, "--rows", str(tmp_path / "rows"), "-o", str(tmp_path / "s.txt")]) == 0
    rows = ["plan", "--from-rows", str(tmp_path / "rows"), "--difference", "5%"]
    assert run([*rows, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["requirements"] == shown["requirements"]
    assert run([*rows, "--figure", str(tmp_path / "curve.vl.json"), "--sizes", "20,40"]) == 0
    assert "documents needed" in capsys.readouterr().out
    assert "Differences that can be shown" in (tmp_path / "curve.vl.json").read_text()
    for wrong in (["plan", "coref", files[0]], [*rows, "coref", files[0]], [*rows, "--sizes", "20,x"]):
        assert run(wrong) == 2


def test_a_comparison_says_what_it_could_have_shown(files, capsys):
    arguments = ["coref", *files, "-m", "muc", "--input-format", "partition", "--draws", "99"]
    assert run(["compare", *arguments]) == 0
    assert "this test set can show differences of" in capsys.readouterr().out
    result = aune.evaluate("coref", KEY, {"A": broken(1), "B": broken(2)}, measures=["muc"])
    [detectable] = aune.compare(result, draws=99).detectable
    planned = next(entry for entry in plan_sample(result).requirements if entry.value == "f1")
    assert detectable.low == detectable.high == pytest.approx(planned.detectable)


def test_an_unknown_system_is_as_variable_as_the_known_one():
    system = SystemRuns("A", [stack_campaigns(SHARE, [np.arange(10.0)[:, None], np.full((10, 1), 10.0)])])
    contrast: Contrast = contrast_with_unknown(system, 0.0)
    assert contrast.text_variance == pytest.approx(2 * np.var(np.arange(10) / 10, ddof=1) / 10)
