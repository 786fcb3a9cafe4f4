"""A whole site in one file, and back: rows in a form that every database takes, and every file of the folder.

A backup is taken while the server runs: rows are read in one transaction, files of texts never change, and a campaign's
ledger stands still meanwhile. Its last file has the digests of all others: nothing is restored of a backup in which one
byte is another. It is restored into an empty site, on SQLite or PostgreSQL, whichever it came from.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path, PurePosixPath
from typing import Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction

from aune.campaign.campaign import Campaign
from aune.campaign.protocol import FILE
from aune.campaign.verification import verified
from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import check_target, json_of, made_once, write_whole
from aune.core.unpacking import archive, plain_files
from aune.server.site import Site

ROWS, FOLDER, DIGESTS = "rows.jsonl", "site/", "digests.json"
LEFT_OUT = ("aune.sqlite", "aune.sqlite-shm", "aune.sqlite-wal", "ledger.lock", "work")
"""What the rows hold, and what lasts no longer than a process."""
BY_DIGEST = re.compile(r"files/[0-9a-f]{2}/([0-9a-f]{64})")
MANY = 500  # rows written at once


def backed_up(site: Site, target: Path) -> int:
    """The number of rows in a backup of a site, which is in the target whole, or not at all."""
    check_target(target, [])
    count, digests = 0, {}
    folder = Path(site.folder)
    with tempfile.TemporaryFile(dir=target.parent) as packed:
        with _standing_still(folder), tarfile.open(fileobj=packed, mode="w:gz", compresslevel=3) as backup:
            with tempfile.TemporaryFile() as rows:
                for line in _rows():
                    rows.write(line)
                    count += 1
                digests[ROWS] = _add(backup, ROWS, rows)
            for path in _files(folder):
                if path != Path(os.path.realpath(target)):
                    name = f"{FOLDER}{path.relative_to(folder).as_posix()}"
                    with path.open("rb") as file:
                        digests[name] = _add(backup, name, file)
            _add(backup, DIGESTS, io.BytesIO(json.dumps(digests).encode()))
        packed.seek(0)
        write_whole(target, packed)
    return count


def _standing_still(folder: Path) -> AbstractContextManager[object]:
    """While the files of a campaign are read, nothing is added to its ledger."""
    return Campaign(folder).writing() if (folder / FILE).is_file() else nullcontext()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in LEFT_OUT and not any(part.startswith(".") for part in parts):
            yield path


def _add(archive: tarfile.TarFile, name: str, file: Any) -> str:
    """The digest of the bytes that went into the archive, which may be others a moment later."""
    entry = tarfile.TarInfo(name)
    entry.size = file.seek(0, io.SEEK_END)
    file.seek(0)
    read = _Digested(file)
    archive.addfile(entry, read)
    return read.digest.hexdigest()


class _Digested:
    """A stream, and the digest of what was read of it."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._stream.read(size)
        self.digest.update(data)
        return data


def _rows() -> Iterator[bytes]:
    """Every row, those that others point to first."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for model in _models():
            rows = model._default_manager.order_by("pk").iterator(MANY)
            for row in rows:
                yield serializers.serialize("jsonl", [row]).encode()


def _models() -> list[type[models.Model]]:
    """Those of our own apps, in the order in which settings name them: what others point to comes first."""
    own = [config for config in apps.get_app_configs() if config.name.startswith("aune.")]
    return [model for config in own for model in config.get_models()]


def restored(site: Site, source: Path) -> int:
    """The number of rows that were restored into an empty site; a file that is no backup leaves it empty."""
    if any(model._default_manager.exists() for model in _models()):
        raise UsageError(f"{site.folder}: holds work already: restore into an empty site")
    try:
        _check(source)
        with archive(source) as backup, transaction.atomic():
            count = None
            for member, stream in plain_files(backup, str(source)):
                name = member.name.removeprefix(FOLDER)
                if member.name == ROWS:
                    count = _loaded(stream)
                elif member.name == DIGESTS:
                    continue
                elif name != member.name and PurePosixPath(name).parts[0] not in LEFT_OUT:
                    _keep(site, name, stream)
                else:
                    raise ValueError(f"{member.name} is in no backup")
            if count is None:
                raise ValueError(f"{ROWS} is not in it")
            connection.check_constraints()
            if (Path(site.folder) / FILE).is_file() and (problems := verified(Path(site.folder)).problems):
                raise InputError([Problem(str(source), 1, 1, f"found a damaged campaign: {told}") for told in problems])
    except (OSError, ValueError, DatabaseError, serializers.base.DeserializationError) as error:
        raise InputError([Problem(str(source), 1, 1, f"found no backup of a site ({error}), expected one")]) from None
    return count


def _check(source: Path) -> None:
    """Refuse a backup in which anything is not as it was written."""
    found, told = {}, None
    with archive(source) as backup:
        for member, stream in plain_files(backup, str(source)):
            if member.name == DIGESTS:
                told = json_of(stream.read())
            else:
                found[member.name] = hashlib.file_digest(stream, "sha256").hexdigest()
    if told is None:
        raise ValueError(f"{DIGESTS} is not in it, or it ends too early")
    if found != told:
        raise ValueError("its files are not those that were written")


def _keep(site: Site, name: str, file: Any) -> None:
    """Put a file back where it was."""
    data = file.read()
    path = Path(site.folder, name)
    if (stored := BY_DIGEST.fullmatch(name)) and hashlib.sha256(data).hexdigest() != stored[1]:
        raise InputError([Problem(name, 1, 1, "found other bytes than its digest says: the backup is damaged")])
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if name == "secret":
        path.unlink(missing_ok=True)
        made_once(path, data)
    else:
        write_whole(path, data)


def _loaded(rows: Any) -> int:
    """Write rows in the order in which they come; then numbers go on behind the last one."""
    count, ours = 0, _models()
    waiting: list[models.Model] = []
    for line in rows:
        (row,) = serializers.deserialize("jsonl", line.decode())
        if type(row.object) not in ours:
            raise ValueError(f"{type(row.object).__name__} is in no backup")
        waiting.append(row.object)
        count += 1
        if len(waiting) == MANY or (len(waiting) > 1 and type(waiting[-2]) is not type(waiting[-1])):
            _write(waiting)
            waiting = []
    _write(waiting)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), _models()):
            cursor.execute(statement)
    return count


def _write(rows: list[models.Model]) -> None:
    for kind in dict.fromkeys(type(row) for row in rows):
        kind._default_manager.bulk_create([row for row in rows if type(row) is kind])
