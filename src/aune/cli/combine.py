"""`aune combine`: one response out of several, by a vote."""

from __future__ import annotations

import codecs
import io
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from aune.cli._inputs import File, Share, TaskName, warn_of_memory
from aune.cli._output import OutputFile, progress, put_parts, warn, writable_format

if TYPE_CHECKING:
    from aune.contract.format import Format
    from aune.contract.task import Task

GROUP = "Files"
KEY = ""
"""Instead of the name of a system: the file whose texts are annotated."""


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
    from aune.errors import UsageError
    from aune.reading.system_names import system_names

    home = registry.task(task)
    if home.extras.combine is None:
        raise UsageError(f"there is no way to combine responses of {task}: expected tagging, entities, coref or speech")
    _check_places(task, responses, output)
    named = system_names(responses)
    weights = {name: _number(name, value) for name, value in _by_name(weight or []).items()}
    settings = {"weights": weights or None, "tables": _by_name(table or [], named) or None, "tagset": tagset,
                "least": least, "confidence": confidence, "frequency": frequency, "null": null}  # fmt: skip
    chosen = {name: value for name, value in settings.items() if value is not None}
    vote = _Vote(home, named, key, chosen, input_format, output_format, output, disagreements, below)
    if not _combine_in_pieces(vote):
        warn_of_memory("combine", [*named.values(), *([key] if key else [])])
        _combine_whole(vote)


@dataclass(frozen=True)
class _Vote:
    """What is combined, how, and where it is written."""

    home: Task
    systems: Mapping[str, str]
    key: str | None
    options: Mapping[str, Any]
    input_format: str | None
    output_format: str | None
    output: Path | None
    disagreements: Path | None
    below: float

    def check_systems(self, names: Iterable[str]) -> None:
        """Refuse weights and tables of systems that are not there, and options that the task does not take."""
        from aune.contract.options import check_known, options_of

        assert self.home.extras.combine is not None
        check_known([*self.options.get("weights", ()), *self.options.get("tables", ())], names, "system")
        check_known(self.options, options_of(self.home.extras.combine), f"option of combine {self.home.name}")

    def form(self, text_format: str | None) -> Format:
        """The format of the output."""
        target = "-" if self.output is None else str(self.output)
        return writable_format(self.home.name, target, self.output_format, text_format)

    @property
    def listing_options(self) -> dict[str, Any]:
        """The options of the list of disagreements."""
        from aune.contract.options import options_of

        listing = self.home.extras.disagreements
        known = options_of(listing) if listing else {}
        return {**{name: value for name, value in self.options.items() if name in known}, "below": self.below}


def _combine_in_pieces(vote: _Vote) -> bool:
    """Combine long files in bounded memory; False where they must be read as a whole, for one thing to be refused."""
    from aune.errors import InputError, UsageError
    from aune.evaluation import streaming
    from aune.evaluation.corpus_pieces import CorpusPieces, NeedsWholeFilesError, read_until_agreed
    from aune.evaluation.piecewise_combination import PiecewiseCombination, write_documents, write_sorted_rows
    from aune.evaluation.piecewise_conversion import can_be_written_in_pieces
    from aune.reading.corpus import open_files

    if not all(Path(path).is_file() or Path(path).is_dir() for path in [*vote.systems.values(), vote.key or "."]):
        return False
    with progress() as update, ExitStack() as stack:
        try:
            files = {
                name: open_files(vote.home, path, vote.input_format, {})
                for name, path in {**({KEY: vote.key} if vote.key else {}), **vote.systems}.items()
            }
            is_long = max(corpus.size for corpus in files.values()) > streaming.PIECE
            pieces = {
                name: CorpusPieces(vote.home, corpus, {}, update, with_short=is_long) for name, corpus in files.items()
            }
            text = next(iter(pieces.values()))
            systems = {name: pieces[name] for name in vote.systems}
            vote.check_systems(systems)
            form = vote.form("+".join(text.files.formats))
            if not can_be_written_in_pieces(form, {}):
                return False
            combination = PiecewiseCombination(vote.home, text, systems, vote.options)
            combined, listed = (stack.enter_context(NamedTemporaryFile(prefix="aune-")) for _ in range(2))
            read_until_agreed(lambda: write_documents(combination, form, combined))
            if vote.disagreements is not None:
                read_until_agreed(lambda: write_sorted_rows(combination.disagreements(vote.listing_options), listed))
        except (NeedsWholeFilesError, UsageError, InputError):
            return False
        for system in systems.values():
            warn(system.summary.warnings)
        assert vote.home.extras.combination_notes is not None
        for note in vote.home.extras.combination_notes(combination.record):
            warn([note])
        _put_files(vote, combined, listed)
    return True


def _combine_whole(vote: _Vote) -> None:
    """Combine files with all documents in memory."""
    from aune.reading.annotator_split import read_by_annotator
    from aune.reading.corpus import read

    home = vote.home
    systems = read_by_annotator(home, vote.systems, vote.input_format)
    vote.check_systems(systems)
    text = read(home, vote.key, vote.input_format) if vote.key else next(iter(systems.values()))
    for corpus in systems.values():
        warn(corpus.warnings)
    documents_by_system = {name: corpus.documents for name, corpus in systems.items()}
    assert home.extras.combine is not None and home.extras.disagreements is not None
    documents = home.extras.combine(text.documents, documents_by_system, **vote.options, tell=lambda note: warn([note]))
    form = vote.form(text.format)
    assert form.write is not None
    combined = "".join(form.write(documents)).encode(errors="backslashreplace")
    listed = b""
    if vote.disagreements is not None:
        rows = home.extras.disagreements(text.documents, documents_by_system, **vote.listing_options)
        lines = ["\t".join(map(str, row)) + "\n" for row in rows]
        listed = "".join(lines).encode(errors="backslashreplace")
    _put_files(vote, io.BytesIO(combined), io.BytesIO(listed))


def _put_files(vote: _Vote, combined: IO[bytes], listed: IO[bytes]) -> None:
    """Write the combination and the list of disagreements, both or none."""
    from aune.files import file_transaction

    combined.seek(0)
    listed.seek(0)
    with file_transaction() as files:
        if vote.disagreements is not None:
            files.write(vote.disagreements, listed)
        if vote.output is None:
            put_parts(codecs.iterdecode(combined, "utf-8"), None)
        else:
            files.write(vote.output, combined)


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
