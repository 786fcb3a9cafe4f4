"""The disagreements between two annotations of chains, the most costly first.

The kinds are those of Kummerfeld and Klein (`aune explain` and `tasks/coref/errors.py`): a wrong extent, a response
chain that joins several key chains, a key chain that is divided over several response chains, and mentions and whole
entities that are missing on one side. The cost is what correcting the error would add to the sums of B³'s recall and
precision, in mentions, when both sides are completed with singletons; `links` is the same for MUC, in links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

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
from aune.workbench.model import State

MAX_LISTED = 50  # mentions of the rest of a chain that are listed


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """One disagreement between two annotations."""

    kind: str
    cost: float
    """In mentions of B³, for recall and precision together."""
    links: float
    """In links of MUC."""
    start: int
    end: int
    """The position in the text, in characters."""
    key: list[str]
    """The mentions of the key that are concerned."""
    response: list[str]
    """The mentions of the response that are concerned."""
    key_chain: str | None = None
    response_chain: str | None = None
    rest: list[str] = []
    """The first fifty mentions of the response that these should be separated from or joined with."""


def disagreements(comparison: Comparison, key: State, response: State) -> list[Disagreement]:
    """All disagreements, the most costly first, then in text order."""
    differences = list(_DisagreementFinder(comparison, key, response).all())
    return sorted(
        differences,
        key=lambda difference: (
            -round(difference.cost, 9),
            difference.start,
            difference.end,
            difference.kind,
            difference.key,
            difference.response,
        ),
    )


class _DisagreementFinder:
    """Builds disagreements from a diagnosis, with the ids of the compared states."""

    def __init__(self, comparison: Comparison, key: State, response: State) -> None:
        self.diagnosis: Diagnosis = diagnosis(comparison)
        self.states = key, response
        sides = (comparison.key, comparison.response)
        self.chains = [side.chains.tolist() for side in sides]
        self.sizes = [_sizes(chains) for chains in self.chains]
        names = [document.features.get("id", []) for document in comparison.pairs[0]]
        self.ids = [
            [names[side_number][number] for number in side.mention.tolist()] for side_number, side in enumerate(sides)
        ]

    def all(self) -> Iterator[Disagreement]:
        yield from self.extent_errors()
        yield from self.conflated_entities()
        yield from self.divided_entities()
        yield from self.extra_mentions()
        yield from self.missing_mentions()

    def build(
        self,
        kind: str,
        cost: float,
        links: float,
        key: Sequence[int] = (),
        response: Sequence[int] = (),
        rest: Sequence[int] = (),
    ) -> Disagreement:
        names = [[self.ids[side][number] for number in numbers] for side, numbers in enumerate((key, response))]
        chains = [self._chain(side, numbers) for side, numbers in enumerate(names)]
        side = 1 if names[1] else 0
        first = self.states[side].mentions[names[side][0]]
        return Disagreement(
            kind=kind, cost=cost, links=links, start=first.start, end=first.end, key=names[0], response=names[1],
            key_chain=chains[0], response_chain=chains[1], rest=[self.ids[1][number] for number in rest[:MAX_LISTED]],
        )  # fmt: skip

    def _chain(self, side: int, names: Sequence[str]) -> str | None:
        return (self.states[side].mentions[names[0]].chain or names[0]) if names else None

    def extent_errors(self) -> Iterator[Disagreement]:
        """Mentions with a wrong extent: B³ sees one missing and one extra mention."""
        linked: set[tuple[int, int]] = {
            (self.chains[0][key_mention], self.chains[1][response_mention])
            for key_mention, response_mention in zip(
                *(side.tolist() for side in self.diagnosis.comparison.matched), strict=True
            )
        }
        for key_mention, response_mention in self.diagnosis.span_pairs:
            part = self.chains[0][key_mention], self.chains[1][response_mention]
            key_size, response_size = self.sizes[0][part[0]], self.sizes[1][part[1]]
            shared = max(len(self.diagnosis.parts.get(part, ())) - 1, 0)
            cost = 2 * shared / key_size + 2 * shared / response_size + (2 if not shared else 0)
            yield self.build(SPAN, cost, 2.0 if part in linked else 0.0, key=[key_mention], response=[response_mention])
            linked.add(part)

    def conflated_entities(self) -> Iterator[Disagreement]:
        """Parts of response chains that belong to other key chains than the largest part."""
        for response, keys in self.diagnosis.keys_by_response.items():
            size = self.sizes[1][response]
            parts = {key: self.diagnosis.parts[key, response] for key in keys}
            squares = self._squares(response)
            for key in keys[1:]:
                part_size = len(parts[key])
                after = part_size + (squares - part_size**2) / max(size - part_size, 1)
                rest = parts[keys[0]]
                yield self.build(CONFLATED, after - squares / size, 1.0, response=parts[key], rest=rest)

    def _squares(self, response: int) -> int:
        """The sum of squares that B³ uses for a response chain; a mention that the key lacks is a part of its own."""
        parts = [len(self.diagnosis.parts[key, response]) for key in self.diagnosis.keys_by_response[response]]
        return sum(part**2 for part in parts) + self.sizes[1][response] - sum(parts)

    def divided_entities(self) -> Iterator[Disagreement]:
        """Parts of key chains that are in other response chains than the largest part."""
        for key, responses in self.diagnosis.responses_by_key.items():
            main = self.diagnosis.parts[key, responses[0]]
            for response in responses[1:]:
                part = self.diagnosis.parts[key, response]
                cost = 2 * len(part) * len(main) / self.sizes[0][key]
                yield self.build(DIVIDED, cost, 1.0, response=part, rest=main)

    def extra_mentions(self) -> Iterator[Disagreement]:
        for chain, mentions in _by_chain(self.diagnosis.extra, self.chains[1]).items():
            size = self.sizes[1][chain]
            if chain in self.diagnosis.keys_by_response:
                squares = self._squares(chain)
                for mention in mentions:
                    cost = 1 + (squares - 1) / (size - 1) - squares / size
                    yield self.build(EXTRA_MENTION, cost, 1.0, response=[mention])
            else:
                yield self.build(EXTRA_ENTITY, size - 1.0, size - 1.0, response=mentions)

    def missing_mentions(self) -> Iterator[Disagreement]:
        for chain, mentions in _by_chain(self.diagnosis.missing, self.chains[0]).items():
            size = self.sizes[0][chain]
            known = self.diagnosis.responses_by_key.get(chain)
            if known:
                main = self.diagnosis.parts[chain, known[0]]
                for mention in mentions:
                    yield self.build(MISSING_MENTION, 2 * len(main) / size, 1.0, key=[mention], rest=main)
            else:
                yield self.build(MISSING_ENTITY, size - 1.0, size - 1.0, key=mentions)


def _sizes(chains: Sequence[int]) -> dict[int, int]:
    sizes: dict[int, int] = {}
    for chain in chains:
        sizes[chain] = sizes.get(chain, 0) + 1
    return sizes


def _by_chain(mentions: Sequence[int], chains: Sequence[int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for mention in mentions:
        groups.setdefault(chains[mention], []).append(mention)
    return groups
