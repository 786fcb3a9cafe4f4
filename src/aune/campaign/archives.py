"""What is in an upload: a file, or the files of a zip or tar archive, read in memory and never unpacked by their paths.

An archive is refused for what no honest one has: too many files, too much in them, paths that lead out, links, devices.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple

from aune.campaign.protocol import Limits
from aune.core.errors import InputError, Problem
from aune.core.unpacking import Bounded, decompressed, is_packed, leads_out

STEP = 1 << 20
DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
)
LONGEST = 200  # characters of a path in an archive
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""How files in a zip may be packed: 150 bytes of LZMA can ask for 4 GB of memory, and nothing limits that."""
PACKED_LESS = "send it packed less"


class _Member(NamedTuple):
    """A file of an archive that nobody has read yet."""

    name: str
    size: int
    packed: int
    is_file: bool
    open: Any


def contents(name: str, data: bytes, limits: Limits) -> dict[str, bytes]:
    """The files of an upload by name; everything wrong with it at once."""
    if not data:
        raise InputError([Problem(name, 1, 1, "found nothing, expected a file with annotations: send it again")])
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _opened(name, data, limits, _zip)
    inner = decompressed(data, name) if is_packed(data) else data
    if len(inner) > limits.unpacked:
        raise InputError([_too_much(name, limits)])
    if _is_tar(inner):
        return _opened(name, inner, limits, _tar)
    return {_plain(name): data}


def _plain(name: str) -> str:
    """The name of a file that is sent alone, without folders."""
    return PurePosixPath(name.replace("\\", "/")).name or "upload"


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"


def _opened(name: str, data: bytes, limits: Limits, members: Any) -> dict[str, bytes]:
    try:
        listed = list(_listed(members(data), name, limits))
        problems = list(_refusals(name, listed, len(data), limits))
        if problems:
            raise InputError(problems)
        files = {
            one.name: b"".join(_read(name, one, limits)) for one in listed if one.is_file and not _is_noise(one.name)
        }
    except DAMAGE as error:
        what = f"found a damaged archive ({error or 'it ends too early'}), expected a whole one: make it again"
        raise InputError([Problem(name, 1, 1, what)]) from None
    if not files:
        raise InputError([Problem(name, 1, 1, "found an archive without files, expected annotations in it")])
    return files


def _listed(members: Iterator[_Member], name: str, limits: Limits) -> Iterator[_Member]:
    for number, member in enumerate(members):
        if number >= limits.files:
            what = f"found more than {limits.files:,} files, expected at most as many: send fewer"
            raise InputError([Problem(name, 1, 1, what)])
        yield member


def _refusals(name: str, members: list[_Member], packed: int, limits: Limits) -> Iterator[Problem]:
    """What is wrong with an archive by what it says of its files."""
    seen: set[PurePosixPath] = set()
    folders = {folder for member in members for folder in PurePosixPath(member.name).parents}
    for member in members:
        path = PurePosixPath(member.name)
        where = f"{name}!{member.name[:LONGEST]}"
        if not member.is_file and not member.name.endswith("/"):
            yield Problem(where, 1, 1, "found a link or a device, expected plain files: put the file itself in")
        if leads_out(member.name) or len(member.name) > LONGEST:
            what = "found a path that leads out of the archive, is too long or has signs that no name has"
            yield Problem(where, 1, 1, f"{what}, expected a plain one inside: rename it")
        if path in seen or (member.is_file and path in folders):
            yield Problem(where, 1, 1, "found the same name twice, expected every file once: rename or remove it")
        seen.add(path)
        if member.packed and member.size > limits.ratio * member.packed and member.size > STEP:
            what = (
                f"found {member.packed:,} bytes that unpack to {member.size:,}, expected at most {limits.ratio} times"
            )
            yield Problem(where, 1, 1, f"{what} as many: {PACKED_LESS}")
    if sum(member.size for member in members) > limits.unpacked:
        yield _too_much(name, limits)


def _is_noise(path: str) -> bool:
    """Files that archivers and desktops add by themselves."""
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(path).parts)


def _too_much(name: str, limits: Limits) -> Problem:
    what = f"found more than {limits.unpacked:,} bytes when unpacked, expected at most as many: send less"
    return Problem(name, 1, 1, what)


def _read(name: str, member: _Member, limits: Limits) -> Iterator[bytes]:
    """The bytes of a file, no more than the archive says: what it says may be a lie."""
    lie = Problem(
        f"{name}!{member.name}", 1, 1, "found more bytes than the archive says, expected as many: make it again"
    )
    with member.open() as stream:
        limited = Bounded(stream, min(member.size, limits.unpacked), lie)
        yield from iter(lambda: limited.read(STEP), b"")


def _zip(data: bytes) -> Iterator[_Member]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    for one in archive.infolist():
        kind = one.external_attr >> 28  # the kind of file as Unix has it; 8 is a plain one, 4 a folder, 10 a link
        if one.flag_bits & 1:
            raise zipfile.BadZipFile(f"{one.filename} is encrypted")
        if one.compress_type not in METHODS:
            raise zipfile.BadZipFile(f"{one.filename} is packed in another way than deflate or bzip2")
        plain = kind in (0, 8) and not one.filename.endswith("/")
        yield _Member(one.filename, one.file_size, one.compress_size, plain, lambda one=one: archive.open(one))


def _tar(data: bytes) -> Iterator[_Member]:
    archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - lives as long as its bytes
    for one in archive:
        name = one.name + "/" * one.isdir()
        yield _Member(name, one.size, 0, one.isreg(), lambda one=one: archive.extractfile(one))


def packed(files: Mapping[str, bytes]) -> bytes:
    """Files as a zip archive that is the same bytes for the same files."""
    made = io.BytesIO()
    pack(files, made)
    return made.getvalue()


def pack(files: Mapping[str, bytes], made: IO[bytes]) -> None:
    """Write files as a zip archive, one in memory at a time."""
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # of 1980, whenever it is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
