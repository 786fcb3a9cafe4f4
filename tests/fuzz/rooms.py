"""Damaged files of campaigns, sites and projects: protocols, ledgers, uploads, handouts, backups, edits, options.

Of a ledger there are two kinds of damage: lines that were changed, which its hashes tell, and lines that a forger made,
whose hashes are right.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from aune.campaign.archive import campaign_backup
from aune.campaign.campaign import Campaign
from aune.campaign.disputes.resolution import file_dispute
from aune.campaign.ledger.ledger_file import LEDGER_FILE as LEDGER
from aune.campaign.ledger.ledger_file import START, Entry, canonical_json, commitment_hash, parse_entry
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE, Limits, read_protocol
from aune.campaign.protocol.visibility import THE_ORGANISER
from aune.campaign.publication.notices import visible_notices
from aune.campaign.runs.handouts import INFO_FILE, make_handout, read_handout
from aune.campaign.runs.submission_checks import Run, unpack_run
from aune.campaign.runs.uploads import read_upload, zip_bytes
from aune.campaign.scaffold import TEXTS, create_campaign
from aune.cli._application import commands
from aune.cli._defaults import project, project_options
from aune.cli.campaign._score import _parse_edit
from aune.contract import registry
from aune.corrections.edit_wording import describe_edit
from aune.corrections.item_edits import EXAMPLES, edit_documents
from aune.errors import AuneError
from aune.files import read_bytes
from aune.reading.source import Source

if __package__:
    from tests.fuzz import structures
else:  # run as a script, this folder comes first
    import structures

Reader = tuple[str, Callable[[Path], bytes], Callable[[str], Any]]


@cache
def campaign() -> Path:
    """A campaign in which much has happened: teams, a run, a dispute that was accepted."""
    home = Path(tempfile.mkdtemp(prefix="aune-fuzz-"))
    result = create_campaign(home / "campaign", "demo", "entities")
    (result.folder / "licence.txt").write_text("For tests only.\n")
    for phase in ("training", "dry run"):
        result.begin_phase(phase)
    team = result.register("Alpha", "Oman", members=["ann@example.org"])
    result.accept_licence(team.id)
    result.receive(team.id, "try", "one", "run.conll", (result.folder / "keys" / "try.conll").read_bytes())
    result.begin_phase("dry adjudication")
    file_dispute(result, THE_ORGANISER, "try", "try", "reference", {"remove": [0, 1, "PER"]}, "it is no name")
    return result.folder


def beside_copy() -> Path:
    """A copy of the campaign to work in."""
    return shutil.copytree(campaign(), Path(tempfile.mkdtemp(prefix="aune-fuzz-")) / "campaign")


def beside(path: str, name: str) -> Path:
    """A copy of the campaign in which a file is in the place of one of its own."""
    home = Path(tempfile.mkdtemp(dir=Path(path).parent))
    shutil.copytree(campaign(), home / "campaign")
    if (home / "campaign" / name).exists():
        (home / "campaign" / name).unlink()
    Path(path).replace(home / "campaign" / name)
    return home / "campaign"


def looked_at(folder: Path) -> None:
    """What every command of a campaign does first, and what a worker and the post are given."""
    result = Campaign(folder)
    state = result.state
    list(visible_notices(result))
    for dataset in state.keys:
        make_handout(result, THE_ORGANISER, dataset)


def of_protocol(path: str) -> None:
    folder = beside(path, PROTOCOL_FILE)
    try:
        read_protocol(folder)
    finally:
        shutil.rmtree(folder.parent)


def of_ledger(path: str) -> None:
    folder = beside(path, LEDGER)
    try:
        looked_at(folder)
    finally:
        shutil.rmtree(folder.parent)


def forge_file(data: bytes) -> bytes:
    """Lines whose details somebody wrote anew, each bound to the one before it as if aune had written them."""
    lines, previous = [], START
    for line in data.splitlines():
        try:
            text = json.loads(line)
            details, kind = text["details"], text["kind"]
            commitment = commitment_hash("00", details)
            entry = Entry(len(lines), "2026-01-01T00:00:00.000000Z", kind, previous, commitment, details, "00")
            previous, line = entry.hash, entry.line
        except (ValueError, KeyError, TypeError, RecursionError, AuneError):
            continue
        lines.append(line)
    return b"".join(lines)


def of_forger(path: str) -> None:
    data = Path(path).read_bytes()
    Path(path).write_bytes(forge_file(data))
    of_ledger(path)


def details(_: Path) -> bytes:
    """What the entries of the campaign's ledger say, one line each."""
    entries = map(parse_entry, (campaign() / LEDGER).read_bytes().splitlines(keepends=True))
    return b"".join(canonical_json({"details": entry.details, "kind": entry.kind}) + b"\n" for entry in entries)


def of_upload(path: str) -> None:
    read_upload(path, Path(path).read_bytes(), Limits())


def make_zip(_: Path) -> bytes:
    return zip_bytes({"a.conll": b"w O\n" * 50, "b/c.conll": b"x B-PER\n" * 50})


def make_tar(_: Path) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in ("a.conll", "b/c.conll"):
            entry = tarfile.TarInfo(name)
            entry.size = 200
            archive.addfile(entry, io.BytesIO(b"w O\n" * 50))
    return made.getvalue()[:3072]  # the rest is padding, whose damage nobody sees


def of_planned(path: str, archived: Callable[[dict[str, Any]], bytes]) -> None:
    """An archive that is made by a plan, as an upload: all of its names lie inside, and it is no larger than it may be.

    What it holds is laid in a folder, as the worker does.
    """
    limits = Limits(unpacked=1_000_000, files=10_000, ratio=100)
    run = Run("run.zip", archived(json.loads(Path(path).read_bytes())))
    home = Path(tempfile.mkdtemp(dir=Path(path).parent))
    try:
        unpack_run(home / "run", run, limits)
        is_present = [item for item in home.parent.rglob("*") if item.is_file() and home not in item.parents]
        assert {*is_present} <= {*home.parent.glob("*.plan")}, is_present
        assert sum(item.stat().st_size for item in home.rglob("*") if item.is_file()) <= limits.unpacked
    finally:
        shutil.rmtree(home)


def handed_out(_: Path) -> bytes:
    return dict(_handout())[INFO_FILE]


@cache
def _handout() -> tuple[tuple[str, bytes], ...]:
    return tuple(make_handout(Campaign(campaign()), THE_ORGANISER, "try").items())


def of_handout(path: str) -> None:
    home = Path(tempfile.mkdtemp(dir=Path(path).parent))
    handed_out_to(home)
    Path(path).replace(home / INFO_FILE)
    read_handout(home)


def handed_out_to(folder: Path) -> None:
    for name, content in _handout():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def backed_up(folder: Path) -> bytes:
    campaign_backup.write_backup(Campaign(campaign()), folder / "whole.tar.gz")
    return (folder / "whole.tar.gz").read_bytes()


def unpacked_backup(folder: Path) -> bytes:
    """The same without compression, so that damage reaches what is inside."""
    backed_up(folder)
    return gzip.decompress((folder / "whole.tar.gz").read_bytes())


def of_backup(path: str) -> None:
    home = Path(tempfile.mkdtemp(dir=Path(path).parent))
    try:
        campaign_backup.restore_backup(Path(path), home / "new")
        looked_at(home / "new")
    finally:
        shutil.rmtree(home)


def of_edits(path: str) -> None:
    """Edits of keys as strangers send them: one line each, behind the task."""
    refusals = []
    for line in read_bytes(path).decode(errors="replace").splitlines():
        task, _, text = line.partition("\t")
        if task in EXAMPLES:
            try:
                edit = _parse_edit(text)
                documents = edit_documents(task, _documents(task), _documents(task)[0].id, edit)
                registry.task(task).reading.check(documents)
                canonical_json([edit, describe_edit(task, edit)])
            except AuneError as error:
                refusals.append(error)
    if refusals:
        raise refusals[0]


@cache
def _documents(task: str) -> list[Any]:
    ending, texts = TEXTS[task]
    form = next(item for item in registry.formats(task) if ending in item.suffixes)
    return list(form.read(Source(f"a{ending}", texts[1].encode())))


def of_project(path: str) -> None:
    home = Path(tempfile.mkdtemp(dir=Path(path).parent))
    Path(path).replace(home / "aune.toml")
    projection = project(home)
    for words, _ in commands():
        try:
            project_options(projection, [*words, "entities"]) if projection else None
        except AuneError:
            continue


PLANNED, PLAN = ".plan", json.dumps(structures.PLAN).encode()
"""The ending of files that say what is in an archive."""
PROJECT = b'digits = 1\nci = true\n[entities]\nmeasures = ["f1", "ser"]\nmatch = "type"\n[score]\nby = "label"\n'
MORE_EDITS = {
    "tagging": '{"edits": [{"compound": [0, 2], "tags": "DET"}, {"word": 1, "tags": null}]}',
    "entities": '{"edits": [{"remove": [0, 1, "PER"]}, {"add": [2, 5, "LOC", [[2, 3], [4, 5]]]}]}',
    "coref": '{"edits": [{"mention": [0, 1], "with": []}, {"mention": [2, 5, [[2, 3], [4, 5]]], "with": [5, 6]}]}',
    "anaphora": '{"anaphor": "5", "antecedents": ["0", "3"]}',
    "speech": '{"utterance": "u3", "text": "it is"}',
}  # fmt: skip
EDITS = "".join(f"{task}\t{MORE_EDITS[task]}\n" for task in EXAMPLES).encode()
READERS: dict[str, Reader] = {
    "protocol": (".toml", lambda _: (campaign() / PROTOCOL_FILE).read_bytes(), of_protocol),
    "ledger": (".jsonl", lambda _: (campaign() / LEDGER).read_bytes(), of_ledger),
    "ledger of a forger": (".jsonl", details, of_forger),
    "upload, zip": (".zip", make_zip, of_upload),
    "upload, tar": (".tar", make_tar, of_upload),
    "upload, planned zip": (PLANNED, lambda _: PLAN, lambda path: of_planned(path, structures.make_zip)),
    "upload, planned tar": (PLANNED, lambda _: PLAN, lambda path: of_planned(path, structures.make_tar)),
    "handout": (".json", handed_out, of_handout),
    "backup of a campaign": (".tar.gz", backed_up, of_backup),
    "backup, unpacked": (".tar", unpacked_backup, of_backup),
    "edits of disputes": (".tsv", lambda _: EDITS, of_edits),
    "options of a project": (".toml", lambda _: PROJECT, of_project),
}
