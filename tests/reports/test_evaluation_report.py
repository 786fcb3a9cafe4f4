"""The report in one call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aune

KEY = {str(n): [{1, 2, 3}, {4, 5}] for n in range(6)}


def test_a_report_from_plain_python(tmp_path: Path) -> None:
    systems = {"A": {n: [{1, 2}, {3, 4, 5}] for n in KEY}, "base": {n: [{1, 2, 3, 4, 5}] for n in KEY}}
    path = aune.report(
        "coref", KEY, systems, tmp_path / "report.html", title="Chains", baselines=["base"], draws=99, measures=["muc"]
    )
    page = path.read_text()
    assert path == tmp_path / "report.html" and "<title>Chains" in page and page.endswith("</html>")


def test_nothing_is_written_where_nothing_can_be(tmp_path: Path) -> None:
    with pytest.raises(aune.UsageError, match="cannot be written"):
        aune.report("coref", KEY, {"A": KEY}, tmp_path / "nowhere" / "report.html", draws=99)


def test_words_out_of_arrays_are_words(tmp_path: Path) -> None:
    """An array gives strings of a kind of its own, which the page could not be made of."""
    heard = np.array(["on", "the", "mat"])
    aune.report("speech", [["on", "a", "mat"]], {"A": [list(heard)]}, tmp_path / "page.html", draws=20)
    assert "mat" in (tmp_path / "page.html").read_text("utf-8")
