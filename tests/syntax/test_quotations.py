"""What a file says that a span covers is compared with its text, in every format that quotes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aune.contract import registry
from aune.reading.corpus import read

TEXT = "Ann Lee met Bob"
SPAN = {"start": 0, "end": 7, "label": "PER", "text": "QUOTED"}
REGION = {"value": {"start": 0, "end": 7, "text": "QUOTED", "labels": ["PER"]}, "type": "labels"}
TABLE = "COREF\tstart_token\tend_token\tprop\tcat\ttext\n1\t0\t1\tPROP\tPER\tQUOTED\n"
FILES = [
    ("entities", "a.jsonl", json.dumps({"text": TEXT, "spans": [SPAN]})),
    ("entities", "a.json", json.dumps([{"id": 1, "data": {"text": TEXT}, "annotations": [{"result": [REGION]}]}])),
    ("entities", "a.ann", "T1\tPER 0 7\tQUOTED\n"),
    ("coref", "a.ann", "T1\tMention 0 7\tQUOTED\nT2\tMention 12 15\tBob\n*\tCoref T1 T2\n"),
    ("entities", "a.entities", TABLE),
    ("coref", "a.entities", TABLE),
]  # fmt: skip


@pytest.mark.parametrize(("task", "name", "content"), FILES)
@pytest.mark.parametrize(("quoted", "is_reported"), [("Ann Lee", False), ("Ann  Lee", False), ("Lee met", True)])
def test_a_wrong_quotation_is_reported(
    task: str, name: str, content: str, quoted: str, is_reported: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content.replace("QUOTED", quoted), encoding="utf-8")
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    words = "".join(f"0\t{number}\t{word}\n" for number, word in enumerate(TEXT.split()))
    (tmp_path / "a.tokens").write_text(f"sentence_ID\ttoken\tword\n{words}", encoding="utf-8")
    warnings = read(registry.task(task), str(tmp_path / name)).warnings
    assert any("quotes other words" in warning for warning in warnings) == is_reported
