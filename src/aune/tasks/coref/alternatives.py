"""The alternatives in coreference keys: optional mentions, other chains for a mention, other keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from aune.contract.alternatives import KeyChoices
from aune.tasks.coref.mentions.preparation import select_mentions
from aune.tasks.coref.model import EMPTY_MAPPING, Document, renumber

ABSENT = -1  # the chain of an omitted mention


def key_choices(key: Document) -> list[KeyChoices]:
    """The correct answers of a key: for each key, the choices for its mentions that are optional or have other chains.

    >>> from aune.tasks.coref.model import Mention, make_document
    >>> key = make_document("d", [Mention(0, 1, "a"), Mention(2, 3, "a", optional=True), Mention(4, 5, "a")])
    >>> [choices] = key_choices(key)
    >>> choices.sizes, choices.make([1]).clusters()
    ((2,), [[(0, 1), (4, 5)]])
    """
    if not key.has_alternatives:
        return []
    plain = replace(key, other_keys=())
    keys = [plain, *sorted((replace(other, id=key.id, other_keys=()) for other in key.other_keys), key=_content)]
    return [_choices(document) for document in keys]


def _content(document: Document) -> tuple[object, ...]:
    """A sort key for keys of one text, independent of their order in the file."""
    others = sorted((mention, chains) for mention, chains in document.other_chains.items())
    return document.spans.tolist(), document.chains.tolist(), sorted(document.optional), others


def _choices(key: Document) -> KeyChoices:
    numbers = sorted({*key.optional, *key.other_chains})
    homes = [
        (int(key.chains[mention]), *key.other_chains.get(mention, ()), *((ABSENT,) if mention in key.optional else ()))
        for mention in numbers
    ]
    plain = replace(key, optional=frozenset(), other_chains=EMPTY_MAPPING)
    return KeyChoices(tuple(map(len, homes)), partial(_make_key, plain, numbers, homes), _content)


def _make_key(
    plain: Document, numbers: Sequence[int], homes: Sequence[Sequence[int]], alternatives: Sequence[int]
) -> Document:
    """The key in which each of some mentions is in the chosen chain, or omitted."""
    if not any(alternatives):
        return plain
    chains = plain.chains.copy()
    chains[numbers] = [homes[place][alternative] for place, alternative in enumerate(alternatives)]
    is_kept = chains != ABSENT
    if (chains[is_kept] == plain.chains[is_kept]).all():
        return select_mentions(plain, is_kept)
    moved, _ = renumber(np.where(is_kept, chains, 0))
    return select_mentions(replace(plain, chains=moved, labels=None), is_kept)
