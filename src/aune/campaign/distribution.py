"""Handing out: texts without their annotation, to those who accepted the licence, every download logged."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec

from aune.campaign.archives import packed
from aune.campaign.campaign import Campaign
from aune.campaign.entries import File, Name
from aune.campaign.instants import now, stamp
from aune.campaign.ledger import canonical
from aune.campaign.policy import PARTICIPANT, Viewer
from aune.campaign.protocol import FILE, Protocol, protocol_of
from aune.campaign.submissions import texts_of
from aune.core.corpus import Corpus
from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import bytes_of, is_full, json_of, text_of

ABOUT = "handout.json"
SAME = timedelta(hours=1)


class About(msgspec.Struct):
    """What a handout says of itself; it may be a stranger's."""

    dataset: Name
    texts: File
    format: str
    protocol: str


def handout(campaign: Campaign, viewer: Viewer, dataset: str) -> dict[str, bytes]:
    """The files that a viewer gets for a dataset: the protocol, the texts, and the licence. The download is logged."""
    chosen = campaign.dataset(dataset)
    campaign.check(viewer, f"{chosen.phase} texts")
    plan, state = campaign.protocol, campaign.state
    if viewer.role == PARTICIPANT and plan.licence and not campaign.team(viewer.team).licence:
        raise UsageError("the licence of the texts was not accepted: accept it first")
    if dataset not in state.texts:
        raise UsageError(f"{dataset}: its texts are handed out in the phase {chosen.phase!r}")
    texts = state.texts[dataset]
    about = About(dataset, texts.name, texts.format, plan.digest)
    said = canonical(msgspec.to_builtins(about))
    files = {FILE: plan.text.encode(), texts.name: campaign.store.get(texts.digest), ABOUT: said}
    for path, digest in plan.files.items():
        files[path] = campaign.store.get(digest) if digest in campaign.store else (campaign.folder / path).read_bytes()
    if chosen.phase == "training" and campaign.may(viewer, "training key"):
        files[f"key/{Path(chosen.key).name}"] = campaign.store.get(state.keys[dataset][-1].digest)
    _log(campaign, viewer, dataset)
    return files


def _log(campaign: Campaign, viewer: Viewer, dataset: str) -> None:
    """Note a download; again within the hour it is the same: a program that asks without end would fill the disk."""
    with campaign.writing() as writer:
        lately = stamp(now() - SAME)
        if (viewer.team, dataset) not in [one[1:] for one in campaign.state.downloads if one[0] > lately]:
            writer.append("download", {"team": viewer.team, "dataset": dataset, "role": viewer.role})


def as_archive(files: dict[str, bytes]) -> bytes:
    """The same as one zip archive."""
    return packed(files)


def handed(folder: Path) -> tuple[Protocol, str, Corpus]:
    """What a participant was handed: the protocol, the name of the dataset, and its texts."""
    try:
        about = msgspec.convert(json_of(bytes_of(folder / ABOUT)), About)
        protocol = protocol_of(text_of(folder / FILE), folder, str(folder / FILE), complete=False)
        texts = texts_of(protocol, about.texts, bytes_of(folder / about.texts), about.format)
        return protocol, about.dataset, texts
    except (OSError, ValueError, msgspec.ValidationError) as error:
        if is_full(error):
            raise
        what = f"found no handout ({error}), expected the folder that the organisers handed out: unpack it again"
        raise InputError([Problem(str(folder), 1, 1, what)]) from None
