"""The spans of key and response side by side, for a chunk of documents at once.

All documents of the chunk are placed one after the other on one line of positions. Spans of different documents never
overlap there, and everything is array arithmetic. Pairings of overlapping spans are computed on demand and cached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.alignment.offset_slips import count_slips, is_inside_word
from aune.alignment.placement_records import (
    OtherText,
    PlacementRecord,
    PlaceOption,
    Realign,
    Unplaced,
    placement_facts,
    placement_signature,
)
from aune.contract import task as core
from aune.contract.options import HiddenAtDefault, Range
from aune.contract.survey import STANDALONE, Survey
from aune.errors import InputError, Problem, Remedy, UsageError
from aune.numeric.arrays import Ints, Mask, owner_indices, ranges
from aune.results.rows import length_bucket
from aune.tasks.entities import tags
from aune.tasks.entities.model import Document, Referent, Segments, referent_label
from aune.tasks.entities.notes import Fact
from aune.tasks.entities.pairing import referents
from aune.tasks.entities.pairing.span_columns import Labels, SpanColumns, pack_rows, same_spans, sorted_distinct
from aune.tasks.entities.pairing.spans import Edges, Pairing, best_pairing, count_overlaps, overlap_edges
from aune.tasks.entities.pairing.token_alignment import (
    align_tokens,
    describe_ragged,
    differing_tokens,
    is_ragged,
    move_response,
    same_shape,
    unrelated_problem,
)
from aune.tasks.entities.pairing.trees import Forest, forest
from aune.tasks.entities.realignment import realign_responses
from aune.typologies.typology import Typology, TypologyName, typology

Pair: TypeAlias = tuple[Document, Document]
MAX_PAIRS = 2_000_000  # of overlapping spans in one document: some 300 MB
ALL = slice(None)
NO_LABEL = "-"  # the label of units of a key without labels


class Cells(NamedTuple):
    """The units of a measure, and the unit of each span or entity of the key and of the response."""

    unit: Ints
    """(cells,): the sentence or document of each cell."""
    labels: list[Any]
    """The label of each cell; None for a unit without labels."""
    key: Ints
    response: Ints

    @property
    def size(self) -> int:
        return len(self.unit)


def cells_of(units: int, names: Sequence[str], sides: Sequence[tuple[Ints, Ints]]) -> Cells:
    """A cell for every sentence (or document) and label that occur together, and one for each unit without labels.

    Each side gives the sentences of its spans (or entities) and the numbers of their labels.
    """
    width = len(names) + 1
    key, response = (unit * width + label for unit, label in sides)
    bare = np.ones(units, bool)
    bare[np.concatenate([key, response]) // width] = False
    cells = sorted_distinct(np.concatenate([key, response, np.flatnonzero(bare) * width + len(names)]))
    unit, label = np.divmod(cells, width)
    return Cells(unit, _take([*names, None], label), np.searchsorted(cells, key), np.searchsorted(cells, response))


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """The data from which all entity measures are computed."""

    pairs: Sequence[Pair]
    key: SpanColumns
    response: SpanColumns
    labels: Labels
    typology: Typology
    sentence_starts: Ints
    """The position at which each sentence begins, on the chunk's line."""
    sentence_document: Ints
    offsets: Ints
    """The position at which each document begins."""
    label_filter: LabelFilter
    counted_facts: Mapping[Fact, int] = field(default_factory=dict)
    placements: tuple[PlacementRecord, ...] = ()
    """How responses with other texts were aligned with the key, by document; empty if no document needed it."""
    signed: Mapping[str, Any] = field(default_factory=dict)
    """How responses were located in the key's text, if any were."""
    unplaced_strings: bool = False
    """Whether the response contains strings without positions; then no score is defined."""

    @property
    def names(self) -> Sequence[str]:
        return self.labels.names

    # Units: a row for every sentence and label that occur together.

    @cached_property
    def _cells(self) -> Cells:
        """The (sentence, label) cells in order, and the cell of each key span and each response span."""
        sides = [(self.sentence_numbers(side), side.label) for side in (self.key, self.response)]
        return cells_of(len(self.sentence_starts), self.names, sides)

    def sentence_numbers(self, side: SpanColumns) -> Ints:
        return np.searchsorted(self.sentence_starts, side.start, "right") - 1

    def check_placed(self) -> None:
        """Refuse to score strings that have no position."""
        if self.unplaced_strings:
            raise UsageError("--place interval gives bounds, not scores: use -m f_bounds, or another policy of --place")

    @cached_property
    def units(self) -> dict[str, list[str]]:  # type: ignore[override] # read-only here
        self.check_placed()
        return self.sentence_columns(self._cells.unit) | {"label": self._cells.labels}

    @cached_property
    def sentence_units(self) -> dict[str, list[str]]:
        """The units of measures that ignore labels: the sentences."""
        self.check_placed()
        return self.sentence_columns(np.arange(len(self.sentence_starts)))

    def sentence_columns(self, sentence: Ints) -> dict[str, list[str]]:
        """Document, sentence and document attributes, for rows that belong to these sentences."""
        document, of_documents = self.sentence_document, self.document_units
        first = np.searchsorted(document, np.arange(len(self.pairs)))
        before = np.asarray([key.sentences_before + 1 for key, _ in self.pairs], np.int64) - first
        number = np.arange(len(document)) + before[document]
        ids = of_documents["document"]
        names = [f"{ids[d]}:{n}" for d, n in zip(document.tolist(), number.tolist(), strict=True)]
        columns = {name: _take(column, document[sentence]) for name, column in of_documents.items()}
        length = columns.get("length") or _take(self._sentence_lengths, sentence)
        return {**columns, "sentence": _take(names, sentence), "length": length}

    @cached_property
    def document_units(self) -> dict[str, list[str]]:
        """The units of measures that count by document."""
        keys = [key for key, _ in self.pairs]
        names = sorted({name for key in keys for name in key.attributes})
        columns = {name: [key.attributes.get(name, "") for key in keys] for name in names}
        return {"document": [key.id for key in keys], **columns}

    @cached_property
    def _sentence_lengths(self) -> list[str]:
        """The length of each sentence, in tokens (or characters), as a range."""
        ends = self.offsets + np.asarray([key.length for key, _ in self.pairs], np.int64)
        after = np.append(self.sentence_starts[1:], np.iinfo(np.int64).max)
        sizes = np.minimum(after, ends[self.sentence_document]) - self.sentence_starts
        named = {size: length_bucket(size) for size in set(sizes.tolist())}
        return [named[size] for size in sizes.tolist()]

    def count_key(self, which: Any = ALL) -> NDArray[Any]:
        """The number of these key spans (numbers or a mask) in each unit."""
        return np.bincount(self._cells.key[which], minlength=self._cells.size)

    def count_response(self, which: Any = ALL) -> NDArray[Any]:
        return np.bincount(self._cells.response[which], minlength=self._cells.size)

    # Trees.

    @cached_property
    def forest(self) -> Forest:
        """The entities of both sides with their constituents."""
        return forest(self.key, self.response, self.labels)

    @cached_property
    def _entity_cells(self) -> Cells:
        """Like `_cells`, for whole entities; the label of an entity is all its labels together."""
        sides = [(self.sentence_numbers(side.spans), side.labels) for side in (self.forest.key, self.forest.response)]
        return cells_of(len(self.sentence_starts), self.forest.names, sides)

    @cached_property
    def entity_units(self) -> dict[str, list[str]]:
        """The units of measures that count entities as trees."""
        self.check_placed()
        return self.sentence_columns(self._entity_cells.unit) | {"label": self._entity_cells.labels}

    def count_entities(self, which: int, numbers: Any = ALL, values: NDArray[Any] | None = None) -> NDArray[Any]:
        """The number (or the sum of values) of these entities of a side (0 key, 1 response) in each unit."""
        cells = self._entity_cells
        return np.bincount((cells.key, cells.response)[which][numbers], values, minlength=cells.size)

    # Entities with mentions (ACE).

    @cached_property
    def referents(self) -> tuple[referents.Referents, referents.Referents]:
        """The entities of both sides with all their mentions, in the sense of ACE."""
        key, response = (referents.side_referents(self._side_referents(which), self.offsets) for which in (0, 1))
        self.check_size(count_overlaps(key, response), key.document[key.owner])
        return key, response

    def _side_referents(self, which: int) -> list[Sequence[Referent]]:
        """The entities of each document of a side whose labels count: ACE entities if it has them, else its trees."""
        trees = (self.forest.key, self.forest.response)[which]
        from_trees = referents.referents_of_trees(trees, self.forest.sets, self.offsets)
        documents = (pair[which] for pair in self.pairs)
        return [
            spans if document.referents is None else list(self._compared_referents(document.referents))
            for document, spans in zip(documents, from_trees, strict=True)
        ]

    def _compared_referents(self, entities: Sequence[Referent]) -> Iterator[Referent]:
        for entity in entities:
            label = self.label_filter.compared_label(referent_label(entity))
            if label is not None:
                type, _, subtype = label.partition(".")
                yield entity._replace(type=type, subtype=subtype)

    @cached_property
    def referent_cells(self) -> Cells:
        """The unit (document and type) of each entity; a document without entities has a row of zeros."""
        key, response = self.referents
        names = sorted({entity.type for side in (key, response) for entity in side.entities})
        number = {name: index for index, name in enumerate(names)}
        types = [np.asarray([number[entity.type] for entity in side.entities], np.int64) for side in (key, response)]
        return cells_of(len(self.pairs), names, [(key.document, types[0]), (response.document, types[1])])

    @cached_property
    def referent_units(self) -> dict[str, list[str]]:
        """The units of measures that count entities with all their mentions: document and label."""
        cells = self.referent_cells
        return {"document": _take([key.id for key, _ in self.pairs], cells.unit), "label": cells.labels}

    @property
    def facts(self) -> Mapping[Fact, int]:  # type: ignore[override] # read-only here
        """Facts for warnings, as numbers that add up over chunks: see `notes.py`."""
        if not self.labels.component.any():
            return self.counted_facts
        trees = {"key": self.forest.key, "response": self.forest.response}
        return {**self.counted_facts, **{("stray", role): side.stray for role, side in trees.items()}}

    # Pairings.

    @cached_property
    def exact_pairs(self) -> tuple[Ints, Ints]:
        """Key and response spans that are identical, including their labels."""
        return same_spans(self.key, self.response)

    @cached_property
    def edges(self) -> Edges:
        """Every pair of a key and a response span that share text."""
        self.check_size(count_overlaps(self.key, self.response), self.key.document)
        return overlap_edges(self.key, self.response, self.labels.type)

    @cached_property
    def entity_edges(self) -> Edges:
        """Every pair of a key and a response entity (as trees) that share text."""
        key, response = self.forest.key.spans, self.forest.response.spans
        self.check_size(count_overlaps(key, response), key.document)
        return overlap_edges(key, response, self.labels.type)

    def pairing(self, gains: tuple[float, ...], slots: str = "all") -> Pairing:
        """The one-to-one pairing of overlapping spans with the largest gain, by kind of pair (see `pairing.py`)."""
        return self.compute_once((gains, slots), lambda: best_pairing(self.edges, gains, self.slot_edges(slots)))

    def unpaired_spans(self, pairs: Pairing, slots: str = "all") -> tuple[Ints, Ints]:
        """The key spans and the response spans that a pairing leaves unpaired."""
        key, response = self.in_slots(self.key, slots), self.in_slots(self.response, slots)
        key[pairs.key] = response[pairs.response] = False
        return np.flatnonzero(key), np.flatnonzero(response)

    def check_size(self, pairs: Ints, document: Ints) -> None:
        """Refuse a document with more pairs than fit in memory, before they are computed."""
        of_document = np.bincount(document, pairs, minlength=len(self.pairs))
        if of_document.max(initial=0) > MAX_PAIRS:
            most = int(of_document.argmax())
            raise UsageError(
                f"document {self.pairs[most][0].id!r}: {int(of_document[most]):,} pairs of overlapping entities, "
                f"expected at most {MAX_PAIRS:,}: score it with f_measure under match:strict, which needs no pairs"
            )

    def slot_edges(self, slots: str) -> Mask | None:
        if slots == "all":
            return None
        edges = self.edges
        return self.in_slots(self.key, slots)[edges.key] & self.in_slots(self.response, slots)[edges.response]

    def in_slots(self, side: SpanColumns, slots: str) -> Mask:
        """A mask of the spans that `all`, `types` or `components` selects."""
        if slots == "all" or not len(self.names):
            return np.ones(len(side), bool)
        component = self.labels.component[side.label]
        return component if slots == "components" else ~component


def _take(values: Sequence[str | None], which: Ints) -> list[Any]:
    selected: list[Any] = np.asarray(values, object)[which].tolist()
    return selected


LabelCase: TypeAlias = Annotated[
    Literal["keep", "fold"], "whether labels in another case are other labels (keep), or not"
]
Among: TypeAlias = Annotated[
    tuple[str, ...],
    "count only entities whose whole label is one of these; key stands for those of the key, as in the HIPE scorer",
]
Rename: TypeAlias = Annotated[
    tuple[str, ...], "labels by another name, in key and response: PERSON=PER,GPE=LOC", HiddenAtDefault
]
OF_THE_KEY = "key"
OUTSIDE = ("O", "")


def compare(
    pairs: Sequence[Pair],
    survey: Survey = STANDALONE,
    *,
    typology: TypologyName = "",
    labels: Annotated[tuple[str, ...], "keep only entities with these labels, or with labels below them"] = (),
    depth: Annotated[int, "how many parts of a label path count; 0: all of them", Range(0)] = 0,
    case: LabelCase = "keep",
    among: Among = (),
    rename: Rename = (),
    realign: Realign = "none",
    place: PlaceOption = "in-order",
    unplaced: Unplaced = "count",
    other_text: OtherText = "refuse",
) -> Comparison:
    """Key and response spans on one line of positions, for a chunk of documents."""
    listed = any(response.listed is not None for _, response in pairs)
    places = _place_facts(pairs, realign != "none")
    pairs, records = realign_responses(pairs, realign, place, unplaced, other_text)
    check_units(pairs)
    pairs, facts = (pairs, placement_facts(records, unplaced)) if records else _align_positions(pairs)
    facts += places
    known = _choose_typology(pairs, typology, survey)
    signed = placement_signature(realign, place, unplaced, other_text) if records or listed else {}
    label_filter = LabelFilter(labels, depth, case, among, _parse_renames(rename, case))
    if OF_THE_KEY in among:
        others = {fold_case(label, case) for label in among if label != OF_THE_KEY}
        label_filter = label_filter._replace(among=())
        label_filter = label_filter._replace(among=_key_labels(pairs, label_filter, survey, others))
        signed["among"] = label_filter.among if not others else among
    facts.update({("asked", label): times for label, times in label_filter.count_uses(pairs).items()})
    facts.update(_count_other_case(pairs, label_filter))
    names, renamed = _shared_names(pairs, label_filter)
    lengths = np.asarray([max(key.length, response.length) + 1 for key, response in pairs], np.int64)
    offsets = np.cumsum(lengths) - lengths
    shapes: dict[Segments, int] = {}
    known_labels = Labels(names, known)
    sides = []
    for which, role in ((0, "key"), (1, "response")):
        side, left_out = _side_columns(
            [pair[which] for pair in pairs], offsets, renamed, shapes, known_labels.component
        )
        sides.append(side)
        facts.update({(kind, role): number for kind, number in left_out.items()})
        facts["repaired", role] += sum(pair[which].repaired for pair in pairs)
        for name, number in zip(names, np.bincount(side.label, minlength=len(names)).tolist(), strict=True):
            facts["label", role, name] += number
    facts["no typology",] += not known.name
    facts["parts left out",] += _count_left_out_parts(pairs, renamed, known)
    starts, owner = _sentences(pairs, offsets)
    return Comparison(
        pairs, sides[0], sides[1], known_labels, known, starts, owner, offsets, label_filter, facts, tuple(records),
        signed, unplaced_strings=listed and place == "interval",
    )  # fmt: skip


def _parse_renames(rename: Sequence[str], case: str) -> dict[str, str]:
    """The renamed labels and their new names; anything but NAME=NAME is refused."""
    renames: dict[str, str] = {}
    for pair in rename:
        old, _, new = (fold_case(part.strip(), case) for part in pair.partition("="))
        if not old or not new or renames.get(old, new) != new:
            raise UsageError(f"--rename {pair}: expected two labels such as PERSON=PER, and one for each")
        renames[old] = new
    return renames


def _key_labels(
    pairs: Sequence[Pair], label_filter: LabelFilter, survey: Survey, others: Collection[str]
) -> tuple[str, ...]:
    """The labels of the whole key, and these others, sorted; never empty, since an empty tuple means all labels."""
    used = {label_filter.known_name(key.names[number]) for key, _ in pairs for number in np.unique(key.labels).tolist()}
    used |= {label_filter.known_name(referent_label(entity)) for key, _ in pairs for entity in key.referents or ()}
    return tuple(sorted({*survey.ask("labels of the key", used), *others})) or (NO_LABEL,)


def fold_case(label: str, case: str) -> str:
    return label.lower() if case == "fold" else label


def _align_positions(pairs: Sequence[Pair]) -> tuple[list[Pair], Counter[Fact]]:
    """The pairs, with responses moved to the positions of their tokens in the key, and the differences found."""
    facts: Counter[Fact] = Counter()
    aligned, problems = [], []
    for key, response in pairs:
        if key.unit == "token" and key.words and response.words and not same_shape(key, response):
            places = align_tokens(key.words(), response.words())
            if places is None:
                problems.append(unrelated_problem(key, response))
                continue
            facts["moved", key.id] += abs(key.length - response.length) or 1
            facts["tokens missing",] += max(key.length - response.length, 0)
            response = move_response(response, places, key.length)
        elif is_ragged(key, response):
            raise UsageError(describe_ragged(key, response))
        elif key.unit == "token":
            facts["differing", key.id] += differing_tokens(key, response)
        elif key.text is not None and response.text is not None and key.text != response.text:
            facts["other text", key.id] += 1
        if key.unit != "token":
            facts.update(_count_cut_words(key, response))
        aligned.append((key, response))
    if problems:
        raise InputError(problems)
    return aligned, +facts


def _place_facts(pairs: Sequence[Pair], is_realigned: bool) -> Counter[Fact]:
    """The tokens of documents that the response lacks, and entities that would be right at other positions."""
    facts: Counter[Fact] = Counter()
    for key, response in pairs:
        if key.unit == "token":
            facts["key tokens",] += key.length
            if response is not key and key.words and response.words is key.words and not len(response):
                facts["tokens missing",] += key.length  # a missing document is the key's without entities
        if not is_realigned and _may_slip(key, response):
            facts.update({("slip", name): number for name, number in count_slips(key.spans, response.spans).items()})
    return facts


def _may_slip(key: Document, response: Document) -> bool:
    """Whether the sides may count positions differently; strings have no position yet."""
    return len(key) > 0 and len(response) > 0 and response.listed is None


def _count_cut_words(key: Document, response: Document) -> dict[Fact, int]:
    """How many entities of the response begin or end inside a word of the text, and how many entities there are."""
    text = key.text if response.text is None else response.text
    if text is None:
        return {}
    inside = sum(any(is_inside_word(text, place) for place in span) for span in response.spans.tolist())
    return {("cut words",): inside, ("spans on text",): len(response)}


def check_units(pairs: Sequence[Pair]) -> None:
    """Refuse positions of different kinds: tokens on one side and characters on the other."""
    problems = [
        Problem.in_file(
            "mention.other-unit", response.path or response.id, response.line,
            found=f"spans over {response.unit}s in document {response.id!r}",
            expected=f"{key.unit}s as in the key",
            remedies=[Remedy("lay them on its text", (("realign", "words"),)), "convert one of them"],
        )
        for key, response in pairs
        if key.unit != response.unit and len(key) and len(response)
    ]  # fmt: skip
    if problems:
        raise InputError(problems)


def _choose_typology(pairs: Sequence[Pair], name: str, survey: Survey) -> Typology:
    """The typology of the option, or the one that the key names."""
    named = survey.ask("typology", {key.typology for key, _ in pairs if key.typology}) if not name else ()
    return typology(name or min(named, default=""))


class LabelFilter(NamedTuple):
    """Which labels count, and which part of each label is compared."""

    labels: tuple[str, ...]
    depth: int
    case: str
    among: tuple[str, ...]
    other_names: Mapping[str, str]

    def known_name(self, name: str) -> str:
        """The name of a label after case folding and renaming."""
        label = fold_case(name, self.case)
        return self.other_names.get(label, label)

    def compared_label(self, name: str) -> str | None:
        """The label in the form that is compared; None if it does not count."""
        label = self.known_name(name)
        if self.among and label not in self.among:
            return None
        if self.labels and not _is_below(
            label, tuple(fold_case(wanted_label, self.case) for wanted_label in self.labels)
        ):
            return None
        return ".".join(label.split(".")[: self.depth or None])

    def count_uses(self, pairs: Sequence[Pair]) -> Counter[str]:
        """For each label selected by name, how many label lists have it, or one below it; 0 if it is unused."""
        texts = [document for pair in pairs for document in pair] if self.labels else []
        lists = {document.names for document in texts}
        lists |= {tuple({referent_label(entity) for entity in document.referents or ()}) for document in texts}
        return Counter(
            {
                label: sum(any(_is_below(self.known_name(name), (fold_case(label, self.case),)) for name in names)
                           for names in lists)
                for label in self.labels
            }
        )  # fmt: skip

    def split_tag(self, text: str) -> tuple[str, str]:
        """A tag as prefix and label, cut at its first dash; an outside tag if its label does not count."""
        prefix, _, name = text.partition("-")
        label = self.compared_label(name) if name else ""
        return OUTSIDE if label is None or text in tags.OUTSIDE else (prefix, label)


def _count_other_case(pairs: Sequence[Pair], label_filter: LabelFilter) -> Counter[Fact]:
    """The entities that are excluded only because of the case of their labels, by label."""
    facts: Counter[Fact] = Counter()
    folded = {label.lower() for label in label_filter.among}
    for document in (document for pair in pairs for document in pair if folded):
        for number, times in zip(*np.unique(document.labels, return_counts=True), strict=True):
            label = label_filter.known_name(document.names[number])
            if label not in label_filter.among and label.lower() in folded:
                facts["other case", label] += int(times)
    return facts


def _shared_names(pairs: Sequence[Pair], label_filter: LabelFilter) -> tuple[list[str], dict[tuple[str, ...], Ints]]:
    """The labels of the chunk, sorted, and for each list of labels in a document their numbers there (-1: excluded)."""
    lists = {document.names for pair in pairs for document in pair}
    compared = {name: label_filter.compared_label(name) for names in lists for name in names}
    labels = sorted({label for label in compared.values() if label is not None})
    numbers = {label: number for number, label in enumerate(labels)}
    return labels, {
        names: np.asarray([-1 if (label := compared[name]) is None else numbers[label] for name in names], np.int64)
        for names in lists
    }


def _count_left_out_parts(pairs: Sequence[Pair], renamed: Mapping[tuple[str, ...], Ints], known: Typology) -> int:
    """How many components have none of the labels that count."""
    total = 0
    for text in (document for pair in pairs for document in pair) if known.components else ():
        left_out = [number for number, name in enumerate(text.names)
                if name in known.components and renamed[text.names][number] < 0]  # fmt: skip
        total += int(np.isin(text.labels, left_out).sum()) if left_out else 0
    return total


def _is_below(name: str, wanted: tuple[str, ...]) -> bool:
    return any(name == wanted_label or name.startswith(f"{wanted_label}.") for wanted_label in wanted)


def _side_columns(
    documents: Sequence[Document], offsets: Ints, renamed: Mapping[tuple[str, ...], Ints],
    shapes: dict[Segments, int], component: Mask,
) -> tuple[SpanColumns, dict[str, int]]:  # fmt: skip
    """The spans of all documents, sorted, without empty or repeated ones, and the numbers of those removed."""
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    document = owner_indices(sizes)
    spans = np.concatenate([source.spans for source in documents]) + offsets[document][:, None]
    label = np.concatenate([renamed[source.names][source.labels] for source in documents])
    depth = np.concatenate(
        [np.zeros(len(source), np.int64) if source.depths is None else source.depths for source in documents]
    )
    number = ranges(0, sizes)
    shape = _shape_numbers(documents, sizes, offsets, shapes)
    parts = {shape_number: segments for segments, shape_number in shapes.items()}
    all_spans = SpanColumns(spans[:, 0], spans[:, 1], label, depth, shape, document, number, parts)
    wanted = (label >= 0) & (all_spans.end > all_spans.start)
    if wanted.all() and (all_spans.start[1:] >= all_spans.end[:-1]).all():  # no overlap, as from tags
        return all_spans, {"repeated": 0, "hollow": 0}
    selected = all_spans.select(wanted)
    hollow = int(((label >= 0) & (all_spans.end <= all_spans.start)).sum())
    inner = component[selected.label] if len(component) else np.zeros(len(selected), bool)
    order = np.lexsort((selected.shape, selected.label, inner, selected.depth, -selected.end, selected.start))
    sorted_side = selected.select(order)
    same = np.zeros(len(order), bool)
    _, first = np.unique(
        pack_rows([sorted_side.start, sorted_side.end, sorted_side.label, sorted_side.shape]), return_index=True
    )
    same[first] = True
    return sorted_side.select(same), {"repeated": int((~same).sum()), "hollow": hollow}


def _shape_numbers(documents: Sequence[Document], sizes: Ints, offsets: Ints, shapes: dict[Segments, int]) -> Ints:
    """The number of each span's shape: 0 for a contiguous span."""
    column = np.zeros(int(sizes.sum()), np.int64)
    base = 0
    for document, size, offset in zip(documents, sizes.tolist(), offsets.tolist(), strict=True):
        for index, segments in document.segments.items():
            placed = tuple((start + offset, end + offset) for start, end in segments)
            column[base + index] = shapes.setdefault(placed, len(shapes) + 1)
        base += size
    return column


def _sentences(pairs: Sequence[Pair], offsets: Ints) -> tuple[Ints, Ints]:
    """Where sentences begin, according to the key (or else the response), and their documents."""
    zero = np.zeros(1, np.int64)
    per_document = [
        next(
            (document.sentences for document in pair if document.sentences is not None and len(document.sentences)),
            zero,
        )
        for pair in pairs
    ]
    sizes = np.fromiter(map(len, per_document), np.int64, len(pairs))
    owner = owner_indices(sizes)
    starts = np.concatenate(per_document) + offsets[owner]
    starts[np.cumsum(sizes) - sizes] = offsets  # text before the first sentence belongs to it
    return starts, owner
