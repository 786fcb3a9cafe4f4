"""The edit that makes one version of a document of the other: how somebody who drew what should be says so in data.

What is not an item of the task's edits (the text itself, the head of a mention) cannot be told apart here: a version
that differs in such a thing is refused, and never taken for another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from aune.campaign.items import EDITED, Extent, extents
from aune.core import registry
from aune.core.errors import UsageError
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging

Edit: TypeAlias = Mapping[str, Any]


def patch(task: str, before: Any, after: Any) -> Edit:
    """The edit that makes `after` of `before`; a UsageError where there is none, or nothing to do.

    >>> words = ["Ann", "left", "New", "York"]
    >>> document = lambda *spans: entities.document("d", spans, length=4, words=words.copy)
    >>> patch("entities", document(entities.Span(3, 4, "LOC")), document(entities.Span(2, 4, "LOC")))
    {'remove': [3, 4, 'LOC'], 'add': [2, 4, 'LOC']}
    """
    if TEXT[task](before) != TEXT[task](after):
        raise UsageError(f"document {before.id!r}: its text is not what it was, and only annotation can be edited")
    edits = list(STEPS[task](before, after))
    if not edits:
        raise UsageError(f"document {before.id!r}: nothing changed")
    made = before
    for edit in edits:
        made = EDITED[task](made, edit)
    lost = registry.task(task).lost
    left_out = {} if lost is None else {name: count for name, count in lost(after, made).items() if name not in NAMES}
    if left_out:
        raise UsageError(f"document {before.id!r}: no edit can change its {', '.join(left_out)}")
    return edits[0] if len(edits) == 1 else {"edits": edits}


def differ(task: str, before: Any, after: Any) -> bool:
    """Whether a document says something else than another version of it."""
    return any(True for _ in STEPS[task](before, after))


NAMES = ("chain names",)
"""What is lost without any loss: a new chain has whatever name is free."""


def _tags(before: tagging.Document, after: tagging.Document) -> Iterator[Edit]:
    here, there = (document.column(tagging.chosen_column(document)).values() for document in (before, after))
    for word, (old, new) in enumerate(zip(here, there, strict=True)):
        if old != new:
            yield {"word": word, "tags": new}
    for compound in before.compounds:
        if compound not in after.compounds:
            yield {"compound": [compound.start, compound.end], "tags": None}
    for compound in after.compounds:
        if compound not in before.compounds:
            yield {"compound": [compound.start, compound.end], "tags": compound.tags}


def _entities(before: entities.Document, after: entities.Document) -> Iterator[Edit]:
    """What goes with what comes in its place, where they overlap; then what comes alone."""
    here, there = (Counter(map(_item, *_columns(document))) for document in (before, after))
    gone, come = (here - there).elements(), sorted((there - here).elements())
    for old in sorted(gone):
        new = next((one for one in come if one[0] < old[1] and old[0] < one[1]), None)
        if new is None:
            yield {"remove": _short(old)}
        else:
            come.remove(new)
            yield {"remove": _short(old), "add": _short(new)}
    for new in come:
        yield {"add": _short(new)}


Item: TypeAlias = tuple[int, int, str, tuple[tuple[int, int], ...], int]


def _columns(document: entities.Document) -> tuple[Sequence[Any], ...]:
    pieces = [document.segments.get(number, ()) for number in range(len(document))]
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    return document.triples(), pieces, depths


def _item(triple: tuple[int, int, str], pieces: tuple[tuple[int, int], ...], depth: int) -> Item:
    return (*triple, pieces, depth)


def _short(item: Item) -> list[Any]:
    """An entity as an edit has it, without an end that says nothing."""
    start, end, label, pieces, depth = item
    whole: list[Any] = [start, end, label, [list(piece) for piece in pieces], depth]
    return whole[: 5 if depth else 4 if pieces else 3]


def _chains(before: coref.Document, after: coref.Document) -> Iterator[Edit]:
    """Mentions that go, then chain by chain the mentions that come to the largest part of it that stays."""
    here = dict(zip(extents(before), before.chains.tolist(), strict=True))
    there = dict(zip(extents(after), after.chains.tolist(), strict=True))
    if len(here) < len(before) or len(there) < len(after):
        raise UsageError(
            f"document {before.id!r}: several mentions are at one place, where edits cannot tell them apart"
        )
    for place in here:
        if place not in there:
            yield {"mention": _place(place), "with": None}
    meeting = Counter((here[place], chain) for place, chain in there.items() if place in here)
    kept: dict[int, int] = {}
    for (old, new), _ in sorted(meeting.items(), key=lambda one: (-one[1], one[0])):
        if old not in kept and new not in kept.values():
            kept[old] = new
    stays = {place for place, chain in there.items() if place in here and kept.get(here[place]) == chain}
    anchors = {there[place]: place for place in sorted(stays, reverse=True)}
    for place, chain in there.items():
        if place not in stays:
            yield {"mention": _place(place), "with": _place(anchors[chain]) if chain in anchors else []}
            anchors.setdefault(chain, place)


def _place(extent: Extent) -> list[Any]:
    start, end, pieces = extent
    return [start, end, [list(piece) for piece in pieces]] if pieces else [start, end]


def _antecedents(before: anaphora.Document, after: anaphora.Document) -> Iterator[Edit]:
    if set(before.by_mention) != set(after.by_mention):
        raise UsageError(f"document {before.id!r}: its anaphors are not what they were: only antecedents can be edited")
    for mention, anaphor in after.by_mention.items():
        if anaphor.antecedents != before.by_mention[mention].antecedents:
            yield {"anaphor": mention, "antecedents": list(anaphor.antecedents)}


def _transcripts(before: speech.Document, after: speech.Document) -> Iterator[Edit]:
    if isinstance(before, speech.Utterance) and isinstance(after, speech.Utterance):
        if _spoken(before) != _spoken(after):
            yield {"text": _spoken(after)}
        return
    assert isinstance(before, speech.Recording) and isinstance(after, speech.Recording)
    for old, new in zip(before.utterances, after.utterances, strict=True):
        if _spoken(old) != _spoken(new):
            yield {"utterance": new.id, "text": _spoken(new)}


def _spoken(utterance: speech.Utterance) -> str:
    return " ".join(utterance.words)


STEPS: Mapping[str, Callable[[Any, Any], Iterator[Edit]]] = {
    "tagging": _tags,
    "entities": _entities,
    "coref": _chains,
    "anaphora": _antecedents,
    "speech": _transcripts,
}


def _utterances(document: speech.Document) -> list[str]:
    return [one.id for one in (document.utterances if isinstance(document, speech.Recording) else [document])]


TEXT: Mapping[str, Callable[[Any], Any]] = {
    "tagging": lambda document: document.words.values(),
    "entities": lambda document: (document.text, list(document.tokens or ()), document.length),
    "coref": lambda document: list(document.tokens or ()),
    "anaphora": lambda document: document.id,
    "speech": _utterances,
}
"""What must be the same in both versions."""
