"""The archive: a static site, and everything from which its numbers are computed.

    description.md        the organisers' description of the campaign, and files/NAME/… the public files beside texts
    index.html            the page for people, made only from archive.json
    archive.json          results, participants, changes, commitments with their salts
    campaign.toml, …      the protocol in force, with the files that it names
    protocols/N/…         every version of the protocol, with its files
    keys/DATASET/N-…      every version of every key
    annotators/DATASET/N/ the file of each annotator, if the key was made from several
    texts/DATASET…        the texts that were handed out
    runs/ID/…             the scored files, tables/ID.tsv their table, tables/ID-N.tsv that from version N of the key on
    pages/ID.html         aune's report of the run
    ledger.jsonl          all entries, with the details of those that name no one
    MANIFEST              the digest of every file

An unnamed team does not appear anywhere in it: runs have random ids and pseudonyms, and their files lose the names
under which they were sent. A run whose files contain the name of its unnamed team is withheld.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from aune import __version__
from aune.campaign.campaign import Campaign
from aune.campaign.ledger.ledger_file import Entry
from aune.campaign.ledger.state import DISCLOSED, FAULT, Attachment, Submission
from aune.campaign.protocol.phases import DISCUSSED, OPEN
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE
from aune.campaign.protocol.visibility import EVERYBODY
from aune.campaign.publication.public_face import visible_files
from aune.campaign.publication.run_report import make_page, missing_pages, open_pages, reveals_team
from aune.campaign.publication.static_pages import PAGE_VERSION, site_pages
from aune.campaign.publication.visible_results import (
    board_csv,
    changelog,
    participants,
    participants_csv,
    run_labels,
    score_differences,
    scores_json,
    visible_board,
    visible_key_edits,
)
from aune.campaign.runs.jobs import is_caught_up, ranked_runs, run_files, score_values
from aune.campaign.runs.run_metadata import read_description
from aune.campaign.runs.uploads import write_zip
from aune.errors import UsageError
from aune.files import fill_folder, is_vacant, replace_atomically, sha256_hex, write_atomically
from aune.privacy import make_private_folder

DESCRIPTION = "description.md"
MANIFEST, DATA, LEDGER = "MANIFEST", "archive.json", "ledger.jsonl"
ZIP_PREFIX = "archive-"
"""The prefix of the file name of a zipped archive."""


def public_results(campaign: Campaign, dataset: str) -> dict[str, Any]:
    """The results of a dataset that are public now."""
    return visible_board(campaign, EVERYBODY, dataset)


def write_archive(
    campaign: Campaign, folder: Path, *, pages: bool = True, progress: Callable[[str, float], None] | None = None
) -> str:
    """Write the archive; returns the digest of its manifest, which is also recorded in the ledger.

    `pages` also makes the missing report pages of runs; pages that cannot be made are left out.
    """
    campaign.check(EVERYBODY, "archive")
    if not is_vacant(folder):
        raise UsageError(f"{folder}: there is something already: name a new folder")
    names = [name for name in campaign.state.keys if campaign.dataset(name).phase != OPEN]
    behind = [name for name in names if not is_caught_up(campaign.state, name)]
    if behind:
        raise UsageError(f"runs of {behind[0]} wait to be scored: `aune campaign score` first")
    missing = missing_pages(campaign) if pages else []
    for number, run in enumerate(missing, 1):
        with suppress(UsageError):
            make_page(campaign, run)
        if progress:
            progress("pages of runs", number / len(missing))
    files = archive_files(campaign)
    manifest_data = manifest(files)
    with fill_folder(folder) as home:
        for path, data in LazyFiles({**files.sources, MANIFEST: manifest_data}).items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(home / path, data)
        campaign.append("archived", {"manifest": sha256_hex(manifest_data), "files": len(files)})
    return sha256_hex(manifest_data)


def zip_path(campaign: Campaign) -> Path:
    """The path of the zipped archive that a server offers for download; the file may not exist yet.

    Downloads of texts do not make a new archive necessary, and neither do events of the open phase.
    """
    passing = OPEN_KINDS if campaign.phase == OPEN else ("download",)
    last = next(entry for entry in reversed(campaign.entries) if entry.kind not in passing)
    return campaign.folder / "work" / f"{ZIP_PREFIX}{last.hash}.zip"


OPEN_KINDS = (
    "download", "team", "member", "left", "consent", "licence", "submission", "leased", "ended", "board", "page",
    "primary", "described", "message",
)  # fmt: skip
"""The kinds of entries in the open phase that do not change an archive, except its ledger."""


def make_zip(campaign: Campaign) -> None:
    """Write the zipped archive in place of the previous one; nothing is recorded."""
    campaign.check(EVERYBODY, "archive")
    target = zip_path(campaign)
    make_private_folder(target.parent)
    files = archive_files(campaign)
    with replace_atomically(target) as new, new.open("wb") as file:
        write_zip(LazyFiles({**files.sources, MANIFEST: manifest(files)}), file)
    for old in target.parent.glob(f"{ZIP_PREFIX}*.zip"):
        if old != target:
            old.unlink(missing_ok=True)


class LazyFiles(Mapping[str, bytes]):
    """Files that are made only when they are read, since all of them together may not fit into memory."""

    def __init__(self, sources: Mapping[str, bytes | Callable[[], bytes]]) -> None:
        self.sources = sources

    def __getitem__(self, path: str) -> bytes:
        file = self.sources[path]
        return file if isinstance(file, bytes) else file()

    def __iter__(self) -> Iterator[str]:
        return iter(self.sources)

    def __len__(self) -> int:
        return len(self.sources)


def manifest(files: Mapping[str, bytes]) -> bytes:
    """The digest of every file, sorted by name."""
    return "".join(f"{sha256_hex(files[path])}  {path}\n" for path in sorted(files)).encode()


def archive_files(campaign: Campaign) -> LazyFiles:
    """Every file of the archive except its manifest."""
    state, plan, store = campaign.state, campaign.protocol, campaign.store
    scored = [
        dataset for dataset in plan.datasets.values() if dataset.phase in DISCUSSED and dataset.name in state.keys
    ]
    datasets = [record.name for record in scored if campaign.may_see(EVERYBODY, f"{record.phase} scores")]
    runs = {name: state.standing_submissions(name) for name in datasets}
    boards = [visible_board(campaign, EVERYBODY, name) for name in datasets]
    stored = dict(state.protocols[-1]["files"])
    for record in state.protocols:
        home = protocol_folder(record["version"])
        stored |= {
            f"{home}/{PROTOCOL_FILE}": record["text"],
            **{f"{home}/{path}": file for path, file in record["files"].items()},
        }
    stored |= _key_files(campaign, datasets)
    described, files_of_runs = _describe_runs(campaign, runs)
    run_ids = {record["id"] for record in described}
    shown_pages = {run: page for run, page in open_pages(campaign).items() if run in run_ids}
    entries = list(campaign.entries)  # entries that others add later are ignored
    data = {
        **_campaign_data(campaign, datasets),
        "boards": boards,
        "runs": described,
        "head": entries[-1].hash,
        "pages": {run: f"pages/{run}.html" for run in sorted(shown_pages)},
    }
    stored |= {f"pages/{run}.html": page for run, page in shown_pages.items()}
    stored |= {attachment_path(file): file["digest"] for file in data.get("files", ())}
    stored |= {DESCRIPTION: state.about} if state.about else {}
    encoded = json_bytes(data)
    return LazyFiles({
        PROTOCOL_FILE: plan.text.encode(),
        **{path: partial(store.get, digest) for path, digest in stored.items()},
        **files_of_runs,
        LEDGER: ledger_lines(entries),
        DATA: encoded,
        **rendered_files(json.loads(encoded)),
    })  # fmt: skip


def _campaign_data(campaign: Campaign, datasets: Sequence[str]) -> dict[str, Any]:
    """The archive's data about the campaign itself: protocol, participants, changes, keys and texts."""
    state, plan = campaign.state, campaign.protocol
    versions = [(name, number) for name in datasets for number in range(state.version(name))]
    return {
        "aune": __version__,
        "page_version": PAGE_VERSION,
        "campaign": {"name": plan.name, "title": plan.title, "task": plan.task, "protocol": plan.digest},
        "participants": participants(campaign, EVERYBODY) if campaign.may_see(EVERYBODY, "participants") else [],
        "changelog": changelog(campaign, EVERYBODY),
        "differences": {name: _with_text_keys(score_differences(campaign, EVERYBODY, name)) for name in datasets},
        "heads": campaign.heads(),
        "commitments": campaign.commitments(),
        "keys": [_key_description(campaign, name, number) for name, number in versions],
        "annotators": {
            name: list(_layers(campaign, name))
            for name in datasets
            if name in state.made_keys and plan.is_key_published(name)
        },
        "texts": {name: asdict(state.texts[name]) for name in datasets if plan.is_key_published(name)},
        **({"about": state.about} if state.about else {}),
        **({"doi": state.doi} if state.doi else {}),
        **({"unpublished": hidden} if (hidden := _unpublished_data(campaign, datasets)) else {}),
        **({"files": [file._asdict() for file in files]} if (files := archived_attachments(campaign)) else {}),
    }


def _unpublished_data(campaign: Campaign, datasets: Sequence[str]) -> list[str]:
    """The datasets whose key, texts and runs stay unpublished: the archive has only their results and commitments."""
    return [name for name in datasets if not campaign.protocol.is_key_published(name)]


def archived_attachments(campaign: Campaign) -> list[Attachment]:
    """The public files besides the texts."""
    return visible_files(campaign, EVERYBODY)


def attachment_path(file: Mapping[str, Any]) -> str:
    """The path in an archive of a file besides the texts."""
    return f"files/{file['name']}/{file['file']}"


def protocol_folder(version: int) -> str:
    """The folder in an archive of a version of the protocol and its files."""
    return f"protocols/{version}"


def rendered_files(data: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of an archive that present its data, for people and for programs."""
    files = {}
    for board in data["boards"]:
        files[f"results/{board['dataset']}.csv"] = board_csv(board).encode()
        for system, name in slugs(board["systems"]).items():
            files[f"results/{board['dataset']}/{name}/scores.json"] = json_bytes(scores_json(board, system))
    if data["participants"]:
        files["results/participants.csv"] = participants_csv(data["participants"]).encode()
    return files | {name: page.encode() for name, page in site_pages(data).items()}


def json_bytes(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"


def slugs(labels: Iterable[str]) -> dict[str, str]:
    """Labels as folder names, all of them different even if case is ignored.

    >>> slugs(["A / run", "a-/ run"])
    {'A / run': 'A---run', 'a-/ run': 'a---run-2'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for label in sorted(labels):
        plain = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in label)
        others = (f"{plain}-{number}" for number in count(2))
        names[label] = next(name for name in chain([plain], others) if name.casefold() not in taken)
        taken.add(names[label].casefold())
    return names


def _with_text_keys(changed: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "values": {str(version): value for version, value in row["values"].items()}} for row in changed]


def ledger_lines(entries: Sequence[Entry]) -> bytes:
    """The public ledger: every entry, with the details of those that name no team."""
    lines = []
    for entry in entries:
        details = entry.details or {}
        open_to_all = entry.kind in DISCLOSED and details.get("state") != FAULT
        lines.append((entry if open_to_all else entry.without_details()).line)
    return b"".join(lines)


def _key_files(campaign: Campaign, datasets: Sequence[str]) -> dict[str, str]:
    """The digests of keys, of annotators' files and of texts, by their paths."""
    state, files = campaign.state, dict[str, str]()
    for name in (name for name in datasets if campaign.protocol.is_key_published(name)):
        files |= {_key_path(campaign, name, key.version): key.digest for key in state.keys[name]}
        files |= _layers(campaign, name)
        files[f"texts/{name}/{state.texts[name].name}"] = state.texts[name].digest
    return files


def _layers(campaign: Campaign, dataset: str) -> dict[str, str]:
    """The digests of the annotators' files of a key, by their paths in the archive."""
    layers = campaign.state.made_keys.get(dataset, {}).get("layers", ())
    return {f"annotators/{dataset}/{number}/{layer['name']}": layer["digest"] for number, layer in enumerate(layers, 1)}


def _key_path(campaign: Campaign, dataset: str, version: int) -> str:
    return f"keys/{dataset}/{version}-{Path(campaign.dataset(dataset).key).name}"


def _key_description(campaign: Campaign, dataset: str, index: int) -> dict[str, Any]:
    key = campaign.state.keys[dataset][index]
    return {
        "dataset": dataset,
        "version": key.version,
        "file": _key_path(campaign, dataset, key.version) if campaign.protocol.is_key_published(dataset) else "",
        "digest": key.digest,
        "salt": key.salt,
        "commitment": key.commitment,
        "protocol": key.protocol,
        "edits": visible_key_edits(campaign, EVERYBODY, key),
    }


class _UnpackedRun:
    """The files of the last used run; the files of one run follow each other in an archive."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._which, self._files = ("", 0), dict[str, bytes]()

    def files(self, run: Submission, version: int) -> dict[str, bytes]:
        if self._which != (run.id, version):
            self._files = {}  # free memory before the next run is read
            self._which, self._files = (run.id, version), run_files(self._campaign, run, version)
        return self._files

    def file(self, run: Submission, version: int, path: str) -> bytes:
        return self.files(run, version)[path]


def _describe_runs(
    campaign: Campaign, by_dataset: Mapping[str, Sequence[Submission]]
) -> tuple[list[dict[str, Any]], dict[str, Callable[[], bytes]]]:
    """The archive's descriptions of runs, and their files."""
    described: list[dict[str, Any]] = []
    files: dict[str, Callable[[], bytes]] = {}
    unpacked = _UnpackedRun(campaign)
    open_to_all = campaign.may_see(EVERYBODY, "runs")
    for dataset, runs in by_dataset.items():
        names = run_labels(campaign, EVERYBODY, runs)
        ranked = set(ranked_runs(campaign, dataset, runs))
        for run in runs:
            is_shown = open_to_all and campaign.protocol.is_key_published(dataset) and not reveals_team(campaign, run)
            description: dict[str, Any] = {
                "id": run.id, "label": names[run.id], "dataset": dataset, "files": [], "tables": {},
                "withheld": not is_shown, "ranked": run.id in ranked,
            }  # fmt: skip
            for version in sorted(run.results) if is_shown else ():
                unpacked_files = unpacked.files(run, version)
                files |= {path: partial(unpacked.file, run, version, path) for path in unpacked_files}
                description["files"] = [path for path in sorted(unpacked_files) if path.startswith("runs/")]
                if table := run.table_at(version):
                    description["tables"][str(version)] = table.path
            if is_shown and run.description:
                description |= read_description(campaign.store, run)
            description["scores"] = {
                str(version): score_values(campaign.result(run, version) or {}) for version in sorted(run.results)
            }
            described.append(description)
    return described, files
