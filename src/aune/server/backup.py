"""A whole site in one file, and back: rows in a form that every database takes, and every file of the folder.

A backup is taken while the server runs: rows are read in one transaction, files of texts never change, and a campaign's
ledger stands still meanwhile. Its last file has the digests of all others: nothing is restored of a backup in which one
byte is another, nor of one whose rows hold what a server would not have written (`soundness.py`). It is restored into
an empty site, on SQLite or PostgreSQL, whichever it came from. Jobs are not in it: what waits is asked for again.
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
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
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
from aune.core.files import check_target, digest_of, is_full, json_of, made_once, meant, naming, write_whole
from aune.core.unpacking import archive, plain_files
from aune.server import soundness
from aune.server.campaign.work import ask_for_what_waits
from aune.server.jobs.models import Job
from aune.server.site import Site

ROWS, FOLDER, DIGESTS = "rows.jsonl", "site/", "digests.json"
LEFT_OUT = ("aune.sqlite", "aune.sqlite-shm", "aune.sqlite-wal", "ledger.lock", "work")
"""What the rows hold, and what lasts no longer than a process."""
SECRET = re.compile(rb"[\w-]{32,1000}")
BY_DIGEST = re.compile(r"files/[0-9a-f]{2}/([0-9a-f]{64})")
MANY = 500  # rows written at once
MOST_PROBLEMS = 20


def backed_up(site: Site, target: Path) -> int:
    """The number of rows in a backup of a site, which is in the target whole, or not at all."""
    check_target(target, [])
    count, digests = 0, {}
    folder = Path(site.folder)
    with naming(target), tempfile.TemporaryFile(dir=target.parent) as packed:
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
            for row in rows if model is not Job else ():
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
                    count = _loaded(stream, f"{source}!{ROWS}")
                elif member.name == DIGESTS:
                    continue
                elif name != member.name and PurePosixPath(name).parts[0] not in LEFT_OUT:
                    _keep(site, name, stream)
                else:
                    raise ValueError(f"{member.name} is in no backup")
            if count is None:
                raise ValueError(f"{ROWS} is not in it")
            connection.check_constraints()
            campaign = _verified(site, source)
            if unsound := [*islice(soundness.together(site.files, campaign), MOST_PROBLEMS)]:
                raise InputError(_placed(source, unsound))
            if campaign:
                ask_for_what_waits(campaign)
    except (OSError, ValueError, DatabaseError) as error:
        if is_full(error):
            home = meant(Path(site.folder))
            raise UsageError(f"{home}: cannot hold the site (the disk is full): make room") from None
        raise InputError([Problem(str(source), 1, 1, f"found no backup of a site ({error}), expected one")]) from None
    return count


def _verified(site: Site, source: Path) -> Campaign | None:
    """The campaign that came back with a site, if there is one."""
    folder = Path(site.folder)
    if not (folder / FILE).is_file():
        return None
    if problems := verified(folder).problems:
        raise InputError([Problem(str(source), 1, 1, f"found a damaged campaign: {told}") for told in problems])
    return Campaign(folder)


def _placed(source: Path, unsound: Sequence[soundness.Unsound]) -> list[Problem]:
    """What is wrong with rows, each with its line in the backup."""
    lines = {}
    with archive(source) as backup:
        for member, stream in plain_files(backup, str(source)):
            for number, line in enumerate(stream if member.name == ROWS else (), 1):
                row = json.loads(line)
                lines[row["model"], str(row["pk"])] = number
    return [
        Problem(f"{source}!{ROWS}", lines.get((one.row._meta.label_lower, str(one.row.pk)), 1), 1, _told(*one))
        for one in unsound
    ]


def _told(row: models.Model, problem: str) -> str:
    return f"{type(row).__name__.lower()} {row.pk}: {problem}: no server writes that, restore another backup"


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
    if (stored := BY_DIGEST.fullmatch(name)) and digest_of(data) != stored[1]:
        raise InputError([Problem(name, 1, 1, "found other bytes than its digest says: the backup is damaged")])
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if name == "secret":
        if not SECRET.fullmatch(data):
            raise InputError([Problem(name, 1, 1, "found no secret of a server: the backup is damaged")])
        path.unlink(missing_ok=True)
        made_once(path, data)
    else:
        write_whole(path, data)


def _loaded(rows: Any, name: str) -> int:
    """Write rows in the order in which they come; then numbers go on behind the last one."""
    count, waiting = 0, list[models.Model]()
    for number, line in enumerate(rows, 1):
        row = _row(line, Problem(name, number, 1, "found no row of a site, expected one: restore another backup"))
        if isinstance(row, Job):  # of a backup from before they were left out
            continue
        if problem := soundness.alone(row):
            raise InputError([Problem(name, number, 1, _told(row, problem))])
        waiting.append(row)
        count += 1
        if len(waiting) == MANY or (len(waiting) > 1 and type(waiting[-2]) is not type(waiting[-1])):
            _write(waiting)
            waiting = []
    _write(waiting)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), _models()):
            cursor.execute(statement)
    return count


def _row(line: bytes, otherwise: Problem) -> models.Model:
    """The row of one of our tables that a line holds."""
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
