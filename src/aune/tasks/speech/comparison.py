"""Key and response transcripts side by side, for a chunk of utterances at once.

The words of both sides become numbers once. Alignments are made when a measure asks for one, and kept.

Counts have a row per utterance; where the key has entities, also a row per utterance and type of entity, so that the
errors on the words of each type can be told apart (`label`, empty for words outside entities) and still add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Annotated, Any, NamedTuple

import numpy as np
from rapidfuzz.process import cdist

from aune.core import task as core
from aune.core.arrays import Ints, Numbers, owners, ranges
from aune.core.measure import Column, ratio
from aune.core.notes import Note
from aune.core.options import Range
from aune.core.survey import ALONE, Survey
from aune.tasks.entities.typology import TypologyName
from aune.tasks.entities.typology import typology as typology_named
from aune.tasks.speech.alignment import networks
from aune.tasks.speech.alignment.meetings import Distance, Spoken, assigned, streams
from aune.tasks.speech.alignment.meetings import Pair as SpeakerPair
from aune.tasks.speech.alignment.sharing import Reduce, paired, whole
from aune.tasks.speech.alignment.words import (
    ALLOWED,
    APART,
    BOUND,
    CLOSENESS,
    DELETION,
    INSERTION,
    LETTERS,
    OPTIONAL,
    SUBSTITUTION,
    Alignment,
    Kind,
    Words,
    aligned,
    directly_aligned,
    side,
)
from aune.tasks.speech.model import (
    Document,
    Entity,
    Utterance,
    chosen_entities,
    outermost,
    refuse_bad_spans,
    utterances,
)
from aune.tasks.speech.notes import labels_seen, words_in_common
from aune.tasks.speech.text.normalisation import Chain, Normaliser, signed


class Errors(NamedTuple):
    """Words by what became of them; every measure of the WER family is a function of these four."""

    correct: Column
    substitutions: Column
    deletions: Column
    insertions: Column

    @property
    def said(self) -> Column:
        """The words of the key."""
        return self.correct + self.substitutions + self.deletions

    @property
    def given(self) -> Column:
        """The words of the response."""
        return self.correct + self.substitutions + self.insertions

    @property
    def wrong(self) -> Column:
        return self.substitutions + self.deletions + self.insertions

    @property
    def rates(self) -> tuple[Column, Column, Column, Column]:
        """All errors, then each kind of them, for each word said."""
        said = self.said
        parts = (self.wrong, self.substitutions, self.deletions, self.insertions)
        return tuple(ratio(part, said) for part in parts)  # type: ignore[return-value] # four of them


class Entities(NamedTuple):
    """The outermost entities of the key, in order."""

    unit: Ints
    start: Ints
    """The first word, counted within the utterance."""
    end: Ints
    row: Ints
    labels: list[str]


@dataclass(frozen=True)
class Coding:
    """Words as numbers, made when they are asked for. It knows no comparison, which can so be forgotten at once."""

    pairs: list[tuple[Utterance, Utterance]]
    special: list[int]

    @cached_property
    def coded(self) -> tuple[list[str], Words, Words]:
        """The distinct words by number, and both sides as such numbers."""
        numbers: Numbers[str] = Numbers()
        key = side([one.text for one, _ in self.pairs], numbers)
        response = side([one.text for _, one in self.pairs], numbers)
        for unit in self.special:
            for one in self.pairs[unit]:
                for word in _graph(one).words:
                    numbers[word]
        return list(numbers), key, response


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """What measures count from."""

    units: Mapping[str, Sequence[str]]
    pairs: list[tuple[Utterance, Utterance]]
    """Key and response utterances, after normalisation."""
    entities: Entities
    base: Ints
    """(utterances,): the row of each utterance, for what is outside entities."""
    fragments: bool = False
    normalise: str = "none"
    """The chain that both sides went through."""
    signed: Mapping[str, str] = field(default_factory=dict)
    """Options that the signature shows otherwise than they were given."""
    noted: tuple[Note, ...] = ()
    """What a user should know, apart from what the words say."""
    documents: Sequence[tuple[Document, Document]] = ()
    """Key and response as they were read, for what looks at whole meetings."""

    @cached_property
    def warnings(self) -> tuple[Note, ...]:  # type: ignore[override] # read-only here
        return (*self.noted, words_in_common((key.text, response.text) for key, response in self.pairs))

    @property
    def rows(self) -> int:
        return len(self.units["document"])

    @cached_property
    def coding(self) -> Coding:
        return Coding(self.pairs, self._special)

    @property
    def words(self) -> list[str]:
        return self.coding.coded[0]

    @property
    def key(self) -> Words:
        return self.coding.coded[1]

    @property
    def response(self) -> Words:
        return self.coding.coded[2]

    def alignment(self, kind: Kind) -> Alignment:
        return self.kept(kind, lambda: self._aligned(kind))

    def errors(self, kind: Kind) -> Errors:
        """The words of each row by what became of them."""
        return self.kept(("errors", kind), lambda: self._errors(self.alignment(kind)))

    def per_row(self, rows: Ints, weights: Any = None) -> Column:
        return np.bincount(rows, weights, self.rows)

    def tallied(self, rows: Ints, kind: Ints, said: Column) -> Errors:
        """Errors from the row and the kind of each, and from how many words (or letters, or sounds) a row has."""
        wrong = np.bincount(rows * OPTIONAL + kind, minlength=self.rows * OPTIONAL).reshape(-1, OPTIONAL).T
        return Errors(said - wrong[SUBSTITUTION] - wrong[DELETION], *wrong)

    def unit_of(self, words: Words) -> Ints:
        """(words,): the utterance of each word."""
        return owners(words.lengths)

    def entity_of(self, alignment: Alignment) -> Ints:
        """(key words,): the number of the entity that each word of the key is in, or -1."""
        number = np.full(alignment.key.size, -1)
        sizes = self.entities.end - self.entities.start
        firsts = alignment.key.starts[self.entities.unit] + self.entities.start
        number[ranges(firsts, sizes)] = owners(sizes)
        return number

    def error_rows(self, alignment: Alignment) -> Ints:
        """(errors,): the row of each error. An insertion is in an entity when words of it stand on both sides."""
        rows = self.base[alignment.unit]
        if not len(self.entities.unit):
            return rows
        entity = np.concatenate([self.entity_of(alignment), [-1]])
        own = entity[alignment.key_at]
        inside = np.where(alignment.kind == INSERTION, (own >= 0) & (entity[alignment.key_at - 1] == own), own >= 0)
        rows[inside] = self.entities.row[own[inside]]
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
        """(rows,): 1 for the rows of entities, 0 for the others."""
        inside = np.zeros(self.rows)
        inside[self.entities.row] = 1
        return inside

    def texts(self, blank: str) -> tuple[list[str], list[str]]:
        """Both sides of each utterance as one string, with a blank between words or without."""
        if not self._special:
            sides = [one.text for one, _ in self.pairs], [one.text for _, one in self.pairs]
            return spelled(sides[0], blank), spelled(sides[1], blank)
        both = list(self.wordings())
        return [blank.join(key) for key, _ in both], [blank.join(response) for _, response in both]

    def wordings(self, kind: Kind = "levenshtein") -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        """The words of both sides of each utterance; of several wordings, those that the alignment chose."""
        if not self._special:
            for key, response in self.pairs:
                yield key.words, response.words
            return
        found = self.alignment(kind)
        for said, given in zip(_pieces(found.key), _pieces(found.response), strict=True):
            yield [self.words[code] for code in said.tolist()], [self.words[code] for code in given.tolist()]

    def meetings(self, name: str, distance: Distance) -> list[list[SpeakerPair]]:
        """The speakers of each document of both sides, paired so that the errors are fewest under a distance."""
        return self.kept(("meetings", name), lambda: [assigned(*both, distance) for both in self._streams])

    @cached_property
    def _streams(self) -> list[tuple[dict[str, Spoken], dict[str, Spoken]]]:
        """The words of each speaker on both sides of each document, after normalisation."""
        steps = Normaliser(self.normalise)
        found = []
        for pair in self.documents:
            key, response = (_normalised_document(one, steps) for one in pair)
            left_out = [part.span for part in utterances([key]) if part.ignored and part.span]
            found.append((streams(key), streams(response, left_out)))
        return found

    @cached_property
    def meeting_units(self) -> Mapping[str, Sequence[str]]:
        """The units of measures of meetings: the documents as they were read."""
        keys = [whole(key)._replace(id=key.id) for key, _ in self.documents]
        return _units([(key, key) for key in keys], range(len(keys)), None)

    def _errors(self, alignment: Alignment) -> Errors:
        kinds = ALLOWED + 1
        codes = self.error_rows(alignment) * kinds + alignment.kind
        substitutions, deletions, insertions, _, allowed = (
            np.bincount(codes, minlength=self.rows * kinds).reshape(-1, kinds).T
        )
        if len(self.entities.unit):
            said = self.per_row(self.word_rows(alignment))
        else:
            said = self.per_row(self.base, alignment.key.lengths)
        return Errors(said + allowed - substitutions - deletions, substitutions, deletions, insertions)

    def _aligned(self, kind: Kind) -> Alignment:
        if self._special:
            return _with_networks(self, kind, self._special)
        if kind == "levenshtein":
            texts = [one.text for one, _ in self.pairs], [one.text for _, one in self.pairs]
            coding = self.coding
            return directly_aligned(*texts, (lambda: coding.coded[1].codes, lambda: coding.coded[2].codes))
        return aligned(kind, self.key, self.response, self.words)

    @cached_property
    def _special(self) -> list[int]:
        """The utterances that have several wordings on a side, or fragments that count as their words."""
        return [
            unit
            for unit, (key, response) in enumerate(self.pairs)
            if key.tree is not None
            or response.tree is not None
            or (
                self.fragments and any(word[:1] == "-" or word[-1:] == "-" for word in chain(key.words, response.words))
            )
        ]


def _with_networks(comparison: Comparison, kind: Kind, special: Sequence[int]) -> Alignment:
    """The alignment of all utterances, those with several wordings by their graphs."""
    numbers = {word: number for number, word in enumerate(comparison.words)}
    keys = _pieces(comparison.key)
    responses = _pieces(comparison.response)
    same = networks.same_or_fragment if comparison.fragments else networks.same_word
    steps: dict[int, list[networks.Step]] = {}
    for unit in special:
        key, response = comparison.pairs[unit]
        graphs = _graph(key), _graph(response)
        steps[unit] = networks.aligned(*graphs, _costs(kind, *graphs), same)
        keys[unit] = np.array([numbers[step.key] for step in steps[unit] if step.key], np.int64)
        responses[unit] = np.array([numbers[step.response] for step in steps[unit] if step.response], np.int64)
    blank = np.zeros(0, np.int64)
    plain = aligned(
        kind,
        _joined([blank if unit in steps else piece for unit, piece in enumerate(keys)]),
        _joined([blank if unit in steps else piece for unit, piece in enumerate(responses)]),
        comparison.words,
    )
    return _merged(plain, _joined(keys), _joined(responses), steps)


def spelled(texts: list[str | Sequence[str]], blank: str) -> list[str]:
    r"""The words of each text as one string.

    >>> spelled([" a\tb", ["a", "b"]], " ")
    ['a b', 'a b']
    """
    if blank == " " and all(map(str.__instancecheck__, texts)):
        every = BOUND.join(texts)  # type: ignore[arg-type] # strings all of them
        tidy = every.isascii() and every.replace(BOUND, "").isprintable()
        if tidy and not any(blanks in f"{BOUND}{every}{BOUND}" for blanks in ("  ", f"{BOUND} ", f" {BOUND}")):
            return texts  # type: ignore[return-value] # as they are, as nearly always
    return [blank.join(text.split() if isinstance(text, str) else text) for text in texts]


def _graph(utterance: Utterance) -> networks.Network:
    return networks.line(utterance.words) if utterance.tree is None else networks.network(utterance.tree)


def _costs(kind: Kind, key: networks.Network, response: networks.Network) -> networks.Costs:
    if kind == "sclite":
        return networks.SCLITE
    if kind == "similar":
        return networks.fewest_errors(key, response, _apart, CLOSENESS)
    return networks.fewest_errors(key, response, lambda word, others: 0, 0)


def _apart(key: str, responses: Sequence[str]) -> Ints:
    """How far a word is from each of others in letters."""
    letters, *others = (word[:LETTERS].lower() for word in (key, *responses))
    return cdist([letters], others, **APART)[0].astype(np.int64)  # type: ignore[no-any-return]


def _pieces(words: Words) -> list[Ints]:
    return np.split(words.codes, words.starts[1:-1]) if len(words.starts) > 1 else []


def _joined(pieces: Sequence[Ints]) -> Words:
    starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return Words(starts, np.concatenate(pieces) if pieces else np.zeros(0, np.int64))


CODES = {"S": SUBSTITUTION, "D": DELETION, "I": INSERTION, "O": OPTIONAL}


def _merged(plain: Alignment, key: Words, response: Words, steps: Mapping[int, list[networks.Step]]) -> Alignment:
    """The errors of plain utterances and those found in graphs, in order."""
    columns: list[tuple[int, int, int, int]] = []
    for number, taken in steps.items():
        i, j = int(key.starts[number]), int(response.starts[number])
        for step in taken:
            if step.kind in CODES:
                columns.append((number, CODES[step.kind] if step.key or step.kind != "O" else ALLOWED, i, j))
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
Fragments = Annotated[bool, "count a fragment such as fi- or -ing as the word it is the beginning or the end of"]


def compare(
    pairs: Sequence[tuple[Document, Document]],
    survey: Survey = ALONE,
    *,
    normalise: Chain = "none",
    fragments: Fragments = False,
    reduce: Reduce = "none",
    typology: TypologyName = "",
    labels: Labels = (),
    depth: Depth = 0,
) -> Comparison:
    """A chunk of transcripts, ready for measures."""
    found, notes = paired(pairs, reduce)
    refuse_bad_spans([key for key, _ in found if key.entities])
    if typology or labels or depth:
        components = typology_named(typology).components
        found = [
            (key._replace(entities=chosen_entities(key.entities, components, labels, depth)), response)
            for key, response in found
        ]
    warnings = [*_ignored(pairs), *notes, *([] if typology else labels_seen(found))]
    steps = Normaliser(normalise)
    if steps:
        found = [(normalised(key, steps), normalised(response, steps)) for key, response in found]
        if steps.dropped:
            warnings.append(Note("dropped", partial(_dropped, normalise), {"words": steps.dropped}, rank=2))
    entities, base, owners, row_labels = _rows(found)
    return Comparison(
        _units(found, owners, row_labels), found, entities, base, fragments, normalise,
        {"normalise": signed(normalise)}, tuple(warnings), pairs,
    )  # fmt: skip


def _dropped(normalise: str, counts: Mapping[str, int], first: str) -> str:
    words = "word" if counts["words"] == 1 else "words"
    return f"normalisation {normalise} left out {counts['words']} {words} altogether"


def _ignored(pairs: Sequence[tuple[Document, Document]]) -> list[Note]:
    """A note for what the key itself leaves out."""
    count = sum(utterance.ignored for utterance in utterances(key for key, _ in pairs))
    return [Note("ignored", _left_out, {"utterances": count})] if count else []


def _left_out(counts: Mapping[str, int], first: str) -> str:
    count = counts["utterances"]
    one, several = (
        "utterance is marked as not to be scored, and was",
        "utterances are marked as not to be scored, and were",
    )
    return f"{count} {one if count == 1 else several} left out"


def _normalised_document(document: Document, steps: Normaliser) -> Document:
    if not steps:
        return document
    if isinstance(document, Utterance):
        return normalised(document, steps)
    return document._replace(utterances=tuple(
        part if part.ignored else normalised(part, steps) for part in document.utterances
    ))  # fmt: skip


def normalised(utterance: Utterance, steps: Normaliser) -> Utterance:
    """An utterance after a chain of steps: entities and times follow their words."""
    marked = utterance.entities or utterance.times is not None  # by the words as they were read
    words, origins = steps(utterance.words if marked else steps.parted(utterance.text))
    if utterance.tree is not None:
        tree = networks.mapped(utterance.tree, lambda word: steps([word])[0])
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


def _rows(found: Sequence[tuple[Utterance, Utterance]]) -> tuple[Entities, Ints, list[int], list[str] | None]:
    """The entities, the row of each utterance, and the utterance and label of each row."""
    if not any(key.entities for key, _ in found):
        nothing = np.zeros(0, np.int64)
        everyone = np.arange(len(found))
        return Entities(nothing, nothing, nothing, nothing, []), everyone, everyone.tolist(), None
    base: list[int] = []
    owners: list[int] = []
    labels: list[str] = []
    columns: list[tuple[int, int, int, int]] = []
    names: list[str] = []
    for unit, (key, _) in enumerate(found):
        base.append(len(owners))
        own = {"": len(owners)}
        entities = outermost(key.entities) if key.tree is None else []
        for entity in entities:
            row = own.setdefault(entity.label, len(owners) + len(own))
            columns.append((unit, entity.start, entity.end, row))
            names.append(entity.label)
        owners += [unit] * len(own)
        labels += list(own)
    table = np.array(columns, np.int64).reshape(-1, 4)
    unit_, start, end, row_ = table.T
    return Entities(unit_, start, end, row_, names), np.array(base, np.int64), owners, labels


def _units(
    found: Sequence[tuple[Utterance, Utterance]], owners: Sequence[int], labels: list[str] | None
) -> Mapping[str, Sequence[str]]:
    """What is known of each row: its document (the utterance itself when it names none), its utterance, its fields."""
    keys = [key for key, _ in found]
    names = set(chain.from_iterable(key.attributes for key in keys if key.attributes))
    ids = [key.id for key in keys]
    documents = [key.attributes.get("document", key.id) for key in keys] if "document" in names else ids
    columns = {"document": documents, "utterance": ids}
    for name in sorted(names - columns.keys()):
        columns[name] = [key.attributes.get(name, "") for key in keys]
    if labels is None:
        return columns
    return {name: [column[owner] for owner in owners] for name, column in columns.items()} | {"label": labels}
