"""Read transcripts with entities from any format of speech or of entities.

A file is read as transcripts. If it contains no entities in that reading, it is read as a text with entities, whose
words become the transcript. `by_sentence` cuts such texts at their sentences, and drops entities that cross the cuts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from aune.contract import registry
from aune.contract.options import options_of
from aune.errors import InputError, UsageError
from aune.evaluation.plan import check_reader_options
from aune.reading.corpus import Corpus, read
from aune.tasks.entities.model import Document as EntityText
from aune.tasks.speech.model import Entity, Utterance, utterances


def read_transcripts(
    path: str, input_format: str | None, options: Mapping[str, Any], *, by_sentence: bool = False
) -> Corpus:
    """Read a file in a format of speech; without entities in it, read it in a format of entities where that finds some.

    `options` are those of both kinds of formats. `by_sentence` makes an utterance of each sentence of a text that is
    read in a format of entities.
    """
    speech, entities = registry.task("speech"), registry.task("entities")
    speech_options = _options_of(speech.name, options)
    entity_options = _options_of(entities.name, options)
    unknown = {name: value for name, value in options.items() if name not in speech_options | entity_options}
    check_reader_options(speech, {**speech_options, **unknown}, "option of the corpus")
    if input_format and input_format not in {form.name for form in registry.formats("speech")}:
        checked = check_reader_options(entities, entity_options)
        return _as_transcripts(read(entities, path, input_format, **checked), by_sentence=by_sentence)
    refusal: InputError | None = None
    try:
        corpus = read(speech, path, input_format, **check_reader_options(speech, speech_options))
        if input_format or any(utterance.entities for utterance in utterances(corpus.documents)):
            return corpus
    except InputError as error:
        if input_format:
            raise
        refusal = error
    texts = _entity_texts(path, entity_options, refusal, must_have_entities=by_sentence)
    return corpus if texts is None else _as_transcripts(texts, by_sentence=by_sentence)


def _entity_texts(
    path: str, options: Mapping[str, Any], refusal: InputError | None, *, must_have_entities: bool
) -> Corpus | None:
    """The texts with entities in a file; None if it has none; `refusal` states why it is no file of speech."""
    entities = registry.task("entities")
    try:
        texts = read(entities, path, **check_reader_options(entities, options))
        if any(len(text.spans) for text in texts.documents):
            return texts
    except (InputError, UsageError) as error:
        if must_have_entities and isinstance(error, InputError) and _is_recognised(error):
            raise InputError([*(refusal.problems if refusal else ()), *error.problems]) from None
    if refusal is not None:
        raise refusal
    return None


def _is_recognised(error: InputError) -> bool:
    """Whether a reader of entities recognised the format of a file before refusing it."""
    return all(problem.code != "format.unknown" for problem in error.problems)


def corpus_options() -> set[str]:
    """The options of all formats of such files."""
    return {
        name for task in ("speech", "entities") for form in registry.formats(task) for name in options_of(form.read)
    }


def _options_of(task: str, options: Mapping[str, Any]) -> dict[str, Any]:
    known = {name for form in registry.formats(task) for name in options_of(form.read)}
    return {name: value for name, value in options.items() if name in known}


def _as_transcripts(corpus: Corpus, *, by_sentence: bool) -> Corpus:
    documents = [
        utterance for text in corpus.documents for utterance in entity_utterances(text, by_sentence=by_sentence)
    ]
    return replace(corpus, documents=documents)


def entity_utterances(text: EntityText, *, by_sentence: bool = False) -> Iterator[Utterance]:
    """A text with entities as one utterance, or as one utterance per sentence."""
    words, spans = _words_and_spans(text)
    if not by_sentence:
        entities = tuple(Entity(start, end, label) for start, end, label in spans)
        yield Utterance(text.id, words, {"document": text.id}, entities)
        return
    starts = sorted({0, *(int(start) for start in ([] if text.sentences is None else text.sentences)), len(words)})
    for number, (start, end) in enumerate(pairwise(starts), 1):
        inside = tuple(
            Entity(first - start, last - start, label) for first, last, label in spans if start <= first and last <= end
        )
        yield Utterance(f"{text.id}/{number}", words[start:end], {"document": text.id}, inside)


def _words_and_spans(text: EntityText) -> tuple[list[str], list[tuple[int, int, str]]]:
    """The words of a text and its entities over words; a span over characters covers the words that contain them."""
    if text.unit == "token" and text.words is not None:
        return list(text.words()), list(text.triples())
    if text.unit == "character" and text.text is not None:
        bounds = [(match.start(), match.end()) for match in re.finditer(r"\S+", text.text)]
        begins, ends = (np.array(column, np.int64) for column in (list(zip(*bounds, strict=True)) or [(), ()]))
        spans = [
            (int(np.searchsorted(ends, start, "right")), int(np.searchsorted(begins, end, "left")), label)
            for start, end, label in text.triples()
        ]
        return text.text.split(), [span for span in spans if span[0] < span[1]]
    raise UsageError(f"{text.id}: found entities without the words of their text, expected a format that has words")
