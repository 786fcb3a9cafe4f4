"""`aune tagging zones`: what each tagger can reach, and what two of them share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.cli import run


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {
        "key": "la\tD\nmer\tN\nmonte\tV\n",
        "one": "la\tD|P\nmer\tN\nmonte\tV\n",
        "two": "la\tD|P\nmer\tN\nmonte\tN|V\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.tsv").write_text(text)
    return [str(tmp_path / f"{name}.tsv") for name in texts]


def test_a_line_per_zone_and_per_pair(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tagging", "zones", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["zone", "area", "triangle", "p_min", "p_max"],
        ["one", "6.30", "5.56", "66.67", "100.00"],
        ["two", "30.05", "22.22", "33.33", "100.00"],
        ["one", "∩", "two", "6.30", "–", "66.67", "100.00"],
    ]
    assert "constraints:restrictive" in lines[-1]


def test_data(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tagging", "zones", *files, "-f", "json", "--constraints", "permissive"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["zones"]) == ["one", "two"] and "constraints:permissive" in data["zones"]["one"]["signature"]
    (intersection,) = data["intersections"]
    assert intersection["systems"] == ["one", "two"] and intersection["upper"] and intersection["lower"]
    assert intersection["area"] <= min(zone["area"] for zone in data["zones"].values())
