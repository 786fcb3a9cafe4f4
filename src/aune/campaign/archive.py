"""The archive: a static site, and everything that its numbers are computed from.

    index.html            what people read, made of archive.json alone
    archive.json          results, participants, changes, commitments with their salts
    campaign.toml, …      the protocol in force, with the files that it names
    protocols/N/…         every version of it, likewise
    keys/DATASET/N-…      every version of every key
    annotators/DATASET/N/ what each annotator did, where the key was made from several
    texts/DATASET…        what was handed out
    runs/ID/…             what was scored, tables/ID.tsv with what table, tables/ID-N.tsv from version N of the key on
    pages/ID.html         aune's report of the run
    ledger.jsonl          all entries, with the details of those that name nobody
    MANIFEST              the digest of every file

A team that is not named is nowhere in it: runs have random ids and pseudonyms, and their files lose the names that they
were sent under. A run whose files hold the name of its unnamed team is withheld.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from aune import __version__
from aune.campaign.archives import pack
from aune.campaign.campaign import Campaign
from aune.campaign.explained import make, open_pages, tells, to_make
from aune.campaign.jobs import caught_up, run_files, values_of
from aune.campaign.ledger import Entry
from aune.campaign.pages import site
from aune.campaign.phases import SUBMITTING
from aune.campaign.policy import EVERYBODY
from aune.campaign.protocol import FILE
from aune.campaign.publication import (
    as_csv,
    changelog,
    differences,
    key_edits,
    labels,
    participants,
    participants_csv,
    results,
    scores_json,
)
from aune.campaign.records import DISCLOSED, FAULT, Submission
from aune.core.errors import UsageError
from aune.core.files import digest_of, filling, is_vacant, replacing, write_whole

MANIFEST, DATA, LEDGER = "MANIFEST", "archive.json", "ledger.jsonl"
ZIP = "archive-"
"""What the name of an archive in one file begins with."""


def published(campaign: Campaign, dataset: str) -> dict[str, Any]:
    """What everybody may see of a dataset's results now."""
    return results(campaign, EVERYBODY, dataset)


def archived(
    campaign: Campaign, folder: Path, *, pages: bool = True, told: Callable[[str, float], None] | None = None
) -> str:
    """Write the archive; the digest of its manifest, which is also recorded in the ledger.

    `pages` has the report page of every run made that has none yet; those that cannot be made are left out.
    """
    campaign.check(EVERYBODY, "archive")
    if not is_vacant(folder):
        raise UsageError(f"{folder}: there is something already: name a new folder")
    behind = [name for name in campaign.state.keys if not caught_up(campaign.state, name)]
    if behind:
        raise UsageError(f"runs of {behind[0]} wait to be scored: `aune campaign score` first")
    missing = to_make(campaign) if pages else []
    for number, one in enumerate(missing, 1):
        with suppress(UsageError):
            make(campaign, one)
        if told:
            told("pages of runs", number / len(missing))
    files = archive_files(campaign)
    listed = manifest(files)
    with filling(folder) as home:
        for path, data in Lazy({**files.made, MANIFEST: listed}).items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(home / path, data)
        campaign.append("archived", {"manifest": digest_of(listed), "files": len(files)})
    return digest_of(listed)


def zip_of(campaign: Campaign) -> Path:
    """Where the archive lies as one file, for those who fetch it from a server; it need not be there.

    Who fetched texts meanwhile is nothing that a new one is made for.
    """
    last = next(entry for entry in reversed(campaign.ledger.entries()) if entry.kind != "download")
    return campaign.folder / "work" / f"{ZIP}{last.hash}.zip"


def make_zip(campaign: Campaign) -> None:
    """Write the archive as one file, in place of the one before; nothing is recorded."""
    campaign.check(EVERYBODY, "archive")
    target = zip_of(campaign)
    target.parent.mkdir(exist_ok=True)
    files = archive_files(campaign)
    with replacing(target) as new, new.open("wb") as made:
        pack(Lazy({**files.made, MANIFEST: manifest(files)}), made)
    for old in target.parent.glob(f"{ZIP}*.zip"):
        if old != target:
            old.unlink(missing_ok=True)


class Lazy(Mapping[str, bytes]):
    """Files of which each is made when it is looked at: all of them together may be more than there is memory."""

    def __init__(self, made: Mapping[str, bytes | Callable[[], bytes]]) -> None:
        self.made = made

    def __getitem__(self, path: str) -> bytes:
        file = self.made[path]
        return file if isinstance(file, bytes) else file()

    def __iter__(self) -> Iterator[str]:
        return iter(self.made)

    def __len__(self) -> int:
        return len(self.made)


def manifest(files: Mapping[str, bytes]) -> bytes:
    """The digest of every file, in the order of their names."""
    return "".join(f"{digest_of(files[path])}  {path}\n" for path in sorted(files)).encode()


def archive_files(campaign: Campaign) -> Lazy:
    """Every file of the archive but its manifest."""
    state, plan, store = campaign.state, campaign.protocol, campaign.store
    scored = [
        dataset for dataset in plan.datasets.values() if dataset.phase in SUBMITTING and dataset.name in state.keys
    ]
    shown = [one.name for one in scored if campaign.may(EVERYBODY, f"{one.phase} scores")]
    runs = {name: state.standing(name) for name in shown}
    boards = [results(campaign, EVERYBODY, name) for name in shown]
    stored = dict(state.protocols[-1]["files"])
    for one in state.protocols:
        home = protocol_folder(one["version"])
        stored |= {f"{home}/{FILE}": one["text"], **{f"{home}/{path}": file for path, file in one["files"].items()}}
    stored |= _keys(campaign, shown)
    described, files_of_runs = _runs(campaign, runs)
    shown_pages = {run: page for run, page in open_pages(campaign).items() if run in {one["id"] for one in described}}
    entries = list(campaign.ledger.entries())  # from here on, whatever others add
    data: dict[str, Any] = {
        "aune": __version__,
        "campaign": {"name": plan.name, "title": plan.title, "task": plan.task, "protocol": plan.digest},
        "boards": boards,
        "runs": described,
        "participants": participants(campaign, EVERYBODY) if campaign.may(EVERYBODY, "participants") else [],
        "changelog": changelog(campaign, EVERYBODY),
        "differences": {name: _text_keys(differences(campaign, EVERYBODY, name)) for name in shown},
        "head": entries[-1].hash,
        "heads": campaign.heads(),
        "commitments": campaign.commitments(),
        "keys": [_key(campaign, name, number) for name in shown for number in range(state.version(name))],
        "pages": {run: f"pages/{run}.html" for run in sorted(shown_pages)},
        "annotators": {name: list(_layers(campaign, name)) for name in shown if name in state.made},
        "texts": {
            name: {
                "name": state.texts[name].name,
                "format": state.texts[name].format,
                "digest": state.texts[name].digest,
            }
            for name in shown
        },
    }
    stored |= {f"pages/{run}.html": page for run, page in shown_pages.items()}
    told = written(data)
    return Lazy({
        FILE: plan.text.encode(),
        **{path: partial(store.get, digest) for path, digest in stored.items()},
        **files_of_runs,
        LEDGER: ledger_lines(entries),
        DATA: told,
        **shown_again(json.loads(told)),
    })  # fmt: skip


def protocol_folder(version: int) -> str:
    """Where an archive has a version of the protocol, with the files that it names."""
    return f"protocols/{version}"


def shown_again(data: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of an archive that show what its data says, for people and for programs."""
    files = {}
    for found in data["boards"]:
        files[f"results/{found['dataset']}.csv"] = as_csv(found).encode()
        for system, name in slugs(found["systems"]).items():
            files[f"results/{found['dataset']}/{name}/scores.json"] = written(scores_json(found, system))
    if data["participants"]:
        files["results/participants.csv"] = participants_csv(data["participants"]).encode()
    return files | {name: page.encode() for name, page in site(data).items()}


def written(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"


def slugs(labels: Iterable[str]) -> dict[str, str]:
    """Labels as names of folders, all of them different, whatever a disk makes of capitals.

    >>> slugs(["A / run", "a-/ run"])
    {'A / run': 'A---run', 'a-/ run': 'a---run-2'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for label in sorted(labels):
        plain = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in label)
        others = (f"{plain}-{number}" for number in count(2))
        found[label] = next(name for name in chain([plain], others) if name.casefold() not in taken)
        taken.add(found[label].casefold())
    return found


def _text_keys(changed: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "values": {str(version): value for version, value in one["values"].items()}} for one in changed]


def ledger_lines(entries: Sequence[Entry]) -> bytes:
    """The ledger for everybody: every entry, and the details of those that name no team."""
    lines = []
    for entry in entries:
        said = entry.details or {}
        open_to_all = entry.kind in DISCLOSED and said.get("state") != FAULT
        lines.append((entry if open_to_all else entry.hidden()).line)
    return b"".join(lines)


def _keys(campaign: Campaign, datasets: Sequence[str]) -> dict[str, str]:
    """The digests of keys, of what annotators did and of texts, by their paths."""
    state, files = campaign.state, dict[str, str]()
    for name in datasets:
        files |= {_key_path(campaign, name, key.version): key.digest for key in state.keys[name]}
        files |= _layers(campaign, name)
        files[f"texts/{name}/{state.texts[name].name}"] = state.texts[name].digest
    return files


def _layers(campaign: Campaign, dataset: str) -> dict[str, str]:
    """Where the annotators' files of a key are in the archive, and their digests."""
    kept = campaign.state.made.get(dataset, {}).get("layers", ())
    return {f"annotators/{dataset}/{number}/{one['name']}": one["digest"] for number, one in enumerate(kept, 1)}


def _key_path(campaign: Campaign, dataset: str, version: int) -> str:
    return f"keys/{dataset}/{version}-{Path(campaign.dataset(dataset).key).name}"


def _key(campaign: Campaign, dataset: str, place: int) -> dict[str, Any]:
    key = campaign.state.keys[dataset][place]
    return {
        "dataset": dataset,
        "version": key.version,
        "file": _key_path(campaign, dataset, key.version),
        "digest": key.digest,
        "salt": key.salt,
        "commitment": key.commitment,
        "protocol": key.protocol,
        "edits": key_edits(campaign, EVERYBODY, key),
    }


class _Unpacked:
    """The files of the run that was looked at last: in an archive those of one run follow each other."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._which, self._files = ("", 0), dict[str, bytes]()

    def files(self, run: Submission, version: int) -> dict[str, bytes]:
        if self._which != (run.id, version):
            self._files = {}  # before there are others
            self._which, self._files = (run.id, version), run_files(self._campaign, run, version)
        return self._files

    def file(self, run: Submission, version: int, path: str) -> bytes:
        return self.files(run, version)[path]


def _runs(
    campaign: Campaign, by_dataset: Mapping[str, Sequence[Submission]]
) -> tuple[list[dict[str, Any]], dict[str, Callable[[], bytes]]]:
    """The runs as the archive describes them, and their files."""
    described: list[dict[str, Any]] = []
    files: dict[str, Callable[[], bytes]] = {}
    unpacked = _Unpacked(campaign)
    open_to_all = campaign.may(EVERYBODY, "runs")
    for dataset, runs in by_dataset.items():
        names = labels(campaign, EVERYBODY, runs)
        for one in runs:
            kept = open_to_all and not tells(campaign, one)
            said: dict[str, Any] = {
                "id": one.id, "label": names[one.id], "dataset": dataset, "files": [], "tables": {},
                "withheld": not kept, "ranked": campaign.state.teams[one.team].competes,
            }  # fmt: skip
            for version in sorted(one.results) if kept else ():
                own = unpacked.files(one, version)
                files |= {path: partial(unpacked.file, one, version, path) for path in own}
                said["files"] = [path for path in sorted(own) if path.startswith("runs/")]
                if table := one.table_at(version):
                    said["tables"][str(version)] = table.path
            said["scores"] = {
                str(version): values_of(campaign.result(one, version) or {}) for version in sorted(one.results)
            }
            described.append(said)
    return described, files
