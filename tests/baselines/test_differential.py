"""Scores against a baseline, the level of chance, and what groups of rules bring."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune import baselines
from aune.baselines.differential import ablations, against_baseline, chance, named_baseline, sweep
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import Corpus, read

KEY = [{1, 2, 3}, {4, 5}, {6}]
CHAINS = st.lists(st.integers(0, 3), min_size=6, max_size=6).map(
    lambda labels: [{place + 1 for place in range(6) if labels[place] == label} for label in sorted(set(labels))]
)


@settings(max_examples=30)
@given(CHAINS)
def test_relative_scores(response: list[set[int]]) -> None:
    """0 is the baseline, 1 is perfect, and in between it is linear."""
    systems = {"perfect": KEY, "same": [{1}, {2}, {3}, {4}, {5}, {6}], "other": response}
    result = against_baseline("coref", KEY, systems, "singletons", measures=["b_cubed"])
    name = "over(coref.b_cubed,singletons)"
    assert result["perfect", name].f1 == 1
    assert result["same", name].f1 == 0
    scores = [
        aune.score("coref", KEY, systems[entry], measures=["b_cubed"])["b_cubed"].f1 or 0 for entry in ("same", "other")
    ]
    assert result["other", name].f1 == pytest.approx((scores[1] - scores[0]) / (1 - scores[0]))


def test_relative_to_what_is_best_at_zero_or_lower() -> None:
    result = against_baseline("coref", KEY, {"perfect": KEY}, "one_chain", measures=["distribution"])
    values = result.scores[0].values
    assert all(value in (None, 1.0) for value in values.values())


def test_a_perfect_baseline_leaves_nothing_to_gain() -> None:
    result = against_baseline("coref", [{1}, {2}], {"A": [{1, 2}]}, "singletons", measures=["b_cubed"]).scores[0]
    assert result.f1 is None
    assert "baseline is perfect" in result.reasons["f1"]


def test_units_that_only_one_response_has() -> None:
    key = {"d": {"anaphors": {"he": "Ann"}, "candidates": {"he": ["Bob"]}}}
    result = against_baseline("anaphora", key, {"A": {"d": {"he": "Ann", "it": "hat"}}}, "recent", measures=["pairs"])
    assert result.scores[0].recall == 1


def test_options_in_the_name() -> None:
    assert named_baseline("coref", "activation(off=gender)")[1] == {"off": ("gender",)}
    with pytest.raises(UsageError, match="did you mean 'activation'"):
        named_baseline("coref", "activatoin")
    with pytest.raises(UsageError, match="unknown option of the baseline"):
        named_baseline("coref", "one_chain(seed=1)")


def test_relative_scores_can_be_resampled() -> None:
    key = {"a": KEY, "b": KEY}
    result = against_baseline("coref", key, {"A": {"a": KEY, "b": [{1, 2}]}}, "one_chain", measures=["muc"]).scores[0]
    assert set(result.by("document")) == {"a", "b"}
    assert result.by("document")["a"]["f1"] == 1


def test_the_level_of_chance_is_not_zero_for_h_and_kappa(data: Path) -> None:
    """§5.1 hopes that H and κ vanish on random partitions of the key's profile. They do not."""
    path = str(data / "coref/litbank/key.conll.gz")
    levels = {
        (entry.measure, entry.value): entry
        for entry in chance("coref", path, "random_profile", draws=5, measures=["entropy", "kappa"])
    }
    entropy, kappa = levels["coref.entropy", "f1"], levels["coref.kappa", "kappa"]
    assert entropy.mean is not None and kappa.mean is not None and entropy.deviation is not None
    assert 0.2 < entropy.mean < 0.7
    assert kappa.mean < -0.3
    assert 0 < entropy.deviation < 0.05


def test_chance_of_a_system_without_chance_is_one_draw() -> None:
    [recall, *_] = chance("coref", KEY, "one_chain", draws=9, measures=["muc"])
    assert (recall.mean, recall.deviation, recall.draws) == (1, 0, 1)


def test_ablations(data: Path) -> None:
    """One and two of the four groups off; sense matters most, as in the paper."""
    outcome = ablations("coref", str(data / "coref/litbank/key.conll.gz"), "activation")
    assert len(outcome) == 1 + 4 + 6
    assert outcome[0].off == ()
    assert outcome[0].loss == 0
    single = {entry.off[0]: entry.loss for entry in outcome if len(entry.off) == 1}
    assert max(single, key=lambda group: single[group] or 0) == "semantics"
    with pytest.raises(UsageError, match="no groups of rules"):
        ablations("coref", KEY, "one_chain")


def test_every_baseline_is_documented() -> None:
    for task in ("coref", "anaphora"):
        assert baselines.names(task)
        for name in baselines.names(task):
            assert len(baselines.baseline(task, name).documentation) > 30


def test_a_random_baseline_is_the_mean_of_its_draws() -> None:
    """§5.1: many draws, their spread in the details, and draws and seed in the signature."""
    response = [{1, 2}, {3, 4, 5}, {6}]
    result = against_baseline("coref", KEY, {"A": response}, "random_profile(draws=7,seed=3)", measures=["b_cubed"])
    [score] = result
    levels = {
        entry.value: entry for entry in chance("coref", KEY, "random_profile(seed=3)", draws=7, measures=["b_cubed"])
    }
    own_values = aune.score("coref", KEY, response, measures=["b_cubed"])["b_cubed"].values
    for value, number in score.values.items():
        level = levels[value].mean or 0
        assert number == pytest.approx(((own_values[value] or 0) - level) / (1 - level))
    assert {entry["value"]: entry["deviation"] for entry in score.details} == {
        value: level.deviation for value, level in levels.items()
    }
    assert "baseline:random_profile(draws=7,seed=3)" in str(score.signature)
    [usual] = against_baseline("coref", KEY, {"A": response}, "random_profile", measures=["b_cubed"])
    assert "baseline:random_profile(draws=20,seed=0)" in str(usual.signature)
    with pytest.raises(UsageError, match="at least one"):
        against_baseline("coref", KEY, {"A": response}, "random_profile(draws=0)")


def test_a_sweep_finds_the_best_on_some_texts_and_scores_it_on_others(examples: Path) -> None:
    key = str(examples / "coref" / "key.conll")
    grid = {"kept": [0.3, 0.9], "nominal": [0.0, 1.0]}
    outcome = sweep("coref", key, key, "activation", grid, measures=["muc", "b_cubed"])
    assert len(outcome.trials) == 4
    means = [trial.mean or 0 for trial in outcome.trials]
    assert means == sorted(means, reverse=True)
    best = ",".join(f"{name}={value}" for name, value in outcome.trials[0].parameters.items())
    corpus = read(registry.task("coref"), key)
    answer = Corpus(baselines.baseline("coref", "activation")(corpus.documents, values=best))
    again = aune.evaluate("coref", corpus, {"a": answer}, measures=["muc", "b_cubed"])
    assert outcome.chosen == {entry.name: entry.main for entry in again}
    drawn = sweep("coref", key, key, "activation", grid, draws=2, seed=1, measures=["muc"])
    assert len(drawn.trials) == 2
    assert drawn == sweep("coref", key, key, "activation", grid, draws=2, seed=1, measures=["muc"])
    usual = sweep("coref", key, key, "activation", {"kept": [0.5]})
    assert [name.removeprefix("coref.") for name in usual.chosen] == [
        "muc", "b_cubed", "core", "exclusive_core", "entropy",
    ], "the measures of the paper, as in ablations"  # fmt: skip
    with pytest.raises(UsageError, match="no parameters"):
        sweep("coref", key, key, "same_head", grid)
    with pytest.raises(UsageError, match="unknown parameter"):
        sweep("coref", key, key, "activation", {"keep": [1.0]})
