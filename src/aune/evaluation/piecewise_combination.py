"""Combine the long files of several systems piece by piece, where all of them have the same documents in one order."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from mmap import ACCESS_READ, mmap
from tempfile import NamedTemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np

from aune.contract.format import Format
from aune.contract.survey import Answers, Survey, disagrees, unite_answers
from aune.contract.task import Task
from aune.contract.voting import VoteRecord
from aune.evaluation.corpus_pieces import AnswersDifferError, CorpusPieces, NeedsWholeFilesError
from aune.evaluation.piecewise_conversion import write_anew


class Part(NamedTuple):
    """The same documents of a text and of all systems."""

    text: list[Any]
    systems: dict[str, list[Any]]
    record: VoteRecord


class PiecewiseCombination:
    """The combined documents of several systems, made again by every iteration; writers iterate and keep none.

    Raises `NeedsWholeFilesError` where documents are missing or in another order.
    """

    def __init__(
        self, task: Task, text: CorpusPieces, systems: Mapping[str, CorpusPieces], options: Mapping[str, Any]
    ) -> None:
        self.task, self.text, self.systems, self.options = task, text, systems, options
        self.record = VoteRecord()
        """The facts of the last iteration."""
        self._known: Mapping[str, Answers] = {}

    def __iter__(self) -> Iterator[Any]:
        assert self.task.extras.combine is not None
        record = VoteRecord()
        for part in self._parts(record):
            yield from self.task.extras.combine(part.text, part.systems, **self.options, record=part.record)
        self.record = record

    def disagreements(self, options: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
        """The headings of the list of disagreements, and its rows in the order of the text."""
        assert self.task.extras.disagreements is not None
        is_first = True
        for part in self._parts(VoteRecord()):
            heading, *rows = self.task.extras.disagreements(part.text, part.systems, **options, record=part.record)
            yield from [heading, *rows] if is_first else rows
            is_first = False

    def _parts(self, record: VoteRecord) -> Iterator[Part]:
        """The documents of each piece of the text, with those of all systems; their facts go to the record."""
        answers: list[dict[str, Answers]] = []
        documents = {name: iter(pieces) for name, pieces in self.systems.items() if pieces is not self.text}
        for text in self.text.batches():
            ids = [document.id for document in text]
            systems = {name: list(islice(documents[name], len(text))) if name in documents else text
                       for name in self.systems}  # fmt: skip
            if any([document.id for document in batch] != ids for batch in systems.values() if batch is not text):
                raise NeedsWholeFilesError
            surveys = {name: Survey(self._known.get(name, {})) for name in self.systems}
            yield Part(text, systems, VoteRecord(record.facts, surveys))
            answers.append({name: survey.seen for name, survey in surveys.items()})
        if any(next(rest, None) is not None for rest in documents.values()):
            raise NeedsWholeFilesError
        for pieces in (self.text, *self.systems.values()):
            pieces.check_names()
        self._settle(answers)

    def _settle(self, answers: Sequence[Mapping[str, Answers]]) -> None:
        """Require another iteration where parts decided differently from the corpus."""
        known = {name: unite_answers(part[name] for part in answers) for name in self.systems}
        if known != self._known and any(disagrees(part[name], known[name]) for part in answers for name in part):
            self._known = known
            raise AnswersDifferError


def write_documents(combination: PiecewiseCombination, form: Format, target: IO[bytes]) -> None:
    """Write the combined documents to an open file."""
    assert form.write is not None
    write_anew(target, (part.encode(errors="backslashreplace") for part in form.write(combination)))


def write_sorted_rows(rows: Iterator[Sequence[Any]], target: IO[bytes]) -> None:
    """Write a list of disagreements to an open file, by increasing agreement."""
    write_anew(target, _sorted_lines(rows))


def _sorted_lines(rows: Iterator[Sequence[Any]]) -> Iterator[bytes]:
    """The heading, and the lines of rows by their agreement, in a stable order; unsorted lines are on the disk."""
    heading = next(rows)
    yield _line(heading)
    place = list(heading).index("agreement")
    numbers, ends = array("d"), array("q", [0])
    with NamedTemporaryFile(prefix="aune-") as file:
        for row in rows:
            numbers.append(float(row[place]))
            ends.append(ends[-1] + file.write(_line(row)))
        file.flush()
        if numbers:
            with mmap(file.fileno(), 0, access=ACCESS_READ) as lines:
                for number in np.argsort(np.array(numbers), kind="stable").tolist():
                    yield lines[ends[number] : ends[number + 1]]


def _line(row: Sequence[Any]) -> bytes:
    return ("\t".join(map(str, row)) + "\n").encode(errors="backslashreplace")
