from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.cli import run
from aune.explain.annotators import annotators_agreement
from aune.statistics.agreement import agreement, distances, measure_for
from aune.statistics.intervals import with_intervals

TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.none() | st.integers(1, 4), min_size=width, max_size=width), min_size=1, max_size=12
    )
)


def alpha(table, distance):
    """Krippendorff's α by its definition, in fractions."""
    units = [[value for value in row if value is not None] for row in table]
    units = [row for row in units if len(row) > 1]
    values = [value for row in units for value in row]
    counts = {value: values.count(value) for value in set(values)}
    observed = sum(Fraction(distance(a, b, counts)) / (len(row) - 1) for row in units for a, b in permutations(row, 2))
    expected = sum(Fraction(distance(a, b, counts)) for a, b in permutations(values, 2))
    return 1 - observed * (len(values) - 1) / expected if expected else None


def nominal(a, b, counts):
    return int(a != b)


def interval(a, b, counts):
    return (a - b) ** 2


def ordinal(a, b, counts):
    between = sum(count for value, count in counts.items() if min(a, b) <= value <= max(a, b))
    return (between - Fraction(counts[a] + counts[b], 2)) ** 2


@given(TABLES)
@settings(max_examples=150, deadline=None)
def test_krippendorff_is_its_definition(table):
    if not any(value is not None for row in table for value in row):
        return
    names = "ABCD"[: len(table[0])]
    for distance in (nominal, ordinal, interval):
        result = agreement({"d": table}, names, distance=distance.__name__).scores[-1].main
        expected = alpha(table, distance)
        assert result is None if expected is None else result == pytest.approx(float(expected))


def test_krippendorff_is_that_of_the_package():
    package = pytest.importorskip("krippendorff")
    generator = np.random.default_rng(1)
    data = generator.integers(1, 6, (3, 40)).astype(float)
    data[generator.random(data.shape) < 0.1] = np.nan
    table = [[None if np.isnan(value) else int(value) for value in row] for row in data.T]
    for distance in ("nominal", "ordinal", "interval"):
        rival_value = package.alpha(reliability_data=data, level_of_measurement=distance)
        result = agreement({"d": table}, "ABC", distance=distance)["overall", _name(distance)].main
        assert result == pytest.approx(rival_value)


def _name(distance):
    return "krippendorff" if distance == "nominal" else f"krippendorff({distance})"


def test_krippendorffs_own_example():
    """Krippendorff 2011, "Computing Krippendorff's alpha-reliability", the data with missing values."""
    observers = {
        "A": [None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3],
        "B": [1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None],
        "C": [None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4],
    }
    table = list(zip(*observers.values(), strict=True))
    for distance, expected in (("nominal", 0.691), ("ordinal", 0.807), ("interval", 0.811)):
        result = agreement({"d": table}, list(observers), distance=distance)["overall", _name(distance)].alpha
        assert result == pytest.approx(expected, abs=5e-4)


def test_cohens_textbook_table():
    """Two readers of 50 proposals: 20 times yes, 15 times no, 5 and 10 times different; κ = 0.4."""
    table = [("y", "y")] * 20 + [("n", "n")] * 15 + [("y", "n")] * 5 + [("n", "y")] * 10
    assert agreement({"d": table}, "AB")["A–B", "cohen"].kappa == pytest.approx(0.4)


def test_fleisss_textbook_table():
    """Fleiss's worked example with 10 subjects, 14 raters and 5 categories: κ = 0.210."""
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    table = [[label for label, count in enumerate(row) for _ in range(count)] for row in counts]
    measure = measure_for("fleiss")
    result = measure.score(measure.count([table], list(range(5))))
    assert result.kappa[0] == pytest.approx(0.210, abs=5e-4)


def test_one_label_only_is_undefined_and_says_why():
    result = agreement({"d": [("x", "x")] * 5}, "AB")
    for score in result:
        assert score.main is None
        assert score.observed == 0
        assert "nothing to disagree on" in score.reasons[score.measure.headline]


def test_units_that_one_annotator_left_out_do_not_count():
    full = [("x", "x"), ("y", "x"), ("y", "y")]
    result = agreement({"d": [*full, ("x", None), (None, None)]}, "AB")
    assert [score.main for score in result] == [score.main for score in agreement({"d": full}, "AB")]


def test_masi_distances():
    sets = [frozenset("abc"), frozenset("ab"), frozenset("bcd"), frozenset("x")]
    expected = [[0, 5 / 9, 5 / 6, 1], [5 / 9, 0, 11 / 12, 1], [5 / 6, 11 / 12, 0, 1], [1, 1, 1, 0]]
    assert distances(sets) == pytest.approx(np.array(expected))
    assert distances(sets, "jaccard")[0, 2] == pytest.approx(0.5)


CHAINS = {"a": [{1, 2, 3}, {4}], "b": [{1, 2}, {3, 4, 5}]}


def test_chains_agree_with_themselves_and_across_documents_nothing_is_compared():
    assert annotators_agreement("coref", {"A": CHAINS, "B": CHAINS}).scores[0].alpha == 1.0
    other = {"a": [{1, 2}, {3, 4}], "b": [{1, 2}, {3, 4, 5}]}
    result = annotators_agreement("coref", {"A": CHAINS, "B": other}).scores[0]
    shifted = [{"a": side["a"], "b": [{n + 10 for n in chain} for chain in side["b"]]} for side in (CHAINS, other)]
    assert annotators_agreement("coref", dict(zip("AB", shifted, strict=True))).scores[0].alpha == result.alpha


def test_a_mention_that_an_annotator_lacks_is_a_disagreement():
    lacking = {"A": [{1, 2}, {3, 4}, {5}], "B": [{1, 2}, {3, 4}]}
    assert annotators_agreement("coref", lacking).scores[0].alpha == pytest.approx(8 / 11)
    assert annotators_agreement("coref", lacking, unmarked="singleton").scores[0].alpha == 1.0


def test_agreement_has_intervals():
    generator = np.random.default_rng(0)
    corpus = {
        f"d{n:02d}": [(x, x if generator.random() < 0.8 else 3 - x) for x in generator.integers(1, 3, 20).tolist()]
        for n in range(30)
    }
    for score in with_intervals(agreement(corpus, "AB"), draws=500):
        low, high = score.intervals[score.measure.headline]
        assert low < score.main < high
        assert high - low < 0.3


def test_the_command_shows_pairs_and_all(tmp_path, capsys):
    for name, text in {"A": "1 2 3\n4 5\n", "B": "1 2 3\n4\n5\n", "C": "1 2\n3 4 5\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    files = [str(tmp_path / f"{name}.txt") for name in "ABC"]
    assert run(["agreement", "coref", *files, "--input-format", "partition", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)["scores"]
    assert [score["system"] for score in shown] == ["A–B", "A–C", "B–C", "overall"]
    assert run(["agreement", "coref", *files, "--input-format", "partition", "-m", "muc"]) == 0
    assert "overall" in capsys.readouterr().out
    assert run(["agreement", "coref", files[0]]) == 2
    assert run(["agreement", "coref", *files, "--input-format", "partition", "--distance", "nominal"]) == 2


def test_nothing_annotated_is_nothing_to_score():
    with pytest.raises(aune.NothingToScoreError):
        agreement({"d": [(None, None)]}, "AB")
    with pytest.raises(aune.UsageError, match="expected a number"):
        agreement({"d": [("x", "y")]}, "AB", distance="interval")


def test_a_table_of_too_many_values_is_refused_before_it_is_made():
    with pytest.raises(aune.UsageError, match=r"found 6,001 different values .* 36,012,001 counts, expected at most"):
        agreement({"text": [(value, value + 1) for value in range(6000)]}, ["A", "B"], distance="interval")


@given(st.lists(st.sampled_from("NVA"), min_size=1, max_size=12), st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_agreement_of_labels_that_never_agree_is_not_above_chance(labels, shift):
    """Two annotators who never give a word the same label."""
    alphabet = "NVAX"
    rows = [(label, alphabet[(alphabet.index(label) + shift) % 4]) for label in labels]
    for score in agreement({"text": rows}, "AB"):
        assert score.main is None or score.main <= 1e-12


@given(TABLES)
@settings(max_examples=100, deadline=None)
def test_agreement_is_below_1_whenever_a_label_differs(table):
    differs = any(len({value for value in row if value is not None}) > 1 for row in table)
    if not any(value is not None for row in table for value in row):
        return
    for score in agreement({"text": table}, [f"annotator {n}" for n in range(len(table[0]))]):
        if score.system == "overall" or len(table[0]) == 2:
            assert score.main is None or (score.main < 1 - 1e-12) == differs
