"""Key and response spans side by side, for a chunk of documents at once.

All documents of the chunk lie one after the other on one line of positions, so that spans of different documents never
meet and everything is array arithmetic. The pairings of overlapping spans are made when a measure asks, and kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.errors import InputError, Problem
from aune.tasks.entities.model import Document, Ints, Segments
from aune.tasks.entities.pairing import Edges, Pairing, best_pairing, overlapping
from aune.tasks.entities.typology import Typology, TypologyName, typology

Pair: TypeAlias = tuple[Document, Document]
Mask: TypeAlias = NDArray[np.bool_]
NO_LABEL = "-"  # the label of the one row that a chunk without any entity has


@dataclass(frozen=True)
class Side:
    """The spans of one side, in order of content."""

    start: Ints
    end: Ints
    label: Ints
    """Numbers in `Comparison.names`."""
    depth: Ints
    shape: Ints
    """0 for a span in one piece; spans in the same pieces have the same number."""
    document: Ints
    number: Ints
    """Which span of its document it is."""
    segments: Mapping[int, Segments]
    """The parts of the spans in pieces (on the chunk's line), by their shape."""

    def __len__(self) -> int:
        return len(self.start)

    def picked(self, which: Any) -> Side:
        columns = (self.start, self.end, self.label, self.depth, self.shape, self.document, self.number)
        return Side(*(column[which] for column in columns), self.segments)


class Labels:
    """What is known of each label of a comparison, as arrays over label numbers."""

    def __init__(self, names: Sequence[str], known: Typology) -> None:
        self.names = names
        parts = [name.split(".") for name in names]
        self.parts = parts
        tops = sorted({part[0] for part in parts})
        self.type = np.asarray([tops.index(part[0]) for part in parts], np.int64)
        self.component = np.asarray([name in known.components for name in names], bool)
        self.depth = np.asarray([len(part) for part in parts], np.int64)


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
    warnings: tuple[str, ...] = ()
    _pairings: dict[Any, Pairing] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> Sequence[str]:
        return self.labels.names

    # Units: a row for every sentence and label that occur together.

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        """The (sentence, label) cells in order, and the cell of each key and each response span."""
        width = max(len(self.names), 1)
        key, response = (self.sentence_of(side) * width + side.label for side in (self.key, self.response))
        used = np.unique(np.concatenate([key, response]))
        bare = np.setdiff1d(np.arange(len(self.sentence_starts)), used // width)
        cells = np.sort(np.concatenate([used, bare * width]))  # a sentence without entities: a row of zeros
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
        }

    def of_key(self, which: Any) -> NDArray[Any]:
        """How many of these key spans (numbers or a mask) each unit has."""
        return np.bincount(self._cells[1][which], minlength=len(self._cells[0]))

    def of_response(self, which: Any) -> NDArray[Any]:
        return np.bincount(self._cells[2][which], minlength=len(self._cells[0]))

    # Pairings.

    @cached_property
    def exact(self) -> tuple[Ints, Ints]:
        """Key and response spans that are the same, label and all."""
        return same_spans(self.key, self.response, len(self.names))

    @cached_property
    def edges(self) -> Edges:
        """Every pair of a key and a response span that share text."""
        return overlapping(self.key, self.response, self.labels.type)

    def pairing(self, gains: tuple[float, ...], slots: str = "all") -> Pairing:
        """The one-to-one pairing of overlapping spans that gains most, by what is wrong in a pair (see `pairing.py`)."""
        asked = (gains, slots)
        if asked not in self._pairings:
            keep = self.slot_edges(slots)
            self._pairings[asked] = best_pairing(self.edges, gains, keep)
        return self._pairings[asked]

    def slot_edges(self, slots: str) -> Mask | None:
        if slots == "all":
            return None
        edges = self.edges
        return self.in_slots(self.key, slots)[edges.left] & self.in_slots(self.response, slots)[edges.right]

    def in_slots(self, side: Side, slots: str) -> Mask:
        """Which spans are meant by `all`, `types` or `components`."""
        if slots == "all":
            return np.ones(len(side), bool)
        component = self.labels.component[side.label] if len(self.names) else np.zeros(0, bool)
        return component if slots == "components" else ~component


def same_spans(key: Side, response: Side, labels: int) -> tuple[Ints, Ints]:
    """The numbers of the spans that both sides have."""
    columns = [np.concatenate([getattr(key, name), getattr(response, name)]) for name in ("start", "end", "label")]
    columns.append(np.concatenate([key.shape, response.shape]))
    codes = packed(columns)
    _, left, right = np.intersect1d(codes[: len(key)], codes[len(key) :], assume_unique=True, return_indices=True)
    return left, right


def packed(columns: Sequence[Ints]) -> Ints:
    """One number per row, equal for equal rows and in the rows' order."""
    code = np.zeros(len(columns[0]), np.int64)
    top = 1
    for column in columns:
        low = int(column.min(initial=0))
        width = int(column.max(initial=0)) - low + 1
        if top > 2**62 // width:
            _, code = np.unique(code, return_inverse=True)
            top = int(code.max(initial=0)) + 1
        code = code * width + (column - low)
        top *= width
    return code


def _taken(values: Sequence[str], which: Ints) -> list[str]:
    found: list[str] = np.asarray(values, object)[which].tolist()
    return found


def compare(
    pairs: Sequence[Pair],
    *,
    typology: TypologyName = "",
    labels: Annotated[tuple[str, ...], "keep only entities with these labels, or with labels below them"] = (),
    depth: Annotated[int, "how many parts of a label path count; 0: all of them"] = 0,
) -> Comparison:
    """Key and response spans on one line of positions, chunk by chunk."""
    _same_unit(pairs)
    known = _typology(pairs, typology)
    names, renamed = _shared_names(pairs, labels, depth)
    lengths = np.asarray([max(key.length, response.length) + 1 for key, response in pairs], np.int64)
    offsets = np.cumsum(lengths) - lengths
    shapes: dict[Segments, int] = {}
    component = Labels(names, known).component
    sides, notes = [], []
    for which, role in ((0, "key"), (1, "response")):
        side, repeated = _side([pair[which] for pair in pairs], offsets, renamed, shapes, component)
        sides.append(side)
        if repeated:
            notes.append(f"{repeated} entities of the {role} occur twice with the same span and label: counted once")
    starts, owner = _sentences(pairs, offsets)
    warnings = (*notes, *_differing_texts(pairs))
    return Comparison(pairs, sides[0], sides[1], Labels(names, known), known, starts, owner, offsets, warnings)


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
    """A warning for texts of another length: positions still match, but the user should know."""
    known = [(key, response) for key, response in pairs if _has_text(key) and _has_text(response)]
    apart = [(key, response) for key, response in known if key.length != response.length]
    if not apart:
        return []
    key, response = apart[0]
    where = key.id if len(apart) == 1 else f"{len(apart)} documents, first {key.id}"
    return [
        f"the text has another length than the key's in {where} ({response.length} {response.unit}s instead of "
        f"{key.length}): entities are matched by position"
    ]


def _has_text(found: Document) -> bool:
    return found.words is not None or found.text is not None
