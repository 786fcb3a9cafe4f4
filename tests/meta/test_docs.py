"""The tables in the documentation are those that the commands print."""

from __future__ import annotations

from pathlib import Path

from aune.cli import run

PAGE = Path(__file__).parents[2] / "docs" / "meta.md"
BEGIN, END = "<!-- begin: aune meta audit all --format markdown -->\n", "<!-- end -->"


def test_the_audit_table_is_what_the_command_prints(capsys):
    assert run(["meta", "audit", "all", "--format", "markdown"]) == 0
    printed = capsys.readouterr().out
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    shown, _, _ = rest.partition(END)
    assert shown.strip() == printed.strip(), f"make the table in {PAGE} again: aune meta audit all --format markdown"
