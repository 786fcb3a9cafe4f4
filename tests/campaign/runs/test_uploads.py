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


def make_zip(files: dict[str, bytes], **rest: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = rest.get("mode", 0o100644) << 16
            archive.writestr(entry, data)
    return made.getvalue()


def make_tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
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


def check_refusal(data: bytes, why: str) -> None:
    with pytest.raises(InputError) as error:
        read_upload("run.zip", data, LIMITS)
    assert why in str(error.value)


def test_a_file_an_archive_and_a_packed_archive() -> None:
    files = {"a.tsv": b"a\tN\n", "b/c.tsv": b"c\tN\n"}
    assert read_upload("x/a.tsv", b"a\tN\n", LIMITS) == {"a.tsv": b"a\tN\n"}
    assert read_upload("run.zip", make_zip(files), LIMITS) == files
    assert read_upload("run.zip", zip_bytes(files), LIMITS) == files
    plain = make_tar((member("a.tsv"), b"a\tN\n"), (member("b/c.tsv"), b"c\tN\n"))
    assert read_upload("run.tar", plain, LIMITS) == files
    assert read_upload("run.tgz", gzip.compress(plain), LIMITS) == files
    assert zip_bytes(files) == zip_bytes(dict(reversed(files.items())))


def test_what_desktops_add_is_left_out() -> None:
    assert list(
        read_upload("run.zip", make_zip({"a.tsv": b"a\tN\n", "__MACOSX/._a.tsv": b"x", ".DS_Store": b"x"}), LIMITS)
    ) == ["a.tsv"]


@pytest.mark.parametrize("name", ["", "../a.tsv", "/etc/passwd", "a/../../b", "C:/x", "a\\..\\b", "a\nb", "x" * 300])
def test_paths_that_lead_out(name: str) -> None:
    data = make_zip({name or "x": b"a\tN\n"})
    check_refusal(data if name else _nameless(data), "leads out")


def _nameless(data: bytes) -> bytes:
    """A zip archive whose one file has no name at all."""
    bare = data.replace(b"x", b"")
    for place in (bare.index(b"PK\x03\x04") + 26, bare.index(b"PK\x01\x02") + 28):
        bare = bare[:place] + b"\0\0" + bare[place + 2 :]
    size, start = bare.index(b"PK\x05\x06") + 12, bare.index(b"PK\x01\x02")
    length = (bare.index(b"PK\x05\x06") - start).to_bytes(4, "little")
    return bare[:size] + length + start.to_bytes(4, "little") + bare[size + 8 :]


def test_links_and_devices() -> None:
    check_refusal(make_zip({"a": b"/etc/passwd"}, mode=stat.S_IFLNK | 0o777), "link or a device")
    check_refusal(make_tar((member("a", tarfile.SYMTYPE, "/etc/passwd"), b"")), "link or a device")
    check_refusal(make_tar((member("a", tarfile.LNKTYPE, "b"), b"")), "link or a device")
    check_refusal(make_tar((member("a", tarfile.CHRTYPE), b"")), "link or a device")


def test_bombs() -> None:
    """A megabyte of zeros in a thousand bytes; many of them; one that lies about its size; one inside another."""
    check_refusal(make_zip({"a": b"\0" * 4_000_000}), "unpack to")
    check_refusal(make_zip({str(number): b"\0" * 900_000 for number in range(20)}), "when unpacked")
    check_refusal(make_zip({str(number): b"" for number in range(60)}), "more than 50 files")
    check_refusal(gzip.compress(b"\0" * 20_000_000), "unpack")
    lying = bytearray(make_zip({"a": b"\0" * 4_000_000}))
    for place in range(len(lying) - 4):
        if lying[place : place + 4] == (4_000_000).to_bytes(4, "little"):
            lying[place : place + 4] = (100).to_bytes(4, "little")
    check_refusal(bytes(lying), "archive")


def test_the_same_name_twice_encryption_damage_and_nothing() -> None:
    made = io.BytesIO()
    with pytest.warns(UserWarning), zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a", b"1")
        archive.writestr("a", b"2")
    check_refusal(made.getvalue(), "twice")
    check_refusal(make_zip({"a": b"x" * 100})[:-30], "found")
    check_refusal(b"", "nothing")
    check_refusal(make_zip({}), "found")
    locked = bytearray(make_zip({"a": b"x"}))
    place = locked.rfind(b"PK\x01\x02")
    locked[place + 8] |= 1
    check_refusal(bytes(locked), "encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, 93, 99])
def test_what_asks_for_memory_or_for_other_programs(method: int) -> None:
    """LZMA says by itself how much memory it wants: 4 GB in 150 bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.tsv", b"a\tN\n" * 50)
    data = bytearray(made.getvalue())
    for place in (data.index(b"PK\x03\x04") + 8, data.rindex(b"PK\x01\x02") + 10):
        data[place : place + 2] = method.to_bytes(2, "little")
    check_refusal(bytes(data), "packed in another way")


def test_nothing_is_written_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    read_upload("run.zip", make_zip({"a.tsv": b"a\tN\n"}), LIMITS)
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("names", [("a", "a/b.tsv"), ("a/b.tsv", "a"), ("a.tsv", "./a.tsv"), ("a/b.tsv", "a//b.tsv")])
def test_names_that_stand_in_each_other_s_way(names: tuple[str, str]) -> None:
    """What cannot lie in one folder is the sender's to mend, not our fault."""
    check_refusal(make_zip(dict.fromkeys(names, b"a\tN\n")), "the same name twice")
    check_refusal(make_tar(*((member(name), b"a\tN\n") for name in names)), "the same name twice")
