"""Whether a run is what was asked for: the same check on a participant's machine and on receipt.

Everything wrong is told at once, with `path:line:column`. The text of a run is laid on what was handed out; what is not
the same text is listed as residue, and does not make the run invalid.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aune.campaign.archives import PACKED_LESS, contents
from aune.campaign.protocol import Dataset, Limits, Protocol
from aune.campaign.referential import identity_problems, pivot_of, table_problems
from aune.campaign.texts import Residue, residues
from aune.core import registry
from aune.core.asked import for_responses
from aune.core.corpus import Corpus, pair, read, read_with_problems
from aune.core.errors import AuneError, InputError, Problem
from aune.core.files import is_full
from aune.core.options import options_of
from aune.core.recognition import NAME_IT

MOST_RESIDUE = 1_000  # places that are listed; all of them are counted


class Run(NamedTuple):
    """What a participant sends: a file or an archive, and for tagging perhaps a correspondence table."""

    name: str
    data: bytes
    table_name: str = ""
    table: bytes = b""


class Check(NamedTuple):
    """What a check found."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    residue: tuple[Residue, ...]
    residue_count: int
    documents: int

    @property
    def valid(self) -> bool:
        return not self.problems


def laid(folder: Path, run: Run, limits: Limits) -> Path:
    """The files of a run in an empty folder; the path that a reader is given."""
    files = contents(run.name, run.data, limits)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder / next(iter(files)) if len(files) == 1 else folder


def checked(protocol: Protocol, dataset: Dataset, folder: Path, texts: Corpus, run: Run) -> Check:
    """A run against the texts that were handed out; `folder` is where the files of the protocol are."""
    with tempfile.TemporaryDirectory() as room:
        home = Path(room)
        try:
            path = laid(home / "run", run, protocol.limits)
            documents, problems, notes = _read(protocol, path)
        except InputError as error:
            if is_full(error):  # no fault of the run
                raise
            return Check(_named(error.problems, home, run), (), (), 0, 0)
        if not problems:
            problems += registry.task(protocol.task).check(documents)
        problems = [problem for problem in problems if problem.severity == "error"]
        pairs, told = _paired(protocol, texts, documents, run)
        problems += told if documents or not problems else []
        if protocol.task == "tagging":
            about, more = _tags(protocol, folder, home, documents, run)
            problems += about
            notes += more
        found = residues(protocol.task, pairs)
        if found:
            places = f"{len(found)} place{'s' * (len(found) > 1)}"
            notes.append(f"{places} where the text is not what was handed out: words were realigned there")
        return Check(_named(problems, home, run), tuple(notes), tuple(found[:MOST_RESIDUE]), len(found), len(documents))


def reading_options(protocol: Protocol) -> dict[str, Any]:
    """The options of the protocol that readers take."""
    readers = [form.read for form in registry.formats(protocol.task)]
    known = {name for reader in readers for name in options_of(reader)}
    return {name: value for name, value in for_responses(protocol.scoring.options).items() if name in known}


def _read(protocol: Protocol, path: Path) -> tuple[list[Any], list[Problem], list[str]]:
    task = registry.task(protocol.task)
    corpus, problems = read_with_problems(task, str(path), **reading_options(protocol))
    return corpus.documents, list(problems), [warning.partition(": ")[2] or warning for warning in corpus.warnings]


def _paired(
    protocol: Protocol, texts: Corpus, documents: Sequence[Any], run: Run
) -> tuple[Sequence[tuple[Any, Any]], list[Problem]]:
    """The documents of a run with those handed out, and a problem for each that one side lacks."""
    if not documents:
        return [], [Problem(run.name, 1, 1, "found no document, expected those that were handed out: add them")]
    task = registry.task(protocol.task)
    try:
        pairs, _ = pair(task, texts, Corpus(list(documents), run.name), missing="error", extra="error")
        return pairs, []
    except InputError as error:
        there = {document.id: document for document in texts.documents}
        kept = [(there[document.id], document) for document in documents if document.id in there]
        return kept, [Problem(run.name, 1, 1, _in_plain_words(problem.message)) for problem in error.problems]
    except AuneError as error:
        return [], [Problem(run.name, 1, 1, str(error))]


def _in_plain_words(message: str) -> str:
    """A message about documents without the options of a command that the participant does not run."""
    for text in (", or score it as empty with --missing empty", ", or use --extra ignore"):
        message = message.replace(text, "")
    for text, plain in (("as in the key", "as handed out"), ("of the key", "that were handed out"),
                        ("the key's names", "the names that were handed out"),
                        ("give the utterances of both sides the same names", "name them likewise")):  # fmt: skip
        message = message.replace(text, plain)
    return message


def _tags(
    protocol: Protocol, folder: Path, home: Path, documents: Sequence[Any], run: Run
) -> tuple[list[Problem], list[str]]:
    pivot = pivot_of(protocol, folder)
    if not run.table:
        return (identity_problems(run.name, documents, pivot) if documents else []), []
    name = run.table_name or "table.tsv"
    target = home / ("table.toml" if name.endswith(".toml") else "table.tsv")
    target.write_bytes(run.table)
    return table_problems(str(target), name, documents, pivot)


OF_A_COMMAND = re.compile(r": [^:]*--[a-z][^:]*$")
"""Advice that only those can follow who run a command."""


def _named(problems: Sequence[Problem], home: Path, run: Run) -> tuple[Problem, ...]:
    """Problems by the names that the participant gave to files, whatever folder they lay in."""
    return tuple(sorted({_renamed(problem, home, run) for problem in problems}))


def _renamed(problem: Problem, home: Path, run: Run) -> Problem:
    """A problem by the name that the participant knows, with nothing in it that only the server's owner can set."""
    inside = problem.path.removeprefix(f"{home / 'run'}").lstrip("/")
    message = problem.message.replace(f"{home / 'run'}/", "").replace("set AUNE_RATIO to allow more", PACKED_LESS)
    message = message.replace(NAME_IT, "send it in one of these, with its usual ending")
    message = OF_A_COMMAND.sub(": write the file as the protocol reads it", message)
    if not problem.path.startswith(str(home)):
        name = problem.path
    else:
        name = run.name if inside in ("", Path(run.name).name) else f"{run.name}!{inside}"
    return Problem(name, problem.line, problem.column, message)


def texts_of(protocol: Protocol, name: str, data: bytes, form: str) -> Corpus:
    """What was handed out, read again."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room, Path(name).name)
        path.write_bytes(data)
        return read(registry.task(protocol.task), str(path), form, **reading_options(protocol))


def told(check: Check) -> Iterator[str]:
    """A check in words, for people."""
    yield f"{check.documents} document{'s' * (check.documents != 1)}"
    yield from check.notes
    for one in check.residue[:20]:
        where = f"line {one.line}" if one.line else f"word {one.word:,}"
        yield f"residue: {one.document}, {where}: expected {one.expected!r}, found {one.found!r}"
    if check.residue_count > 20:
        yield f"residue: … and {check.residue_count - 20} more"


def as_data(check: Check) -> Mapping[str, Any]:
    """A check as plain data."""
    return {
        "problems": [[problem.path, problem.line, problem.column, problem.message] for problem in check.problems],
        "notes": list(check.notes),
        "residue": [list(one) for one in check.residue],
        "residue_count": check.residue_count,
        "documents": check.documents,
    }
