"""Directed links between classes: which is part of which, which person has which function.

A relation other than identity links two classes (chains) in a direction, from its source to its target. A link of the
key is found when the response has a link of the same type between the corresponding classes, in the same direction:

    recall    = links of the key found / links of the key
    precision = links of the response that are right / links of the response

A type is directed unless `undirected` names it. Types that `transitive` names are completed first, on both sides: when
A is part of B and B of C, A is part of C. So the links that a response gives need not be those that the key spells out.
Which class of the response is which of the key's is settled by the correspondence of denotations, one to one.

Source: Popescu-Belis 1999 (§5.5): whole/part is transitive, person/function is not. The formulas are ours.
Edges: split antecedents are no links of this kind. A link of a class without a counterpart counts as missed or wrong. A
link from a class to itself does not count. No link on a side is `undefined`.

>>> MEASURE([{1, 2}], [{1, 2}]).f1
0.0
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import Column, Measure, RecallPrecision, recall_precision
from aune.numeric.arrays import Ints
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.conventions import Undefined
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    collect_expressions,
    optimal_correspondence,
    parse_specificity,
    similarities,
)
from aune.tasks.coref.model import SPLIT, Relation

Transitive: TypeAlias = Annotated[
    tuple[str, ...], "types of links that are transitive, in any case: what follows from such links counts as given"
]
Undirected: TypeAlias = Annotated[tuple[str, ...], "types of links without a direction, in any case"]
TypedLink: TypeAlias = tuple[str, int, int]
"""The type, the source and the target of a link between classes."""
PART_TYPES = ("part", "part-of", "whole", "whole-part")


class Counts(NamedTuple):
    """Links, by document."""

    common_typed_links: Column
    key_typed_links: Column
    response_typed_links: Column


def count(comparison: Comparison, *, transitive: Transitive = PART_TYPES, undirected: Undirected = ()) -> Counts:
    weights = parse_specificity(SPECIFICITY)
    expressions = collect_expressions(comparison, list(weights), "format")
    chosen = optimal_correspondence(expressions, similarities(expressions, list(weights.values()), "format"))
    key_of = dict(zip(expressions.cell_response[chosen].tolist(), expressions.cell_key[chosen].tolist(), strict=True))
    key_links = _complete_links(expressions.key_links, transitive, undirected)
    response_links = _complete_links(expressions.response_links, transitive, undirected)
    translated_links = {
        _orient(kind, key_of[source], key_of[target], undirected)
        for kind, source, target in response_links
        if source in key_of and target in key_of
    }
    key_documents, response_documents = comparison.key.chain_document, comparison.response.chain_document
    documents = len(comparison.pairs)
    return Counts(
        _count_by_document(key_links & translated_links, key_documents, documents),
        _count_by_document(key_links, key_documents, documents),
        _count_by_document(response_links, response_documents, documents),
    )


def _complete_links(links: Iterable[Relation], transitive: Transitive, undirected: Undirected) -> set[TypedLink]:
    """The links that count, with those that follow from transitive ones."""
    by_kind: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for kind, source, target in links:
        if kind != SPLIT:
            by_kind[kind].add((source, target))
            if _names(undirected, kind):
                by_kind[kind].add((target, source))
    return {
        _orient(kind, source, target, undirected)
        for kind, pairs in by_kind.items()
        for source, target in (_transitive_closure(pairs) if _names(transitive, kind) else pairs)
        if source != target
    }


def _names(kinds: tuple[str, ...], kind: str) -> bool:
    return kind.casefold() in map(str.casefold, kinds)


def _orient(kind: str, source: int, target: int, undirected: Undirected) -> TypedLink:
    """A link; where its type has no direction, from the class of the lower number."""
    return (kind, *sorted((source, target))) if _names(undirected, kind) else (kind, source, target)  # type: ignore[return-value]


def _transitive_closure(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The pairs, and every pair of a source and something that links lead to from it.

    >>> sorted(_transitive_closure({(1, 2), (2, 3)}))
    [(1, 2), (1, 3), (2, 3)]
    """
    targets: dict[int, set[int]] = defaultdict(set)
    for source, target in pairs:
        targets[source].add(target)
    closure = set()
    for source in list(targets):
        waiting, reached = [source], set[int]()
        while waiting:
            fresh = targets.get(waiting.pop(), set()) - reached
            reached |= fresh
            waiting += fresh
        closure |= {(source, target) for target in reached}
    return closure


def _count_by_document(links: set[TypedLink], chain_document: Ints, documents: int) -> Column:
    owners = [int(chain_document[source]) for _, source, _ in links]
    return np.bincount(np.asarray(owners, np.int64), minlength=documents)


def score(counts: Counts, *, undefined: Undefined = "zero") -> RecallPrecision:
    return recall_precision(*counts, undefined)


MEASURE = Measure(count, score)
