"""What fixtures contain, as commands and pages report it: used when fixtures are made and when they are verified.

Only commands, addresses of pages and JSON are used here, so that the code behind them can move and change its names.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

WAIT = 120  # seconds until a worker must have done a job
MILLISECONDS = len("2026-11-18T19:51:30.247")  # backups keep no more of a time
PAGES_FOR_ALL = ("/", "/account", "/statistics/", "/skeleton/", "/people")
PAGES_OF_CAMPAIGN = (
    "/campaign/", "/campaign/protocol", "/campaign/licence", "/campaign/participants", "/campaign/changes",
    "/campaign/team", "/campaign/notices", "/campaign/disputes", "/campaign/key/try", "/campaign/keys",
    "/campaign/annotate", "/campaign/manage", "/campaign/submissions", "/api/campaign/",
)  # fmt: skip
PAGES_OF_TEXT = ("", "statistics", "agreement")
PAGES_OF_LAYER = ("", "passages", "export?losses=")


class Reader(Protocol):
    """A signed-in client of a server."""

    def get(self, path: str) -> Any: ...


def site_contents(client: Reader) -> dict[str, Any]:
    """Every text and layer that somebody sees, with the state, the history and the exported file of each layer."""
    texts = {}
    for text in links(client.get("/").text, "text"):
        page = client.get(f"/text/{text}/").text
        layers = {layer: layer_contents(client, layer) for layer in links(page, "layer")}
        texts[text] = {"layers": layers}
    return texts


def links(page: str, kind: str) -> list[str]:
    """The ids of texts or layers that a page leads to."""
    return list(dict.fromkeys(re.findall(rf'href="/{kind}/([\w-]+)/"', page)))


def layer_contents(client: Reader, layer: str) -> dict[str, Any]:
    answer = client.get(f"/api/layer/{layer}/").json
    history = client.get(f"/api/layer/{layer}/history").json["events"]
    exported = client.get(f"/layer/{layer}/export")
    return {
        **{name: answer["layer"][name] for name in ("name", "kind", "author", "version", "done", "task")},
        "text": digest(answer["text"]["characters"].encode()),
        "state": answer["state"],
        "undo": answer["undo"],
        "redo": answer["redo"],
        "history": [{**event, "at": event["at"][:MILLISECONDS]} for event in history],
        "export": exported.status,
    }


def without_exported_bytes(contents: dict[str, Any]) -> dict[str, Any]:
    """What was seen, with the statuses of exports in the place of digests: what an export contains may improve."""
    for text in contents.values():
        for layer in text["layers"].values():
            layer["export"] = layer["export"] if isinstance(layer["export"], int) else 200
    return contents


def counts(contents: Mapping[str, Any]) -> dict[str, int]:
    """How much there is of what: a short summary that is easy to read in a failing test."""
    layers = [layer for text in contents.values() for layer in text["layers"].values()]
    tables = ("mentions", "chains", "relations")
    return {
        "texts": len(contents),
        "layers": len(layers),
        "events": sum(len(layer["history"]) for layer in layers),
        **{table: sum(len(layer["state"].get(table, {})) for layer in layers) for table in tables},
    }


def page_statuses(client: Reader, contents: Mapping[str, Any], *more: str) -> dict[str, int]:
    """The HTTP status of every page that somebody may try."""
    pages = [*PAGES_FOR_ALL, *more]
    pages += [f"/text/{text}/{page}" for text in contents for page in PAGES_OF_TEXT]
    layers = [layer for text in contents.values() for layer in text["layers"]]
    pages += [f"/layer/{layer}/{page}" for layer in layers for page in PAGES_OF_LAYER]
    return {page: client.get(page).status for page in pages}


def adjudication(client: Reader, key: str) -> dict[str, Any]:
    """The open questions of a key, and its decisions."""
    answer = client.get(f"/api/layer/{key}/adjudication").json
    return {name: value for name, value in answer.items() if name not in ("text", "states", "key")}


def comparison(client: Reader, key: str, response: str) -> dict[str, Any]:
    """What every measure says of two layers."""
    scores = client.get(f"/api/layer/{key}/compare/{response}").json["scores"]
    return {score["measure"]: score["values"] for score in scores}


def losses(client: Reader, layer: str) -> Any:
    """The table of a resolver's losses, when the worker has made it."""
    for _ in range(WAIT * 10):
        answer = client.get(f"/api/layer/{layer}/losses")
        if answer.status != 202:
            return answer.json["losses"]
        time.sleep(0.1)
    raise AssertionError("the worker does not compute the losses")


def scored_status(client: Reader, submission: str) -> dict[str, Any]:
    """The status of a submission, when it has one."""
    for _ in range(WAIT * 10):
        status: dict[str, Any] = client.get(f"/api/campaign/submission/{submission}").json
        if status["state"] != "received":
            return status
        time.sleep(0.1)
    raise AssertionError("the worker does not score the submission")


def numbers(data: Any, path: str = "") -> dict[str, float]:
    """Every number of some JSON under its path; the words in between are the path."""
    if isinstance(data, Mapping):
        parts = [numbers(value, f"{path}/{name}") for name, value in data.items()]
    elif isinstance(data, list):
        parts = [numbers(value, f"{path}/{_label(value, place)}") for place, value in enumerate(data)]
    else:
        return {path: float(data)} if isinstance(data, int | float) and not isinstance(data, bool) else {}
    return {name: value for part in parts for name, value in part.items()}


def _label(value: Any, place: int) -> str:
    """What a member of a list is called: its place, and its system and measure where it has them."""
    names = [value[name] for name in ("system", "measure") if name in value] if isinstance(value, Mapping) else []
    return " ".join([str(place), *map(str, names)])


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pack(target: Path, folder: Path, *, without: tuple[str, ...] = ()) -> None:
    """A folder as a compressed archive that tells nothing of the machine; `without` are entries at its top."""

    def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = 0
        return None if member.name.split("/")[0] in without else member

    with tarfile.open(target, "w:xz", preset=9) as archive:
        for path in sorted(folder.iterdir()):
            archive.add(path, path.name, filter=anonymous)


def unpack(source: Path, folder: Path) -> Path:
    """The folder of an archive again."""
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    return folder


def ledger_kinds(folder: Path) -> dict[str, int]:
    """How many entries of each kind a ledger has."""
    kinds: dict[str, int] = {}
    for entry in ledger_entries(folder):
        kinds[entry["kind"]] = kinds.get(entry["kind"], 0) + 1
    return kinds


def ledger_entries(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / "ledger.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)["entry"]
