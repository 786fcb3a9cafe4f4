"""The report in one call."""

from __future__ import annotations

from pathlib import Path

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
