"""Key and response spans side by side, for a chunk of documents at once.

All documents of the chunk lie one after the other on one line of positions, so that spans of different documents never
meet and everything is array arithmetic. The pairings of overlapping spans are made when a measure asks, and kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.alignment.records import OtherText, Place, Realign, Record, Unplaced, facts_of, policy_of
from aune.core import task as core
from aune.core.arrays import Ints, Mask, owners, ranges
from aune.core.errors import InputError, Problem, UsageError
from aune.core.options import Quiet, Range
from aune.core.rows import bucket
from aune.core.survey import ALONE, Survey
from aune.tasks.entities import tags
from aune.tasks.entities.model import Document, Segments
from aune.tasks.entities.notes import Fact
from aune.tasks.entities.pairing import referents
from aune.tasks.entities.pairing.positions import (
    differing_tokens,
    moved,
    places_of,
    ragged,
    same_shape,
    uneven,
    unrelated,
)
from aune.tasks.entities.pairing.sides import Labels, SpanColumns, distinct, packed, same_spans
from aune.tasks.entities.pairing.spans import Edges, Pairing, best_pairing, overlapping, overlaps
from aune.tasks.entities.pairing.trees import Forest, forest
from aune.tasks.entities.realignment import realigned
from aune.tasks.entities.typology import Typology, TypologyName, typology

Pair: TypeAlias = tuple[Document, Document]
MOST_PAIRS = 2_000_000  # of overlapping spans in one document: some 300 MB
ALL = slice(None)
NO_LABEL = "-"  # what stands for the labels of a key without any


class Cells(NamedTuple):
    """The units of a measure, and which one each thing of the key and of the response belongs to."""

    unit: Ints
    """(cells,): the sentence or document of each."""
    labels: list[Any]
    """None for a unit without any."""
    key: Ints
    response: Ints

    @property
    def size(self) -> int:
        return len(self.unit)


def cells_of(units: int, names: Sequence[str], sides: Sequence[tuple[Ints, Ints]]) -> Cells:
    """A cell for every sentence (or document) and label that occur together, and one for each without any label.

    Of both sides are given the sentences of things, and the numbers of their labels.
    """
    width = len(names) + 1
    key, response = (unit * width + label for unit, label in sides)
    bare = np.ones(units, bool)
    bare[np.concatenate([key, response]) // width] = False
    cells = distinct(np.concatenate([key, response, np.flatnonzero(bare) * width + len(names)]))
    unit, label = np.divmod(cells, width)
    return Cells(unit, _taken([*names, None], label), np.searchsorted(cells, key), np.searchsorted(cells, response))


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """What all entity measures read."""

    pairs: Sequence[Pair]
    key: SpanColumns
    response: SpanColumns
    labels: Labels
    typology: Typology
    sentence_starts: Ints
    """Where each sentence begins on the chunk's line of positions."""
    sentence_document: Ints
    offsets: Ints
    """Where each document begins."""
    wanted: Wanted
    seen: Mapping[Fact, int] = field(default_factory=dict)
    placements: tuple[Record, ...] = ()
    """How responses whose text is not the key's were laid on it, by document; none where nothing was to do."""
    signed: Mapping[str, Any] = field(default_factory=dict)
    """How responses were laid on the key's text, where some were."""
    unplaced_strings: bool = False
    """Whether responses are strings that were left without places: then nothing has a score."""

    @property
    def names(self) -> Sequence[str]:
        return self.labels.names

    # Units: a row for every sentence and label that occur together.

    @cached_property
    def _cells(self) -> Cells:
        """The (sentence, label) cells in order, and the cell of each key and each response span."""
        sides = [(self.sentence_of(side), side.label) for side in (self.key, self.response)]
        return cells_of(len(self.sentence_starts), self.names, sides)

    def sentence_of(self, side: SpanColumns) -> Ints:
        return np.searchsorted(self.sentence_starts, side.start, "right") - 1

    def check_placed(self) -> None:
        """Refuse to score strings that have no place."""
        if self.unplaced_strings:
            raise UsageError("--place interval gives bounds, not scores: use -m f_bounds, or another policy of --place")

    @cached_property
    def units(self) -> dict[str, list[str]]:  # type: ignore[override] # read-only here
        self.check_placed()
        return self.sentence_columns(self._cells.unit) | {"label": self._cells.labels}

    @cached_property
    def sentence_units(self) -> dict[str, list[str]]:
        """The units of measures that know no labels: the sentences."""
        self.check_placed()
        return self.sentence_columns(np.arange(len(self.sentence_starts)))

    def sentence_columns(self, sentence: Ints) -> dict[str, list[str]]:
        """Document, sentence and the documents' own attributes, for rows that belong to these sentences."""
        document, of_documents = self.sentence_document, self.document_units
        first = np.searchsorted(document, np.arange(len(self.pairs)))
        before = np.asarray([key.sentences_before + 1 for key, _ in self.pairs], np.int64) - first
        number = np.arange(len(document)) + before[document]
        ids = of_documents["document"]
        names = [f"{ids[d]}:{n}" for d, n in zip(document.tolist(), number.tolist(), strict=True)]
        columns = {name: _taken(column, document[sentence]) for name, column in of_documents.items()}
        length = columns.get("length") or _taken(self._sentence_lengths, sentence)
        return {**columns, "sentence": _taken(names, sentence), "length": length}

    @cached_property
    def document_units(self) -> dict[str, list[str]]:
        """The units of what is counted by document."""
        keys = [key for key, _ in self.pairs]
        names = sorted({name for key in keys for name in key.attributes})
        columns = {name: [key.attributes.get(name, "") for key in keys] for name in names}
        return {"document": [key.id for key in keys], **columns}

    @cached_property
    def _sentence_lengths(self) -> list[str]:
        """How long each sentence is, in tokens (or characters), as a range."""
        ends = self.offsets + np.asarray([key.length for key, _ in self.pairs], np.int64)
        after = np.append(self.sentence_starts[1:], np.iinfo(np.int64).max)
        sizes = np.minimum(after, ends[self.sentence_document]) - self.sentence_starts
        named = {size: bucket(size) for size in set(sizes.tolist())}
        return [named[size] for size in sizes.tolist()]

    def of_key(self, which: Any = ALL) -> NDArray[Any]:
        """How many of these key spans (numbers or a mask) each unit has."""
        return np.bincount(self._cells.key[which], minlength=self._cells.size)

    def of_response(self, which: Any = ALL) -> NDArray[Any]:
        return np.bincount(self._cells.response[which], minlength=self._cells.size)

    # Trees.

    @cached_property
    def forest(self) -> Forest:
        """The entities of both sides with their constituents."""
        return forest(self.key, self.response, self.labels)

    @cached_property
    def _entity_cells(self) -> Cells:
        """As `_cells`, for whole entities, whose label is all their labels together."""
        sides = [(self.sentence_of(side.spans), side.labels) for side in (self.forest.key, self.forest.response)]
        return cells_of(len(self.sentence_starts), self.forest.names, sides)

    @cached_property
    def entity_units(self) -> dict[str, list[str]]:
        """The units of measures that count entities as trees."""
        self.check_placed()
        return self.sentence_columns(self._entity_cells.unit) | {"label": self._entity_cells.labels}

    def of_entities(self, which: int, numbers: Any = ALL, values: NDArray[Any] | None = None) -> NDArray[Any]:
        """How many of these entities of a side (0 key, 1 response), or what sum of values, each unit has."""
        cells = self._entity_cells
        return np.bincount((cells.key, cells.response)[which][numbers], values, minlength=cells.size)

    # Entities with mentions (ACE).

    @cached_property
    def referents(self) -> tuple[referents.Referents, referents.Referents]:
        """The entities of both sides with all their mentions."""
        keys, responses = ([pair[which] for pair in self.pairs] for which in (0, 1))
        key, response = referents.side(keys, self.offsets), referents.side(responses, self.offsets)
        self.check_size(overlaps(key, response), key.document[key.owner])
        return key, response

    @cached_property
    def referent_cells(self) -> Cells:
        """The unit (document and type) of each entity; a document without any has a row of zeros."""
        key, response = self.referents
        names = sorted({entity.type for side in (key, response) for entity in side.entities})
        number = {name: index for index, name in enumerate(names)}
        types = [np.asarray([number[entity.type] for entity in side.entities], np.int64) for side in (key, response)]
        return cells_of(len(self.pairs), names, [(key.document, types[0]), (response.document, types[1])])

    @cached_property
    def referent_units(self) -> dict[str, list[str]]:
        cells = self.referent_cells
        return {"document": _taken([key.id for key, _ in self.pairs], cells.unit), "label": cells.labels}

    @property
    def facts(self) -> Mapping[Fact, int]:  # type: ignore[override] # read-only here
        """What a user may have to know, as numbers that add up over chunks: see `notes.py`."""
        if not self.labels.component.any():
            return self.seen
        trees = {"key": self.forest.key, "response": self.forest.response}
        return {**self.seen, **{("stray", role): side.stray for role, side in trees.items()}}

    # Pairings.

    @cached_property
    def exact(self) -> tuple[Ints, Ints]:
        """Key and response spans that are the same, label and all."""
        return same_spans(self.key, self.response)

    @cached_property
    def edges(self) -> Edges:
        """Every pair of a key and a response span that share text."""
        self.check_size(overlaps(self.key, self.response), self.key.document)
        return overlapping(self.key, self.response, self.labels.type)

    def pairing(self, gains: tuple[float, ...], slots: str = "all") -> Pairing:
        """The one-to-one pairing of overlapping spans that gains most, by kind of pair (see `pairing.py`)."""
        return self.kept((gains, slots), lambda: best_pairing(self.edges, gains, self.slot_edges(slots)))

    def alone(self, pairs: Pairing, slots: str = "all") -> tuple[Ints, Ints]:
        """The key spans and the response spans that a pairing leaves without a partner."""
        key, response = self.in_slots(self.key, slots), self.in_slots(self.response, slots)
        key[pairs.left] = response[pairs.right] = False
        return np.flatnonzero(key), np.flatnonzero(response)

    def check_size(self, pairs: Ints, document: Ints) -> None:
        """Refuse, before they are made, more pairs in one document than fit in memory."""
        of_document = np.bincount(document, pairs, minlength=len(self.pairs))
        if of_document.max(initial=0) > MOST_PAIRS:
            most = int(of_document.argmax())
            raise UsageError(
                f"document {self.pairs[most][0].id!r}: {int(of_document[most]):,} pairs of overlapping entities, "
                f"expected at most {MOST_PAIRS:,}: score it with f_measure under match:strict, which needs no pairs"
            )

    def slot_edges(self, slots: str) -> Mask | None:
        if slots == "all":
            return None
        edges = self.edges
        return self.in_slots(self.key, slots)[edges.left] & self.in_slots(self.response, slots)[edges.right]

    def in_slots(self, side: SpanColumns, slots: str) -> Mask:
        """Which spans are meant by `all`, `types` or `components`."""
        if slots == "all" or not len(self.names):
            return np.ones(len(side), bool)
        component = self.labels.component[side.label]
        return component if slots == "components" else ~component


def _taken(values: Sequence[str | None], which: Ints) -> list[Any]:
    found: list[Any] = np.asarray(values, object)[which].tolist()
    return found


LabelCase: TypeAlias = Annotated[
    Literal["keep", "fold"], "whether labels in another case are other labels (keep), or not"
]
Among: TypeAlias = Annotated[
    tuple[str, ...],
    "count only entities whose whole label is one of these; key: those of the key, as the HIPE scorer does",
]
Rename: TypeAlias = Annotated[tuple[str, ...], "labels by another name, in key and response: PERSON=PER,GPE=LOC", Quiet]
OF_THE_KEY = ("key",)
OUTSIDE = ("O", "")


def compare(
    pairs: Sequence[Pair],
    asking: Survey = ALONE,
    *,
    typology: TypologyName = "",
    labels: Annotated[tuple[str, ...], "keep only entities with these labels, or with labels below them"] = (),
    depth: Annotated[int, "how many parts of a label path count; 0: all of them", Range(0)] = 0,
    case: LabelCase = "keep",
    among: Among = (),
    rename: Rename = (),
    realign: Realign = "none",
    place: Place = "in-order",
    unplaced: Unplaced = "count",
    other_text: OtherText = "refuse",
) -> Comparison:
    """Key and response spans on one line of positions, chunk by chunk."""
    listed = any(response.listed is not None for _, response in pairs)
    pairs, records = realigned(pairs, realign, place, unplaced, other_text)
    _same_unit(pairs)
    pairs, facts = (pairs, facts_of(records, unplaced)) if records else _on_the_same_positions(pairs)
    known = _typology(pairs, typology, asking)
    signed = policy_of(bool(records) or listed, realign, place, unplaced, other_text)
    wanted = Wanted(labels, depth, case, among, _other_names(rename, case))
    if among == OF_THE_KEY:
        wanted = wanted._replace(among=_labels_of_the_key(pairs, wanted, asking))
        signed["among"] = wanted.among
    facts.update({("asked", label): times for label, times in wanted.met(pairs).items()})
    names, renamed = _shared_names(pairs, wanted)
    lengths = np.asarray([max(key.length, response.length) + 1 for key, response in pairs], np.int64)
    offsets = np.cumsum(lengths) - lengths
    shapes: dict[Segments, int] = {}
    known_labels = Labels(names, known)
    sides = []
    for which, role in ((0, "key"), (1, "response")):
        side, left_out = _side([pair[which] for pair in pairs], offsets, renamed, shapes, known_labels.component)
        sides.append(side)
        facts.update({(what, role): number for what, number in left_out.items()})
        facts["repaired", role] += sum(pair[which].repaired for pair in pairs)
        for name, number in zip(names, np.bincount(side.label, minlength=len(names)).tolist(), strict=True):
            facts["label", role, name] += number
    facts["no typology",] += not known.name
    facts["parts left out",] += _parts_left_out(pairs, renamed, known)
    starts, owner = _sentences(pairs, offsets)
    return Comparison(
        pairs, sides[0], sides[1], known_labels, known, starts, owner, offsets, wanted, facts, tuple(records),
        signed, unplaced_strings=listed and place == "interval",
    )  # fmt: skip


def _other_names(rename: Sequence[str], case: str) -> dict[str, str]:
    """The label that each of some labels is taken as; a refusal of anything but NAME=NAME."""
    found: dict[str, str] = {}
    for given in rename:
        old, _, new = (folded(part.strip(), case) for part in given.partition("="))
        if not old or not new or found.get(old, new) != new:
            raise UsageError(f"--rename {given}: expected two labels such as PERSON=PER, and one for each")
        found[old] = new
    return found


def _labels_of_the_key(pairs: Sequence[Pair], wanted: Wanted, asking: Survey) -> tuple[str, ...]:
    """The labels that the whole key uses, sorted; never none, for none would be all."""
    used = {wanted.called(key.names[number]) for key, _ in pairs for number in np.unique(key.labels).tolist()}
    return tuple(sorted(asking.asked("labels of the key", used))) or (NO_LABEL,)


def folded(label: str, case: str) -> str:
    return label.lower() if case == "fold" else label


def _on_the_same_positions(pairs: Sequence[Pair]) -> tuple[list[Pair], Counter[Fact]]:
    """The pairs, with responses moved to where their tokens stand in the key, and what differs."""
    facts: Counter[Fact] = Counter()
    found, problems = [], []
    for key, response in pairs:
        if key.unit == "token" and key.words and response.words and not same_shape(key, response):
            places = places_of(key.words(), response.words())
            if places is None:
                problems.append(unrelated(key, response))
                continue
            facts["moved", key.id] += abs(key.length - response.length) or 1
            response = moved(response, places, key.length)
        elif ragged(key, response):
            raise UsageError(uneven(key, response))
        elif key.unit == "token":
            facts["differing", key.id] += differing_tokens(key, response)
        elif key.text is not None and response.text is not None and key.text != response.text:
            facts["other text", key.id] += 1
        found.append((key, response))
    if problems:
        raise InputError(problems)
    return found, +facts


def _same_unit(pairs: Sequence[Pair]) -> None:
    problems = [
        Problem(
            response.path or response.id, response.line, 1,
            f"found spans over {response.unit}s in document {response.id!r}, expected {key.unit}s as in the key: "
            "lay them on its text with --realign words, or convert one of them",
        )
        for key, response in pairs
        if key.unit != response.unit and len(key) and len(response)
    ]  # fmt: skip
    if problems:
        raise InputError(problems)


def _typology(pairs: Sequence[Pair], asked: str, asking: Survey) -> Typology:
    """The typology that was asked for, or the one that the key names."""
    named = asking.asked("typology", {key.typology for key, _ in pairs if key.typology}) if not asked else ()
    return typology(asked or min(named, default=""))


class Wanted(NamedTuple):
    """Which labels count, and what of them."""

    labels: tuple[str, ...]
    depth: int
    case: str
    among: tuple[str, ...]
    other_names: Mapping[str, str]

    def called(self, name: str) -> str:
        """A label by the name that it is known by here."""
        label = folded(name, self.case)
        return self.other_names.get(label, label)

    def seen_as(self, name: str) -> str | None:
        """What a label is compared as; None when it does not count."""
        label = self.called(name)
        if self.among and label not in self.among:
            return None
        if self.labels and not _below(label, tuple(folded(one, self.case) for one in self.labels)):
            return None
        return ".".join(label.split(".")[: self.depth or None])

    def met(self, pairs: Sequence[Pair]) -> Counter[str]:
        """How many lists of labels have each label that was asked for by name: none, where nobody uses it."""
        lists = {document.names for pair in pairs for document in pair} if self.labels else ()
        return Counter(
            {
                asked: sum(any(_below(self.called(name), (folded(asked, self.case),)) for name in names)
                           for names in lists)
                for asked in self.labels
            }
        )  # fmt: skip

    def tag(self, text: str) -> tuple[str, str]:
        """A tag as prefix and label, cut at its first dash; outside when its label does not count."""
        prefix, _, name = text.partition("-")
        label = self.seen_as(name) if name else ""
        return OUTSIDE if label is None or text in tags.OUTSIDE else (prefix, label)


def _shared_names(pairs: Sequence[Pair], wanted: Wanted) -> tuple[list[str], dict[tuple[str, ...], Ints]]:
    """The labels of the chunk, sorted, and for each document's own list their numbers there (-1: not wanted)."""
    lists = {document.names for pair in pairs for document in pair}
    seen = {name: wanted.seen_as(name) for names in lists for name in names}
    found = sorted({label for label in seen.values() if label is not None})
    numbers = {label: number for number, label in enumerate(found)}
    return found, {
        names: np.asarray([-1 if (label := seen[name]) is None else numbers[label] for name in names], np.int64)
        for names in lists
    }


def _parts_left_out(pairs: Sequence[Pair], renamed: Mapping[tuple[str, ...], Ints], known: Typology) -> int:
    """How many components have none of the labels that count."""
    found = 0
    for one in (document for pair in pairs for document in pair) if known.components else ():
        gone = [number for number, name in enumerate(one.names)
                if name in known.components and renamed[one.names][number] < 0]  # fmt: skip
        found += int(np.isin(one.labels, gone).sum()) if gone else 0
    return found


def _below(name: str, wanted: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in wanted)


def _side(
    documents: Sequence[Document], offsets: Ints, renamed: Mapping[tuple[str, ...], Ints],
    shapes: dict[Segments, int], component: Mask,
) -> tuple[SpanColumns, dict[str, int]]:  # fmt: skip
    """The spans of documents as one, sorted, without empty or repeated ones; and how many of these there were."""
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    document = owners(sizes)
    spans = np.concatenate([one.spans for one in documents]) + offsets[document][:, None]
    label = np.concatenate([renamed[one.names][one.labels] for one in documents])
    depth = np.concatenate([np.zeros(len(one), np.int64) if one.depths is None else one.depths for one in documents])
    number = ranges(0, sizes)
    shape = _shapes(documents, sizes, offsets, shapes)
    parts = {shape_number: segments for segments, shape_number in shapes.items()}
    whole = SpanColumns(spans[:, 0], spans[:, 1], label, depth, shape, document, number, parts)
    wanted = (label >= 0) & (whole.end > whole.start)
    if wanted.all() and (whole.start[1:] >= whole.end[:-1]).all():  # one behind the other, as tags give them
        return whole, {"repeated": 0, "hollow": 0}
    kept = whole.picked(wanted)
    hollow = int(((label >= 0) & (whole.end <= whole.start)).sum())
    inner = component[kept.label] if len(component) else np.zeros(len(kept), bool)
    order = np.lexsort((kept.shape, kept.label, inner, kept.depth, -kept.end, kept.start))
    sorted_side = kept.picked(order)
    same = np.zeros(len(order), bool)
    _, first = np.unique(
        packed([sorted_side.start, sorted_side.end, sorted_side.label, sorted_side.shape]), return_index=True
    )
    same[first] = True
    return sorted_side.picked(same), {"repeated": int((~same).sum()), "hollow": hollow}


def _shapes(documents: Sequence[Document], sizes: Ints, offsets: Ints, shapes: dict[Segments, int]) -> Ints:
    """The number of each span's shape: 0 in one piece."""
    column = np.zeros(int(sizes.sum()), np.int64)
    base = 0
    for one, size, offset in zip(documents, sizes.tolist(), offsets.tolist(), strict=True):
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
    owner = owners(sizes)
    starts = np.concatenate(per_document) + offsets[owner]
    starts[np.cumsum(sizes) - sizes] = offsets  # whatever comes before the first sentence belongs to it
    return starts, owner
