from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import aune
from aune.statistics.gamma import MEASURE, count

SPANS = [(0, 2, "PER"), (5, 7, "LOC"), (10, 12, "ORG"), (20, 25, "PER")]
OTHER = [(0, 2, "PER"), (5, 8, "LOC"), (10, 12, "PER"), (20, 25, "PER")]


@pytest.mark.skipif(find_spec("pygamma_agreement") is not None, reason="the extra is installed")
def test_a_missing_package_is_named():
    with pytest.raises(aune.UsageError, match=r"aune\[gamma\]"):
        count([[SPANS, OTHER]])


def gamma(*spans):
    return float(MEASURE.score(count([spans])).gamma[0])


@pytest.mark.filterwarnings("ignore")
def test_gamma():
    pytest.importorskip("pygamma_agreement")
    assert gamma(SPANS, SPANS) == pytest.approx(1.0)
    assert gamma(SPANS, OTHER) == gamma(SPANS, OTHER) < 1.0
    assert np.isnan(gamma(SPANS, []))
