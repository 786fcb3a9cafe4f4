"""What happens to chains before they are compared: duplicates, restrictions, relations, singletons.

The order is the one a reader expects: what refers to nothing has no chain, one span is one mention (duplicates), chains
joined by other relations are merged if asked, mentions that are not to be scored are taken out of both sides, and what
is left alone may be dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.core.arrays import Ints, owners, ranges
from aune.core.errors import Problem, UsageError
from aune.core.survey import ALONE, Survey
from aune.core.ties import Ties
from aune.tasks.coref.mentions.traits import RULES, kinds_by_rule
from aune.tasks.coref.model import (
    Document,
    Relation,
    duplicate_problems,
    duplicates,
    is_zero,
    refuse,
    renumbered,
    stepped,
)

Pairs: TypeAlias = Sequence[tuple[Document, Document]]
Singletons: TypeAlias = Annotated[Literal["keep", "drop"], "chains of one mention: kept, or dropped from both sides"]
Duplicates: TypeAlias = Annotated[
    Literal["error", "first", "merge", "conll"],
    "one span in two chains or twice: refused, kept in the chain opened first, its chains merged, or as the CoNLL "
    "scorer 8.01 does",
]
REPEATED = "repeated"  # facts about repeated mentions begin with it


@dataclass(frozen=True)
class MentionColumns:
    """The mentions of one side of a chunk, as flat columns over all its documents."""

    spans: Ints
    chains: Ints
    """Chain numbers that run through the chunk."""
    owner: Ints
    """The document of each mention."""
    chain_document: Ints
    mention: Ints
    """Which mention of its document each one is."""

    @property
    def chain_count(self) -> int:
        return len(self.chain_document)

    def column(self, by_document: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Values given document by document, for the mentions of this side; 0 for mentions that are in no document."""
        starts = np.cumsum([0, *map(len, by_document)])[:-1]
        values = np.concatenate([np.zeros(0, by_document[0].dtype if len(by_document) else int), *by_document, [0]])
        return values[np.where(self.mention < 0, len(values) - 1, starts[self.owner] + self.mention)]

    def linked(self, documents: Sequence[Document]) -> list[Relation]:
        """The relations of the documents between their chains as they are numbered here, if both are still there."""
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


class Prepared(NamedTuple):
    """Both sides of a chunk ready for matching."""

    pairs: Pairs
    key: MentionColumns
    response: MentionColumns
    given: Pairs
    """The documents before anything was left out of them, on one scale."""
    facts: Counter[Hashable]
    """What was done to them, counted."""


def prepared(
    pairs: Pairs, *, singletons: str, duplicates: str, zeros: str, kinds: str, only: tuple[str, ...], relations: str,
    survey: Survey = ALONE,
) -> Prepared:  # fmt: skip
    """Both sides ready for matching. What the options ask for is sought in the whole key, by the survey."""
    facts: Counter[Hashable] = Counter()
    refuse([_other_unit(key, response) for key, response in pairs if _unlike_units(key, response)])
    if any(one.positions is not None for both in pairs for one in both):
        pairs = [_on_one_scale(key, response) for key, response in pairs]
    if kinds in RULES:
        pairs = [(with_kinds(key, kinds), with_kinds(response, kinds)) for key, response in pairs]
    given = pairs
    if any("referring" in one.features for both in pairs for one in both):
        pairs = [(_referring(key), _referring(response)) for key, response in pairs]
    if zeros == "drop":
        pairs = [(_without_zeros(key), _without_zeros(response)) for key, response in pairs]
    key, response = sides = sides_of(pairs)
    if any(_has_repeats(side) for side in sides):
        if duplicates == "error":
            refuse([problem for both in pairs for one in both for problem in duplicate_problems(one)])
        pairs = [_repaired(key, response, duplicates, facts) for key, response in pairs]
        key, response = sides_of(pairs)
    if relations not in ("identity", "collapse"):
        _check_relation(pairs, relations, survey)
    if relations == "collapse":
        pairs = [(collapsed(key), collapsed(response)) for key, response in pairs]
    if only:
        wanted = _wanted(only)
        pairs = [(_by_rule(key, wanted), _by_rule(response, wanted)) for key, response in pairs]
        _check_wanted(pairs, wanted, survey)
        pairs = [_restricted(key, response, wanted) for key, response in pairs]
    if only or relations == "collapse":
        key, response = sides_of(pairs)
    if singletons == "drop":
        key, response = without_singletons(key), without_singletons(response)
    return Prepared(pairs, key, response, given, facts)


def with_kinds(document: Document, language: str) -> Document:
    """A document with the kinds that a language's rule gives, where its format gives none."""
    if any(document.features.get("kind", ())) or document.tokens is None:
        return document
    return replace(document, features={**document.features, "kind": kinds_by_rule(document, language)})


def refers(document: Document) -> NDArray[np.bool_]:
    """Which mentions refer to something, as far as the format says."""
    said = document.features.get("referring")
    return np.ones(len(document), bool) if said is None else np.asarray([value != "no" for value in said], bool)


def _referring(document: Document) -> Document:
    """A document without its mentions that refer to nothing: they have no chain."""
    return selected(document, refers(document))


def _without_zeros(document: Document) -> Document:
    return selected(document, ~is_zero(document))


def _unlike_units(key: Document, response: Document) -> bool:
    """Whether one side counts characters and the other tokens, so that no place can be compared."""
    return (key.unit == "character") != (response.unit == "character") and len(key) > 0 and len(response) > 0


def _other_unit(key: Document, response: Document) -> Problem:
    message = (
        f"found mentions placed by {response.unit} in document {response.id!r}, expected by {key.unit} as in the key: "
        "bring both to one format with aune convert"
    )
    return Problem(response.path or response.id, response.line, 1, message)


def _on_one_scale(key: Document, response: Document) -> tuple[Document, Document]:
    """Both documents with room for empty nodes when one of them has some."""
    if (key.positions is None) == (response.positions is None):
        return key, response
    return stepped(key), stepped(response)


def sides_of(pairs: Pairs) -> tuple[MentionColumns, MentionColumns]:
    """The mentions of both sides of a chunk."""
    return _side([key for key, _ in pairs]), _side([response for _, response in pairs])


def _has_repeats(side: MentionColumns) -> bool:
    """Whether some document may have one span twice (mentions are in order, so only neighbours can be alike)."""
    same = (side.spans[1:] == side.spans[:-1]).all(axis=1) & (side.owner[1:] == side.owner[:-1])
    return bool(same.any())


def _side(documents: Sequence[Document]) -> MentionColumns:
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    if not sizes.sum():
        nothing = np.zeros(0, np.int64)
        return MentionColumns(nothing.reshape(0, 2), nothing, nothing, nothing, nothing)
    chains = np.concatenate([document.chains for document in documents])
    owner = owners(sizes)
    starts = np.cumsum(sizes) - sizes
    counts = np.zeros(len(documents), np.int64)
    counts[sizes > 0] = np.maximum.reduceat(chains, starts[sizes > 0]) + 1
    offsets = np.cumsum(counts) - counts
    spans = np.concatenate([document.spans for document in documents])
    return MentionColumns(spans, chains + offsets[owner], owner, owners(counts), ranges(0, sizes))


def without_singletons(side: MentionColumns) -> MentionColumns:
    """A side without its chains of one mention."""
    sizes = np.bincount(side.chains, minlength=side.chain_count)
    kept, large = sizes[side.chains] > 1, sizes > 1
    number = np.cumsum(large) - 1
    return MentionColumns(
        side.spans[kept], number[side.chains[kept]], side.owner[kept], side.chain_document[large], side.mention[kept]
    )


# Repairs of one document.


def selected(document: Document, kept: NDArray[np.bool_]) -> Document:
    """The document with only some of its mentions; chains that lose all of theirs are gone."""
    if kept.all():
        return document
    old = np.flatnonzero(kept)
    place = {int(before): after for after, before in enumerate(old)}
    chains, names = renumbered(document.chains[kept])
    return replace(
        document,
        spans=document.spans[kept],
        chains=chains,
        heads=None if document.heads is None else document.heads[kept],
        minima=None if document.minima is None else document.minima[kept],
        lines=None if document.lines is None else document.lines[kept],
        order=None if document.order is None else document.order[kept],
        segments={place[index]: parts for index, parts in document.segments.items() if index in place},
        features={name: [column[index] for index in old.tolist()] for name, column in document.features.items()},
        dependencies={place[index]: links for index, links in document.dependencies.items() if index in place},
        labels=None if document.labels is None else [document.labels[number] for number in names],
        relations=tuple(
            relation._replace(source=place[relation.source], target=place[relation.target])
            for relation in document.relations
            if relation.source in place and relation.target in place
        ),
    )


def merged(document: Document, together: Sequence[tuple[int, int]]) -> Document:
    """The document with the chains of each pair of mentions made one."""
    if not together:
        return document
    ties = Ties(range(document.chain_count))
    for first, second in together:
        ties.tie(int(document.chains[first]), int(document.chains[second]))
    chains, names = renumbered(np.asarray([ties.lead(number) for number in document.chains.tolist()], np.int64))
    labels = None if document.labels is None else [document.labels[number] for number in names]
    return replace(document, chains=chains, labels=labels)


def _repaired(key: Document, response: Document, repair: str, facts: Counter[Hashable]) -> tuple[Document, Document]:
    """Both documents with their repeated mentions dealt with; the facts count what was done to them."""
    if repair == "merge":
        mended = _merged_duplicates(key), _merged_duplicates(response)
    elif repair == "first":
        mended = _first_only(key), _first_only(response)
    else:
        mended = key, _first_chain_only(response, set(map(_extent, repeat(key), range(len(key)))))
    for side, before, after in zip(("key", "response"), (key, response), mended, strict=True):
        done = "merged" if repair == "merge" else "dropped"
        facts[REPEATED, side, done, repair] += len(before) - len(after)
        facts[REPEATED, side, "left in place", repair] += len(duplicates(after))
    return mended


def _extent(document: Document, mention: int) -> tuple[Hashable, ...]:
    return (*document.spans[mention].tolist(), document.segments.get(mention, ()))


def _first_only(document: Document) -> Document:
    """Each span kept once, in the chain whose bracket the file opens first."""
    return _kept_copies(document, opened(document), _duplicate_groups(document))


def _first_chain_only(document: Document, among: set[tuple[Hashable, ...]]) -> Document:
    """As the CoNLL scorer 8.01 does: spans that are among the key's kept once, in the chain that appears first."""
    groups = [group for group in _duplicate_groups(document) if _extent(document, group[0]) in among]
    return _kept_copies(document, appearance(document)[document.chains], groups)


def _kept_copies(document: Document, rank: Ints, groups: Sequence[Sequence[int]]) -> Document:
    """The copy of each repeated mention that has the lowest rank."""
    kept = np.ones(len(document), bool)
    for group in groups:
        first = min(group, key=lambda index: int(rank[index]))
        kept[[index for index in group if index != first]] = False
    return selected(document, kept)


def opened(document: Document) -> Ints:
    """The order in which the file opens the mentions."""
    return document.order if document.order is not None else np.arange(len(document))


def appearance(document: Document) -> Ints:
    """The order in which chains appear in the document, by chain number.

    A chain appears with its first mention; of those that start at one token, mentions of one token come first, then
    those whose brackets are written first, as the CoNLL scorer 8.01 reads a cell.
    """
    start, end = document.spans.T
    order = np.lexsort((opened(document), end - start > 1, start))
    _, first = np.unique(document.chains[order], return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank


def _merged_duplicates(document: Document) -> Document:
    """Each span kept once, in one chain made of all those that it was in."""
    groups = _duplicate_groups(document)
    kept = np.ones(len(document), bool)
    for group in groups:
        kept[group[1:]] = False
    return selected(merged(document, [(group[0], other) for group in groups for other in group[1:]]), kept)


def _duplicate_groups(document: Document) -> list[list[int]]:
    """The mentions that share an extent, extent by extent."""
    groups: list[list[int]] = []
    for first, second in duplicates(document):
        if groups and groups[-1][-1] == first:
            groups[-1].append(second)
        else:
            groups.append([first, second])
    return groups


def told_of_repeats(facts: Mapping[Hashable, int]) -> list[str]:
    """What was done to repeated mentions, in words."""
    notes = []
    for fact, count in facts.items():
        if isinstance(fact, tuple) and fact[0] == REPEATED and count:
            _, side, done, repair = fact
            notes.append(f"{count} repeated mention{'s' * (count != 1)} of the {side} {done} (--duplicates {repair})")
    return notes


def collapsed(document: Document) -> Document:
    """Chains linked by any relation made one (Popescu-Belis 1999, §5.5, the solution of MUC-7)."""
    return merged(document, [(link.source, link.target) for link in document.relations])


def _wanted(only: tuple[str, ...]) -> dict[str, set[str]]:
    """The values asked for, by feature: `name,noun` is about kinds, `etype=person` about another feature."""
    wanted: dict[str, set[str]] = {}
    feature = "kind"
    for item in chain.from_iterable(part.split(",") for part in only):
        name, equals, value = item.partition("=")
        feature = name if equals else feature
        wanted.setdefault(feature, set()).add(value if equals else item)
    return wanted


def _by_rule(document: Document, wanted: Mapping[str, set[str]]) -> Document:
    """The document with the kinds that a language's rule gives its mentions, as a feature of that name."""
    rules = {name: kinds_by_rule(document, name) for name in wanted if name in RULES and name not in document.features}
    return replace(document, features={**document.features, **rules}) if rules else document


def _check_relation(pairs: Pairs, relation: str, survey: Survey) -> None:
    known = sorted(survey.asked("relations", {link.kind for key, _ in pairs for link in key.relations}))
    if relation not in known:
        has = ", ".join(known) or "no relation at all"
        raise UsageError(f"--relations {relation}: expected identity, collapse or one that the key has ({has})")


def _check_wanted(pairs: Pairs, wanted: Mapping[str, set[str]], survey: Survey) -> None:
    """Refuse what no mention of the key has: a score over nothing would look like a score."""
    read = survey.asked("read", {"tokens" for key, _ in pairs if key.tokens is not None})
    told = sorted(survey.asked("features", {name for key, _ in pairs for name in key.features}))
    mentioned = survey.asked("mentions", {"some" for key, _ in pairs if len(key)})
    for feature, values in wanted.items():
        known = survey.asked(
            f"only {feature}", {value for key, _ in pairs for value in key.features.get(feature, ()) if value}
        )
        if not known and mentioned:
            has = f"only of their {', '.join(told)}" if told else "nor of any other feature"
            remedy = ": for kinds by rule, choose --kinds english or french" if feature == "kind" and read else ""
            raise UsageError(
                f"--only {feature}=…: the key says nothing of the {feature} of its mentions, {has}{remedy}"
            )
        for value in sorted(values - known) if known else ():
            has = ", ".join(sorted(known))
            raise UsageError(
                f"--only {feature}={value}: no mention of the key has this {feature}, expected one of {has}"
            )


def _restricted(key: Document, response: Document, wanted: Mapping[str, set[str]]) -> tuple[Document, Document]:
    """Both sides with only the mentions asked for (§5.4).

    A response that says nothing of a feature takes the key's for the spans they share; other spans of it are left out.
    """
    by_span = {tuple(span): index for index, span in enumerate(key.spans.tolist())}

    def feature_of(document: Document, index: int, feature: str) -> str:
        if feature in document.features:
            return document.features[feature][index]
        there = by_span.get(tuple(document.spans[index].tolist()))
        return "" if there is None or feature not in key.features else key.features[feature][there]

    def chosen(document: Document) -> Document:
        keep = [
            all(feature_of(document, index, feature) in values for feature, values in wanted.items())
            for index in range(len(document))
        ]
        return selected(document, np.asarray(keep, bool))

    return chosen(key), chosen(response)
