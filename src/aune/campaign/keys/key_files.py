"""Keys made from several annotators' files, which are stored beside the key; their agreement is the ceiling.

Annotators are numbered, never named. Their files are committed with the key, so that anyone can recompute their
agreement from an archive.
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
    """The file of one annotator of a key's texts."""

    name: str
    """A file name that shows the format, and not the annotator."""
    data: bytes


def annotator_files(plan: Protocol, dataset: Dataset, files: Mapping[str, tuple[str, bytes]]) -> list[AnnotatorFile]:
    """The annotators' files, sorted by annotator, without the annotators' names."""
    stem = Path(dataset.key).name.partition(".")[0]
    return [AnnotatorFile(f"{stem}{known_endings(plan.task, name)}", data) for _, (name, data) in sorted(files.items())]


def read_annotator_files(folder: Path, plan: Protocol, dataset: Dataset) -> list[AnnotatorFile]:
    """The files of the annotators that the protocol names."""
    return annotator_files(
        plan, dataset, {who: (path, read_bytes(folder / path)) for who, path in dataset.annotators.items()}
    )


COMPRESSED = (".gz", ".xz", ".zst")


def known_endings(task: str, name: str) -> str:
    """The suffixes of a file's name that show its format; any other part could name its author.

    >>> known_endings("entities", "run of Ann Smith.conll.gz"), known_endings("entities", "ann.smith")
    ('.conll.gz', '')
    """
    known = {ending for form in registry.formats(task) for ending in form.suffixes}
    packing = next((ending for ending in COMPRESSED if name.endswith(ending)), "")
    bare = name.removesuffix(packing)
    return max((ending for ending in known if bare.endswith(ending)), key=len, default="") + packing


def check_key(plan: Protocol, dataset: Dataset, key: bytes) -> None:
    """Refuse a file that cannot be read as the key of a dataset; all its problems are reported."""
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
    """The options of the protocol that readers of keys accept."""
    known = {name for form in registry.formats(plan.task) for name in options_of(form.read)}
    return {name: value for name, value in plan.scoring.options.items() if name in known}


def measure_agreement(folder: Path, plan: Protocol, files: Sequence[AnnotatorFile]) -> dict[str, Any]:
    """How far annotators agree: by chance-corrected measures if the task has judgements, and by the ranking measure.

    `folder` contains the files of the protocol.
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
    """The options of annotator agreement: from the protocol, its scoring, and defaults."""
    judgements = registry.task(plan.task).agreement.judgements
    return reader_options(judgements, {**plan.scoring.options, **plan.agreement}) if judgements else {}


def _anonymous_path(path: str, folder: str) -> str:
    """The path of an annotator's file in messages."""
    number, _, name = path.removeprefix(f"{folder}/").partition("/")
    return f"annotator {number}, {name}"
