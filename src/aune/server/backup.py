"""A whole site in one file, and back: rows in a form that every database takes, files by their digests.

A backup is taken while the server runs: rows are read in one transaction, and files never change. It is restored into
an empty site, on SQLite or PostgreSQL, whichever it came from.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.db import connection, models, transaction

from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import check_target, write_whole
from aune.server.site import Site

ROWS, SECRET = "rows.jsonl", "secret"
FILE = re.compile(r"files/([0-9a-f]{2})/(\1[0-9a-f]{62})")
APPS = ("accounts", "workbench", "jobs")
MANY = 500  # rows written at once


def backed_up(site: Site, target: Path) -> int:
    """The number of rows in a backup of a site, which is in the target whole, or not at all."""
    check_target(target, [])
    count = 0
    with tempfile.TemporaryFile(dir=target.parent) as packed:
        with tarfile.open(fileobj=packed, mode="w:gz") as archive, tempfile.TemporaryFile() as rows:
            for line in _rows():
                rows.write(line)
                count += 1
            _add(archive, ROWS, rows)
            with Path(site.folder, SECRET).open("rb") as secret:
                _add(archive, SECRET, secret)
            for path in sorted(site.files.glob("*/*")):
                with path.open("rb") as file:
                    _add(archive, f"files/{path.parent.name}/{path.name}", file)
        packed.seek(0)
        write_whole(target, packed.read())
    return count


def _add(archive: tarfile.TarFile, name: str, file: Any) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = file.seek(0, io.SEEK_END)
    file.seek(0)
    archive.addfile(entry, file)


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
    return [model for app in APPS for model in apps.get_app_config(app).get_models()]


def restored(site: Site, source: Path) -> int:
    """The number of rows that were restored into an empty site; a file that is no backup leaves it empty."""
    if any(model._default_manager.exists() for model in _models()):
        raise UsageError(f"{site.folder}: holds work already: restore into an empty site")
    try:
        with tarfile.open(source) as archive:
            for member in archive:
                if FILE.fullmatch(member.name) and member.isreg():
                    _keep(site, member.name, archive.extractfile(member))
            with transaction.atomic():
                count = _loaded(archive.extractfile(ROWS))
            secret = archive.extractfile(SECRET)
            if secret is not None:
                write_whole(Path(site.folder, SECRET), secret.read())
    except (tarfile.TarError, KeyError, EOFError, serializers.base.DeserializationError) as error:
        raise InputError([Problem(str(source), 1, 1, f"found no backup of a site ({error}), expected one")]) from None
    return count


def _keep(site: Site, name: str, file: Any) -> None:
    data = file.read()
    if hashlib.sha256(data).hexdigest() != Path(name).name:
        raise InputError([Problem(name, 1, 1, "found other bytes than its digest says: the backup is damaged")])
    path = Path(site.folder, name)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, data)


def _loaded(rows: Any) -> int:
    """Write rows in the order in which they come; then numbers go on behind the last one."""
    count = 0
    waiting: list[models.Model] = []
    for line in rows:
        (row,) = serializers.deserialize("jsonl", line.decode())
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
