"""Handing out: texts without their annotation, to those who accepted the licence, every download logged."""

from __future__ import annotations

from pathlib import Path

import msgspec

from aune.campaign.archives import packed
from aune.campaign.campaign import Campaign
from aune.campaign.entries import File, Name
from aune.campaign.ledger import canonical
from aune.campaign.policy import PARTICIPANT, Viewer
from aune.campaign.protocol import FILE, Protocol, protocol_of
from aune.campaign.submissions import texts_of
from aune.core.corpus import Corpus
from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import bytes_of, json_of, text_of

ABOUT = "handout.json"


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
    campaign.append("download", {"team": viewer.team, "dataset": dataset, "role": viewer.role})
    return files


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
        what = f"found no handout ({error}), expected the folder that the organisers handed out: unpack it again"
        raise InputError([Problem(str(folder), 1, 1, what)]) from None
