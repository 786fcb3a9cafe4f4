"""Key and response transcripts side by side, for a chunk of utterances at once.

The words of both sides are encoded as numbers once. Alignments are computed on demand and cached.

Counts have a row per utterance. If the key has entities, there is also a row per utterance and type of entity, so that
errors on the words of each type can be counted separately (`label`, empty for words outside entities) and add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Annotated, Any, NamedTuple

import numpy as np
from rapidfuzz.process import cdist

from aune.contract import task as core
from aune.contract.measure import Column, ratio
from aune.contract.notes import Note
from aune.contract.options import HiddenAtDefault, Range
from aune.contract.survey import STANDALONE, Survey
from aune.errors import UsageError
from aune.numeric.arrays import Ints, Numbering, owner_indices, ranges
from aune.tasks.speech.alignment import networks
from aune.tasks.speech.alignment.compounds import join_compounds
from aune.tasks.speech.alignment.meetings import (
    NO_SPEAKER,
    Distance,
    SpeakerPair,
    SpeakerWords,
    pair_speakers,
    scored_parts,
    speaker_errors,
    speaker_streams,
    time_constrained,
    untimed_errors,
    words_in_order,
)
from aune.tasks.speech.alignment.recordings import Reduce, as_utterance, pair_utterances
from aune.tasks.speech.alignment.utterance_assignment import Part, Search, assign, join_parts
from aune.tasks.speech.alignment.words import (
    ALLOWED,
    BOUNDARY,
    CLOSENESS,
    DELETION,
    INSERTION,
    JOINED,
    LETTER_DISTANCE,
    MAX_LETTERS,
    OPTIONAL,
    SUBSTITUTION,
    Alignment,
    AlignmentKind,
    EncodedWords,
    align_texts,
    align_words,
    encode_texts,
)
from aune.tasks.speech.model import (
    ALL_ENTITIES,
    Document,
    Entity,
    EntitySelection,
    Recording,
    Utterance,
    outermost_entities,
    refuse_bad_spans,
    select_entities,
    utterances,
)
from aune.tasks.speech.notes import labels_seen, text_notes, unanswered_ends
from aune.tasks.speech.text.normalisation import Chain, Normaliser, chain_signature
from aune.typologies.typology import TypologyName
from aune.typologies.typology import typology as typology_named


class Errors(NamedTuple):
    """Words by outcome; every measure of the WER family is a function of these four counts."""

    correct: Column
    substitutions: Column
    deletions: Column
    insertions: Column

    @property
    def key_size(self) -> Column:
        """The number of words of the key."""
        return self.correct + self.substitutions + self.deletions

    @property
    def response_size(self) -> Column:
        """The number of words of the response."""
        return self.correct + self.substitutions + self.insertions

    @property
    def wrong(self) -> Column:
        return self.substitutions + self.deletions + self.insertions

    @property
    def rates(self) -> tuple[Column, Column, Column, Column]:
        """All errors, then each kind of error, per word of the key."""
        size = self.key_size
        parts = (self.wrong, self.substitutions, self.deletions, self.insertions)
        return tuple(ratio(part, size) for part in parts)  # type: ignore[return-value] # four of them


class Entities(NamedTuple):
    """The outermost entities of the key, in order."""

    unit: Ints
    start: Ints
    """The first word, numbered within the utterance."""
    end: Ints
    row: Ints
    labels: list[str]


@dataclass(frozen=True)
class WordCoding:
    """Words as numbers, computed on demand. It has no reference to the comparison, which can thus be freed early."""

    pairs: list[tuple[Utterance, Utterance]]
    network_units: list[int]

    @cached_property
    def encoding(self) -> tuple[list[str], EncodedWords, EncodedWords]:
        """The distinct words by number, and both sides encoded by these numbers."""
        numbers: Numbering[str] = Numbering()
        key = encode_texts([utterance.text for utterance, _ in self.pairs], numbers)
        response = encode_texts([utterance.text for _, utterance in self.pairs], numbers)
        for unit in self.network_units:
            for utterance in self.pairs[unit]:
                for word in _graph(utterance).words:
                    numbers[word]
        return list(numbers), key, response


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """The data from which measures count."""

    units: Mapping[str, Sequence[str]]
    pairs: list[tuple[Utterance, Utterance]]
    """Key and response utterances, after normalisation."""
    entities: Entities
    base: Ints
    """(utterances,): the row of each utterance for words outside entities."""
    fragments: bool = False
    normalise: str = "none"
    """The chain of normalisation that was applied to both sides."""
    selection: EntitySelection = ALL_ENTITIES
    """The entities of the key that count."""
    signed: Mapping[str, str] = field(default_factory=dict)
    """Options that the signature shows in another form than they were given in."""
    notes: tuple[Note, ...] = ()
    """Notes for the user that do not follow from the words."""
    documents: Sequence[tuple[Document, Document]] = ()
    """Key and response as they were read, for measures of whole meetings."""
    compounds: bool = False
    """Whether words that give one word of the other side when joined are right."""

    @property
    def warnings(self) -> tuple[Note, ...]:  # type: ignore[override] # read-only here
        return (*self.notes, *self._measure_notes.values(), *self._text_notes)

    @cached_property
    def _text_notes(self) -> tuple[Note, ...]:
        return text_notes((key.text, response.text) for key, response in self.pairs)

    @cached_property
    def _measure_notes(self) -> dict[str, Note]:
        return {}

    def add_note(self, note: Note) -> None:
        """Add a note from a measure that counts this comparison; measures may share one."""
        self._measure_notes[note.kind] = note

    @property
    def rows(self) -> int:
        return len(self.units["document"])

    @cached_property
    def coding(self) -> WordCoding:
        return WordCoding(self.pairs, self._network_units)

    @property
    def words(self) -> list[str]:
        return self.coding.encoding[0]

    @property
    def key(self) -> EncodedWords:
        return self.coding.encoding[1]

    @property
    def response(self) -> EncodedWords:
        return self.coding.encoding[2]

    def alignment(self, kind: AlignmentKind) -> Alignment:
        return self.compute_once(kind, lambda: self._align(kind))

    def errors(self, kind: AlignmentKind) -> Errors:
        """The words of each row by outcome."""
        return self.compute_once(("errors", kind), lambda: self._count_errors(self.alignment(kind)))

    def per_row(self, rows: Ints, weights: Any = None) -> Column:
        return np.bincount(rows, weights, self.rows)

    def tally_errors(self, rows: Ints, kind: Ints, sizes: Column) -> Errors:
        """Errors from the row and kind of each, and from the number of words (or letters, or sounds) in each row."""
        wrong = np.bincount(rows * OPTIONAL + kind, minlength=self.rows * OPTIONAL).reshape(-1, OPTIONAL).T
        return Errors(sizes - wrong[SUBSTITUTION] - wrong[DELETION], *wrong)

    def unit_of(self, words: EncodedWords) -> Ints:
        """(words,): the utterance of each word."""
        return owner_indices(words.lengths)

    def entity_of(self, alignment: Alignment) -> Ints:
        """(key words,): the number of the entity that contains each word of the key, or -1."""
        number = np.full(alignment.key.size, -1)
        sizes = self.entities.end - self.entities.start
        firsts = alignment.key.starts[self.entities.unit] + self.entities.start
        number[ranges(firsts, sizes)] = owner_indices(sizes)
        return number

    def error_rows(self, alignment: Alignment) -> Ints:
        """(errors,): the row of each error. An insertion is in an entity that has words on both sides of it."""
        rows = self.base[alignment.unit]
        if not len(self.entities.unit):
            return rows
        entity = np.concatenate([self.entity_of(alignment), [-1]])
        entity_at = entity[alignment.key_at]
        inside = np.where(
            alignment.kind == INSERTION, (entity_at >= 0) & (entity[alignment.key_at - 1] == entity_at), entity_at >= 0
        )
        rows[inside] = self.entities.row[entity_at[inside]]
        return rows

    def word_rows(self, alignment: Alignment) -> Ints:
        """(key words,): the row of each word."""
        rows = self.base[self.unit_of(alignment.key)]
        if len(self.entities.unit):
            entity = self.entity_of(alignment)
            rows = np.where(entity >= 0, self.entities.row[np.maximum(entity, 0)], rows)
        return rows

    @cached_property
    def in_entities(self) -> Column:
        """(rows,): 1 for rows of entities, 0 for others."""
        inside = np.zeros(self.rows)
        inside[self.entities.row] = 1
        return inside

    def texts(self, blank: str) -> tuple[list[str], list[str]]:
        """Both sides of each utterance as one string, with or without a blank between words."""
        if not self._network_units:
            sides = [utterance.text for utterance, _ in self.pairs], [utterance.text for _, utterance in self.pairs]
            return join_words(sides[0], blank), join_words(sides[1], blank)
        wordings = list(self.wordings())
        return [blank.join(key) for key, _ in wordings], [blank.join(response) for _, response in wordings]

    def wordings(self, kind: AlignmentKind = "levenshtein") -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        """The words of both sides of each utterance; if there are several wordings, those chosen by the alignment."""
        if not self._network_units:
            for key, response in self.pairs:
                yield key.words, response.words
            return
        alignment = self.alignment(kind)
        for key_codes, response_codes in zip(_pieces(alignment.key), _pieces(alignment.response), strict=True):
            yield (
                [self.words[code] for code in key_codes.tolist()],
                [self.words[code] for code in response_codes.tolist()],
            )

    def meetings(self, name: str, distance: Distance) -> list[list[SpeakerPair]]:
        """The speakers of both sides of each document, paired so that the errors under a distance are fewest."""
        return self.compute_once(
            ("meetings", name), lambda: [pair_speakers(*sides, distance) for sides in self._streams]
        )

    def assigned_errors(self, side: str, search: Search, collar: float | None = None) -> Errors:
        """The errors of each meeting when the utterances of a side may be assigned to any speaker of the other."""
        distance = untimed_errors if collar is None else time_constrained(collar)

        def compute() -> Errors:
            columns = []
            for key, response, ignored_spans in self._meetings:
                key_streams, response_streams = speaker_streams(key), speaker_streams(response, ignored_spans)
                if side == "key":
                    parts, streams = _meeting_parts(key), response_streams or {"": NO_SPEAKER}
                else:
                    parts, streams = _meeting_parts(response, ignored_spans), key_streams or {"": NO_SPEAKER}
                names = assign(parts, streams, distance, collar=collar, search=search, swapped=side == "response")
                columns.append(_errors_of_streams(parts, names, streams, distance, swapped=side == "response"))
            return Errors(*np.array(columns, float).reshape(-1, 4).T)

        return self.compute_once(("assigned", side, search, collar), compute)

    @cached_property
    def _meetings(self) -> list[tuple[Document, Document, list[tuple[float, float]]]]:
        """Both sides of each document after normalisation, and the time spans that the key excludes."""
        steps = Normaliser(self.normalise)
        result = []
        for pair in self.documents:
            key, response = (_normalised_document(document, steps) for document in pair)
            ignored_spans = [part.span for part in utterances([key]) if part.ignored and part.span]
            result.append((key, response, ignored_spans))
        return result

    @cached_property
    def _streams(self) -> list[tuple[dict[str, SpeakerWords], dict[str, SpeakerWords]]]:
        """The words of each speaker on both sides of each document, after normalisation."""
        return [
            (speaker_streams(key), speaker_streams(response, ignored_spans))
            for key, response, ignored_spans in self._meetings
        ]

    @cached_property
    def meeting_units(self) -> Mapping[str, Sequence[str]]:
        """The units of measures of meetings: the documents as they were read."""
        keys = [as_utterance(key)._replace(id=key.id) for key, _ in self.documents]
        return _units([(key, key) for key in keys], range(len(keys)), None)

    def _count_errors(self, alignment: Alignment) -> Errors:
        kinds = JOINED + 1
        codes = self.error_rows(alignment) * kinds + alignment.kind
        substitutions, deletions, insertions, _, allowed, _ = (
            np.bincount(codes, minlength=self.rows * kinds).reshape(-1, kinds).T
        )
        if len(self.entities.unit):
            sizes = self.per_row(self.word_rows(alignment))
        else:
            sizes = self.per_row(self.base, alignment.key.lengths)
        return Errors(sizes + allowed - substitutions - deletions, substitutions, deletions, insertions)

    def _align(self, kind: AlignmentKind) -> Alignment:
        if not self.compounds:
            return self._align_words(kind)
        if self._network_units:
            raise UsageError(
                "--compounds: found utterances with alternatives, optional words or fragments, expected plain words: "
                "choose --compounds no, or write one wording"
            )
        return join_compounds(self._align_words(kind), kind, self.words)

    def _align_words(self, kind: AlignmentKind) -> Alignment:
        if self._network_units:
            return _align_with_networks(self, kind, self._network_units)
        if kind == "levenshtein":
            texts = [utterance.text for utterance, _ in self.pairs], [utterance.text for _, utterance in self.pairs]
            coding = self.coding
            return align_texts(*texts, (lambda: coding.encoding[1].codes, lambda: coding.encoding[2].codes))
        return align_words(kind, self.key, self.response, self.words)

    @cached_property
    def _network_units(self) -> list[int]:
        """The utterances with several wordings on a side, or with fragments that count as complete words."""
        return [
            unit
            for unit, (key, response) in enumerate(self.pairs)
            if key.tree is not None
            or response.tree is not None
            or (
                self.fragments and any(word[:1] == "-" or word[-1:] == "-" for word in chain(key.words, response.words))
            )
        ]


def _meeting_parts(document: Document, ignored_spans: Sequence[tuple[float, float]] = ()) -> list[Part]:
    """The scored utterances of a meeting, ordered by their beginning."""
    return [
        Part(part.attributes.get("speaker", ""), words_in_order([part]))
        for part in scored_parts(document, ignored_spans)
    ]


def _errors_of_streams(
    parts: Sequence[Part],
    names: Sequence[str],
    streams: Mapping[str, SpeakerWords],
    distance: Distance,
    *,
    swapped: bool,
) -> list[int]:
    """Correct words, S, D and I of a meeting whose utterances are assigned to streams."""
    totals = np.zeros(4, np.int64)
    for name, stream in streams.items():
        words = join_parts([part for part, place in zip(parts, names, strict=True) if place == name])
        key, response = (stream, words) if swapped else (words, stream)
        pair = speaker_errors((name, key), (name, response), distance(key, response))
        correct = pair.words - pair.substitutions - pair.deletions
        totals += (correct, pair.substitutions, pair.deletions, pair.insertions)
    return totals.tolist()


def _align_with_networks(comparison: Comparison, kind: AlignmentKind, special: Sequence[int]) -> Alignment:
    """The alignment of all utterances; those with several wordings are aligned as graphs."""
    numbers = {word: number for number, word in enumerate(comparison.words)}
    keys = _pieces(comparison.key)
    responses = _pieces(comparison.response)
    same = networks.same_or_fragment if comparison.fragments else networks.same_word
    steps: dict[int, list[networks.Step]] = {}
    for unit in special:
        key, response = comparison.pairs[unit]
        graphs = _graph(key), _graph(response)
        steps[unit] = networks.align_networks(*graphs, _costs(kind, *graphs), same)
        keys[unit] = np.array([numbers[step.key] for step in steps[unit] if step.key], np.int64)
        responses[unit] = np.array([numbers[step.response] for step in steps[unit] if step.response], np.int64)
    blank = np.zeros(0, np.int64)
    plain = align_words(
        kind,
        _join_pieces([blank if unit in steps else piece for unit, piece in enumerate(keys)]),
        _join_pieces([blank if unit in steps else piece for unit, piece in enumerate(responses)]),
        comparison.words,
    )
    return _merge_alignments(plain, _join_pieces(keys), _join_pieces(responses), steps)


def join_words(texts: list[str | Sequence[str]], blank: str) -> list[str]:
    r"""The words of each text as one string.

    >>> join_words([" a\tb", ["a", "b"]], " ")
    ['a b', 'a b']
    """
    if blank == " " and all(map(str.__instancecheck__, texts)):
        every = BOUNDARY.join(texts)  # type: ignore[arg-type] # strings all of them
        tidy = every.isascii() and every.replace(BOUNDARY, "").isprintable()
        if tidy and not any(
            blanks in f"{BOUNDARY}{every}{BOUNDARY}" for blanks in ("  ", f"{BOUNDARY} ", f" {BOUNDARY}")
        ):
            return texts  # type: ignore[return-value] # unchanged, the most common case
    return [blank.join(text.split() if isinstance(text, str) else text) for text in texts]


def _graph(utterance: Utterance) -> networks.Network:
    return networks.linear_network(utterance.words) if utterance.tree is None else networks.network(utterance.tree)


def _costs(kind: AlignmentKind, key: networks.Network, response: networks.Network) -> networks.StepCosts:
    if kind == "sclite":
        return networks.SCLITE
    if kind == "similar":
        return networks.fewest_errors(key, response, _letter_distances, CLOSENESS)
    return networks.fewest_errors(key, response, lambda word, others: 0, 0)


def _letter_distances(key: str, responses: Sequence[str]) -> Ints:
    """The distance of a word from each of some others, in letters."""
    letters, *others = (word[:MAX_LETTERS].lower() for word in (key, *responses))
    return cdist([letters], others, **LETTER_DISTANCE)[0].astype(np.int64)  # type: ignore[no-any-return]


def _pieces(words: EncodedWords) -> list[Ints]:
    return np.split(words.codes, words.starts[1:-1]) if len(words.starts) > 1 else []


def _join_pieces(pieces: Sequence[Ints]) -> EncodedWords:
    starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return EncodedWords(starts, np.concatenate(pieces) if pieces else np.zeros(0, np.int64))


STEP_KINDS = {"S": SUBSTITUTION, "D": DELETION, "I": INSERTION, "O": OPTIONAL}


def _merge_alignments(
    plain: Alignment, key: EncodedWords, response: EncodedWords, steps: Mapping[int, list[networks.Step]]
) -> Alignment:
    """The errors of plain utterances and those found in graphs, merged in order."""
    columns: list[tuple[int, int, int, int]] = []
    for number, unit_steps in steps.items():
        i, j = int(key.starts[number]), int(response.starts[number])
        for step in unit_steps:
            if step.kind in STEP_KINDS:
                columns.append((number, STEP_KINDS[step.kind] if step.key or step.kind != "O" else ALLOWED, i, j))
            i, j = i + bool(step.key), j + bool(step.response)
    extra = np.array(columns, np.int64).reshape(-1, 4)
    unit = np.concatenate([plain.unit, extra[:, 0]])
    key_at = plain.key_at - plain.key.starts[plain.unit] + key.starts[plain.unit]
    response_at = plain.response_at - plain.response.starts[plain.unit] + response.starts[plain.unit]
    key_at, response_at = np.concatenate([key_at, extra[:, 2]]), np.concatenate([response_at, extra[:, 3]])
    order = np.lexsort((response_at, key_at, unit))
    kind = np.concatenate([plain.kind, extra[:, 1]])
    return Alignment(key, response, unit[order], kind[order], key_at[order], response_at[order])


Labels = Annotated[tuple[str, ...], "keep only entities with these labels, or with labels below them"]
Depth = Annotated[int, "how many parts of a label path count; 0: all of them", Range(0)]
Compounds = Annotated[
    bool, "count adjacent words that are, joined, one word of the other side as right", HiddenAtDefault
]
Fragments = Annotated[bool, "count a fragment such as fi- or -ing as the word it is the beginning or the end of"]


def compare(
    pairs: Sequence[tuple[Document, Document]],
    survey: Survey = STANDALONE,
    *,
    normalise: Chain = "none",
    fragments: Fragments = False,
    reduce: Reduce = "none",
    typology: TypologyName = "",
    labels: Labels = (),
    depth: Depth = 0,
    compounds: Compounds = False,
) -> Comparison:
    """Prepare a chunk of transcripts for measures."""
    utterance_pairs, notes = pair_utterances(pairs, reduce)
    refuse_bad_spans([key for key, _ in utterance_pairs if key.entities])
    if typology or labels or depth:
        components = typology_named(typology).components
        utterance_pairs = [
            (key._replace(entities=select_entities(key.entities, components, labels, depth)), response)
            for key, response in utterance_pairs
        ]
    warnings = [
        *_ignored_notes(pairs),
        *notes,
        *unanswered_ends([key for key, _ in pairs if isinstance(key, Recording)], utterance_pairs),
        *([] if typology else labels_seen(utterance_pairs)),
    ]
    steps = Normaliser(normalise)
    if steps:
        utterance_pairs = [
            (normalise_utterance(key, steps), normalise_utterance(response, steps)) for key, response in utterance_pairs
        ]
        if steps.dropped_words:
            warnings.append(Note("dropped", partial(_dropped_text, normalise), {"words": steps.dropped_words}, rank=2))
    entities, base, owners, row_labels = _entity_rows(utterance_pairs)
    return Comparison(
        _units(utterance_pairs, owners, row_labels), utterance_pairs, entities, base, fragments, normalise,
        EntitySelection(typology, tuple(labels), depth), {"normalise": chain_signature(normalise)}, tuple(warnings),
        pairs, compounds,
    )  # fmt: skip


def _dropped_text(normalise: str, counts: Mapping[str, int], first: str) -> str:
    words = "word" if counts["words"] == 1 else "words"
    return f"normalisation {normalise} left out {counts['words']} {words} altogether"


def _ignored_notes(pairs: Sequence[tuple[Document, Document]]) -> list[Note]:
    """A note on what the key itself excludes."""
    count = sum(utterance.ignored for utterance in utterances(key for key, _ in pairs))
    return [Note("ignored", _ignored_text, {"utterances": count})] if count else []


def _ignored_text(counts: Mapping[str, int], first: str) -> str:
    count = counts["utterances"]
    singular, plural = (
        "utterance is marked as not to be scored, and was",
        "utterances are marked as not to be scored, and were",
    )
    return f"{count} {singular if count == 1 else plural} left out"


def _normalised_document(document: Document, steps: Normaliser) -> Document:
    if not steps:
        return document
    if isinstance(document, Utterance):
        return normalise_utterance(document, steps)
    return document._replace(utterances=tuple(
        part if part.ignored else normalise_utterance(part, steps) for part in document.utterances
    ))  # fmt: skip


def normalise_utterance(utterance: Utterance, steps: Normaliser) -> Utterance:
    """An utterance after a chain of steps; entities and times follow their words."""
    marked = utterance.entities or utterance.times is not None  # these refer to the words before the chain
    words, origins = steps(utterance.words if marked else steps.split_words(utterance.text))
    if utterance.tree is not None:
        tree = networks.map_words(utterance.tree, lambda word: steps([word])[0])
        return Utterance(
            utterance.id,
            networks.first_wording(tree),
            utterance.attributes,
            tree=tree,
            span=utterance.span,
            line=utterance.line,
        )
    entities, times = utterance.entities, utterance.times
    if entities:
        places = np.searchsorted(np.array(origins, np.int64), [[entity.start, entity.end] for entity in entities])
        moved = zip(places.tolist(), entities, strict=True)
        entities = tuple(Entity(start, end, entity.label) for (start, end), entity in moved if end > start)
    if times is not None:
        times = [times[place] for place in origins]
    return Utterance(
        utterance.id, words, utterance.attributes, entities, times, span=utterance.span, line=utterance.line
    )


def _entity_rows(pairs: Sequence[tuple[Utterance, Utterance]]) -> tuple[Entities, Ints, list[int], list[str] | None]:
    """The entities, the row of each utterance, and the utterance and label of each row."""
    if not any(key.entities for key, _ in pairs):
        nothing = np.zeros(0, np.int64)
        everyone = np.arange(len(pairs))
        return Entities(nothing, nothing, nothing, nothing, []), everyone, everyone.tolist(), None
    base: list[int] = []
    owners: list[int] = []
    labels: list[str] = []
    columns: list[tuple[int, int, int, int]] = []
    names: list[str] = []
    for unit, (key, _) in enumerate(pairs):
        base.append(len(owners))
        label_rows = {"": len(owners)}
        entities = outermost_entities(key.entities) if key.tree is None else []
        for entity in entities:
            row = label_rows.setdefault(entity.label, len(owners) + len(label_rows))
            columns.append((unit, entity.start, entity.end, row))
            names.append(entity.label)
        owners += [unit] * len(label_rows)
        labels += list(label_rows)
    table = np.array(columns, np.int64).reshape(-1, 4)
    unit_, start, end, row_ = table.T
    return Entities(unit_, start, end, row_, names), np.array(base, np.int64), owners, labels


def _units(
    pairs: Sequence[tuple[Utterance, Utterance]], owners: Sequence[int], labels: list[str] | None
) -> Mapping[str, Sequence[str]]:
    """The properties of each row: document (the utterance itself if it names none), utterance, other fields."""
    keys = [key for key, _ in pairs]
    names = set(chain.from_iterable(key.attributes for key in keys if key.attributes))
    ids = [key.id for key in keys]
    documents = [key.attributes.get("document", key.id) for key in keys] if "document" in names else ids
    columns = {"document": documents, "utterance": ids}
    for name in sorted(names - columns.keys()):
        columns[name] = [key.attributes.get(name, "") for key in keys]
    if labels is None:
        return columns
    return {name: [column[owner] for owner in owners] for name, column in columns.items()} | {"label": labels}
