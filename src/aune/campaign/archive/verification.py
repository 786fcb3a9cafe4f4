"""Verification of an archive: every digest, the ledger's chain, every commitment, every number.

Only the archive is needed, and no one has to be trusted: keys are checked against what was committed before the test,
each version of a key against the previous one and the accepted edits, scores and rank groups against keys and runs,
and pages against data. `head` is a head that was published or is on a receipt.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from aune import __version__
from aune.campaign.archive.archive_builder import (
    DATA,
    LEDGER,
    MANIFEST,
    json_bytes,
    manifest,
    protocol_folder,
    rendered_files,
)
from aune.campaign.archive.archive_ledger_check import contradictions, page_version, scored_files, unexpected_files
from aune.campaign.disputes.resolution import edit_table
from aune.campaign.keys.key_files import AnnotatorFile, measure_agreement
from aune.campaign.ledger.ledger_file import BrokenLedgerError, Entry, canonical_json, read_chain
from aune.campaign.ledger.state import fold_entries
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE, Protocol, parse_protocol
from aune.campaign.publication import static_pages
from aune.campaign.runs.jobs import LOCAL_ENGINE, Engine, FaultError, board_seconds, run_in_folder
from aune.campaign.runs.leaderboard import relabel_board
from aune.campaign.runs.submission_checks import response_reader_options
from aune.compression import check_ratio, leads_outside
from aune.corrections.key_revision import edit_key
from aune.errors import AuneError, InputError
from aune.files import sha256_hex
from aune.sandbox import NoSandboxError, choose_sandbox
from aune.store import DamagedError, Store

TOLERANCE = 1e-9  # machines may differ in floating-point sums


class VerificationReport(NamedTuple):
    """The result of a verification."""

    problems: list[str]
    checked: list[str]
    """Descriptions of the checks that were made."""
    notes: list[str]


def verify_folder(folder: Path, head: str = "", engine: Engine = LOCAL_ENGINE) -> VerificationReport:
    """Verify an archive (a folder, or the zip that a server sends), or the folder of a campaign that is still running;
    the report lists all problems.
    """
    report = VerificationReport([], [], [])
    if folder.is_file():
        with tempfile.TemporaryDirectory() as unpacked:
            if not _unpack_zip(folder, Path(unpacked), report):
                return report
            return verify_folder(Path(unpacked), head, engine)
    if not (folder / MANIFEST).exists() and (folder / "ledger.jsonl").exists():
        _check_running_campaign(folder, head, report)
        return report
    files = _manifest_files(folder, report)
    if files is None or report.problems:
        return report
    try:
        _check_contents(folder, files, head, engine, report)
    except Exception as error:  # whatever an invalid archive raises is reported as a problem
        report.problems.append(f"the archive is not one that aune wrote: {type(error).__name__}: {error}")
    return report


def _unpack_zip(path: Path, folder: Path, report: VerificationReport) -> bool:
    """Unpack a zipped archive; False after a problem, such as a name that leads outside the folder."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            for member in members:
                if leads_outside(member.filename):
                    report.problems.append(f"{path}: {member.filename!r} leads out of the archive")
                    return False
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    report.problems.append(f"{path}: {member.filename!r} is packed in another way than aune does")
                    return False
            check_ratio(path.stat().st_size, sum(member.file_size for member in members), str(path))
            archive.extractall(folder)
    except InputError as error:
        report.problems.append(str(error))
        return False
    except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError) as error:
        report.problems.append(f"{path}: {error}: expected the zip of an archive, or its folder")
        return False
    return True


def _manifest_files(folder: Path, report: VerificationReport) -> dict[str, bytes] | None:
    """Every file of the archive, checked against the manifest, which must list all of them."""
    try:
        listed = (folder / MANIFEST).read_bytes()
    except OSError as error:
        message = "expected the folder of an archive, or of a campaign"
        report.problems.append(f"{folder / MANIFEST}: {error.strerror}: {message}")
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
        elif known[name] != sha256_hex(files[name]):
            report.problems.append(f"{name}: changed")
    if not report.problems and manifest(files) != listed:
        report.problems.append(f"{MANIFEST}: changed")
    report.checked.append(f"{len(files)} files against their digests")
    return files


def _check_contents(
    folder: Path, files: Mapping[str, bytes], head: str, engine: Engine, report: VerificationReport
) -> None:
    data = json.loads(files[DATA])
    entries = list(read_chain(iter(files[LEDGER].splitlines(keepends=True))))
    report.checked.append(f"the chain of {len(entries)} entries of the ledger")
    if files[LEDGER] != b"".join(entry.line for entry in entries):
        report.problems.append(f"{LEDGER}: its last line is torn")
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
    report.problems.extend(unexpected_files(files, data, _protocol_files(plans), rendered_files))
    report.checked.append("pages, tables and scores against the data")
    if page_version(data) != static_pages.PAGE_VERSION:
        report.notes.append("pages were written by an older aune, and not compared: the data is")
    if files[DATA] != json_bytes(data):
        report.problems.append(f"{DATA}: not written as it should be")
    if data["participants"]:
        report.notes.append("the table of participants is as the organisers tell it: the ledger hides who they are")
    if report.problems:
        report.notes.append("no number was computed again from files that are not what the ledger says")
        return
    _check_numbers(files, data, plans, engine, report)
    _check_pages(files, data, plans, report)


def _check_protocols(
    files: Mapping[str, bytes], data: Mapping[str, Any], entries: list[Entry], report: VerificationReport
) -> dict[int, Protocol]:
    """Every version of the protocol, checked against the ledger; the newest is in force."""
    recorded = [entry.details for entry in entries if entry.kind == "protocol" and entry.details]
    plans = {}
    for frozen in recorded:
        home = protocol_folder(frozen["version"])
        for path, digest in ((PROTOCOL_FILE, frozen["text"]), *frozen["files"].items()):
            if sha256_hex(files.get(f"{home}/{path}", b"")) != digest:
                report.problems.append(f"{home}/{path}: not what the ledger froze")
        with tempfile.TemporaryDirectory() as folder:
            _write_files(folder, {path: files[f"{home}/{path}"] for path in (PROTOCOL_FILE, *frozen["files"])})
            plans[frozen["version"]] = parse_protocol(
                files[f"{home}/{PROTOCOL_FILE}"].decode(), Path(folder), complete=False
            )
        if plans[frozen["version"]].digest != frozen["digest"]:
            report.problems.append(f"{home}/{PROTOCOL_FILE}: not the protocol that the ledger froze")
    newest = plans[max(plans)]
    home = protocol_folder(max(plans))
    for path in (PROTOCOL_FILE, *newest.files):
        if files.get(path) != files[f"{home}/{path}"]:
            report.problems.append(f"{path}: not the protocol that the ledger froze")
    report.checked.append(f"{_count_text(len(recorded), 'version')} of the protocol")
    return plans


def _protocol_files(plans: Mapping[int, Protocol]) -> set[str]:
    """The paths in an archive that belong to a protocol."""
    paths = {
        f"{protocol_folder(version)}/{path}" for version, plan in plans.items() for path in (PROTOCOL_FILE, *plan.files)
    }
    return paths | {PROTOCOL_FILE, *plans[max(plans)].files}


def _write_files(folder: str, files: Mapping[str, bytes]) -> None:
    """Write files into an empty folder."""
    for path, content in files.items():
        target = Path(folder, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _check_keys(
    files: Mapping[str, bytes],
    data: Mapping[str, Any],
    entries: list[Entry],
    plan: Protocol,
    report: VerificationReport,
) -> None:
    commitments = {
        (entry.details["dataset"], entry.details["version"]): entry
        for entry in entries
        if entry.kind == "commitment" and entry.details
    }
    began = {entry.details["phase"]: entry for entry in entries if entry.kind == "phase" and entry.details}
    for key in data["keys"]:
        name = f"{key['dataset']}, version {key['version']}"
        commitment = key["commitment"]
        if key["file"]:
            commitment = hashlib.sha256(bytes.fromhex(key["salt"]) + files[key["file"]]).hexdigest()
        entry = commitments.get((key["dataset"], key["version"]))
        if entry is None or entry.details is None or entry.details["commitment"] != commitment:
            report.problems.append(f"the key of {name} is not the one that was committed")
        elif key["version"] == 1 and entry.position > began[plan.datasets[key["dataset"]].phase].position:
            report.problems.append(f"the key of {name} was committed after its phase began")
        if key["version"] > 1 and key["file"]:
            before = next(
                candidate
                for candidate in data["keys"]
                if (candidate["dataset"], candidate["version"]) == (key["dataset"], key["version"] - 1)
            )
            _check_edit(files, before, key, plan, report)
    report.checked.append(f"{_count_text(len(data['keys']), 'key')} against their commitments and edits")


def _check_edit(
    files: Mapping[str, bytes],
    before: Mapping[str, Any],
    key: Mapping[str, Any],
    plan: Protocol,
    report: VerificationReport,
) -> None:
    """Check that a version of a key is the previous one with the accepted edits, or unchanged without edits."""
    dataset, expected, part = plan.datasets[key["dataset"]], files[before["file"]], plan.for_dataset(key["dataset"])
    edits = [(edit["document"], edit["edit"]) for edit in key["edits"] if "document" in edit]
    if edits:
        expected = edit_key(
            part.task, Path(dataset.key).name, expected, dataset.format, response_reader_options(part), edits
        ).data
    if expected != files[key["file"]]:
        report.problems.append(f"{key['file']}: not the version before it with the accepted edits")


def _check_tables(files: Mapping[str, bytes], data: Mapping[str, Any], report: VerificationReport) -> None:
    """Check that each table of a run is the previous one with the accepted edits."""
    edits: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for key in data["keys"]:
        for key_edit in key["edits"]:
            if key_edit.get("run"):
                edits.setdefault((key_edit["run"], str(key["version"])), []).append(key_edit["edit"])
    for run in data["runs"]:
        for before, after in pairwise(sorted(run["tables"], key=int)):
            path, expected = run["tables"][before], files[run["tables"][before]]
            for edit in edits.get((run["id"], after), ()):
                path, expected = "table.tsv", edit_table(path, expected, edit)
            if expected != files[run["tables"][after]]:
                report.problems.append(f"{run['tables'][after]}: not the table before it with the accepted edits")


def _check_annotators(
    folder: Path, files: Mapping[str, bytes], data: Mapping[str, Any], entries: list[Entry], plan: Protocol,
    report: VerificationReport,
) -> None:  # fmt: skip
    """Check the annotators' files against the ledger, and compute their agreement again."""
    recorded = {entry.details["dataset"]: entry.details for entry in entries if entry.kind == "made" and entry.details}
    boards = {board["dataset"]: board for board in data["boards"]}
    hidden = set(data.get("unpublished", ()))
    for dataset in sorted((boards.keys() & (recorded.keys() | data["annotators"].keys())) - hidden):
        paths, record = data["annotators"].get(dataset, []), recorded.get(dataset, {"layers": [], "key": ""})
        if [sha256_hex(files[path]) for path in paths] != [layer["digest"] for layer in record["layers"]]:
            report.problems.append(f"annotators/{dataset}: not the files that the ledger says its key was made from")
        first = next(key for key in data["keys"] if key["dataset"] == dataset)
        if record["key"] != first["digest"]:
            report.problems.append(f"{first['file']}: not the key that was made from the annotators' files")
        recomputed = measure_agreement(
            folder, plan.for_dataset(dataset), [AnnotatorFile(Path(path).name, files[path]) for path in paths]
        )
        published = boards[dataset].get("agreement", {})
        if "options" not in published:  # archives of older versions do not contain them
            recomputed.pop("options", None)
        if "agreement" in published:  # nor the coefficients that were added since
            recomputed["agreement"] = {
                name: values
                for name, values in recomputed.get("agreement", {}).items()
                if name in published["agreement"]
            }
        if "agreement" in boards[dataset] and not _is_same(published, recomputed):
            report.problems.append(f"{dataset}: the agreement of its annotators is not what comes out again")
    if data["annotators"]:
        report.checked.append(
            f"the agreement of the annotators of {_count_text(len(data['annotators']), 'key')}, computed again"
        )


def _check_numbers(
    files: Mapping[str, bytes],
    data: Mapping[str, Any],
    plans: Mapping[int, Protocol],
    engine: Engine,
    report: VerificationReport,
) -> None:
    """Compute every score and every board again, each with the protocol of its time."""
    if data["aune"] != __version__:
        report.notes.append(f"scored by aune {data['aune']}, computed again by {__version__}: signatures may differ")
    numbers = 0
    for board in data["boards"]:
        if reason := _why_not_again(plans, board["dataset"]):
            report.notes.append(f"{board['dataset']}: its numbers were not computed again: {reason}")
            continue
        report.notes.extend(_scorer_notes(plans, board["dataset"]))
        runs = [candidate for candidate in data["runs"] if candidate["dataset"] == board["dataset"]]
        withheld = [run["label"] for run in runs if run["withheld"]]
        if board["dataset"] in data.get("unpublished", ()):
            report.notes.append(
                f"{board['dataset']}: key, texts and runs are not published; its numbers are those that the ledger "
                "recorded, and were not computed again"
            )
        elif withheld:
            report.notes.append(f"{board['dataset']}: runs withheld, not computed again: {', '.join(withheld)}")
        shown = [run for run in runs if not run["withheld"]]
        for key in (
            candidate
            for candidate in data["keys"]
            if candidate["dataset"] == board["dataset"] and candidate["file"] and shown
        ):
            numbers += _check_board(
                files, data, plans, board, key, shown, complete=not withheld, engine=engine, report=report
            )
    report.checked.append(f"{numbers} numbers, computed again")


def _scorer_notes(plans: Mapping[int, Protocol], dataset: str) -> Iterator[str]:
    """What the reader has to trust where the organisers' scorer computes the numbers."""
    scorers = [plan.for_dataset(dataset).scoring.scorer for plan in plans.values() if dataset in plan.datasets]
    for file in dict.fromkeys(scorer.file for scorer in scorers if scorer):
        yield (
            f"{dataset}: its numbers come from the scorer of the organisers, {file}, which could change those of "
            "aune's measures beside it: read it"
        )


def _why_not_again(plans: Mapping[int, Protocol], dataset: str) -> str:
    """The reason why the numbers of a dataset cannot be recomputed here; '' if they can.

    The scorer in an archive is the code of a stranger, which needs a sandbox that hides this machine's files.
    """
    if any(dataset in plan.datasets and plan.for_dataset(dataset).scoring.scorer for plan in plans.values()):
        try:
            choose_sandbox(for_strangers=True)
        except NoSandboxError as error:
            return str(error)
    return ""


def _check_board(
    files: Mapping[str, bytes],
    data: Mapping[str, Any],
    plans: Mapping[int, Protocol],
    board: Mapping[str, Any],
    key: Mapping[str, Any],
    runs: list[Mapping[str, Any]],
    *,
    complete: bool,
    engine: Engine,
    report: VerificationReport,
) -> int:
    newest = key["version"] == board["version"]
    version = max(plans) if newest else key["protocol"]
    test_draws = (
        board["test"].get("test_draws") or plans[version].for_dataset(key["dataset"]).scoring.draws
    )  # the number with which the board was made
    recomputed = _run_archive_job(
        files,
        version,
        plans,
        key,
        runs,
        "board",
        engine,
        derived=newest,
        test_draws=test_draws,
        few_units=None if "intervals" in board["test"] else board["test"].get("few_units", 0),  # as for the board
        large=board["test"].get("large", False),  # as for the board
    )["board"]
    numbers = 0
    for run in runs:
        recorded = run["scores"].get(str(key["version"]))
        for measure, values in (recorded or {}).items():
            for value, number in values.items():
                numbers += 1
                other = recomputed["systems"][run["id"]][measure]["values"][value]["score"]
                if not _is_same(number, other):
                    where = f"{run['label']} on {board['dataset']}, version {key['version']}"
                    report.problems.append(f"{where}: {measure} {value} is {other}, not {number}")
    if newest and complete:
        names = {run["id"]: run["label"] for run in runs}
        expected = relabel_board(recomputed, names)
        for part in ("systems", "ranking", "test", "warnings"):
            if not _is_same(board[part], expected[part], texts=data["aune"] == __version__):
                report.problems.append(f"{board['dataset']}: its {part} is not what comes out again")
            numbers += _count_numbers(board[part])
        for view, recorded in board.get("derived", {}).items():
            renamed = {names.get(name, name): value for name, value in recomputed["derived"][view].items()}
            if not _is_same(recorded, renamed):
                report.problems.append(f"{board['dataset']}: the view {view!r} is not what comes out again")
            numbers += _count_numbers(recorded)
    return numbers


def _check_pages(
    files: Mapping[str, bytes], data: Mapping[str, Any], plans: Mapping[int, Protocol], report: VerificationReport
) -> None:
    """Make the report pages of runs again: the same version of aune gives the same bytes."""
    listed = data["pages"]
    if {path for path in files if path.startswith("pages/")} != set(listed.values()):
        report.problems.append("pages/: not the pages that the data lists")
    if not listed:
        return
    if data["aune"] != __version__:
        report.notes.append(f"{len(listed)} report pages were written by aune {data['aune']}, and not made again")
        return
    if page_version(data) != static_pages.PAGE_VERSION:
        return
    runs = {run["id"]: run for run in data["runs"]}
    for name, path in listed.items():
        run = runs[name]
        if _why_not_again(plans, run["dataset"]):
            continue
        key = [candidate for candidate in data["keys"] if candidate["dataset"] == run["dataset"]][-1]
        page = _run_archive_job(files, max(plans), plans, key, [run], "page", LOCAL_ENGINE)["page"]
        if page.encode() != files[path]:
            report.problems.append(f"{path}: not the page that comes out again")
    report.checked.append(f"{_count_text(len(listed), 'report page')}, made again")


def _run_archive_job(
    files: Mapping[str, bytes], version: int, plans: Mapping[int, Protocol], key: Mapping[str, Any],
    runs: list[Mapping[str, Any]], kind: str, engine: Engine, **more: Any,
) -> Mapping[str, Any]:  # fmt: skip
    """The result of a job on the files of the archive, with a version of the protocol."""
    plan, home = plans[version], protocol_folder(version)
    dataset = plan.datasets[key["dataset"]]
    scorer = plan.for_dataset(dataset.name).scoring.scorer
    sandbox = choose_sandbox(for_strangers=True) if scorer else None
    seconds = board_seconds(plan.limits.seconds, len(runs), scorer) if kind == "board" else plan.limits.seconds
    job = {
        "kind": kind, "dataset": dataset.name, "version": key["version"], **more,
        "key": f"key/{Path(dataset.key).name}", "key_format": dataset.format,
        "runs": [{"id": run["id"], "table": run["tables"].get(str(key["version"]), "")} for run in runs],
        "ranked": [run["id"] for run in runs if run["ranked"]],
        "limits": {"seconds": seconds, "memory": plan.limits.memory}, "engine": {} if sandbox else engine.options,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        _write_files(folder, {path: files[f"{home}/{path}"] for path in (PROTOCOL_FILE, *plan.files)})
        _write_files(folder, {path: files[path] for run in runs for path in scored_files(run, key["version"])})
        _write_files(folder, {job["key"]: files[key["file"]], "job.json": canonical_json(job)})
        try:
            return run_in_folder(Path(folder), seconds, engine, sandbox)
        except FaultError as error:
            raise ValueError(str(error)) from None


def _is_same(first: Any, second: Any, *, texts: bool = True) -> bool:
    """Whether two pieces of data are equal, up to the tolerance for floating-point numbers."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return set(first) == set(second) and all(_is_same(first[name], second[name], texts=texts) for name in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(
            _is_same(a, b, texts=texts) for a, b in zip(first, second, strict=True)
        )
    if isinstance(first, float) or isinstance(second, float):
        return (
            first is not None
            and second is not None
            and math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        )
    return first == second or (not texts and isinstance(first, str) and isinstance(second, str))


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _count_numbers(data: Any) -> int:
    """How many numbers a piece of data contains."""
    if isinstance(data, Mapping):
        return sum(map(_count_numbers, data.values()))
    if isinstance(data, list | tuple):
        return sum(map(_count_numbers, data))
    return int(isinstance(data, int | float) and not isinstance(data, bool))


def _check_running_campaign(folder: Path, head: str, report: VerificationReport) -> None:
    """Check a running campaign: its ledger, and every file that the ledger names."""
    try:
        entries = list(read_chain(iter((folder / "ledger.jsonl").read_bytes().splitlines(keepends=True))))
        fold_entries(entries)
    except BrokenLedgerError as error:
        report.problems.append(str(error))
        return
    report.checked.append(f"the chain of {len(entries)} entries of the ledger")
    if head and head not in {entry.hash for entry in entries}:
        report.problems.append(f"ledger.jsonl: the head {head} is not in it")
    store = Store(folder / "store")
    named = {digest for entry in entries for digest in _digests(entry)}
    for digest in store.digests():
        try:
            store.get(digest)
        except DamagedError as error:
            report.problems.append(f"store: {error}")
    for digest in sorted(named - set(store.digests())):
        report.problems.append(f"store: {digest} is missing")
    report.checked.append(f"{len(store.digests())} files of the store against their digests")


DIGEST_FIELDS = ("upload", "table", "digest", "result", "text")


def _digests(entry: Entry) -> Iterator[str]:
    """The digests of the store's files that an entry names."""
    details = entry.details or {}
    if entry.kind == "message":  # its `text` is the message itself, not a digest
        return
    for name, value in details.items():
        if name == "files" and isinstance(value, Mapping):
            yield from value.values()
        elif name == "layers":
            yield from (layer["digest"] for layer in value)
        elif (
            name in DIGEST_FIELDS and isinstance(value, str) and value and not (name == "digest" and "text" in details)
        ):
            yield value


def receipt_holds(folder: Path, position: int, head: str) -> bool:
    """Whether the ledger of a folder has the entry of a receipt at its position."""
    try:
        entries = list(read_chain(iter((folder / LEDGER).read_bytes().splitlines(keepends=True))))
    except (OSError, AuneError):
        return False
    return 0 <= position < len(entries) and entries[position].hash == head
