"""Convert long files piece by piece: documents are written as they are read, and compared with what was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, zip_longest
from typing import IO, Any

import numpy as np

from aune.contract.format import Format
from aune.contract.options import file_version
from aune.contract.task import Task
from aune.errors import UsageError
from aune.evaluation import streaming
from aune.evaluation.corpus_pieces import CorpusPieces, NeedsWholeFilesError, read_until_agreed
from aune.numeric.digests import Digests, digests
from aune.reading.conversion import count_document_losses, encode_parts, read_back, refuse_strings, unreadable_message
from aune.reading.corpus import OpenedFiles
from aune.reading.pieces import BLOCK_SIZE, Origin

NAMES_AT_ONCE = 1 << 12  # names whose digests are computed together


def can_be_written_in_pieces(form: Format, options: Mapping[str, Any]) -> bool:
    """Whether what a format writes can be read back in pieces; its writer then keeps no documents."""
    boundaries = streaming.document_boundaries(form, options)
    return form.write is not None and form.beside is None and (bool(boundaries.marks) or boundaries.by_first_word)


def convert_in_pieces(
    pieces: CorpusPieces, form: Format, target: IO[bytes], name: str, **options: Any
) -> dict[str, int]:
    """Write documents to an open file; what it does not contain, as `convert_documents` counts it.

    `name` is the future name of the file, `options` are for reading it back. Raises `NeedsWholeFilesError` where only a
    complete reading gives the right answer.
    """
    read_until_agreed(lambda: _write_documents(pieces, form, target))
    origin = Origin(name, "", target.tell(), target.name, version=file_version(target.name))
    if origin.size <= streaming.PIECE:
        written: Iterable[Any] = read_back(form, origin.read(0, origin.size), {}, name, **options)
    else:
        written = _WrittenDocuments(pieces.task, form, origin, options)
    return read_until_agreed(lambda: _count_losses(pieces, written))


def copy_unchanged(pieces: CorpusPieces, target: IO[bytes]) -> None:
    """Read documents, so that problems are found, and copy the bytes of their only file."""
    read_until_agreed(lambda: _iterate(pieces))
    pieces.check_names()
    origin, _ = pieces.files.files[0]
    for start in range(0, origin.size, BLOCK_SIZE):
        target.write(origin.read(start, start + BLOCK_SIZE))


def _iterate(pieces: CorpusPieces) -> None:
    for _ in pieces.batches():
        pass


def _write_documents(pieces: CorpusPieces, form: Format, target: IO[bytes]) -> None:
    """Write all documents; what the format refuses is reported after the problems of the input."""
    assert form.write is not None
    try:
        write_anew(target, encode_parts(form.write(_WritableDocuments(pieces))))
        pieces.check_names()
    except UsageError:
        listed = [document for document in pieces if getattr(document, "listed", None)]
        pieces.check_names()
        refuse_strings(listed)
        raise


def write_anew(target: IO[bytes], parts: Iterable[bytes]) -> None:
    """Write an open file from its beginning."""
    target.seek(0)
    target.truncate()
    target.writelines(parts)
    target.flush()


class _WritableDocuments:
    """The documents that a writer iterates over, perhaps several times."""

    def __init__(self, pieces: CorpusPieces) -> None:
        self.pieces = pieces

    def __iter__(self) -> Iterator[Any]:
        for batch in self.pieces.batches():
            refuse_strings(batch)
            yield from batch


class _WrittenDocuments(CorpusPieces):
    """The documents of the written file."""

    def __init__(self, task: Task, form: Format, origin: Origin, options: Mapping[str, Any]) -> None:
        super().__init__(task, OpenedFiles(origin.name, [(origin, form)], {origin.name: ()}, options), options)
        self.form = form

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from super().__iter__()
        except NeedsWholeFilesError as error:
            if not error.problems:
                raise
            raise UsageError(unreadable_message(self.form, error.problems)) from None


def _count_losses(pieces: CorpusPieces, written: Iterable[Any]) -> dict[str, int]:
    """What documents contain that the written ones in the same places do not, counted by kind.

    Documents whose names changed are compared by place, which is right unless a name went to another document.
    """
    losses: Counter[str] = Counter()
    new_names = _NameDigests()
    documents = chain.from_iterable(pieces.batches(f"comparing {pieces.files.path} with what was written"))
    for before, after in zip_longest(documents, written):
        if before is None or after is None or before.id != after.id:
            new_names.add(after)
            losses["documents" if after is None else "document names"] += before is not None
        if before is not None and after is not None:
            losses.update(count_document_losses(pieces.task, before, after))
    if np.isin(new_names.digests, pieces.names).any():
        raise NeedsWholeFilesError
    return {kind: count for kind, count in losses.items() if count}


class _NameDigests:
    """The digests of the names of documents."""

    def __init__(self) -> None:
        self._parts: list[Digests] = []
        self._names: list[str] = []

    def add(self, document: Any) -> None:
        """Add the name of a document, if there is one."""
        if document is not None:
            self._names.append(document.id)
            if len(self._names) >= NAMES_AT_ONCE:
                self._parts.append(digests(self._names))
                self._names = []

    @property
    def digests(self) -> Digests:
        return np.concatenate([*self._parts, digests(self._names)])
