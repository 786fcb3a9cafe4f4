"""Bridging: expressions understood through another entity (the door of a house), with their antecedents.

Every anaphor of a bridging relation in key and response is right

    as an anaphor       the other side has a bridging anaphor of the same tokens
    for the mention     and the same antecedent
    for the entity      and an antecedent in the key chain of the key's antecedent

and each of the three gives recall (over the key's anaphors), precision (over the response's) and F; the values without
a prefix are those for the entity.

Source: Khosla et al. 2021 and Yu et al. 2022 (CODI-CRAC), as in the Universal Anaphora scorer.
Edges: a bridging relation is any relation but split antecedents. With several antecedents, one that is right is enough.
No anaphor on a side is `undefined`. Mentions are the same when they have the same tokens, whatever `match` says.

>>> MEASURE([{1, 2}], [{1, 2}]).values["f1"]
0.0
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from aune.contract.measure import Column, Measure, recall_precision
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.mentions.matches import mention_tokens
from aune.tasks.coref.model import SPLIT, Document, check_places


class Counts(NamedTuple):
    """Bridging anaphors, by document."""

    anaphors: Column
    mentions: Column
    entities: Column
    key: Column
    response: Column


class Score(NamedTuple):
    """Recall, precision and F of anaphors, of antecedent mentions, and of antecedent entities."""

    anaphor_recall: Column
    anaphor_precision: Column
    anaphor_f1: Column
    mention_recall: Column
    mention_precision: Column
    mention_f1: Column
    recall: Column
    precision: Column
    f1: Column


def count(comparison: Comparison) -> Counts:
    rows = [_count_pair(*pair) for pair in comparison.unfiltered_pairs]
    return Counts(*np.asarray(rows, np.int64).reshape(-1, len(Counts._fields)).T)


def _count_pair(key: Document, response: Document) -> tuple[int, ...]:
    if not key.relations and not response.relations:
        return (0,) * len(Counts._fields)
    check_places(key)
    check_places(response)
    key_antecedents, response_antecedents = _antecedents(key), _antecedents(response)
    chain = {mention_tokens(key, mention): number for mention, number in enumerate(key.chains.tolist())}
    shared_anaphors = key_antecedents.keys() & response_antecedents.keys()
    same_mention = [anaphor for anaphor in shared_anaphors if key_antecedents[anaphor] & response_antecedents[anaphor]]
    same_entity = [
        anaphor
        for anaphor in shared_anaphors
        if {chain.get(antecedent) for antecedent in response_antecedents[anaphor]}
        & {chain[key_antecedent] for key_antecedent in key_antecedents[anaphor]}
    ]
    return len(shared_anaphors), len(same_mention), len(same_entity), len(key_antecedents), len(response_antecedents)


def _antecedents(document: Document) -> dict[frozenset[int], set[frozenset[int]]]:
    """The antecedents of each bridging anaphor, all by their tokens."""
    antecedents: dict[frozenset[int], set[frozenset[int]]] = defaultdict(set)
    for kind, source, target in document.relations:
        if kind != SPLIT:
            antecedents[mention_tokens(document, source)].add(mention_tokens(document, target))
    return antecedents


def score(counts: Counts, *, undefined: Undefined = "zero") -> Score:
    values: list[Column] = []
    for right in (counts.anaphors, counts.mentions, counts.entities):
        values += recall_precision(right, counts.key, counts.response, undefined)
    return Score(*values)


MEASURE = Measure(count, score, main="f1")
