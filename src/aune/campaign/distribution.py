"""Handing out: texts without their annotation, to those who accepted the licence, every download logged."""

from __future__ import annotations

from pathlib import Path

from aune.campaign.archives import packed
from aune.campaign.campaign import Campaign
from aune.campaign.ledger import canonical
from aune.campaign.policy import PARTICIPANT, Viewer
from aune.campaign.protocol import FILE, Protocol, protocol_of
from aune.campaign.submissions import texts_of
from aune.core.corpus import Corpus
from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import json_of

ABOUT = "handout.json"


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
    about = {"dataset": dataset, "texts": texts.name, "format": texts.format, "protocol": plan.digest}
    files = {FILE: plan.text.encode(), texts.name: campaign.store.get(texts.digest), ABOUT: canonical(about)}
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
        about = json_of((folder / ABOUT).read_bytes())
        protocol = protocol_of((folder / FILE).read_text("utf-8"), folder, str(folder / FILE), complete=False)
        texts = texts_of(protocol, about["texts"], (folder / about["texts"]).read_bytes(), about["format"])
        return protocol, str(about["dataset"]), texts
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"found no handout ({error}), expected the folder that the organisers handed out: unpack it again"
        raise InputError([Problem(str(folder), 1, 1, what)]) from None
