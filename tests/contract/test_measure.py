"""The contract of measures: ratios, which way is better, names, ranges, counts as matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

import aune
from aune.contract import registry
from aune.contract.expressions import macro
from aune.contract.measure import (
    ANY_VALUE,
    AT_MOST_ONE,
    NON_NEGATIVE,
    ZERO_TO_ONE,
    Column,
    f_score,
    flatten,
    layout_of,
    mean_of_defined,
    ratio,
    two_ratios,
)


def test_undefined_comes_from_ratio_alone() -> None:
    assert ratio(np.array([1, 0, 0]), np.array([2, 0, 3])).tolist() == pytest.approx([0.5, np.nan, 0], nan_ok=True)
    assert ratio(np.array([1]), np.array([0]), 1.0).tolist() == [1.0]
    result = two_ratios(np.array(1), np.array(2), np.array(0), np.array(0))
    assert result.recall == 0.5 and np.isnan(result.precision) and np.isnan(result.f1)
    assert f_score(np.array(0.0), np.array(0.0)) == 0
    assert np.isnan(mean_of_defined(np.array([np.nan, np.nan]))) and mean_of_defined(np.array([np.nan, 3.0])) == 3


def test_goodness_is_higher_for_the_better() -> None:
    numbers = np.array([-0.5, 0.2])
    muc, wer, skew = (registry.measure(name) for name in ("coref.muc", "speech.wer", "coref.distribution"))
    assert muc.goodness(numbers).tolist() == [-0.5, 0.2]
    assert wer.goodness(numbers).tolist() == [0.5, -0.2]
    assert wer.goodness(numbers, "recognition").tolist() == [-0.5, 0.2]
    assert skew.goodness(numbers).tolist() == [-0.5, -0.2]


@pytest.mark.parametrize(
    ("expression", "short"),
    [
        ("coref.muc", "muc"),
        ("macro(coref.muc, by=document)", "macro(muc,by=document)"),
        ("mean(coref.muc.f1, coref.lea.f1)", "mean(muc.f1,lea.f1)"),
        ("speech.story_wer", "story_wer"),
    ],
)
def test_short_names(expression: str, short: str) -> None:
    assert registry.measure(expression).short == short


def test_ranges() -> None:
    assert registry.measure("coref.muc").range_of("f1") == ZERO_TO_ONE
    assert registry.measure("speech.wer").range_of("wer") == NON_NEGATIVE
    assert registry.measure("speech.wer").range_of("deletions") == ZERO_TO_ONE
    assert registry.measure("coref.kappa").range_of("kappa") == AT_MOST_ONE
    assert registry.measure("mean(coref.muc.f1, coref.kappa)").range_of("mean") == AT_MOST_ONE
    assert registry.measure("speech.atene").range_of("atene") == ANY_VALUE


def test_an_average_with_a_home_has_its_name_and_text() -> None:
    story = registry.measure("speech.story_wer")
    assert story.name == "speech.story_wer" and story.by == "document" and "SWER" in story.documentation
    assert macro(registry.measure("speech.wer"), "speaker").name == "macro(speech.wer,by=speaker)"
    with pytest.raises(aune.UsageError, match="is an average over document already"):
        registry.measure("macro(speech.story_wer, by=speaker)")


def test_an_average_over_stories_is_refused_for_other_groups() -> None:
    key = {
        "u1": {"text": "a b", "document": "s1", "speaker": "x"},
        "u2": {"text": "c", "document": "s2", "speaker": "x"},
    }
    result = aune.score("speech", key, {"u1": "a", "u2": "c"}, measures=["story_wer", "macro(wer,by=document)"])
    assert result["story_wer"].wer == 0.25 == result["macro(wer,by=document)"].wer
    with pytest.raises(aune.UsageError, match="average over document: it has no value by speaker"):
        result["story_wer"].by("speaker")


def test_options_in_a_name_are_shown_as_in_a_signature() -> None:
    """A file that is named inside -m is shown with the digest of what it holds, like one that is named apart."""
    from tests.tasks.speech.strategies import tiny_model

    named = registry.measure(f"speech.atene(model={tiny_model()})")
    assert named.name.endswith(")") and "@" in named.name
    assert registry.measure(named.name).fixed_options == named.fixed_options
    key = {"u": {"text": "in paris", "entities": [(1, 2, "LOC")]}}
    result = aune.score("speech", key, {"u": "in paris"}, measures=[named])
    assert f"{tiny_model()}@" in str(result.scores[0].signature)


class Inner(NamedTuple):
    """Counts inside counts."""

    one: Column
    many: Column


class Outer(NamedTuple):
    """Counts of two kinds."""

    inner: Inner
    plain: Column


def test_counts_as_a_matrix_and_back() -> None:
    counts = Outer(Inner(np.array([1, 2]), np.arange(6).reshape(2, 3)), np.array([7, 8]))
    layout, matrix = layout_of(counts), flatten(counts)
    assert layout.width == 5 and layout.columns() == [
        "inner.one",
        "inner.many[0]",
        "inner.many[1]",
        "inner.many[2]",
        "plain",
    ]
    again = layout.unflatten(matrix)
    assert again.inner.many.tolist() == counts.inner.many.tolist() and again.plain.tolist() == [7, 8]


def test_a_missing_package_is_said_before_any_work() -> None:
    needy = replace(registry.measure("coref.muc"), requires={"no_such_package": "extra"})
    with pytest.raises(aune.UsageError, match=r"pip install 'aune\[extra\]'"):
        needy.check_packages()
