"""Where files are cut: blocks of any size, counted anywhere, give the places that looking at every byte gives."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import Future
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from aune.contract.format import Boundaries
from aune.errors import InputError
from aune.reading import pieces
from aune.reading.pieces import Cutter, open_cutter
from aune.reading.source import origins

MARKS = {"every line": (b"",), "marked lines": (b"#a", b"#be"), "blank lines": (b"\n",)}


def make_text(seed: int, line_end: str = "\n") -> bytes:
    draw = random.Random(seed)
    lines = ["", "x", "#a", "#b", "#be", "#ab", "y" * draw.randint(1, 90), "#a" * draw.randint(1, 40)]
    return line_end.join(draw.choices(lines, k=draw.randint(0, 60))).encode() + line_end.encode() * draw.randint(0, 1)


def obvious_places(text: bytes, marks: tuple[bytes, ...]) -> list[tuple[int, int]]:
    """The first byte and the line of every document."""
    starts = [place + 1 for place in range(len(text) - 1) if text[place : place + 1] == b"\n"]
    starts = [start for start in starts if any(text[start:].startswith(mark) for mark in marks)]
    if all(mark.strip() for mark in marks) and not text.startswith(marks):  # what is before the first mark is its own
        starts = starts[1:]
    return [(start, text[:start].count(b"\n") + 1) for start in [0, *starts]]


def make_cutter(path: Path, marks: tuple[bytes, ...], block_size: int, monkeypatch: pytest.MonkeyPatch) -> Cutter:
    """A cutter whose blocks were counted in parts, by copies of its scanner, as other processes do."""
    monkeypatch.setattr(pieces, "BLOCK_SIZE", block_size)
    cutter = open_cutter(origins(str(path))[0], Boundaries(marks))
    step = 3
    parts = [
        pickle.loads(pickle.dumps(cutter.scanner)).count(first, min(first + step, cutter.blocks))
        for first in range(0, cutter.blocks, step)
    ]
    cutter.add_counts(parts)
    return cutter


@pytest.mark.parametrize("marks", MARKS.values(), ids=MARKS)
@pytest.mark.parametrize("block_size", [1, 7, 64, 1 << 18])
def test_documents_begin_where_a_look_at_every_byte_finds_them(
    marks: tuple[bytes, ...], block_size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(12):
        path = tmp_path / f"{seed}.txt"
        path.write_bytes(make_text(seed, "\r\n" if seed % 4 == 3 else "\n"))
        text = path.read_bytes()
        places = obvious_places(text, marks)
        cutter = make_cutter(path, marks, block_size, monkeypatch)
        assert [tuple(cutter.place(number)) for number in range(cutter.documents)] == places, seed
        offsets = [start for start, _ in places]
        for offset in range(len(text)):
            assert cutter.number_from(offset) == sum(start < offset for start in offsets), (seed, offset)


@pytest.mark.parametrize("marks", MARKS.values(), ids=MARKS)
@pytest.mark.parametrize("block_size", [7, 64])
def test_a_piece_is_located_by_whoever_reads_it(
    marks: tuple[bytes, ...], block_size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(make_text(5))
    cutter = make_cutter(path, marks, block_size, monkeypatch)
    numbers = [0, cutter.documents // 3, cutter.documents // 2, cutter.documents]
    contents = b""
    for first, after in pairwise(numbers):
        piece = cutter.piece("format", first, after)
        assert piece is not None and not piece.segments
        located = pickle.loads(pickle.dumps(piece)).locate()
        assert located == replace(piece, segments=tuple(cutter.segments(first, after)), span=None)
        contents += b"".join(located.parts)
    assert contents == path.read_bytes()
    assert cutter.piece("format", cutter.documents, cutter.documents + 1) is None


def test_a_piece_of_a_file_that_changed_is_not_located(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"a\nb\nc\nd\n")
    piece = make_cutter(path, (b"",), 4, monkeypatch).piece("format", 2, 4)
    assert piece is not None
    path.write_bytes(b"a\nbcdefg\n"[:8])
    with pytest.raises(OSError, match="not as long as"):
        pickle.loads(pickle.dumps(piece)).locate()
    path.unlink()
    with pytest.raises(OSError, match="No such file"):
        pickle.loads(pickle.dumps(piece)).locate()


def test_the_digest_of_a_file_that_is_gone_is_a_problem_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"a\n")
    origin = origins(str(path))[0]
    digest: Future[str] = Future()
    digest.set_exception(FileNotFoundError("gone"))
    with pytest.raises(InputError, match="changed while it was read"):
        _ = replace(origin, digest=digest).sha256
