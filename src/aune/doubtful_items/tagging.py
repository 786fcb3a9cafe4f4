"""The words of a tagged key, and their tags in responses."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aune.corrections.document_diffs import Edit
from aune.doubtful_items.items import Adaptor, ContextWindow, Item
from aune.doubtful_items.maxent import cross_fit, word_features
from aune.tasks.tagging.comparison import Comparison


def items(documents: Sequence[Any], comparisons: Mapping[str, Sequence[Comparison]]) -> list[Item]:
    """An item for every word that has a tag."""
    rows = [
        item
        for parts in zip(*comparisons.values(), strict=True)
        for item in _chunk_items(dict(zip(comparisons, parts, strict=True)))
    ]
    return _with_likelihoods(sorted(rows, key=lambda item: (item.document, item.place)))


def _chunk_items(parts: Mapping[str, Comparison]) -> Iterator[Item]:
    first = next(iter(parts.values()))
    key, readings = first.key, first.key_readings
    tags = ["|".join(readings.tags[code]) for code in readings.codes.tolist()]
    words = key.forms(0, len(key))
    answers = {name: _answers(comparison) for name, comparison in parts.items()}
    bounds = key.first.tolist()
    for document, start, end in zip(key.documents, bounds[:-1], bounds[1:], strict=True):
        window = ContextWindow(words[start:end])
        sentences = np.asarray(document.sentences).tolist()
        sentence_of = np.searchsorted(sentences, np.arange(end - start), side="right").tolist()
        for place in range(start, end):
            if not tags[place]:
                continue
            here = place - start
            yield Item(
                document.id, (here, here + 1), words[place], tags[place],
                {name: column[place] for name, column in answers.items() if column[place]},
                window.before(here), window.after(here + 1), _strings(window.words, here),
                where=(window.words, (document.id, sentence_of[here])),
            )  # fmt: skip


def _answers(comparison: Comparison) -> list[str]:
    """The tags that a response gives to each word of the key; '' if it gives none."""
    partners = comparison.key_partner.tolist()
    readings = comparison.response_readings
    codes = readings.codes.tolist()
    return ["|".join(readings.tags[codes[partner]]) if partner >= 0 else "" for partner in partners]


def _strings(words: Sequence[str], place: int) -> tuple[Hashable, ...]:
    """The word alone, with either neighbour, and with both."""
    word = words[place].lower()
    last = words[place - 1].lower() if place else "^"
    after = words[place + 1].lower() if place + 1 < len(words) else "$"
    return (word,), (last, word, 0), (0, word, after), (last, word, after)


def _with_likelihoods(rows: list[Item]) -> list[Item]:
    features = [word_features(item.where[0], item.place[0]) for item in rows]
    labels = [str(item.value) for item in rows]
    sentences = {name: number for number, name in enumerate(dict.fromkeys(item.where[1] for item in rows))}
    judged = cross_fit(features, labels, [sentences[item.where[1]] for item in rows])
    best = judged.matrix.argmax(axis=1).tolist()
    columns = np.searchsorted(judged.classes, labels).tolist()
    return [
        replace(item, likelihood=float(judged.matrix[row, columns[row]]), likely=judged.classes[best[row]])
        for row, item in enumerate(rows)
    ]


def edit(item: Item, value: Hashable) -> Edit | None:
    return {"word": item.place[0], "tags": str(value)}


ADAPTOR = Adaptor(items, lambda item, value: str(value), edit)
