"""What the CoNLL scorer 8.01 is known to do with a file, repeated mentions included: slow, obvious, nothing of aune's.

A document is a list of cells, one per token, each a string such as `(1|(2)`. Chains are lists of spans in the order in
which they appear: with the first mention, where a cell's mentions of one token are read before its opening brackets.

- A response span that the key has is kept in the first chain that has it, once; others stay wherever they are.
- A key span in several chains stays in all of them, but a mention's key chain is the last one that has it.
- MUC: links of a response chain are right when both mentions have the same key chain; links of a chain are its length
  less one, copies included.
- B³: every response mention gets |R∩K| / |R| and |R∩K| / |K|, K its key chain; the sums are divided by the number of
  mentions in the chains of the response and of the key.
- CEAF: the chains themselves are compared, with every copy in them.
- BLANC: sets of links, which are pairs of spans; the pairs inside a chain, and those between two chains, whatever else
  the two spans are.
- Mentions: distinct spans.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from tests.tasks.coref.oracle import best_total

Span = tuple[int, int]
Chain = list[Span]
Link = tuple[Span, Span]
Triple = tuple[Fraction, Fraction, Fraction]


def chains_of(cells: Sequence[str]) -> list[Chain]:
    """The chains of a document, in the order in which they appear."""
    chains: dict[str, Chain] = {}
    opened: dict[str, list[int]] = {}
    for token, cell in enumerate(cells):
        for name in re.findall(r"\((\w+)\)", cell):
            chains.setdefault(name, []).append((token, token))
        rest = re.sub(r"\(\w+\)", "", cell)
        for name in re.findall(r"\((\w+)", rest):
            chains.setdefault(name, [])
            opened.setdefault(name, []).append(token)
        for name in re.findall(r"(\w+)\)", rest):
            chains[name].append((opened[name].pop(), token))
    return list(chains.values())


def kept_once(key: list[Chain], response: list[Chain]) -> list[Chain]:
    """The response without the later copies of spans that the key has."""
    known = {span for chain in key for span in chain}
    seen: set[Span] = set()
    remaining = []
    for chain in response:
        spans = []
        for span in chain:
            if span not in known or span not in seen:
                spans.append(span)
            seen.add(span)
        remaining.append(spans)
    return remaining


def scores(key: list[Chain], response: list[Chain]) -> dict[str, Triple]:
    """Recall, precision and F of one document."""
    response = kept_once(key, response)
    home = {span: number for number, chain in enumerate(key) for span in chain}
    key_size, response_size = sum(map(len, key)), sum(map(len, response))
    distinct_key, distinct_response = set().union(*key), set().union(*response)
    common = len(distinct_key & distinct_response)

    links = 0
    for chain in response:
        homes = [home[span] for span in chain if span in home]
        links += len(homes) - len(set(homes))

    recall_sum = precision_sum = Fraction(0)
    for chain in response:
        for span in chain:
            if span in home:
                shared = sum(other in key[home[span]] for other in chain)
                precision_sum += Fraction(shared, len(chain))
                recall_sum += Fraction(shared, len(key[home[span]]))

    filled = [chain for chain in response if chain]
    overlap = [[Fraction(len(set(item) & set(other))) for other in filled] for item in key]
    dice = [
        [2 * overlap[i][j] / (len(item) + len(other)) for j, other in enumerate(filled)] for i, item in enumerate(key)
    ]
    return {
        "mentions": triple(common, len(distinct_key), common, len(distinct_response)),
        "muc": triple(links, key_size - len(key), links, response_size - len(filled)),
        "b_cubed": triple(recall_sum, key_size, precision_sum, response_size),
        "ceaf_m": triple(best_total(overlap), key_size, best_total(overlap), response_size),
        "ceaf_e": triple(best_total(dice), len(key), best_total(dice), len(filled)),
        "blanc": blanc(key, filled),
    }


def blanc(key: list[Chain], response: list[Chain]) -> Triple:
    """The mean over both sorts of links, those left out of which the key has none."""
    sorts = [
        triple(len(own_link & yours), len(own_link), len(own_link & yours), len(yours))
        for own_link, yours in zip(links_of(key), links_of(response), strict=True)
        if own_link
    ]
    recall, precision, f1 = (sum(column, Fraction(0)) / len(sorts) if sorts else Fraction(0) for column in (
        [values[place] for values in sorts] for place in range(3)))  # fmt: skip
    return recall, precision, f1


def links_of(chains: list[Chain]) -> tuple[set[Link], set[Link]]:
    """The coreference links of chains, and the others."""
    inside = {link(*pair) for chain in chains for pair in combinations(chain, 2)}
    return inside, {link(*pair) for first, other in combinations(chains, 2) for pair in product(first, other)}


def link(first: Span, second: Span) -> Link:
    return min(first, second), max(first, second)


def triple(result: Fraction | int, key: int, right: Fraction | int, response: int) -> Triple:
    recall = Fraction(result) / key if key else Fraction(0)
    precision = Fraction(right) / response if response else Fraction(0)
    pair = recall + precision
    return recall, precision, 2 * recall * precision / pair if pair else Fraction(0)
