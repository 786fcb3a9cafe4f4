"""What recognisers of entities make of transcripts: their output on the words that were recognised, scored.

The entities of the key, trees and all, are projected on each transcript, so that what a recogniser found there can be
compared with what it should have found, by any measure of the entities task. Scores come as rows that `aune meta
impact` reads: of every speech recogniser (upstream), of every entity recogniser on it (downstream), of every document.

Source: the thesis of Ben Jannet 2015, §5.3 to §5.7; eq. 5.2, figures 5.1 to 5.8 and 5.11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np

from aune.core.evaluation import evaluate
from aune.core.measure import Measure
from aune.core.options import options_of
from aune.core.result import Interval, Result, Scored
from aune.tasks.entities.model import Document as Annotated
from aune.tasks.entities.model import Span, document
from aune.tasks.entities.typology import typology
from aune.tasks.speech.alignment.words import Kind
from aune.tasks.speech.atene.margins import in_order
from aune.tasks.speech.atene.projection import projected_trees
from aune.tasks.speech.comparison import Comparison, compare
from aune.tasks.speech.model import Document, Entity, chosen_entities, outermost
from aune.tasks.speech.text.phonemes import speaker_of

WHOLE = ""  # the document of a score of all documents
ERRORS = ("substitutions", "omissions", "insertions")
"""The kinds of errors that PAE compares, from the pairing of ETER (§5.3.4)."""


class Transcript(NamedTuple):
    """The words of a speech recogniser, with the entities that an entity recogniser found in them."""

    recogniser: str
    tagger: str
    pairs: Sequence[tuple[Document, Document]]
    """Utterances of the key with the right entities, and of the transcript with those that were found."""


class Row(NamedTuple):
    """A score or a count, as `aune meta impact` reads it."""

    system: str
    measure: str
    score: float
    document: str = WHOLE
    downstream: str = ""
    """The entity recogniser; nothing for a score of the transcript itself."""
    better: str = "lower"
    ci: Interval | None = None


class Downstream(NamedTuple):
    """Everything that was found out about transcripts and what was made of them."""

    rows: list[Row]
    inserted: dict[tuple[str, str], dict[int, int]]
    """By recognisers: how many stretches between entities have 0, 1, 2… entities made up in them (figure 5.11)."""
    lost: dict[str, int]
    """Entities of the key of which no word is left in a transcript."""
    warnings: list[str]


def downstream(
    transcripts: Sequence[Transcript],
    measures: Sequence[str | Measure] = ("eter",),
    upstream: Sequence[str] = ("wer", "ne_wer"),
    *,
    normalise: str = "none",
    closeness: str = "letters",
    typology: str = "",
    labels: tuple[str, ...] | str = (),
    depth: int | str = 0,
    upstream_options: Mapping[str, Any] | None = None,
    finished: Callable[[Result], Result] = lambda result: result,
    **options: Any,
) -> Downstream:
    """The scores of transcripts and of what entity recognisers made of them.

    `labels` and `depth` choose among the entities for the measures of both; other `options` are those of the entities
    task and its measures. `finished` is given every result, to add intervals.
    """
    wanted = options_of(compare)["labels"].checked(labels)
    found = Downstream([], {}, {}, [])
    told: dict[str, list[str]] = {}
    asked = ["eter", *(measure for measure in measures if measure != "eter")]
    for one in transcripts:
        comparison = compare(one.pairs, normalise=normalise)
        key = projected_reference(comparison, typology, closeness)
        response = found_entities(comparison)
        chosen = {"typology": typology, "labels": wanted, "depth": depth}
        result = evaluate("entities", key, {one.tagger: response}, measures=asked, **chosen, **options)
        result = finished(result)
        for note in result.warnings:
            told.setdefault(note, []).append(f"{one.recogniser}:{one.tagger}")
        for scored in result:
            kept = scored.measure.name.removeprefix("entities.") in measures or scored.measure in measures
            found.rows.extend(_rows(scored, one.recogniser, one.tagger) if kept else [])
        found.rows.extend(_errors(result["eter"], one.recogniser, one.tagger))
        found.inserted[one.recogniser, one.tagger] = inserted_per_stretch(key, response, typology, wanted)
        if one.recogniser not in found.lost:
            found.lost[one.recogniser] = sum(int((text.spans[:, 1] > given.length).sum())
                                             for text, given in zip(key, response, strict=True))  # fmt: skip
            sides = [pair[0] for pair in one.pairs], {one.recogniser: [pair[1] for pair in one.pairs]}
            given = {"typology": typology, "labels": wanted, "depth": depth, **(upstream_options or {})}
            scores = evaluate("speech", *sides, measures=list(upstream), normalise=normalise, **given)
            for scored in finished(scores):
                found.rows.extend(_rows(scored, one.recogniser, ""))
    for note, of in told.items():
        found.warnings.append(note if len(of) == len(transcripts) else f"{', '.join(of)}: {note}")
    return found


def _rows(scored: Scored, system: str, tagger: str) -> Iterator[Row]:
    """The main value of a measure under its name, the others as measure.value; of the whole and by document."""
    measure = scored.measure
    short = measure.name.partition(".")[2] if not measure.by else measure.name
    for value in measure.values:
        name = short if value == measure.headline else f"{short}.{value}"
        better = measure.mixed.get(value, measure.better)
        total = scored.values[value]
        if total is not None:
            yield Row(system, name, total, WHOLE, tagger, better, (scored.intervals or {}).get(value))
        for text, values in scored.by("document").items():
            number = values[value]
            if number is not None:
                yield Row(system, name, number, text, tagger, better)


def _errors(scored: Scored, system: str, tagger: str) -> Iterator[Row]:
    """Entities by what is wrong with them: what PAE is about."""
    for text, counts in {WHOLE: scored.counts, **scored.counts_by("document")}.items():
        numbers = counts["pairs"] - counts["correct"], counts["omission"], counts["insertion"]
        for name, number in zip(ERRORS, numbers, strict=True):
            yield Row(system, name, number, text, tagger)


def projected_reference(
    comparison: Comparison, name: str = "", closeness: str = "letters", kind: Kind = "similar", *, words: bool = False
) -> list[Annotated]:
    """What a recogniser should find in the transcripts: the key's entities where they lie there, by document.

    An entity of which no word is left stands after the last word, where nothing can meet it; with `words`, for a file
    that people read, it is left out.
    """
    known = typology(name)
    sounds = None if closeness == "letters" else speaker_of(closeness)
    trees = projected_trees(comparison, comparison.alignment(kind), sounds, known.components.__contains__)
    found = []
    for text, every, starts, tokens in _told(comparison, [[Span(*node) for node in nodes] for nodes in trees]):
        spans = [span for span in every if span.end > span.start]
        missing = [span.label for span in every if span.end <= span.start and span.label not in known.components]
        if not words:
            spans += [Span(len(tokens) + place, len(tokens) + place + 1, label) for place, label in enumerate(missing)]
        found.append(_document(text, spans, starts, tokens, name, words))
    return found


def found_entities(comparison: Comparison) -> list[Annotated]:
    """What a recogniser found in the transcripts, by document."""
    entities = [[Span(*entity) for entity in response.entities] for _, response in comparison.pairs]
    return [_document(*text, "", words=False) for text in _told(comparison, entities)]


def _told(
    comparison: Comparison, spans: Sequence[Sequence[Span]]
) -> Iterator[tuple[str, list[Span], list[int], list[str]]]:
    """Each document of the response: its name, its spans (given by utterance), where utterances begin, its words."""
    for text, units in in_order(comparison).items():
        words = [comparison.pairs[unit][1].words for unit in units]
        starts = list(accumulate(map(len, words[:-1]), initial=0))
        moved = [
            span._replace(start=span.start + first, end=span.end + first)
            for first, unit in zip(starts, units, strict=True)
            for span in spans[unit]
        ]
        yield text, moved, starts, list(chain.from_iterable(words))


def _document(
    text: str, spans: list[Span], starts: list[int], tokens: list[str], typology: str, words: bool
) -> Annotated:
    sentences = np.unique(np.asarray([start for start in starts if start < len(tokens)] or [0], np.int64))
    given = tokens.copy if words else None
    return document(text, spans, length=len(tokens), sentences=sentences, words=given, typology=typology)


def _entities(text: Annotated, name: str, labels: Sequence[str]) -> list[Entity]:
    """The outermost entities of a document that count, components left out."""
    return outermost(chosen_entities([Entity(*triple) for triple in text.triples()], typology(name).components, labels))


def inserted_per_stretch(
    key: Sequence[Annotated], response: Sequence[Annotated], name: str = "", labels: Sequence[str] = ()
) -> dict[int, int]:
    """How many stretches between entities have 0, 1, 2… entities made up in them; stretches run through documents.

    >>> key, response = [document("d", [Span(1, 2, "pers")], length=6)], [document("d", [Span(4, 5, "loc")], length=6)]
    >>> inserted_per_stretch(key, response)
    {0: 1, 1: 1}
    """
    found: Counter[int] = Counter()
    for expected, given in zip(key, response, strict=True):
        entities = [entity for entity in _entities(expected, name, labels) if entity.end <= given.length]
        bounds = [0, *(place for entity in entities for place in (entity.start, entity.end)), given.length]
        made = _entities(given, name, labels)
        for start, end in zip(bounds[::2], bounds[1::2], strict=True):
            if end > start:
                found[sum(start <= entity.start and entity.end <= end for entity in made)] += 1
    return dict(sorted(found.items()))
