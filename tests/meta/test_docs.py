"""The tables in the documentation are those that the commands print."""

from __future__ import annotations

import os
from pathlib import Path

from aune.cli import run

PAGE = Path(__file__).parents[2] / "docs" / "meta.md"
BEGIN, END = "<!-- begin: aune meta audit all --format markdown -->\n", "<!-- end -->"


def test_the_audit_table_is_what_the_command_prints(capsys):
    """With AUNE_UPDATE_DOCS set, the page is written instead of compared."""
    assert run(["meta", "audit", "all", "--format", "markdown"]) == 0
    printed = capsys.readouterr().out
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    shown, _, after = rest.partition(END)
    if os.environ.get("AUNE_UPDATE_DOCS"):
        PAGE.write_text(f"{before}{BEGIN}\n{printed}\n{END}{after}", encoding="utf-8")
        return
    why = "the measures changed: AUNE_UPDATE_DOCS=1 pytest tests/meta/test_docs.py writes the table again"
    assert shown.strip() == printed.strip(), why
