"""Gates that account for chance: against scipy's and statsmodels' tests, and against simulated campaigns."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats

import aune
from aune.cli import run
from aune.contract.measure import NON_NEGATIVE, Measure
from aune.results.gates import parse_margin
from aune.results.result import Result
from aune.statistics.comparison import compare_systems
from aune.statistics.decisions import BETTER, EQUIVALENT, NOT_WORSE, Claim, parse_claims
from benchmarks.coverage import FREE, SHARE, Part
from benchmarks.power import MARGIN, gate_rates

ERRORS = Measure(FREE.count, FREE.score, range=NON_NEGATIVE, better="lower", perfect=0.0, label="test.errors")


def compare_sides(simulation, old, new, measure=FREE, **claims):
    """The decisions about two systems whose units have these values."""
    scores = [
        simulation.make_score(Part(np.asarray(values, float), np.ones(len(values))), name, measure)
        for name, values in (("old", old), ("new", new))
    ]
    result = Result("coref", scores)
    return compare_systems(result, claims=parse_claims(**claims), draws=99, unit="document").decisions


GENERATOR = np.random.default_rng(4)
OLD = GENERATOR.normal(5, 1, 25)
NEW = OLD + GENERATOR.normal(0.05, 0.4, 25)


def test_non_inferiority_is_the_one_sided_paired_t_test(simulation):
    [decision] = compare_sides(simulation, OLD, NEW, fail_if_worse=0.2)
    expected = stats.ttest_rel(NEW + 0.2, OLD, alternative="greater").pvalue
    assert decision.p == pytest.approx(expected, rel=0.02)
    assert decision.is_shown == (expected <= 0.05)
    low, high = stats.ttest_rel(NEW, OLD).confidence_interval(0.9)
    assert decision.ci == pytest.approx((low, high), rel=0.02)


@pytest.mark.parametrize("margin", [0.1, 0.2, 0.3])
def test_equivalence_is_the_larger_of_two_one_sided_p_values(simulation, margin):
    [decision] = compare_sides(simulation, OLD, NEW, equivalent=margin)
    tests = (stats.ttest_rel(NEW + margin, OLD, alternative="greater"),
             stats.ttest_rel(NEW - margin, OLD, alternative="less"))  # fmt: skip
    assert decision.p == pytest.approx(max(test.pvalue for test in tests), rel=0.03, abs=0.001)


STATSMODELS_EQUIVALENCE = {0.1: 0.16276315559358703, 0.2: 0.01594518442673613, 0.3: 0.0008074497328367659}
"""Of statsmodels 0.15.0, by margin: `ttost_paired(NEW, OLD, -margin, margin)[0]`."""


@pytest.mark.parametrize("margin", STATSMODELS_EQUIVALENCE)
def test_equivalence_is_that_of_statsmodels(simulation, margin):
    [decision] = compare_sides(simulation, OLD, NEW, equivalent=margin)
    expected = STATSMODELS_EQUIVALENCE[margin]
    assert decision.p == pytest.approx(expected, rel=0.03, abs=0.001)
    assert decision.is_shown == (expected <= 0.05)


def test_the_figures_of_statsmodels_are_those_of_the_package():
    weightstats = pytest.importorskip("statsmodels.stats.weightstats", reason="statsmodels is not here")
    for margin, expected in STATSMODELS_EQUIVALENCE.items():
        assert weightstats.ttost_paired(NEW, OLD, -margin, margin)[0] == pytest.approx(expected)


def test_better_is_decided_by_the_two_sided_interval(simulation):
    for gain, outcome in ((0.5, "passed"), (0.0, "not shown"), (-0.5, "worse")):
        [decision] = compare_sides(
            simulation, OLD, OLD + gain + (NEW - OLD - (NEW - OLD).mean()), fail_unless_better=True
        )
        assert decision.outcome == outcome


@pytest.mark.parametrize(("measure", "sign"), [(FREE, 1), (ERRORS, -1)])
def test_the_three_outcomes_have_three_messages(simulation, measure, sign):
    noise = 0.03 * np.sign(np.arange(40) % 2 - 0.5)
    values = np.linspace(0.5, 0.7, 40)
    for gap, outcome, text in (
        (-0.1, "worse", "is worse than old: −10.00 ["),
        (0.0, "passed", "is as good as old within 1.00 points: 0.00 ["),
        (-0.005, "not shown", "is not shown to be as good as old within 1.00 points: −0.50 ["),
    ):
        [decision] = compare_sides(simulation, values, values + sign * gap + noise, measure, fail_if_worse="1%")
        assert (decision.outcome, decision.gain) == (outcome, pytest.approx(gap))
        assert text in decision.message


def test_a_gate_that_shows_nothing_says_how_many_documents_would(simulation):
    """With as many documents, two systems that are equally good pass in 80 % of cases."""
    [decision] = compare_sides(simulation, OLD, NEW, fail_if_worse=0.02)
    assert decision.outcome == "not shown" and decision.needed is not None
    spread = np.std(NEW - OLD, ddof=1)
    approximately = ((stats.norm.ppf(0.95) + stats.norm.ppf(0.8)) * spread / 0.02) ** 2
    assert decision.needed == pytest.approx(approximately, rel=0.02)
    assert (
        f"about {decision.needed:,} documents would show it if the two were equally good (80 % power)"
        in decision.message
    )


def test_systems_that_never_differ_pass_only_where_there_are_enough_documents(simulation):
    """The largest share of documents that may differ unseen is 1 − 0.05^(1/n)."""
    for units, outcome in ((40, "not shown"), (298, "not shown"), (300, "passed")):
        values = np.full(units, 0.5)
        [decision] = compare_sides(simulation, values, values, SHARE, fail_if_worse="1%")
        assert decision.outcome == outcome
        assert decision.needed == 299
        assert decision.p == pytest.approx(0.99**units)


def test_four_documents_show_nothing(simulation):
    [decision] = compare_sides(simulation, OLD[:4], OLD[:4] + 3, fail_unless_better=True)
    assert (decision.outcome, decision.ci, decision.p) == ("not shown", None, None)
    assert "4 documents are too few to show anything" in decision.message


def test_a_gate_lets_few_systems_pass_that_are_worse_by_the_margin():
    """In 95 % of campaigns such a system fails; one that is as good passes the more often the more documents."""
    worse, good = gate_rates(SHARE, 200, campaigns=1_500, seed=3)
    assert worse <= 0.065
    assert gate_rates(SHARE, 1_000, campaigns=300, seed=3)[1] > good
    assert MARGIN == 0.01


def test_margins_are_on_the_scale_of_thresholds(simulation):
    assert parse_margin("0.5%", "--equivalent").size == parse_margin(0.005, "equivalent").size
    with pytest.raises(
        aune.UsageError, match=r"fail.if.worse 2: .* is shown × 100, so this is 200 %: write 0.02, or 2%"
    ):
        compare_sides(simulation, OLD, NEW, SHARE, fail_if_worse="2")
    for text in ("0", "-1%", "nan", "x"):
        with pytest.raises(aune.UsageError, match="expected a number above 0"):
            parse_claims(equivalent=text)


def test_claims_name_their_options():
    margin = parse_margin("1%", "--fail-if-worse")
    assert [Claim(NOT_WORSE, margin).text, Claim(BETTER).text, Claim(EQUIVALENT, margin).text] == [
        "--fail-if-worse 1%",
        "--fail-unless-better",
        "--equivalent 1%",
    ]


KEY = {f"d{number:02d}": [{1, 2, 3}, {4, 5}, {6, 7, 8}] for number in range(30)}


def broken(seed: int, share: float):
    generator = np.random.default_rng(seed)
    return {name: [{1, 2}, {3}, *chains[1:]] if generator.random() < share else chains for name, chains in KEY.items()}


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("gates")
    for name, chains in {"key": KEY, "old": broken(1, 0.2), "new": broken(2, 0.2), "bad": broken(3, 0.9)}.items():
        lines = [f"# document {d}\n" + "\n".join(" ".join(map(str, sorted(c))) for c in cs) for d, cs in chains.items()]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return {name: str(folder / f"{name}.txt") for name in ("key", "old", "new", "bad")}


COMMON = ["-m", "muc", "--input-format", "partition", "--draws", "99"]


def test_the_command_fails_and_reports(files, tmp_path, capsys):
    junit, summary = tmp_path / "gate.xml", tmp_path / "gate.md"
    arguments = ["compare", "coref", files["key"], files["old"], files["new"], files["bad"], *COMMON]
    reports = ["--junit", str(junit), "--summary", str(summary)]
    assert run([*arguments, "--fail-if-worse", "5%", *reports, "--format", "json"]) == 1
    captured = capsys.readouterr()
    decisions = json.loads(captured.out)["decisions"]
    assert [(entry["new"], entry["outcome"]) for entry in decisions] == [("new", "passed"), ("bad", "worse")]
    assert "aune: bad: muc.f1 is worse than old" in captured.err
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite[1].get("classname") == "coref.bad" and suite[1][0].get("type") == "worse"
    assert summary.read_text().startswith(
        "## aune compare: failed\n\n- new: muc.f1 is as good as old within 5.00 points"
    )
    assert run([*arguments[:-7], *COMMON, "--fail-if-worse", "5%"]) == 0
    assert run([*arguments, "--junit", str(junit)]) == 2


def test_stored_rows_are_the_reference(files, tmp_path, capsys):
    rows, stored = str(tmp_path / "rows"), str(tmp_path / "old.json")
    score = ["score", "coref", files["key"], files["old"], "-m", "muc", "--input-format", "partition"]
    assert run([*score, "--rows", rows, "-o", stored, "--ci", "--by", "document"]) == 0
    assert run([*score, "-o", str(tmp_path / "totals.json")]) == 0
    compare = ["compare", "coref", files["key"], files["new"], *COMMON, "--fail-if-worse", "5%", "--format", "json"]
    assert run([*compare[:3], files["old"], *compare[3:]]) == 0
    direct = json.loads(capsys.readouterr().out)
    assert run([*compare, "--reference", str(tmp_path / "totals.json")]) == 2
    assert "has totals alone, expected values by document" in capsys.readouterr().err
    for reference in (rows, stored, f"old={rows}"):
        assert run([*compare, "--reference", reference]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert (shown["decisions"], shown["comparisons"]) == (direct["decisions"], direct["comparisons"])


def test_rows_of_another_key_or_signature_are_refused(files, tmp_path, capsys):
    score = ["score", "coref", files["key"], files["old"], "-m", "muc", "--input-format", "partition"]
    assert run([*score, "--rows", str(tmp_path / "rows"), "-o", str(tmp_path / "s.txt")]) == 0
    compare = ["compare", "coref", files["key"], files["new"], *COMMON, "--reference", str(tmp_path / "rows")]
    assert run([*compare, "--missing", "skip"]) == 2
    assert "expected the same options: score them the same way" in capsys.readouterr().err
    other = tmp_path / "key.txt"
    other.write_text(Path(files["key"]).read_text() + "# document d99\n1 2\n")
    assert run([*compare[:2], str(other), *compare[3:]]) == 2
    assert "the results are of different keys" in capsys.readouterr().err
    assert run([*compare[:4], "-m", "lea", "--input-format", "partition", *compare[-2:]]) == 2
    assert "has no lea: store it with the reference" in capsys.readouterr().err


def test_python_has_the_same_gates():
    result = aune.evaluate("coref", KEY, {"old": broken(1, 0.2), "bad": broken(3, 0.9)}, measures=["muc"])
    comparisons = aune.compare(result, fail_if_worse="5%", draws=99)
    assert not comparisons.all_shown and comparisons.decisions[0].outcome == "worse"
    assert "is worse than old" in comparisons.to("table") or "worse" in comparisons.to("table")
    with pytest.raises(aune.UsageError, match="equivalent much: expected a number above 0"):
        aune.compare(result, equivalent="much")


def test_corrections_go_over_measures_too():
    """Holm and Benjamini–Hochberg over every pair of every measure, as scipy and the definition have it."""
    systems = {"A": broken(1, 0.2), "B": broken(2, 0.35), "C": broken(3, 0.5)}
    result = aune.evaluate("coref", KEY, systems, measures=["muc", "lea", "b_cubed"])
    together = compare_systems(result, family="all", draws=999)
    main = [pair for pair in together.pairs if pair.value == "f1"]
    p = np.array([pair.p for pair in main])
    assert len(p) == 9
    order = np.argsort(p)
    expected = np.maximum.accumulate(np.minimum(1, p[order] * (9 - np.arange(9))))
    assert [main[place].p_holm for place in order] == pytest.approx(expected)
    assert [pair.p_bh for pair in main] == pytest.approx(stats.false_discovery_control(p))
    assert {pair.p_holm for pair in together.pairs if pair.value != "f1"} == {None}
    assert together.settings["family"] == "all"
    assert "correction:holm over all measures and pairs of systems" in together.to("table")
    assert [(order.measure, order.value) for order in together.orders] == list(together.chosen)
    with pytest.raises(aune.UsageError, match="unknown family of tests"):
        compare_systems(result, family="everything")


def test_a_family_has_the_values_that_are_named():
    result = aune.evaluate("coref", KEY, {"A": KEY, "B": broken(2, 0.5)}, measures=["muc"])
    comparisons = compare_systems(result, family="all", values={"coref.muc": ["recall", "precision"]}, draws=99)
    assert {pair.value for pair in comparisons.pairs if pair.p_holm is not None} == {"recall", "precision"}
