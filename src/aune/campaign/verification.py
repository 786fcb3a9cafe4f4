"""Whether an archive is what it says: every digest, the ledger's chain, every commitment, every number.

Nothing but the archive is needed, and nobody has to be trusted for it: keys are checked against what was committed
before the test, each version of a key against the one before it and the accepted edits, scores and rank groups against
keys and runs, pages against data. `head` is a head that was published or is on a receipt.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from aune import __version__
from aune.campaign.archive import DATA, LEDGER, MANIFEST, manifest, protocol_folder, shown_again, written
from aune.campaign.disputes import edited_key, edited_table
from aune.campaign.jobs import HERE, Engine, FaultError, run_in
from aune.campaign.keys import Layer, agreement_of
from aune.campaign.ledger import BrokenError, Entry, canonical, chained
from aune.campaign.protocol import FILE, Protocol, protocol_of
from aune.campaign.ranking import labelled
from aune.campaign.records import folded
from aune.campaign.store import DamagedError, Store
from aune.campaign.submissions import reading_options
from aune.campaign.vouched import contradictions, scored_files, strangers
from aune.core.errors import AuneError
from aune.core.files import digest_of

CLOSE = 1e-9  # what other machines may add up otherwise


class Report(NamedTuple):
    """What a verification found."""

    problems: list[str]
    checked: list[str]
    """What was looked at, in words."""
    notes: list[str]


def verified(folder: Path, head: str = "", engine: Engine = HERE) -> Report:
    """Everything that is wrong with an archive, or with the folder of a campaign that is still running."""
    report = Report([], [], [])
    if not (folder / MANIFEST).exists() and (folder / "ledger.jsonl").exists():
        _check_living(folder, head, report)
        return report
    files = _files(folder, report)
    if files is None or report.problems:
        return report
    try:
        _check_inside(folder, files, head, engine, report)
    except Exception as error:  # whatever somebody made of it, this is the answer
        report.problems.append(f"the archive is not one that aune wrote: {type(error).__name__}: {error}")
    return report


def _files(folder: Path, report: Report) -> dict[str, bytes] | None:
    """Every file of the archive, if the manifest lists them all with their digests."""
    try:
        listed = (folder / MANIFEST).read_bytes()
    except OSError as error:
        what = "expected the folder of an archive, or of a campaign"
        report.problems.append(f"{folder / MANIFEST}: {error.strerror}: {what}")
        return None
    files: dict[str, bytes] = {}
    for home, _, names in os.walk(folder):
        for name in names:
            path = Path(home, name)
            if path.is_symlink():
                report.problems.append(f"{path}: a link, which no archive has")
            elif path.relative_to(folder) != Path(MANIFEST):
                files[str(path.relative_to(folder))] = path.read_bytes()
    known: dict[str, str] = {}
    for line in listed.decode("utf-8", "replace").splitlines():
        digest, _, listed_path = line.partition("  ")
        known[listed_path] = digest
    for name in sorted({*known, *files}):
        if name not in files:
            report.problems.append(f"{name}: missing")
        elif name not in known:
            report.problems.append(f"{name}: not in the manifest")
        elif known[name] != digest_of(files[name]):
            report.problems.append(f"{name}: changed")
    if not report.problems and manifest(files) != listed:
        report.problems.append(f"{MANIFEST}: changed")
    report.checked.append(f"{len(files)} files against their digests")
    return files


def _check_inside(folder: Path, files: Mapping[str, bytes], head: str, engine: Engine, report: Report) -> None:
    data = json.loads(files[DATA])
    entries = list(chained(iter(files[LEDGER].splitlines(keepends=True))))
    report.checked.append(f"the chain of {len(entries)} entries of the ledger")
    heads = {entry.hash for entry in entries}
    if head and head not in heads:
        report.problems.append(f"{LEDGER}: the head {head} is not in it")
    if data["head"] != entries[-1].hash:
        report.problems.append(f"{LEDGER}: its last entry is not the one that the archive was made with")
    plans = _check_protocols(files, data, entries, report)
    plan = plans[max(plans)]
    _check_keys(files, data, entries, plan, report)
    _check_tables(files, data, report)
    _check_annotators(folder, files, data, entries, plan, report)
    report.problems.extend(contradictions(files, data, entries, plan))
    report.checked.append("runs, boards, pages, texts and changes against the ledger")
    report.problems.extend(strangers(files, data, _protocol_files(plans), shown_again))
    report.checked.append("pages, tables and scores against the data")
    if files[DATA] != written(data):
        report.problems.append(f"{DATA}: not written as it should be")
    if data["participants"]:
        report.notes.append("the table of participants is as the organisers tell it: the ledger hides who they are")
    if report.problems:
        report.notes.append("no number was computed again from files that are not what the ledger says")
        return
    _check_numbers(files, data, plans, engine, report)
    _check_pages(files, data, plans, report)


def _check_protocols(
    files: Mapping[str, bytes], data: Mapping[str, Any], entries: list[Entry], report: Report
) -> dict[int, Protocol]:
    """Every version of the protocol, as the ledger froze it; the newest is the one in force."""
    recorded = [entry.details for entry in entries if entry.kind == "protocol" and entry.details]
    plans = {}
    for one in recorded:
        home = protocol_folder(one["version"])
        for path, digest in ((FILE, one["text"]), *one["files"].items()):
            if digest_of(files.get(f"{home}/{path}", b"")) != digest:
                report.problems.append(f"{home}/{path}: not what the ledger froze")
        with tempfile.TemporaryDirectory() as room:
            _lay(room, {path: files[f"{home}/{path}"] for path in (FILE, *one["files"])})
            plans[one["version"]] = protocol_of(files[f"{home}/{FILE}"].decode(), Path(room), complete=False)
        if plans[one["version"]].digest != one["digest"]:
            report.problems.append(f"{home}/{FILE}: not the protocol that the ledger froze")
    newest = plans[max(plans)]
    home = protocol_folder(max(plans))
    for path in (FILE, *newest.files):
        if files.get(path) != files[f"{home}/{path}"]:
            report.problems.append(f"{path}: not the protocol that the ledger froze")
    report.checked.append(f"{_several(len(recorded), 'version')} of the protocol")
    return plans


def _protocol_files(plans: Mapping[int, Protocol]) -> set[str]:
    """The files of an archive that are a protocol's."""
    every = {f"{protocol_folder(version)}/{path}" for version, plan in plans.items() for path in (FILE, *plan.files)}
    return every | {FILE, *plans[max(plans)].files}


def _lay(room: str, files: Mapping[str, bytes]) -> None:
    """Files in an empty folder."""
    for path, content in files.items():
        target = Path(room, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _check_keys(
    files: Mapping[str, bytes], data: Mapping[str, Any], entries: list[Entry], plan: Protocol, report: Report
) -> None:
    fixed = {
        (entry.details["dataset"], entry.details["version"]): entry
        for entry in entries
        if entry.kind == "commitment" and entry.details
    }
    began = {entry.details["phase"]: entry for entry in entries if entry.kind == "phase" and entry.details}
    for key in data["keys"]:
        name = f"{key['dataset']}, version {key['version']}"
        content = files[key["file"]]
        commitment = hashlib.sha256(bytes.fromhex(key["salt"]) + content).hexdigest()
        entry = fixed.get((key["dataset"], key["version"]))
        if entry is None or entry.details is None or entry.details["commitment"] != commitment:
            report.problems.append(f"the key of {name} is not the one that was committed")
        elif key["version"] == 1 and entry.position > began[plan.datasets[key["dataset"]].phase].position:
            report.problems.append(f"the key of {name} was committed after its phase began")
        if key["version"] > 1:
            before = next(
                one for one in data["keys"] if (one["dataset"], one["version"]) == (key["dataset"], key["version"] - 1)
            )
            _check_edit(files, before, key, plan, report)
    report.checked.append(f"{_several(len(data['keys']), 'key')} against their commitments and edits")


def _check_edit(
    files: Mapping[str, bytes], before: Mapping[str, Any], key: Mapping[str, Any], plan: Protocol, report: Report
) -> None:
    """A version of a key is the one before it with the accepted edits, or the same without any."""
    dataset, made = plan.datasets[key["dataset"]], files[before["file"]]
    edits = [(one["document"], one["edit"]) for one in key["edits"] if "document" in one]
    if edits:
        made = edited_key(plan.task, Path(dataset.key).name, made, dataset.format, reading_options(plan), edits).data
    if made != files[key["file"]]:
        report.problems.append(f"{key['file']}: not the version before it with the accepted edits")


def _check_tables(files: Mapping[str, bytes], data: Mapping[str, Any], report: Report) -> None:
    """The table of a run is the one before it with the accepted edits."""
    edits: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for key in data["keys"]:
        for one in key["edits"]:
            if one.get("run"):
                edits.setdefault((one["run"], str(key["version"])), []).append(one["edit"])
    for run in data["runs"]:
        for before, after in pairwise(sorted(run["tables"], key=int)):
            path, made = run["tables"][before], files[run["tables"][before]]
            for edit in edits.get((run["id"], after), ()):
                path, made = "table.tsv", edited_table(path, made, edit)
            if made != files[run["tables"][after]]:
                report.problems.append(f"{run['tables'][after]}: not the table before it with the accepted edits")


def _check_annotators(
    folder: Path, files: Mapping[str, bytes], data: Mapping[str, Any], entries: list[Entry], plan: Protocol,
    report: Report,
) -> None:  # fmt: skip
    """What annotators did is what their key was made from, and their agreement comes out again."""
    recorded = {entry.details["dataset"]: entry.details for entry in entries if entry.kind == "made" and entry.details}
    boards = {found["dataset"]: found for found in data["boards"]}
    for dataset in sorted(boards.keys() & (recorded.keys() | data["annotators"].keys())):
        paths, made = data["annotators"].get(dataset, []), recorded.get(dataset, {"layers": [], "key": ""})
        if [digest_of(files[path]) for path in paths] != [one["digest"] for one in made["layers"]]:
            report.problems.append(f"annotators/{dataset}: not the files that the ledger says its key was made from")
        first = next(key for key in data["keys"] if key["dataset"] == dataset)
        if made["key"] != first["digest"]:
            report.problems.append(f"{first['file']}: not the key that was made from the annotators' files")
        again = agreement_of(folder, plan, [Layer(Path(path).name, files[path]) for path in paths])
        if "agreement" in boards[dataset] and not _same(boards[dataset]["agreement"], again):
            report.problems.append(f"{dataset}: the agreement of its annotators is not what comes out again")
    if data["annotators"]:
        report.checked.append(
            f"the agreement of the annotators of {_several(len(data['annotators']), 'key')}, computed again"
        )


def _check_numbers(
    files: Mapping[str, bytes], data: Mapping[str, Any], plans: Mapping[int, Protocol], engine: Engine, report: Report
) -> None:
    """Every score and every board, computed again, each by the protocol of its time."""
    if data["aune"] != __version__:
        report.notes.append(f"scored by aune {data['aune']}, computed again by {__version__}: signatures may differ")
    numbers = 0
    for found in data["boards"]:
        runs = [one for one in data["runs"] if one["dataset"] == found["dataset"]]
        withheld = [run["label"] for run in runs if run["withheld"]]
        if withheld:
            report.notes.append(f"{found['dataset']}: runs withheld, not computed again: {', '.join(withheld)}")
        shown = [run for run in runs if not run["withheld"]]
        for key in (one for one in data["keys"] if one["dataset"] == found["dataset"] and shown):
            numbers += _check_board(
                files, data, plans, found, key, shown, complete=not withheld, engine=engine, report=report
            )
    report.checked.append(f"{numbers} numbers, computed again")


def _check_board(
    files: Mapping[str, bytes], data: Mapping[str, Any], plans: Mapping[int, Protocol], found: Mapping[str, Any],
    key: Mapping[str, Any], runs: list[Mapping[str, Any]], *, complete: bool, engine: Engine, report: Report,
) -> int:  # fmt: skip
    newest = key["version"] == found["version"]
    version = max(plans) if newest else key["protocol"]
    again = _done(files, version, plans, key, runs, "board", engine, derived=newest)["board"]
    numbers = 0
    for run in runs:
        said = run["scores"].get(str(key["version"]))
        for measure, values in (said or {}).items():
            for value, number in values.items():
                numbers += 1
                other = again["systems"][run["id"]][measure]["values"][value]["score"]
                if not _same(number, other):
                    where = f"{run['label']} on {found['dataset']}, version {key['version']}"
                    report.problems.append(f"{where}: {measure} {value} is {other}, not {number}")
    if newest and complete:
        names = {run["id"]: run["label"] for run in runs}
        expected = labelled(again, names)
        for part in ("systems", "ranking", "test", "warnings"):
            if not _same(found[part], expected[part], texts=data["aune"] == __version__):
                report.problems.append(f"{found['dataset']}: its {part} is not what comes out again")
            numbers += _count(found[part])
        for view, said in found.get("derived", {}).items():
            renamed = {names.get(name, name): value for name, value in again["derived"][view].items()}
            if not _same(said, renamed):
                report.problems.append(f"{found['dataset']}: the view {view!r} is not what comes out again")
            numbers += _count(said)
    return numbers


def _check_pages(
    files: Mapping[str, bytes], data: Mapping[str, Any], plans: Mapping[int, Protocol], report: Report
) -> None:
    """The report pages of runs, made again: by the same aune they are the same, byte by byte."""
    listed = data["pages"]
    if {path for path in files if path.startswith("pages/")} != set(listed.values()):
        report.problems.append("pages/: not the pages that the data lists")
    if not listed:
        return
    if data["aune"] != __version__:
        report.notes.append(f"{len(listed)} report pages were written by aune {data['aune']}, and not made again")
        return
    runs = {run["id"]: run for run in data["runs"]}
    for name, path in listed.items():
        run = runs[name]
        key = [one for one in data["keys"] if one["dataset"] == run["dataset"]][-1]
        made = _done(files, max(plans), plans, key, [run], "page", HERE)["page"]
        if made.encode() != files[path]:
            report.problems.append(f"{path}: not the page that comes out again")
    report.checked.append(f"{_several(len(listed), 'report page')}, made again")


def _done(
    files: Mapping[str, bytes], version: int, plans: Mapping[int, Protocol], key: Mapping[str, Any],
    runs: list[Mapping[str, Any]], kind: str, engine: Engine, **more: Any,
) -> Mapping[str, Any]:  # fmt: skip
    """What a process makes of the files of the archive, by a version of the protocol."""
    plan, home = plans[version], protocol_folder(version)
    dataset = plan.datasets[key["dataset"]]
    job = {
        "kind": kind, "dataset": dataset.name, "version": key["version"], **more,
        "key": f"key/{Path(dataset.key).name}", "key_format": dataset.format,
        "runs": [{"id": run["id"], "table": run["tables"].get(str(key["version"]), "")} for run in runs],
        "ranked": [run["id"] for run in runs if run["ranked"]],
        "limits": {"seconds": plan.limits.seconds, "memory": plan.limits.memory}, "engine": engine.options,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as room:
        _lay(room, {path: files[f"{home}/{path}"] for path in (FILE, *plan.files)})
        _lay(room, {path: files[path] for run in runs for path in scored_files(run, key["version"])})
        _lay(room, {job["key"]: files[key["file"]], "job.json": canonical(job)})
        try:
            return run_in(Path(room), plan.limits.seconds, engine)
        except FaultError as error:
            raise ValueError(str(error)) from None


def _same(one: Any, other: Any, *, texts: bool = True) -> bool:
    """Whether two pieces of data are the same, up to what floating point leaves open."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return set(one) == set(other) and all(_same(one[name], other[name], texts=texts) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_same(a, b, texts=texts) for a, b in zip(one, other, strict=True))
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return one == other or (not texts and isinstance(one, str) and isinstance(other, str))


def _several(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _count(data: Any) -> int:
    """How many numbers a piece of data holds."""
    if isinstance(data, Mapping):
        return sum(map(_count, data.values()))
    if isinstance(data, list | tuple):
        return sum(map(_count, data))
    return int(isinstance(data, int | float) and not isinstance(data, bool))


def _check_living(folder: Path, head: str, report: Report) -> None:
    """A campaign that still runs: its ledger, and every file that the ledger names."""
    try:
        entries = list(chained(iter((folder / "ledger.jsonl").read_bytes().splitlines(keepends=True))))
        folded(entries)
    except BrokenError as error:
        report.problems.append(str(error))
        return
    report.checked.append(f"the chain of {len(entries)} entries of the ledger")
    if head and head not in {entry.hash for entry in entries}:
        report.problems.append(f"ledger.jsonl: the head {head} is not in it")
    store = Store(folder / "store")
    named = {text for entry in entries for text in _digests(entry.details)}
    for digest in store.digests():
        try:
            store.get(digest)
        except DamagedError as error:
            report.problems.append(f"store: {error}")
    for digest in sorted(named - set(store.digests())):
        report.problems.append(f"store: {digest} is missing")
    report.checked.append(f"{len(store.digests())} files of the store against their digests")


STORED = ("upload", "table", "digest", "result", "text")


def _digests(details: Any) -> Iterator[str]:
    """The files of the store that the details of an entry name."""
    for name, value in (details or {}).items():
        if name == "files" and isinstance(value, Mapping):
            yield from value.values()
        elif name == "layers":
            yield from (layer["digest"] for layer in value)
        elif name in STORED and isinstance(value, str) and value and not (name == "digest" and "text" in details):
            yield value


def receipt_holds(folder: Path, position: int, head: str) -> bool:
    """Whether the ledger of a folder has a receipt's entry at its place."""
    try:
        entries = list(chained(iter((folder / LEDGER).read_bytes().splitlines(keepends=True))))
    except (OSError, AuneError):
        return False
    return 0 <= position < len(entries) and entries[position].hash == head
