"""What aune knows of transcribed speech.

An utterance is its words, and what is known of them: where the entities are, when they were said, which other wordings
the key allows. A recording is a key whose utterances are told apart by their times only (NIST's stm): the words of its
response are shared out among them when the two are compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple, TypeAlias

from aune.core.errors import Problem, UsageError
from aune.core.shapes import quoted
from aune.tasks.speech.alignment.networks import Tree
from aune.tasks.speech.plain import texts


class Entity(NamedTuple):
    """A named entity of the key: the half-open span of its words, and its type."""

    start: int
    end: int
    label: str

    def moved(self, by: int) -> Entity:
        return self._replace(start=self.start + by, end=self.end + by)


Times: TypeAlias = Sequence[tuple[float, float]]
"""When each word begins and ends, in seconds."""
PLACED = frozenset({"document", "channel", "speaker", "labels"})
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


def documents(plain: Any) -> list[Document]:
    """Utterances from plain Python: a text, a list of texts, or a mapping from names to texts.

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
        Utterance(name, value) if isinstance(value, str | list) else _of_record(name, value)
        for name, value in texts(plain)
    ]


def _of_record(name: str, record: Mapping[str, Any]) -> Utterance:
    words = record.get("words")
    known = {"id", "words", "text", "entities", "times"}
    try:
        entities = tuple(_entity(*entity) for entity in record.get("entities") or ())
        times = [_time(*time) for time in record.get("times") or ()]
    except (TypeError, ValueError) as error:
        what = "entities as (start, end, label) over words and times as (start, end) in seconds"
        raise UsageError(f"utterance {name!r}: found something else ({error}), expected {what}: mend them") from None
    said = len(Utterance(name, record["text"] if words is None else words).words)
    if times and len(times) != said:
        raise UsageError(f"utterance {name!r}: found {len(times)} times for {said} words, expected as many: mend them")
    return Utterance(
        name,
        record["text"] if words is None else words,
        attributes={str(key): str(field) for key, field in record.items() if key not in known},
        entities=entities,
        times=times or None,
    )


def _entity(start: Any, end: Any, label: Any) -> Entity:
    if not isinstance(label, str) or isinstance(start, bool) or isinstance(end, bool):
        raise TypeError(quoted((start, end, label)))
    return Entity(index(start), index(end), label)


def _time(start: Any, end: Any) -> tuple[float, float]:
    """When a word was said, in seconds; `check` looks whether it ends after its start."""
    if not all(0 <= float(moment) < math.inf for moment in (start, end)):
        raise ValueError(quoted((start, end)))
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


def holds_words(document: Document) -> bool:
    """Whether anything was said, in one wording at least."""
    return any(utterance.tree or utterance.words for utterance in utterances([document]))


def utterance_names(document: Document) -> list[str]:
    """What the rows of a document are named by: its utterances, or itself when it is compared as one text."""
    return [document.id, *(utterance.id for utterance in utterances([document]))]


def outermost(entities: Sequence[Entity]) -> list[Entity]:
    """The entities that no other contains, in order; of two that cross, the first.

    Several labels on the same words are one entity with all of them: the spelling of a label decides nothing.

    >>> outermost([Entity(3, 4, "year"), Entity(1, 4, "date")])
    [Entity(start=1, end=4, label='date')]
    >>> outermost([Entity(0, 1, "org.ent"), Entity(0, 1, "loc.adm.nat")])
    [Entity(start=0, end=1, label='loc.adm.nat+org.ent')]
    """
    kept: list[Entity] = []
    labels: dict[tuple[int, int], set[str]] = {}
    for one in sorted(entities, key=lambda entity: (entity.start, -entity.end)):
        labels.setdefault(one[:2], set()).add(one.label)
        if one.end > one.start and (not kept or one.start >= kept[-1].end):
            kept.append(one)
    return [one._replace(label="+".join(sorted(labels[one[:2]]))) for one in kept]


def chosen_entities(
    entities: Sequence[Entity], components: Container[str] = (), labels: Sequence[str] = (), depth: int = 0
) -> tuple[Entity, ...]:
    """The entities that count: no components, those with some labels (or labels below them), labels cut to a depth.

    >>> tree = [Entity(0, 2, "pers.ind"), Entity(0, 1, "name.first"), Entity(1, 2, "name.last")]
    >>> chosen_entities(tree, {"name.first", "name.last"}, depth=1)
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
    for one in utterances(documents):
        for start, end, label in one.entities:
            if not 0 <= start < end <= len(one.words):
                what = f"found entity {label!r} over words {start} to {end}"
                expected = f"expected a span within the {len(one.words)} words of utterance {one.id!r}: mend it"
                problems.append(Problem(one.id, one.line, 1, f"{what}, {expected}"))
        for number, (begin, stop) in enumerate(one.times or (), 1):
            if stop < begin:
                what = f"found word {number} of {one.id!r} from {begin} to {stop}, expected it to end after its start"
                problems.append(Problem(one.id, one.line, 1, f"{what}: mend the times"))
    return problems


def refuse_bad_spans(utterances: Sequence[Utterance]) -> None:
    """Entities given in plain Python must lie within their utterance."""
    for problem in check(utterances):
        raise UsageError(str(problem))


def holdings(documents: Sequence[Document]) -> dict[str, int]:
    """What a corpus holds beyond bare words, for those who write it in a format that carries less."""
    given = utterances(documents)
    return {
        "names": sum(one.id != str(number) and not _is_named_by_its_time(one) for number, one in enumerate(given, 1)),
        "capitals in names": sum(one.id != one.id.lower() for one in given),
        "entities": sum(len(one.entities) for one in given),
        "times": sum(one.times is not None or one.span is not None for one in given),
        "confidences": sum(one.confidences is not None for one in given),
        "speakers": sum(not one.id.lower().startswith(one.attributes.get("speaker", "").lower()) for one in given),
        "labels": sum(bool(one.attributes.get("labels")) for one in given),
        "fields": sum(any(map(one.attributes.get, one.attributes.keys() - PLACED)) for one in given),
        "documents": sum(not one.id.lower().startswith(one.attributes.get("document", "").lower()) for one in given),
        "alternatives": sum(one.tree is not None for one in given),
        "ignored segments": sum(one.ignored for one in given),
    }


def _is_named_by_its_time(utterance: Utterance) -> bool:
    document, channel = utterance.attributes.get("document", ""), utterance.attributes.get("channel", "")
    return utterance.span is not None and utterance.id.startswith(f"{document}/{channel}/".lower())


def describe(documents: Sequence[Document]) -> dict[str, Any]:
    """The profile of a corpus of transcripts."""
    given = utterances(documents)
    labels = Counter(entity.label for one in given for entity in one.entities)
    return {
        "utterances": len(given),
        "words": sum(len(one.words) for one in given),
        "distinct words": len({word for one in given for word in one.words}),
        "empty utterances": sum(not one.words for one in given),
        "utterances with alternatives": sum(one.tree is not None for one in given),
        "ignored utterances": sum(one.ignored for one in given),
        "speakers": len({one.attributes["speaker"] for one in given if "speaker" in one.attributes}),
        "entities": sum(labels.values()),
        "entity types": dict(sorted(labels.items())),
    }
