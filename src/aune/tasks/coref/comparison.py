"""Key and response chains in comparison: the table of their overlaps, for a whole chunk of documents.

Every partition measure is a function of |K ∩ R| over pairs of a key chain and a response chain. The table stores the
non-empty cells of all documents of the chunk in flat arrays; `Contingency.per_document` sums values by document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.alignment.placement_records import PlacementRecord
from aune.contract import task as core
from aune.contract.options import HiddenAtDefault
from aune.numeric.arrays import Ints, owner_indices, run_starts
from aune.numeric.matching import Edges
from aune.tasks.coref.chain_sizes import SizeDifferences, size_differences
from aune.tasks.coref.mentions.preparation import REPEATED, MentionColumns
from aune.tasks.coref.model import Document

Mentions: TypeAlias = Annotated[
    Literal["conll", "complete"],
    "mentions on one side only: left there (conll), or given to the other side as singletons (complete)",
]
SplitAntecedents: TypeAlias = Annotated[
    Literal["ignore", "count"],
    "split antecedents: ignored, or each is one more element of its chain (as in the Universal Anaphora scorer)",
    HiddenAtDefault,
]
Completed: TypeAlias = Annotated[
    Literal["complete"], "mentions on one side only are given to the other side as singletons"
]


SHARED_WEIGHT = 1e-9
"""The weight of shared mentions (as a share of all) beside similarity: it only breaks ties."""


def tie_breakers(size: Ints, mentions: Ints) -> NDArray[Any]:
    """What is added to the similarity of cells to break ties: more shared mentions first, then fewer cells."""
    return np.asarray(SHARED_WEIGHT * (size - 0.5 / (mentions + 1)) / np.maximum(mentions, 1))


@dataclass(frozen=True)
class Contingency:
    """The overlaps of key and response chains. Chains and cells are in document order."""

    documents: int
    key_sizes: Ints
    key_document: Ints
    response_sizes: Ints
    response_document: Ints
    cell_key: Ints
    cell_response: Ints
    cell_size: Ints

    @cached_property
    def cell_document(self) -> Ints:
        return self.key_document[self.cell_key]

    def per_document(self, values: NDArray[Any], owner: Ints) -> NDArray[Any]:
        """The sums of values by document."""
        return np.bincount(owner, values, self.documents)

    def key_sums(self, values: NDArray[Any]) -> NDArray[Any]:
        return self.per_document(values, self.key_document)

    def response_sums(self, values: NDArray[Any]) -> NDArray[Any]:
        return self.per_document(values, self.response_document)

    def cell_sums(self, values: NDArray[Any]) -> NDArray[Any]:
        return self.per_document(values, self.cell_document)

    @cached_property
    def key_chains(self) -> NDArray[Any]:
        """|P_K| by document."""
        return np.bincount(self.key_document, minlength=self.documents)

    @cached_property
    def response_chains(self) -> NDArray[Any]:
        return np.bincount(self.response_document, minlength=self.documents)

    @cached_property
    def key_mentions(self) -> NDArray[Any]:
        return self.key_sums(self.key_sizes)

    @cached_property
    def response_mentions(self) -> NDArray[Any]:
        return self.response_sums(self.response_sizes)

    @cached_property
    def common_mentions(self) -> NDArray[Any]:
        return self.cell_sums(self.cell_size)

    @cached_property
    def cells(self) -> NDArray[Any]:
        """Σ|π(K)| = Σ|σ(R)|: the number of non-empty cells by document."""
        return np.bincount(self.cell_document, minlength=self.documents)

    def find_cells(self, keys: Ints, responses: Ints) -> Ints:
        """The cells of pairs of chains that share a mention; not in completed tables, whose cells are in no order."""
        width = len(self.response_sizes)
        return np.searchsorted(self.cell_key * width + self.cell_response, keys * width + responses)

    @property
    def cell_key_size(self) -> Ints:
        return self.key_sizes[self.cell_key]

    @property
    def cell_response_size(self) -> Ints:
        return self.response_sizes[self.cell_response]

    def largest_by_key(self) -> Ints:
        """|c(K)|: the size of the largest cell of each key chain, 0 for a chain without cells."""
        return _largest(self.cell_key, self.cell_size, len(self.key_sizes))

    def largest_by_response(self) -> Ints:
        return _largest(self.cell_response, self.cell_size, len(self.response_sizes))

    @cached_property
    def matched_by_mentions(self) -> NDArray[np.bool_]:
        """The cells of the one-to-one matching of chains that shares the most mentions (φ₃)."""
        return self._matching_cells(self.cell_size)

    @cached_property
    def dice(self) -> NDArray[Any]:
        """φ₄ = 2|K∩R| / (|K|+|R|) for each cell."""
        return 2 * self.cell_size / (self.cell_key_size + self.cell_response_size)

    @cached_property
    def matched_by_dice(self) -> NDArray[np.bool_]:
        """The cells of the one-to-one matching of chains with the largest total φ₄; ties as in `tie_breakers`."""
        return self._matching_cells(self.dice + tie_breakers(self.cell_size, self.key_mentions[self.cell_document]))

    def _matching_cells(self, weight: NDArray[Any]) -> NDArray[np.bool_]:
        chosen = np.zeros(len(weight), bool)
        chosen[self._edges.match_best(weight)] = True
        return chosen

    @cached_property
    def _edges(self) -> Edges:
        return Edges(self.cell_key, self.cell_response)

    @cached_property
    def size_differences(self) -> SizeDifferences:
        """The differences of chain sizes between the sides, largest chains first."""
        return size_differences(self)

    @cached_property
    def with_singletons(self) -> Contingency:
        """The table of two partitions of one mention set: mentions of one side are added to the other as singletons."""
        key_only = self.key_sizes - _sums(self.cell_key, self.cell_size, len(self.key_sizes))
        response_only = self.response_sizes - _sums(self.cell_response, self.cell_size, len(self.response_sizes))
        lonely_keys, lonely_responses = owner_indices(key_only), owner_indices(response_only)
        if not len(lonely_keys) and not len(lonely_responses):
            return self
        new_keys = len(self.key_sizes) + np.arange(len(lonely_responses))
        new_responses = len(self.response_sizes) + np.arange(len(lonely_keys))
        return Contingency(
            self.documents,
            np.concatenate([self.key_sizes, np.ones(len(new_keys), np.int64)]),
            np.concatenate([self.key_document, self.response_document[lonely_responses]]),
            np.concatenate([self.response_sizes, np.ones(len(new_responses), np.int64)]),
            np.concatenate([self.response_document, self.key_document[lonely_keys]]),
            np.concatenate([self.cell_key, lonely_keys, new_keys]),
            np.concatenate([self.cell_response, new_responses, lonely_responses]),
            np.concatenate([self.cell_size, np.ones(len(lonely_keys) + len(lonely_responses), np.int64)]),
        )


def _largest(owner: Ints, sizes: Ints, count: int) -> Ints:
    largest = np.zeros(count, np.int64)
    np.maximum.at(largest, owner, sizes)
    return largest


def _sums(owner: Ints, sizes: Ints, count: int) -> Ints:
    return np.bincount(owner, sizes, count).astype(np.int64)


@dataclass(frozen=True)
class Comparison(core.Comparison):
    """The data that all coreference measures use. `pairs` are the documents as prepared for comparison."""

    units: Mapping[str, Sequence[str]]
    pairs: Sequence[tuple[Document, Document]]
    key: MentionColumns
    response: MentionColumns
    matched: tuple[Ints, Ints]
    """The key and response mentions that match one to one, as numbers in `key` and `response`."""
    copies: tuple[Ints, Ints]
    """The same, with every copy of a span that the key repeats, under `duplicates:conll`; otherwise `matched`."""
    unfiltered_pairs: Sequence[tuple[Document, Document]] = ()
    """The documents before mentions were filtered out, with positions on one scale."""
    facts: Counter[Hashable] = field(default_factory=Counter)
    """Counts for the notes to the user; `fact_notes` words them."""
    placements: tuple[PlacementRecord, ...] = ()
    """How responses over another text were aligned with the key, by document; empty if nothing was aligned."""
    signed: Mapping[str, Any] = field(default_factory=dict)
    """The options of that alignment, for the signature."""

    @property
    def has_repeats(self) -> bool:
        """Whether some span is still in several chains, or several times in one chain."""
        return any(isinstance(fact, tuple) and fact[0] == REPEATED for fact in self.facts)

    @cached_property
    def conll(self) -> Contingency:
        """The table in which mentions of one side only stay on that side."""
        return _table(self, self.matched)

    @cached_property
    def with_copies(self) -> Contingency:
        """The same table with every copy of a repeated key mention in its own chain, as CEAF needs it."""
        if self.copies is self.matched:
            return self.conll
        keys, responses = self.copies
        once = np.unique(np.stack([self.key.chains[keys], responses]), axis=1, return_index=True)[1]
        return _table(self, (keys[once], responses[once]))

    @cached_property
    def shared_sizes(self) -> Ints:
        """For each cell of `conll`, the number of mentions that its two chains share if every copy counts."""
        if self.copies is self.matched:
            return self.conll.cell_size
        every, chosen = self.with_copies, self.conll
        return every.cell_size[every.find_cells(chosen.cell_key, chosen.cell_response)]

    @cached_property
    def complete(self) -> Contingency:
        """The table of two partitions of one mention set; further copies of a repeated span count as unmatched."""
        return self.conll.with_singletons

    def table(self, mentions: str) -> Contingency:
        """The table under a convention for mentions that only one side has."""
        return self.complete if mentions == "complete" else self.conll

    @cached_property
    def has_segments(self) -> bool:
        """Whether some mention is discontinuous."""
        return any(document.segments for pair in self.pairs for document in pair)

    @cached_property
    def has_positions(self) -> bool:
        """Whether some document has positions other than token numbers."""
        return any(document.positions is not None for pair in self.pairs for document in pair)


def _table(comparison: Comparison, matched: tuple[Ints, Ints]) -> Contingency:
    key, response = comparison.key, comparison.response
    keys, responses = key.chains[matched[0]], response.chains[matched[1]]
    codes = np.sort(keys * max(response.chain_count, 1) + responses)
    starts = np.flatnonzero(run_starts(codes))
    cell_key, cell_response = np.divmod(codes[starts], max(response.chain_count, 1))
    return Contingency(
        len(comparison.pairs),
        np.bincount(key.chains, minlength=key.chain_count),
        key.chain_document,
        np.bincount(response.chains, minlength=response.chain_count),
        response.chain_document,
        cell_key,
        cell_response,
        np.diff(starts, append=len(codes)),
    )
