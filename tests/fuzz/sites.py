"""Damaged backups of sites: all of it is restored, or nothing.

There are two kinds of damage: bytes that changed, which digests tell, and rows of a forger, whose digests are right.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from aune.server.site import VARIABLE, Site

if __package__:
    from tests.fuzz import addresses
    from tests.fuzz.rooms import Reader
else:  # run as a script, this folder comes first
    import addresses
    from rooms import Reader

if TYPE_CHECKING:
    from django.test import Client

ROWS, DIGESTS = "rows.jsonl", "digests.json"


@cache
def site() -> Site:
    """The site of the fuzzed addresses, where something was done in every layer that can be worked on."""
    layers = addresses.site()["layer"]
    organiser = _organiser()
    for layer in layers:
        for number, change in enumerate((["chains", "c9", {"name": "A"}], ["chains", "c9", None])):
            undoes = number or None
            event = {"id": f"e{number}", "operation": "x", "changes": [change], "undoes": undoes}
            address = f"/api/layer/{layer}/events"
            organiser.post(address, {"base": number, "events": [event]}, "application/json")
    return Site(folder=json.loads(os.environ[VARIABLE])["folder"])


def _organiser() -> Client:
    """Somebody who may look at everything; whoever was restored, where this one is not there any more."""
    from django.test import Client

    from aune.server.accounts.models import Account

    client = Client(headers={"host": addresses.HOST})
    somebody = Account.objects.filter(role="organiser", is_active=True).first()
    if somebody:
        client.force_login(somebody)
    return client


def unpack_bundle(folder: Path) -> bytes:
    """The backup of a site with people, texts and a campaign, not packed, so that damage reaches the inside."""
    here = site()
    from aune.server.site_backup import write_backup

    write_backup(here, folder / "site.tar.gz")
    return gzip.decompress((folder / "site.tar.gz").read_bytes())


def of_backup(path: str) -> None:
    """Restore it in the place of the site that is there, which comes back afterwards; what was taken can be served."""
    site()
    from django.db import transaction

    from aune.server.site_backup import _models, restore_backup

    home = Path(tempfile.mkdtemp(dir=Path(path).parent))
    try:
        with transaction.atomic():
            for model in reversed(_models()):
                model._default_manager.all().delete()
            restore_backup(Site(folder=str(home)), Path(path))
            _look_around()
            transaction.set_rollback(True)
    finally:
        shutil.rmtree(home)


def _look_around() -> None:
    """Every page of every row answers."""
    from aune.server.workbench import api, layers
    from aune.server.workbench.byte_cache import ByteCache
    from aune.server.workbench.models import Layer, Text

    layers._text_cache, layers._head_cache, api._details_cache = (
        ByteCache(1 << 20),
        ByteCache(1 << 20),
        ByteCache(1 << 20),
    )
    organiser = _organiser()
    pages = ["/", "/people", "/campaign/", "/campaign/annotate", "/campaign/disputes", "/statistics/"]
    pages += [f"/text/{item}/" for item in Text.objects.values_list("pk", flat=True)]
    for layer in Layer.objects.values_list("pk", flat=True):
        pages += [f"/api/layer/{layer}/{what}" for what in ("", "history", "edits", "broken")]
        pages += [f"/layer/{layer}/", f"/layer/{layer}/export"]
    for page in pages:
        answer = organiser.get(page)
        assert answer.status_code < 500, f"{page}: {answer.status_code}"


BINARY = ("content", "body", "inverse", "state")
"""Columns of bytes, which hold JSON."""
TEXT_COLUMNS = ("jobs.job", "workbench.comment")
"""Tables in which columns of these names are text."""


def rows(folder: Path) -> bytes:
    """The rows with their bytes as the JSON that they hold, so that damage reaches the inside."""
    result = []
    for line in members(folder)[ROWS].splitlines():
        row = json.loads(line)
        coded = [name for name in BINARY if name in row["fields"] and row["model"] not in TEXT_COLUMNS]
        row["fields"].update({name: json.loads(b64decode(row["fields"][name])) for name in coded})
        result.append(json.dumps(row).encode())
    return b"\n".join(result) + b"\n"


def _encode_value(line: bytes) -> bytes:
    """A line of such rows as a backup has it; one that is none as it is."""
    try:
        row = json.loads(line)
        for name in BINARY if row["model"] not in TEXT_COLUMNS else ():
            if name in row["fields"]:
                row["fields"][name] = b64encode(json.dumps(row["fields"][name]).encode()).decode()
        return json.dumps(row).encode()
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
        return line


def members(folder: Path) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(unpack_bundle(folder))) as backup:
        return {item.name: backup.extractfile(item).read() for item in backup}  # type: ignore[union-attr]


@cache
def _whole() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        return members(Path(folder))


def of_forger(path: str) -> None:
    """Rows that somebody wrote anew, in a backup whose digests are right."""
    repack_backup(Path(path), {**_whole(), ROWS: b"\n".join(map(_encode_value, Path(path).read_bytes().splitlines()))})
    of_backup(path)


def repack_backup(path: Path, files: Mapping[str, bytes]) -> None:
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != DIGESTS}
    with tarfile.open(path, "w") as backup:
        for name, content in {**files, DIGESTS: json.dumps(digests).encode()}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            backup.addfile(entry, io.BytesIO(content))


READERS: dict[str, Reader] = {
    "backup of a site": (".tar", unpack_bundle, of_backup),
    "rows of a forger": (".jsonl", rows, of_forger),
}
