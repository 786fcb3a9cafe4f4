"""What the ledger vouches for in an archive: its runs, boards, pages, texts, changes and heads, by their digests.

A number can be computed again; who changed a number and the file that it comes from would not be found out that way.
Entries that were made while the campaign ran, and whose hashes are on the receipts of teams, say what was there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from aune.campaign.disputes import KeyChange, change_rows
from aune.campaign.jobs import content
from aune.campaign.ledger import Entry, canonical
from aune.campaign.protocol import Protocol
from aune.campaign.publication import board_of, place_and_edit
from aune.campaign.records import DISCLOSED, SCORED
from aune.core.files import digest_of

Files = Mapping[str, bytes]
Data = Mapping[str, Any]


def contradictions(files: Files, data: Data, entries: Sequence[Entry], plan: Protocol) -> Iterator[str]:
    """Everything in an archive that is not what the ledger says."""
    if any(entry.details is None and entry.kind in DISCLOSED and entry.kind != "ended" for entry in entries):
        yield "ledger.jsonl: an entry is hidden that names nobody"
    said = _said(entries)
    for check in (_campaign, _heads, _texts, _runs, _boards, _differences, _changes, _pages):
        yield from check(files, data, said, plan)


Said = Mapping[str, list[tuple[Entry, Mapping[str, Any]]]]
"""The entries whose details are shown, by kind."""


def _said(entries: Sequence[Entry]) -> Said:
    found: dict[str, list[tuple[Entry, Mapping[str, Any]]]] = {kind: [] for kind in DISCLOSED}
    for entry in entries:
        if entry.details is not None and entry.kind in found:
            found[entry.kind].append((entry, entry.details))
    return found


def _campaign(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    expected = {"name": plan.name, "title": plan.title, "task": plan.task, "protocol": plan.digest}
    if data["campaign"] != expected:
        yield "archive.json: its campaign is not that of campaign.toml"


def _heads(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    heads = [{"phase": one["phase"], "time": entry.time, "head": entry.hash} for entry, one in said["phase"]]
    if data["heads"] != heads:
        yield "archive.json: its heads are not those of the ledger"
    fixed = [{**{name: one[name] for name in ("dataset", "version", "commitment")}, "time": entry.time}
             for entry, one in said["key"]]  # fmt: skip
    if sorted(map(canonical, data["commitments"])) != sorted(map(canonical, fixed)):
        yield "archive.json: its commitments are not those of the ledger"
    keys = [[one[name] for name in OF_A_KEY] for _, one in said["key"]]
    for key in data["keys"]:
        if [key[name] for name in OF_A_KEY] not in keys:
            yield f"{key['file']}: not a key of the ledger"


OF_A_KEY = ("dataset", "version", "digest", "salt", "commitment", "protocol")


def _texts(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    for name, about in data["texts"].items():
        [recorded] = [one for _, one in said["texts"] if one["dataset"] == name]
        is_same = {"dataset": name, **about} == recorded
        if not is_same or digest_of(files[f"texts/{name}/{about['name']}"]) != recorded["digest"]:
            yield f"texts/{name}: not the texts that were handed out"


def _runs(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    """Runs are those that were scored, as they were then, with the table of each version."""
    scored: dict[str, dict[str, str]] = {}
    for _, one in said["ended"]:
        if one["state"] == SCORED:
            scored.setdefault(one["submission"], {})[str(one["version"])] = one["content"]
    for run in data["runs"]:
        known = scored.get(run["id"], {})
        if not known or run["withheld"] != (not run["files"]) or not run["tables"].keys() <= known.keys():
            yield f"runs/{run['id']}: not a run that the ledger says was scored"
            continue
        for version, digest in known.items() if run["files"] else ():
            if content({path: files[path] for path in scored_files(run, version)}) != digest:
                yield f"runs/{run['id']}: not the files that were scored by version {version} of the key"


def scored_files(run: Mapping[str, Any], version: object) -> list[str]:
    """The files of a run as a version of the key scored it: the run, and its table."""
    table = run["tables"].get(str(version))
    return [*run["files"], *([table] if table else [])]


def _boards(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    """Boards are those that were made of all runs that stood, and by this aune."""
    agreements = {one["dataset"]: one["digest"] for _, one in said["agreement"]}
    for found in data["boards"]:
        name, version = found["dataset"], found["version"]
        agreement = found.get("agreement")
        if agreement and agreements.get(name) != digest_of(canonical(agreement)):
            yield f"{name}: the agreement of its annotators is not the one that the ledger recorded"
        runs = {run["label"]: run["id"] for run in data["runs"] if run["dataset"] == name}
        made = [one for _, one in said["board"] if (one["dataset"], one["version"]) == (name, version)]
        if version != max((key["version"] for key in data["keys"] if key["dataset"] == name), default=0):
            yield f"{name}: its board is not of the newest key"
        if not made:
            if runs or found["systems"]:
                yield f"{name}: the ledger knows no such board"
            continue
        stood = set(made[-1]["runs"][:-1])
        listed = sorted(system for systems in found["blocks"].values() for system in systems)
        if stood != set(runs.values()) or listed != sorted(runs):
            yield f"{name}: its runs are not those of the ledger's board"
        elif digest_of(canonical(board_of(found, runs))) != made[-1]["digest"]:
            yield f"{name}: its board is not the one that the ledger recorded"
        if made[-1]["aune"] != data["aune"]:
            yield f"archive.json: its board was made by aune {made[-1]['aune']}, not {data['aune']}"
        competing = sorted(run["label"] for run in data["runs"] if run["dataset"] == name and run["ranked"])
        if sorted(found["blocks"]["participants"]) != competing:
            yield f"{name}: its participants are not the runs that are ranked"


def _differences(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    """Scores by each version of the key are those of the runs."""
    ranking, value = plan.scoring.ranking, plan.scoring.value
    for name, changed in data["differences"].items():
        expected = [
            {"run": run["label"], "values": {version: scores.get(ranking, {}).get(value)
                                             for version, scores in run["scores"].items()}}
            for run in data["runs"] if run["dataset"] == name
        ]  # fmt: skip
        if changed != expected:
            yield f"{name}: before and after are not the scores of its runs"
    boards = {found["dataset"]: found for found in data["boards"]}
    for run in data["runs"]:
        found = boards[run["dataset"]]
        newest = {
            measure: {name: number["score"] for name, number in scores["values"].items()}
            for measure, scores in found["systems"][run["label"]].items()
        }
        if run["scores"].get(str(found["version"])) != newest:
            yield f"{run['label']} on {run['dataset']}: its scores are not those of the board"
        ended = {str(one["version"]): one.get("scores") for _, one in said["ended"] if one["submission"] == run["id"]}
        if set(run["scores"]) != set(ended):
            yield f"{run['label']} on {run['dataset']}: scored by other versions of the key than the ledger says"
        for version, scores in run["scores"].items():
            if scores and ended.get(version) != digest_of(canonical(scores)):
                yield f"{run['label']} on {run['dataset']}: not the scores that the ledger says, version {version}"


def _changes(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    """The log of changes says what the ledger says."""
    decisions = {one["dispute"]: one for _, one in said["decision"]}
    edits = {(key["dataset"], key["version"]): key["edits"] for key in data["keys"]}
    names = {run["id"]: run["label"] for run in data["runs"]}
    keys = [
        KeyChange(entry.time, one["dataset"], one["version"], *place_and_edit(edit, names),
                  decisions[name]["reason"], decisions[name]["author"])
        for entry, one in said["key"]
        for name, edit in zip(
            one["disputes"],
            edits.get((one["dataset"], one["version"]), [UNKNOWN] * len(one["disputes"])),
            strict=True,
        )
    ]  # fmt: skip
    expected = change_rows(
        plan.task,
        [{**one, "time": entry.time} for entry, one in said["protocol"]],
        [{**one, "time": entry.time} for entry, one in said["phase"]],
        keys,
    )
    shown = data["changelog"]
    if len(shown) != len(expected) or not all(map(_tells_the_same, shown, expected)):
        yield "archive.json: its changes are not those of the ledger"


UNKNOWN: Mapping[str, Any] = {"document": "", "edit": None}
"""What the archive does not say of edits to keys that it does not hold."""


def _tells_the_same(row: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    what, known = str(row["what"]), str(expected["what"])
    is_same = what.startswith(known) if known.endswith(": ") else what == known
    return is_same and {**row, "what": ""} == {**expected, "what": ""}


def _pages(files: Files, data: Data, said: Said, plan: Protocol) -> Iterator[str]:
    """Report pages are those that were made."""
    made = {one["digest"] for _, one in said["page"]}
    for path in data["pages"].values():
        if digest_of(files[path]) not in made:
            yield f"{path}: not a page that the ledger says was made"


def strangers(
    files: Files, data: Data, protocols: Collection[str], made: Callable[[Data], Mapping[str, bytes]]
) -> Iterator[str]:
    """Files that no archive has, and those that are not what the data says; `protocols` are those of protocols."""
    expected = made(data)
    for name, content_of in expected.items():
        if files.get(name) != content_of:
            yield f"{name}: not what the data says"
    known = {*expected, "archive.json", "ledger.jsonl", *protocols, *data["pages"].values()}
    known |= {key["file"] for key in data["keys"]} | {path for paths in data["annotators"].values() for path in paths}
    known |= {path for run in data["runs"] for path in (*run["files"], *run["tables"].values())}
    known |= {f"texts/{name}/{about['name']}" for name, about in data["texts"].items()}
    yield from (f"{name}: no file of an archive" for name in sorted(set(files) - known))
