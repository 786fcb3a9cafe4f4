"""One corpus read piece by piece, for commands that look at every document once and store none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from aune.contract.notes import Note, file_note_texts
from aune.contract.survey import Survey, disagrees, unite_answers
from aune.contract.task import Task
from aune.evaluation import streaming
from aune.evaluation.counting import Chunk, Job, pause_garbage_collection, read_documents
from aune.evaluation.leftovers import all_different
from aune.reading.corpus import OpenedFiles


class CorpusSummary(NamedTuple):
    """Facts about the whole corpus."""

    documents: int
    warnings: tuple[str, ...]
    is_annotated: bool


def read_in_pieces(
    task: Task,
    files: OpenedFiles,
    options: Mapping[str, Any],
    look: Callable[[list[Any]], bool],
    progress: Callable[[float], None] = lambda share: None,
) -> CorpusSummary | None:
    """Pass the documents of every piece to `look`, until it returns False; None if they must be read as a whole.

    None is returned for short files, where `look` requires it, and for what only a complete reading reports correctly:
    problems of the input, repeated names, and decisions on which the pieces disagree.
    """
    if files.problems or files.size <= streaming.PIECE:
        return None
    job = Job(task.name, (), {}, {}, (options, options))
    side = streaming.cut_side(job, files)
    cuts = side.cut_points(streaming.PIECE)
    notes: dict[str, list[Note]] = {origin.name: [*files.notes[origin.name]] for origin, _ in files.files}
    names, answers = [], []
    is_annotated = False
    for number in range(len(cuts) - 1):
        survey = Survey()
        pieces = tuple(side.pieces(*cuts[number : number + 2])[0])
        with pause_garbage_collection():
            part = read_documents(job, Chunk(number), pieces, options, survey)
            if part.read.problems or not part.read.is_standalone or not look(part.documents):
                return None
        names.append(part.read.names)
        answers.append(survey.seen)
        is_annotated = is_annotated or any(map(task.reading.annotation[1], part.documents))
        for name, piece_notes in part.read.notes.items():
            notes[name] += piece_notes
        progress((number + 1) / (len(cuts) - 1))
    files.check_unchanged()
    known = unite_answers(answers)
    if not all_different(names) or any(disagrees(seen, known) for seen in answers):
        return None
    return CorpusSummary(sum(map(len, names)), tuple(file_note_texts(notes)), is_annotated)
