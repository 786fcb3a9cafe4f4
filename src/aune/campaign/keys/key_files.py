"""Keys made from what several annotators did: their files are kept beside the key, and their agreement is the ceiling.

Annotators are numbered, and named nowhere. What they did is fixed with the key, so that anybody can compute their
agreement again from an archive.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.protocol.protocol_file import Dataset, Protocol
from aune.contract import registry
from aune.contract.options import format_value, options_of
from aune.errors import AuneError, InputError, Place, Problem, Remedy
from aune.explain.annotators import annotators_agreement
from aune.files import read_bytes
from aune.reading.corpus import read, reader_options


class AnnotatorFile(NamedTuple):
    """What one annotator made of the texts of a key."""

    name: str
    """What its file is called here: that says its format, and not whose it is."""
    data: bytes


def annotator_files(plan: Protocol, dataset: Dataset, files: Mapping[str, tuple[str, bytes]]) -> list[AnnotatorFile]:
    """The files of annotators, by their names in order, without these names."""
    stem = Path(dataset.key).name.partition(".")[0]
    return [AnnotatorFile(f"{stem}{known_endings(plan.task, name)}", data) for _, (name, data) in sorted(files.items())]


def read_annotator_files(folder: Path, plan: Protocol, dataset: Dataset) -> list[AnnotatorFile]:
    """The files of the annotators that the protocol names."""
    return annotator_files(
        plan, dataset, {who: (path, read_bytes(folder / path)) for who, path in dataset.annotators.items()}
    )


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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(dataset.key).name)
        path.write_bytes(key)
        try:
            corpus = read(registry.task(plan.task), str(path), dataset.format or None, **key_reader_options(plan))
        except InputError as error:
            raise InputError([problem.with_path(dataset.key) for problem in error.problems]) from None
        if not corpus.documents:
            some = Remedy("add some")
            raise InputError([Problem("document.none", Place(dataset.key), "no document", "the key", (some,))])


def key_reader_options(plan: Protocol) -> dict[str, Any]:
    """The options of a protocol that readers of keys take."""
    known = {name for form in registry.formats(plan.task) for name in options_of(form.read)}
    return {name: value for name, value in plan.scoring.options.items() if name in known}


def measure_agreement(folder: Path, plan: Protocol, files: Sequence[AnnotatorFile]) -> dict[str, Any]:
    """How far annotators agree: by chance-corrected measures where the task has judgements, and by what ranks runs.

    `folder` is where the files of the protocol are.
    """
    if len(files) < 2:
        return {}
    scoring, judgements = plan.scoring, registry.task(plan.task).agreement.judgements
    options: dict[str, Any] = {
        name: str(folder / value) if value in plan.files else value for name, value in scoring.options.items()
    }  # fmt: skip
    judging = judgement_options(plan)
    with tempfile.TemporaryDirectory() as scratch:
        paths = {}
        for number, layer in enumerate(files, 1):
            path = Path(scratch, str(number), layer.name)
            path.parent.mkdir()
            path.write_bytes(layer.data)
            paths[f"annotator {number}"] = str(path)
        try:
            reading = {name: options[name] for name in key_reader_options(plan)}
            chance = annotators_agreement(plan.task, paths, **reading, **judging) if judgements else ()
            scored = annotators_agreement(
                plan.task, paths, measures=[scoring.ranking], convention=scoring.convention or None, **options
            )
        except InputError as error:
            raise InputError(
                [problem.with_path(_anonymous_path(problem.place.path, scratch)) for problem in error.problems]
            ) from None
        except AuneError as error:
            return {"none": str(error)}
    return {
        "agreement": {f"{score.system}: {score.name}": score.values for score in chance},
        "ranking": {score.system: score.values[scoring.value] for score in scored if score.name == scoring.ranking},
        "options": {name: format_value(value) for name, value in judging.items()},
    }


def judgement_options(plan: Protocol) -> dict[str, Any]:
    """The options of the agreement of annotators: those of the protocol, of its scoring, and defaults."""
    judgements = registry.task(plan.task).agreement.judgements
    return reader_options(judgements, {**plan.scoring.options, **plan.agreement}) if judgements else {}


def _anonymous_path(path: str, folder: str) -> str:
    """A file of an annotator as messages name it."""
    number, _, name = path.removeprefix(f"{folder}/").partition("/")
    return f"annotator {number}, {name}"
