"""The units that two versions of a key have in common: documents, sentences or utterances that say the same in both.

Units are named as the rows of scores name them. Whatever differs counts as a change, be it an item, a word or a
feature; lines, paths and the order in which a file numbers its labels do not. Sentences are compared where scores have
rows of sentences (entities and tagging); a document whose sentences begin elsewhere has changed as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.numeric.arrays import Ints
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging

UNIT_ATTRIBUTES = ("sentence", "utterance", "document")
"""The attributes of rows that name units, the smallest units first."""
UNCOMPARED = frozenset({"id", "line", "lines", "path", "order", "repaired", "lost", "sentences_before"})
"""Fields of documents that say nothing about the text or its annotation."""

Contents: TypeAlias = dict[tuple[str, str], tuple[Any, str]]
"""What each unit says and its name in the file, by attribute and name."""


class UnchangedUnits(NamedTuple):
    """The units that say the same in both versions of a key."""

    names: Mapping[str, frozenset[str]]
    """By attribute, as the old version names them."""
    old_names: Mapping[str, Mapping[str, str]]
    """By attribute: the name in the old version of every unit of the new one."""

    def old_name(self, attribute: str, name: str) -> str:
        return self.old_names.get(attribute, {}).get(name, name)


def match_units(task: str, old: Sequence[Any], new: Sequence[Any]) -> UnchangedUnits:
    """The units of two versions of a key that say the same; the only document of each may have another name.

    >>> words = [("the", "D"), ("cat", "N")]
    >>> old = tagging.documents({"a": words, "b": words})
    >>> new = tagging.documents({"a": words, "b": [("the", "D"), ("cat", "V")]})
    >>> sorted(match_units("tagging", old, new).names["document"])
    ['a']
    """
    old_contents = _list_contents(task, old, None)
    new_contents = _list_contents(task, new, old[0].id if len(old) == len(new) == 1 else None)
    same = [unit for unit, (content, _) in new_contents.items() if old_contents.get(unit, (None, ""))[0] == content]
    names = {attribute: frozenset(name for kind, name in same if kind == attribute) for attribute in UNIT_ATTRIBUTES}
    old_names: dict[str, dict[str, str]] = {attribute: {} for attribute in UNIT_ATTRIBUTES}
    for (attribute, name), (_, written_name) in new_contents.items():
        old_names[attribute][written_name] = name
    return UnchangedUnits(names, old_names)


def _list_contents(task: str, documents: Sequence[Any], name: str | None) -> Contents:
    """The contents of documents; `name` is what the only document is called instead of its own."""
    contents: Contents = {}
    for document in documents:
        called = document.id if name is None else name
        if task == "speech":
            _add_utterances(contents, document)
            continue
        whole, sentences = SENTENCES[task](document) if task in SENTENCES else (_plain(document), [])
        contents["document", called] = ((whole, sentences), document.id)
        for number, sentence in enumerate(sentences, getattr(document, "sentences_before", 0) + 1):
            contents["sentence", f"{called}:{number}"] = ((whole, sentence), f"{document.id}:{number}")
    return contents


def _add_utterances(contents: Contents, document: speech.Document) -> None:
    """Utterances, and the recordings or stories that they name, with all of their utterances."""
    for utterance in speech.utterances([document]):
        content = _plain(utterance)
        contents["utterance", utterance.id] = (content, utterance.id)
        recording = utterance.attributes.get("document", utterance.id)
        others = contents.get(("document", recording), ([], ""))[0]
        contents["document", recording] = ([*others, (utterance.id, content)], recording)


# Sentences.


def _tagged_sentences(document: tagging.Document) -> tuple[Any, list[Any]]:
    """What belongs to no sentence, and what each sentence says, with heads and tokens counted from its first word."""
    columns: dict[str, list[Any]] = {
        name: column.values() for name, column in document.columns.items() if not column.is_blank
    }
    columns["words"] = document.words.values()
    if document.tokens is not None and document.owner is not None:
        surface, owner = document.tokens.values(), document.owner.tolist()
        columns["tokens"] = [surface[token] for token in owner]
        columns["begins"] = [not place or owner[place - 1] != token for place, token in enumerate(owner)]
        if document.multiword is not None:
            columns["multiword"] = document.multiword[document.owner].tolist()
    sentences = []
    for start, end in _extents(document.sentences, len(document)):
        sentence = {name: values[start:end] for name, values in sorted(columns.items())}
        heads = None if document.heads is None else document.heads[start:end]
        if heads is not None:
            sentence["heads"] = np.where(heads < 0, heads, heads - start).tolist()
        compounds = [
            (item.start - start, item.end - start, item.tags)
            for item in document.compounds
            if start <= item.start < end
        ]
        sentences.append((sentence, compounds))
    return (document.sentences.tolist(), dict(document.attributes), document.wordless), sentences


def _entity_sentences(document: entities.Document) -> tuple[Any, list[Any]]:
    """What belongs to no sentence, and the text and the entities of each; an entity across a boundary is in both."""
    starts = np.zeros(1, np.int64) if document.sentences is None else document.sentences
    tokens = list(document.tokens or ())
    depths = [0] * len(document) if document.depths is None else document.depths.tolist()
    rows = [
        (*triple, document.segments.get(number, ()), depth, _plain(document.others.get(number)))
        for number, (triple, depth) in enumerate(zip(document.triples(), depths, strict=True))
    ]
    sentences = []
    for start, end in _extents(starts, document.length):
        text = tokens[start:end] if document.unit == "token" else (document.text or "")[start:end]
        inside = sorted((row for row in rows if row[0] < max(end, start + 1) and start < row[1]), key=repr)
        sentences.append((text, inside))
    whole = (
        starts.tolist(), document.length, document.unit, dict(document.attributes), document.typology,
        _plain(document.referents), _plain(document.listed), _plain(document.other_keys),
    )  # fmt: skip
    return whole, sentences


SENTENCES: Mapping[str, Callable[[Any], tuple[Any, list[Any]]]] = {
    "tagging": _tagged_sentences,
    "entities": _entity_sentences,
}


def _extents(starts: Ints, length: int) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends; a document without words has one."""
    bounds = [*(starts.tolist() or [0]), length]
    return pairwise(bounds)


# Anything in plain Python.


def _plain(value: Any) -> Any:
    """A document, or a part of one, in lists and mappings that can be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value) if _is_compared(field.name)}
    if hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items() if _is_compared(name)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value() if callable(value) else value


def _is_compared(field: str) -> bool:
    return field not in UNCOMPARED
