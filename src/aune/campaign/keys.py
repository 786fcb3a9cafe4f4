"""Keys made from what several annotators did: their files are kept beside the key, and their agreement is the ceiling.

Annotators are numbered, and named nowhere. What they did is fixed with the key, so that anybody can compute their
agreement again from an archive.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.protocol import Dataset, Protocol
from aune.core import registry
from aune.core.corpus import read
from aune.core.errors import AuneError, InputError, Problem
from aune.core.files import bytes_of
from aune.core.options import options_of
from aune.explain.annotators import annotators_agreement


class Layer(NamedTuple):
    """What one annotator made of the texts of a key."""

    name: str
    """What its file is called here: that says its format, and not whose it is."""
    data: bytes


def layers(plan: Protocol, dataset: Dataset, files: Mapping[str, tuple[str, bytes]]) -> list[Layer]:
    """The files of annotators, by their names in order, without these names."""
    stem = Path(dataset.key).name.partition(".")[0]
    return [Layer(f"{stem}{known_endings(plan.task, name)}", data) for _, (name, data) in sorted(files.items())]


def layers_in(folder: Path, plan: Protocol, dataset: Dataset) -> list[Layer]:
    """The files of the annotators that the protocol names."""
    return layers(plan, dataset, {who: (path, bytes_of(folder / path)) for who, path in dataset.annotators.items()})


COMPRESSED = (".gz", ".xz", ".zst")


def known_endings(task: str, name: str) -> str:
    """The endings of a file's name that say what format it has; others may say who made it.

    >>> known_endings("entities", "run of Ann Smith.conll.gz"), known_endings("entities", "ann.smith")
    ('.conll.gz', '')
    """
    known = {ending for form in registry.formats(task) for ending in form.suffixes}
    packing = next((ending for ending in COMPRESSED if name.endswith(ending)), "")
    bare = name.removesuffix(packing)
    return max((ending for ending in known if bare.endswith(ending)), key=len, default="") + packing


def check_key(plan: Protocol, dataset: Dataset, key: bytes) -> None:
    """Refuse what cannot be read as the key of a dataset, with all that is wrong with it."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room, Path(dataset.key).name)
        path.write_bytes(key)
        try:
            corpus = read(registry.task(plan.task), str(path), dataset.format or None, **reading(plan))
        except InputError as error:
            raise InputError([replace(problem, path=dataset.key) for problem in error.problems]) from None
        if not corpus.documents:
            raise InputError([Problem(dataset.key, 1, 1, "found no document, expected the key: add some")])


def reading(plan: Protocol) -> dict[str, Any]:
    """The options of a protocol that readers of keys take."""
    known = {name for form in registry.formats(plan.task) for name in options_of(form.read)}
    return {name: value for name, value in plan.scoring.options.items() if name in known}


def agreement_of(folder: Path, plan: Protocol, done: Sequence[Layer]) -> dict[str, Any]:
    """How far annotators agree: by chance-corrected measures where the task has judgements, and by what ranks runs.

    `folder` is where the files of the protocol are.
    """
    if len(done) < 2:
        return {}
    scoring = plan.scoring
    options: dict[str, Any] = {
        name: str(folder / value) if value in plan.files else value for name, value in scoring.options.items()
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as room:
        paths = {}
        for number, layer in enumerate(done, 1):
            path = Path(room, str(number), layer.name)
            path.parent.mkdir()
            path.write_bytes(layer.data)
            paths[f"annotator {number}"] = str(path)
        try:
            chance = annotators_agreement(plan.task, paths) if registry.task(plan.task).judgements else ()
            scored = annotators_agreement(
                plan.task, paths, measures=[scoring.ranking], convention=scoring.convention or None, **options
            )
        except InputError as error:
            raise InputError(
                [replace(problem, path=_whose(problem.path, room)) for problem in error.problems]
            ) from None
        except AuneError as error:
            return {"none": str(error)}
    return {
        "agreement": {f"{one.system}: {one.name}": one.values for one in chance},
        "ranking": {one.system: one.values[scoring.value] for one in scored if one.name == scoring.ranking},
    }


def _whose(path: str, room: str) -> str:
    """A file of an annotator as messages name it."""
    number, _, name = path.removeprefix(f"{room}/").partition("/")
    return f"annotator {number}, {name}"
