"""Backup of a whole site to one file, and its restoration: rows in a database-independent form, and all files.

A backup can be made while the server runs: rows are read in one transaction, files of texts never change, and the
ledger of a campaign is cut at its length when the rows were read. Writers need not wait while files are packed. The
last file contains the digests of all others: a backup is refused if any byte has changed, or if its rows
contain what a server would not have written (`backup_validation.py`). It is restored into an empty site, on SQLite or
PostgreSQL, whichever it came from. Jobs are not included: waiting ones are requested again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction

from aune.campaign.archive.verification import verify_folder
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.ledger_file import LEDGER_FILE
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE
from aune.compression import archive_files, open_archive
from aune.errors import InputError, Problem, UsageError
from aune.files import (
    add_filename,
    check_target,
    create_once,
    final_path,
    is_disk_full,
    parse_json,
    sha256_hex,
    write_atomically,
)
from aune.server import backup_validation
from aune.server.jobs.models import Job
from aune.server.site import Site
from aune.server.workbench.file_exchange import adopt_sources

ROWS, FOLDER, DIGESTS = "rows.jsonl", "site/", "digests.json"
LEFT_OUT = ("aune.sqlite", "aune.sqlite-shm", "aune.sqlite-wal", "ledger.lock", "work")
"""Files that a backup omits: the database, whose rows are exported, and files that exist only while a process runs."""
SECRET = re.compile(rb"[\w-]{32,1000}")
BY_DIGEST = re.compile(r"files/[0-9a-f]{2}/([0-9a-f]{64})")
BATCH_SIZE = 500  # rows written at once
MAX_PROBLEMS = 20


def write_backup(site: Site, target: Path) -> int:
    """Write a backup of a site, completely or not at all, and return its number of rows."""
    check_target(target, [])
    folder, digests = Path(site.folder), {}
    with add_filename(target), tempfile.TemporaryFile(dir=target.parent) as packed, tempfile.TemporaryFile() as rows:
        with _locked_ledger(folder):  # so that rows, files and ledger are consistent
            count = _write_rows(rows)
            names = list(_files(folder))
            ledger_size = (folder / LEDGER_FILE).stat().st_size if (folder / LEDGER_FILE).exists() else 0
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=3) as backup:
            digests[ROWS] = _add(backup, ROWS, rows)
            for path in names:
                name = f"{FOLDER}{path.relative_to(folder).as_posix()}"
                most = ledger_size if path == folder / LEDGER_FILE else None
                if path != Path(os.path.realpath(target)):
                    with suppress(FileNotFoundError), path.open("rb") as file:  # an email may be sent meanwhile
                        digests[name] = _add(backup, name, file, most)
            _add(backup, DIGESTS, io.BytesIO(json.dumps(digests).encode()))
        packed.seek(0)
        write_atomically(target, packed, private=True)
    return count


def _locked_ledger(folder: Path) -> AbstractContextManager[object]:
    """Lock the ledger of the campaign, if there is one, so that nothing is added to it."""
    return Campaign(folder).writing() if (folder / PROTOCOL_FILE).is_file() else nullcontext()


def _write_rows(file: IO[bytes]) -> int:
    """Write every row to a file, and return their number."""
    count = 0
    for count, line in enumerate(_rows(), 1):  # noqa: B007 - the last value is the number of rows
        file.write(line)
    return count


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in LEFT_OUT and not any(part.startswith(".") for part in parts):
            yield path


def _add(archive: tarfile.TarFile, name: str, file: Any, most: int | None = None) -> str:
    """Add a file, or its first `most` bytes, and return the digest of the bytes added: the file may change later."""
    entry = tarfile.TarInfo(name)
    size = file.seek(0, io.SEEK_END)
    entry.size = size if most is None else min(size, most)
    file.seek(0)
    read = _HashingReader(file)
    archive.addfile(entry, read)
    return read.digest.hexdigest()


class _HashingReader:
    """A stream that computes the digest of what is read from it."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.digest = stream, hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._stream.read(size)
        self.digest.update(data)
        return data


def _rows() -> Iterator[bytes]:
    """Every row, in an order in which rows come after those that they refer to."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for model in _models():
            rows = model._default_manager.order_by("pk").iterator(BATCH_SIZE)
            for row in rows if model is not Job else ():
                yield serializers.serialize("jsonl", [row]).encode()


def _models() -> list[type[models.Model]]:
    """The models of aune's apps in the order of the settings, so that models come after those that they refer to."""
    configs = [config for config in apps.get_app_configs() if config.name.startswith("aune.")]
    return [model for config in configs for model in config.get_models()]


def restore_backup(site: Site, source: Path) -> int:
    """Restore a backup into an empty site and return the number of rows; a damaged backup leaves the site empty."""
    if any(model._default_manager.exists() for model in _models()):
        raise UsageError(f"{site.folder}: holds work already: restore into an empty site")
    try:
        _check(source)
        with open_archive(source) as backup, transaction.atomic():
            count = None
            for member, stream in archive_files(backup, str(source)):
                name = member.name.removeprefix(FOLDER)
                if member.name == ROWS:
                    count = _load_rows(stream, f"{source}!{ROWS}")
                elif member.name == DIGESTS:
                    continue
                elif name != member.name and PurePosixPath(name).parts[0] not in LEFT_OUT:
                    _restore_file(site, name, stream)
                else:
                    raise ValueError(f"{member.name} is in no backup")
            if count is None:
                raise ValueError(f"{ROWS} is not in it")
            adopt_sources()
            connection.check_constraints()
            campaign = _restored_campaign(site, source)
            if invalid_rows := [*islice(backup_validation.site_problems(site.files, campaign), MAX_PROBLEMS)]:
                raise InputError(_locate_problems(source, invalid_rows))
    except (OSError, ValueError, DatabaseError) as error:
        if is_disk_full(error):
            home = final_path(Path(site.folder))
            raise UsageError(f"{home}: cannot represent the site (the disk is full): make room") from None
        raise InputError([_damage(str(source), 1, f"no backup of a site ({error})", "one")]) from None
    return count


def _restored_campaign(site: Site, source: Path) -> Campaign | None:
    """The restored campaign, if the backup contains one."""
    folder = Path(site.folder)
    if not (folder / PROTOCOL_FILE).is_file():
        return None
    if problems := verify_folder(folder).problems:
        raise InputError(
            [_damage(str(source), 1, f"a damaged campaign ({problem})", "a whole one") for problem in problems]
        )
    return Campaign(folder)


def _locate_problems(source: Path, invalid_rows: Sequence[backup_validation.InvalidRow]) -> list[Problem]:
    """The problems of rows, each with its line in the backup."""
    lines = {}
    with open_archive(source) as backup:
        for member, stream in archive_files(backup, str(source)):
            for number, line in enumerate(stream if member.name == ROWS else (), 1):
                row = json.loads(line)
                lines[row["model"], str(row["pk"])] = number
    return [
        _row_problem(f"{source}!{ROWS}", lines.get((invalid.row._meta.label_lower, str(invalid.row.pk)), 1), invalid)
        for invalid in invalid_rows
    ]


def _row_problem(path: str, line: int, invalid: backup_validation.InvalidRow) -> Problem:
    actual = f"the {type(invalid.row).__name__.lower()} {invalid.row.pk} that no server writes ({invalid.problem})"
    return _damage(path, line, actual, "what a server wrote")


def _damage(path: str, line: int, found: str, expected: str) -> Problem:
    """The problem of a damaged backup."""
    remedies = ["the backup is damaged, restore another one"]
    return Problem.in_file("backup.damaged", path, line, found=found, expected=expected, remedies=remedies)


def _check(source: Path) -> None:
    """Refuse a backup whose files differ from their digests."""
    actual, expected = {}, None
    with open_archive(source) as backup:
        for member, stream in archive_files(backup, str(source)):
            if member.name == DIGESTS:
                expected = parse_json(stream.read())
            else:
                actual[member.name] = hashlib.file_digest(stream, "sha256").hexdigest()
    if expected is None:
        raise ValueError(f"{DIGESTS} is not in it, or it ends too early")
    if actual != expected:
        raise ValueError("its files are not those that were written")


def _restore_file(site: Site, name: str, file: Any) -> None:
    """Restore a file to its place."""
    data = file.read()
    path = Path(site.folder, name)
    if (stored := BY_DIGEST.fullmatch(name)) and sha256_hex(data) != stored[1]:
        raise InputError([_damage(name, 1, "other bytes than its digest says", "those")])
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if name == "secret":
        if not SECRET.fullmatch(data):
            raise InputError([_damage(name, 1, "no secret of a server", "one")])
        path.unlink(missing_ok=True)
        create_once(path, data)
    else:
        write_atomically(path, data, private=True)


def _load_rows(rows: Any, name: str) -> int:
    """Insert the rows in their order in the file, then let the id sequences continue after the last one."""
    count, waiting = 0, list[models.Model]()
    for number, line in enumerate(rows, 1):
        row = _row(line, _damage(name, number, "no row of a site", "one"))
        if isinstance(row, Job):  # older backups contain jobs
            continue
        if problem := backup_validation.row_problem(row):
            raise InputError([_row_problem(name, number, backup_validation.InvalidRow(row, problem))])
        waiting.append(row)
        count += 1
        if len(waiting) == BATCH_SIZE or (len(waiting) > 1 and type(waiting[-2]) is not type(waiting[-1])):
            _write(waiting)
            waiting = []
    _write(waiting)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), _models()):
            cursor.execute(statement)
    return count


def _row(line: bytes, otherwise: Problem) -> models.Model:
    """Parse a line as a row of one of aune's models."""
    try:
        [row] = serializers.deserialize("jsonl", line.decode())
    except (ValueError, serializers.base.DeserializationError):
        raise InputError([otherwise]) from None
    if type(row.object) not in _models() or json.loads(line).get("pk") is None:
        raise InputError([otherwise])
    return row.object


def _write(rows: list[models.Model]) -> None:
    for kind in dict.fromkeys(type(row) for row in rows):
        try:
            kind._default_manager.bulk_create([row for row in rows if type(row) is kind])
        except (TypeError, OverflowError) as error:
            raise ValueError(f"a row of {kind.__name__} holds what no such row does: {error}") from None
