"""Commands that read long files in pieces print what they print for whole files."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.cli import run
from aune.evaluation import streaming
from tests.evaluation import corpora


def outputs(
    commands: list[list[str]], piece: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[int, str, str]]:
    """The exit codes and the output of commands, with files cut into pieces of about so many bytes."""
    with monkeypatch.context() as changed:
        changed.setattr(streaming, "PIECE", piece)
        return [(run(command), *capsys.readouterr()) for command in commands]


@pytest.mark.parametrize("task", corpora.TASKS)
def test_pieces_change_nothing(
    task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    records, response_records = corpora.records(task, 30)
    key, response, _ = corpora.files(tmp_path, task, corpora.HOME[task], records, {"A": response_records})
    commands = [
        ["validate", task, str(key), str(response["A"]), "--json"],
        ["errors", task, str(key), str(response["A"]), "-f", "json"],
        ["errors", task, str(key), str(response["A"]), "--limit", "2"],
    ]
    whole = outputs(commands, 1 << 30, capsys, monkeypatch)
    assert [code for code, _, _ in whole] == [0, 0, 0], whole
    assert outputs(commands, 700, capsys, monkeypatch) == whole


def test_what_only_the_whole_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f'{{"id": "u{number}", "text": "one two"}}\n' for number in range(50)]
    twice, wrong, blank = tmp_path / "twice.jsonl", tmp_path / "wrong.jsonl", tmp_path / "blank.jsonl"
    twice.write_text("".join([*lines, lines[3]]))
    wrong.write_text("".join([*lines, '{"id": "u50", "text": 7}\n']))
    blank.write_text("".join(line.replace("one two", "") for line in lines))
    commands = [["validate", "speech", str(path), *more] for path in (twice, wrong, blank) for more in ([], ["--json"])]
    whole = outputs(commands, 1 << 30, capsys, monkeypatch)
    assert [code for code, _, _ in whole] == [3, 3, 3, 3, 0, 0]
    assert outputs(commands, 300, capsys, monkeypatch) == whole
