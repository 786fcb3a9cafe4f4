"""Stretches of text in which the key or a response has entities.

An item is a stretch of overlapping entities: those of the key, of systems and annotators, of a model that was trained
on other parts of the key, and of strings that are entities elsewhere. Its value is the entities there, so that a wrong
label, wrong boundaries, a missing entity and a superfluous one are all the same kind of doubt.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.corrections.document_diffs import Edit
from aune.doubtful_items.items import Adaptor, Item
from aune.doubtful_items.maxent import Probabilities, cross_fit, word_features
from aune.tasks.entities.model import Document

Triple: TypeAlias = tuple[int, int, str]
OUTSIDE = "O"
WORD = re.compile(r"\w+|[^\w\s]")
BLOCK = 40  # words that are judged by the same model, in a text without sentences
REACH, REACH_CHARACTERS = 8, 50
LONGEST = 6  # words of the longest string that is looked up elsewhere


@dataclass(frozen=True)
class AnnotatedText:
    """A document of the key, with the entities of all responses."""

    key: Document
    answers: Mapping[str, Sequence[Triple]]

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """The position of each word of the text; empty if the text is not known."""
        if self.key.unit == "token":
            return [(place, place + 1) for place in range(len(self.words))]
        return [match.span() for match in WORD.finditer(self.key.text or "")]

    @cached_property
    def words(self) -> Sequence[str]:
        if self.key.unit == "token":
            return list(self.key.tokens or ())
        return [(self.key.text or "")[start:end] for start, end in self.ranges]

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each word in the key, according to the outermost entities."""
        tags = [OUTSIDE] * len(self.words)
        starts = [start for start, _ in self.ranges]
        for start, end, label in sorted(self.key.triples(), key=lambda triple: (triple[0] - triple[1], triple)):
            first, last = np.searchsorted(starts, [start, end], "left").tolist()
            if all(tag == OUTSIDE for tag in tags[first:last]):
                tags[first:last] = [f"B-{label}", *[f"I-{label}"] * (last - first - 1)][: last - first]
        return tags

    @cached_property
    def groups(self) -> list[int]:
        """The number of each word's sentence; of its block if there are no sentences."""
        places = np.arange(len(self.words))
        if self.key.sentences is None or len(self.key.sentences) < 2:
            blocks: list[int] = (places // BLOCK).tolist()
            return blocks
        numbers: list[int] = np.searchsorted(
            self.key.sentences, [start for start, _ in self.ranges], side="right"
        ).tolist()
        return numbers


class Judgement(NamedTuple):
    """A model's judgement of a text: the probability of the key's tag of each word, and the entities it predicts."""

    of_key: Sequence[float]
    entities: Sequence[Triple]


def items(documents: Sequence[Document], comparisons: Mapping[str, Sequence[Any]]) -> list[Item]:
    """An item for every stretch of entities."""
    texts = sorted(_texts(comparisons), key=lambda text: text.key.id)
    judgements = _judge(texts)
    strings = _Strings(texts)
    return [
        item
        for text, judgement in zip(texts, judgements, strict=True)
        for item in _text_items(text, judgement, strings)
    ]


def _texts(comparisons: Mapping[str, Sequence[Any]]) -> Iterator[AnnotatedText]:
    for parts in zip(*comparisons.values(), strict=True):
        for pairs in zip(*(part.pairs for part in parts), strict=True):
            answers = {
                name: [triple for triple in response.triples() if triple[0] < triple[1]]
                for name, (_, response) in zip(comparisons, pairs, strict=True)
            }
            yield AnnotatedText(pairs[0][0], answers)


def _judge(texts: Sequence[AnnotatedText]) -> list[Judgement | None]:
    """The judgements of models that were trained on other sentences; None if the words are not known."""
    features = [word_features(text.words, place) for text in texts for place in range(len(text.words))]
    if not features:
        return [None] * len(texts)
    groups = [(text.key.id, group) for text in texts for group in text.groups]
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    labels = [tag for text in texts for tag in text.tags]
    judged = cross_fit(features, labels, [numbers[group] for group in groups])
    ends = np.cumsum([len(text.words) for text in texts]).tolist()
    return [
        _judge_text(text, Probabilities(judged.classes, judged.matrix[end - len(text.words) : end]))
        if text.words
        else None
        for text, end in zip(texts, ends, strict=True)
    ]


def _judge_text(text: AnnotatedText, judged: Probabilities) -> Judgement:
    columns = np.searchsorted(judged.classes, text.tags)
    of_key = judged.matrix[np.arange(len(text.tags)), columns].tolist()
    best = [judged.classes[column] for column in judged.matrix.argmax(axis=1).tolist()]
    return Judgement(of_key, list(_tagged_entities(best, text.ranges)))


def _tagged_entities(tags: Sequence[str], ranges: Sequence[tuple[int, int]]) -> Iterator[Triple]:
    start, label = -1, ""
    for place, tag in enumerate([*tags, OUTSIDE]):
        continues = label and tag == f"I-{label}"
        if label and not continues:
            yield ranges[start][0], ranges[place - 1][1], label
            label = ""
        if tag != OUTSIDE and not continues:
            start, label = place, tag[2:]


class _Strings:
    """Every string that is an entity somewhere in the key, with the key's labels of all its occurrences."""

    def __init__(self, texts: Sequence[AnnotatedText]) -> None:
        self.lengths: defaultdict[str, set[int]] = defaultdict(set)
        self.labels: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for text in texts:
            for first, last in map(_word_span(text), text.key.triples()):
                if 0 < last - first <= LONGEST:
                    self.lengths[text.words[first]].add(last - first)
        known = {
            tuple(text.words[first:last]) for text in texts for first, last in map(_word_span(text), text.key.triples())
        }
        for text in texts:
            exact = {_word_span(text)(triple): triple[2] for triple in text.key.triples()}
            for place, word in enumerate(text.words):
                for length in self.lengths.get(word, ()):
                    string = tuple(text.words[place : place + length])
                    if string in known:
                        label = exact.get((place, place + length))
                        if label or all(tag == OUTSIDE for tag in text.tags[place : place + length]):
                            self.labels[string][label or OUTSIDE] += 1

    def variation(self, string: tuple[str, ...], label: str) -> float:
        """The share of the occurrences of a string that are labelled differently."""
        counts = self.labels.get(string, Counter())
        others = counts.total() - 1
        return (others + 1 - counts[label]) / (others + 1) if others > 0 else 0.0

    def usual_entities(self, text: AnnotatedText) -> Iterator[Triple]:
        """The unlabelled occurrences of strings that have a label more often than none."""
        for place, word in enumerate(text.words):
            for length in sorted(self.lengths.get(word, ()), reverse=True):
                counts = self.labels.get(tuple(text.words[place : place + length]), Counter())
                if not counts or any(tag != OUTSIDE for tag in text.tags[place : place + length]):
                    continue
                label = min(counts, key=lambda name: (-counts[name], name))
                if label != OUTSIDE:
                    yield text.ranges[place][0], text.ranges[place + length - 1][1], label
                    break


def _word_span(text: AnnotatedText) -> Any:
    starts = [start for start, _ in text.ranges]

    def span(triple: Triple) -> tuple[int, int]:
        first, last = np.searchsorted(starts, triple[:2], "left").tolist()
        return first, last

    return span


def _text_items(text: AnnotatedText, judgement: Judgement | None, strings: _Strings) -> Iterator[Item]:
    key = [triple for triple in text.key.triples() if triple[0] < triple[1]]
    proposed = [*(judgement.entities if judgement else ()), *strings.usual_entities(text)]
    everything = [*key, *(triple for answer in text.answers.values() for triple in answer), *proposed]
    reach = REACH if text.key.unit == "token" else REACH_CHARACTERS
    for start, end in _stretches(everything):
        value = _within(key, start, end)
        likely = _within(judgement.entities, start, end) if judgement else None
        yield Item(
            text.key.id, (start, end), text.key.excerpt(start, end), value,
            {name: _within(answer, start, end) for name, answer in text.answers.items()},
            text.key.excerpt(max(start - reach, 0), start),
            text.key.excerpt(end, min(end + reach, text.key.length)),
            variation=_variation(text, value, [*_within(everything, start, end)], strings),
            likelihood=_likelihood(text, judgement, start, end), likely=likely,
            where=text.key,
        )  # fmt: skip


def _stretches(triples: Iterable[Triple]) -> Iterator[tuple[int, int]]:
    """The stretches covered by overlapping entities."""
    start = end = -1
    for first, last, _ in sorted(triples):
        if first < end:
            end = max(end, last)
            continue
        if end >= 0:
            yield start, end
        start, end = first, last
    if end >= 0:
        yield start, end


def _within(triples: Iterable[Triple], start: int, end: int) -> tuple[Triple, ...]:
    return tuple(sorted({triple for triple in triples if start <= triple[0] and triple[1] <= end}))


def _variation(
    text: AnnotatedText, value: Sequence[Triple], candidates: Sequence[Triple], strings: _Strings
) -> float | None:
    """The largest share of occurrences that are labelled differently, over the key's entities in a stretch; if the key
    has none there, over those of all responses and proposals.
    """
    if not text.words:
        return None
    span = _word_span(text)
    shares = [0.0]
    for triple in value or candidates:
        first, last = span(triple)
        shares.append(strings.variation(tuple(text.words[first:last]), triple[2] if value else OUTSIDE))
    return max(shares)


def _likelihood(text: AnnotatedText, judgement: Judgement | None, start: int, end: int) -> float | None:
    """The lowest probability of a word's tag in a stretch."""
    if judgement is None:
        return None
    starts = [first for first, _ in text.ranges]
    first, last = np.searchsorted(starts, [start, end], "left").tolist()
    return min(judgement.of_key[first:last], default=1.0)


def edit(item: Item, value: Hashable) -> Edit | None:
    """The edit that replaces the key's entities by those of a value."""
    before: list[Triple] = list(item.value)  # type: ignore[call-overload]
    after: list[Triple] = list(value)  # type: ignore[call-overload]
    removed = [triple for triple in before if triple not in after]
    added = [triple for triple in after if triple not in before]
    if any(triple in _segmented_triples(item.where) for triple in removed):
        return None
    steps: list[dict[str, Any]] = []
    for old, new in zip(removed, added, strict=False):
        steps.append({"remove": list(old), "add": list(new)})
    steps += [{"remove": list(old)} for old in removed[len(added) :]]
    steps += [{"add": list(new)} for new in added[len(removed) :]]
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else {"edits": steps}


def _segmented_triples(document: Document) -> set[Triple]:
    """Entities in several pieces, which this module's edits cannot remove."""
    triples = document.triples()
    return {triples[number] for number in document.segments}


def words(item: Item, value: Hashable) -> str:
    triples: Sequence[Triple] = value  # type: ignore[assignment]
    document: Document = item.where
    return ", ".join(
        f"{document.excerpt(start, end) or f'{start}–{end}'} {label}" for start, end, label in triples
    ) or ("no entity")


ADAPTOR = Adaptor(items, words, edit)
