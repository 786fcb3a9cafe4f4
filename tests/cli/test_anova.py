"""`aune anova` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.cli import run

KEY = "# newdoc id = a\nx\tN\ny\tV\n\n# newdoc id = b\nx\tN\nz\tV\nt\tD\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    texts = {"key.tsv": KEY, "good.tsv": KEY.replace("t\tD", "t\tD|N"), "bad.tsv": KEY.replace("\tV", "\tN")}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in texts]


def test_tables(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["anova", "tagging", *files, "--documents", "newdoc"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["value", "source", "squares", "freedom", "F", "p"] and len(lines) == 10
    assert run(["anova", "tagging", *files, "--documents", "newdoc", "-f", "json", "--values", "p_min"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["p_min"]["systems"]["freedom"] == 1 and list(data["p_min"]) == ["systems", "texts", "residual"]


def test_one_text_is_not_enough(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["anova", "tagging", *files]) == 2
    assert "needs two systems and two texts" in capsys.readouterr().err
