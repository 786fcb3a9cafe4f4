"""Key and response spans side by side, for a chunk of documents at once.

All documents of the chunk lie one after the other on one line of positions, so that spans of different documents never
meet and everything is array arithmetic. The pairings of overlapping spans are made when a measure asks, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.core.errors import InputError, Problem
from aune.core.options import Range
from aune.core.rows import bucket
from aune.core.survey import ALONE, Survey
from aune.tasks.entities.model import Document, Ints, Segments
from aune.tasks.entities.pairing import referents
from aune.tasks.entities.pairing.sides import Labels, Side, distinct, packed, same_spans
from aune.tasks.entities.pairing.spans import Edges, Pairing, best_pairing, overlapping
from aune.tasks.entities.pairing.trees import Forest, forest
from aune.tasks.entities.typology import Typology, TypologyName, typology

Pair: TypeAlias = tuple[Document, Document]
Mask: TypeAlias = NDArray[np.bool_]
COMPARED = 200_000  # tokens up to which the two texts are compared word by word, not only in length
NO_LABEL = "-"  # the label of the one row that a chunk without any entity has


class Cells(NamedTuple):
    """The units of a measure as numbers, and which one each thing of the key and of the response belongs to."""

    codes: Ints
    key: Ints
    response: Ints
    names: list[str]

    @property
    def size(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Comparison:
    """What all entity measures read."""

    pairs: Sequence[Pair]
    key: Side
    response: Side
    labels: Labels
    typology: Typology
    sentence_starts: Ints
    """Where each sentence begins on the chunk's line of positions."""
    sentence_document: Ints
    offsets: Ints
    """Where each document begins."""
    notes: tuple[str, ...] = ()
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> Sequence[str]:
        return self.labels.names

    # Units: a row for every sentence and label that occur together.

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        """The (sentence, label) cells in order, and the cell of each key and each response span."""
        return self._cells_of([(side, side.label) for side in (self.key, self.response)], len(self.names))

    def _cells_of(self, sides: Sequence[tuple[Side, Ints]], labels: int) -> tuple[Ints, Ints, Ints]:
        width = max(labels, 1)
        key, response = (self.sentence_of(side) * width + label for side, label in sides)
        bare = np.ones(len(self.sentence_starts), bool)
        bare[np.concatenate([key, response]) // width] = False  # a sentence without entities: a row of zeros
        cells = distinct(np.concatenate([key, response, np.flatnonzero(bare) * width]))
        return cells, np.searchsorted(cells, key), np.searchsorted(cells, response)

    def sentence_of(self, side: Side) -> Ints:
        return np.searchsorted(self.sentence_starts, side.start, "right") - 1

    @cached_property
    def units(self) -> dict[str, list[str]]:
        sentence, label = np.divmod(self._cells[0], max(len(self.names), 1))
        return self.sentence_columns(sentence) | {"label": _taken(self.names or [NO_LABEL], label)}

    @cached_property
    def sentence_units(self) -> dict[str, list[str]]:
        """The units of measures that know no labels: the sentences."""
        return self.sentence_columns(np.arange(len(self.sentence_starts)))

    def sentence_columns(self, sentence: Ints) -> dict[str, list[str]]:
        """Document, sentence and the documents' own attributes, for rows that belong to these sentences."""
        keys = [key for key, _ in self.pairs]
        document = self.sentence_document[sentence]
        first = np.searchsorted(self.sentence_document, np.arange(len(keys)))
        number = np.arange(len(self.sentence_starts)) - first[self.sentence_document] + 1
        ids = [key.id for key in keys]
        names = [f"{ids[d]}:{n}" for d, n in zip(self.sentence_document.tolist(), number.tolist(), strict=True)]
        own = sorted({name for key in keys for name in key.attributes})
        return {
            "document": _taken(ids, document),
            **{name: _taken([key.attributes.get(name, "") for key in keys], document) for name in own},
            "sentence": _taken(names, sentence),
            **({"length": _taken(self._sentence_lengths, sentence)} if "length" not in own else {}),
        }

    @cached_property
    def _sentence_lengths(self) -> list[str]:
        """How long each sentence is, in tokens (or characters), as a range."""
        ends = self.offsets + np.asarray([key.length for key, _ in self.pairs], np.int64)
        after = np.append(self.sentence_starts[1:], np.iinfo(np.int64).max)
        sizes = np.minimum(after, ends[self.sentence_document]) - self.sentence_starts
        named = {size: bucket(size) for size in set(sizes.tolist())}
        return [named[size] for size in sizes.tolist()]

    def of_key(self, which: Any) -> NDArray[Any]:
        """How many of these key spans (numbers or a mask) each unit has."""
        return np.bincount(self._cells[1][which], minlength=len(self._cells[0]))

    def of_response(self, which: Any) -> NDArray[Any]:
        return np.bincount(self._cells[2][which], minlength=len(self._cells[0]))

    # Trees.

    @cached_property
    def forest(self) -> Forest:
        """The entities of both sides with their constituents."""
        return forest(self.key, self.response, self.labels)

    @cached_property
    def _entity_cells(self) -> tuple[Ints, Ints, Ints]:
        """As `_cells`, for whole entities, whose label is all their labels together."""
        sides = self.forest.key, self.forest.response
        return self._cells_of([(side.spans, side.labels) for side in sides], len(self.forest.names))

    @cached_property
    def entity_units(self) -> dict[str, list[str]]:
        """The units of measures that count entities as trees."""
        sentence, label = np.divmod(self._entity_cells[0], max(len(self.forest.names), 1))
        return self.sentence_columns(sentence) | {"label": _taken(self.forest.names or [NO_LABEL], label)}

    def of_entities(self, which: int, numbers: Any, values: NDArray[Any] | None = None) -> NDArray[Any]:
        """How many of these entities of a side (0 key, 1 response), or what sum of values, each unit has."""
        cells = self._entity_cells[1 + which][numbers]
        return np.bincount(cells, values, minlength=len(self._entity_cells[0]))

    # Entities with mentions (ACE).

    @cached_property
    def referents(self) -> tuple[referents.Side, referents.Side]:
        """The entities of both sides with all their mentions."""
        keys, responses = ([pair[which] for pair in self.pairs] for which in (0, 1))
        return referents.side(keys, self.offsets), referents.side(responses, self.offsets)

    @cached_property
    def referent_cells(self) -> Cells:
        """The unit (document and type) of each entity; a document without any has a row of zeros."""
        key, response = self.referents
        names = sorted({entity.type for side in (key, response) for entity in side.entities}) or [NO_LABEL]
        number = {name: index for index, name in enumerate(names)}
        codes = [
            side.document * len(names) + np.asarray([number[entity.type] for entity in side.entities], np.int64)
            for side in (key, response)
        ]
        bare = np.setdiff1d(np.arange(len(self.pairs)), np.concatenate(codes) // len(names)) * len(names)
        cells = distinct(np.concatenate([*codes, bare]))
        return Cells(cells, np.searchsorted(cells, codes[0]), np.searchsorted(cells, codes[1]), names)

    @cached_property
    def referent_units(self) -> dict[str, list[str]]:
        cells = self.referent_cells
        document, label = np.divmod(cells.codes, len(cells.names))
        return {"document": _taken([key.id for key, _ in self.pairs], document), "label": _taken(cells.names, label)}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about the texts and their entities."""
        if not self.labels.component.any():
            return self.notes
        stray = [
            (role, int(side.stray)) for role, side in (("key", self.forest.key), ("response", self.forest.response))
        ]
        return self.notes + tuple(
            f"{number} components of the {role} stand in no entity: ETER does not see them"
            for role, number in stray
            if number
        )

    # Pairings.

    @cached_property
    def exact(self) -> tuple[Ints, Ints]:
        """Key and response spans that are the same, label and all."""
        return same_spans(self.key, self.response)

    @cached_property
    def edges(self) -> Edges:
        """Every pair of a key and a response span that share text."""
        return overlapping(self.key, self.response, self.labels.type)

    def pairing(self, gains: tuple[float, ...], slots: str = "all") -> Pairing:
        """The one-to-one pairing of overlapping spans that gains most, by kind of pair (see `pairing.py`)."""
        found: Pairing = self.kept((gains, slots), lambda: best_pairing(self.edges, gains, self.slot_edges(slots)))
        return found

    def kept(self, name: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once for each name, so that measures with the same needs share it."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def alone(self, pairs: Pairing, slots: str = "all") -> tuple[Ints, Ints]:
        """The key spans and the response spans that a pairing leaves without a partner."""
        key, response = self.in_slots(self.key, slots), self.in_slots(self.response, slots)
        key[pairs.left] = response[pairs.right] = False
        return np.flatnonzero(key), np.flatnonzero(response)

    def slot_edges(self, slots: str) -> Mask | None:
        if slots == "all":
            return None
        edges = self.edges
        return self.in_slots(self.key, slots)[edges.left] & self.in_slots(self.response, slots)[edges.right]

    def in_slots(self, side: Side, slots: str) -> Mask:
        """Which spans are meant by `all`, `types` or `components`."""
        if slots == "all" or not len(self.names):
            return np.ones(len(side), bool)
        component = self.labels.component[side.label]
        return component if slots == "components" else ~component


def _taken(values: Sequence[str], which: Ints) -> list[str]:
    found: list[str] = np.asarray(values, object)[which].tolist()
    return found


def compare(
    pairs: Sequence[Pair],
    survey: Survey = ALONE,
    *,
    typology: TypologyName = "",
    labels: Annotated[tuple[str, ...], "keep only entities with these labels, or with labels below them"] = (),
    depth: Annotated[int, "how many parts of a label path count; 0: all of them", Range(0)] = 0,
) -> Comparison:
    """Key and response spans on one line of positions, chunk by chunk."""
    _same_unit(pairs)
    known = _typology(pairs, typology)
    names, renamed = _shared_names(pairs, labels, depth)
    lengths = np.asarray([max(key.length, response.length) + 1 for key, response in pairs], np.int64)
    offsets = np.cumsum(lengths) - lengths
    shapes: dict[Segments, int] = {}
    known_labels = Labels(names, known)
    sides, notes = [], []
    for which, role in ((0, "key"), (1, "response")):
        side, repeated = _side([pair[which] for pair in pairs], offsets, renamed, shapes, known_labels.component)
        sides.append(side)
        if repeated:
            notes.append(f"{repeated} entities of the {role} occur twice with the same span and label: counted once")
        if illegal := sum(pair[which].repaired for pair in pairs):
            many = f"{illegal} entit{'ies' if illegal > 1 else 'y'} of the {role}"
            notes.append(f"{many} with illegal tags, repaired as the signature says")
    notes += _differing_texts(pairs)
    starts, owner = _sentences(pairs, offsets)
    return Comparison(pairs, sides[0], sides[1], known_labels, known, starts, owner, offsets, tuple(notes))


def _same_unit(pairs: Sequence[Pair]) -> None:
    problems = [
        Problem(
            response.path or response.id, response.line, 1,
            f"found spans over {response.unit}s in document {response.id!r}, expected {key.unit}s as in the key: "
            "convert one of them",
        )
        for key, response in pairs
        if key.unit != response.unit and len(key) and len(response)
    ]  # fmt: skip
    if problems:
        raise InputError(problems)


def _typology(pairs: Sequence[Pair], asked: str) -> Typology:
    return typology(asked or next((key.typology for key, _ in pairs if key.typology), ""))


def _shared_names(
    pairs: Sequence[Pair], wanted: tuple[str, ...], depth: int
) -> tuple[list[str], dict[tuple[str, ...], Ints]]:
    """The labels of the chunk, sorted, and for each document's own list their numbers there (-1: not wanted)."""
    lists = {document.names for pair in pairs for document in pair}
    cut = {name: ".".join(name.split(".")[: depth or None]) for names in lists for name in names}
    kept = {name: short for name, short in cut.items() if not wanted or _below(name, wanted)}
    found = sorted(set(kept.values()))
    numbers = {name: found.index(short) for name, short in kept.items()}
    return found, {names: np.asarray([numbers.get(name, -1) for name in names], np.int64) for names in lists}


def _below(name: str, wanted: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in wanted)


def _side(
    found: Sequence[Document], offsets: Ints, renamed: Mapping[tuple[str, ...], Ints],
    shapes: dict[Segments, int], component: Mask,
) -> tuple[Side, int]:  # fmt: skip
    """The spans of documents as one, sorted and without repetitions; and how many were repeated."""
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    document = np.repeat(np.arange(len(found)), sizes)
    spans = np.concatenate([one.spans for one in found]) + offsets[document][:, None]
    label = np.concatenate([renamed[one.names][one.labels] for one in found])
    depth = np.concatenate([np.zeros(len(one), np.int64) if one.depths is None else one.depths for one in found])
    number = np.arange(len(document)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shape = _shapes(found, sizes, offsets, shapes)
    parts = {shape_number: segments for segments, shape_number in shapes.items()}
    whole = Side(spans[:, 0], spans[:, 1], label, depth, shape, document, number, parts)
    kept = whole.picked(label >= 0)
    inner = component[kept.label] if len(component) else np.zeros(len(kept), bool)
    order = np.lexsort((kept.shape, kept.label, inner, kept.depth, -kept.end, kept.start))
    sorted_side = kept.picked(order)
    same = np.zeros(len(order), bool)
    _, first = np.unique(
        packed([sorted_side.start, sorted_side.end, sorted_side.label, sorted_side.shape]), return_index=True
    )
    same[first] = True
    return sorted_side.picked(same), int((~same).sum())


def _shapes(found: Sequence[Document], sizes: Ints, offsets: Ints, shapes: dict[Segments, int]) -> Ints:
    """The number of each span's shape: 0 in one piece."""
    column = np.zeros(int(sizes.sum()), np.int64)
    base = 0
    for one, size, offset in zip(found, sizes.tolist(), offsets.tolist(), strict=True):
        for index, segments in one.segments.items():
            placed = tuple((start + offset, end + offset) for start, end in segments)
            column[base + index] = shapes.setdefault(placed, len(shapes) + 1)
        base += size
    return column


def _sentences(pairs: Sequence[Pair], offsets: Ints) -> tuple[Ints, Ints]:
    """Where sentences begin, by the key (or else by the response), and their documents."""
    zero = np.zeros(1, np.int64)
    per_document = [
        next((own.sentences for own in pair if own.sentences is not None and len(own.sentences)), zero)
        for pair in pairs
    ]
    sizes = np.fromiter(map(len, per_document), np.int64, len(pairs))
    owner = np.repeat(np.arange(len(pairs)), sizes)
    starts = np.concatenate(per_document) + offsets[owner]
    starts[np.cumsum(sizes) - sizes] = offsets  # whatever comes before the first sentence belongs to it
    return starts, owner


def _differing_texts(pairs: Sequence[Pair]) -> list[str]:
    """A warning for texts that are not the same: positions still match, but the user should know."""
    known = [(key, response) for key, response in pairs if _has_text(key) and _has_text(response)]
    if sum(key.length for key, _ in known) <= COMPARED:
        differing = [(key.id, number) for key, response in known if (number := _differing_tokens(key, response))]
        if differing:
            where = differing[0][0] if len(differing) == 1 else f"{len(differing)} documents, first {differing[0][0]}"
            total = sum(number for _, number in differing)
            return [f"{total} tokens differ from the key's in {where}: entities are matched by position"]
    apart = [(key, response) for key, response in known if key.length != response.length]
    if not apart:
        return []
    key, response = apart[0]
    where = key.id if len(apart) == 1 else f"{len(apart)} documents, first {key.id}"
    return [
        f"the text has another length than the key's in {where} ({response.length} {response.unit}s instead of "
        f"{key.length}): entities are matched by position"
    ]


def _differing_tokens(key: Document, response: Document) -> int:
    if key.length != response.length or key.tokens is None or response.tokens is None:
        return 0
    return sum(map(str.__ne__, key.tokens, response.tokens))


def _has_text(found: Document) -> bool:
    return found.words is not None or found.text is not None
