"""The tables of docs/any-output.md are what the script prints, and the authors' own scores come out."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "any_output.py"))


@pytest.mark.parametrize("name", ["conventions", "czech", "tokens"])
def test_tables_are_current(data: Path, name: str) -> None:
    page = (ROOT / "docs" / "any-output.md").read_text("utf-8")
    shown = re.search(rf"<!-- table: {name} -->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert shown
    assert shown[1] == SCRIPT["markdown"](SCRIPT["TABLES"][name]()), "run docs/any_output.py"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("qwen2.5-72b", (79, 27, 47)),
        ("qwen2.5-14b", (63, 19, 63)),
        ("llama3.1-70b", (61, 39, 65)),
        ("deepseek-r1-70b", (37, 3, 89)),
        ("deepseek-r1-70b, Czech prompt", (67, 6, 59)),
    ],
)
def test_the_authors_scores_come_out_under_their_convention(
    data: Path, model: str, expected: tuple[int, int, int]
) -> None:
    correct, given, wanted = SCRIPT["marked_as_the_authors_do"](SCRIPT["CZECH"][model])
    assert (correct, given - correct, wanted - correct) == expected


def test_inventing_costs_where_it_should(data: Path) -> None:
    rows = {row[0]: [float(number) for number in row[1:]] for row in list(SCRIPT["conventions"]())[1:]}
    for name, (plain, invented) in rows.items():
        dropped = name.endswith(("not found: dropped", "not found: ignored"))
        assert (plain == invented) if dropped else (plain > invented), name
