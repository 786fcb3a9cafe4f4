"""The words of a transcript, and the places between words where systems or annotators heard a word.

The string of an item is what most systems heard there, and its label tells whether the key agrees. If systems always
write `gonna` for the key's `going to`, the key is consistent, and there is no evidence against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from aune.contract.views import View
from aune.corrections.document_diffs import Edit
from aune.doubtful_items.items import Adaptor, ContextWindow, Item
from aune.doubtful_items.maxent import cross_fit, shape
from aune.tasks.speech.model import Recording, Utterance
from aune.tasks.speech.view import view

BLOCK = 50  # words that are judged by the same model
NOTHING = ""


class Where(NamedTuple):
    """The position of an item."""

    utterance: str
    """The utterance in a recording; '' if the document is a single utterance."""
    start: int
    end: int
    """The range of its words in the utterance."""
    is_raw: bool
    """Whether positions are those of the file's transcript; otherwise, there is no edit."""
    block: tuple[str, int]


def items(documents: Sequence[Any], comparisons: Mapping[str, Sequence[Any]]) -> list[Item]:
    """An item for every word of the key, and for every place between words where a response has a word."""
    owners = _utterance_owners(documents)
    rows: list[Item] = []
    for parts in zip(*comparisons.values(), strict=True):
        for views in zip(*map(view, parts), strict=True):
            rows += _view_items(dict(zip(comparisons, views, strict=True)), owners)
    return _with_likelihoods(sorted(rows, key=lambda item: (item.document, item.place)))


def _utterance_owners(documents: Sequence[Any]) -> dict[str, tuple[str, str, Utterance]]:
    """For each utterance: its document, its name in edits, and the utterance itself."""
    owners: dict[str, tuple[str, str, Utterance]] = {}
    for document in documents:
        if isinstance(document, Recording):
            owners |= {part.id: (document.id, part.id, part) for part in document.utterances}
        else:
            owners[document.id] = (document.id, "", document)
    return owners


def _view_items(views: Mapping[str, View], owners: Mapping[str, tuple[str, str, Utterance]]) -> Iterator[Item]:
    first = next(iter(views.values()))
    heard, between = _heard_words(views)
    bounds = [*first.sentences, len(first.words)]
    for name, start, end in zip(first.names, bounds[:-1], bounds[1:], strict=True):
        document, utterance, original = owners[name]
        is_raw = len(original.words) == end - start
        window = ContextWindow(first.words[start:end])
        for place in range(start, end + 1):
            here = place - start
            if any(between[place].values()) and (place < end or end == len(first.words)):
                answers = {system: between[place].get(system, NOTHING) for system in views}
                yield _item(document, Where(utterance, here, here, is_raw, (name, here // BLOCK)), window, answers)
            if place < end:
                where = Where(utterance, here, here + 1, is_raw, (name, here // BLOCK))
                yield _item(document, where, window, heard[place])


def _heard_words(views: Mapping[str, View]) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The words of each system for each word of the key, and those between it and the previous word."""
    size = len(next(iter(views.values())).words)
    heard: list[dict[str, str]] = [{} for _ in range(size)]
    between: list[dict[str, str]] = [{} for _ in range(size + 1)]
    for system, shown in views.items():
        for column in shown.columns:
            if column.start == column.end:
                words = [between[column.start].get(system, NOTHING), *column.words]
                between[column.start][system] = " ".join(filter(None, words))
            elif len(column.words) == column.end - column.start:
                for place, word in enumerate(column.words, column.start):
                    heard[place][system] = word
            else:
                heard[column.start][system] = " ".join(column.words)
        for place in range(size):
            heard[place].setdefault(system, NOTHING)
    return heard, between


def _item(document: str, where: Where, window: ContextWindow, answers: Mapping[str, str]) -> Item:
    value = " ".join(window.words[where.start : where.end])
    counts = Counter(answers.values())
    usual = min(counts, key=lambda word: (-counts[word], word))
    return Item(
        document, (where.start, where.end), value, value, answers, window.before(where.start), window.after(where.end),
        ((usual, bool(value)),), label=(value == usual), where=(where, window.words, usual, counts[usual]),
    )  # fmt: skip


def _with_likelihoods(rows: list[Item]) -> list[Item]:
    """Add the probability that the key agrees, or disagrees, with most systems at a place like this one."""
    blocks = {name: number for number, name in enumerate(dict.fromkeys(item.where[0].block for item in rows))}
    features = [_features(item) for item in rows]
    labels = ["same" if item.label else "other" for item in rows]
    judged = cross_fit(features, labels, [blocks[item.where[0].block] for item in rows])
    column = dict(zip(judged.classes, judged.matrix.T, strict=True))
    return [
        replace(item, likelihood=float(column[label][row]), likely=item.value if item.label else item.where[2])
        for row, (item, label) in enumerate(zip(rows, labels, strict=True))
    ]


def _features(item: Item) -> list[str]:
    where, words, usual, votes = item.where
    start, end = where.start, where.end
    kind = "gap" if start == end else "word" if usual else "lost"
    last = words[start - 1] if start else "^"
    after = words[end] if end < len(words) else "$"
    return [
        f"{kind}{votes}", f"{kind} {usual}", f"{kind} {shape(usual)}", f"votes={votes} of {len(item.answers)}",
        f"{kind} -1={last}", f"{kind} +1={after}", f"distinct={len(set(item.answers.values()))}",
    ]  # fmt: skip


def edit(item: Item, value: Hashable) -> Edit | None:
    where = item.where[0]
    if not where.is_raw:
        return None
    words = {"words": [where.start, where.end], "text": str(value)}
    return {"utterance": where.utterance, **words} if where.utterance else words


def words(item: Item, value: Hashable) -> str:
    return str(value) or "nothing"


ADAPTOR = Adaptor(items, words, edit)
