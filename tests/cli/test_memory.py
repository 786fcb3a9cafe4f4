"""Commands that have all documents in memory say so before they start, where that is very much."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.cli import _inputs, run
from aune.cli._inputs import WHOLE_READING

LINES = "".join(f'{{"id": "u{number}", "text": "one two three"}}\n' for number in range(3))
COMMANDS = {
    "agreement": "agreement speech a=a.jsonl b=b.jsonl -m wer",
    "combine": "combine speech a=a.jsonl b=b.jsonl",
    "convert": "convert speech a.jsonl a.trn",
    "describe": "describe speech a.jsonl",
    "doubts": "doubts speech a.jsonl b.jsonl",
    "errors --versus": "errors speech a.jsonl b.jsonl --versus c.jsonl",
    "rescore": "rescore speech a.jsonl b.jsonl c.jsonl --draws 20",
    "score --by chain or mention": "score coref key.conll key.conll --by chain",
    "report": "report speech a.jsonl b.jsonl -o page.html --draws 20",
    "baseline": "baseline coref same_string key.conll out.conll",
}


def test_every_command_that_reads_the_whole_is_tried() -> None:
    assert set(COMMANDS) == set(WHOLE_READING)


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_said_before_work_starts(
    command: str, tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_text(LINES)
    (tmp_path / "key.conll").write_bytes((examples / "coref" / "key.conll").read_bytes())
    words = COMMANDS[command].split()
    monkeypatch.setattr(_inputs, "LARGE_MEMORY", 100)
    assert run(words) == 0
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"aune: warning: {command} reads 0.0 GB at once and may take 0 GB of memory: if that is")
    assert first.endswith(WHOLE_READING[command].instead)


def test_nothing_is_said_of_small_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text(LINES)
    assert run(["describe", "speech", "a.jsonl"]) == 0
    assert "memory" not in capsys.readouterr().err
