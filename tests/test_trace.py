"""A score passes through few of our files, and no more of them than when this was last looked at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MOST_FILES, MOST_FUNCTIONS, MOST_CHANGES = 39, 360, 355
"""What `python tests/trace.py` prints, functions and changes rounded up. The aim is 25 files: lower these numbers."""


def test_a_score_enters_few_files() -> None:
    """In a process of its own: modules that are loaded already would run no function while they are imported."""
    command = [sys.executable, str(Path(__file__).with_name("trace.py"))]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first_line, *files = printed.splitlines()
    entered, called, changes = (int(part.split()[-1]) for part in first_line.split(", "))
    assert len(files) == entered
    assert (entered <= MOST_FILES, called <= MOST_FUNCTIONS, changes <= MOST_CHANGES) == (True, True, True), first_line
