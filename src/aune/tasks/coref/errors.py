"""The errors in the chains of a response: the seven kinds of Kummerfeld and Klein.

A response is turned into the key in seven steps, and each correction is an error:

    span error           a mention has the wrong extent: give it the key's
    conflated entities   a chain contains mentions of several key chains: split it, one split less than parts
    extra mention        a mention that the key lacks, in a chain that the key has: remove it
    extra entity         a chain without any mention of the key: remove it
    divided entity       a key chain is spread over several chains: join them, one join less than parts
    missing mention      a key mention that was not found, of a chain that was: add it
    missing entity       a key chain of which nothing was found: add it

Two unmatched mentions are treated as one with a wrong extent if they have the same head or, where heads are unknown,
share at least half of the tokens of the longer one. The pairing that shares the most tokens is chosen. Ties are broken
in text order: the first key mention gets the first possible response mention, and so on.

The cost of an error is the number of links that MUC's recall and precision together lose by it, so that costs add up
to the link errors of both sides: (key links − common links) + (response links − common links). A split, a join or a
mention costs 1; an entity of n mentions costs n − 1; a span error costs 2 if its mention would join others in a part,
and 0 if it would be the first there. `correct_response` makes the response without the errors of some kinds.

Source: Kummerfeld and Klein 2013, Error-Driven Analysis of Challenges in Coreference Resolution.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from aune.alignment.placement_records import KINDS as PLACINGS
from aune.alignment.placement_records import placement_case as placing_case
from aune.contract.error_record import ErrorRecord
from aune.numeric.arrays import Ints
from aune.numeric.grouping import group_items
from aune.numeric.matching import first_matching
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.mentions.extents import overlapping_pairs, token_counts
from aune.tasks.coref.mentions.kinds import mention_kinds
from aune.tasks.coref.mentions.matches import untaken_numbers
from aune.tasks.coref.mentions.preparation import MentionColumns
from aune.tasks.coref.model import Document, token_spans

SPAN, CONFLATED, DIVIDED = "span error", "conflated entities", "divided entity"
EXTRA_MENTION, EXTRA_ENTITY = "extra mention", "extra entity"
MISSING_MENTION, MISSING_ENTITY = "missing mention", "missing entity"
KINDS = (SPAN, CONFLATED, EXTRA_MENTION, EXTRA_ENTITY, DIVIDED, MISSING_MENTION, MISSING_ENTITY, *PLACINGS)
"""In the order in which they are corrected."""

CONTEXT_TOKENS = 8  # tokens of context on each side
LISTED_MENTIONS = 4  # mentions of a chain that are displayed


def errors(comparison: Comparison) -> list[ErrorRecord]:
    """All errors, in text order."""
    all_cases = [case for cases in _CASE_MAKERS for case in cases(diagnosis(comparison))]
    all_cases += _placing_cases(comparison)
    place = {name: number for number, name in enumerate(comparison.units["document"])}
    return sorted(all_cases, key=lambda case: (place[case.document], case.place, KINDS.index(case.kind), case.key))


def _placing_cases(comparison: Comparison) -> Iterator[ErrorRecord]:
    """Mentions of the response that are not in the key's text exactly as written."""
    for (key, _), record in zip(comparison.pairs, comparison.placements, strict=False):
        tokens = key.tokens or ()
        for item in record.items:
            quoted = " ".join(tokens[max(item.placement.start, 0) : max(item.placement.end, 0)])
            yield placing_case(key.id, item, len(tokens), quoted, "")


def diagnosis(comparison: Comparison) -> Diagnosis:
    """The errors in the chains, for the lists of errors and the views of texts."""
    return comparison.compute_once("diagnosis", lambda: Diagnosis(comparison))


@dataclass(frozen=True)
class Diagnosis:
    """The parts that key and response chains share after wrong extents are corrected."""

    comparison: Comparison

    @cached_property
    def span_pairs(self) -> list[tuple[int, int]]:
        """Key and response mentions that differ only in their extent, in text order."""
        comparison = self.comparison
        keys, responses = comparison.matched
        key_mentions, response_mentions, shared = overlapping_pairs(
            comparison,
            untaken_numbers(keys, len(comparison.key.owner)),
            untaken_numbers(responses, len(comparison.response.owner)),
        )
        longer = np.maximum(token_counts(comparison, 0)[key_mentions], token_counts(comparison, 1)[response_mentions])
        heads = _mention_heads(comparison, 0)[key_mentions], _mention_heads(comparison, 1)[response_mentions]
        known = (heads[0] >= 0) & (heads[1] >= 0)
        allowed = np.flatnonzero(np.where(known, heads[0] == heads[1], 2 * shared >= longer))
        key_mentions, response_mentions, shared = key_mentions[allowed], response_mentions[allowed], shared[allowed]
        chosen = first_matching(key_mentions, response_mentions, shared)
        return sorted(zip(key_mentions[chosen].tolist(), response_mentions[chosen].tolist(), strict=True))

    @cached_property
    def partner(self) -> Ints:
        """The key mention that each response mention matches or should match; -1 for none."""
        keys, responses = self.comparison.matched
        partners = np.full(len(self.comparison.response.owner), -1)
        partners[responses[::-1]] = keys[::-1]  # a repeated span has its first match
        for key, response in self.span_pairs:
            partners[response] = key
        return partners

    @cached_property
    def parts(self) -> dict[tuple[int, int], list[int]]:
        """The response mentions that a key chain and a response chain share."""
        keys, responses = self.comparison.key.chains.tolist(), self.comparison.response.chains.tolist()
        partners = enumerate(self.partner.tolist())
        return group_items(
            ((keys[partner], responses[mention]), mention) for mention, partner in partners if partner >= 0
        )

    @cached_property
    def responses_by_key(self) -> dict[int, list[int]]:
        """The response chains that share mentions with each key chain, the largest share first."""
        return self._chains_by_share(0)

    @cached_property
    def keys_by_response(self) -> dict[int, list[int]]:
        """The key chains that share mentions with each response chain, the largest share first."""
        return self._chains_by_share(1)

    def _chains_by_share(self, side: int) -> dict[int, list[int]]:
        largest_first = sorted(self.parts, key=lambda pair: (-len(self.parts[pair]), self.parts[pair]))
        return group_items((pair[side], pair[1 - side]) for pair in largest_first)

    @cached_property
    def missing(self) -> list[int]:
        """The key mentions that the response lacks, even with another extent."""
        mentions: list[int] = untaken_numbers(self.partner[self.partner >= 0], len(self.comparison.key.owner)).tolist()
        return mentions

    @cached_property
    def extra(self) -> list[int]:
        """The response mentions that the key lacks, even with another extent."""
        mentions: list[int] = np.flatnonzero(self.partner < 0).tolist()
        return mentions

    @cached_property
    def kinds(self) -> tuple[list[str], list[str]]:
        return mention_kinds(self.comparison, 0), mention_kinds(self.comparison, 1)

    @cached_property
    def places(self) -> tuple[list[list[int]], list[list[int]]]:
        """The token ranges of the mentions of both sides."""
        return _token_places(self.comparison, 0), _token_places(self.comparison, 1)

    def case(
        self, kind: str, side: int, mention: int, key: str, response: str, cost: float, mentions: int = 1, **more: str
    ) -> ErrorRecord:
        """An error at a mention of the key (0) or the response (1)."""
        owner = int((self.comparison.key, self.comparison.response)[side].owner[mention])
        place = tuple(self.places[side][mention])
        attributes = {"mention": self.kind_or_length(side, mention), "mentions": str(mentions), **more}
        context = _context(self.comparison.pairs[owner][0], *place)
        name = self.comparison.units["document"][owner]
        return ErrorRecord(name, place, kind, key, response, context, cost, attributes)  # type: ignore[arg-type]

    def kind_or_length(self, side: int, mention: int) -> str:
        """The kind of a mention, or its length if the kind is unknown."""
        start, end = self.places[side][mention]
        length = "1 token" if end - start == 1 else f"{end - start} tokens" if end - start < 4 else "4+ tokens"
        return self.kinds[side][mention] or length

    def text(self, side: int, mention: int) -> str:
        pair = self.comparison.pairs[int((self.comparison.key, self.comparison.response)[side].owner[mention])]
        start, end = self.places[side][mention]
        words = pair[side].tokens or pair[0].tokens
        return " ".join(words[start:end]) if words is not None else f"[{start}:{end}]"

    def texts(self, side: int, mentions: Sequence[int]) -> str:
        """The first mentions of a chain, in one line."""
        shown = [self.text(side, mention) for mention in mentions[:LISTED_MENTIONS]]
        return " · ".join(shown) + (f" · … ({len(mentions)})" if len(mentions) > LISTED_MENTIONS else "")


def _mention_heads(comparison: Comparison, which: int) -> Ints:
    side = (comparison.key, comparison.response)[which]
    all_heads = np.full(len(side.owner), -1)
    for number, pair in enumerate(comparison.pairs):
        heads = pair[which].heads
        if heads is not None:
            of_document = side.owner == number
            all_heads[of_document] = heads[side.mention[of_document]]
    return all_heads


def _token_places(comparison: Comparison, which: int) -> list[list[int]]:
    side = (comparison.key, comparison.response)[which]
    if all(pair[which].positions is None for pair in comparison.pairs):
        return side.spans.tolist()  # type: ignore[no-any-return]
    places = side.spans.copy()
    for number, pair in enumerate(comparison.pairs):
        of_document = side.owner == number
        places[of_document] = token_spans(pair[which], side.spans[of_document])
    return places.tolist()  # type: ignore[no-any-return]


def _context(document: Document, start: int, end: int) -> str:
    """The words around a position, with the position in brackets."""
    if document.tokens is None:
        return ""
    before = document.tokens[max(0, start - CONTEXT_TOKENS) : start]
    after = document.tokens[end : end + CONTEXT_TOKENS]
    return " ".join([*before, "[", *document.tokens[start:end], "]", *after])


# The errors of each kind.


def _span_errors(diagnosis: Diagnosis) -> Iterator[ErrorRecord]:
    keys, responses = diagnosis.comparison.key.chains, diagnosis.comparison.response.chains
    exact = zip(*(column.tolist() for column in diagnosis.comparison.matched), strict=True)
    begun = {(int(keys[key]), int(responses[response])) for key, response in exact}
    for key, response in diagnosis.span_pairs:
        part = (int(keys[key]), int(responses[response]))
        cost = 2.0 if part in begun else 0.0
        begun.add(part)
        (start, end), (other_start, other_end) = diagnosis.places[0][key], diagnosis.places[1][response]
        side = "left" if end == other_end else "right" if start == other_start else "both"
        yield diagnosis.case(SPAN, 0, key, diagnosis.text(0, key), diagnosis.text(1, response), cost, edge=side)


def _conflated_entities(diagnosis: Diagnosis) -> Iterator[ErrorRecord]:
    for response, keys in diagnosis.keys_by_response.items():
        main = diagnosis.texts(1, diagnosis.parts[keys[0], response])
        for key in keys[1:]:
            part = diagnosis.parts[key, response]
            yield diagnosis.case(CONFLATED, 1, part[0], diagnosis.texts(1, part), main, 1.0, len(part))


def _divided_entities(diagnosis: Diagnosis) -> Iterator[ErrorRecord]:
    for key, responses in diagnosis.responses_by_key.items():
        main = diagnosis.texts(1, diagnosis.parts[key, responses[0]])
        for response in responses[1:]:
            part = diagnosis.parts[key, response]
            yield diagnosis.case(DIVIDED, 1, part[0], main, diagnosis.texts(1, part), 1.0, len(part))


def _extra_errors(diagnosis: Diagnosis) -> Iterator[ErrorRecord]:
    for chain, mentions in _by_chain(diagnosis.extra, diagnosis.comparison.response.chains).items():
        if chain in diagnosis.keys_by_response:
            for mention in mentions:
                yield diagnosis.case(EXTRA_MENTION, 1, mention, "", diagnosis.text(1, mention), 1.0)
        else:
            text = diagnosis.texts(1, mentions)
            yield diagnosis.case(EXTRA_ENTITY, 1, mentions[0], "", text, len(mentions) - 1.0, len(mentions))


def _missing_errors(diagnosis: Diagnosis) -> Iterator[ErrorRecord]:
    for chain, mentions in _by_chain(diagnosis.missing, diagnosis.comparison.key.chains).items():
        if chain in diagnosis.responses_by_key:
            for mention in mentions:
                yield diagnosis.case(MISSING_MENTION, 0, mention, diagnosis.text(0, mention), "", 1.0)
        else:
            text = diagnosis.texts(0, mentions)
            yield diagnosis.case(MISSING_ENTITY, 0, mentions[0], text, "", len(mentions) - 1.0, len(mentions))


_CASE_MAKERS = (_span_errors, _conflated_entities, _extra_errors, _divided_entities, _missing_errors)


def _by_chain(mentions: Sequence[int], chains: Ints) -> dict[int, list[int]]:
    return group_items((int(chains[mention]), mention) for mention in mentions)


# The response without some kinds of error.


def correct_response(comparison: Comparison, kinds: Collection[str]) -> Comparison:
    """The comparison with the key as if the response had no errors of these kinds; with all kinds, it equals the key.

    Joining moves the smaller parts of a key chain to its largest one; the other mentions of their chains stay there.
    """
    analysis, response = diagnosis(comparison), comparison.response
    chain, is_kept = response.chains.copy(), np.ones(len(response.chains), bool)
    unused = count(response.chain_count)  # numbers of new chains
    if CONFLATED in kinds:
        for number, keys in analysis.keys_by_response.items():
            for part in keys[1:]:
                chain[analysis.parts[part, number]] = next(unused)
    for number, mentions in _by_chain(analysis.extra, response.chains).items():
        if (EXTRA_MENTION if number in analysis.keys_by_response else EXTRA_ENTITY) in kinds:
            is_kept[mentions] = False
    if DIVIDED in kinds:
        for number, responses in analysis.responses_by_key.items():
            for other in responses[1:]:
                chain[analysis.parts[number, other]] = chain[analysis.parts[number, responses[0]][0]]
    added: list[int] = []
    homes: list[int] = []
    for number, mentions in _by_chain(analysis.missing, comparison.key.chains).items():
        known = number in analysis.responses_by_key
        if (MISSING_MENTION if known else MISSING_ENTITY) in kinds:
            home = (
                int(chain[analysis.parts[number, analysis.responses_by_key[number][0]][0]]) if known else next(unused)
            )
            added += mentions
            homes += [home] * len(mentions)
    spans = np.asarray(analysis.span_pairs if SPAN in kinds else [], np.int64).reshape(-1, 2)
    return _rebuild_comparison(
        comparison, chain, is_kept, spans, np.asarray(added, np.int64), np.asarray(homes, np.int64)
    )


def _rebuild_comparison(
    comparison: Comparison, chain: Ints, is_kept: Any, mended: Ints, added: Ints, homes: Ints
) -> Comparison:
    """The comparison with other response mentions: the kept ones, with new chains and extents, and some of the key."""
    key, response = comparison.key, comparison.response
    spans = response.spans.copy()
    spans[mended[:, 1]] = key.spans[mended[:, 0]]
    owner = np.concatenate([response.owner[is_kept], key.owner[added]])
    chains = np.unique(np.concatenate([chain[is_kept], homes]), return_inverse=True)[1]
    document = np.zeros(int(chains.max(initial=-1)) + 1, np.int64)
    document[chains] = owner
    side = MentionColumns(
        np.concatenate([spans[is_kept], key.spans[added]]),
        chains,
        owner,
        document,
        np.concatenate([response.mention[is_kept], np.full(len(added), -1)]),
    )
    keys, responses = (
        np.concatenate([matched_side, mended_side])
        for matched_side, mended_side in zip(comparison.matched, mended.T, strict=True)
    )
    still = is_kept[responses]
    place = np.cumsum(is_kept) - 1
    keys = np.concatenate([keys[still], added])
    responses = np.concatenate([place[responses[still]], int(is_kept.sum()) + np.arange(len(added))])
    order = np.argsort(keys, kind="stable")
    matched = keys[order], responses[order]
    return replace(comparison, response=side, matched=matched, copies=matched)
