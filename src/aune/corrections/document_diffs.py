"""The edit that turns one version of a document into another, for people who edit files instead of writing edits.

Edits only change items of the task, not the text itself or the head of a mention. A version that differs in anything
else is refused, never mistaken for a version with other items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from aune.contract import registry
from aune.corrections.item_edits import EDITORS, Extent, extents
from aune.errors import UsageError
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging

Edit: TypeAlias = Mapping[str, Any]


def diff_documents(task: str, before: Any, after: Any) -> Edit:
    """The edit that turns `before` into `after`; raises UsageError if there is none, or if nothing changed.

    >>> words = ["Ann", "left", "New", "York"]
    >>> make_document = lambda *spans: entities.make_document("d", spans, length=4, words=words.copy)
    >>> diff_documents("entities", make_document(entities.Span(3, 4, "LOC")), make_document(entities.Span(2, 4, "LOC")))
    {'remove': [3, 4, 'LOC'], 'add': [2, 4, 'LOC']}
    """
    if FIXED_TEXT[task](before) != FIXED_TEXT[task](after):
        raise UsageError(f"document {before.id!r}: its text is not what it was, and only annotation can be edited")
    edits = list(EDIT_STEPS[task](before, after))
    if not edits:
        raise UsageError(f"document {before.id!r}: nothing changed")
    result = before
    for edit in edits:
        result = EDITORS[task](result, edit)
    count_losses = registry.task(task).reading.count_losses
    left_out = (
        {}
        if count_losses is None
        else {name: count for name, count in count_losses(after, result).items() if name not in IGNORED_LOSSES}
    )
    if left_out:
        raise UsageError(f"document {before.id!r}: no edit can change its {', '.join(left_out)}")
    return edits[0] if len(edits) == 1 else {"edits": edits}


def list_edits(task: str, before: Any, after: Any) -> list[Edit]:
    """The edits of single items that turn `before` into `after`. All of them refer to positions in `before`; words of a
    transcript are single items here.

    >>> old, new = (speech.Utterance("u", text) for text in ("good morning to all", "good evening to you all"))
    >>> list_edits("speech", old, new)
    [{'words': [1, 2], 'text': 'evening'}, {'words': [3, 3], 'text': 'you'}]
    """
    if FIXED_TEXT[task](before) != FIXED_TEXT[task](after):
        raise UsageError(f"document {before.id!r}: its text is not what it was, and only annotation can be compared")
    return list(_word_edits(before, after) if task == "speech" else EDIT_STEPS[task](before, after))


def documents_differ(task: str, before: Any, after: Any) -> bool:
    """Whether the annotations of two versions of a document differ."""
    return any(True for _ in EDIT_STEPS[task](before, after))


IGNORED_LOSSES = ("chain names",)
"""Differences that do not matter: a new chain gets any free name."""


def _tag_edits(before: tagging.Document, after: tagging.Document) -> Iterator[Edit]:
    old_tags, new_tags = (document.column(tagging.choose_column(document)).values() for document in (before, after))
    for word, (old, new) in enumerate(zip(old_tags, new_tags, strict=True)):
        if old != new:
            yield {"word": word, "tags": new}
    for compound in before.compounds:
        if compound not in after.compounds:
            yield {"compound": [compound.start, compound.end], "tags": None}
    for compound in after.compounds:
        if compound not in before.compounds:
            yield {"compound": [compound.start, compound.end], "tags": compound.tags}


def _entity_edits(before: entities.Document, after: entities.Document) -> Iterator[Edit]:
    """Removed entities with overlapping added ones as replacements; then the added entities that are left."""
    old_entities, new_entities = (Counter(map(_entity_item, *_columns(document))) for document in (before, after))
    removed, added = (old_entities - new_entities).elements(), sorted((new_entities - old_entities).elements())
    for old in sorted(removed):
        new = next((candidate for candidate in added if candidate[0] < old[1] and old[0] < candidate[1]), None)
        if new is None:
            yield {"remove": _trimmed_item(old)}
        else:
            added.remove(new)
            yield {"remove": _trimmed_item(old), "add": _trimmed_item(new)}
    for new in added:
        yield {"add": _trimmed_item(new)}


EntityItem: TypeAlias = tuple[int, int, str, tuple[tuple[int, int], ...], int]


def _columns(document: entities.Document) -> tuple[Sequence[Any], ...]:
    pieces = [document.segments.get(number, ()) for number in range(len(document))]
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    return document.triples(), pieces, depths


def _entity_item(triple: tuple[int, int, str], pieces: tuple[tuple[int, int], ...], depth: int) -> EntityItem:
    return (*triple, pieces, depth)


def _trimmed_item(item: EntityItem) -> list[Any]:
    """An entity as an edit writes it, without trailing default values."""
    start, end, label, pieces, depth = item
    fields: list[Any] = [start, end, label, [list(piece) for piece in pieces], depth]
    return fields[: 5 if depth else 4 if pieces else 3]


def _chain_edits(before: coref.Document, after: coref.Document) -> Iterator[Edit]:
    """Removed mentions; then, chain by chain, the mentions added to the largest part of the chain that stays."""
    old_chains = dict(zip(extents(before), before.chains.tolist(), strict=True))
    new_chains = dict(zip(extents(after), after.chains.tolist(), strict=True))
    if len(old_chains) < len(before) or len(new_chains) < len(after):
        raise UsageError(
            f"document {before.id!r}: several mentions are at one place, where edits cannot tell them apart"
        )
    for place in old_chains:
        if place not in new_chains:
            yield {"mention": _extent_data(place), "with": None}
    meeting = Counter((old_chains[place], chain) for place, chain in new_chains.items() if place in old_chains)
    matched: dict[int, int] = {}
    for (old, new), _ in sorted(meeting.items(), key=lambda item: (-item[1], item[0])):
        if old not in matched and new not in matched.values():
            matched[old] = new
    stays = {
        place for place, chain in new_chains.items() if place in old_chains and matched.get(old_chains[place]) == chain
    }
    anchors = {new_chains[place]: place for place in sorted(stays, reverse=True)}
    for place, chain in new_chains.items():
        if place not in stays:
            yield {"mention": _extent_data(place), "with": _extent_data(anchors[chain]) if chain in anchors else []}
            anchors.setdefault(chain, place)


def _extent_data(extent: Extent) -> list[Any]:
    start, end, pieces = extent
    return [start, end, [list(piece) for piece in pieces]] if pieces else [start, end]


def _antecedent_edits(before: anaphora.Document, after: anaphora.Document) -> Iterator[Edit]:
    if set(before.by_mention) != set(after.by_mention):
        raise UsageError(f"document {before.id!r}: its anaphors are not what they were: only antecedents can be edited")
    for mention, anaphor in after.by_mention.items():
        if anaphor.antecedents != before.by_mention[mention].antecedents:
            yield {"anaphor": mention, "antecedents": list(anaphor.antecedents)}


def _transcript_edits(before: speech.Document, after: speech.Document) -> Iterator[Edit]:
    if isinstance(before, speech.Utterance) and isinstance(after, speech.Utterance):
        if _transcript(before) != _transcript(after):
            yield {"text": _transcript(after)}
        return
    assert isinstance(before, speech.Recording) and isinstance(after, speech.Recording)
    for old, new in zip(before.utterances, after.utterances, strict=True):
        if _transcript(old) != _transcript(new):
            yield {"utterance": new.id, "text": _transcript(new)}


def _word_edits(before: speech.Document, after: speech.Document) -> Iterator[Edit]:
    for old, new in zip(speech.utterances([before]), speech.utterances([after]), strict=True):
        named = {"utterance": old.id} if isinstance(before, speech.Recording) else {}
        words = list(new.words)
        matcher = SequenceMatcher(None, list(old.words), words, autojunk=False)
        for tag, start, end, first, last in matcher.get_opcodes():
            if tag != "equal":
                yield {**named, "words": [start, end], "text": " ".join(words[first:last])}


def _transcript(utterance: speech.Utterance) -> str:
    return " ".join(utterance.words)


EDIT_STEPS: Mapping[str, Callable[[Any, Any], Iterator[Edit]]] = {
    "tagging": _tag_edits,
    "entities": _entity_edits,
    "coref": _chain_edits,
    "anaphora": _antecedent_edits,
    "speech": _transcript_edits,
}


def _utterance_ids(document: speech.Document) -> list[str]:
    return [
        utterance.id for utterance in (document.utterances if isinstance(document, speech.Recording) else [document])
    ]


FIXED_TEXT: Mapping[str, Callable[[Any], Any]] = {
    "tagging": lambda document: document.words.values(),
    "entities": lambda document: (document.text, list(document.tokens or ()), document.length),
    "coref": lambda document: list(document.tokens or ()),
    "anaphora": lambda document: document.id,
    "speech": _utterance_ids,
}
"""The parts that must be the same in both versions."""
