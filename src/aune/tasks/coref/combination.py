"""Combine several annotations: mentions and links are kept if enough systems, or annotators, have them.

Each system has one vote times its weight. A mention (the same extent in the same text) is kept if it has more than
`least` of all votes, or all of them. Two kept mentions are linked if enough systems put them in one chain, and links
form chains. With `least` 1 the result is what all systems share, with 0 every mention and link of any system. With one
half, a majority, two mentions may be in one chain only because both are linked to a third.

Other details of a mention (its head, its kind) come from the first system that has the mention. Relations between
chains are not voted on and are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.contract.voting import LeastShare, VoteRecord, is_enough, pair_by_name, vote_shares
from aune.errors import UsageError
from aune.numeric.grouping import group_items
from aune.numeric.union_find import UnionFind
from aune.tasks.coref.model import Document, Mention, make_document, mentions_of, spread_positions, token_spans

MentionPlace: TypeAlias = tuple[int, int, tuple[tuple[int, int], ...]]
"""The extent of a mention: start, end, and its parts if it has several."""
SystemChain: TypeAlias = tuple[str, int]
"""A system, and the number of its chain."""


class Ballot(NamedTuple):
    """The votes of the systems on one text."""

    text: Document
    chains: dict[MentionPlace, frozenset[SystemChain]]
    """The chains that contain each mention, in text order."""
    first: dict[MentionPlace, Mention]
    """Each mention with the details of the first system that has it."""


def combine_documents(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    least: LeastShare = 0.5,
    tell: Callable[[str], None] | None = None,
    record: VoteRecord | None = None,
) -> list[Document]:
    """The texts with the chains that win the vote.

    >>> from aune.tasks.coref.model import documents
    >>> one, two, three = (documents(chains) for chains in ([{1, 2, 3}], [{1, 2}, {3}], [{1}, {2, 3, 4}]))
    >>> combine_documents(one, {"one": one, "two": two, "three": three})[0].clusters()
    [[(1, 2), (2, 3), (3, 4)]]
    """
    voting = vote_shares(systems, weights)
    record = record or VoteRecord()
    for name, documents in systems.items():
        record.add(name, {("relations",): sum(len(document.relations) for document in documents)})
    if tell:
        for note in combination_notes(record):
            tell(note)
    return [_elect_document(ballot, voting, least) for ballot in _ballots(text, systems)]


def combination_notes(record: VoteRecord) -> list[str]:
    """What is left out of a combination."""
    relations = {name: facts["relations",] for name, facts in record.facts_by_system().items()}
    return [
        f"{name}: {number} relations between chains are not voted on and left out"
        for name, number in relations.items()
        if number
    ]


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    below: float = 1.0,
    record: VoteRecord | None = None,
) -> list[Sequence[Any]]:
    """The mentions, and links to a nearest antecedent, with less than this share of the votes; the least agreed first.

    >>> from aune.tasks.coref.model import documents
    >>> one, two = documents([{1, 2}]), documents([{1}, {2}])
    >>> disagreements(one, {"one": one, "two": two})[1]
    ['document', 'link', '2-2', '1-1', '0.500', 'yes', 'no', '', '']
    """
    voting = vote_shares(systems, weights)
    rows: list[Sequence[Any]] = []
    for ballot in _ballots(text, systems):
        chains = ballot.chains
        items = [(place, place) for place in chains] + sorted(_nearest_links(chains))
        for place, antecedent in items:
            names = {name for name, _ in chains[place] & chains[antecedent]}
            share = _share(names, voting)
            if share < below:
                alone = place == antecedent
                rows.append(
                    [
                        ballot.text.id,
                        "mention" if alone else "link",
                        _place_text(place),
                        "" if alone else _place_text(antecedent),
                        f"{float(share):.3f}",
                        *("yes" if name in names else "no" for name in systems),
                        _place_words(ballot.text, place),
                        "" if alone else _place_words(ballot.text, antecedent),
                    ]
                )
    rows.sort(key=lambda row: float(row[4]))
    return [["document", "what", "mention", "antecedent", "agreement", *systems, "text", "antecedent text"], *rows]


def _ballots(text: Sequence[Document], systems: Mapping[str, Sequence[Document]]) -> list[Ballot]:
    columns = [pair_by_name(text, documents, name) for name, documents in systems.items()]
    return [
        _ballot(list(systems), document, [pairs[index][1] for pairs in columns]) for index, document in enumerate(text)
    ]


def _ballot(names: Sequence[str], text: Document, documents: Sequence[Document]) -> Ballot:
    if any(version.positions is not None and version.unit == "token" for version in (text, *documents)):
        text, documents = spread_positions(text), [spread_positions(document) for document in documents]
    chains: dict[MentionPlace, set[SystemChain]] = defaultdict(set)
    first: dict[MentionPlace, Mention] = {}
    for name, version in zip(names, documents, strict=True):
        if version.unit != text.unit or (version.tokens and text.tokens and list(version.tokens) != list(text.tokens)):
            raise UsageError(
                f"{name}: {version.id!r} is another text than that of the others: lay it on theirs "
                "with aune convert --onto"
            )
        for mention in mentions_of(version):
            place = mention.start, mention.end, mention.segments
            chains[place].add((name, int(mention.chain)))  # type: ignore[call-overload]
            first.setdefault(place, mention)
    return Ballot(text, {place: frozenset(chains[place]) for place in sorted(chains)}, first)


def _elect_document(ballot: Ballot, voting: Mapping[str, Fraction], least: float) -> Document:
    """The mentions that win the vote, in the chains that the links between them form.

    Mentions in exactly the same chains form a group, so links are only searched for between groups.
    """
    stays = [p for p, chains in ballot.chains.items() if is_enough(_share({name for name, _ in chains}, voting), least)]
    groups = dict.fromkeys(ballot.chains[place] for place in stays)
    inside = group_items((chain, group) for group in groups for chain in group)
    ties = UnionFind(groups)
    for pair in {pair for linked_groups in inside.values() for pair in combinations(linked_groups, 2)}:
        if is_enough(_share({name for name, _ in pair[0] & pair[1]}, voting), least):
            ties.union(*pair)
    number = {place: ties.find(ballot.chains[place]) for place in stays}
    mentions = [ballot.first[place]._replace(chain=number[place]) for place in stays]
    elected = make_document(ballot.text.id, mentions)
    return replace(
        ballot.text,
        spans=elected.spans,
        chains=elected.chains,
        heads=elected.heads,
        minima=elected.minima,
        segments=elected.segments,
        features=elected.features,
        dependencies=elected.dependencies,
        labels=None,
        relations=(),
        lines=None,
        order=None,
    )


def _share(names: Iterable[str], voting: Mapping[str, Fraction]) -> Fraction:
    return sum((voting[name] for name in names), Fraction(0))


def _nearest_links(chains: Mapping[MentionPlace, frozenset[SystemChain]]) -> set[tuple[MentionPlace, MentionPlace]]:
    """Every mention, paired with the mention before it in each chain of each system."""
    last: dict[SystemChain, MentionPlace] = {}
    links = set()
    for place, holders in chains.items():
        for chain in holders:
            if chain in last:
                links.add((place, last[chain]))
            last[chain] = place
    return links


def _place_text(place: MentionPlace) -> str:
    start, end, parts = place
    return ",".join(f"{first}-{after - 1}" for first, after in parts or ((start, end),))


def _place_words(text: Document, place: MentionPlace) -> str:
    first, last = token_spans(text, np.array([place[:2]]))[0].tolist()
    return " ".join(text.tokens[first:last]) if text.tokens else ""
