"""The output of entity recognisers on automatic transcripts, and its scores.

The entities of the key, with their trees, are projected on each transcript, so that the entities recognised there can
be compared with the right ones by any measure of the entities task. Scores are rows that `aune meta impact` reads: for
every speech recogniser (upstream), every entity recogniser on its output (downstream), and every document.

Source: the thesis of Ben Jannet 2015, §5.3 to §5.7; eq. 5.2, figures 5.1 to 5.8 and 5.11.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np

from aune.contract.measure import Measure
from aune.contract.options import options_of
from aune.evaluation.pipeline import evaluate
from aune.results.result import Interval, Result, SystemScore
from aune.tasks.entities.model import Document as Annotated
from aune.tasks.entities.model import Span, make_document
from aune.tasks.speech.alignment.words import AlignmentKind
from aune.tasks.speech.atene.margins import utterances_by_document
from aune.tasks.speech.atene.projection import project_trees
from aune.tasks.speech.comparison import Comparison, compare
from aune.tasks.speech.model import Document, Entity, outermost_entities, select_entities
from aune.tasks.speech.text.phonemes import pronouncer
from aune.typologies.typology import typology

ALL_DOCUMENTS = ""  # the document name of a score of all documents
ERRORS = ("substitutions", "omissions", "insertions")
"""The kinds of errors that PAE compares, from the pairing of ETER (§5.3.4)."""


class TaggedTranscript(NamedTuple):
    """The words of a speech recogniser, with the entities that an entity recogniser found in them."""

    recogniser: str
    tagger: str
    pairs: Sequence[tuple[Document, Document]]
    """Utterances of the key with the right entities, and of the transcript with the recognised ones."""


class ImpactRow(NamedTuple):
    """A score or a count, in the form that `aune meta impact` reads."""

    system: str
    measure: str
    score: float
    document: str = ALL_DOCUMENTS
    downstream: str = ""
    """The entity recogniser; empty for a score of the transcript itself."""
    better: str = "lower"
    ci: Interval | None = None


class DownstreamScores(NamedTuple):
    """All results on transcripts and on the entities recognised in them."""

    rows: list[ImpactRow]
    inserted: dict[tuple[str, str], dict[int, int]]
    """By pair of recognisers: how many stretches between entities have 0, 1, 2… insertions (figure 5.11)."""
    lost: dict[str, int]
    """Entities of the key without any word left in a transcript."""
    warnings: list[str]


def downstream(
    transcripts: Sequence[TaggedTranscript],
    measures: Sequence[str | Measure] = ("eter",),
    upstream: Sequence[str] = ("wer", "ne_wer"),
    *,
    normalise: str = "none",
    closeness: str = "letters",
    typology: str = "",
    labels: tuple[str, ...] | str = (),
    depth: int | str = 0,
    upstream_options: Mapping[str, Any] | None = None,
    finish: Callable[[Result], Result] = lambda result: result,
    **options: Any,
) -> DownstreamScores:
    """The scores of transcripts, and of the output of entity recognisers on them.

    `labels` and `depth` select entities for the measures of both; other `options` are those of the entities
    task and its measures. `finish` is called with every result, to add intervals.
    """
    chosen_labels = options_of(compare)["labels"].convert(labels)
    collected = DownstreamScores([], {}, {}, [])
    sources: dict[str, list[str]] = {}
    all_measures = ["eter", *(measure for measure in measures if measure != "eter")]
    for transcript in transcripts:
        comparison = compare(transcript.pairs, normalise=normalise)
        key = projected_reference(comparison, typology, closeness)
        response = recognised_entities(comparison)
        entity_options = {"typology": typology, "labels": chosen_labels, "depth": depth}
        result = evaluate(
            "entities", key, {transcript.tagger: response}, measures=all_measures, **entity_options, **options
        )
        result = finish(result)
        for note in result.warnings:
            sources.setdefault(note, []).append(f"{transcript.recogniser}:{transcript.tagger}")
        for scored in result:
            requested = scored.measure.name.removeprefix("entities.") in measures or scored.measure in measures
            collected.rows.extend(_score_rows(scored, transcript.recogniser, transcript.tagger) if requested else [])
        collected.rows.extend(_error_rows(result["eter"], transcript.recogniser, transcript.tagger))
        collected.inserted[transcript.recogniser, transcript.tagger] = inserted_per_stretch(
            key, response, typology, chosen_labels
        )
        if transcript.recogniser not in collected.lost:
            collected.lost[transcript.recogniser] = sum(int((text.spans[:, 1] > recognised.length).sum())
                                             for text, recognised in zip(key, response, strict=True))  # fmt: skip
            sides = (
                [pair[0] for pair in transcript.pairs],
                {transcript.recogniser: [pair[1] for pair in transcript.pairs]},
            )
            entity_choice = {"typology": typology, "labels": chosen_labels, "depth": depth, **(upstream_options or {})}
            scores = evaluate("speech", *sides, measures=list(upstream), normalise=normalise, **entity_choice)
            for scored in finish(scores):
                collected.rows.extend(_score_rows(scored, transcript.recogniser, ""))
    for note, names in sources.items():
        collected.warnings.append(note if len(names) == len(transcripts) else f"{', '.join(names)}: {note}")
    return collected


def _score_rows(scored: SystemScore, system: str, tagger: str) -> Iterator[ImpactRow]:
    """The main value of a measure under its name, others as measure.value; for all documents and for each."""
    measure = scored.measure
    short = measure.name.partition(".")[2] if not measure.by else measure.name
    for value in measure.values:
        name = short if value == measure.headline else f"{short}.{value}"
        better = measure.better_by_value.get(value, measure.better)
        total = scored.values[value]
        if total is not None:
            yield ImpactRow(system, name, total, ALL_DOCUMENTS, tagger, better, (scored.intervals or {}).get(value))
        for text, values in scored.by("document").items():
            number = values[value]
            if number is not None:
                yield ImpactRow(system, name, number, text, tagger, better)


def _error_rows(scored: SystemScore, system: str, tagger: str) -> Iterator[ImpactRow]:
    """The numbers of entities by kind of error, which PAE compares."""
    for text, counts in {ALL_DOCUMENTS: scored.counts, **scored.counts_by("document")}.items():
        numbers = counts["pairs"] - counts["correct"], counts["omission"], counts["insertion"]
        for name, number in zip(ERRORS, numbers, strict=True):
            yield ImpactRow(system, name, number, text, tagger)


def projected_reference(
    comparison: Comparison,
    name: str = "",
    closeness: str = "letters",
    kind: AlignmentKind = "similar",
    *,
    words: bool = False,
) -> list[Annotated]:
    """The right output on the transcripts, by document: the key's entities at their projected positions.

    An entity without any word left is placed after the last word, where it matches nothing; with `words`, for a file
    that people read, it is left out.
    """
    known = typology(name)
    sounds = None if closeness == "letters" else pronouncer(closeness)
    trees = project_trees(comparison, comparison.alignment(kind), sounds, known.components.__contains__)
    documents = []
    for text, all_spans, starts, tokens in _document_spans(
        comparison, [[Span(*node) for node in nodes] for nodes in trees]
    ):
        spans = [span for span in all_spans if span.end > span.start]
        missing = [span.label for span in all_spans if span.end <= span.start and span.label not in known.components]
        if not words:
            spans += [Span(len(tokens) + place, len(tokens) + place + 1, label) for place, label in enumerate(missing)]
        documents.append(_document(text, spans, starts, tokens, name, words))
    return documents


def recognised_entities(comparison: Comparison) -> list[Annotated]:
    """The entities that a recogniser found in the transcripts, by document."""
    entities = [[Span(*entity) for entity in response.entities] for _, response in comparison.pairs]
    return [_document(*text, "", words=False) for text in _document_spans(comparison, entities)]


def _document_spans(
    comparison: Comparison, spans: Sequence[Sequence[Span]]
) -> Iterator[tuple[str, list[Span], list[int], list[str]]]:
    """Each document of the response: name, spans (given by utterance), first words of utterances, and words."""
    for text, units in utterances_by_document(comparison).items():
        words = [comparison.pairs[unit][1].words for unit in units]
        starts = list(accumulate(map(len, words[:-1]), initial=0))
        shifted = [
            span._replace(start=span.start + first, end=span.end + first)
            for first, unit in zip(starts, units, strict=True)
            for span in spans[unit]
        ]
        yield text, shifted, starts, list(chain.from_iterable(words))


def _document(
    text: str, spans: list[Span], starts: list[int], tokens: list[str], typology: str, words: bool
) -> Annotated:
    sentences = np.unique(np.asarray([start for start in starts if start < len(tokens)] or [0], np.int64))
    copy_words = tokens.copy if words else None
    return make_document(text, spans, length=len(tokens), sentences=sentences, words=copy_words, typology=typology)


def _entities(text: Annotated, name: str, labels: Sequence[str]) -> list[Entity]:
    """The outermost entities of a document that count, without components."""
    return outermost_entities(
        select_entities([Entity(*triple) for triple in text.triples()], typology(name).components, labels)
    )


def inserted_per_stretch(
    key: Sequence[Annotated], response: Sequence[Annotated], name: str = "", labels: Sequence[str] = ()
) -> dict[int, int]:
    """How many stretches between entities have 0, 1, 2… insertions; stretches cross ends of utterances.

    >>> key = [make_document("d", [Span(1, 2, "pers")], length=6)]
    >>> response = [make_document("d", [Span(4, 5, "loc")], length=6)]
    >>> inserted_per_stretch(key, response)
    {0: 1, 1: 1}
    """
    counts: Counter[int] = Counter()
    for key_document, response_document in zip(key, response, strict=True):
        key_entities = [
            entity for entity in _entities(key_document, name, labels) if entity.end <= response_document.length
        ]
        bounds = [
            0,
            *(place for entity in key_entities for place in (entity.start, entity.end)),
            response_document.length,
        ]
        response_entities = _entities(response_document, name, labels)
        for start, end in zip(bounds[::2], bounds[1::2], strict=True):
            if end > start:
                counts[sum(start <= entity.start and entity.end <= end for entity in response_entities)] += 1
    return dict(sorted(counts.items()))
