"""Transcripts with several wordings: alternatives `{ a / b c / @ }` and words that may be missing, `(word)`.

A transcript with choices is a small graph whose arcs are words. The alignment considers pairs of arcs instead of pairs
of words, and finds the wording of each side that fits the other best: by sclite's weights, or with the fewest
errors, then (for `similar`) with the closest substitutions, then with the fewest optional words left out.
`@` is an absent word, which corresponds to no word.

Source: the transcript formats and the alignment of NIST's sclite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from aune.errors import UsageError
from aune.numeric.arrays import Ints

NULL_WORD = "@"
MOST_DEPTH = 50
MOST_CELLS = 25_000_000  # per utterance: ten seconds, and a quarter of a gigabyte
UNREACHED = 2**63 - 1  # higher than the cost of any alignment


class OptionalWord(str):
    """A word that may be missing."""

    __slots__ = ()


Tree: TypeAlias = "list[str | list[Tree]]"
"""Words, and choices between several trees."""


class Network(NamedTuple):
    """Arcs between nodes, one word each; every arc comes after its predecessors. Node 0 is the start."""

    words: tuple[str, ...]
    optional: tuple[bool, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    last: int
    """The final node of every wording."""


def tokens(text: str) -> Iterator[str]:
    """Words, braces, and the slashes inside braces."""
    if "{" not in text and "}" not in text:
        yield from text.split()
        return
    depth = 0
    for part in re.split(r"([{}])", text):
        if part in ("{", "}"):
            depth += 1 if part == "{" else -1
            yield part
        elif depth > 0:
            yield from part.replace("/", " / ").split()
        else:
            yield from part.split()


class BracesError(ValueError):
    """Unbalanced braces."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found}, expected {expected}")
        self.found, self.expected = found, expected


def parse_alternatives(text: str, optional: bool = True) -> Tree:
    """The words and choices of a transcript; a `BracesError` describes unbalanced braces.

    With `optional`, parentheses around a word mark it as optional.

    >>> parse_alternatives("a { b / c d } e")
    ['a', [['b'], ['c', 'd']], 'e']
    """
    stack: list[list[Tree]] = [[[]]]
    for token in tokens(text):
        if token == "{":
            if len(stack) > MOST_DEPTH:
                raise BracesError(f"more than {MOST_DEPTH} braces inside one another", "fewer")
            stack.append([[]])
        elif token == "}":
            if len(stack) == 1:
                raise BracesError("'}'", "a '{' before it")
            choices = stack.pop()
            stack[-1][-1].append(choices)
        elif token == "/" and len(stack) > 1:
            stack[-1].append([])
        else:
            stack[-1][-1].append(OptionalWord(token[1:-1]) if optional and in_parentheses(token) else token)
    if len(stack) > 1:
        raise BracesError("'{'", "a '}' after it")
    return stack[0][0]


def in_parentheses(word: str) -> bool:
    return len(word) > 2 and word[0] == "(" and word[-1] == ")" and word != "(())"


def first_wording(tree: Tree) -> list[str]:
    """The words of the first alternative everywhere, without absent words."""
    words: list[str] = []
    for item in tree:
        words += first_wording(item[0]) if isinstance(item, list) else [str(item)] if item != NULL_WORD else []
    return words


def has_choices(tree: Tree) -> bool:
    """Whether a transcript has more than one wording."""
    return any(isinstance(item, list | OptionalWord) or item == NULL_WORD for item in tree)


def map_words(tree: Tree, change: Callable[[str], Sequence[str]]) -> Tree:
    """The same choices, with each word replaced by a sequence of words."""
    result: Tree = []
    for item in tree:
        if isinstance(item, list):
            result.append([map_words(choice, change) for choice in item])
        elif item == NULL_WORD:
            result.append(item)
        else:
            result += map(OptionalWord, change(item)) if isinstance(item, OptionalWord) else change(item)
    return result


def network(tree: Tree) -> Network:
    """The graph of a transcript with choices.

    >>> network(parse_alternatives("a { b / @ }")).ends
    (1, 2, 2)
    """
    arcs: list[tuple[str, bool, int, int]] = []
    nodes = [0]

    def node() -> int:
        nodes.append(len(nodes))
        return nodes[-1]

    def add(part: Tree, start: int, end: int | None) -> int:
        """Add arcs for the part from `start`, up to `end` if it is given."""
        part = part or [NULL_WORD]
        for number, item in enumerate(part):
            goal = end if end is not None and number == len(part) - 1 else node()
            if isinstance(item, list):
                for choice in item:
                    add(choice, start, goal)
            else:
                arcs.append((str(item), isinstance(item, OptionalWord), start, goal))
            start = goal
        return start

    last = add(tree, 0, None)
    words, optional, starts, ends = (tuple(column) for column in zip(*arcs, strict=True))
    return Network(words, optional, starts, ends, last)


def linear_network(words: Sequence[str]) -> Network:
    """A transcript with one wording, as a graph."""
    size = len(words)
    return Network(tuple(words), (False,) * size, tuple(range(size)), tuple(range(1, size + 1)), size)


class StepCosts(NamedTuple):
    """The costs of the steps of an alignment."""

    substitution: Callable[[str, Sequence[str]], Ints | int]
    """The cost of aligning a word of the key with each of some words of the response."""
    gap: int
    optional: int
    """The cost of leaving out an optional word."""
    null: int = 1
    """The cost of passing an absent word."""


class Step(NamedTuple):
    """One step of an alignment: `=` correct, `S`, `D`, `I`, or `O` for an optional word that is left out."""

    kind: str
    key: str
    response: str


SCLITE = StepCosts(lambda key, responses: 4000, 3000, 2000)
MAY_BE_MISSING, NOT_THERE = 10, 1
"""The relative costs of passing such words, when the fewest errors are sought."""


def fewest_errors(
    key: Network, response: Network, distance: Callable[[str, Sequence[str]], Ints | int], farthest: int
) -> StepCosts:
    """Costs for the fewest errors, then the smallest distances of substituted words, then the fewest words left out.

    `apart` gives the distances of a word from others, at most `farthest`. Each of the three criteria weighs more than
    any total of the later ones between these two graphs.
    """
    passed = sum(sum(_gap(*arc, 0, MAY_BE_MISSING, NOT_THERE) for arc in _arcs(graph)) for graph in (key, response))
    step = passed + 1
    error = (farthest * min(len(key.words), len(response.words)) + 1) * step
    return StepCosts(lambda word, others: error + distance(word, others) * step, error, MAY_BE_MISSING, NOT_THERE)


def align_networks(key: Network, response: Network, costs: StepCosts, same: Callable[[str, str], bool]) -> list[Step]:
    """The cheapest alignment of one wording of the key with one of the response.

    Ties: a pair of words is preferred to a gap, and an insertion to a deletion; then the first alternative.
    """
    if len(key.words) * len(response.words) > MOST_CELLS:
        raise UsageError(
            f"found {len(key.words):,} words in one utterance with alternatives, and {len(response.words):,} in the "
            f"response to it, expected at most {MOST_CELLS:,} pairs of them: cut it at pauses"
        )
    return _trace_back(_Table(key, response, costs, same))


class _Table:
    """The costs of the cheapest alignments up to each arc of key and response (from 1; 0 is the start).

    Whole rows are computed at once. Steps are not stored, since the path back is recovered from the costs.
    """

    def __init__(self, key: Network, response: Network, costs: StepCosts, same: Callable[[str, str], bool]) -> None:
        self.key, self.response, self.costs, self.same = key, response, costs, same
        self.key_gaps, self.response_gaps = _gaps(key, costs), _gaps(response, costs)
        self.cost = np.empty((len(key.words) + 1, len(response.words) + 1), np.int64)
        self._fill()

    def _fill(self) -> None:
        words = list(dict.fromkeys(self.response.words))
        numbers = {word: number for number, word in enumerate(words)}
        codes = np.array([numbers[word] for word in self.response.words], np.int64)
        least_before = _least_before(self.response)
        with_insertions = _with_insertions(self.response, self.response_gaps)
        self.cost[0] = with_insertions(np.append(0, np.full(len(codes), UNREACHED)))
        nodes = {0: self.cost[0]}
        for number, (word, start, end) in enumerate(
            zip(self.key.words, self.key.starts, self.key.ends, strict=True), 1
        ):
            above = nodes[start]
            best = above + self.key_gaps[number]
            np.minimum(best[1:], least_before(above) + self.pair_costs(word, words)[codes], out=best[1:])
            row = self.cost[number] = with_insertions(best)
            nodes[end] = np.minimum(nodes[end], row) if end in nodes else self.cost[number]

    def pair_costs(self, word: str, others: Sequence[str]) -> Ints:
        """The cost of aligning a word of the key with each of some others."""
        matches = np.fromiter((self.same(word, other) for other in others), bool, len(others))
        costs = np.where(matches, 0, self.costs.substitution(word, others))
        if word == NULL_WORD:
            costs[:] = 2 * self.costs.gap  # an absent word matches no word, and is passed
        elif NULL_WORD in others:
            costs[others.index(NULL_WORD)] = 2 * self.costs.gap
        return costs


def _least_before(graph: Network) -> Callable[[Ints], Ints]:
    """A function that maps a number per arc (and for 0, the start) to the least among the predecessors of each arc."""
    ends = np.array([0, *graph.ends])
    order = np.argsort(ends, kind="stable")
    begins = np.flatnonzero(np.diff(ends[order], prepend=-1))
    starts = np.searchsorted(ends[order][begins], np.array(graph.starts, np.int64))
    return lambda row: np.minimum.reduceat(row[order], begins)[starts]


def _with_insertions(graph: Network, gaps: Sequence[int]) -> Callable[[Ints], Ints]:
    """A function that maps the costs of alignments that end in no insertion to the lowest costs of all alignments."""
    if graph.starts == tuple(range(len(graph.starts))):  # a linear graph
        passed = np.cumsum(gaps)
        return lambda row: np.minimum.accumulate(row - passed) + passed
    arcs = list(zip(graph.starts, graph.ends, gaps[1:], strict=True))

    def fill_row(row: Ints) -> Ints:
        first, *others = row.tolist()
        least = [UNREACHED] * (max(graph.ends) + 1)
        least[0] = first
        costs = [first]
        for (start, end, gap), other in zip(arcs, others, strict=True):
            cost = min(other, least[start] + gap)
            least[end] = min(least[end], cost)
            costs.append(cost)
        return np.array(costs)

    return fill_row


def _gaps(graph: Network, costs: StepCosts) -> list[int]:
    """The cost of leaving out each arc (from 1)."""
    return [0, *(_gap(word, may, *costs[1:]) for word, may in _arcs(graph))]


def _arcs(graph: Network) -> Iterator[tuple[str, bool]]:
    """The words, and whether each is optional."""
    return zip(graph.words, graph.optional, strict=True)


def _gap(word: str, may_be_missing: bool, gap: int, optional: int, null: int) -> int:
    return null if word == NULL_WORD else optional if may_be_missing else gap


def _before(graph: Network) -> list[list[int]]:
    """For every arc (from 1; 0 is the start) the arcs that lead to it."""
    into: dict[int, list[int]] = {0: [0]}
    for number, end in enumerate(graph.ends, 1):
        into.setdefault(end, []).append(number)
    return [[0], *(into[start] for start in graph.starts)]


def _least(cost: Ints, rows: list[int], columns: list[int]) -> tuple[int, int, int]:
    """The least cost in some rows and columns, and its first position."""
    part = cost[np.ix_(rows, columns)]
    first, second = divmod(int(part.argmin()), len(columns))
    return int(part[first, second]), rows[first], columns[second]


def _trace_back(table: _Table) -> list[Step]:
    key, response = table.key, table.response
    before_key, before_response = _before(key), _before(response)
    ends = [number for number, end in enumerate(key.ends, 1) if end == key.last] or [0]
    goals = [number for number, end in enumerate(response.ends, 1) if end == response.last] or [0]
    _, a, b = _least(table.cost, ends, goals)
    steps: list[Step] = []
    while a or b:
        i, j = _earlier(table, a, b, before_key[a], before_response[b])
        key_word, response_word = key.words[a - 1] if i != a else "", response.words[b - 1] if j != b else ""
        if i == a:
            if response_word != NULL_WORD:
                steps.append(Step("O" if response.optional[b - 1] else "I", "", response_word))
        elif j == b:
            if key_word != NULL_WORD:
                steps.append(Step("O" if key.optional[a - 1] else "D", key_word, ""))
        else:
            steps.append(Step("=" if table.same(key_word, response_word) else "S", key_word, response_word))
        a, b = i, j
    return steps[::-1]


def _earlier(table: _Table, a: int, b: int, rows: list[int], columns: list[int]) -> tuple[int, int]:
    """The cell from which the cheapest alignment reaches another cell."""
    deleted, above, _ = _least(table.cost, rows, [b])
    inserted, _, left = _least(table.cost, [a], columns)
    if not a or not b:
        return above, left
    pair, i, j = _least(table.cost, rows, columns)
    pair += int(table.pair_costs(table.key.words[a - 1], [table.response.words[b - 1]])[0])
    deleted, inserted = deleted + table.key_gaps[a], inserted + table.response_gaps[b]
    if pair <= deleted and pair <= inserted:
        return i, j
    return (above, b) if deleted < inserted else (a, left)


def same_word(key: str, response: str) -> bool:
    return key == response


def same_or_fragment(key: str, response: str) -> bool:
    """Whether two words are equal, or one is a fragment of the other: `fi-` of `find`, `-icks` of `ticks`.

    >>> same_or_fragment("fi-", "find"), same_or_fragment("-lk", "milk"), same_or_fragment("fi-", "milk")
    (True, True, False)
    """
    for part, word in ((key, response), (response, key)):
        if len(part) > 1 and part[0] == "-":
            return len(word) >= len(part) - 1 and word[len(word) - len(part) + 1 :] == part[1:]
        if len(part) > 1 and part[-1] == "-":
            return word[: len(part) - 1] == part[:-1]
    return key == response
