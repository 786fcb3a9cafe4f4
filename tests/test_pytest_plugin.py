"""The gate as somebody's test suite uses it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SUITE = """
KEY = {name: [{1, 2, 3}, {4, 5}] for name in ("first", "second", "third")}
RESPONSE = {"first": [{1, 2, 3}, {4, 5}], "second": [{1, 2}, {3, 4, 5}], "third": [{1}, {2}, {3}, {4, 5}]}

def test_good(aune_gate):
    result = aune_gate("coref", KEY, RESPONSE, {"muc.f1": 0.5, "b_cubed": "40%"})
    assert result["muc"].f1 > 0.5

def test_bad(aune_gate):
    aune_gate("coref", KEY, RESPONSE, {"muc.f1": 0.9, "muc.precision": 0.1})

def test_errors(aune_gate):
    aune_gate("speech", ["one two"], ["one too"], {"wer": 0.2})

def test_times_100(aune_gate):
    aune_gate("speech", ["one two"], ["one too"], {"wer": 60})

def test_misspelt(aune_gate):
    aune_gate("coref", KEY, RESPONSE, {"muc.f2": 0.9})
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], pytest.RunResult]:
    """Runs a test file as somebody without our settings would; the plugin is named where it is not installed."""
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    installed = any(point.value == "aune.pytest_plugin" for point in entry_points(group="pytest11"))
    named = [] if installed else ["-p", "aune.pytest_plugin"]

    def run(text: str) -> pytest.RunResult:
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess(*named, "-p", "no:cacheprovider", "-p", "no:django")

    return run


def test_failing_documents_are_named(suite: Callable[[str], pytest.RunResult]) -> None:
    result = suite(SUITE)
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines([
        "response: muc.f1 is 0.75, worse than 0.9",
        "worst documents:",
        "  third: 0.5",
        "  second: 0.666667",
        "  first: 1",
        "response: wer.wer is 0.5, worse than 0.2",
        "speech.wer.wer=60: wer.wer is shown × 100, so this is 6000 %: write 0.6, or 60%, or 6000% if that is meant",
        "unknown value of coref.muc 'f2': expected one of: recall, precision, f1",
    ])  # fmt: skip
    assert "muc.precision" not in str(result.stdout)


AGAINST = """
import aune

KEY = {f"d{n:02d}": [{1, 2, 3}, {4, 5}] for n in range(30)}
OLD = {name: [{1, 2}, {3}, {4, 5}] if name < "d03" else chains for name, chains in KEY.items()}
BAD = {name: [{1, 2}, {3}, {4, 5}] if name < "d20" else chains for name, chains in KEY.items()}

def test_as_good(aune_gate):
    aune_gate("coref", KEY, OLD, reference=OLD, fail_if_worse="20%", measures=["muc"])

def test_worse(aune_gate):
    aune_gate("coref", KEY, BAD, reference=OLD, fail_if_worse="2%", measures=["muc"])

def test_stored(aune_gate, tmp_path):
    aune.save(aune.score("coref", KEY, OLD, measures=["muc"]), tmp_path / "old.json")
    aune_gate("coref", KEY, OLD, {"muc.f1": 0.5}, reference=tmp_path / "old.json", fail_unless_better=True)

def test_without_reference(aune_gate):
    aune_gate("coref", KEY, OLD, fail_if_worse="2%")
"""


def test_a_response_is_compared_with_the_one_before_it(suite: Callable[[str], pytest.RunResult]) -> None:
    outcome = suite(AGAINST)
    outcome.assert_outcomes(passed=1, failed=3)
    outcome.stdout.fnmatch_lines([
        "response: muc.f1 is worse than reference: *",
        "response: muc.f1 is not shown to be better than reference: 0.00 *",
        "expected a reference with fail_if_worse, fail_unless_better or equivalent",
    ])  # fmt: skip


def test_nothing_heavy_is_imported_at_the_start(suite: Callable[[str], pytest.RunResult]) -> None:
    result = suite("""
import sys

def test_imports(aune_gate):
    heavy = {"numpy", "scipy", "aune.evaluation", "cyclopts", "rich"} & set(sys.modules)
    assert not heavy, heavy
""")
    result.assert_outcomes(passed=1)


def test_pytest_finds_the_plugin() -> None:
    project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"aune": "aune.pytest_plugin"}
