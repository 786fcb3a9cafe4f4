"""Prepare chains for comparison: duplicates, restrictions, relations, singletons.

The steps come in the order that readers expect: non-referring mentions lose their chains; duplicates of a span are
resolved; chains linked by other relations are merged if requested; mentions that are not to be scored are removed from
both sides; singletons may be dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.contract.survey import STANDALONE, Survey
from aune.errors import Place, Problem, Remedy, UsageError
from aune.numeric.arrays import Ints, owner_indices, ranges
from aune.numeric.union_find import UnionFind
from aune.tasks.coref.mentions.traits import RULES, kinds_by_rule
from aune.tasks.coref.model import (
    Document,
    Relation,
    duplicate_problems,
    duplicates,
    is_zero,
    raise_problems,
    renumber,
    spread_positions,
)

Pairs: TypeAlias = Sequence[tuple[Document, Document]]
Singletons: TypeAlias = Annotated[Literal["keep", "drop"], "chains of one mention: kept, or dropped from both sides"]
Duplicates: TypeAlias = Annotated[
    Literal["error", "first", "merge", "conll"],
    "one span in two chains or twice: refused, kept in the chain opened first, its chains merged, or as the CoNLL "
    "scorer 8.01 does",
]
REPEATED = "repeated"  # the first element of facts about repeated mentions


@dataclass(frozen=True)
class MentionColumns:
    """The mentions of one side of a chunk, as flat columns over all its documents."""

    spans: Ints
    chains: Ints
    """Chain numbers, unique within the chunk."""
    owner: Ints
    """The document of each mention."""
    chain_document: Ints
    mention: Ints
    """The number of each mention in its document."""

    @property
    def chain_count(self) -> int:
        return len(self.chain_document)

    def column(self, by_document: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Values given by document, as a column over the mentions of this side; 0 for mentions outside documents."""
        starts = np.cumsum([0, *map(len, by_document)])[:-1]
        values = np.concatenate([np.zeros(0, by_document[0].dtype if len(by_document) else int), *by_document, [0]])
        return values[np.where(self.mention < 0, len(values) - 1, starts[self.owner] + self.mention)]

    def chain_relations(self, documents: Sequence[Document]) -> list[Relation]:
        """The documents' relations, between chain numbers of this side; those with a missing chain are left out."""
        if not any(document.relations for document in documents):
            return []
        places = zip(self.owner.tolist(), self.mention.tolist(), strict=True)
        chain = dict(zip(places, self.chains.tolist(), strict=True))
        return [
            Relation(link.kind, chain[number, link.source], chain[number, link.target])
            for number, document in enumerate(documents)
            for link in document.relations
            if (number, link.source) in chain and (number, link.target) in chain
        ]

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """Which mentions are the first of their chain in the text."""
        first = np.zeros(len(self.chains), bool)
        first[np.unique(self.chains, return_index=True)[1]] = True
        return first


class PreparedPairs(NamedTuple):
    """Both sides of a chunk, ready for matching."""

    pairs: Pairs
    key: MentionColumns
    response: MentionColumns
    unfiltered_pairs: Pairs
    """The documents before mentions were filtered out, with positions on one scale."""
    facts: Counter[Hashable]
    """Counts of the repairs."""


def prepare_pairs(
    pairs: Pairs, *, singletons: str, duplicates: str, zeros: str, kinds: str, only: tuple[str, ...], relations: str,
    survey: Survey = STANDALONE,
) -> PreparedPairs:  # fmt: skip
    """Prepare both sides for matching. The survey checks across the whole key that the options name existing values."""
    facts: Counter[Hashable] = Counter()
    check_units(pairs)
    if any(document.positions is not None for pair in pairs for document in pair):
        pairs = [_on_one_scale(key, response) for key, response in pairs]
    if kinds in RULES:
        pairs = [(with_kinds(key, kinds), with_kinds(response, kinds)) for key, response in pairs]
    unfiltered_pairs = pairs
    if any("referring" in document.features for pair in pairs for document in pair):
        pairs = [(_without_non_referring(key), _without_non_referring(response)) for key, response in pairs]
    if zeros == "drop":
        pairs = [(_without_zeros(key), _without_zeros(response)) for key, response in pairs]
    key, response = sides = mention_columns(pairs)
    if any(_has_repeats(side) for side in sides):
        if duplicates == "error":
            raise_problems([problem for pair in pairs for document in pair for problem in duplicate_problems(document)])
        pairs = [_repair_duplicates(key, response, duplicates, facts) for key, response in pairs]
        key, response = mention_columns(pairs)
    if relations not in ("identity", "collapse"):
        _check_relation(pairs, relations, survey)
    if relations == "collapse":
        pairs = [(collapse_relations(key), collapse_relations(response)) for key, response in pairs]
    if only:
        wanted_features = _wanted_features(only)
        pairs = [
            (_with_rule_kinds(key, wanted_features), _with_rule_kinds(response, wanted_features))
            for key, response in pairs
        ]
        _check_features(pairs, wanted_features, survey)
        pairs = [_restrict_mentions(key, response, wanted_features) for key, response in pairs]
    if only or relations == "collapse":
        key, response = mention_columns(pairs)
    if singletons == "drop":
        key, response = without_singletons(key), without_singletons(response)
    return PreparedPairs(pairs, key, response, unfiltered_pairs, facts)


def with_kinds(document: Document, language: str) -> Document:
    """A document with kinds from a language's rule, unless it already has kinds."""
    if any(document.features.get("kind", ())) or document.tokens is None:
        return document
    return replace(document, features={**document.features, "kind": kinds_by_rule(document, language)})


def is_referring(document: Document) -> NDArray[np.bool_]:
    """The mentions that refer to something, according to the format."""
    referring = document.features.get("referring")
    return (
        np.ones(len(document), bool) if referring is None else np.asarray([value != "no" for value in referring], bool)
    )


def _without_non_referring(document: Document) -> Document:
    """A document without its non-referring mentions, which have no chain."""
    return select_mentions(document, is_referring(document))


def _without_zeros(document: Document) -> Document:
    return select_mentions(document, ~is_zero(document))


def check_units(pairs: Pairs) -> None:
    """Refuse pairs of which one side counts characters and the other tokens."""
    raise_problems([_unit_problem(key, response) for key, response in pairs if _has_unlike_units(key, response)])


def _has_unlike_units(key: Document, response: Document) -> bool:
    """Whether one side counts characters and the other tokens, so that positions cannot be compared."""
    return (key.unit == "character") != (response.unit == "character") and len(key) > 0 and len(response) > 0


def _unit_problem(key: Document, response: Document) -> Problem:
    return Problem(
        "mention.other-unit",
        Place(response.path or response.id, response.line, 1),
        found=f"mentions placed by {response.unit} in document {response.id!r}",
        expected=f"by {key.unit} as in the key",
        remedies=(Remedy("bring both to one format with aune convert"),),
    )


def _on_one_scale(key: Document, response: Document) -> tuple[Document, Document]:
    """Both documents with positions that leave space for empty nodes, if one of them has such positions."""
    if (key.positions is None) == (response.positions is None):
        return key, response
    return spread_positions(key), spread_positions(response)


def mention_columns(pairs: Pairs) -> tuple[MentionColumns, MentionColumns]:
    """The mentions of both sides of a chunk, as columns."""
    return _columns_of([key for key, _ in pairs]), _columns_of([response for _, response in pairs])


def _has_repeats(side: MentionColumns) -> bool:
    """Whether a document may repeat a span (mentions are sorted, so it is enough to compare neighbours)."""
    same = (side.spans[1:] == side.spans[:-1]).all(axis=1) & (side.owner[1:] == side.owner[:-1])
    return bool(same.any())


def _columns_of(documents: Sequence[Document]) -> MentionColumns:
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    if not sizes.sum():
        nothing = np.zeros(0, np.int64)
        return MentionColumns(nothing.reshape(0, 2), nothing, nothing, nothing, nothing)
    chains = np.concatenate([document.chains for document in documents])
    owner = owner_indices(sizes)
    starts = np.cumsum(sizes) - sizes
    counts = np.zeros(len(documents), np.int64)
    counts[sizes > 0] = np.maximum.reduceat(chains, starts[sizes > 0]) + 1
    offsets = np.cumsum(counts) - counts
    spans = np.concatenate([document.spans for document in documents])
    return MentionColumns(spans, chains + offsets[owner], owner, owner_indices(counts), ranges(0, sizes))


def without_singletons(side: MentionColumns) -> MentionColumns:
    """A side without its chains of one mention."""
    sizes = np.bincount(side.chains, minlength=side.chain_count)
    is_kept, large = sizes[side.chains] > 1, sizes > 1
    number = np.cumsum(large) - 1
    return MentionColumns(
        side.spans[is_kept],
        number[side.chains[is_kept]],
        side.owner[is_kept],
        side.chain_document[large],
        side.mention[is_kept],
    )


# Repairs of one document.


def select_mentions(document: Document, is_kept: NDArray[np.bool_]) -> Document:
    """The document with only some of its mentions; chains that become empty are removed."""
    if is_kept.all():
        return document
    old = np.flatnonzero(is_kept)
    place = {int(before): after for after, before in enumerate(old)}
    chains, names = renumber(document.chains[is_kept])
    numbers = {number: place for place, number in enumerate(names)}
    for number in sorted({number for others in document.other_chains.values() for number in others}):
        numbers.setdefault(number, len(numbers))
    return replace(
        document,
        spans=document.spans[is_kept],
        chains=chains,
        heads=None if document.heads is None else document.heads[is_kept],
        minima=None if document.minima is None else document.minima[is_kept],
        lines=None if document.lines is None else document.lines[is_kept],
        order=None if document.order is None else document.order[is_kept],
        segments={place[index]: parts for index, parts in document.segments.items() if index in place},
        features={name: [column[index] for index in old.tolist()] for name, column in document.features.items()},
        dependencies={place[index]: links for index, links in document.dependencies.items() if index in place},
        labels=None if document.labels is None else [document.labels[number] for number in names],
        relations=tuple(
            relation._replace(source=place[relation.source], target=place[relation.target])
            for relation in document.relations
            if relation.source in place and relation.target in place
        ),
        optional=frozenset(place[index] for index in document.optional if index in place),
        other_chains={place[index]: tuple(sorted(numbers[number] for number in others)) for index, others
                      in document.other_chains.items() if index in place},
    )  # fmt: skip


def merge_chains(document: Document, mention_pairs: Sequence[tuple[int, int]]) -> Document:
    """The document with the chains of each pair of mentions merged."""
    if not mention_pairs:
        return document
    ties = UnionFind(range(document.chain_count))
    for first, second in mention_pairs:
        ties.union(int(document.chains[first]), int(document.chains[second]))
    chains, names = renumber(np.asarray([ties.find(number) for number in document.chains.tolist()], np.int64))
    labels = None if document.labels is None else [document.labels[number] for number in names]
    return replace(document, chains=chains, labels=labels, other_chains={})


def _repair_duplicates(
    key: Document, response: Document, repair: str, facts: Counter[Hashable]
) -> tuple[Document, Document]:
    """Both documents with their repeated mentions resolved; the facts count the repairs."""
    if repair == "merge":
        mended = _merge_duplicates(key), _merge_duplicates(response)
    elif repair == "first":
        mended = _keep_first(key), _keep_first(response)
    else:
        mended = key, _keep_first_chain(response, set(map(_extent, repeat(key), range(len(key)))))
    for side, before, after in zip(("key", "response"), (key, response), mended, strict=True):
        done = "merged" if repair == "merge" else "dropped"
        facts[REPEATED, side, done, repair] += len(before) - len(after)
        facts[REPEATED, side, "left in place", repair] += len(duplicates(after))
    return mended


def _extent(document: Document, mention: int) -> tuple[Hashable, ...]:
    return (*document.spans[mention].tolist(), document.segments.get(mention, ()))


def _keep_first(document: Document) -> Document:
    """Keep each span once, in the chain whose bracket the file opens first."""
    return _select_copies(document, opening_order(document), _duplicate_groups(document))


def _keep_first_chain(document: Document, among: set[tuple[Hashable, ...]]) -> Document:
    """Like the CoNLL scorer 8.01: spans that occur in the key are kept once, in the chain that appears first."""
    groups = [group for group in _duplicate_groups(document) if _extent(document, group[0]) in among]
    return _select_copies(document, appearance_order(document)[document.chains], groups)


def _select_copies(document: Document, rank: Ints, groups: Sequence[Sequence[int]]) -> Document:
    """Keep the copy of each repeated mention with the lowest rank."""
    is_kept = np.ones(len(document), bool)
    for group in groups:
        first = min(group, key=lambda index: int(rank[index]))
        is_kept[[index for index in group if index != first]] = False
    return select_mentions(document, is_kept)


def opening_order(document: Document) -> Ints:
    """The order in which the file opens the mentions."""
    return document.order if document.order is not None else np.arange(len(document))


def appearance_order(document: Document) -> Ints:
    """The order in which chains appear in the document, by chain number.

    A chain appears with its first mention. Of mentions that start at the same token, those of one token come first,
    then those whose brackets are written first, which is how the CoNLL scorer 8.01 reads a cell.
    """
    start, end = document.spans.T
    order = np.lexsort((opening_order(document), end - start > 1, start))
    _, first = np.unique(document.chains[order], return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank


def _merge_duplicates(document: Document) -> Document:
    """Keep each span once, and merge all chains that contained it."""
    groups = _duplicate_groups(document)
    is_kept = np.ones(len(document), bool)
    for group in groups:
        is_kept[group[1:]] = False
    return select_mentions(
        merge_chains(document, [(group[0], other) for group in groups for other in group[1:]]), is_kept
    )


def _duplicate_groups(document: Document) -> list[list[int]]:
    """The groups of mentions with the same extent."""
    groups: list[list[int]] = []
    for first, second in duplicates(document):
        if groups and groups[-1][-1] == first:
            groups[-1].append(second)
        else:
            groups.append([first, second])
    return groups


def repeat_notes(facts: Mapping[Hashable, int]) -> list[str]:
    """Notes about the repairs of repeated mentions."""
    notes = []
    for fact, count in facts.items():
        if isinstance(fact, tuple) and fact[0] == REPEATED and count:
            _, side, done, repair = fact
            notes.append(f"{count} repeated mention{'s' * (count != 1)} of the {side} {done} (--duplicates {repair})")
    return notes


def collapse_relations(document: Document) -> Document:
    """Merge chains that are linked by any relation (Popescu-Belis 1999, §5.5, the solution of MUC-7)."""
    return merge_chains(document, [(link.source, link.target) for link in document.relations])


def _wanted_features(only: tuple[str, ...]) -> dict[str, set[str]]:
    """The requested values by feature: `name,noun` selects kinds, `etype=person` another feature."""
    values_by_feature: dict[str, set[str]] = {}
    feature = "kind"
    for item in chain.from_iterable(part.split(",") for part in only):
        name, equals, value = item.partition("=")
        feature = name if equals else feature
        values_by_feature.setdefault(feature, set()).add(value if equals else item)
    return values_by_feature


def _with_rule_kinds(document: Document, wanted_features: Mapping[str, set[str]]) -> Document:
    """The document with kinds from language rules, as features with the names of the languages."""
    rules = {
        name: kinds_by_rule(document, name)
        for name in wanted_features
        if name in RULES and name not in document.features
    }
    return replace(document, features={**document.features, **rules}) if rules else document


def _check_relation(pairs: Pairs, relation: str, survey: Survey) -> None:
    known = sorted(survey.ask("relations", {link.kind for key, _ in pairs for link in key.relations}))
    if relation not in known:
        has = ", ".join(known) or "no relation at all"
        raise UsageError(f"--relations {relation}: expected identity, collapse or one that the key has ({has})")


def _check_features(pairs: Pairs, wanted_features: Mapping[str, set[str]], survey: Survey) -> None:
    """Refuse values that no mention of the key has: a score over nothing would look like a real score."""
    known_texts = survey.ask("read", {"tokens" for key, _ in pairs if key.tokens is not None})
    known_features = sorted(survey.ask("features", {name for key, _ in pairs for name in key.features}))
    known_mentions = survey.ask("mentions", {"some" for key, _ in pairs if len(key)})
    for feature, values in wanted_features.items():
        known = survey.ask(
            f"only {feature}", {value for key, _ in pairs for value in key.features.get(feature, ()) if value}
        )
        if not known and known_mentions:
            has = f"only of their {', '.join(known_features)}" if known_features else "nor of any other feature"
            remedy = (
                ": for kinds by rule, choose --kinds english or french" if feature == "kind" and known_texts else ""
            )
            raise UsageError(
                f"--only {feature}=…: the key says nothing of the {feature} of its mentions, {has}{remedy}"
            )
        for value in sorted(values - known) if known else ():
            has = ", ".join(sorted(known))
            raise UsageError(
                f"--only {feature}={value}: no mention of the key has this {feature}, expected one of {has}"
            )


def _restrict_mentions(
    key: Document, response: Document, wanted_features: Mapping[str, set[str]]
) -> tuple[Document, Document]:
    """Both sides with only the requested mentions (§5.4).

    If a response lacks a feature, its spans that the key shares have the key's value; its other spans are left out.
    """
    by_span = {tuple(span): index for index, span in enumerate(key.spans.tolist())}

    def feature_of(document: Document, index: int, feature: str) -> str:
        if feature in document.features:
            return document.features[feature][index]
        key_index = by_span.get(tuple(document.spans[index].tolist()))
        return "" if key_index is None or feature not in key.features else key.features[feature][key_index]

    def select_wanted(document: Document) -> Document:
        keep = [
            all(feature_of(document, index, feature) in values for feature, values in wanted_features.items())
            for index in range(len(document))
        ]
        return select_mentions(document, np.asarray(keep, bool))

    return select_wanted(key), select_wanted(response)
