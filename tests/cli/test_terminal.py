"""Escape sequences in names, ids, labels, words and paths are shown, not sent: in every format and in every message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aune.cli import run
from aune.reports import FORMATS
from tests.fuzz.commands import STEERING

EVIL = "\x1b[31mX\x07\u202e\x9b2J"
NAME = f"a{EVIL}b"
SIDES: dict[str, list[list[dict[str, Any]]]] = {
    "anaphora": [
        [{"document": NAME, "anaphors": [{"anaphor": f"he{EVIL}", "antecedents": [f"{item}{EVIL}"]}]},
         {"document": f"{item}{EVIL}", "anaphors": [{"anaphor": "he", "antecedents": ["A"]}]}] for item in "AB"
    ],
    "coref": [
        [{"doc_key": NAME, "sentences": [[EVIL, "b", "c"]], "clusters": [[[0, 0], [end, end]]]},
         {"doc_key": f"{end}{EVIL}", "sentences": [["q", "r"]], "clusters": [[[0, 0], [1, 1]]]}] for end in (1, 2)
    ],
    "entities": [
        [{"id": NAME, "text": f"{EVIL} lives here", "entities": [[0, end, f"L{end}{EVIL}"]]},
         {"id": f"{end}{EVIL}", "text": "x y", "entities": []}] for end in (3, 5)
    ],
    "speech": [
        [{"id": NAME, "speaker": f"s{EVIL}", "text": f"{word}{EVIL} b"}, {"id": f"{word}{EVIL}", "text": "x"}]
        for word in "cd"
    ],
    "tagging": [[{"id": NAME, "words": [f"a{EVIL}", "b"], "tags": [f"{tag}{EVIL}", "V"]}] for tag in "TU"],
}  # fmt: skip
WRITTEN = {"anaphora": "pairs", "coref": "conll2012", "entities": "conll", "speech": "trn", "tagging": "tsv"}


def lines(task: str) -> Iterator[list[str]]:
    files, system = [task, "key.jsonl", "response.jsonl"], [task, "key.jsonl", f"s{EVIL}=response.jsonl"]
    for form in FORMATS:
        yield ["score", *system, "--format", form]
        yield ["score", *system, "--by", "document", "--format", form]
        yield ["compare", *system, "b=response.jsonl", "--draws", "20", "--format", form]
        yield ["agreement", *system, "--format", form]
        yield ["errors", *files, "--format", form]
        yield ["describe", task, "key.jsonl", "--format", form]
    for option in ("-m", "--format", "--only", "--by", "--input-format", "--fail-under", "--rows", "-o", f"--{EVIL}"):
        yield ["score", *files, option, EVIL]
    for place in range(3):
        yield ["score", *files[:place], EVIL, *files[place + 1 :]]
    yield from (["validate", task, path] for path in ("key.jsonl", f"bad{EVIL}.jsonl", f"bad{EVIL}.conll"))
    yield from (["convert", task, "key.jsonl", path, "--to", WRITTEN[task]] for path in ("out", f"no{EVIL}/out"))
    yield ["combine", task, "key.jsonl", "response.jsonl", "-o", "vote"]
    yield ["score", *files, "--missing", "error", "--extra", "error"]
    yield from ([word, EVIL] for word in ("explain", "cite", "list", "completion"))


@pytest.mark.parametrize("task", sorted(SIDES))
def test_nothing_steers_a_terminal(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, records in zip(("key", "response"), SIDES[task], strict=True):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    Path(f"bad{EVIL}.jsonl").write_text(f'{{"id": "{EVIL}", "text": {EVIL}}}\n')
    Path(f"bad{EVIL}.conll").write_text(f"#begin document ({EVIL}); part 000\nx 0 0 {EVIL} ({EVIL}\n#end document\n")
    codes = []
    for line in lines(task):
        codes.append(run(line))
        printed = "".join(capsys.readouterr())
        assert codes[-1] in (0, 2, 3, 4), (line, printed)
        assert not (sent := STEERING.search(printed)), (line, sent)
    assert codes.count(0) > len(codes) / 3
