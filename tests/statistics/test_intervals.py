from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import aune
from aune.cli import run
from aune.errors import UsageError
from aune.results.result import Result
from aune.results.rows import Rows
from aune.statistics import intervals
from aune.statistics.intervals import METHODS, with_intervals
from aune.statistics.resampling import bootstrap_weights, common_stack

F = slice(2, None, 3)


@pytest.mark.parametrize("method", ["effective", "percentile", "bca", "jackknife", "delta"])
def test_intervals_hold_the_true_value_as_often_as_promised(simulation, method):
    campaigns = 400
    stack = simulation.samples(campaigns, 100, seed=11)
    truth = simulation.samples(1, 200_000, seed=12).estimates[2]
    low, high = METHODS[method](stack, 0.90, 999, 5)[:, F]
    coverage = ((low <= truth) & (truth <= high)).mean()
    assert abs(coverage - 0.90) < 3 * np.sqrt(0.09 / campaigns) + 0.005


def f1(correct, key, response, axis=-1):
    return 2 * correct.sum(axis=axis) / (key.sum(axis=axis) + response.sum(axis=axis))


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_bootstrap_is_that_of_scipy_on_the_same_draws(simulation, method):
    generator = np.random.default_rng(3)
    key = generator.integers(5, 50, 37)
    counts = simulation.Found(generator.binomial(key, 0.6), key, generator.integers(30, 60, 37))
    rival_confidence_interval = stats.bootstrap(
        tuple(map(np.asarray, counts)), f1, paired=True, vectorized=True, n_resamples=2000, method=method,
        random_state=np.random.default_rng(9),
    ).confidence_interval  # fmt: skip
    low, high = METHODS[method.lower()](common_stack([simulation.make_score(counts)]), 0.95, 2000, 9)[:, 2]
    assert (low, high) == pytest.approx((rival_confidence_interval.low, rival_confidence_interval.high), abs=1e-9)


def test_delta_of_a_ratio_is_the_textbook_formula(simulation):
    generator = np.random.default_rng(3)
    whole = generator.integers(5, 50, 200).astype(float)
    part = generator.binomial(whole.astype(int), 0.3).astype(float)
    low, high = METHODS["delta"](common_stack([simulation.make_score(simulation.Share(part, whole))]), 0.95, 0, 0)[:, 0]
    estimate = part.sum() / whole.sum()
    error = np.sqrt(((part - estimate * whole) ** 2).sum()) / whole.sum()
    assert (low, high) == pytest.approx((estimate - 1.959964 * error, estimate + 1.959964 * error), abs=1e-7)


def test_jackknife_of_a_mean_is_the_t_interval(simulation):
    values = np.random.default_rng(3).random(20)
    stack = common_stack([simulation.make_score(simulation.Share(values, np.ones(20)))])
    expected = stats.t.interval(0.95, 19, values.mean(), values.std(ddof=1) / np.sqrt(20))
    assert METHODS["jackknife"](stack, 0.95, 0, 0)[:, 0] == pytest.approx(expected)


KEY = {f"d{n}": [{1, 2, 3}, {4, 5}, {6, 7, 8}] for n in range(12)}
RESPONSE = {f"d{n}": [{1, 2}, {3, 4, 5}, {6, 7} if n % 3 else {6, 7, 8}] for n in range(12)}


def test_signature_and_json_say_how_the_interval_was_made():
    result = with_intervals(aune.score("coref", KEY, RESPONSE, measures=["muc"]), "bca", draws=500, seed=3)
    assert "|ci:bca|level:0.95|unit:document|draws:500|seed:3|" in str(result["muc"].signature)
    low, high = result.to_dict()["scores"][0]["ci"]["f1"]
    assert low <= result["muc"].f1 <= high
    assert result.warnings == ["only 12 documents: intervals and tests are rough below about 20"]


def test_the_order_of_documents_changes_no_digit():
    turned = [dict(reversed(corpus.items())) for corpus in (KEY, RESPONSE)]
    first = with_intervals(aune.score("coref", KEY, RESPONSE), draws=300)
    second = with_intervals(aune.score("coref", *turned), draws=300)
    assert [score.intervals for score in first] == [score.intervals for score in second]


def test_one_document_has_no_interval_and_says_so():
    result = with_intervals(aune.score("coref", [{1, 2}], [{1, 2}], measures=["muc"]))
    assert result["muc"].intervals == {"recall": None, "precision": None, "f1": None}
    assert result.to_dict()["scores"][0]["ci"]["f1"] is None
    assert any("one document" in warning for warning in result.warnings)


def test_a_measure_that_resampling_biases_refuses_it():
    result = aune.score("coref", KEY, RESPONSE, measures=["muc"])
    biased = dataclasses.replace(result["muc"].measure, bootstrap=False)
    result = Result("coref", [dataclasses.replace(result["muc"], measure=biased)])
    for method in ("percentile", "bca"):
        with pytest.raises(aune.UsageError, match="resampling would bias it"):
            with_intervals(result, method)
    assert "ci:effective" in str(with_intervals(result)["muc"].signature)


def test_macro_averages_and_groups_have_intervals_too():
    result = aune.score("coref", KEY, RESPONSE, measures=["macro(muc, by=document)", "conll", "kappa"])
    for score in with_intervals(result, draws=200):
        for value, (low, high) in score.intervals.items():
            assert low <= score.values[value] <= high


def test_undefined_values_have_no_interval(simulation):
    nothing = simulation.make_score(simulation.Share(np.zeros(5), np.zeros(5)))
    assert with_intervals(Result("test", [nothing]), draws=50).scores[0].intervals == {"mean": None}


@given(st.integers(1, 60), st.integers(1, 50), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_weights_draw_as_many_units_as_there_are(units, draws, seed):
    weights = np.concatenate(list(bootstrap_weights(units, draws, seed)))
    assert weights.shape == (draws, units)
    assert (weights.sum(axis=1) == units).all()


def test_chunks_of_draws_change_nothing(simulation, monkeypatch):
    stack = simulation.samples(2, 30, seed=1)
    whole = stack.replicates(500, 2)
    monkeypatch.setattr("aune.statistics.resampling.CELLS", 100)
    assert np.allclose(stack.replicates(500, 2), whole, atol=1e-14)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_is_a_share(level):
    with pytest.raises(aune.UsageError, match="between 0 and 1"):
        intervals.with_intervals(aune.score("coref", KEY, RESPONSE), level=level)


def test_a_macro_average_over_documents_resamples_its_documents():
    """A replicate of a macro average over documents is the mean of the values of the documents drawn."""
    result = aune.score("coref", KEY, RESPONSE, measures=["macro(b_cubed, by=document)"])
    stack = common_stack(result.scores)
    by_document = aune.score("coref", KEY, RESPONSE, measures=["b_cubed"])["b_cubed"].by("document")
    values = np.array([by_document[name]["f1"] for name in sorted(by_document)])
    weights = np.concatenate(list(bootstrap_weights(12, 50, 1)))
    assert stack.replicates(50, 1)[:, 2] == pytest.approx(weights @ values / 12)


def test_a_group_that_is_not_drawn_is_not_averaged(simulation):
    part, whole = np.array([1.0, 4, 2, 3]), np.array([10.0, 10, 10, 10])
    counted = simulation.make_score(simulation.Share(part, whole)).rows
    attributes = {"document": ["a", "a", "b", "c"], "label": ["X", "Y", "X", "X"]}
    rows = Rows(attributes, counted.matrix, counted.layout)
    macro = dataclasses.replace(simulation.MEAN, by="label")
    stack = common_stack(
        [dataclasses.replace(simulation.make_score(simulation.Share(part, whole)), rows=rows, measure=macro)]
    )
    assert stack.estimates[0] == pytest.approx((0.2 + 0.4) / 2)
    assert stack.left_out[0, 0] == pytest.approx(0.25)  # without document a there is no Y


@pytest.mark.parametrize("setting", [{"draws": 0}, {"seed": -1}])
def test_impossible_settings_are_refused(setting):
    with pytest.raises(aune.UsageError, match="expected"):
        intervals.with_intervals(aune.score("coref", KEY, RESPONSE), **setting)


def test_the_default_unit_is_the_document_where_the_data_names_documents():
    tags = [[f"B-T{n % 3}"] for n in range(30)]
    cases = [(tags, "sentence"), ({str(n): tags for n in range(4)}, "document"),
             ({str(n): tags for n in range(5)}, "document"), ({"d": tags}, "document")]  # fmt: skip
    for key, unit in cases:
        result = with_intervals(aune.score("entities", key, key, measures=["f_measure"]), draws=10)
        assert result["f_measure"].signature.options["unit"] == unit
    several = aune.evaluate("entities", tags, {"A": tags, "B": tags}, measures=["f_measure"])
    assert aune.compare(several, draws=10).settings["unit"] == "sentence"


def test_the_hint_for_few_documents_names_what_is_a_sample():
    """Sentences are one; labels are not, however many there are."""
    key = {"d": [[f"B-T{n}"] for n in range(30)]}
    scored = aune.score("entities", key, key, measures=["f_measure"])
    result = with_intervals(scored, draws=10, unit="document")
    assert result.warnings[-1].endswith("(there are others to draw: --unit sentence)")
    with pytest.raises(aune.UsageError, match="unknown unit to draw 'nonsense'"):
        with_intervals(result, unit="nonsense")


def test_settings_of_intervals_that_nobody_asked_for_are_refused(tmp_path, capsys):
    (tmp_path / "key.txt").write_text("1 2\n3\n")
    for command in (["score", "coref"], ["agreement", "coref"]):
        arguments = [*command, str(tmp_path / "key.txt"), "other=" + str(tmp_path / "key.txt"), "--level", "0.9"]
        assert run(arguments) == 2
        assert "--level: about confidence intervals" in capsys.readouterr().err
        assert run([*arguments, "--ci"]) == 0


@pytest.mark.parametrize("draws", [0, 1_000_001, 2**31])
def test_draws_that_no_machine_holds_are_refused(draws):
    with pytest.raises(UsageError, match="expected a number from 1 to 1,000,000"):
        with_intervals(aune.score("coref", KEY, RESPONSE, measures=["muc"]), draws=draws)
