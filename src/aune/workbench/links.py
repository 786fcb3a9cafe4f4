"""Convert a partition into links between mentions, and back.

As links, every mention of a chain except the first is linked to the one before it. In the other direction, mentions
that are linked, directly or through others, form one chain.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TypeAlias

import msgspec

from aune.errors import UsageError
from aune.numeric.union_find import UnionFind
from aune.workbench.model import Chain, State, in_text_order, members

Link: TypeAlias = tuple[str, str]
"""A mention, and an earlier mention with the same referent."""


def links(state: State) -> list[Link]:
    """The links that form the chains, in text order."""
    tied = {later: earlier for names in members(state).values() for earlier, later in pairwise(names)}
    return [(name, tied[name]) for name in in_text_order(state.mentions) if name in tied]


def classes(state: State, tied: Iterable[Link]) -> State:
    """The same mentions, in the chains that the links form.

    A mention without a link becomes a singleton if it was in a chain, and stays outside all chains otherwise. A chain
    has the id, name and notes of the former chain of its first mention, unless an earlier chain has taken them.
    """
    ties = UnionFind(state.mentions)
    linked: set[str] = set()
    for later, earlier in tied:
        if missing := {later, earlier} - state.mentions.keys():
            raise UsageError(f"found a link with the mention {min(missing)!r}, which is not there: drop it")
        ties.union(earlier, later)
        linked |= {later, earlier}
    homes: dict[str, str] = {}
    chains: dict[str, Chain] = {}
    mentions = dict(state.mentions)
    for name in in_text_order(state.mentions):
        before = state.mentions[name].chain
        if before is None and name not in linked:
            continue
        group = ties.find(name)
        if group not in homes:
            homes[group] = before if before is not None and before not in chains else f"c-{name}"
            chains[homes[group]] = state.chains.get(homes[group], Chain())
        mentions[name] = msgspec.structs.replace(state.mentions[name], chain=homes[group])
    relations = {
        name: relation
        for name, relation in state.relations.items()
        if {relation.source, *relation.targets} <= chains.keys()
    }
    return State(mentions, chains, relations)
