"""A site in one file and back, from either database to either."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from hashlib import sha256
from pathlib import Path

from aune.campaign.starting import founded
from aune.campaign.verification import verified
from tests.server.conftest import Team
from tests.server.serving import PASSPHRASE, event, joined, layers_of, serving
from tests.server.test_starting import run

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
    asked = ("--role", "annotator", "--address", served.address, *served.database)
    joined(served, run("site", "invite", served.site, *asked).stdout.strip(), "Cid")


def test_a_site_with_a_campaign(tmp_path: Path) -> None:
    """Its ledger and its store are in the file too, and verified when they come back."""
    founded(tmp_path / "site", "Small", "tagging")
    with serving(tmp_path / "site", "--accounts"):
        taken = run("site", "backup", tmp_path / "site", tmp_path / "site.tar.gz")
    assert taken.returncode == 0, taken.stderr
    again = run("site", "restore", tmp_path / "site.tar.gz", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert verified(tmp_path / "again").problems == []
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
        target = tmp_path / "hostile.tar.gz"
        files = {name: data, "rows.jsonl": b""}
        digests = {entry: sha256(content).hexdigest() for entry, content in files.items()}
        with tarfile.open(target, "w:gz") as archive:
            for entry, content in {**files, "digests.json": json.dumps(digests).encode()}.items():
                member = tarfile.TarInfo(entry)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        ended = run("site", "restore", target, tmp_path / "deep" / "site")
        assert ended.returncode == 3
        assert "the backup is damaged" in ended.stderr
    assert not (tmp_path / "escaped").exists() and not (tmp_path / "deep" / "escaped").exists()
