"""Show texts with their chains: colours follow the key's chains on both sides, groups follow the response's chains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aune.contract.views import Confusion, Span, View
from aune.tasks.coref.comparison import Comparison
from aune.tasks.coref.errors import (
    CONFLATED,
    DIVIDED,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    MISSING_ENTITY,
    MISSING_MENTION,
    SPAN,
    Diagnosis,
    diagnosis,
)

NUMBERED_POSITIONS = 20_000  # a missing text with more positions than this is not displayed as numbers


def view(comparison: Comparison) -> Iterator[View]:
    """A view per document."""
    analysis = diagnosis(comparison)
    sides = _key_spans(analysis), _response_spans(analysis)
    for index, (key, response) in enumerate(comparison.pairs):
        key_spans, response_spans = sides[0].get(index, []), sides[1].get(index, [])
        words = key.tokens or response.tokens or _position_names([*key_spans, *response_spans])
        starts = [start for start in key.sentences or response.sentences or () if start < len(words)]
        yield View(comparison.units["document"][index], words, starts or [0], key=key_spans, response=response_spans)


def _position_names(spans: list[Span]) -> list[str]:
    """Position numbers as substitutes for the words of a missing text."""
    last = max((span.end for span in spans), default=0)
    return [str(place) for place in range(last)] if last <= NUMBERED_POSITIONS else []


def _key_spans(diagnosis: Diagnosis) -> dict[int, list[Span]]:
    """The key's mentions, by document."""
    key = diagnosis.comparison.key
    wrong = {mention: SPAN for mention, _ in diagnosis.span_pairs}
    for mention in diagnosis.missing:
        wrong[mention] = MISSING_MENTION if int(key.chains[mention]) in diagnosis.responses_by_key else MISSING_ENTITY
    spans: dict[int, list[Span]] = {}
    chains = _local_chains(diagnosis, 0)
    for mention, ((start, end), owner) in enumerate(zip(diagnosis.places[0], key.owner.tolist(), strict=True)):
        span = Span(start, end, chains[mention], diagnosis.kinds[0][mention], chains[mention], wrong.get(mention, ""))
        spans.setdefault(owner, []).append(span)
    return spans


def _response_spans(diagnosis: Diagnosis) -> dict[int, list[Span]]:
    """The response's mentions, by document, each with the key chain that it belongs to."""
    response = diagnosis.comparison.response
    misplaced = {mention for _, mention in diagnosis.span_pairs}
    spans: dict[int, list[Span]] = {}
    chains, key_chains = _local_chains(diagnosis, 1), _local_chains(diagnosis, 0)
    partners = diagnosis.partner.tolist()
    for mention, ((start, end), owner) in enumerate(zip(diagnosis.places[1], response.owner.tolist(), strict=True)):
        partner, chain = partners[mention], int(response.chains[mention])
        if partner < 0:
            error = EXTRA_MENTION if chain in diagnosis.keys_by_response else EXTRA_ENTITY
        else:
            home = int(diagnosis.comparison.key.chains[partner])
            wrong = [
                (SPAN, mention in misplaced),
                (CONFLATED, diagnosis.keys_by_response[chain][0] != home),
                (DIVIDED, diagnosis.responses_by_key[home][0] != chain),
            ]
            error = ", ".join(kind for kind, applies in wrong if applies)
        key_chain = -1 if partner < 0 else key_chains[partner]
        span = Span(start, end, chains[mention], diagnosis.kinds[1][mention], key_chain, error)
        spans.setdefault(owner, []).append(span)
    return spans


def _local_chains(diagnosis: Diagnosis, which: int) -> list[int]:
    """The chain of each mention, numbered from 0 in its document."""
    side = (diagnosis.comparison.key, diagnosis.comparison.response)[which]
    first: dict[int, int] = {}
    for chain, owner in enumerate(side.chain_document.tolist()):
        first.setdefault(owner, chain)
    return [chain - first[owner] for chain, owner in zip(side.chains.tolist(), side.owner.tolist(), strict=True)]


def confusion(comparison: Comparison) -> Confusion:
    """The results for each kind of mention; correct mentions are in the largest part of their chain on both sides."""
    analysis = diagnosis(comparison)
    right: Counter[str] = Counter()
    misplaced = {mention for _, mention in analysis.span_pairs}
    for (key, response), mentions in analysis.parts.items():
        if analysis.responses_by_key[key][0] == response and analysis.keys_by_response[response][0] == key:
            right.update(analysis.kind_or_length(1, mention) for mention in mentions if mention not in misplaced)
    return Confusion("mention", "kind", right)
