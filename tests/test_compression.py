"""What is behind compression or a pipe, and never more of it than is plausible."""

from __future__ import annotations

import gzip
import lzma
import os
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aune import compression
from aune.cli import run
from aune.compression import decompress, is_compressed
from aune.errors import InputError, UsageError
from aune.files import read_text
from aune.reading.source import origins, sources


@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=4), st.integers(0, 3))
def test_xz_streams_behind_each_other(parts: list[bytes], zeros: int) -> None:
    assume(not is_compressed(b"".join(parts)))
    packed = b"".join(lzma.compress(part, preset=0) + bytes(4 * zeros) for part in parts)
    assert decompress(packed, "a.xz") == b"".join(parts)


def test_much_padding_between_xz_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "READ_SIZE", 64)
    packed = lzma.compress(b"a" * 500) + bytes(4000) + lzma.compress(b"b")
    assert decompress(packed, "a.xz") == b"a" * 500 + b"b"


@given(st.binary(max_size=500), st.data())
def test_damaged_xz_is_refused(data: bytes, draw: st.DataObject) -> None:
    packed = lzma.compress(data, preset=0)
    end = draw.draw(st.integers(6, len(packed) - 1))
    with pytest.raises(InputError, match="damaged compressed data"):
        decompress(packed[:end], "a.xz")


def feed_pipe(path: Path, size: int) -> threading.Thread:
    """Someone who writes so many bytes to a pipe, unless nobody wants them."""

    def write() -> None:
        with suppress(BrokenPipeError):
            path.write_bytes(b"a b\n" * (size // 4))

    os.mkfifo(path)
    writer = threading.Thread(target=write)
    writer.start()
    return writer


@pytest.mark.parametrize("read", [lambda path: origins(path)[0], lambda path: sources(path)[0].text, read_text])
def test_a_pipe_that_does_not_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object]
) -> None:
    monkeypatch.setenv("AUNE_PIPE", "100000")
    for name, size in (("short", 80_000), ("long", 8_000_000)):
        writer = feed_pipe(tmp_path / name, size)
        if name == "short":
            assert read(tmp_path / name)
        else:
            with pytest.raises(InputError, match=r"more than 100,000 bytes, expected fewer: set AUNE_PIPE"):
                read(tmp_path / name)
        writer.join(30)


def test_limits_are_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUNE_PIPE", "many")
    writer = feed_pipe(tmp_path / "pipe", 4)
    with pytest.raises(UsageError, match="AUNE_PIPE=many: expected a number"):
        origins(tmp_path / "pipe")
    writer.join(30)


def test_several_gzip_members() -> None:
    assert decompress(gzip.compress(b"a") + gzip.compress(b"b"), "a.gz") == b"ab"


@pytest.mark.parametrize("inner", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("outer", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("size", [3, 3_000_000])
def test_what_is_packed_twice_is_refused(
    tmp_path: Path, inner: Callable[[bytes], bytes], outer: Callable[[bytes], bytes], size: int,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A small one was unpacked twice, a large one was torn: and a hundred times a hundred is ten thousand."""
    packed = outer(inner(random.Random(1).randbytes(size).hex().encode()))
    (tmp_path / "a.txt").write_bytes(packed)
    for line in (["validate", "speech", "a.txt"], ["score", "speech", "a.txt", "a.txt"]):
        assert run([*line[:2], *(str(tmp_path / word) for word in line[2:])]) == 3
        assert "a packed file in a packed file" in capsys.readouterr().err
    with pytest.raises(InputError, match="a packed file in a packed file"):
        decompress(packed, "a.txt")
