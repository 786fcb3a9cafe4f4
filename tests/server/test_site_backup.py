"""A site in one file and back, from either database to either."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from aune.campaign.archive.verification import verify_folder
from aune.campaign.scaffold import create_campaign
from aune.errors import InputError
from aune.server.site import Site
from aune.server.site_backup import restore_backup
from tests.server.conftest import Team
from tests.server.serving import PASSPHRASE, accept_invitation, event, layers_of, serving
from tests.server.test_startup import run

TEXT = b"<DOC><DOCNO>kept</DOCNO><TEXT>Ann met Ben.</TEXT></DOC>\n"


def test_backup_and_restore(tmp_path: Path, team: Team) -> None:
    """Taken while the server runs; then the accounts, the layers and the files are there, on SQLite."""
    olga = team.organiser
    olga.upload(("kept.sgm", TEXT))
    layer = layers_of(olga, "kept")["kept.sgm"]
    change = {"base": 0, "events": [event(["chains", "c1", {"name": "Ann"}])]}
    assert olga.post(f"/api/layer/{layer}/events", change).status == 200
    taken = run("site", "backup", team.served.site, tmp_path / "site.tar.gz", *team.served.database)
    assert taken.returncode == 0, taken.stderr
    again = run("site", "restore", tmp_path / "site.tar.gz", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert taken.stderr.split(": ")[2] == again.stderr.split(": ")[2]
    with serving(tmp_path / "again", "--accounts") as served:
        olga = served.stranger()
        olga.get("/sign-in")
        assert olga.form("/sign-in", name="Olga", passphrase=PASSPHRASE).status == 302
        olga.get("/")
        assert olga.get(f"/api/layer/{layer}/").json["state"]["chains"]["c1"]["name"] == "Ann"
        change = {"base": 1, "events": [event(["chains", "c2", {"name": "Ben"}])]}
        assert olga.post(f"/api/layer/{layer}/events", change).json == {"version": 2}
        assert olga.get(f"/layer/{layer}/export").status == 200
    full = run("site", "restore", tmp_path / "site.tar.gz", tmp_path / "again")
    assert full.returncode == 2
    assert "restore into an empty site" in full.stderr


def test_what_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "no.tar.gz").write_bytes(gzip.compress(b"nothing"))
    ended = run("site", "restore", tmp_path / "no.tar.gz", tmp_path / "site")
    assert ended.returncode == 3
    assert "found no archive, or half of one" in ended.stderr
    assert run("site", "backup", tmp_path / "nowhere", tmp_path / "x.tar.gz").returncode == 2


def test_an_invitation_from_the_command_line(team: Team) -> None:
    served = team.served
    request = ("--role", "annotator", "--address", served.address, *served.database)
    accept_invitation(served, run("site", "invite", served.site, *request).stdout.strip(), "Cid")


def test_a_site_with_a_campaign(tmp_path: Path) -> None:
    """Its ledger and its store are in the file too, and verified when they come back."""
    create_campaign(tmp_path / "site", "Small", "tagging")
    with serving(tmp_path / "site", "--accounts"):
        taken = run("site", "backup", tmp_path / "site", tmp_path / "site.tar.gz")
    assert taken.returncode == 0, taken.stderr
    again = run("site", "restore", tmp_path / "site.tar.gz", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert verify_folder(tmp_path / "again").problems == []
    assert (tmp_path / "again" / "ledger.jsonl").read_bytes() == (tmp_path / "site" / "ledger.jsonl").read_bytes()


def test_a_backup_with_another_byte_is_refused(tmp_path: Path, team: Team) -> None:
    """In its rows too, which come back as they were or not at all."""
    team.organiser.upload(("changed.sgm", TEXT.replace(b"kept", b"changed")))
    whole = tmp_path / "site.tar.gz"
    assert run("site", "backup", team.served.site, whole, *team.served.database).returncode == 0
    unpacked = gzip.decompress(whole.read_bytes())
    assert b"changed.sgm" in unpacked
    for damaged in (unpacked.replace(b"changed.sgm", b"charged.sgm", 1), unpacked[: len(unpacked) // 2]):
        (tmp_path / "damaged.tar").write_bytes(damaged)
        ended = run("site", "restore", tmp_path / "damaged.tar", tmp_path / "again")
        assert ended.returncode == 3, ended.stderr
        assert not (tmp_path / "again").exists()


def test_a_backup_leads_nowhere_else(tmp_path: Path) -> None:
    """A name that leads out of the site, and bytes that are not what their name says, whatever the digests."""
    for name, data in (("site/../../escaped", b"x"), (f"site/files/{'0' * 2}/{'0' * 64}", b"other")):
        target = tmp_path / "hostile.tar"
        _pack_backup(target, {name: data, "rows.jsonl": b""})
        ended = run("site", "restore", target, tmp_path / "deep" / "site")
        assert ended.returncode == 3
        assert "the backup is damaged" in ended.stderr
    assert not (tmp_path / "escaped").exists() and not (tmp_path / "deep" / "escaped").exists()


EVENT = {"id": "e1", "operation": "x", "changes": [["chains", "c1", {"name": "Ann"}]]}
FORGED: list[tuple[str, dict[str, object], str]] = [
    ("accounts.account", {"role": "god"}, "found 'god' as role"),
    ("accounts.account", {"name": "Olga\nOmar"}, "expected letters"),
    ("workbench.source", {"digest": "0" * 64}, "expected it among the files of the site"),
    ("workbench.source", {"beside": {".txt/../x": "0" * 64}}, "expected that of a file"),
    ("workbench.source", {"warnings": {}}, "cannot be read"),
    ("workbench.text", {"content": b"{"}, "cannot be read"),
    ("workbench.text", {"content": b'{"id": "kept", "characters": "Ann", "tokens": [0, 9]}'}, "found words"),
    ("workbench.layer", {"back": "//example.org"}, "expected one under /campaign/"),
    ("workbench.layer", {"version": 7}, "found version 7"),
    ("workbench.event", {"body": {**EVENT, "changes": [["tables", "c1", {}]]}}, "found the table 'tables'"),
    ("workbench.event", {"body": {**EVENT, "changes": []}}, "found a step that the events before it do not lead to"),
    ("workbench.event", {"identity": "e2"}, "found another event in it than it says"),
    ("workbench.event", {"inverse": []}, "found a step that the events before it do not lead to"),
    ("workbench.snapshot", {"state": {"mentions": {"m1": {"parts": [[0, 999]]}}}}, "found the part 0 to 999"),
]


@pytest.mark.django_db
@pytest.mark.usefixtures("beside_a_browser")
def test_rows_of_a_forger_are_refused_with_their_place(tmp_path: Path, team: Team) -> None:
    """Whose digests are right: what no server writes is told with its line, and nothing is restored."""
    team.organiser.upload(("forged.sgm", TEXT.replace(b"kept", b"forged")))
    layer = layers_of(team.organiser, "forged")["forged.sgm"]
    assert team.organiser.post(f"/api/layer/{layer}/events", {"base": 0, "events": [EVENT]}).status == 200
    assert run("site", "backup", team.served.site, tmp_path / "whole.tar.gz", *team.served.database).returncode == 0
    with tarfile.open(tmp_path / "whole.tar.gz") as backup:
        files = {item.name: file.read() for item in backup if (file := backup.extractfile(item))}
    rows = [json.loads(line) for line in files["rows.jsonl"].splitlines()]
    source = next(row["pk"] for row in rows if row["fields"].get("name") == "forged.sgm" and "digest" in row["fields"])
    own_options = {source, layer, *(row["pk"] for row in rows if row["fields"].get("source") == source)}
    for model, changes, problem in FORGED:
        place, row = next(
            (number, row)
            for number, row in reversed([*enumerate(rows, 1)])
            if row["model"] == model
            and ("account" in model or row["pk"] in own_options or row["fields"].get("layer") == layer)
        )
        changed = {
            **row,
            "fields": {**row["fields"], **{name: _encode_value(name, change) for name, change in changes.items()}},
        }
        lines = [json.dumps(changed if item is row else item).encode() for item in rows]
        _pack_backup(tmp_path / "forged.tar", {**files, "rows.jsonl": b"\n".join(lines) + b"\n"})
        with pytest.raises(InputError) as error:
            restore_backup(Site(folder=str(tmp_path / "again")), tmp_path / "forged.tar")
        assert problem in str(error.value), (model, changes)
        row_name = f"{model.partition('.')[2]} {row['pk']}"
        assert f"forged.tar!rows.jsonl:{place}:1: found the {row_name} that no server writes (" in str(error.value)


def _encode_value(name: str, value: object) -> object:
    """A value as a row has it: columns of bytes in base64."""
    if name not in ("content", "body", "inverse", "state"):
        return value
    return b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).decode()


def _pack_backup(target: Path, files: Mapping[str, bytes]) -> None:
    """A backup with right digests."""
    digests = {name: sha256(data).hexdigest() for name, data in files.items() if name != "digests.json"}
    with tarfile.open(target, "w") as archive:
        for name, data in {**files, "digests.json": json.dumps(digests).encode()}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
