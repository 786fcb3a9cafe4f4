"""The files of an upload: a file, or a zip or tar archive that is read in memory and never unpacked to its paths.

An archive is refused for what no honest one has: too many files, too much data, paths to outside, links, devices.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple

from aune.campaign.protocol.protocol_file import Limits
from aune.compression import BoundedStream, decompress, is_compressed, leads_outside
from aune.errors import InputError, Place, Problem, Remedy

CHUNK = 1 << 20
DAMAGE_ERRORS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
)
LONGEST_PATH = 200  # characters of a path in an archive
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""The allowed compression methods in a zip: 150 bytes of LZMA can request 4 GB of memory, without any limit."""


class _Member(NamedTuple):
    """A file of an archive that has not been read yet."""

    name: str
    size: int
    packed: int
    is_file: bool
    open: Any


def read_upload(name: str, data: bytes, limits: Limits) -> dict[str, bytes]:
    """The files of an upload by name; raises InputError with all its problems."""
    if not data:
        again = Remedy("send it again")
        raise InputError([Problem("file.empty", Place(name), "nothing", "a file with annotations", (again,))])
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _archive_files(name, data, limits, _zip_members)
    inner = decompress(data, name) if is_compressed(data) else data
    if len(inner) > limits.unpacked:
        raise InputError([_size_problem(name, limits)])
    if _is_tar(inner):
        return _archive_files(name, inner, limits, _tar_members)
    return {_base_name(name): data}


def _base_name(name: str) -> str:
    """The name of a file that is sent alone, without folders."""
    return PurePosixPath(name.replace("\\", "/")).name or "upload"


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"


def _archive_files(name: str, data: bytes, limits: Limits, members: Any) -> dict[str, bytes]:
    try:
        listed = list(_limited_members(members(data), name, limits))
        problems = list(_refusals(name, listed, len(data), limits))
        if problems:
            raise InputError(problems)
        files = {
            member.name: b"".join(_read(name, member, limits))
            for member in listed
            if member.is_file and not _is_noise(member.name)
        }
    except DAMAGE_ERRORS as error:
        what, again = f"a damaged archive ({error or 'it ends too early'})", Remedy("make it again")
        raise InputError([Problem("archive.damaged", Place(name), what, "a whole one", (again,))]) from None
    if not files:
        raise InputError([Problem("archive.empty", Place(name), "an archive without files", "annotations in it")])
    return files


def _limited_members(members: Iterator[_Member], name: str, limits: Limits) -> Iterator[_Member]:
    for number, member in enumerate(members):
        if number >= limits.files:
            what, fewer = f"more than {limits.files:,} files", Remedy("send fewer")
            raise InputError([Problem("archive.too-many-files", Place(name), what, "at most as many", (fewer,))])
        yield member


def _refusals(name: str, members: list[_Member], packed: int, limits: Limits) -> Iterator[Problem]:
    """The problems of an archive according to its list of files."""
    seen: set[PurePosixPath] = set()
    folders = {folder for member in members for folder in PurePosixPath(member.name).parents}
    for member in members:
        path = PurePosixPath(member.name)
        place = Place(f"{name}!{member.name[:LONGEST_PATH]}")
        if not member.is_file and not member.name.endswith("/"):
            put_in = Remedy("put the file itself in")
            yield Problem("archive.no-plain-file", place, "a link or a device", "plain files", (put_in,))
        if leads_outside(member.name) or len(member.name) > LONGEST_PATH:
            what = "a path that leads out of the archive, is too long or has signs that no name has"
            yield Problem("archive.bad-path", place, what, "a plain one inside", (Remedy("rename it"),))
        if path in seen or (member.is_file and path in folders):
            remedy = Remedy("rename or remove it")
            yield Problem("archive.repeated-name", place, "the same name twice", "every file once", (remedy,))
        seen.add(path)
        if member.packed and member.size > limits.ratio * member.packed and member.size > CHUNK:
            what = f"{member.packed:,} bytes that unpack to {member.size:,}"
            most, remedy = f"at most {limits.ratio} times as many", Remedy("send it packed less")
            yield Problem("archive.unpacks-to-too-much", place, what, most, (remedy,))
    if sum(member.size for member in members) > limits.unpacked:
        yield _size_problem(name, limits)


def _is_noise(path: str) -> bool:
    """Whether archivers or desktops add this file by themselves."""
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(path).parts)


def _size_problem(name: str, limits: Limits) -> Problem:
    what = f"more than {limits.unpacked:,} bytes when unpacked"
    return Problem("file.too-large", Place(name), what, "at most as many", (Remedy("send less"),))


def _read(name: str, member: _Member, limits: Limits) -> Iterator[bytes]:
    """The bytes of a file, up to the size that the archive declares, which may be wrong."""
    what, again = "more bytes than the archive says", Remedy("make it again")
    size_problem = Problem("archive.damaged", Place(f"{name}!{member.name}"), what, "as many", (again,))
    with member.open() as stream:
        limited = BoundedStream(stream, min(member.size, limits.unpacked), size_problem)
        yield from iter(lambda: limited.read(CHUNK), b"")


def _zip_members(data: bytes) -> Iterator[_Member]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    for info in archive.infolist():
        kind = info.external_attr >> 28  # the Unix file type: 8 is a regular file, 4 a folder, 10 a link
        if info.flag_bits & 1:
            raise zipfile.BadZipFile(f"{info.filename} is encrypted")
        if info.compress_type not in ZIP_METHODS:
            raise zipfile.BadZipFile(f"{info.filename} is packed in another way than deflate or bzip2")
        plain = kind in (0, 8) and not info.filename.endswith("/")
        yield _Member(info.filename, info.file_size, info.compress_size, plain, lambda info=info: archive.open(info))


def _tar_members(data: bytes) -> Iterator[_Member]:
    archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - needed while members are read
    for info in archive:
        name = info.name + "/" * info.isdir()
        yield _Member(name, info.size, 0, info.isreg(), lambda info=info: archive.extractfile(info))


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """Files as a zip archive; the same files give the same bytes."""
    buffer = io.BytesIO()
    write_zip(files, buffer)
    return buffer.getvalue()


def write_zip(files: Mapping[str, bytes], output: IO[bytes]) -> None:
    """Write files as a zip archive, with one file in memory at a time."""
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # dated 1980, so that the bytes are reproducible
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
