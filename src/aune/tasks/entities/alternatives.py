"""The choices that a key of entities leaves open: optional entities, alternative spans and labels, whole other keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from aune.contract.alternatives import KeyChoices
from aune.tasks.entities.model import Document, Others, Span, make_document, spans_of


def key_choices(key: Document) -> list[KeyChoices]:
    """The right answers of a key: a choice for each span that has alternatives.

    >>> key = make_document("d", [Span(0, 2, "LOC", others=((Span(0, 2, "ORG"),), ()))])
    >>> [choices] = key_choices(key)
    >>> choices.sizes, [choices.make([place]).triples() for place in range(3)]
    ((3,), [[(0, 2, 'LOC')], [], [(0, 2, 'ORG')]])
    """
    if not key.has_alternatives:
        return []
    others = sorted((replace(other, id=key.id, other_keys=()) for other in key.other_keys), key=_content)
    return [_choices(document) for document in (replace(key, other_keys=()), *others)]


def _content(document: Document) -> list[Span]:
    """A sort key for keys of one text, independent of the order in the file."""
    return [span._replace(line=0, column=0) for span in spans_of(document)]


def _choices(key: Document) -> KeyChoices:
    numbers = sorted(key.others)
    sizes = tuple(1 + len(key.others[number]) for number in numbers)
    return KeyChoices(sizes, partial(_make_key, replace(key, others={}), key.others, numbers), _content)


def _make_key(
    plain: Document,
    others: Mapping[int, Others],
    numbers: Sequence[int],
    alternatives: Sequence[int],
) -> Document:
    """The key with the chosen alternatives in place of some spans; tags that were read with it are then dropped."""
    if not any(alternatives):
        return plain
    chosen = {number: others[number][place - 1] for number, place in zip(numbers, alternatives, strict=True) if place}
    spans: list[Span] = []
    for number, span in enumerate(spans_of(plain)):
        spans += chosen.get(number, (span,))
    return plain.with_spans_of(make_document(plain.id, spans, length=plain.length))
