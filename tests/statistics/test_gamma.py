from __future__ import annotations

from importlib.util import find_spec

import pytest

import aune
from aune.statistics.gamma import gamma

SPANS = [(0, 2, "PER"), (5, 7, "LOC"), (10, 12, "ORG"), (20, 25, "PER")]
OTHER = [(0, 2, "PER"), (5, 8, "LOC"), (10, 12, "PER"), (20, 25, "PER")]


@pytest.mark.skipif(find_spec("pygamma_agreement") is not None, reason="the extra is installed")
def test_a_missing_package_is_named():
    with pytest.raises(aune.UsageError, match=r"aune\[gamma\]"):
        gamma({"d": [SPANS, OTHER]})


@pytest.mark.filterwarnings("ignore")
def test_gamma():
    pytest.importorskip("pygamma_agreement")
    assert gamma({"d": [SPANS, SPANS]}) == pytest.approx(1.0)
    assert gamma({"d": [SPANS, OTHER]}) == gamma({"d": [SPANS, OTHER]}) < 1.0
    assert gamma({"d": [SPANS, []]}) is None
