"""One annotation out of several: mentions and links stay when enough of the systems, or annotators, have them.

Each has one vote times its weight. A mention (the same extent in the same text) stays when it has more than `least` of
all votes, or all of them; two mentions that stay are linked when as many put them in one chain, and the chains are what
the links hold together. With 1 that is what all have in common, with 0 everything that anyone links; with one half, a
majority, two mentions may end in one chain by way of a third.

What else is known of a mention (its head, its kind) is as the first system has it that votes for it. Relations between
chains are not voted on, and left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.core.errors import UsageError
from aune.core.groups import grouped
from aune.core.ties import Ties
from aune.core.votes import Least, enough, paired_by_name, shares
from aune.tasks.coref.model import Document, Mention, document, mentions_of, stepped, token_spans

Place: TypeAlias = tuple[int, int, tuple[tuple[int, int], ...]]
"""Where a mention is: start, end, and its parts when it has several."""
Chain: TypeAlias = tuple[str, int]
"""A system, and the number of its chain."""


class Ballot(NamedTuple):
    """What the systems say of one text."""

    text: Document
    chains: dict[Place, frozenset[Chain]]
    """The chains that hold a mention, in the order of the text."""
    first: dict[Place, Mention]
    """Each mention as the first system has it."""


def combined(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    least: Least = 0.5,
    tell: Callable[[str], None] | None = None,
) -> list[Document]:
    """The texts with the chains that the systems vote for.

    >>> from aune.tasks.coref.model import documents
    >>> one, two, three = (documents(chains) for chains in ([{1, 2, 3}], [{1, 2}, {3}], [{1}, {2, 3, 4}]))
    >>> combined(one, {"one": one, "two": two, "three": three})[0].clusters()
    [[(1, 2), (2, 3), (3, 4)]]
    """
    voting = shares(systems, weights)
    if tell:
        for name, documents in systems.items():
            if relations := sum(len(document.relations) for document in documents):
                tell(f"{name}: {relations} relations between chains are not voted on and left out")
    return [_elected(ballot, voting, least) for ballot in _ballots(text, systems)]


def disagreements(
    text: Sequence[Document],
    systems: Mapping[str, Sequence[Document]],
    *,
    weights: Mapping[str, float] | None = None,
    below: float = 1.0,
) -> list[Sequence[Any]]:
    """The mentions, and the links to a nearest antecedent, that have less than this share of the votes; least first.

    >>> from aune.tasks.coref.model import documents
    >>> one, two = documents([{1, 2}]), documents([{1}, {2}])
    >>> disagreements(one, {"one": one, "two": two})[1]
    ['document', 'link', '2-2', '1-1', '0.500', 'yes', 'no', '', '']
    """
    voting = shares(systems, weights)
    rows: list[Sequence[Any]] = []
    for ballot in _ballots(text, systems):
        chains = ballot.chains
        items = [(place, place) for place in chains] + sorted(_nearest(chains))
        for place, antecedent in items:
            names = {name for name, _ in chains[place] & chains[antecedent]}
            share = _share(names, voting)
            if share < below:
                alone = place == antecedent
                rows.append([
                    ballot.text.id, "mention" if alone else "link", _shown(place), "" if alone else _shown(antecedent),
                    f"{float(share):.3f}", *("yes" if name in names else "no" for name in systems),
                    _words(ballot.text, place), "" if alone else _words(ballot.text, antecedent),
                ])  # fmt: skip
    rows.sort(key=lambda row: float(row[4]))
    return [["document", "what", "mention", "antecedent", "agreement", *systems, "text", "antecedent text"], *rows]


def _ballots(text: Sequence[Document], systems: Mapping[str, Sequence[Document]]) -> list[Ballot]:
    columns = [paired_by_name(text, documents, name) for name, documents in systems.items()]
    return [_ballot(list(systems), one, [pairs[place][1] for pairs in columns]) for place, one in enumerate(text)]


def _ballot(names: Sequence[str], text: Document, documents: Sequence[Document]) -> Ballot:
    if any(one.positions is not None and one.unit == "token" for one in (text, *documents)):
        text, documents = stepped(text), [stepped(document) for document in documents]
    held: dict[Place, set[Chain]] = defaultdict(set)
    first: dict[Place, Mention] = {}
    for name, one in zip(names, documents, strict=True):
        if one.unit != text.unit or (one.tokens and text.tokens and list(one.tokens) != list(text.tokens)):
            raise UsageError(
                f"{name}: {one.id!r} is another text than that of the others: lay it on theirs with aune convert --onto"
            )
        for mention in mentions_of(one):
            place = mention.start, mention.end, mention.segments
            held[place].add((name, int(mention.chain)))  # type: ignore[call-overload]
            first.setdefault(place, mention)
    return Ballot(text, {place: frozenset(held[place]) for place in sorted(held)}, first)


def _elected(ballot: Ballot, voting: Mapping[str, Fraction], least: float) -> Document:
    """The mentions that stay, in the chains that the links between them make.

    Mentions that the same chains hold are together, so that links are looked for between such groups only.
    """
    stays = [p for p, chains in ballot.chains.items() if enough(_share({name for name, _ in chains}, voting), least)]
    groups = dict.fromkeys(ballot.chains[place] for place in stays)
    inside = grouped((chain, group) for group in groups for chain in group)
    ties = Ties(groups)
    for pair in {pair for those in inside.values() for pair in combinations(those, 2)}:
        if enough(_share({name for name, _ in pair[0] & pair[1]}, voting), least):
            ties.tie(*pair)
    number = {place: ties.lead(ballot.chains[place]) for place in stays}
    mentions = [ballot.first[place]._replace(chain=number[place]) for place in stays]
    made = document(ballot.text.id, mentions)
    return replace(
        ballot.text, spans=made.spans, chains=made.chains, heads=made.heads, minima=made.minima, segments=made.segments,
        features=made.features, dependencies=made.dependencies, labels=None, relations=(), lines=None, order=None,
    )  # fmt: skip


def _share(names: Iterable[str], voting: Mapping[str, Fraction]) -> Fraction:
    return sum((voting[name] for name in names), Fraction(0))


def _nearest(chains: Mapping[Place, frozenset[Chain]]) -> set[tuple[Place, Place]]:
    """Every mention with the mention before it in some chain of some system."""
    last: dict[Chain, Place] = {}
    links = set()
    for place, those in chains.items():
        for chain in those:
            if chain in last:
                links.add((place, last[chain]))
            last[chain] = place
    return links


def _shown(place: Place) -> str:
    start, end, parts = place
    return ",".join(f"{first}-{after - 1}" for first, after in parts or ((start, end),))


def _words(text: Document, place: Place) -> str:
    first, last = token_spans(text, np.array([place[:2]]))[0].tolist()
    return " ".join(text.tokens[first:last]) if text.tokens else ""
