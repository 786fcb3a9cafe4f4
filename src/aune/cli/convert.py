"""`aune convert`: the same documents in another format."""

from __future__ import annotations

import io
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

from aune import STDIN
from aune.cli._inputs import Count, File, FormatOptions, TaskName, keywords, warn_of_memory
from aune.cli._output import STANDARD_OUTPUT, AsJson, progress, put_json, warn, writable_format

if TYPE_CHECKING:
    from aune.contract.format import Format
    from aune.contract.task import Task
    from aune.files import FileTransaction
    from aune.reading.corpus import Corpus, OpenedFiles


GROUP = "Files"


def convert(
    task: TaskName,
    source: File,
    target: File,
    /,
    *,
    input_format: Annotated[str | None, Parameter(name=["--from", "--input-format"])] = None,
    output_format: Annotated[str | None, Parameter(name=["--to"])] = None,
    onto: File | None = None,
    place: Literal["in-order", "first", "all"] = "in-order",
    passage: Count | None = None,
    json: AsJson = False,
    **options: FormatOptions,
) -> None:
    """Convert a file between formats, and report what the new one cannot contain; the same format keeps every byte.

    aune convert coref novel.conll novel.jsonl --to jsonlines

    Parameters
    ----------
    task
        The task that the file belongs to.
    source
        The file to read, or - for standard input.
    target
        The file to write, or - for standard output. Its name decides the format unless --to does. A format that has
        several files for one document (brat) takes a folder for several documents.
    input_format
        The format of the source, when it should not be recognised from the content.
    output_format
        The format to write.
    onto
        A key: the annotation is aligned with its text before it is written (see the page on any output).
    place
        With --onto, how strings without positions are located in the text.
    passage
        Only the first sentences of each text, with about so many mentions; with --onto, so many mentions of the key,
        so that a response ends where its key does (coref).
    json
        Print as JSON what was read and written, and what the new format cannot contain.
    """
    from aune.contract import registry
    from aune.errors import InputError, UsageError
    from aune.evaluation.plan import check_options_used, check_reader_options
    from aune.reading.corpus import open_files

    home = registry.task(task)
    reader_kwargs = check_reader_options(home, keywords(options))
    if json and target in ("-", STDIN):
        raise UsageError("--json prints what was done where the converted file would go: name a file to write")
    form = writable_format(task, target, output_format)
    files = open_files(home, source, input_format, reader_kwargs)
    if files.problems:
        raise InputError(files.problems)
    check_options_used(home, reader_kwargs, files.options, list(files.formats))
    segments = {"group": "meeting"} if _has_segments(form, files) and "group" not in reader_kwargs else {}
    inputs = [Path(name) for name in (source, onto) if name]
    order = _Order(home, form, files, {**reader_kwargs, **segments}, segments, source, target, inputs)
    outcome = None if onto or passage is not None else _convert_in_pieces(order)
    if outcome is None:
        warn_of_memory("convert", [source, *([onto] if onto else [])])
        outcome = _convert_whole(order, onto, place, passage)
    warn(f"{form.name} cannot represent {what}: {count:,} lost" for what, count in outcome.lost.items())
    if json:
        summary = {
            "source": source,
            "from": "+".join(files.formats),
            "target": target,
            "to": form.name,
            "documents": outcome.documents,
        }
        lists = {"lost": dict(outcome.lost), "warnings": list(outcome.warnings)}
        put_json({"schema": 1, "task": task, **summary, **lists}, None)


@dataclass(frozen=True)
class _Order:
    """What is converted, and to what."""

    home: Task
    form: Format
    files: OpenedFiles
    options: Mapping[str, Any]
    """The options that the files are read with."""
    options_after: Mapping[str, Any]
    """The options that the written file is read back with."""
    source: str
    target: str
    inputs: Sequence[Path]

    @property
    def keeps_bytes(self) -> bool:
        """Whether the target has the format of the source, whose bytes it keeps."""
        same = list(self.files.formats) == [self.form.name] and self.form.splice is not None
        return same and len(self.files.files) == 1 and not Path(self.source).is_dir()


class _Outcome(NamedTuple):
    documents: int
    warnings: Sequence[str]
    lost: Mapping[str, int]


def _has_segments(form: Format, files: OpenedFiles) -> bool:
    """Whether a format is written from segments with their times, which its source can give instead of one text."""
    from aune.contract.options import options_of

    return all("group" in options_of(reader.read) for reader in (form, *files.formats.values()))


def _convert_in_pieces(order: _Order) -> _Outcome | None:
    """Convert long files in bounded memory; None for files that must be read as a whole."""
    from aune.errors import UsageError
    from aune.evaluation.corpus_pieces import CorpusPieces, NeedsWholeFilesError
    from aune.evaluation.piecewise_conversion import can_be_written_in_pieces, convert_in_pieces, copy_unchanged

    if not order.keeps_bytes and not can_be_written_in_pieces(order.form, order.options_after):
        return None
    lost: Mapping[str, int] = {}
    with progress() as update, NamedTemporaryFile(prefix="aune-") as file:
        try:
            pieces = CorpusPieces(order.home, order.files, order.options, update)
            if order.keeps_bytes:
                copy_unchanged(pieces, file)
            else:
                lost = convert_in_pieces(pieces, order.form, file, order.target, **order.options_after)
        except NeedsWholeFilesError:
            return None
        except UsageError:
            warn(pieces.summary.warnings)
            raise
        warn(pieces.summary.warnings)
        file.seek(0)
        _put_files(order, file, {})
    return _Outcome(pieces.summary.documents, pieces.summary.warnings, lost)


def _convert_whole(order: _Order, onto: str | None, place: str, passage: int | None) -> _Outcome:
    """Convert files with all documents in memory."""
    from aune.errors import InputError
    from aune.reading.conversion import convert_documents, splice_documents
    from aune.reading.corpus import read_opened_files
    from aune.reading.source import Source

    home, form = order.home, order.form
    corpus, problems = read_opened_files(home, order.files, order.options)
    if problems:
        raise InputError(problems)
    warn(corpus.warnings)
    pairs = [(None, document) for document in corpus.documents]
    if onto is not None:
        pairs = list(_align_to_key(home, onto, corpus, place))
    documents = [document for _, document in pairs] if passage is None else _passages(home, pairs, passage)
    if form.beside and len(documents) > 1:
        lost = _write_folder(order, documents)
    else:
        if order.keeps_bytes and onto is None and passage is None:
            origin, _ = order.files.files[0]
            source = Source(origin.name, origin.read(0, origin.size), origin.path)
            options = {**corpus.options, **order.options_after}
            conversion = splice_documents(home, form, source, corpus.documents, **options)
        else:
            conversion = convert_documents(home, form, documents, order.target, **order.options_after)
        _put_files(order, conversion.data, conversion.beside)
        lost = conversion.lost
    return _Outcome(len(documents), corpus.warnings, lost)


def _passages(home: Task, pairs: Sequence[tuple[Any, Any]], mentions: int) -> list[Any]:
    from aune.errors import UsageError

    if home.reading.passage is None:
        raise UsageError(f"--passage: {home.name} has no passages of so many mentions; coref has")
    return [home.reading.passage(document, mentions, key) for key, document in pairs]


def _align_to_key(home: Task, onto: str, corpus: Corpus, place: str) -> Sequence[tuple[Any, Any]]:
    """The key's documents with the annotation aligned with their text; what has no place there causes a warning."""
    from aune.alignment.placement_records import placement_facts, placement_notes
    from aune.errors import UsageError
    from aune.evaluation.pairing import pair
    from aune.reading.corpus import read

    if home.reading.realign is None:
        raise UsageError(f"--onto: {home.name} has no text to lay annotation on; coref and entities have")
    pairs, notes = pair(home, read(home, onto), corpus, missing="skip")
    aligned, records = home.reading.realign(pairs, "words", place, "ignore", "refuse")
    warn([*notes, *placement_notes(placement_facts(records, "ignore"))])
    return aligned


def _put_files(order: _Order, content: bytes | IO[bytes], beside: Mapping[str, bytes]) -> None:
    """Write a file and those beside it, none of them over an input."""
    from aune.errors import UsageError
    from aune.files import add_filename, file_transaction

    if order.target not in ("-", STDIN):
        with file_transaction(order.inputs) as files:
            _write_files(files, content, beside, Path(order.target))
        return
    if beside:
        raise UsageError(f"{order.form.name} is written with {', '.join(beside)} beside it: name a file")
    sys.stdout.flush()
    with add_filename(STANDARD_OUTPUT):
        shutil.copyfileobj(io.BytesIO(content) if isinstance(content, bytes) else content, sys.stdout.buffer)


def _write_files(files: FileTransaction, content: bytes | IO[bytes], beside: Mapping[str, bytes], target: Path) -> None:
    for ending, data in beside.items():
        files.write(target.with_suffix(ending), data)
    files.write(target, content)


def _write_folder(order: _Order, documents: Sequence[Any]) -> Mapping[str, int]:
    """Write every document to a file of its own, named after it: all of them or none; what they do not hold."""
    import re

    from aune.errors import UsageError
    from aune.files import file_transaction, fill_folder
    from aune.reading.conversion import convert_documents

    form, target = order.form, order.target
    if Path(target).suffix.lower() in form.suffixes or target in ("-", STDIN):
        raise UsageError(f"{form.name} has one document per file, and there are {len(documents)}: name a folder")
    named: dict[str, str] = {}
    lost: Counter[str] = Counter()
    with fill_folder(Path(target)) as folder, file_transaction(order.inputs) as files:
        before = {path.name for path in folder.iterdir() if path.suffix.lower() in form.suffixes}
        for document in documents:
            name = re.sub(r"[^\w. ()-]", "_", document.id).strip(". ") or "document"
            file = f"{name}{form.suffixes[0]}"
            if file.casefold() in named:
                other = named[file.casefold()]
                raise UsageError(f"documents {other!r} and {document.id!r} would both be {file}: rename one")
            named[file.casefold()] = document.id
            conversion = convert_documents(order.home, form, [document], file)
            _write_files(files, conversion.data, conversion.beside, folder / file)
            lost.update(conversion.lost)
    others = sorted(name for name in before if name.casefold() not in named)
    warn(
        [f"{target}: {len(others):,} other files stand there ({others[0]}…), and are read with these"] if others else []
    )
    return lost
