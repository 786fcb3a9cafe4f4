"""The data model of transcribed speech.

An utterance contains its words and their properties: entities, times, and the other wordings that
the key allows. A recording is a key whose utterances are distinguished by their times only (NIST's stm): the words of
its response are distributed over its utterances before the comparison.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple, TypeAlias

from aune.errors import Problem, UsageError
from aune.reading.python_inputs import quote_value
from aune.tasks.speech.alignment.networks import Tree
from aune.tasks.speech.python_inputs import texts
from aune.tasks.speech.text_roles import TextField


class Entity(NamedTuple):
    """A named entity of the key: the half-open span of its words, and its type."""

    start: int
    end: int
    label: str

    def shift(self, by: int) -> Entity:
        return self._replace(start=self.start + by, end=self.end + by)


Times: TypeAlias = Sequence[tuple[float, float]]
"""The beginning and end of each word, in seconds."""
STANDARD_ATTRIBUTES = frozenset({"document", "channel", "speaker", "labels"})
"""Attributes for which formats have a dedicated field."""
NO_ATTRIBUTES: Mapping[
    str, str
] = {}  # shared by many utterances and never modified; a proxy could not be sent to another process


class Utterance(NamedTuple):
    """Some words of one speaker; counts have one row per utterance."""

    id: str
    text: str | Sequence[str]
    """Its words: joined by blanks, which takes the least memory, or as a list."""
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    """The properties in the file: speaker, document (the recording or story), any field of a manifest."""
    entities: tuple[Entity, ...] = ()
    times: Times | None = None
    tree: Tree | None = None
    """All wordings, if there are several; `words` is then the first of them."""
    span: tuple[float, float] | None = None
    """Its beginning and end, in seconds."""
    confidences: Sequence[float] | None = None
    """The recogniser's confidence in each word."""
    ignored: bool = False
    """Whether it is excluded from the score, with the part of the response in its time."""
    line: int = 1

    @property
    def words(self) -> Sequence[str]:
        return self.text.split() if isinstance(self.text, str) else self.text


class Recording(NamedTuple):
    """A key of one channel of one recording, as utterances with times."""

    id: str
    utterances: tuple[Utterance, ...]
    line: int = 1


Document: TypeAlias = Utterance | Recording


def documents(plain: Any, *, text_field: TextField = ()) -> list[Document]:
    """Utterances from plain Python: a text, a list of texts, or a mapping from names to texts.

    If the input contains records, `text_field` names the fields that may contain the text.

    A text is a string, whose words are separated by blanks, a list of words, or a mapping with `words` (or `text`),
    `entities` as (start, end, label) over words, `times`, and anything else as attributes.

    >>> [(one.id, list(one.words)) for one in documents({"a": "good morning", "b": []})]
    [('a', ['good', 'morning']), ('b', [])]
    >>> documents(["one text", "another"])[1].id
    '2'
    """
    if isinstance(plain, Utterance | Recording):
        return [plain]
    if isinstance(plain, list) and plain and all(isinstance(item, Utterance | Recording) for item in plain):
        return plain
    if isinstance(plain, Mapping) and plain and all(isinstance(item, Utterance) for item in plain.values()):
        return [item._replace(id=str(name)) for name, item in plain.items()]
    return [
        Utterance(name, value) if isinstance(value, str | list) else _parse_record(name, value)
        for name, value in texts(plain, text_field)
    ]


def _parse_record(name: str, record: Mapping[str, Any]) -> Utterance:
    words = record.get("words")
    known = {"id", "words", "text", "entities", "times"}
    try:
        entities = tuple(_entity(*entity) for entity in record.get("entities") or ())
        times = [_time(*time) for time in record.get("times") or ()]
    except (TypeError, ValueError) as error:
        expected = "entities as (start, end, label) over words and times as (start, end) in seconds"
        raise UsageError(
            f"utterance {name!r}: found something else ({error}), expected {expected}: mend them"
        ) from None
    word_count = len(Utterance(name, record["text"] if words is None else words).words)
    if times and len(times) != word_count:
        raise UsageError(
            f"utterance {name!r}: found {len(times)} times for {word_count} words, expected as many: mend them"
        )
    return Utterance(
        name,
        record["text"] if words is None else words,
        attributes={str(key): str(field) for key, field in record.items() if key not in known},
        entities=entities,
        times=times or None,
    )


def _entity(start: Any, end: Any, label: Any) -> Entity:
    if not isinstance(label, str) or isinstance(start, bool) or isinstance(end, bool):
        raise TypeError(quote_value((start, end, label)))
    return Entity(index(start), index(end), label)


def _time(start: Any, end: Any) -> tuple[float, float]:
    """The times of a word, in seconds; `check` verifies that it ends after its start."""
    if not all(0 <= float(moment) < math.inf for moment in (start, end)):
        raise ValueError(quote_value((start, end)))
    return float(start), float(end)


def empty(like: Document) -> Utterance:
    """The same utterance without recognised words."""
    return Utterance(like.id, [], attributes=getattr(like, "attributes", NO_ATTRIBUTES))


def utterances(documents: Iterable[Document]) -> list[Utterance]:
    """All utterances, including those of recordings."""
    return [*iterate_utterances(documents)]


def iterate_utterances(documents: Iterable[Document]) -> Iterator[Utterance]:
    """As `utterances`, one after the other: writers keep no documents."""
    for document in documents:
        yield from document.utterances if isinstance(document, Recording) else (document,)


def has_words(document: Document) -> bool:
    """Whether any wording has a word; for a recording also whether it states who spoke when."""
    return any(
        utterance.tree
        or utterance.words
        or (isinstance(document, Recording) and utterance.span is not None and "speaker" in utterance.attributes)
        for utterance in utterances([document])
    )


def utterance_names(document: Document) -> list[str]:
    """The names of the rows of a document: those of its utterances, or its own if it is compared as one text."""
    return [document.id, *(utterance.id for utterance in utterances([document]))]


def outermost_entities(entities: Sequence[Entity]) -> list[Entity]:
    """The entities that no other entity contains, in order; of two that cross, the first.

    Several labels on the same words form one entity with all labels, so that their spelling has no influence.

    >>> outermost_entities([Entity(3, 4, "year"), Entity(1, 4, "date")])
    [Entity(start=1, end=4, label='date')]
    >>> outermost_entities([Entity(0, 1, "org.ent"), Entity(0, 1, "loc.adm.nat")])
    [Entity(start=0, end=1, label='loc.adm.nat+org.ent')]
    """
    outer: list[Entity] = []
    labels: dict[tuple[int, int], set[str]] = {}
    for candidate in sorted(entities, key=lambda entity: (entity.start, -entity.end)):
        labels.setdefault(candidate[:2], set()).add(candidate.label)
        if candidate.end > candidate.start and (not outer or candidate.start >= outer[-1].end):
            outer.append(candidate)
    return [candidate._replace(label="+".join(sorted(labels[candidate[:2]]))) for candidate in outer]


class EntitySelection(NamedTuple):
    """Which entities count, and which part of their labels."""

    typology: str = ""
    labels: tuple[str, ...] = ()
    depth: int = 0

    def __str__(self) -> str:
        parts = {"typology": self.typology, "labels": ",".join(self.labels), "depth": self.depth}
        return " ".join(f"--{name} {value}" for name, value in parts.items() if value)


ALL_ENTITIES = EntitySelection()


def select_entities(
    entities: Sequence[Entity], components: Container[str] = (), labels: Sequence[str] = (), depth: int = 0
) -> tuple[Entity, ...]:
    """The entities that count: no components, only selected labels (or labels below them), cut to a depth.

    >>> tree = [Entity(0, 2, "pers.ind"), Entity(0, 1, "name.first"), Entity(1, 2, "name.last")]
    >>> select_entities(tree, {"name.first", "name.last"}, depth=1)
    (Entity(start=0, end=2, label='pers'),)
    """
    return tuple(
        entity._replace(label=".".join(entity.label.split(".")[: depth or None]))
        for entity in entities
        if entity.label not in components
        and (not labels or any(entity.label == name or entity.label.startswith(f"{name}.") for name in labels))
    )


def check(documents: Sequence[Document]) -> list[Problem]:
    """Check the rules of the task for files: entities lie within utterances, words end after they begin."""
    problems = []
    for utterance in utterances(documents):
        for start, end, label in utterance.entities:
            if not 0 <= start < end <= len(utterance.words):
                problems.append(
                    Problem.in_file(
                        "entity.outside-text",
                        utterance.id,
                        utterance.line,
                        found=f"entity {label!r} over words {start} to {end}",
                        expected=f"a span within the {len(utterance.words)} words of utterance {utterance.id!r}",
                        remedies=["mend it"],
                    )
                )
        for number, (begin, stop) in enumerate(utterance.times or (), 1):
            if stop < begin:
                problems.append(
                    Problem.in_file(
                        "time.reversed",
                        utterance.id,
                        utterance.line,
                        found=f"word {number} of {utterance.id!r} from {begin} to {stop}",
                        expected="it to end after its start",
                        remedies=["mend the times"],
                    )
                )
    return problems


def refuse_bad_spans(utterances: Sequence[Utterance]) -> None:
    """Refuse entities in plain Python that do not lie within their utterance."""
    for problem in check(utterances):
        raise UsageError(str(problem))


def content_counts(documents: Sequence[Document]) -> dict[str, int]:
    """What a corpus contains beyond bare words, for writing it in a format that carries less."""
    entries = utterances(documents)
    return {
        "names": sum(
            utterance.id != str(number) and not _is_named_by_its_time(utterance)
            for number, utterance in enumerate(entries, 1)
        ),
        "capitals in names": sum(utterance.id != utterance.id.lower() for utterance in entries),
        "entities": sum(len(utterance.entities) for utterance in entries),
        "times": sum(utterance.times is not None or utterance.span is not None for utterance in entries),
        "confidences": sum(utterance.confidences is not None for utterance in entries),
        "speakers": sum(
            not utterance.id.lower().startswith(utterance.attributes.get("speaker", "").lower())
            for utterance in entries
        ),
        "labels": sum(bool(utterance.attributes.get("labels")) for utterance in entries),
        "fields": sum(
            any(map(utterance.attributes.get, utterance.attributes.keys() - STANDARD_ATTRIBUTES))
            for utterance in entries
        ),
        "documents": sum(
            not utterance.id.lower().startswith(utterance.attributes.get("document", "").lower())
            for utterance in entries
        ),
        "alternatives": sum(utterance.tree is not None for utterance in entries),
        "ignored segments": sum(utterance.ignored for utterance in entries),
    }


def _is_named_by_its_time(utterance: Utterance) -> bool:
    document, channel = utterance.attributes.get("document", ""), utterance.attributes.get("channel", "")
    return utterance.span is not None and utterance.id.startswith(f"{document}/{channel}/".lower())


def describe(documents: Sequence[Document]) -> dict[str, Any]:
    """The profile of a corpus of transcripts."""
    entries = utterances(documents)
    labels = Counter(entity.label for utterance in entries for entity in utterance.entities)
    return {
        "utterances": len(entries),
        "words": sum(len(utterance.words) for utterance in entries),
        "distinct words": len({word for utterance in entries for word in utterance.words}),
        "empty utterances": sum(not utterance.words for utterance in entries),
        "utterances with alternatives": sum(utterance.tree is not None for utterance in entries),
        "ignored utterances": sum(utterance.ignored for utterance in entries),
        "speakers": len(
            {utterance.attributes["speaker"] for utterance in entries if "speaker" in utterance.attributes}
        ),
        "entities": sum(labels.values()),
        "entity types": dict(sorted(labels.items())),
    }
