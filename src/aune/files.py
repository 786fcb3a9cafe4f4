"""Read the small files beside the inputs, within bounds, and write every output file.

A file is written completely or not at all, and never over an input. Tables, lexicons, rules and models are read with
`read_text`, and their content with `parse_toml` and `parse_json`, so that a device, or a file nested very deeply,
is reported like any other mistake.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

from aune import STDIN, signals
from aune.compression import read_bounded
from aune.errors import UsageError

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]
HAS_LOCKS = fcntl is not None
"""Whether files can be locked (`lock_file`), and renamed while they are open."""

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MOST_LEVELS = 100  # levels of tables and lists in a file that a person wrote
TOO_DEEP = "tables or lists nested too deeply"
TOO_LARGE = "a number of more than 308 digits"
_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
PROC_FOLDER = "/proc"
MOST_LINKS = 40  # links followed from one to the next
LONG_KEY = re.compile(rf"(?<![\w-]){_KEY_PART}(?:\.[ \t]*+{_KEY_PART}){{{MOST_LEVELS},}}")
"""A key `a.a.a…` has no more parts than this: tomllib takes memory by the square of its length."""
LONGEST_NAME = 255  # bytes of the name of a file


def read_text(path: str | Path) -> str:
    """The text of a file, without a byte order mark; raises OSError or UnicodeDecodeError (a ValueError)."""
    return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a file; raises OSError if it does not exist, or is a device, which may never end."""
    with Path(path).open("rb") as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "a device, not a file", str(path))
        return read_bounded(str(path), file)


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    import hashlib  # noqa: PLC0415 - loads a large library, which most calls in Python do not need

    return hashlib.sha256(data).hexdigest()


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a TOML text; raises ValueError if it is malformed or larger than a person would write."""
    if LONG_KEY.search(text):
        raise ValueError(TOO_DEEP)
    import tomllib  # noqa: PLC0415 - few calls read TOML

    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    _check_bounds(table)
    return table


def parse_json(text: str | bytes) -> Any:
    """The content of a JSON text; raises ValueError if it is malformed or larger than aune or a person would write."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    _check_bounds(value)
    return value


def parse_strict_json(text: str) -> Any:
    """What somebody typed or sent as JSON: no name stands twice, numbers are finite, and the text can be stored."""
    value = parse_json(text)
    json.loads(text, object_pairs_hook=_check_names)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # fails for halves of characters
    return value


def _check_names(pairs: Sequence[tuple[str, Any]]) -> None:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"the name {name!r} stands twice")
        names.add(name)


def _check_bounds(value: Any) -> None:
    """Refuse values that are nested too deeply, and integers that cannot be compared with other numbers."""
    level = [value]
    for _ in range(MOST_LEVELS):
        if any(isinstance(node, int) and node.bit_length() > sys.float_info.max_exp - 1 for node in level):
            raise ValueError(TOO_LARGE)
        children = [
            node.values() if isinstance(node, dict) else node for node in level if isinstance(node, dict | list)
        ]
        if not children:
            return
        level = [item for items in children for item in items]
    raise ValueError(TOO_DEEP)


def check_target(target: Path, inputs: Iterable[Path]) -> None:
    """Refuse, before any work is done, a file that cannot be written or is one of the inputs."""
    check_not_input(target, inputs)
    with _report_write_errors(target):
        if target.is_dir():
            raise UsageError(f"{target}: is a folder, expected the name of a file to write")
        if not target.parent.is_dir():
            raise UsageError(f"{_shorten(target)}: there is no folder {_shorten(target.parent)}: make it first")
        target.exists()  # raises an OSError where the path is impossible


def check_not_input(target: Path, inputs: Iterable[Path]) -> None:
    """Refuse a target that is one of the inputs, even under another name."""
    for path in inputs:
        with suppress(OSError, ValueError):  # no input, or no target yet: there is nothing to overwrite
            source = Path("/dev/stdin") if str(path) == STDIN else path
            inside = source.is_dir() and Path(os.path.realpath(target)).is_relative_to(os.path.realpath(source))
            same = target.samefile(source) and (target.is_file() or not _is_stream(target))  # a terminal may be both
            if same or (inside and not _is_stream(target)):
                raise UsageError(f"{target}: is one of the inputs, which would be overwritten: name another file")


def _is_stream(path: Path) -> bool:
    """Whether this is a device, a pipe, a socket or an open file: it is written through, not replaced."""
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _file_descriptor(path) is not None


def _file_descriptor(path: Path) -> int | None:
    """The descriptor that a name such as /dev/stdout stands for."""
    for _ in range(MOST_LINKS):
        home = os.path.realpath(path.parent)
        if home == os.path.realpath("/proc/self/fd") and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = Path(home, path.readlink())
    return None


def write_atomically(target: Path, data: bytes | IO[bytes], *, private: bool = False) -> None:
    """Write bytes, or copy the content of an open file, completely or not at all.

    A device or a pipe is written through, and a link is followed. An existing file keeps its mode; only the owner can
    read a `private` one, whatever the umask.
    """
    with file_transaction() as files:
        files.write(target, data, private=private)


@contextmanager
def replace_atomically(target: Path) -> Iterator[Path]:
    """A temporary file beside the target, which replaces it (with its mode) once it is written, or is deleted."""
    with file_transaction() as files:
        yield files.new_file(target)


@contextmanager
def file_transaction(inputs: Iterable[Path] = ()) -> Iterator[FileTransaction]:
    """Several files that are put in place together when the work is done, or not at all; none replaces an input.

    Inside the block, files written with `together` wait for the end of the block.
    """
    outer = _CURRENT.get()
    files = FileTransaction([*inputs])
    try:
        _CURRENT.set(files)
        yield files
        if outer:
            outer.merge(files)
        else:
            files.commit()
    finally:
        _CURRENT.set(outer)
        files.close()


class FileTransaction:
    """Temporary files, each beside the target that it will replace.

    The first one in a folder is locked while this process lives. The next writer removes what a killed one left there.
    """

    def __init__(self, inputs: Sequence[Path]) -> None:
        self.inputs = inputs
        self.pending: dict[Path, Path] = {}
        """Temporary files, by target."""
        self.private: set[Path] = set()
        """Temporary files that only the owner can read, in their final place too."""
        self._locked_files: dict[Path, Path] = {}
        """The locked file of each folder."""
        self._locks = ExitStack()

    def write(self, target: Path, data: bytes | IO[bytes], *, private: bool = False) -> None:
        """Write bytes, or copy the content of an open file; a stream is written through."""
        from shutil import copyfileobj  # noqa: PLC0415 - loads what only those need who write or remove

        source = io.BytesIO(data) if isinstance(data, bytes) else data
        with _report_write_errors(target):
            check_not_input(target, self.inputs)
            if target.exists() and _is_stream(target):
                number = _file_descriptor(target)
                with target.open("wb") if number is None else os.fdopen(os.dup(number), "wb") as stream:
                    copyfileobj(source, stream)
            else:
                new = self.new_file(target)
                if private:
                    self.private.add(new)
                with new.open("wb") as file:
                    copyfileobj(source, file)
                    file.flush()
                    os.fsync(file.fileno())

    def new_file(self, target: Path) -> Path:
        """A temporary file, empty and readable by its owner alone until it replaces the target."""
        with _report_write_errors(target):
            check_not_input(target, self.inputs)
            real = _replaceable_path(target)
            if real in self.pending:
                raise UsageError(f"{target}: would be written twice, once over the other: name two files")
            if real.parent in self._locked_files:
                new = self._next_name(real.parent)
                os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            else:
                new = self._lock_folder(real.parent)
            self.pending[real] = new
            return new

    def new_folder(self, target: Path) -> Path:
        """A temporary folder that replaces the target, or whose content moves there if the target is an empty one."""
        real = Path(os.path.realpath(target))
        home = real if real.is_dir() else real.parent
        if home not in self._locked_files:
            self._lock_folder(home)
        new = self._next_name(home)
        new.mkdir()
        self.pending[real] = new
        _FOLDER_TARGETS[new] = target
        return new

    def _lock_folder(self, folder: Path) -> Path:
        """The locked temporary file of a folder."""
        _remove_abandoned(folder)
        self._locked_files[folder] = self._locks.enter_context(_lock_new_file(folder))
        return self._locked_files[folder]

    def _next_name(self, folder: Path) -> Path:
        """The name of another temporary file or folder."""
        first = self._locked_files[folder]
        return first.with_suffix(f".{len(self.pending) + 1}{first.suffix}")

    def merge(self, files: FileTransaction) -> None:
        """Take over the files of another transaction."""
        if twice := self.pending.keys() & files.pending.keys():
            raise UsageError(f"{min(twice)}: would be written twice, once over the other: name two files")
        self.pending |= files.pending
        self.private |= files.private
        files.pending = {}
        self._locks.push(files._locks.pop_all())

    def commit(self) -> None:
        """Put every temporary file in its place; if one fails, undo those before it."""
        before: dict[Path, Path | None] = {}
        try:
            for real, new in reversed(self.pending.items()):  # the locked files come last: they guard the others
                with _report_write_errors(real):
                    before[real] = _make_backup(real, new) if len(self.pending) > 1 else None
                    _move_into_place(new, real, is_private=new in self.private)
        except BaseException:
            for real, old in before.items():
                with suppress(OSError):
                    if old:
                        old.replace(real)
                    elif not self.pending[real].exists() and len(self.pending) > 1:
                        _remove(real)
            raise
        finally:
            for old in filter(None, before.values()):
                old.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the temporary files that are not in their places."""
        for new in self.pending.values():
            _FOLDER_TARGETS.pop(new, None)
            with suppress(OSError):
                _remove(new)
        self._locks.close()


_CURRENT: ContextVar[FileTransaction | None] = ContextVar("open", default=None)
"""The transaction that files written with `together` join."""
_FOLDER_TARGETS: dict[Path, Path] = {}
"""Temporary folders and their targets: messages name the targets."""


def _move_into_place(new: Path, real: Path, *, is_private: bool = False) -> None:
    """Put a temporary file or folder in its place; the content of a folder, where the target is an empty folder."""
    if not new.is_dir():
        if not is_private:  # a private file keeps the mode that it was made with
            _copy_mode(new, real)
        new.replace(real)
    elif not real.is_dir():
        new.rename(real)
    else:
        for path in new.iterdir():
            path.rename(real / path.name)
        new.rmdir()


def _remove(path: Path) -> None:
    """Remove a file, or a folder with its content."""
    if path.is_dir() and not path.is_symlink():
        from shutil import rmtree  # noqa: PLC0415 - as above

        rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _replaceable_path(target: Path) -> Path:
    """The file that a link leads to, if it may be replaced."""
    real = Path(os.path.realpath(target))
    if Path(os.path.realpath(target.parent)).is_relative_to(PROC_FOLDER):  # its links lead to running programs
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))
    if real.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if real.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if real.exists() and _is_stream(real):
        raise OSError(errno.EINVAL, "no plain file")
    if real.exists() and not os.access(real, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return real


def _make_backup(real: Path, new: Path) -> Path | None:
    """A second name for a file that is about to be replaced, so that it can be restored; None if there is no file."""
    if not real.exists() or new.is_dir():
        return None
    old = new.with_suffix(f".0{new.suffix}")
    try:
        os.link(real, old)
    except OSError:  # on file systems without hard links
        from shutil import copy2  # noqa: PLC0415 - as above

        copy2(real, old)
    return old


def _copy_mode(new: Path, real: Path) -> None:
    """Give a temporary file the mode, and where possible the owner, of the file that it replaces, or the usual mode."""
    if real.exists():
        status = real.stat()
        with suppress(OSError):
            if hasattr(os, "chown"):
                os.chown(new, status.st_uid, status.st_gid)
        new.chmod(stat.S_IMODE(status.st_mode))
    else:
        new.chmod(0o666 & ~_umask())


PART_NAME = re.compile(r"(\.aune-[a-z0-9_]{8})(?:\.\d+)*(\.part)")
"""Names of temporary files: the locked one of a folder, and numbered ones that its lock guards."""


@contextmanager
def _lock_new_file(folder: Path) -> Iterator[Path]:
    """A temporary file, locked while this process lives; an interrupt removes it, and the files that it guards."""
    new = folder / f".aune-{os.urandom(4).hex()}.part"
    signals.unfinished[new] = partial(_remove_all, new)
    try:
        handle = _create_locked(new)
    except OSError:
        signals.unfinished.pop(new, None)
        raise
    try:
        yield new
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)  # it may have another name by now
        if handle is not None:
            os.close(handle)
        if not signals.was_interrupted():  # after an interrupt, files that it guards may be left
            signals.unfinished.pop(new, None)


def _create_locked(path: Path) -> int | None:
    """Create a file and return its descriptor, locked where the system has locks.

    Without locks nothing is cleaned up and the file is closed, because such systems move no open file.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
        if fcntl is None:
            os.close(handle)
            return None
        with suppress(OSError):
            lock_file(handle, wait=False)
        if os.fstat(handle).st_nlink:  # it was not removed before it was locked
            return handle
        os.close(handle)


def _remove_all(first: Path) -> None:
    """Remove the locked temporary file of a folder and the files that its lock guards."""
    with suppress(OSError):
        for path in first.parent.glob(f"{first.stem}*{first.suffix}"):
            _remove(path)


@lru_cache(1024)
def _remove_abandoned(folder: Path) -> None:
    """Remove, once, the temporary files in a folder whose writers are dead, so that nothing locks them."""
    if fcntl is None:
        return
    with suppress(OSError):  # the folder may be write-only
        for path in [path for path in folder.iterdir() if PART_NAME.fullmatch(path.name)]:
            first = path.with_name(PART_NAME.sub(r"\1\2", path.name))
            with suppress(OSError):
                if not first.exists():
                    _remove(path)
                    continue
                with first.open("rb") as file:
                    lock_file(file.fileno(), wait=False)
                    _remove(path)


def lock_file(handle: int, *, wait: bool = True) -> None:
    """Lock an open file until it is closed; raises OSError if it is locked already, unless this waits.

    Raises UsageError where the system has no such locks.
    """
    if fcntl is None:
        raise UsageError("this needs Linux: the system has no locks that end with their process")
    fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk; on systems that open no folders, the file system does it."""
    if fcntl is None:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def create_once(target: Path, data: bytes) -> bytes:
    """The content of a private file: these bytes, or those of another process that created it first."""
    with _report_write_errors(target):
        with _lock_new_file(target.parent) as new:
            with new.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(new, target)
        return target.read_bytes()


@contextmanager
def fill_folder(folder: Path) -> Iterator[Path]:
    """A folder to write files in: a new one, put in place once all its files are written, or an existing one.

    Missing parents are created. If anything fails, nothing of it is left; if the process is killed, the next writer
    removes what is left.
    """
    with _report_write_errors(folder):
        if folder.is_dir() and not is_vacant(folder):
            yield folder.absolute()
            return
        if os.path.lexists(folder) and not folder.is_dir():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        new_parents = [path for path in folder.parents if not os.path.lexists(path)]
        files = FileTransaction([])  # not `together`: files of the folder are read while it is being written
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            yield files.new_folder(folder)
            files.commit()
        except BaseException:
            files.close()
            for path in new_parents:
                with suppress(OSError):
                    path.rmdir()
            raise
        finally:
            files.close()


def is_vacant(folder: Path) -> bool:
    """Whether a folder can be created here: nothing exists, or an empty folder, or what killed writers left."""
    real = Path(os.path.realpath(folder))
    for place in (real, real.parent):
        _remove_abandoned(place)
    return not any(folder.iterdir()) if folder.is_dir() else not os.path.lexists(folder)


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error comes from a full disk, be it raised for a file, by a database, or wrapped since."""
    while error is not None:
        if getattr(error, "errno", None) in DISK_FULL or "disk is full" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def add_filename(path: Path) -> Iterator[None]:
    """Give an OSError of the system the name of the file that is being written."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextmanager
def _report_write_errors(target: Path) -> Iterator[None]:
    """Turn an OSError of the system into a message of one line."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise UsageError(f"{_shorten(final_path(target))}: cannot be written ({reason})") from None


def final_path(target: Path) -> Path:
    """The final path of a file that is written in a temporary folder."""
    new = next((path for path in (target, *target.parents) if path in _FOLDER_TARGETS), None)
    return _FOLDER_TARGETS[new] / target.relative_to(new) if new else target


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _shorten(path: Path, most: int = 120) -> str:
    name = str(path)
    return name if len(name) <= most else f"{name[:most]}…"


def is_possible_path(text: str) -> bool:
    r"""Whether a path is possible: no part is too long, and none contains a character that names cannot contain.

    >>> is_possible_path("a/b.conll"), is_possible_path("a" * 300), is_possible_path("a\0")
    (True, False, False)
    """
    try:
        names = os.fsencode(text).split(os.sep.encode())
    except UnicodeEncodeError:
        return False
    return "\0" not in text and max(map(len, names)) <= LONGEST_NAME
