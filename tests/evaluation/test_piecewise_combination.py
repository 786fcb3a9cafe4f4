"""Combination in pieces gives the bytes and the messages of whole combination, however the files are cut."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import aune.cli.combine
from aune.cli import run
from aune.contract import registry
from aune.evaluation import streaming
from aune.evaluation.piecewise_conversion import can_be_written_in_pieces
from tests.evaluation.corpora import HOME, Record, lines, records

TASKS = [name for name in registry.task_names() if registry.task(name).extras.combine]
WRITTEN = [(task, form.name) for task in TASKS for form in registry.formats(task) if can_be_written_in_pieces(form, {})]
Outcome = tuple[int, str, str, dict[str, bytes]]


def systems_of(task: str, count: int = 12) -> list[list[Record]]:
    """The same documents by three systems."""
    key, response = records(task, count)
    return [key, response, [b if number % 2 else a for number, (a, b) in enumerate(zip(key, response, strict=True))]]


def write_systems(folder: Path, systems: Sequence[Sequence[Record]]) -> list[str]:
    paths = [folder / f"system{number}.jsonl" for number in range(len(systems))]
    for path, documents in zip(paths, systems, strict=True):
        path.write_text(lines(documents))
    return list(map(str, paths))


def combine(
    words: list[str], folder: Path, piece: int, capfd: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
) -> Outcome:
    """What a combination does when files are cut into pieces of about so many bytes."""
    targets = [folder / name for name in ("combined", "listed")]
    with patch.context() as context:
        context.setattr(streaming, "PIECE", piece)
        code = run(["combine", *words, "-o", str(targets[0]), "--disagreements", str(targets[1])])
    files = {path.name: path.read_bytes() for path in targets if path.exists()}
    for path in targets:
        path.unlink(missing_ok=True)
    return code, *capfd.readouterr(), files


@pytest.mark.parametrize(("task", "form"), WRITTEN)
def test_every_format_is_combined_alike(
    task: str, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [task, *write_systems(tmp_path, systems_of(task)), "--to", form]
    whole = combine(words, tmp_path, 1 << 30, capfd, monkeypatch)
    if whole[0] == 0:
        monkeypatch.setattr(aune.cli.combine, "_combine_whole", None)
    for piece in (1, 700):
        assert combine(words, tmp_path, piece, capfd, monkeypatch) == whole, piece


def with_fields(record: Record, **fields: Any) -> Record:
    return {**record, **fields}


def with_relation(record: Record) -> Record:
    """A document in which one chain is linked to another."""
    return with_fields(record, bridging=[[record["clusters"][0][0], record["clusters"][1][0]]])


UNUSUAL: dict[str, tuple[str, Any, list[str]]] = {
    "another order": ("speech", lambda a, b, c: [a, b[::-1], c], []),
    "fewer documents": ("coref", lambda a, b, c: [a, b[:-2], c], []),
    "more documents": ("entities", lambda a, b, c: [a[:-2], b[:-2], c], []),
    "a key": ("entities", lambda a, b, c: [a, b, c], ["--key", "system1.jsonl"]),
    "weights": ("tagging", lambda a, b, c: [a, b, c], ["--weight", "system1=2.5"]),
    "an unknown system": ("tagging", lambda a, b, c: [a, b, c], ["--weight", "x=2.5"]),
    "a table": ("tagging", lambda a, b, c: [a, b, c], ["--table", "system1=table.tsv"]),
    "all must agree": ("entities", lambda a, b, c: [a, b, c], ["--least", "1", "--below", "0.5"]),
    "no confidences": ("speech", lambda a, b, c: [a, b, c], ["--confidence", "average"]),
    "a column that appears late": (
        "tagging",
        lambda a, b, c: [a, [*b[:-1], with_fields(b[-1], upos=["X"] * len(b[-1]["words"]))], c],
        [],
    ),
    "a problem": ("speech", lambda a, b, c: [a, b, [*c, {"id": "x", "text": 7}]], []),
    "a repeated name": ("speech", lambda a, b, c: [a, b, [*c, c[0]]], []),
    "other words": (
        "entities",
        lambda a, b, c: [a, b, [with_fields(one, tokens=["x", *one["tokens"][1:]]) for one in c]],
        [],
    ),
    "relations": (
        "coref",
        lambda a, b, c: [
            a,
            b,
            [with_fields(one, bridging=[[one["clusters"][0][0], one["clusters"][1][0]]]) for one in c],
        ],
        [],
    ),
}
"""Systems and options that a combination in pieces must not treat in its own way."""


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_systems(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task, change, options = UNUSUAL[kind]
    monkeypatch.chdir(tmp_path)
    Path("table.tsv").write_text("".join(f"{tag}\t{tag}\n" for tag in "NVD"))
    words = [task, *write_systems(tmp_path, change(*systems_of(task))), *options, "--to", HOME[task]]
    whole = combine(words, tmp_path, 1 << 30, capfd, monkeypatch)
    for piece in (1, 700):
        assert combine(words, tmp_path, piece, capfd, monkeypatch) == whole, piece


def test_notes_are_worded_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts of all pieces are added up before users are told."""
    monkeypatch.setattr(aune.cli.combine, "_combine_whole", None)
    records = [{"id": f"d{number}", "tokens": ["a", "b"], "entities": []} for number in range(9)]
    marked = [{**record, "entities": [{"start": 0, "end": 1, "label": f"L{number}"}]}
              for number, record in enumerate(records)]  # fmt: skip
    words = ["entities", *write_systems(tmp_path, [records, marked])]
    code, _, err, _ = combine(words, tmp_path, 100, capfd, monkeypatch)
    assert code == 0 and json.dumps(err).count("no entity has enough votes") == 1
