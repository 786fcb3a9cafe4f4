"""What a splicer must change: the mentions that two versions of a document do not share, and whose chain is whose."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TypeAlias

import numpy as np

from aune.contract.format import Format
from aune.numeric.grouping import group_items
from aune.reading.source import Source
from aune.syntax.splicing import pair_documents
from aune.tasks.coref.model import Document

Extent: TypeAlias = tuple[tuple[int, int], ...]
"""The half-open parts of a mention, in the positions of its document."""


NUMBERED_NAME = re.compile(r"(.*?)(\d{0,9})", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class Changes:
    """How one version of a document becomes another."""

    pairs: list[tuple[int | None, int | None]]
    """Every mention of either: its number before and after, None where it is not there. Mentions that overlap in a
    chain that goes on are one mention whose extent changed."""
    chains: list[int | None]
    """For every chain after, the chain before that it goes on with; None for a new one."""

    @cached_property
    def origin(self) -> dict[int, int]:
        """The mentions after that were there before, each with its number then."""
        return {new: old for old, new in self.pairs if old is not None and new is not None}

    @cached_property
    def fate(self) -> dict[int, int | None]:
        """The mentions before, each with its number after; None where it is gone."""
        return {old: new for old, new in self.pairs if old is not None}


def spliced_documents(
    form: Format, source: Source, after: Sequence[Document], **options: str
) -> Iterator[tuple[Document, Document]]:
    """The documents of a file beside those that should be in it; a refusal when they are not about the same texts."""
    return pair_documents(source, list(form.read(source, **options)), after, _text)


def _text(document: Document) -> tuple[str, list[str] | None, list[int] | None]:
    """What two versions of a document must have in common: their tokens, and where these stand."""
    tokens = None if document.tokens is None else list(document.tokens)
    return document.unit, tokens, None if document.positions is None else document.positions.tolist()


def extents(document: Document) -> list[Extent]:
    """The parts of every mention."""
    spans: list[Extent] = [((start, end),) for start, end in document.spans.tolist()]
    for index, parts in document.segments.items():
        spans[index] = tuple(parts)
    return spans


def file_order(document: Document) -> list[int]:
    """For every mention, its number in the order in which the file opens them."""
    return list(range(len(document))) if document.order is None else document.order.tolist()


def changes(before: Document, after: Document) -> Changes:
    """What happened to each mention and each chain.

    >>> from aune.tasks.coref.model import Mention, make_document
    >>> old = make_document("d", [Mention(0, 1, "a"), Mention(2, 3, "a"), Mention(4, 6, "b")])
    >>> new = make_document("d", [Mention(2, 3, "a"), Mention(4, 5, "b"), Mention(7, 8, "c")])
    >>> changes(old, new)
    Changes(pairs=[(0, None), (1, 0), (2, 1), (None, 2)], chains=[0, 1, None])
    """
    old, new = extents(before), extents(after)
    chains = _continued_chains(before, after, old, new)
    goes_on = {index: chains[chain] for index, chain in enumerate(after.chains.tolist())}
    chain_before = before.chains.tolist()
    matched = _match_extents(old, new, lambda number: chain_before[number], goes_on.__getitem__)
    unmatched = sorted(set(range(len(old))).difference(matched.values()))
    fresh = group_items((goes_on[index], index) for index in range(len(new)) if index not in matched)
    for chain, rivals in group_items((chain_before[number], number) for number in unmatched).items():
        matched |= _match_overlaps(old, new, rivals, fresh.get(chain, ()))
    pairs: list[tuple[int | None, int | None]] = [(number, index) for index, number in matched.items()]
    pairs += [(number, None) for number in set(range(len(old))).difference(matched.values())]
    pairs.sort(key=lambda pair: pair[0] or 0)
    return Changes(pairs + [(None, index) for index in range(len(new)) if index not in matched], chains)


def _match_extents(
    old: Sequence[Extent],
    new: Sequence[Extent],
    chain_before: Callable[[int], int | None],
    chain_after: Callable[[int], int | None],
) -> dict[int, int]:
    """For each new mention an old one of its extent, where there is one: of its chain first, then of any other."""
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for same_chain in (True, False):
        waiting: dict[tuple[Extent, int | None], deque[int]] = defaultdict(deque)
        for number, extent in enumerate(old):
            if number not in taken:
                waiting[extent, chain_before(number) if same_chain else None].append(number)
        for index, extent in enumerate(new):
            key = extent, chain_after(index) if same_chain else None
            if index not in matched and (not same_chain or key[1] is not None) and waiting[key]:
                matched[index] = waiting[key].popleft()
                taken.add(matched[index])
    return matched


def _match_overlaps(
    old: Sequence[Extent], new: Sequence[Extent], rivals: Sequence[int], fresh: Sequence[int]
) -> dict[int, int]:
    """For each new mention of a chain the old one of it that has the most in common with it, the first of several."""
    parts = np.asarray([(owner, *part) for owner, number in enumerate(rivals) for part in old[number]], np.int64)
    owner, starts, ends = parts.T
    free = np.ones(len(rivals), bool)
    matched: dict[int, int] = {}
    for index in fresh:
        common = np.zeros(len(rivals))
        for start, end in new[index]:
            shared = np.minimum(end, ends) - np.maximum(start, starts)
            common += np.bincount(owner, np.maximum(shared, 0), len(rivals))
        best = int((common * free).argmax())
        if free[best] and common[best]:
            matched[index], free[best] = rivals[best], False
    return matched


MANY_CHAINS = 50  # chains that share a mention: beyond that, only the one of the same name or number is looked at


def _continued_chains(
    before: Document, after: Document, old: Sequence[Extent], new: Sequence[Extent]
) -> list[int | None]:
    """The chain that each new one goes on with.

    It is of the same name and has a mention in common, or else has the most in common, or else is of the same name.
    """
    where: dict[Extent, set[int]] = defaultdict(set)
    for extent, chain in zip(old, before.chains.tolist(), strict=True):
        where[extent].add(chain)
    names = {label: number for number, label in enumerate(before.labels or ())}
    named = {number: names[label] for number, label in enumerate(after.labels or ()) if label in names}
    shared: Counter[tuple[int, int]] = Counter()
    for extent, chain in zip(new, after.chains.tolist(), strict=True):
        others = where[extent]
        if len(others) > MANY_CHAINS:
            others = others & {chain, named.get(chain, chain)}
        shared.update((chain, other) for other in others)
    ordered = [pair for pair in named.items() if shared[pair]]
    ordered += sorted(shared, key=lambda pair: (-shared[pair], pair))
    ordered += named.items()
    origins: dict[int, int] = {}
    taken: set[int] = set()
    for chain, other in ordered:
        if chain not in origins and other not in taken:
            origins[chain] = other
            taken.add(other)
    return [origins.get(chain) for chain in range(after.chain_count)]


def assign_rows(chains: Iterable[list[int]], row_of: Mapping[int, int]) -> tuple[dict[int, list[int]], list[list[int]]]:
    """Chains by the row of the file in which most of their mentions were, and those that have no row of their own."""
    rows: dict[int, list[int]] = {}
    new = []
    for mentions in chains:
        homes = Counter(row_of[mention] for mention in mentions if mention in row_of)
        home = next((row for row, _ in homes.most_common() if row not in rows), None)
        if home is None:
            new.append(mentions)
        else:
            rows[home] = mentions
    return rows, new


def fresh_numbers(names: Iterable[str]) -> Iterator[int]:
    """Numbers, from the first that is larger than those at the end of some names."""
    numbered = (re.search(r"\d{1,9}$", name, re.ASCII) for name in names)
    return count(max((int(number[0]) for number in numbered if number), default=0) + 1)


def chain_names(
    before: Document, after: Document, chains: Sequence[int | None], allowed: re.Pattern[str], taken: Iterable[str] = ()
) -> list[str]:
    """A name for every chain after: that of the chain it goes on with.

    A new one has its own name, where the format allows it and it is free, or else a number, after the letters that the
    others have before theirs.
    """
    labels = before.labels or ()
    used = {*labels, *taken}
    numbered = [match for name in used if (match := NUMBERED_NAME.fullmatch(name)) and match[2]]
    last = max((int(match[2]) for match in numbered), default=0)
    letters = Counter(match[1] for match in numbered if len(match[1]) < 3).most_common(1)
    names = []
    for chain, label in zip(chains, after.labels or [""] * len(chains), strict=True):
        if chain is not None:
            names.append(labels[chain])
            continue
        if not allowed.fullmatch(label) or label in used:
            last += 1
            label = f"{letters[0][0] if letters else ''}{last}"
        used.add(label)
        names.append(label)
    return names
