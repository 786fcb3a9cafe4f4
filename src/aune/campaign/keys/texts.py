"""Texts without annotation, as they are handed out, and the comparison of responses with them.

aune writes the texts from the content of a key, without everything that participants must find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from aune.alignment.sequences import steps
from aune.contract import registry
from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.corpus import Corpus
from aune.tasks.anaphora import model as anaphora
from aune.tasks.coref import model as coref
from aune.tasks.entities import model as entities
from aune.tasks.speech import model as speech
from aune.tasks.tagging import model as tagging

MATCH_LENGTHS = (32, 8, 2)  # lengths of the word sequences that are matched where texts differ
SPEECH_ATTRIBUTES = ("document", "channel", "speaker")
USUAL_FORMATS = {
    "tagging": "tsv",
    "entities": "jsonl",
    "coref": "jsonlines",
    "speech": "manifest",
    "anaphora": "jsonlines",
}


def _bare_words(document: tagging.Document) -> tagging.Document:
    """The tokens as written in the text, with their sentences, without tags."""
    owner = np.arange(len(document)) if document.owner is None else document.owner
    starts = sorted({int(owner[first]) for first in document.sentences.tolist() if first < len(document)})
    words = document.surface.values()
    return tagging.make_document(
        document.id, words, {"tag": ["_"] * len(words)}, sentences=starts, attributes=document.attributes
    )


def _without_antecedents(document: anaphora.Document) -> anaphora.Document:
    """The anaphors with their candidates, without antecedents."""
    bare = [anaphor._replace(antecedents=()) for anaphor in document.anaphors]
    return replace(document, anaphors=tuple(bare), chains={})


def _without_transcript(document: speech.Document) -> speech.Document:
    """The utterances to transcribe, without their words."""
    if isinstance(document, speech.Recording):
        return document._replace(
            utterances=tuple(_untranscribed_utterance(utterance) for utterance in document.utterances)
        )
    return _untranscribed_utterance(document)


def _untranscribed_utterance(utterance: speech.Utterance) -> speech.Utterance:
    known = {name: value for name, value in utterance.attributes.items() if name in SPEECH_ATTRIBUTES}
    return speech.Utterance(utterance.id, "", known, span=utterance.span)


STRIPPERS: Mapping[str, Callable[[Any], Any]] = {
    "tagging": _bare_words,
    "entities": lambda document: replace(entities.empty(document), listed=None),
    "coref": lambda document: replace(coref.empty(document), listed=None),
    "speech": _without_transcript,
    "anaphora": _without_antecedents,
}


def strip_documents(task: str, documents: Sequence[Any]) -> list[Any]:
    """Documents without what participants must find."""
    return [STRIPPERS[task](document) for document in documents]


def make_texts(task: str, corpus: Corpus) -> tuple[str, bytes]:
    """The texts of a corpus as a file: its format, and its bytes."""
    form = format_to_write(task, corpus.format)
    assert form.write is not None
    return form.name, "".join(form.write(strip_documents(task, corpus.documents))).encode()


def format_to_write(task: str, source_format: str | None) -> Format:
    """The format of a file, if aune can write it with document names; otherwise the usual format of the task."""
    single_document = ("tsv", "slash", "lines")  # their document is named after the file
    by_name = {form.name: form for form in registry.formats(task) if form.write and not form.beside}
    if source_format in by_name and source_format not in single_document:
        return by_name[source_format]
    return by_name[source_format if source_format in by_name else USUAL_FORMATS[task]]


def usual_ending(form: Format) -> str:
    return form.suffixes[0] if form.suffixes else f".{form.name}"


# Differences between a response and the text.

LONGEST_EXCERPT = 100  # characters that are stored of each side of a difference


class Residue(NamedTuple):
    """Words of a response that differ from those handed out, and the expected words."""

    document: str
    line: int
    """0 if the task does not keep the lines of words."""
    word: int
    """The position of the first differing word in the document, from 1."""
    expected: str
    found: str


class TextDifference(NamedTuple):
    """A stretch of words in which a response differs from the text that was handed out."""

    document: str
    line: int
    word: int
    expected: Sequence[str]
    answered: Sequence[str]

    @property
    def size(self) -> int:
        """How many words are missing, added or different."""
        return max(len(self.expected), len(self.answered))

    @property
    def residue(self) -> Residue:
        """The difference as it is listed; long stretches are cut."""
        return Residue(self.document, self.line, self.word, make_excerpt(self.expected), make_excerpt(self.answered))


def make_excerpt(words: Sequence[str]) -> str:
    """Words joined to one text, cut if it is long."""
    text = " ".join(words[:LONGEST_EXCERPT])
    return text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT]}…"


Words = tuple[Sequence[str] | None, Sequence[int]]
"""The words of a document and their lines: None if the format has no words, () if it has no lines."""


def _tagging_words(document: tagging.Document) -> Words:
    words = document.surface.values()
    lines = document.lines.tolist() if document.lines is not None and document.tokens is None else []
    return (words if any(words) or not words else None), lines


def _entity_words(document: entities.Document) -> Words:
    return (document.text.split() if document.text is not None else document.tokens), ()


def _coref_words(document: coref.Document) -> Words:
    """The words of a text, without the empty nodes that a system may insert."""
    if document.tokens is None or document.positions is None or document.unit != "token":
        return document.tokens, ()
    places = (document.positions % coref.STEP).tolist()
    return [word for word, place in zip(document.tokens, places, strict=False) if not place], ()


WORDS: Mapping[str, Callable[[Any], Words]] = {
    "tagging": _tagging_words,
    "entities": _entity_words,
    "coref": _coref_words,
}
"""The words of a document; tasks that are not listed have no text to compare."""


def text_differences(task: str, pairs: Sequence[tuple[Any, Any]]) -> list[TextDifference]:
    """The differences between responses and the texts handed out; different tokenisation is no difference.

    >>> one = tagging.documents([("au", "_"), ("jour", "_"), ("dit", "_")])[0]
    >>> other = tagging.documents([("aujour", "N"), ("di", "N")])[0]
    >>> [difference.residue for difference in text_differences("tagging", [(one, other)])]
    [Residue(document='document', line=0, word=2, expected='dit', found='di')]
    """
    read_words = WORDS.get(task)
    if read_words is None:
        return []
    differences: list[TextDifference] = []
    for document, response in pairs:
        (expected, _), (answered, lines) = read_words(document), read_words(response)
        if expected and answered is not None:
            differences += _document_differences(document.id, expected, answered, lines)
    return differences


def text_residues(task: str, pairs: Sequence[tuple[Any, Any]]) -> list[Residue]:
    """The differences between responses and the texts handed out, as they are listed."""
    return [difference.residue for difference in text_differences(task, pairs)]


def _document_differences(
    name: str, expected: Sequence[str], answered: Sequence[str], lines: Sequence[int]
) -> Iterator[TextDifference]:
    if "".join(expected) == "".join(answered):
        return
    numbers: dict[str, int] = {}
    symbols = [
        "".join(chr(number if number < 0xD800 else number + 0x800) for number in codes)
        for codes in ([numbers.setdefault(word, len(numbers)) for word in side] for side in (expected, answered))
    ]
    gap: list[int] | None = None
    for step in [*steps(symbols[0], symbols[1], MATCH_LENGTHS), None]:
        if step is not None and not step.equal:
            start = gap or [step.key_start, step.key_end, step.response_start, step.response_end]
            gap = [start[0], step.key_end, start[2], step.response_end]
            continue
        if gap:
            before, after = list(expected[gap[0] : gap[1]]), list(answered[gap[2] : gap[3]])
            for key_words, response_words, place in _differing_stretches(before, after):
                word = gap[2] + place
                line = lines[min(word, len(lines) - 1)] if lines else 0
                yield TextDifference(name, line, word + 1, key_words, response_words)
        gap = None


def _differing_stretches(expected: list[str], answered: list[str]) -> Iterator[tuple[list[str], list[str], int]]:
    """The smallest differing stretches, which start and end where the words of both sides end at the same character."""
    first = second = 0
    while first < len(expected) or second < len(answered):
        key_text, response_text, start, place = "", "", first, second
        while first < len(expected) or second < len(answered):
            if len(key_text) <= len(response_text) and first < len(expected):
                key_text, first = key_text + expected[first], first + 1
            elif second < len(answered):
                response_text, second = response_text + answered[second], second + 1
            else:
                key_text, first = key_text + expected[first], first + 1
            if key_text == response_text:
                break
            if len(key_text) == len(response_text):
                break
        if key_text != response_text:
            yield expected[start:first], answered[place:second], place


def check_task(task: str) -> None:
    """Refuse a task for which there are no campaigns."""
    if task not in STRIPPERS:
        raise UsageError(f"there are no campaigns for {task}: expected one of {', '.join(STRIPPERS)}")
