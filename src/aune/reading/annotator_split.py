"""Files with several annotators: each annotator becomes a separate response, or a separate annotator.

A reader that finds several annotators, and no option that names one, reports `annotator.several` and stores their names
in its source. Functions that score, compare and combine responses then read the file once for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from aune.contract.options import options_of
from aune.contract.task import Task
from aune.errors import InputError
from aune.reading.corpus import Corpus, open_files, read, reader_options
from aune.reading.source import Source

SEVERAL_ANNOTATORS = "annotator.several"


def read_by_annotator(
    task: Task, systems: Mapping[str, Any], format: str | None = None, **options: Any
) -> dict[str, Corpus]:
    """The documents of every system; a file with several annotators gives one system for each."""
    corpora: dict[str, Corpus] = {}
    for name, location in systems.items():
        try:
            corpora[name] = read(task, location, format, **options)
        except InputError as error:
            if not has_several_annotators(error):
                raise
            corpora.update(split_systems(task, {name: location}, format, alone=len(systems) == 1, **options))
    return corpora


def split_after(
    error: InputError, task: Task, systems: Mapping[str, Any], format: str | None = None, **options: Any
) -> dict[str, Any] | None:
    """The systems with a response for each annotator, if an error reports several annotators in files; else None."""
    if not has_several_annotators(error):
        return None
    split = split_systems(task, systems, format, alone=len(systems) == 1, **options)
    return None if split.keys() == systems.keys() else split


def split_systems(
    task: Task, systems: Mapping[str, Any], format: str | None = None, *, alone: bool, **options: Any
) -> dict[str, Any]:
    """Systems by name; a file with several annotators is replaced by one system for each.

    Annotators of the only file have their own names; those of one file among several are called `file/annotator`.
    """
    split: dict[str, Any] = {}
    for system, location in systems.items():
        names = list(_annotators_in(task, location, format, options))
        for name in names:
            corpus = read(task, location, format, **{**options, "annotator": name})
            others = {option: value for option, value in corpus.options.items() if option != "annotator"}
            split[name if alone else f"{system}/{name}"] = replace(corpus, options=others)
        if not names:
            split[system] = location
    return split


def has_several_annotators(error: InputError) -> bool:
    """Whether a file was refused because it names several annotators and the user chose none."""
    return any(problem.code == SEVERAL_ANNOTATORS for problem in error.problems)


def _annotators_in(task: Task, location: Any, format: str | None, options: Mapping[str, Any]) -> Iterator[str]:
    """The annotators that a single file names; none for folders, Python structures or a chosen annotator."""
    if not isinstance(location, str | Path) or options.get("annotator"):
        return
    files = open_files(task, location, format, options).files
    if len(files) != 1:
        return  # not every file of a folder needs all annotators
    origin, form = files[0]
    if form is None or "annotator" not in options_of(form.read):
        return
    source = Source(origin.name, origin.read(0, origin.size), origin.path)
    with suppress(InputError):
        list(form.read(source, **reader_options(form.read, options)))
    yield from source.annotators
