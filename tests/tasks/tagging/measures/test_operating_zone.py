"""The zone as a measure: scores of piles are the areas of zones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.tasks.tagging.grace.zone import zone
from aune.tasks.tagging.measures.operating_zone import MEASURE

CELLS = st.lists(st.lists(st.sampled_from("NVD"), min_size=1, max_size=3, unique=True), min_size=1, max_size=8)


@given(CELLS, st.sampled_from(["restrictive", "permissive"]))
def test_area_is_that_of_the_zone(cells: list[list[str]], constraints: str) -> None:
    key = [(f"w{i}", "N") for i in range(len(cells))]
    score = MEASURE(key, [(f"w{i}", tags) for i, tags in enumerate(cells)], constraints=constraints)
    counts = score.counts
    sil = counts["cases"] - counts["noneval"] - counts["ok"] - counts["err"]
    region = zone(
        ok=counts["ok"],
        err=counts["err"],
        sil_ok=counts["sil_ok"],
        sil_err=counts["sil_err"],
        sil=sil,
        constraints=constraints,  # type: ignore[arg-type]
    )
    assert score.area == pytest.approx(region.area, abs=1e-9)
    assert score.details["area"] == pytest.approx(region.area)
    if region.triangle_area is not None:
        assert score.triangle == pytest.approx(region.triangle_area, abs=1e-9)
