"""What aune knows of transcribed speech.

An utterance is its words, and what is known of them: where the entities are, when they were said, which other wordings
the key allows. A recording is a key whose utterances differ by their times only (NIST's stm): the words of its
response are shared out among them when the two are compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
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
"""When each word begins and ends, in seconds."""
STANDARD_ATTRIBUTES = frozenset({"document", "channel", "speaker", "labels"})
"""Attributes that formats have a place of their own for."""
NO_ATTRIBUTES: Mapping[
    str, str
] = {}  # shared by very many, and changed by none; a proxy could not be sent to a process


class Utterance(NamedTuple):
    """Some words of one speaker; the unit that counts have a row for."""

    id: str
    text: str | Sequence[str]
    """Its words: with blanks between them, which takes the least room, or as a list."""
    attributes: Mapping[str, str] = NO_ATTRIBUTES
    """What the file says of it: speaker, document (the recording or story it is from), any field of a manifest."""
    entities: tuple[Entity, ...] = ()
    times: Times | None = None
    tree: Tree | None = None
    """All the wordings, when there are several; `words` is then the first of them."""
    span: tuple[float, float] | None = None
    """When it begins and ends, in seconds."""
    confidences: Sequence[float] | None = None
    """How sure the recogniser was of each word."""
    ignored: bool = False
    """Whether it is left out of the score, with what the response has in its time."""
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

    Of records, `text_field` names the fields that may contain the text.

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
    """When a word was said, in seconds; `check` looks whether it ends after its start."""
    if not all(0 <= float(moment) < math.inf for moment in (start, end)):
        raise ValueError(quote_value((start, end)))
    return float(start), float(end)


def empty(like: Document) -> Utterance:
    """The same utterance with nothing recognised."""
    return Utterance(like.id, [], attributes=getattr(like, "attributes", NO_ATTRIBUTES))


def utterances(documents: Iterable[Document]) -> list[Utterance]:
    """All utterances, those of recordings included."""
    return [
        part
        for document in documents
        for part in (document.utterances if isinstance(document, Recording) else (document,))
    ]


def has_words(document: Document) -> bool:
    """Whether anything was said, in one wording at least; in a recording also who spoke when."""
    return any(
        utterance.tree
        or utterance.words
        or (isinstance(document, Recording) and utterance.span is not None and "speaker" in utterance.attributes)
        for utterance in utterances([document])
    )


def utterance_names(document: Document) -> list[str]:
    """What the rows of a document are named by: its utterances, or itself when it is compared as one text."""
    return [document.id, *(utterance.id for utterance in utterances([document]))]


def outermost_entities(entities: Sequence[Entity]) -> list[Entity]:
    """The entities that no other contains, in order; of two that cross, the first.

    Several labels on the same words are one entity with all of them: the spelling of a label decides nothing.

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
    """Which entities count, and by what part of their labels."""

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
    """The entities that count: no components, those with some labels (or labels below them), labels cut to a depth.

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
    """The rules of the task for files: entities lie within their utterance, words do not end before they begin."""
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
    """Entities given in plain Python must lie within their utterance."""
    for problem in check(utterances):
        raise UsageError(str(problem))


def content_counts(documents: Sequence[Document]) -> dict[str, int]:
    """What a corpus holds beyond bare words, for those who write it in a format that carries less."""
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
