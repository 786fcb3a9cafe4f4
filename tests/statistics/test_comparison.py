from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import aune
from aune.cli import run
from aune.statistics.comparison import compare_systems
from aune.statistics.ranking import benjamini_hochberg, groups, holm, rank_ranges

GENERATOR = np.random.default_rng(0)
NAMES = [f"d{n:02d}" for n in range(30)]
KEY = {name: [{1, 2, 3}, {4, 5}, {6, 7, 8, 9}] for name in NAMES}


def noisy(errors: float):
    """The key with some of its chains broken."""

    def broken(chain):
        return [{min(chain)}, chain - {min(chain)}] if GENERATOR.random() < errors else [chain]

    return {name: [part for chain in chains for part in broken(chain)] for name, chains in KEY.items()}


SYSTEMS = {"A": noisy(0.1), "B": noisy(0.12), "C": noisy(0.8)}


@pytest.fixture(scope="module")
def result():
    return aune.evaluate("coref", KEY, SYSTEMS, measures=["muc", "conll", "distribution", "variation_of_information"])


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "sign", "wilcoxon"])
def test_a_worse_system_is_told_apart_and_an_equal_one_is_not(result, test):
    comparisons = compare_systems(result, test, draws=999)
    by_pair = {(pair.a, pair.b): pair for pair in comparisons.pairs if pair.measure == "coref.conll"}
    assert by_pair["A", "C"].p_holm <= 0.05 < by_pair["A", "B"].p_holm
    low, high = by_pair["A", "C"].ci
    assert 0 < low < by_pair["A", "C"].difference < high
    order = next(order for order in comparisons.orders if order.measure == "coref.conll")
    assert [(rank.system, rank.best, rank.worst) for rank in order.ranks][-1] == ("C", 3, 3)
    assert sorted(order.groups[0]) == ["A", "B"]


def test_lower_can_be_better(result):
    comparisons = compare_systems(result, draws=999)
    order = next(order for order in comparisons.orders if order.value == "vi")
    assert order.ranks[-1].system == "C"


def test_differences_of_a_value_best_at_zero_are_of_distances(result):
    comparisons = compare_systems(result, draws=99)
    pair = next(pair for pair in comparisons.pairs if pair.value == "d_error" and pair.b == "C")
    expected = abs(result["A", "distribution"].d_error) - abs(result["C", "distribution"].d_error)
    assert pair.difference == pytest.approx(expected)


def test_exchanging_the_systems_changes_signs_only(result):
    turned = aune.evaluate("coref", KEY, dict(reversed(SYSTEMS.items())), measures=["muc"])
    ours = {
        (pair.value, pair.a, pair.b): pair for pair in compare_systems(result, draws=500).pairs if "muc" in pair.measure
    }
    for pair in compare_systems(turned, draws=500).pairs:
        other = ours[pair.value, pair.b, pair.a]
        assert (pair.difference, pair.p) == pytest.approx((-other.difference, other.p))


def test_the_order_of_documents_changes_no_digit(result):
    again = aune.evaluate("coref", dict(reversed(KEY.items())), SYSTEMS, measures=["muc"])
    own_pairs = [pair for pair in compare_systems(result, draws=300).pairs if pair.measure == "coref.muc"]
    assert own_pairs == compare_systems(again, draws=300).pairs


def test_one_document_has_a_difference_but_no_p():
    result = aune.evaluate("coref", [{1, 2, 3}], {"A": [{1, 2, 3}], "B": [{1, 2}, {3}]}, measures=["muc"])
    comparisons = compare_systems(result)
    assert comparisons.pairs[0].difference == 0.5
    assert (comparisons.pairs[0].p, comparisons.pairs[0].ci, comparisons.pairs[0].effect) == (None, None, None)
    assert comparisons.warnings == ["one document only: nothing can be said about how sure the scores are"]


def test_systems_on_other_documents_are_refused():
    skipped = {name: SYSTEMS["A"][name] for name in NAMES[:20]}
    result = aune.evaluate("coref", KEY, {"A": skipped, "B": SYSTEMS["B"]}, measures=["muc"], missing="skip")
    with pytest.raises(aune.UsageError, match="scored on other documents"):
        compare_systems(result)


def test_results_one_after_the_other_or_in_a_list():
    runs = [aune.evaluate("coref", KEY, {name: SYSTEMS[name]}, measures=["muc"]) for name in ("A", "B")]
    assert aune.compare(*runs, draws=99).pairs == aune.compare(runs, draws=99).pairs
    with pytest.raises(aune.UsageError, match=r"found a task, expected results: write aune.compare\(aune.evaluate"):
        aune.compare("coref", KEY, SYSTEMS)  # type: ignore[arg-type]


def test_one_system_is_nothing_to_compare():
    with pytest.raises(aune.UsageError, match="at least two systems"):
        compare_systems(aune.score("coref", KEY, SYSTEMS["A"]))


def test_the_command_gives_the_comparisons(tmp_path, capsys):
    for name, chains in {"key": KEY, **SYSTEMS}.items():
        lines = [f"# document {d}\n" + "\n".join(" ".join(map(str, sorted(c))) for c in cs) for d, cs in chains.items()]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    paths = [str(tmp_path / f"{name}.txt") for name in ("key", "A", "B")]
    arguments = ["compare", "coref", *paths, "--measures", "muc", "--draws", "200", "--input-format", "partition"]
    assert run([*arguments, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown["comparisons"][0]) == [
        "measure",
        "value",
        "a",
        "b",
        "difference",
        "ci",
        "p",
        "p_holm",
        "p_bh",
        "effect",
    ]
    assert shown["test"] == {
        "test": "randomisation", "level": 0.95, "draws": 200, "seed": 1, "unit": "document", "units": 30,
        "correction": "holm",
    }  # fmt: skip
    for format in ("table", "csv", "tsv", "markdown", "latex", "html", "jsonl"):
        assert run([*arguments, "--format", format]) == 0
        assert "muc" in capsys.readouterr().out
    assert run([*arguments, "--format", "jsonl"]) == 0
    first, second, *_ = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"record": "test", **shown["test"]}  # the seed is always told
    assert second == {"record": "comparison", **shown["comparisons"][0]}
    assert run(["compare", "coref", *paths[:2]]) == 2


@given(st.lists(st.floats(0, 1), max_size=8))
@settings(max_examples=100)
def test_holm_is_the_step_down_definition(p):
    corrected = holm(np.array(p))
    order = sorted(range(len(p)), key=lambda place: p[place])
    running = 0.0
    for rank, place in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[place]))
        assert corrected[place] == pytest.approx(running)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
@settings(max_examples=100)
def test_benjamini_hochberg_is_what_scipy_gives(p):
    assert benjamini_hochberg(np.array(p)) == pytest.approx(stats.false_discovery_control(p))


def test_benjamini_hochberg_by_hand():
    """The example of their paper (1995, §4.1): fifteen p-values, four discoveries, and three by Holm."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
         0.7590, 1.0]  # fmt: skip
    assert (benjamini_hochberg(np.array(p)) <= 0.05).sum() == 4
    assert (holm(np.array(p)) <= 0.05).sum() == 3
    assert benjamini_hochberg(np.array([0.01, np.nan, 0.02])).tolist() == pytest.approx(
        [0.02, np.nan, 0.02], nan_ok=True
    )


def test_the_correction_decides_who_is_told_apart(tmp_path, capsys):
    """With many equal pairs Holm asks more than Benjamini and Hochberg."""
    key = {str(n): [{1, 2, 3, 4}] for n in range(30)}
    bad = {n: [{1, 2}, {3, 4}] for n in key}
    result = aune.evaluate("coref", key, {"A": key, "B": key, "C": bad}, measures=["muc"])
    for correction in ("holm", "benjamini-hochberg"):
        comparisons = compare_systems(result, "sign", draws=100, correction=correction)
        assert comparisons.settings["correction"] == correction
        assert comparisons.orders[0].groups == [["A", "B"], ["C"]]
    with pytest.raises(aune.UsageError, match="unknown correction 'bonferroni'"):
        compare_systems(result, correction="bonferroni")


def test_holm_leaves_undefined_ones_out():
    assert holm(np.array([0.01, np.nan, 0.02])).tolist() == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)


PAIRS = st.sets(st.tuples(st.sampled_from("ABCDEF"), st.sampled_from("ABCDEF")).filter(lambda pair: pair[0] != pair[1]))


@given(PAIRS)
@settings(max_examples=100)
def test_groups_are_the_largest_sets_without_a_pair_told_apart(pairs):
    apart = {frozenset(pair) for pair in pairs}
    rows = [frozenset(group) for group in groups("ABCDEF", apart)]
    together = lambda group: not any(pair <= group for pair in apart)  # noqa: E731
    assert all(map(together, rows))
    assert set().union(*rows) == set("ABCDEF")
    for group in rows:
        assert not any(together(group | {other}) for other in set("ABCDEF") - group)


def test_equal_systems_share_a_rank():
    assert [(entry.rank, entry.best, entry.worst) for entry in rank_ranges(["A", "B"], [0.5, 0.5], set())] == [
        (1, 1, 2)
    ] * 2


def test_counts_that_cannot_be_exchanged_have_no_p_and_say_so(simulation):
    """A measure that counts by label, for systems with labels of their own."""
    from aune.contract.measure import Column, Measure
    from aune.contract.signature import Signature
    from aune.results.result import Result, SystemScore
    from aune.results.rows import make_rows

    class Labels(NamedTuple):
        labels: Column

    class Most(NamedTuple):
        most: Column

    def score(counts: Labels) -> Most:
        return Most(counts.labels.max(axis=-1))

    score.__annotations__ = {"counts": Labels, "return": Most}
    measure = Measure(Labels, score, label="test.most")
    names = [f"{n:05d}" for n in range(25)]
    scores = [
        SystemScore(
            s, measure, Signature("x", {}, "0"), make_rows({"document": names}, [Labels(GENERATOR.random((25, width)))])
        )
        for s, width in (("A", 2), ("B", 3))
    ]
    plain = [simulation.make_score(simulation.Share(GENERATOR.random(25), np.ones(25)), s) for s in "AB"]
    comparisons = compare_systems(Result("test", [scores[0], plain[0], scores[1], plain[1]]), draws=50)
    assert [pair.p is None for pair in comparisons.pairs] == [True, False]
    assert len(comparisons.warnings) == 1
    assert "test.most: counts by label" in comparisons.warnings[0]
    again = compare_systems(Result("test", [scores[0], plain[0], scores[1], plain[1]]), "bootstrap", draws=50)
    assert [pair.p is None for pair in again.pairs] == [False, False]
