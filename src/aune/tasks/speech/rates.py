"""Error rates: the common part of the measures of the WER family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from aune.contract.measure import NON_NEGATIVE, Measure


def error_rate(count: Callable[..., Any], score: Callable[..., Any], empty: str, **more: Any) -> Measure:
    """A measure of an error rate, which can exceed 1, and its parts; `empty` explains a missing value."""
    values = get_type_hints(score)["return"]._fields
    return Measure(
        count,
        score,
        better="lower",
        perfect=0.0,
        range={values[0]: NON_NEGATIVE, "insertions": NON_NEGATIVE},
        main=values[0],
        undefined=dict.fromkeys(values, empty),
        **more,
    )
