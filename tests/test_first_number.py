"""The first score of a process imports what it needs, and nothing for formats, measures and features not asked for."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

HEAVY = {
    "scipy", "pandas", "msgspec", "cyclopts", "rich", "jinja2", "django", "xml", "html", "email", "logging", "csv",
    "sqlite3", "tempfile", "tomllib", "concurrent", "importlib.metadata", "importlib.resources", "hashlib", "numpy.ma",
}  # fmt: skip
"""Modules that take long to load. A few of them may be loaded by Python itself, which is asked first."""
FIRST_SCORES = {
    "coref": "aune.score('coref', [{1, 2, 3}], [{1, 2}, {3}], measures=['muc'])",
    "entities": "aune.score('ner', [['B-PER', 'O', 'O']], [['B-PER', 'O', 'O']], measures=['f_measure'])",
    "speech": "aune.score('asr', ['one two'], ['one too'], measures=['wer'])",
    "tagging": "aune.score('pos', [['D', 'N', 'V']], [['D', 'V', 'V']], measures=['accuracy'])",
}
UNASKED = re.compile(r"\.formats\.|\.(view|errors|judgements|small_worlds|combination)$")
SCRIPT = """
import sys
before = set(sys.modules)
import aune, json
{call}
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.mark.parametrize("task", FIRST_SCORES)
def test_a_first_score_imports_what_it_needs(task: str) -> None:
    script = SCRIPT.format(call=FIRST_SCORES[task])
    printed = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True)
    modules: list[str] = json.loads(printed.stdout)
    assert not HEAVY.intersection(modules)
    assert not [name for name in modules if name.startswith("aune.tasks") and UNASKED.search(name)]
    tasks = {name.split(".")[2] for name in modules if name.startswith("aune.tasks.")}
    assert tasks == {task}
    measures = [name for name in modules if ".measures." in name]
    assert len(measures) <= 3, measures
