"""Corpora read piece by piece, for commands that look at every document and store none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from aune.contract.notes import Note, file_note_texts
from aune.contract.survey import Answers, Survey, disagrees, unite_answers
from aune.contract.task import Task
from aune.errors import Problem
from aune.evaluation import streaming
from aune.evaluation.counting import Chunk, Job, SideDocuments, pause_garbage_collection, read_documents
from aune.evaluation.leftovers import all_different
from aune.numeric.digests import Digests, digests
from aune.reading.corpus import OpenedFiles, unannotated_warning

Outcome = TypeVar("Outcome")
MOST_READINGS = 8  # of several systems, each may need another reading


class CorpusSummary(NamedTuple):
    """Facts about the whole corpus."""

    documents: int
    warnings: tuple[str, ...]


class NeedsWholeFilesError(Exception):
    """Files that are read in pieces turn out to need a complete reading, which says what is wrong with them."""

    def __init__(self, problems: Sequence[Problem] = ()) -> None:
        super().__init__()
        self.problems = problems


class AnswersDifferError(Exception):
    """Pieces decided differently about the corpus; the next reading uses the answers of all of them."""


class CorpusPieces:
    """The documents of long files, read again by every iteration, and stored by none.

    `NeedsWholeFilesError` is raised where a complete reading is needed: for short files (unless they are read with long
    ones) and those that cannot be cut, and by an iteration for problems of the input and for pieces that cannot be read
    without the rest. It raises `AnswersDifferError` at its end where documents depend on a decision that the next
    iteration knows.
    """

    def __init__(
        self,
        task: Task,
        files: OpenedFiles,
        options: Mapping[str, Any],
        progress: Callable[[str, float], None] | None = None,
        *,
        with_short: bool = False,
    ) -> None:
        if files.problems or (files.size <= streaming.PIECE and not with_short):
            raise NeedsWholeFilesError
        self.task, self.files, self.options = task, files, options
        self.progress = progress or (lambda what, share: None)
        self.names: Digests = digests([])
        """The digests of the names of all documents, after an iteration."""
        self.summary = CorpusSummary(0, ())
        """Facts about the corpus, after an iteration."""
        self._job = Job(task.name, (), {}, {}, (options, options))
        self._side = streaming.cut_side(self._job, files)
        self._cuts = self._side.cut_points(streaming.PIECE)
        self._known: Answers = {}
        if any(part.cutter.documents < 2 and part.origin.size > streaming.PIECE for part in self._side.parts):
            raise NeedsWholeFilesError

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches():
            yield from batch

    def batches(self, what: str = "") -> Iterator[list[Any]]:
        """The documents of each piece, while the progress of `what` (reading the file) is reported."""
        names, answers, is_annotated = [], [], False
        notes: dict[str, list[Note]] = {origin.name: [*self.files.notes[origin.name]] for origin, _ in self.files.files}
        for number in range(len(self._cuts) - 1):
            survey = Survey(self._known)
            part = self._read(number, survey)
            names.append(part.read.names)
            answers.append(survey.seen)
            is_annotated = is_annotated or any(map(self.task.reading.annotation[1], part.documents))
            for name, piece_notes in part.read.notes.items():
                notes[name] += piece_notes
            yield part.documents
            self.progress(what or f"reading {self.files.path}", (number + 1) / (len(self._cuts) - 1))
        self.files.check_unchanged()
        known = unite_answers(answers)
        if known != self._known and any(disagrees(seen, known) for seen in answers):
            self._known = known
            raise AnswersDifferError
        warnings = file_note_texts(notes)
        if not is_annotated:
            warnings.append(unannotated_warning(self.task, self.files.path, "+".join(self.files.formats)))
        self.names, self.summary = np.concatenate(names), CorpusSummary(sum(map(len, names)), tuple(warnings))

    def _read(self, number: int, survey: Survey) -> SideDocuments:
        pieces = tuple(self._side.pieces(*self._cuts[number : number + 2])[0])
        with pause_garbage_collection():
            part = read_documents(self._job, Chunk(number), pieces, self.options, survey)
        if part.read.problems or not part.read.is_standalone:
            raise NeedsWholeFilesError(part.read.problems)
        return part

    def check_names(self) -> None:
        """After an iteration: names that occur twice need a complete reading, which reports them."""
        if not all_different([self.names]):
            raise NeedsWholeFilesError


def read_until_agreed(work: Callable[[], Outcome]) -> Outcome:
    """The outcome of work that iterates over pieces; it is repeated where their answers differ."""
    for _ in range(MOST_READINGS):
        try:
            return work()
        except AnswersDifferError:
            pass
    raise NeedsWholeFilesError


def read_in_pieces(
    task: Task,
    files: OpenedFiles,
    options: Mapping[str, Any],
    look: Callable[[list[Any]], bool],
    progress: Callable[[str, float], None] | None = None,
) -> CorpusSummary | None:
    """Pass the documents of every piece to `look`, until it returns False; None if they must be read as a whole."""
    try:
        pieces = CorpusPieces(task, files, options, progress)
        is_complete = read_until_agreed(lambda: all(map(look, pieces.batches())))
        pieces.check_names()
    except NeedsWholeFilesError:
        return None
    return pieces.summary if is_complete else None
