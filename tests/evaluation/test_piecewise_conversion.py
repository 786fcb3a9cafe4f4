"""Conversion in pieces gives the bytes, the losses and the messages of whole conversion, however the files are cut."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import aune.cli.convert
from aune.cli import run
from aune.contract import registry
from aune.evaluation import streaming
from aune.evaluation.piecewise_conversion import can_be_written_in_pieces
from aune.reading.source import Source
from tests.evaluation.corpora import HOME, OPTIONS, SUFFIXES, TASKS, records, write_text

WRITTEN = [(task, form.name) for task in TASKS for form in registry.formats(task) if form.write]
IN_PIECES = [(task, name) for task, name in WRITTEN if can_be_written_in_pieces(registry.format(task, name), {})]
READ = [(task, form.name) for task in TASKS for form in registry.formats(task)]
PIECES = (1, 700)


class Outcome(NamedTuple):
    code: int
    out: str
    err: str
    files: dict[str, bytes]


def convert(words: list[str], piece: int, capfd: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> Outcome:
    """What a conversion does when files are cut into pieces of about so many bytes."""
    target = Path(words[2])
    with patch.context() as changed:
        changed.setattr(streaming, "PIECE", piece)
        code = run(["convert", *words])
    files = {}
    for path in sorted(target.rglob("*")) if target.is_dir() else sorted(target.parent.glob(f"{target.stem}*")):
        files[path.name] = path.read_bytes()
        path.unlink()
    return Outcome(code, *capfd.readouterr(), files)


@pytest.mark.parametrize(("task", "form"), WRITTEN)
def test_every_format_is_written_alike(
    task: str, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From lines of JSON into every format."""
    source = write_text(tmp_path, "source", task, HOME[task], records(task, 12)[0])
    words = [task, source, str(tmp_path / "target"), "--to", form, "--json"]
    whole = convert(words, 1 << 30, capfd, monkeypatch)
    if (task, form) in IN_PIECES and whole.code == 0:
        monkeypatch.setattr(aune.cli.convert, "_convert_whole", None)
    for piece in PIECES:
        assert convert(words, piece, capfd, monkeypatch) == whole, piece


@pytest.mark.parametrize(("task", "form"), READ)
def test_every_format_is_read_alike(
    task: str, form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From every format into lines of JSON, and into its own format."""
    source = write_text(tmp_path, "source", task, form, records(task, 12)[0])
    options = OPTIONS.get(f"{task}.{form}", {})
    named = [] if form in SUFFIXES else ["--from", form]
    documents = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if name in ("documents",)]
    for target in (HOME[task], form) if registry.format(task, form).write else (HOME[task],):
        words = [task, source, str(tmp_path / "target"), "--to", target, "--json", *named, *documents]
        whole = convert(words, 1 << 30, capfd, monkeypatch)
        assert convert(words, 1, capfd, monkeypatch) == whole, target


LINE = '{{"id": "u{}", "text": "one two"}}\n'
MANY = [LINE.format(number) for number in range(60)]
BAD = '{"id": "x", "text": 7}\n'
REFUSED = '{"id": "a(b", "text": "one"}\n'  # by trn
IOB1 = "# newdoc id = a{}\nAnn\tI-PER\nmet\tO\nBo\tI-PER\nLee\tB-PER\n\n"
IOB2 = "# newdoc id = b{}\nAnn\tB-PER\nLee\tI-PER\nmet\tO\n\n"
UNUSUAL = {
    "a problem": ("speech", [*MANY, BAD], "trn"),
    "a problem after a refusal": ("speech", [REFUSED, *MANY, BAD], "trn"),
    "a refusal": ("speech", [*MANY, REFUSED, *[line.replace("u", "v") for line in MANY]], "trn"),
    "a repeated name": ("speech", [*MANY, MANY[3]], "trn"),
    "no annotation": ("speech", [line.replace("one two", "") for line in MANY], "kaldi"),
    "names that went to others": (
        "speech",
        [LINE.format(99 - number).replace("u", "") for number in range(90)],
        "lines",
    ),
    "names that remain": ("speech", [LINE.format(number).replace("u", "") for number in range(90)], "lines"),
    "two schemes": ("entities", [IOB1.format(number) for number in range(30)] + [IOB2.format(1)], "jsonl"),
    "a scheme that appears late": ("entities", [*map(IOB2.format, range(30)), IOB1.format(1)], "jsonl"),
    "another first line": ("speech", ["\ufeff", *MANY], "trn"),
    "line ends of Windows": ("speech", [line.replace("\n", "\r\n") for line in MANY], "manifest"),
}
"""Inputs that a reading in pieces must not treat in its own way."""


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_inputs(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task, parts, form = UNUSUAL[kind]
    (tmp_path / "source").write_bytes("".join(parts).encode())
    words = [task, str(tmp_path / "source"), str(tmp_path / "target"), "--to", form]
    whole = convert(words, 1 << 30, capfd, monkeypatch)
    for piece in (1, 300):
        assert convert(words, piece, capfd, monkeypatch) == whole


def test_what_cannot_be_read_back(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first problem in what was written is reported, and nothing is written."""

    def write(documents: Iterable[Any]) -> Iterator[str]:
        return ("{}\n" if document.id == "u40" else LINE.format(document.id[1:]) for document in documents)

    form = replace(registry.format("speech", "manifest"), write=write)
    monkeypatch.setattr(registry, "format", lambda task, name: form)
    monkeypatch.setattr(registry, "formats", lambda task: [form])
    (tmp_path / "source.jsonl").write_text("".join(MANY).replace("one", "a"))
    monkeypatch.setattr("aune.cli.convert._Order.keeps_bytes", False)
    words = ["speech", str(tmp_path / "source.jsonl"), str(tmp_path / "target.jsonl")]
    whole = convert(words, 1 << 30, capfd, monkeypatch)
    assert whole.code == 2 and "reading it back finds" in whole.err and not whole.files
    assert convert(words, 300, capfd, monkeypatch) == whole


@pytest.mark.parametrize(("task", "form"), IN_PIECES)
def test_writers_keep_no_document(task: str, form: str, tmp_path: Path) -> None:
    """A format that can be cut is written while its documents are read."""
    path = Path(write_text(tmp_path, "source", task, form, records(task, 1)[0]))
    home = registry.format(task, form)
    copies = _Copies(next(iter(home.read(Source(str(path), path.read_bytes(), path)))))
    assert home.write is not None
    places = {copies.place for text in home.write(copies) if text}
    assert copies.most_kept <= 1 and len(places) >= copies.count - 1


class _Copies:
    """Copies of a document, again by every iteration, and how many of those before the last were kept elsewhere."""

    count = 9

    def __init__(self, document: Any) -> None:
        self.parcel, self.most_kept, self.place = pickle.dumps(document), 0, 0

    def __iter__(self) -> Iterator[Any]:
        copies: list[Any] = []
        for place in range(self.count):
            self.place = place
            copies.append(pickle.loads(self.parcel))
            yield copies[-1]
            total = sum(sys.getrefcount(copies[number]) > 2 for number in range(len(copies)))
            self.most_kept = max(self.most_kept, total)
