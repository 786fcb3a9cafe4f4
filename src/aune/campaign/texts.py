"""Texts without their annotation, as they are handed out, and what a response made of them.

What is handed out is written by aune from what a key says, with everything left out that participants are to find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from aune.alignment.sequences import steps
from aune.core import registry
from aune.core.corpus import Corpus
from aune.core.errors import UsageError
from aune.core.task import Format
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging

RUNS = (32, 8, 2)  # words that are looked for together where texts differ
KNOWN_OF_SPEECH = ("document", "channel", "speaker")
USUAL = {"tagging": "tsv", "entities": "jsonl", "coref": "jsonlines", "speech": "manifest", "anaphora": "jsonlines"}


def _bare_words(document: tagging.Document) -> tagging.Document:
    """The tokens as the text has them, in their sentences, without a tag."""
    owner = np.arange(len(document)) if document.owner is None else document.owner
    starts = sorted({int(owner[first]) for first in document.sentences.tolist() if first < len(document)})
    words = document.surface.values()
    return tagging.document(
        document.id, words, {"tag": ["_"] * len(words)}, sentences=starts, attributes=document.attributes
    )


def _unresolved(document: anaphora.Document) -> anaphora.Document:
    """The anaphors with their candidates, and no antecedent."""
    bare = [anaphor._replace(antecedents=()) for anaphor in document.anaphors]
    return replace(document, anaphors=tuple(bare), chains={})


def _silent(document: speech.Document) -> speech.Document:
    """What is to be transcribed, without a word of it."""
    if isinstance(document, speech.Recording):
        return document._replace(utterances=tuple(_unheard(utterance) for utterance in document.utterances))
    return _unheard(document)


def _unheard(utterance: speech.Utterance) -> speech.Utterance:
    known = {name: value for name, value in utterance.attributes.items() if name in KNOWN_OF_SPEECH}
    return speech.Utterance(utterance.id, "", known, span=utterance.span)


STRIPPED: Mapping[str, Callable[[Any], Any]] = {
    "tagging": _bare_words,
    "entities": lambda document: replace(entities.empty(document), listed=None),
    "coref": lambda document: replace(coref.empty(document), listed=None),
    "speech": _silent,
    "anaphora": _unresolved,
}


def stripped(task: str, documents: Sequence[Any]) -> list[Any]:
    """Documents without what participants are to find."""
    return [STRIPPED[task](document) for document in documents]


def handed_out(task: str, corpus: Corpus) -> tuple[str, bytes]:
    """The texts of a corpus as a file: its format, and its bytes."""
    form = format_to_write(task, corpus.format)
    assert form.write is not None
    return form.name, "".join(form.write(stripped(task, corpus.documents))).encode()


def format_to_write(task: str, own: str | None) -> Format:
    """The format of a file, if aune writes it without losing document names; else the task's usual one."""
    alone = ("tsv", "slash", "lines")  # they name one document after its file
    by_name = {form.name: form for form in registry.formats(task) if form.write and not form.beside}
    if own in by_name and own not in alone:
        return by_name[own]
    return by_name[own if own in by_name else USUAL[task]]


def ending(form: Format) -> str:
    return form.suffixes[0] if form.suffixes else f".{form.name}"


# What a response made of the text.


class Residue(NamedTuple):
    """Words of a response that are not those that were handed out, and what stands there instead."""

    document: str
    line: int
    """0 where the task does not keep the lines of words."""
    word: int
    """The first of them among the words of the document, from 1."""
    expected: str
    found: str


def _tagging_words(document: tagging.Document) -> tuple[Sequence[str], Sequence[int]]:
    words = document.surface.values()
    lines = document.lines.tolist() if document.lines is not None and document.tokens is None else []
    return words, lines


def _entity_words(document: entities.Document) -> tuple[Sequence[str], Sequence[int]]:
    return (document.text.split() if document.text else document.tokens or ()), ()


def _coref_words(document: coref.Document) -> tuple[Sequence[str], Sequence[int]]:
    return document.tokens or (), ()


WORDS: Mapping[str, Callable[[Any], tuple[Sequence[str], Sequence[int]]]] = {
    "tagging": _tagging_words,
    "entities": _entity_words,
    "coref": _coref_words,
}
"""The words of a document and their lines; tasks without them have no text to realign."""


def residues(task: str, pairs: Sequence[tuple[Any, Any]]) -> list[Residue]:
    """Where responses have another text than was handed out; words cut otherwise are the same text.

    >>> one = tagging.documents([("au", "_"), ("jour", "_"), ("dit", "_")])[0]
    >>> other = tagging.documents([("aujour", "N"), ("di", "N")])[0]
    >>> residues("tagging", [(one, other)])
    [Residue(document='document', line=0, word=2, expected='dit', found='di')]
    """
    words = WORDS.get(task)
    if words is None:
        return []
    found: list[Residue] = []
    for given, response in pairs:
        (expected, _), (answered, lines) = words(given), words(response)
        if expected and answered:
            found += _residue(given.id, expected, answered, lines)
    return found


def _residue(name: str, expected: Sequence[str], answered: Sequence[str], lines: Sequence[int]) -> Iterator[Residue]:
    if "".join(expected) == "".join(answered):
        return
    numbers: dict[str, int] = {}
    symbols = [
        "".join(chr(number if number < 0xD800 else number + 0x800) for number in codes)
        for codes in ([numbers.setdefault(word, len(numbers)) for word in side] for side in (expected, answered))
    ]
    gap: list[int] | None = None
    for step in [*steps(symbols[0], symbols[1], RUNS), None]:
        if step is not None and not step.equal:
            begun = gap or [step.key_start, step.key_end, step.response_start, step.response_end]
            gap = [begun[0], step.key_end, begun[2], step.response_end]
            continue
        if gap:
            before, after = list(expected[gap[0] : gap[1]]), list(answered[gap[2] : gap[3]])
            for left, right, place in _apart(before, after):
                word = gap[2] + place
                line = lines[min(word, len(lines) - 1)] if lines else 0
                yield Residue(name, line, word + 1, " ".join(left), " ".join(right))
        gap = None


def _apart(expected: list[str], answered: list[str]) -> Iterator[tuple[list[str], list[str], int]]:
    """The smallest stretches that differ, where both sides are cut at the same characters otherwise."""
    first = second = 0
    while first < len(expected) or second < len(answered):
        left, right, start, place = "", "", first, second
        while first < len(expected) or second < len(answered):
            if len(left) <= len(right) and first < len(expected):
                left, first = left + expected[first], first + 1
            elif second < len(answered):
                right, second = right + answered[second], second + 1
            else:
                left, first = left + expected[first], first + 1
            if left == right:
                break
            if len(left) == len(right):
                break
        if left != right:
            yield expected[start:first], answered[place:second], place


def check_task(task: str) -> None:
    """Refuse a task that no campaign can be held for."""
    if task not in STRIPPED:
        raise UsageError(f"there are no campaigns for {task}: expected one of {', '.join(STRIPPED)}")
