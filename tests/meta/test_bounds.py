from __future__ import annotations

import json

import pytest

import aune
from aune.cli import run
from aune.meta.bounds import bounds, bounds_curve


def test_row_2b_of_table_2():
    """All of ten mentions merged, two key chains of five: MUC 100/89, C 100/44, and B³ at least 20/10."""
    low = bounds(10, 2, 1, 5)
    assert (low.muc_recall, low.muc_precision) == pytest.approx((1, 8 / 9))
    assert (low.core_recall, low.core_precision) == pytest.approx((1, 4 / 9))
    assert (low.b_cubed_recall, low.b_cubed_precision) == (0.2, 0.1)


def test_row_3b_of_table_2():
    """147 mentions, 15 chains, the largest of 46: MUC precision 90, C precision 31."""
    low = bounds(147, 15, 1, 46)
    assert round(100 * low.muc_precision) == 90
    assert round(100 * low.core_precision) == 31


def test_figure_2():
    """Few response chains make MUC positive: up to |E| / |P_K| of them, beyond that the bound says nothing."""
    low = bounds_curve(100, 10)
    assert all(entry.muc_recall > 0 for entry in low if entry.response_chains < 10)
    assert all(entry.muc_recall == 0 for entry in low if entry.response_chains >= 10 and entry.response_chains < 100)
    assert [entry.muc_recall for entry in low] == sorted((entry.muc_recall for entry in low), reverse=True)


@pytest.mark.parametrize("sizes", [(10, 0, 1), (10, 2, 11), (10, 2, 1, 4), (10, 2, 1, 10)])
def test_impossible_sizes_are_refused(sizes):
    with pytest.raises(aune.UsageError, match="chain"):
        bounds(*sizes)


def test_the_command(capsys):
    assert run(["meta", "bounds", "--mentions", "10", "--key-chains", "2", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["bounds"]) == 10
    assert run(["meta", "bounds", "--mentions", "10", "--key-chains", "2", "--response-chains", "1"]) == 0
    assert "88.89" in capsys.readouterr().out
    assert run(["meta", "bounds", "--mentions", "0", "--key-chains", "1"]) == 2


def test_a_curve_of_a_billion_points_is_refused():
    for mentions in (0, 10**9):
        with pytest.raises(aune.UsageError, match="1 to 100,000"):
            bounds_curve(mentions, 2)
    assert bounds(10**9, 2, 1).muc_recall > 0.99
