"""Check an archive against its ledger: runs, boards, pages, texts, changes and heads, by their digests.

A number can be recomputed, but that does not reveal a change of both a number and the file from which it comes.
Entries that were made while the campaign ran, and whose hashes are on the receipts of teams, prove the original.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from aune.campaign.disputes.resolution import KeyChange, change_rows
from aune.campaign.ledger.ledger_file import Entry, canonical_json
from aune.campaign.ledger.state import DISCLOSED, SCORED, Attachment
from aune.campaign.protocol.protocol_file import Protocol
from aune.campaign.publication import static_pages
from aune.campaign.publication.visible_results import board_from_results, document_and_edit
from aune.campaign.runs.jobs import content_digest
from aune.campaign.runs.run_metadata import description_digest
from aune.files import sha256_hex

Files = Mapping[str, bytes]
Data = Mapping[str, Any]


def contradictions(files: Files, data: Data, entries: Sequence[Entry], plan: Protocol) -> Iterator[str]:
    """All contradictions between an archive and its ledger."""
    if any(entry.details is None and entry.kind in DISCLOSED and entry.kind != "ended" for entry in entries):
        yield "ledger.jsonl: an entry is hidden that names nobody"
    ledger = _entries_by_kind(entries)
    for check in (
        _check_campaign,
        _check_heads,
        _check_texts,
        _check_public_files,
        _check_doi,
        _check_runs,
        _check_boards,
        _check_differences,
        _check_changes,
        _check_pages,
    ):
        yield from check(files, data, ledger, plan)


LedgerEntries = Mapping[str, list[tuple[Entry, Mapping[str, Any]]]]
"""The entries with disclosed details, by kind."""


def _entries_by_kind(entries: Sequence[Entry]) -> LedgerEntries:
    by_kind: dict[str, list[tuple[Entry, Mapping[str, Any]]]] = {kind: [] for kind in DISCLOSED}
    for entry in entries:
        if entry.details is not None and entry.kind in by_kind:
            by_kind[entry.kind].append((entry, entry.details))
    return by_kind


def _check_campaign(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    expected = {"name": plan.name, "title": plan.title, "task": plan.task, "protocol": plan.digest}
    if data["campaign"] != expected:
        yield "archive.json: its campaign is not that of campaign.toml"


def _check_heads(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    heads = [{"phase": details["phase"], "time": entry.time, "head": entry.hash} for entry, details in ledger["phase"]]
    if data["heads"] != heads:
        yield "archive.json: its heads are not those of the ledger"
    commitments = [{**{name: details[name] for name in ("dataset", "version", "commitment")}, "time": entry.time}
             for entry, details in ledger["key"]]  # fmt: skip
    if sorted(map(canonical_json, data["commitments"])) != sorted(map(canonical_json, commitments)):
        yield "archive.json: its commitments are not those of the ledger"
    keys = [[details[name] for name in KEY_FIELDS] for _, details in ledger["key"]]
    for key in data["keys"]:
        if [key[name] for name in KEY_FIELDS] not in keys:
            yield f"{key['file']}: not a key of the ledger"


KEY_FIELDS = ("dataset", "version", "digest", "salt", "commitment", "protocol")


def _check_texts(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    for name, about in data["texts"].items():
        [recorded] = [details for _, details in ledger["texts"] if details["dataset"] == name]
        is_same = {"dataset": name, **about} == recorded
        if not is_same or sha256_hex(files[f"texts/{name}/{about['name']}"]) != recorded["digest"]:
            yield f"texts/{name}: not the texts that were handed out"


def _check_doi(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    """The DOI must be the last recorded one, and the unpublished data those that the protocol says."""
    recorded = [details["doi"] for _, details in ledger["doi"]][-1:]
    if data.get("doi", "") != (recorded[0] if recorded else ""):
        yield "archive.json: its DOI is not the one that the ledger recorded last"
    named = {key["dataset"] for key in data["keys"]}
    hidden = {name for name in named if not plan.is_key_published(name)}
    if set(data.get("unpublished", ())) != hidden or hidden & data["texts"].keys():
        yield "archive.json: other data are unpublished than the protocol says"
    if any(bool(key["file"]) == (key["dataset"] in hidden) for key in data["keys"]):
        yield "archive.json: a key is missing that is published, or there that is not"


def _check_public_files(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    """The description must be the last one, and the other files must have been offered."""
    recorded = [details["digest"] for _, details in ledger["about"]][-1:]
    shown = [sha256_hex(files["description.md"])] if data.get("about") else []
    if not shown == recorded == ([data["about"]] if shown else []):
        yield "description.md: not the description that the ledger recorded last"
    offered = [{name: details[name] for name in Attachment._fields} for _, details in ledger["attached"]]
    for file in data.get("files", ()):
        if file not in offered or sha256_hex(files[f"files/{file['name']}/{file['file']}"]) != file["digest"]:
            yield f"files/{file['name']}: not a file that the ledger says was offered"


def _check_runs(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    """Runs must have been scored, with the same files and the table of each version."""
    scored: dict[str, dict[str, str]] = {}
    for _, details in ledger["ended"]:
        if details["state"] == SCORED:
            scored.setdefault(details["submission"], {})[str(details["version"])] = details["content"]
    descriptions = {details["submission"]: details["digest"] for _, details in ledger["described"]}
    outcomes = {record["submission"]: record["kind"] for record in _verdicts(ledger)}
    for run in data["runs"]:
        known = scored.get(run["id"], {})
        if not known or run["withheld"] != (not run["files"]) or not run["tables"].keys() <= known.keys():
            yield f"runs/{run['id']}: not a run that the ledger says was scored"
            continue
        if "metadata" in run and descriptions.get(run["id"]) != description_digest(
            {"salt": run["salt"], "metadata": run["metadata"]}
        ):
            yield f"runs/{run['id']}: not what the ledger says that its team said of it"
        if outcomes.get(run["id"], "reinstated") != "reinstated":
            yield f"runs/{run['id']}: a run that was {outcomes[run['id']]}"
        for version, digest in known.items() if run["files"] else ():
            if content_digest({path: files[path] for path in scored_files(run, version)}) != digest:
                yield f"runs/{run['id']}: not the files that were scored by version {version} of the key"


def _verdicts(ledger: LedgerEntries) -> list[dict[str, Any]]:
    """The entries about withdrawn, disqualified or reinstated runs, in order."""
    kinds = ("retracted", "disqualified", "reinstated")
    entries = sorted((entry.position, entry, details) for kind in kinds for entry, details in ledger[kind])
    return [{"kind": entry.kind, **details, "time": entry.time} for _, entry, details in entries]


def scored_files(run: Mapping[str, Any], version: object) -> list[str]:
    """The files of a run that a version of the key scored: the run, and its table."""
    table = run["tables"].get(str(version))
    return [*run["files"], *([table] if table else [])]


def _check_boards(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    """Boards must contain all runs that counted, and have been made by the archive's version of aune."""
    agreements = {details["dataset"]: details["digest"] for _, details in ledger["agreement"]}
    for board in data["boards"]:
        name, version = board["dataset"], board["version"]
        agreement = board.get("agreement")
        if agreement and agreements.get(name) != sha256_hex(canonical_json(agreement)):
            yield f"{name}: the agreement of its annotators is not the one that the ledger recorded"
        runs = {run["label"]: run["id"] for run in data["runs"] if run["dataset"] == name}
        recorded = [
            details for _, details in ledger["board"] if (details["dataset"], details["version"]) == (name, version)
        ]
        if version != max((key["version"] for key in data["keys"] if key["dataset"] == name), default=0):
            yield f"{name}: its board is not of the newest key"
        if not recorded:
            if runs or board["systems"]:
                yield f"{name}: the ledger knows no such board"
            continue
        standing = set(recorded[-1]["runs"][:-1])
        listed = sorted(system for systems in board["blocks"].values() for system in systems)
        if standing != set(runs.values()) or listed != sorted(runs):
            yield f"{name}: its runs are not those of the ledger's board"
        elif sha256_hex(canonical_json(board_from_results(board, runs))) != recorded[-1]["digest"]:
            yield f"{name}: its board is not the one that the ledger recorded"
        if recorded[-1]["aune"] != data["aune"]:
            yield f"archive.json: its board was made by aune {recorded[-1]['aune']}, not {data['aune']}"
        competing = sorted(run["label"] for run in data["runs"] if run["dataset"] == name and run["ranked"])
        if sorted(board["blocks"]["participants"]) != competing:
            yield f"{name}: its participants are not the runs that are ranked"
        ranked = sorted(run["id"] for run in data["runs"] if run["dataset"] == name and run["ranked"])
        if recorded[-1].get("ranked", ranked) != ranked:
            yield f"{name}: its ranked runs are not those of the ledger's board"


def _check_differences(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    """Scores by version of the key must agree between runs, boards and ledger."""
    for name, changed in data["differences"].items():
        scoring = plan.for_dataset(name).scoring
        ranking, value = scoring.ranking, scoring.value
        expected = [
            {"run": run["label"], "values": {version: scores.get(ranking, {}).get(value)
                                             for version, scores in run["scores"].items()}}
            for run in data["runs"] if run["dataset"] == name
        ]  # fmt: skip
        if changed != expected:
            yield f"{name}: before and after are not the scores of its runs"
    boards = {board["dataset"]: board for board in data["boards"]}
    for run in data["runs"]:
        board = boards[run["dataset"]]
        newest = {
            measure: {name: number["score"] for name, number in scores["values"].items()}
            for measure, scores in board["systems"][run["label"]].items()
        }
        if run["scores"].get(str(board["version"])) != newest:
            yield f"{run['label']} on {run['dataset']}: its scores are not those of the board"
        ended = {
            str(details["version"]): details.get("scores")
            for _, details in ledger["ended"]
            if details["submission"] == run["id"]
        }
        if set(run["scores"]) != set(ended):
            yield f"{run['label']} on {run['dataset']}: scored by other versions of the key than the ledger says"
        for version, scores in run["scores"].items():
            if scores and ended.get(version) != sha256_hex(canonical_json(scores)):
                yield f"{run['label']} on {run['dataset']}: not the scores that the ledger says, version {version}"


def _check_changes(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    """The changelog must agree with the ledger."""
    decisions = {details["dispute"]: details for _, details in ledger["decision"]}
    edits = {(key["dataset"], key["version"]): key["edits"] for key in data["keys"]}
    names = {run["id"]: run["label"] for run in data["runs"]}
    keys = [
        KeyChange(entry.time, details["dataset"], details["version"], *document_and_edit(edit, names),
                  decisions[name]["reason"], decisions[name]["author"])
        for entry, details in ledger["key"]
        for name, edit in zip(
            details["disputes"],
            edits.get((details["dataset"], details["version"]), [UNKNOWN_EDIT] * len(details["disputes"])),
            strict=True,
        )
    ]  # fmt: skip
    expected = change_rows(
        plan,
        [{**details, "time": entry.time} for entry, details in ledger["protocol"]],
        [{**details, "time": entry.time} for entry, details in ledger["phase"]],
        keys,
        _verdicts(ledger),
    )
    shown = data["changelog"]
    if len(shown) != len(expected) or not all(map(_is_same_change, shown, expected)):
        yield "archive.json: its changes are not those of the ledger"


UNKNOWN_EDIT: Mapping[str, Any] = {"document": "", "edit": None}
"""Used for edits of keys that the archive does not contain."""


def _is_same_change(row: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    text, known = str(row["what"]), str(expected["what"])
    is_same = text.startswith(known) if known.endswith(": ") else text == known
    return is_same and {**row, "what": ""} == {**expected, "what": ""}


def _check_pages(files: Files, data: Data, ledger: LedgerEntries, plan: Protocol) -> Iterator[str]:
    """Report pages must be among those that the ledger recorded."""
    recorded = {details["digest"] for _, details in ledger["page"]}
    for path in data["pages"].values():
        if sha256_hex(files[path]) not in recorded:
            yield f"{path}: not a page that the ledger says was made"


def page_version(data: Data) -> Any:
    """The version of an archive's pages; archives that record none have version 1."""
    return data.get("page_version", 1)


def unexpected_files(
    files: Files, data: Data, protocols: Collection[str], render: Callable[[Data], Mapping[str, bytes]]
) -> Iterator[str]:
    """Files that do not belong into an archive, or that do not show its data; `protocols` are the protocols' files.

    Pages of an older version have different bytes, so only their data are compared.
    """
    version = page_version(data)
    if not isinstance(version, int) or version > static_pages.PAGE_VERSION:
        yield f"archive.json: its pages have the version {version!r}, which this aune does not know"
    expected = render(data)
    for name, content in expected.items():
        is_older_page = name.endswith(".html") and version != static_pages.PAGE_VERSION
        if name not in files or (files[name] != content and not is_older_page):
            yield f"{name}: not what the data says"
    known = {*expected, "archive.json", "ledger.jsonl", *protocols, *data["pages"].values()}
    known |= {key["file"] for key in data["keys"] if key["file"]} | {
        path for paths in data["annotators"].values() for path in paths
    }
    known |= {path for run in data["runs"] for path in (*run["files"], *run["tables"].values())}
    known |= {f"texts/{name}/{about['name']}" for name, about in data["texts"].items()}
    known |= {f"files/{file['name']}/{file['file']}" for file in data.get("files", ())}
    known |= {"description.md"} if data.get("about") else set()
    yield from (f"{name}: no file of an archive" for name in sorted(set(files) - known))
