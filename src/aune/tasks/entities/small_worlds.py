"""Small worlds of entities: all ways to mark spans with two labels in a text of a few tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from aune.contract import registry
from aune.contract.small_worlds import universe_from_states

Spans: TypeAlias = tuple[int, tuple[tuple[int, int, str], ...]]
"""The length of the text, and the spans in order."""
MAX_TOKENS = 4  # tokens: 153 ways to mark them, 23,409 pairs


def markings(tokens: int) -> Iterator[Spans]:
    """Every way to mark spans that do not overlap in a text of this many tokens."""
    if tokens <= MAX_TOKENS:
        for spans in _markings_from(0, tokens):
            yield tokens, spans


def _markings_from(start: int, tokens: int) -> Iterator[tuple[tuple[int, int, str], ...]]:
    if start == tokens:
        yield ()
        return
    yield from _markings_from(start + 1, tokens)
    for end in range(start + 1, tokens + 1):
        for label in ("A", "B"):
            for rest in _markings_from(end, tokens):
                yield ((start, end, label), *rest)


def make_document(state: Spans) -> Any:
    tokens, spans = state
    tags = ["O"] * tokens
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    (document,) = registry.task("entities").reading.documents({"document": tags})
    return document


def show(state: Spans) -> str:
    tokens, spans = state
    return f"{tokens} tokens: " + (" ".join(f"{label}[{start},{end})" for start, end, label in spans) or "nothing")


def corrections(key: Spans, response: Spans) -> list[Spans]:
    """The responses with one error less: a span that overlaps no key span is removed, or a missing key span is put in.

    A missing key span replaces the one wrong span that overlaps it, or all those that overlap nothing else. If wrong
    spans overlap several key spans, it is debatable which response is nearer to the key, and none is returned.
    """
    tokens, marked = response
    touched = {span: [other for other in key[1] if _overlap(span, other)] for span in marked}
    corrected = [[other for other in marked if other != span] for span in marked if not touched[span]]
    for span in key[1]:
        wrong = [other for other in marked if _overlap(span, other)]
        if span not in marked and (len(wrong) <= 1 or all(len(touched[other]) == 1 for other in wrong)):
            corrected.append([*(other for other in marked if other not in wrong), span])
    return [(tokens, tuple(sorted(spans))) for spans in corrected]


def _overlap(first: tuple[int, int, str], second: tuple[int, int, str]) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def profile(state: Spans) -> tuple[tuple[int, str], ...]:
    """The lengths and labels of the spans."""
    return tuple(sorted((end - start, label) for start, end, label in state[1]))


def shuffle(generator: np.random.Generator, key: Spans) -> Spans:
    """The key's spans in another order, with the free tokens distributed randomly between them."""
    tokens, spans = key
    lengths: list[tuple[int, str]] = [(end - start, label) for start, end, label in spans]
    pieces = lengths + [(1, "")] * (tokens - sum(length for length, _ in lengths))
    placed, place = [], 0
    for number in generator.permutation(len(pieces)).tolist():
        length, label = pieces[number]
        placed += [(place, place + length, label)] if label else []
        place += length
    return tokens, tuple(placed)


def sample(generator: np.random.Generator, tokens: int) -> tuple[Spans, Spans]:
    """A random key, and a response that lacks some of its spans and changes some labels."""
    spans: list[tuple[int, int, str]] = [(0, 1, "A")]
    while (start := spans[-1][1] + int(generator.integers(0, 4))) < tokens - 3:
        spans.append((start, start + int(generator.integers(1, 4)), str(generator.choice(["A", "B", "C"]))))
    remaining = [span for span in spans if generator.random() > 0.1]
    changed = [(start, end, "D" if generator.random() < 0.1 else label) for start, end, label in remaining]
    return (tokens, tuple(spans)), (tokens, tuple(changed))


UNIVERSE = universe_from_states(
    markings,
    make_document,
    show,
    trivial={
        "nothing found": lambda key: (key[0], ()),
        "everything one entity": lambda key: (key[0], ((0, key[0], "A"),)),
    },
    profile=profile,
    shuffle=shuffle,
    corrections=corrections,
    sample=sample,
)
