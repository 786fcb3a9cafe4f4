"""The certainty of the models about the right answer, on the key and on the response.

    margin(x)  = P(ŷ|x) − max over y ≠ ŷ of P(y|x)                              (5.5)
    Δ          = margin on the response − margin on the key                     (5.6)
    margin(S)  = the least margin of "outside" over the words of a segment S    (5.9)
    margin′(S) = margin(S) if it is negative, else 1                            (5.8)

A missing entity has margin −1, an empty segment margin 1. Segments run between entities through whole
documents (p. 123), or are cut at the ends of utterances. An entity of a type unknown to the models is treated as one
of any type: its margin is the difference between the best type and "outside".

Source: the thesis of Ben Jannet 2015, §5.5.3.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.numeric.arrays import Floats, Ints, owner_indices, ranges
from aune.numeric.grouping import key_positions
from aune.tasks.speech.alignment.words import AlignmentKind
from aune.tasks.speech.atene.maxent import OUTSIDE, Model, ModelName, load
from aune.tasks.speech.atene.probability_file import ProbabilityTable, is_probability_file, read_probabilities
from aune.tasks.speech.atene.projection import EntityPlaces, project_entities
from aune.tasks.speech.comparison import Comparison
from aune.tasks.speech.model import EntitySelection, Utterance
from aune.tasks.speech.text.phonemes import pronouncer
from aune.typologies.typology import typology

Stretches: TypeAlias = Annotated[
    Literal["document", "utterance"],
    "what words outside entities are put together: those between two entities of a document, or of an utterance",
]
MISSING = -1.0
UNSEEN = -1  # the class of entities of a type that the models do not know
HARMLESS = 1.0


def margin(probabilities: Floats, right: Ints) -> Floats:
    """The difference between the right answer and the best other one (5.5).

    >>> margin(np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1]]), np.array([0, 0])).round(3).tolist()
    [0.5, -0.3]
    """
    rows = np.arange(len(right))
    others = probabilities.copy()
    others[rows, right] = -1.0
    differences: Floats = probabilities[rows, right] - others.max(axis=1)
    unseen = right == UNSEEN
    if unseen.any():
        differences[unseen] = probabilities[unseen, 1:].max(axis=1) - probabilities[unseen, OUTSIDE]
    return differences


def segment_margins(margins: Floats, starts: Ints, ends: Ints) -> Floats:
    """The margin of each segment of words that should be outside entities (5.8 and 5.9); 1 for an empty one.

    >>> segment_margins(np.array([0.9, -0.2, 0.4, 0.8]), np.array([0, 2, 4]), np.array([2, 4, 4])).tolist()
    [-0.2, 1.0, 1.0]
    """
    result = np.full(len(starts), HARMLESS)
    real = np.flatnonzero(ends > starts)
    if len(real):
        bounds = np.stack([starts[real], ends[real]], axis=1).ravel()
        least = np.minimum.reduceat(np.append(margins, HARMLESS), bounds)[::2]
        result[real] = np.where(least < 0, least, HARMLESS)
    return result


class Margins(NamedTuple):
    """The margins of every entity (where it begins and where it ends) and segment, on both sides."""

    begin_key: Floats
    begin_response: Floats
    end_key: Floats
    end_response: Floats
    places: EntityPlaces
    segment_unit: Ints
    """The utterance of each piece of a segment."""
    segment_start: Ints
    """The beginning of the piece in the key's utterance."""
    segment_end: Ints
    response_start: Ints
    response_end: Ints
    segment_key: Floats
    """The margin of each segment, cut at the ends of utterances."""
    segment_response: Floats
    document_unit: Ints
    """The utterance in which each segment of a document begins."""
    document_key: Floats
    document_response: Floats

    @property
    def entity_loss(self) -> Floats:
        """Δ at the beginning plus Δ at the end of each entity (the sum in 5.7)."""
        return (self.begin_response - self.begin_key) + (self.end_response - self.end_key)

    def stretches(self, which: Stretches) -> tuple[Ints, Floats]:
        """The utterance of each segment, and its Δ (5.10)."""
        if which == "utterance":
            return self.segment_unit, self.segment_loss
        return self.document_unit, self.document_response - self.document_key

    @property
    def segment_loss(self) -> Floats:
        """Δ of each segment (5.10)."""
        return self.segment_response - self.segment_key


def margins(comparison: Comparison, path: str, kind: AlignmentKind = "similar", sounds: str = "") -> Margins:
    """The margins under the model in a file, computed once for all measures."""
    name = ("atene", path, kind, sounds)
    return comparison.compute_once(
        name, lambda: _compute_margins(comparison, probabilities_for(comparison, path), kind, sounds)
    )


def probabilities_for(comparison: Comparison, path: str) -> Model | ProbabilityTable:
    """The source of entity probabilities: the models in a file, or the probabilities of another recogniser."""
    return read_probabilities(path) if is_probability_file(path) else model_for(comparison, path)


def model_for(comparison: Comparison, path: str) -> Model:
    """The model in a file, if it fits the transcripts."""
    if not path:
        raise UsageError(
            "ATENE needs a model: train one with `aune speech train atene CORPUS --output MODEL`, and give it with "
            "--model"
        )
    if is_probability_file(path):
        raise UsageError(
            f"--model {path}: found probabilities of another recogniser, without features, expected models of "
            "aune speech train atene: use the probabilities for atene, atene_ds and atene_i only"
        )
    model = load(path)
    if comparison.normalise != model.normalise:
        raise UsageError(f"the model {path} was trained on text normalised with {model.normalise!r}: "
                         f"score with --normalise {model.normalise}")  # fmt: skip
    if model.selection is not None:
        _check_selection(path, model.selection, comparison.selection)
    return model


def _check_selection(path: str, trained: EntitySelection, chosen: EntitySelection) -> None:
    """Refuse entities cut or labelled differently from those of the training; a subset of the types is accepted."""
    same_parts = typology(trained.typology).components == typology(chosen.typology).components
    if not same_parts or trained.depth != chosen.depth:
        shape = trained._replace(labels=())
        remedy = f"score with {shape}" if str(shape) else "score without --typology and --depth, or train again"
        what = str(shape) or "neither --typology nor --depth"
        raise UsageError(f"the model {path} was trained with {what}: {remedy}")


def _compute_margins(
    comparison: Comparison, model: Model | ProbabilityTable, kind: AlignmentKind, sounds: str
) -> Margins:
    alignment = comparison.alignment(kind)
    entities = comparison.entities
    places = project_entities(comparison, alignment, pronouncer(sounds) if sounds else None)
    texts = list(comparison.wordings(kind))
    key_rows = model.indices([key for key, _ in texts])
    response_rows = model.indices([response for _, response in texts])
    right = np.array([model.classes.get(label, UNSEEN) for label in entities.labels], np.int64)
    key_first = alignment.key.starts[entities.unit]
    response_first = alignment.response.starts[entities.unit]
    present = places.end > places.start

    def entity_margins(which: ModelName, key_at: Ints, response_at: Ints) -> tuple[Floats, Floats]:
        response_margins = np.full(len(right), MISSING)
        response_margins[present] = margin(
            model.probabilities(which, response_rows[response_at[present]]), right[present]
        )
        return margin(model.probabilities(which, key_rows[key_at]), right), response_margins

    begin = entity_margins("begin", key_first + entities.start, response_first + places.start)
    end = entity_margins("end", key_first + entities.end - 1, response_first + places.end - 1)
    segment_columns = outside_segments(comparison, places, alignment.key.lengths, alignment.response.lengths)
    segments, stretch = segment_columns[:5], segment_columns[5]
    document_segment, first_unit = document_segments(comparison, segments[0], stretch)
    outside = []
    for rows, first, start, stop in (
        (key_rows, alignment.key.starts, segments[1], segments[2]),
        (response_rows, alignment.response.starts, segments[3], segments[4]),
    ):
        outside_margins = margin(model.probabilities("inside", rows), np.full(len(rows), OUTSIDE))
        pieces = segment_margins(outside_margins, first[segments[0]] + start, first[segments[0]] + stop)
        least = np.full(len(first_unit), HARMLESS)
        np.minimum.at(
            least, document_segment, pieces
        )  # pieces without risk have margin 1, so the minimum over pieces is that over all words
        outside.append((pieces, least))
    (key, document_key), (response, document_response) = outside
    return Margins(*begin, *end, places, *segments, key, response, first_unit, document_key, document_response)


def document_segments(comparison: Comparison, unit: Ints, stretch: Ints) -> tuple[Ints, Ints]:
    """The document segment of each piece, and the utterance in which each document segment begins.

    The stretch after the last entity of an utterance continues before the first one of the next. Utterances of a
    document are ordered by their times, or else by name.
    """
    entities = np.bincount(comparison.entities.unit, minlength=len(comparison.pairs))
    first = np.zeros(len(comparison.pairs), np.int64)  # the segment in which each utterance begins
    order = np.zeros(len(comparison.pairs), np.int64)
    reached, turn = -1, 0
    for utterances in utterances_by_document(comparison).values():
        reached += 1
        for number in utterances:
            first[number] = reached
            order[number] = turn
            turn += 1
            reached += int(entities[number])
    numbers, segment_of_piece = np.unique(first[unit] + stretch, return_inverse=True)
    begins = np.full(len(numbers), np.iinfo(np.int64).max)
    np.minimum.at(begins, segment_of_piece, order[unit])
    return segment_of_piece, np.argsort(order)[begins] if len(begins) else begins


def utterances_by_document(comparison: Comparison) -> dict[str, list[int]]:
    """The utterances of each document, sorted by time, or else by name with numbers in numerical order."""
    documents = key_positions(key.attributes.get("document", key.id) for key, _ in comparison.pairs)
    for utterances in documents.values():
        utterances.sort(key=lambda number: _sort_key(comparison.pairs[number][0]))
    return documents


def _sort_key(key: Utterance) -> tuple[float, list[tuple[int, str]]]:
    parts = re.split(r"(\d+)", key.id)
    return (key.span[0] if key.span else 0.0, [(int(part) if part.isdecimal() else -1, part) for part in parts])


def outside_segments(
    comparison: Comparison, places: EntityPlaces, key_lengths: Ints, response_lengths: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """The stretches between entities: utterance, place in the key, place in the response, number in the utterance.

    A stretch that is empty on both sides is left out.

    An utterance with n entities has n + 1 stretches: before the first, between two, after the last.
    """
    entities = comparison.entities
    units = len(key_lengths)
    number = np.bincount(entities.unit, minlength=units)
    unit = owner_indices(number + 1)
    first = np.concatenate([[0], np.cumsum(number + 1)])[:-1]
    last = first + number
    before_entity = np.arange(len(entities.unit)) + entities.unit  # the stretch before each entity
    bounds = []
    for start, end, lengths in ((entities.start, entities.end, key_lengths), (*places, response_lengths)):
        begins, ends = np.zeros(len(unit), np.int64), np.zeros(len(unit), np.int64)
        ends[before_entity] = start
        begins[before_entity + 1] = end
        begins[first] = 0
        ends[last] = lengths
        bounds += [begins, ends]
    real = (bounds[1] > bounds[0]) | (bounds[3] > bounds[2])
    stretch = ranges(0, number + 1)
    return unit[real], bounds[0][real], bounds[1][real], bounds[2][real], bounds[3][real], stretch[real]
