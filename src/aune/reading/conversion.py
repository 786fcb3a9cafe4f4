"""Convert documents to another format, read them back, and count what was lost.

A format may have no place for parts of the documents, but nothing is lost silently: the written text is read again,
and what is missing is counted by kind.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from aune.contract.format import Format
from aune.contract.task import Task
from aune.errors import InputError, Problem, UsageError
from aune.reading.source import Source

BYTE_ORDER_MARK = "\ufeff"  # the byte order mark; anywhere but at the beginning of a file it is a letter


class Conversion(NamedTuple):
    """A written file, the files that must be beside it by suffix, and what they do not contain, counted by kind."""

    data: bytes
    beside: Mapping[str, bytes]
    lost: Mapping[str, int]


def convert_documents(
    task: Task, form: Format, documents: Sequence[Any], name: str = "converted", **options: Any
) -> Conversion:
    """Documents as one file of a format; `name` is the future name of the file, `options` are for reading it back."""
    if form.write is None:
        raise UsageError(f"{form.name} is only read: choose another format")
    refuse_strings(documents)
    data = b"".join(encode_parts(form.write(documents)))
    beside = {ending: text.encode() for ending, text in (form.beside(documents) if form.beside else {}).items()}
    return Conversion(data, beside, count_losses(task, documents, read_back(form, data, beside, name, **options)))


def encode_parts(parts: Iterable[str]) -> Iterator[bytes]:
    """The bytes of a written text; a mark of byte order at its beginning is doubled, because readers remove one."""
    nonempty = filter(None, parts)
    for first in nonempty:
        mark = BYTE_ORDER_MARK if first.startswith(BYTE_ORDER_MARK) else ""
        yield (mark + first).encode(errors="backslashreplace")
        yield from (part.encode(errors="backslashreplace") for part in nonempty)


def refuse_strings(documents: Sequence[Any]) -> None:
    """Refuse answers of a language model that have no place in a text: no format can contain them."""
    for document in documents:
        if getattr(document, "listed", None):
            what = f"document {document.id!r} lists strings, which have no place in a text"
            raise UsageError(f"{what}: lay them on that of a key (--onto)")


def splice_documents(
    task: Task, form: Format, source: Source, documents: Sequence[Any], /, **options: Any
) -> Conversion:
    """A file in which the annotation is replaced by that of documents on the same texts; the files beside it stay."""
    if form.splice is None:
        raise UsageError(f"{form.name} has no way to put an annotation into a file: write a new one")
    data = form.splice(source, documents, **options)
    reread = list(form.read(Source(source.name, data, source.path), **options))
    missing = {**count_losses(task, documents, reread), **source.dropped}
    return Conversion(data, dict(_companions(form, source, documents)), missing)


def _companions(form: Format, source: Source, documents: Sequence[Any]) -> Iterator[tuple[str, bytes]]:
    """The files beside a source, unchanged."""
    for ending in form.beside(documents) if form.beside else ():
        path = source.path.with_suffix(ending) if source.path else None
        if path and path.is_file():
            yield ending, path.read_bytes()


def read_back(form: Format, data: bytes, beside: Mapping[str, bytes], name: str, **options: Any) -> list[Any]:
    """The documents in a written file."""
    try:
        if not beside:
            return _read_documents(form, Source(name, data), **options)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, Path(name).name)
            for ending, text in beside.items():
                path.with_suffix(ending).write_bytes(text)
            return _read_documents(form, Source(name, data, path), **options)
    except InputError as error:
        raise UsageError(unreadable_message(form, error.problems)) from None
    except OSError as error:  # the name of a document, which becomes that of its file, may be impossible for a file
        raise UsageError(f"cannot be written as {form.name}: {Path(name).name[:40]}…: {error.strerror}") from None


def unreadable_message(form: Format, problems: Sequence[Problem]) -> str:
    """The refusal of a written file that cannot be read back."""
    return f"cannot be written as {form.name}: reading it back finds {problems[0].message}"


def _read_documents(form: Format, source: Source, **options: Any) -> list[Any]:
    documents = list(form.read(source, **options))
    source.raise_problems()
    return documents


def count_losses(task: Task, before: Sequence[Any], after: Sequence[Any]) -> dict[str, int]:
    """What documents contain that others of the same names do not, counted by kind."""
    losses: Counter[str] = Counter()
    unmatched: dict[str, list[Any]] = {}
    for document in reversed(after):
        unmatched.setdefault(document.id, []).append(document)
    for number, document in enumerate(before):
        reread = unmatched[document.id].pop() if unmatched.get(document.id) else None
        if reread is None and number < len(after):
            losses["document names"] += 1
            reread = after[number]
        if reread is None:
            losses["documents"] += 1
        else:
            losses.update(count_document_losses(task, document, reread))
    return {name: count for name, count in losses.items() if count}


def count_document_losses(task: Task, before: Any, after: Any) -> Mapping[str, int]:
    """What a document contains that its other version does not, counted by kind."""
    if task.reading.count_losses:
        return task.reading.count_losses(before, after)
    counts_before, counts_after = (Counter(task.reading.content_counts([side])) for side in (before, after))
    return counts_before - counts_after
