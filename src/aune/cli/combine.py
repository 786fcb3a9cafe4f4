"""`aune combine`: one response out of several, by a vote."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from aune.cli._inputs import File, Share, TaskName, warn_of_memory
from aune.cli._output import OutputFile, put_text, warn, writable_format

GROUP = "Files"


def combine(
    task: TaskName,
    /,
    *responses: File,
    output: OutputFile = None,
    key: File | None = None,
    weight: Annotated[list[str] | None, Parameter(negative=())] = None,
    table: Annotated[list[File] | None, Parameter(negative=())] = None,
    tagset: File | None = None,
    least: Share | None = None,
    confidence: Literal["none", "average", "maximum"] | None = None,
    frequency: Share | None = None,
    null: Share | None = None,
    input_format: str | None = None,
    output_format: Annotated[str | None, Parameter(name=["--to"])] = None,
    disagreements: Path | None = None,
    below: Share = 1.0,
) -> None:
    """Combine the outputs of several systems, or of annotators, by a vote.

    In tagging every word gets the tag that most of them give it; an entity stays when enough of them have it, and so
    do a mention of coref and the link between two mentions. In speech the words are aligned and every place is voted on
    (ROVER). The output is a response like any other, and `aune score` reads it.

    aune combine ner a.conll b.conll c.conll -o vote.conll

    Parameters
    ----------
    task
        The task that the files belong to: tagging, entities, coref or speech.
    responses
        The responses (predictions, hypotheses): files or folders, or name=path to name a system.
    output
        The file to write, which must not be there yet; standard output unless given. Its name decides the format
        unless --to does.
    key
        A file whose texts are annotated (its own annotation is ignored), or whose names and order the utterances of
        speech take; the first response otherwise.
    weight
        NAME=NUMBER: how much a system's vote counts (1 when not given).
    table
        PATH for all systems or NAME=PATH for one: the correspondence table that projects its tags.
    tagset
        The tags voted on: upos, grace, or the path of a description.
    least
        The share of votes that an entity, a mention or a link must have more of: 0.5 (a majority) unless given; 0 for
        any, 1 for all.
    confidence
        In speech, what counts beside the votes for a word: the average or the maximum of the confidences of those who
        have it; none unless given.
    frequency
        In speech with --confidence, how much votes count beside it, from 0 to 1 (0.5 unless given).
    null
        In speech with --confidence, the confidence of a system that gives no word (0.5 unless given).
    input_format
        The format of the files, when it should not be recognised from the content.
    output_format
        The format to write; otherwise as the name of the output says, or the first file's own.
    disagreements
        A file for the words, entities, mentions or links on which the systems disagree, with the answer of each, for
        correction.
    below
        The agreement below which an item counts as a disagreement (1: every item on which not all systems agree).
    """
    from aune.contract import registry
    from aune.contract.options import check_known, options_of
    from aune.errors import UsageError
    from aune.files import file_transaction
    from aune.reading.annotator_split import read_by_annotator
    from aune.reading.corpus import read
    from aune.reading.system_names import system_names

    home = registry.task(task)
    if home.extras.combine is None:
        raise UsageError(f"there is no way to combine responses of {task}: expected tagging, entities, coref or speech")
    _check_places(task, responses, output)
    named = system_names(responses)
    weights = {name: _number(name, value) for name, value in _by_name(weight or []).items()}
    tables = _by_name(table or [], named)
    warn_of_memory("combine", [*named.values(), *([key] if key else [])])
    systems = read_by_annotator(home, named, input_format)
    check_known([*weights, *tables], systems, "system")
    text = read(home, key, input_format) if key else next(iter(systems.values()))
    for corpus in systems.values():
        warn(corpus.warnings)
    documents_by_system = {name: corpus.documents for name, corpus in systems.items()}
    settings = {"weights": weights or None, "tables": tables or None, "tagset": tagset, "least": least,
             "confidence": confidence, "frequency": frequency, "null": null}  # fmt: skip
    chosen = {name: value for name, value in settings.items() if value is not None}
    check_known(chosen, options_of(home.extras.combine), f"option of combine {task}")
    documents = home.extras.combine(text.documents, documents_by_system, **chosen, tell=lambda note: warn([note]))
    form = writable_format(task, "-" if output is None else str(output), output_format, text.format)
    assert form.write is not None
    combined = "".join(form.write(documents))
    with file_transaction() as files:
        if disagreements is not None and home.extras.disagreements is not None:
            fitting = {name: value for name, value in chosen.items() if name in options_of(home.extras.disagreements)}
            rows = home.extras.disagreements(text.documents, documents_by_system, **fitting, below=below)
            lines = ["\t".join(map(str, row)) + "\n" for row in rows]
            files.write(disagreements, "".join(lines).encode(errors="backslashreplace"))
        if output is None:
            put_text(combined, None)
        else:
            files.write(output, combined.encode(errors="backslashreplace"))


def _check_places(task: str, responses: Sequence[str], output: Path | None) -> None:
    """Refuse an output that is already there, and a command line with the output first, as until version 0.2."""
    from aune import STDIN
    from aune.errors import UsageError

    if not responses:
        raise UsageError("expected the files of at least one system")
    first, *others = responses
    if output is None and others and first == STDIN:
        raise UsageError("-: expected responses alone: the result goes to standard output unless -o names a file")
    if output is None and others and "=" not in first and "://" not in first and not os.path.lexists(first):
        files = shlex.join(others)
        raise UsageError(f"{first}: no such file: to write it, type aune combine {task} {files} -o {first}")
    if output is not None and output.is_file():
        raise UsageError(f"{output}: is there already, and a vote replaces no file: name another, or remove it")


def _by_name(texts: list[str], names: dict[str, str] | None = None) -> dict[str, str]:
    """NAME=VALUE as a mapping; a value without a name is for every one of the names."""
    from aune.errors import UsageError

    mapping: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if equals:
            mapping[name] = value
        elif names is not None:
            mapping |= dict.fromkeys(names, text)
        else:
            raise UsageError(f"{text!r}: expected NAME=NUMBER")
    return mapping


def _number(name: str, value: str) -> float:
    from aune.contract.options import Range
    from aune.errors import UsageError

    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if number not in Range(0):
        raise UsageError(f"--weight {name}={value}: expected a number, {Range(0)}")
    return number
