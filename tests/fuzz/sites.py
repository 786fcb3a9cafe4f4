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
from pathlib import Path

from aune.server.site import VARIABLE, Site

if __package__:
    from tests.fuzz import addresses
    from tests.fuzz.rooms import Reader
else:  # run as a script, this folder comes first
    import addresses
    from rooms import Reader

ROWS = "rows.jsonl"


def unpacked(folder: Path) -> bytes:
    """The backup of a site with people, texts and a campaign, not packed, so that damage reaches the inside."""
    addresses.site()
    from aune.server.backup import backed_up

    backed_up(Site(folder=json.loads(os.environ[VARIABLE])["folder"]), folder / "site.tar.gz")
    return gzip.decompress((folder / "site.tar.gz").read_bytes())


def of_backup(path: str) -> None:
    """Restore it in the place of the site that is there, which comes back afterwards."""
    addresses.site()
    from django.db import transaction

    from aune.server.backup import _models, restored

    home = Path(tempfile.mkdtemp(dir=Path(path).parent))
    try:
        with transaction.atomic():
            for model in reversed(_models()):
                model._default_manager.all().delete()
            restored(Site(folder=str(home)), Path(path))
            transaction.set_rollback(True)
    finally:
        shutil.rmtree(home)


def rows(folder: Path) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(unpacked(folder))) as backup:
        found = backup.extractfile(ROWS)
        assert found is not None
        return found.read()


def of_forger(path: str) -> None:
    """Rows that somebody wrote anew, in a backup of nothing else."""
    data = Path(path).read_bytes()
    digests = json.dumps({ROWS: hashlib.sha256(data).hexdigest()}).encode()
    with tarfile.open(path, "w") as backup:
        for name, content in ((ROWS, data), ("digests.json", digests)):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            backup.addfile(entry, io.BytesIO(content))
    of_backup(path)


READERS: dict[str, Reader] = {
    "backup of a site": (".tar", unpacked, of_backup),
    "rows of a forger": (".jsonl", rows, of_forger),
}
