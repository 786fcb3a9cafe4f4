"""Hostile uploads: refused in plain words, with bounded memory, and nothing outside touched."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from aune.campaign.protocol.protocol_file import Limits
from aune.campaign.runs.uploads import read_upload, zip_bytes
from aune.errors import InputError

LIMITS = Limits(upload=1_000_000, unpacked=5_000_000, files=50, ratio=100)


def zipped(files: dict[str, bytes], **rest: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = rest.get("mode", 0o100644) << 16
            archive.writestr(entry, data)
    return made.getvalue()


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for info, data in members:
            info.size = len(data) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def refused(data: bytes, why: str) -> None:
    with pytest.raises(InputError) as error:
        read_upload("run.zip", data, LIMITS)
    assert why in str(error.value)


def test_a_file_an_archive_and_a_packed_archive() -> None:
    files = {"a.tsv": b"a\tN\n", "b/c.tsv": b"c\tN\n"}
    assert read_upload("x/a.tsv", b"a\tN\n", LIMITS) == {"a.tsv": b"a\tN\n"}
    assert read_upload("run.zip", zipped(files), LIMITS) == files
    assert read_upload("run.zip", zip_bytes(files), LIMITS) == files
    plain = tarred((member("a.tsv"), b"a\tN\n"), (member("b/c.tsv"), b"c\tN\n"))
    assert read_upload("run.tar", plain, LIMITS) == files
    assert read_upload("run.tgz", gzip.compress(plain), LIMITS) == files
    assert zip_bytes(files) == zip_bytes(dict(reversed(files.items())))


def test_what_desktops_add_is_left_out() -> None:
    assert list(
        read_upload("run.zip", zipped({"a.tsv": b"a\tN\n", "__MACOSX/._a.tsv": b"x", ".DS_Store": b"x"}), LIMITS)
    ) == ["a.tsv"]


@pytest.mark.parametrize("name", ["", "../a.tsv", "/etc/passwd", "a/../../b", "C:/x", "a\\..\\b", "a\nb", "x" * 300])
def test_paths_that_lead_out(name: str) -> None:
    data = zipped({name or "x": b"a\tN\n"})
    refused(data if name else _nameless(data), "leads out")


def _nameless(data: bytes) -> bytes:
    """A zip archive whose one file has no name at all."""
    bare = data.replace(b"x", b"")
    for place in (bare.index(b"PK\x03\x04") + 26, bare.index(b"PK\x01\x02") + 28):
        bare = bare[:place] + b"\0\0" + bare[place + 2 :]
    size, start = bare.index(b"PK\x05\x06") + 12, bare.index(b"PK\x01\x02")
    length = (bare.index(b"PK\x05\x06") - start).to_bytes(4, "little")
    return bare[:size] + length + start.to_bytes(4, "little") + bare[size + 8 :]


def test_links_and_devices() -> None:
    refused(zipped({"a": b"/etc/passwd"}, mode=stat.S_IFLNK | 0o777), "link or a device")
    refused(tarred((member("a", tarfile.SYMTYPE, "/etc/passwd"), b"")), "link or a device")
    refused(tarred((member("a", tarfile.LNKTYPE, "b"), b"")), "link or a device")
    refused(tarred((member("a", tarfile.CHRTYPE), b"")), "link or a device")


def test_bombs() -> None:
    """A megabyte of zeros in a thousand bytes; many of them; one that lies about its size; one inside another."""
    refused(zipped({"a": b"\0" * 4_000_000}), "unpack to")
    refused(zipped({str(number): b"\0" * 900_000 for number in range(20)}), "when unpacked")
    refused(zipped({str(number): b"" for number in range(60)}), "more than 50 files")
    refused(gzip.compress(b"\0" * 20_000_000), "unpack")
    lying = bytearray(zipped({"a": b"\0" * 4_000_000}))
    for place in range(len(lying) - 4):
        if lying[place : place + 4] == (4_000_000).to_bytes(4, "little"):
            lying[place : place + 4] = (100).to_bytes(4, "little")
    refused(bytes(lying), "archive")


def test_the_same_name_twice_encryption_damage_and_nothing() -> None:
    made = io.BytesIO()
    with pytest.warns(UserWarning), zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a", b"1")
        archive.writestr("a", b"2")
    refused(made.getvalue(), "twice")
    refused(zipped({"a": b"x" * 100})[:-30], "found")
    refused(b"", "nothing")
    refused(zipped({}), "found")
    locked = bytearray(zipped({"a": b"x"}))
    place = locked.rfind(b"PK\x01\x02")
    locked[place + 8] |= 1
    refused(bytes(locked), "encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, 93, 99])
def test_what_asks_for_memory_or_for_other_programs(method: int) -> None:
    """LZMA says by itself how much memory it wants: 4 GB in 150 bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.tsv", b"a\tN\n" * 50)
    data = bytearray(made.getvalue())
    for place in (data.index(b"PK\x03\x04") + 8, data.rindex(b"PK\x01\x02") + 10):
        data[place : place + 2] = method.to_bytes(2, "little")
    refused(bytes(data), "packed in another way")


def test_nothing_is_written_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    read_upload("run.zip", zipped({"a.tsv": b"a\tN\n"}), LIMITS)
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("names", [("a", "a/b.tsv"), ("a/b.tsv", "a"), ("a.tsv", "./a.tsv"), ("a/b.tsv", "a//b.tsv")])
def test_names_that_stand_in_each_other_s_way(names: tuple[str, str]) -> None:
    """What cannot lie in one folder is the sender's to mend, not our fault."""
    refused(zipped(dict.fromkeys(names, b"a\tN\n")), "the same name twice")
    refused(tarred(*((member(name), b"a\tN\n") for name in names)), "the same name twice")
