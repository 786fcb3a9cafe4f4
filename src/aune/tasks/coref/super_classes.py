"""Typed links between classes, such as part and whole, or an individual and its function.

A relation other than identity connects classes (chains), not mentions. For each type of relation, the classes that it
links, directly or through others, form a super-class. The super-classes of key and response are two partitions of the
classes, which every measure can compare just like chains of mentions.

The one-to-one correspondence of denotations (Trouilleux et al. 2000) determines which response class is which key
class. A class without a counterpart is an identity error, which the identity scores count: it is left out here, so that
nothing is counted twice, but the classes that it links stay linked.

Source: Popescu-Belis 1999, §5.5 (the second solution); the correspondence is our choice, since the paper has none.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple

from aune.numeric.union_find import UnionFind
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.correspondence import (
    SPECIFICITY,
    collect_expressions,
    optimal_correspondence,
    parse_specificity,
    similarities,
)
from aune.tasks.coref.mentions.matches import matched_mentions
from aune.tasks.coref.mentions.preparation import MentionColumns, mention_columns, without_singletons
from aune.tasks.coref.mentions.traits import mention_texts
from aune.tasks.coref.model import Document, Mention, Relation, make_document


class _SharedClass(NamedTuple):
    """A class that exists on both sides."""

    chains: tuple[int, int]
    """The chain numbers in key and response."""
    text: str


def compare_super_classes(comparison: Comparison, kind: str, singletons: str = "keep") -> Comparison:
    """The comparison of the super-classes that links of a kind form, over the classes of both sides."""
    weights = parse_specificity(SPECIFICITY)
    every = collect_expressions(comparison, list(weights), "format")
    chosen = optimal_correspondence(every, similarities(every, list(weights.values()), "format"))
    homes = [
        _super_classes(side.chain_count, [link for link in links if link.kind == kind])
        for side, links in ((comparison.key, every.key_links), (comparison.response, every.response_links))
    ]
    by_document = _shared_classes(
        comparison,
        every.cell_key[chosen].tolist(),
        every.cell_response[chosen].tolist(),
        every.cell_document[chosen].tolist(),
    )
    pairs = [
        (
            _super_class_document(key, by_document[number], homes, 0),
            _super_class_document(response, by_document[number], homes, 1),
        )
        for number, (key, response) in enumerate(comparison.pairs)
    ]
    key, response = mention_columns(pairs)
    if singletons == "drop":
        key, response = without_singletons(key), without_singletons(response)
    matched = matched_mentions(pairs, key, response, "exact")
    return replace(comparison, pairs=pairs, key=key, response=response, matched=matched, copies=matched)


def _super_classes(count: int, links: list[Relation]) -> list[int]:
    """The super-class of each class: the first of the classes linked with it."""
    ties = UnionFind(range(count))
    for _, source, target in links:
        ties.union(source, target)
    return list(map(ties.find, range(count)))


def _shared_classes(
    comparison: Comparison, keys: list[int], responses: list[int], owners: list[int]
) -> dict[int, list[_SharedClass]]:
    """The corresponding classes by document, in key order; completed singletons are not classes."""
    texts = _first_texts(comparison, comparison.key)
    by_document: dict[int, list[_SharedClass]] = defaultdict(list)
    for key, response, owner in sorted(zip(keys, responses, owners, strict=True)):
        if key < comparison.key.chain_count and response < comparison.response.chain_count:
            by_document[owner].append(_SharedClass((key, response), texts[key]))
    return by_document


def _first_texts(comparison: Comparison, side: MentionColumns) -> dict[int, str]:
    """The words of the first mention of each key chain."""
    words = [mention_texts(key) for key, _ in comparison.pairs]
    first: dict[int, str] = {}
    for chain, owner, mention in zip(side.chains.tolist(), side.owner.tolist(), side.mention.tolist(), strict=True):
        first.setdefault(chain, words[owner][mention])
    return first


def _super_class_document(like: Document, classes: list[_SharedClass], homes: list[list[int]], which: int) -> Document:
    """A document whose mentions are the shared classes, and whose chains are super-classes."""
    mentions = [
        Mention(number, number + 1, homes[which][shared_class.chains[which]], features={"name": shared_class.text})
        for number, shared_class in enumerate(classes)
    ]
    return make_document(like.id, mentions, unit="name", attributes=like.attributes, path=like.path, line=like.line)
