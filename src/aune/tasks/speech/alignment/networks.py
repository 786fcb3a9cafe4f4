"""Transcripts with several wordings: alternatives `{ a / b c / @ }` and words that may be missing, `(word)`.

A transcript with choices is a small graph whose arcs are words; the alignment runs over pairs of arcs instead of pairs
of words, and finds the wording of each side that fits the other best. `@` is a word that is not there.

Source: the transcript formats and the alignment of NIST's sclite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from aune.core.errors import UsageError

NULL = "@"
MOST_DEPTH = 50


class Maybe(str):
    """A word that may be missing."""

    __slots__ = ()


Tree: TypeAlias = "list[str | list[Tree]]"
"""Words, and choices between several trees."""


class Network(NamedTuple):
    """Arcs between nodes, one word each; every arc comes after those that lead to it. Node 0 is the start."""

    words: tuple[str, ...]
    optional: tuple[bool, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    last: int
    """The node where every wording ends."""


def tokens(text: str) -> Iterator[str]:
    """Words, braces and the slashes between braces."""
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


def parsed(text: str, optional: bool = True) -> Tree:
    """The words and choices of a transcript; ValueError says what is wrong with it.

    `optional` gives parentheses around a word their meaning.

    >>> parsed("a { b / c d } e")
    ['a', [['b'], ['c', 'd']], 'e']
    """
    stack: list[list[Tree]] = [[[]]]
    for token in tokens(text):
        if token == "{":
            if len(stack) > MOST_DEPTH:
                raise ValueError(f"found more than {MOST_DEPTH} braces inside one another, expected fewer")
            stack.append([[]])
        elif token == "}":
            if len(stack) == 1:
                raise ValueError("found '}', expected a '{' before it")
            choices = stack.pop()
            stack[-1][-1].append(choices)
        elif token == "/" and len(stack) > 1:
            stack[-1].append([])
        else:
            stack[-1][-1].append(Maybe(token[1:-1]) if optional and in_parentheses(token) else token)
    if len(stack) > 1:
        raise ValueError("found '{', expected a '}' after it")
    return stack[0][0]


def in_parentheses(word: str) -> bool:
    return len(word) > 2 and word[0] == "(" and word[-1] == ")" and word != "(())"


def first_wording(tree: Tree) -> list[str]:
    """The words of the first alternative everywhere, without the words that are not there."""
    words: list[str] = []
    for item in tree:
        words += first_wording(item[0]) if isinstance(item, list) else [str(item)] if item != NULL else []
    return words


def has_choices(tree: Tree) -> bool:
    """Whether a transcript has more than one wording."""
    return any(isinstance(item, list | Maybe) or item == NULL for item in tree)


def mapped(tree: Tree, change: Callable[[str], Sequence[str]]) -> Tree:
    """The same choices with each word replaced by words."""
    found: Tree = []
    for item in tree:
        if isinstance(item, list):
            found.append([mapped(choice, change) for choice in item])
        elif item == NULL:
            found.append(item)
        else:
            found += map(Maybe, change(item)) if isinstance(item, Maybe) else change(item)
    return found


def network(tree: Tree) -> Network:
    """The graph of a transcript with choices.

    >>> network(parsed("a { b / @ }")).ends
    (1, 2, 2)
    """
    arcs: list[tuple[str, bool, int, int]] = []
    nodes = [0]

    def node() -> int:
        nodes.append(len(nodes))
        return nodes[-1]

    def add(part: Tree, start: int, end: int | None) -> int:
        """Arcs from `start` through the part, the last one to `end` where that is given."""
        part = part or [NULL]
        for number, item in enumerate(part):
            goal = end if end is not None and number == len(part) - 1 else node()
            if isinstance(item, list):
                for choice in item:
                    add(choice, start, goal)
            else:
                arcs.append((str(item), isinstance(item, Maybe), start, goal))
            start = goal
        return start

    last = add(tree, 0, None)
    words, optional, starts, ends = (tuple(column) for column in zip(*arcs, strict=True))
    return Network(words, optional, starts, ends, last)


def line(words: Sequence[str]) -> Network:
    """A transcript with one wording, as a graph."""
    size = len(words)
    return Network(tuple(words), (False,) * size, tuple(range(size)), tuple(range(1, size + 1)), size)


class Costs(NamedTuple):
    """What the steps of an alignment cost."""

    substitution: Callable[[str, str], int]
    gap: int
    optional: int
    """A word left out that may be missing."""
    null: int = 1
    """Passing a word that is not there."""


class Step(NamedTuple):
    """One step of an alignment: `=` correct, `S`, `D`, `I`, or `O` for a word that was allowed to be missing."""

    kind: str
    key: str
    response: str


SCLITE = Costs(lambda key, response: 4000, 3000, 2000)
LEVENSHTEIN = Costs(lambda key, response: 1_000_000, 1_000_000, 10)


def aligned(key: Network, response: Network, costs: Costs, same: Callable[[str, str], bool]) -> list[Step]:
    """The cheapest alignment of one wording of the key with one of the response.

    Ties: a pair of words rather than a gap, and an insertion rather than a deletion; the first alternative.
    """
    if len(key.words) * len(response.words) > 25_000_000:
        raise UsageError("an utterance with alternatives is too long to align: cut it at pauses")
    before_key, before_response = _before(key), _before(response)
    rows, columns = len(key.words) + 1, len(response.words) + 1
    gap_key = [0, *(_gap(word, may, costs) for word, may in zip(key.words, key.optional, strict=True))]
    gap_response = [0, *(_gap(word, may, costs) for word, may in zip(response.words, response.optional, strict=True))]
    cost = [[0] * columns for _ in range(rows)]
    back: list[list[tuple[int, int]]] = [[(0, 0)] * columns for _ in range(rows)]
    for b in range(1, columns):
        least, place = min((cost[0][j], n) for n, j in enumerate(before_response[b]))
        cost[0][b], back[0][b] = least + gap_response[b], (0, before_response[b][place])
    for a in range(1, rows):
        least, place = min((cost[i][0], n) for n, i in enumerate(before_key[a]))
        row = cost[a]
        row[0], back[a][0] = least + gap_key[a], (before_key[a][place], 0)
        word, earlier = key.words[a - 1], before_key[a]
        for b in range(1, columns):
            found, places = response.words[b - 1], before_response[b]
            pair, i, j = _least_pair(cost, earlier, places)
            pair += _pair_cost(word, found, costs, same)
            deleted, above = min((cost[k][b], n) for n, k in enumerate(earlier))
            inserted, left = min((row[k], n) for n, k in enumerate(places))
            deleted, inserted = deleted + gap_key[a], inserted + gap_response[b]
            if pair <= deleted and pair <= inserted:
                row[b], back[a][b] = pair, (i, j)
            elif deleted < inserted:
                row[b], back[a][b] = deleted, (earlier[above], b)
            else:
                row[b], back[a][b] = inserted, (a, places[left])
    return _traced(key, response, cost, back, same)


def _before(graph: Network) -> list[list[int]]:
    """For every arc (from 1; 0 stands before them all) the arcs that lead to it."""
    into: dict[int, list[int]] = {0: [0]}
    for number, end in enumerate(graph.ends, 1):
        into.setdefault(end, []).append(number)
    return [[], *(into[start] for start in graph.starts)]


def _gap(word: str, optional: bool, costs: Costs) -> int:
    return costs.null if word == NULL else costs.optional if optional else costs.gap


def _least_pair(cost: list[list[int]], rows: list[int], columns: list[int]) -> tuple[int, int, int]:
    if len(rows) == 1 and len(columns) == 1:
        return cost[rows[0]][columns[0]], rows[0], columns[0]
    least, first, second = min((cost[i][j], n, m) for n, i in enumerate(rows) for m, j in enumerate(columns))
    return least, rows[first], columns[second]


def _pair_cost(key: str, response: str, costs: Costs, same: Callable[[str, str], bool]) -> int:
    if key == NULL and response == NULL:
        return costs.gap
    return 0 if same(key, response) else costs.substitution(key, response)


def _traced(
    key: Network, response: Network, cost: list[list[int]], back: list[list[tuple[int, int]]],
    same: Callable[[str, str], bool],
) -> list[Step]:  # fmt: skip
    ends = [number for number, end in enumerate(key.ends, 1) if end == key.last] or [0]
    goals = [number for number, end in enumerate(response.ends, 1) if end == response.last] or [0]
    _, a, b = _least_pair(cost, ends, goals)
    steps: list[Step] = []
    while a or b:
        i, j = back[a][b]
        expected, given = key.words[a - 1] if i != a else "", response.words[b - 1] if j != b else ""
        if i == a:
            if given != NULL:
                steps.append(Step("O" if response.optional[b - 1] else "I", "", given))
        elif j == b:
            if expected != NULL:
                steps.append(Step("O" if key.optional[a - 1] else "D", expected, ""))
        else:
            steps.append(Step("=" if same(expected, given) else "S", expected, given))
        a, b = i, j
    return steps[::-1]


def same_word(key: str, response: str) -> bool:
    return key == response


def same_or_fragment(key: str, response: str) -> bool:
    """Whether two words are the same, or one is a fragment of the other: `fi-` of `find`, `-icks` of `ticks`.

    >>> same_or_fragment("fi-", "find"), same_or_fragment("-lk", "milk"), same_or_fragment("fi-", "milk")
    (True, True, False)
    """
    for part, whole in ((key, response), (response, key)):
        if len(part) > 1 and part[0] == "-":
            return len(whole) >= len(part) - 1 and whole[len(whole) - len(part) + 1 :] == part[1:]
        if len(part) > 1 and part[-1] == "-":
            return whole[: len(part) - 1] == part[:-1]
    return key == response
