"""Handouts: texts without annotation, for those who accepted the licence; every download is logged."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from aune.campaign.campaign import Campaign
from aune.campaign.ledger.ledger_file import canonical_json
from aune.campaign.ledger.ledger_schema import FileName, Name
from aune.campaign.protocol.deadlines import format_timestamp, now
from aune.campaign.protocol.protocol_file import PROTOCOL_FILE, Protocol, parse_protocol
from aune.campaign.protocol.visibility import PARTICIPANT, Viewer
from aune.campaign.runs.known_labels import known_labels
from aune.campaign.runs.submission_checks import read_texts
from aune.campaign.runs.uploads import zip_bytes
from aune.errors import InputError, Place, Problem, Remedy, UsageError
from aune.files import is_disk_full, parse_json, read_bytes, read_text
from aune.reading.corpus import Corpus

INFO_FILE = "handout.json"
LOG_INTERVAL = timedelta(hours=1)


class HandoutInfo(msgspec.Struct):
    """The contents of a handout's information file, which may come from a stranger."""

    dataset: Name
    texts: FileName
    format: str
    protocol: str
    labels: list[str] = []
    """The labels of entities in the keys handed out before; a note reports other labels in a run."""


def make_handout(campaign: Campaign, viewer: Viewer, dataset: str) -> dict[str, bytes]:
    """The files that a viewer gets for a dataset: the protocol, the texts, and the licence. The download is logged."""
    chosen = campaign.dataset(dataset)
    campaign.check(viewer, f"{chosen.phase} texts")
    plan, state = campaign.protocol, campaign.state
    if viewer.role == PARTICIPANT and plan.licence and not campaign.team(viewer.team).licence:
        raise UsageError("the licence of the texts was not accepted: accept it first")
    if dataset not in state.texts:
        raise UsageError(f"{dataset}: its texts are handed out in the phase {chosen.phase!r}")
    texts = state.texts[dataset]
    about = HandoutInfo(dataset, texts.name, texts.format, plan.digest, known_labels(campaign, dataset))
    about_bytes = canonical_json(msgspec.to_builtins(about))
    files = {PROTOCOL_FILE: plan.text.encode(), texts.name: campaign.store.get(texts.digest), INFO_FILE: about_bytes}
    for path, digest in plan.handed_files.items():
        files[path] = campaign.store.get(digest) if digest in campaign.store else (campaign.folder / path).read_bytes()
    if chosen.phase == "training" and campaign.may_see(viewer, "training key"):
        files[f"key/{Path(chosen.key).name}"] = campaign.store.get(state.keys[dataset][-1].digest)
    _log_download(campaign, viewer, dataset)
    return files


def _log_download(campaign: Campaign, viewer: Viewer, dataset: str) -> None:
    """Log a download, once per hour at most: a program that downloads repeatedly would fill the disk."""
    with campaign.writing() as writer:
        lately = format_timestamp(now() - LOG_INTERVAL)
        if (viewer.team, dataset) not in [
            download[1:] for download in campaign.state.downloads if download[0] > lately
        ]:
            writer.append("download", {"team": viewer.team, "dataset": dataset, "role": viewer.role})


def handout_zip(files: dict[str, bytes]) -> bytes:
    """The files of a handout as one zip archive."""
    return zip_bytes(files)


class Handout(NamedTuple):
    """A handout that was read: the protocol, the name of the dataset, its texts, and the labels of earlier keys."""

    protocol: Protocol
    dataset: str
    texts: Corpus
    labels: list[str]


def read_handout(folder: Path) -> Handout:
    """The handout in a folder."""
    try:
        about = msgspec.convert(parse_json(read_bytes(folder / INFO_FILE)), HandoutInfo)
        protocol = parse_protocol(
            read_text(folder / PROTOCOL_FILE), folder, str(folder / PROTOCOL_FILE), complete=False
        )
        texts = read_texts(
            protocol.for_dataset(about.dataset), about.texts, read_bytes(folder / about.texts), about.format
        )
        return Handout(protocol, about.dataset, texts, about.labels)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        if is_disk_full(error):
            raise
        what, expected = f"no handout ({error})", "the folder that the organisers handed out"
        remedy = Remedy("unpack it again")
        raise InputError([Problem("handout.missing", Place(str(folder)), what, expected, (remedy,))]) from None
