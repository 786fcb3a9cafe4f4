"""`aune convert`: the same documents in another format."""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from aune import STDIN
from aune.cli._inputs import Count, File, FormatOptions, TaskName, keywords, warn_of_memory
from aune.cli._output import STANDARD_OUTPUT, AsJson, put_json, warn, writable_format

if TYPE_CHECKING:
    from aune.contract.format import Format
    from aune.contract.task import Task
    from aune.files import FileTransaction
    from aune.reading.conversion import Conversion
    from aune.reading.corpus import Corpus


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
    from aune.compression import read_bounded
    from aune.contract import registry
    from aune.errors import UsageError
    from aune.evaluation.plan import check_options_used, check_reader_options
    from aune.reading.conversion import convert_documents, splice_documents
    from aune.reading.corpus import read
    from aune.reading.source import Source, file_source

    home = registry.task(task)
    reader_kwargs = check_reader_options(home, keywords(options))
    warn_of_memory("convert", [source, *([onto] if onto else [])])
    path = None if source in ("-", STDIN) else Path(source)
    data = read_bounded(STDIN, sys.stdin.buffer) if path is None else b""
    corpus = read(home, source if path else _Stdin(data), input_format, **reader_kwargs)
    check_options_used(home, reader_kwargs, corpus.options, [corpus.format or ""])
    warn(corpus.warnings)
    if json and target in ("-", STDIN):
        raise UsageError("--json prints what was done where the converted file would go: name a file to write")
    form = writable_format(task, target, output_format)
    as_segments = {"group": "meeting"} if _has_segments(home, form, corpus) and "group" not in reader_kwargs else {}
    if as_segments:
        corpus = read(home, source if path else _Stdin(data), corpus.format, **reader_kwargs, **as_segments)
    inputs = [Path(name) for name in (source, onto) if name]
    pairs = (
        [(None, document) for document in corpus.documents]
        if onto is None
        else _align_to_key(home, onto, corpus, place)
    )
    documents = [document for _, document in pairs] if passage is None else _passages(home, pairs, passage)
    as_it_is = onto is None and passage is None and corpus.format == form.name
    if form.beside and len(documents) > 1:
        lost = _write_folder(home, form, documents, target, inputs)
    elif as_it_is and form.splice and not (path and path.is_dir()):
        file = file_source(path) if path else Source(STDIN, data)
        lost = _write_conversion(
            splice_documents(home, form, file, corpus.documents, **corpus.options), form, target, inputs
        )
    else:
        conversion = convert_documents(home, form, documents, target, **as_segments)
        lost = _write_conversion(conversion, form, target, inputs)
    warn(f"{form.name} cannot hold {what}: {count:,} lost" for what, count in lost.items())
    if json:
        summary = {
            "source": source,
            "from": corpus.format,
            "target": target,
            "to": form.name,
            "documents": len(documents),
        }
        put_json({"schema": 1, "task": task, **summary, "lost": dict(lost), "warnings": list(corpus.warnings)}, None)


def _has_segments(home: Task, form: Format, corpus: Corpus) -> bool:
    """Whether a format is written from segments with their times, which its source can give instead of one text."""
    from aune.contract import registry
    from aune.contract.options import options_of

    readers = [form.read, registry.format(home.name, corpus.format).read] if corpus.format else []
    return bool(readers) and all("group" in options_of(reader) for reader in readers)


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


class _Stdin(io.BytesIO):
    """Standard input, already read."""

    name = STDIN


def _write_conversion(conversion: Conversion, form: Format, target: str, inputs: Sequence[Path]) -> Mapping[str, int]:
    """Write a file and those beside it, none of them over an input; what they do not hold, with counts."""
    from aune.errors import UsageError
    from aune.files import add_filename, file_transaction

    if target in ("-", STDIN):
        if conversion.beside:
            raise UsageError(f"{form.name} is written with {', '.join(conversion.beside)} beside it: name a file")
        sys.stdout.flush()
        with add_filename(STANDARD_OUTPUT):
            sys.stdout.buffer.write(conversion.data)
    else:
        with file_transaction(inputs) as files:
            _write_files(files, conversion, Path(target))
    return conversion.lost


def _write_files(files: FileTransaction, conversion: Conversion, target: Path) -> None:
    for ending, data in conversion.beside.items():
        files.write(target.with_suffix(ending), data)
    files.write(target, conversion.data)


def _write_folder(
    home: Task, form: Format, documents: Sequence[Any], target: str, inputs: Sequence[Path]
) -> Mapping[str, int]:
    """Write every document to a file of its own, named after it: all of them or none; what they do not hold."""
    import re

    from aune.errors import UsageError
    from aune.files import file_transaction, fill_folder
    from aune.reading.conversion import convert_documents

    if Path(target).suffix in form.suffixes or target in ("-", STDIN):
        raise UsageError(f"{form.name} holds one document per file, and there are {len(documents)}: name a folder")
    named: dict[str, str] = {}
    lost: Counter[str] = Counter()
    with fill_folder(Path(target)) as folder, file_transaction(inputs) as files:
        before = {path.name for path in folder.iterdir() if path.suffix in form.suffixes}
        for document in documents:
            name = re.sub(r"[^\w. ()-]", "_", document.id).strip(". ") or "document"
            file = f"{name}{form.suffixes[0]}"
            if file.casefold() in named:
                other = named[file.casefold()]
                raise UsageError(f"documents {other!r} and {document.id!r} would both be {file}: rename one")
            named[file.casefold()] = document.id
            conversion = convert_documents(home, form, [document], file)
            _write_files(files, conversion, folder / file)
            lost.update(conversion.lost)
    others = sorted(name for name in before if name.casefold() not in named)
    warn(
        [f"{target}: {len(others):,} other files stand there ({others[0]}…), and are read with these"] if others else []
    )
    return lost
