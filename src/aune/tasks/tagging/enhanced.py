"""The enhanced graphs of both sides over their common words, which ELAS and EULAS compare.

A word may depend on several words. Its cell lists them as `head:relation`, separated by `|`; a relation that leads
through empty nodes, which were collapsed, is a path such as `conj>obj`. An edge of the response is right when the key
has one between the same words with the same relation; each edge is matched once. Edges from empty nodes (`8.1:obj`)
are left out on both sides, as by the scorer of the IWPT shared tasks for files that are not collapsed.

Source: the IWPT 2020 shared task (Bouma et al. 2020).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from aune.contract.measure import Column, Measure, ratio
from aune.numeric.arrays import Ints, Numbering
from aune.tasks.tagging.alignment import Side
from aune.tasks.tagging.comparison import Comparison

Edge: TypeAlias = tuple[int, str]
"""The number of the head in its sentence (0 for the root), and the relation."""
EDGE = re.compile(r"(\d{1,9}):(.+)", re.ASCII)
NO_WORD = -1
"""A head that is not a word of the sentence, or of the key."""
MOST_PATHS, MOST_STEPS = 1000, 100_000
NO_GRAPH = "the key has no enhanced dependencies"


class EdgeCounts(NamedTuple):
    """Numbers of edges, by unit."""

    correct: Column
    key: Column
    response: Column


class EdgeScore(NamedTuple):
    """The number of edges that both sides have."""

    precision: Column
    recall: Column
    f1: Column


class Edges(NamedTuple):
    """The edges of one side, one per row. Words are numbered over the side; the root is the number of words."""

    word: Ints
    head: Ints
    relation: Ints


def parse_edges(cell: str) -> list[Edge]:
    """The edges in a cell, without those from empty nodes.

    >>> parse_edges("2:nsubj|5:conj>nsubj|5.1:obj"), parse_edges("_")
    ([(2, 'nsubj'), (5, 'conj>nsubj')], [])
    """
    matches = (EDGE.fullmatch(part) for part in cell.split("|"))
    return [(int(match[1]), match[2]) for match in matches if match]


def universal_path(relation: str) -> str:
    """A relation, or a path of relations, without sub-types.

    >>> universal_path("conj:and>nsubj:pass")
    'conj>nsubj'
    """
    return ">".join(step.partition(":")[0] for step in relation.split(">"))


def _side_edges(side: Side, relations: Numbering[str], plain: Callable[[str], str]) -> Edges:
    """All edges of a side."""
    words: list[int] = []
    heads: list[int] = []
    names: list[str] = []
    parsed: dict[str, list[Edge]] = {}
    for document, base in zip(side.documents, side.first.tolist(), strict=False):
        bounds = [*(document.sentences + base).tolist(), base + len(document)]
        cells = document.column("deps").values()
        for start, end in pairwise(bounds):
            for word in range(start, end):
                cell = cells[word - base]
                if cell not in parsed:
                    parsed[cell] = [(head, plain(relation)) for head, relation in parse_edges(cell)]
                for head, relation in parsed[cell]:
                    words.append(word)
                    heads.append(len(side) if not head else start + head - 1 if head <= end - start else NO_WORD)
                    names.append(relation)
    return Edges(np.array(words, np.int64), np.array(heads, np.int64), relations.codes(names, len(names)))


def count_edges(comparison: Comparison, plain: Callable[[str], str] = str) -> EdgeCounts:
    """The edges of both sides, and those that they share, by unit."""
    if not comparison.carries("deps"):
        return EdgeCounts(*np.zeros((len(EdgeCounts._fields), comparison.unit_count)))
    relations: Numbering[str] = Numbering()
    key_side, response_side = comparison.key, comparison.words.side
    key, response = (_side_edges(side, relations, plain) for side in (key_side, response_side))
    key_words, response_words = comparison.words.paired
    partners = np.full(len(response_side) + 2, NO_WORD)  # for each response word, its root, and `NO_WORD`
    partners[response_words], partners[len(response_side)] = key_words, len(key_side)
    word, head = partners[response.word], partners[response.head]
    is_comparable = (word >= 0) & (head >= 0)
    translated = Edges(word[is_comparable], head[is_comparable], response.relation[is_comparable])
    return EdgeCounts(
        comparison.per_unit(comparison.key_unit[_shared_words(key, translated, len(key_side), len(relations))]),
        comparison.per_unit(comparison.key_unit[key.word]),
        comparison.per_unit(comparison.words.unit[response.word]),
    )


def _shared_words(key: Edges, response: Edges, word_count: int, relation_count: int) -> Ints:
    """The key word of each edge that both sides have, repeated as often as both have it."""
    heads, relations = word_count + 2, max(relation_count, 1)
    codes = [(edges.word * heads + edges.head + 1) * relations + edges.relation for edges in (key, response)]
    (key_codes, key_counts), (response_codes, response_counts) = (np.unique(code, return_counts=True) for code in codes)
    shared, in_key, in_response = np.intersect1d(key_codes, response_codes, assume_unique=True, return_indices=True)
    words = np.asarray(shared // (heads * relations), np.int64)
    return np.repeat(words, np.minimum(key_counts[in_key], response_counts[in_response]))


def score_edges(edges: EdgeCounts) -> EdgeScore:
    correct, key, response = edges
    is_defined = np.asarray(key) > 0
    return EdgeScore(
        ratio(correct, np.where(is_defined, response, 0)),
        ratio(correct, key),
        ratio(2 * correct, np.where(is_defined, key + response, 0)),
    )


def edge_measure(count: Callable[[Comparison], EdgeCounts]) -> Measure:
    """A measure that counts the shared edges."""
    return Measure(count, score_edges, main="f1", undefined=dict.fromkeys(EdgeScore._fields, NO_GRAPH))


def collapse_empty_nodes(cells: Sequence[str], empty_nodes: Mapping[str, str]) -> list[str]:
    """The cells of a sentence with each edge from an empty node replaced by paths from the words above it.

    `empty_nodes` maps the number of each empty node to its cell. A path that returns to an empty node ends there. A
    word with more paths than `MOST_PATHS` raises ValueError.

    >>> collapse_empty_nodes(["2:nsubj", "0:root", "2.1:obj"], {"2.1": "2:conj:and|1:dep"})
    ['2:nsubj', '0:root', '1:dep>obj|2:conj:and>obj']
    """
    above = {number: _split_edges(cell) for number, cell in empty_nodes.items()}
    return [_collapse_cell(cell, above) for cell in cells]


def _split_edges(cell: str) -> list[tuple[str, str]]:
    pairs = (part.partition(":") for part in cell.split("|"))
    return [(head, relation) for head, _, relation in pairs if relation]


def _collapse_cell(cell: str, above: Mapping[str, list[tuple[str, str]]]) -> str:
    """A cell with its edges replaced, if any of them comes from an empty node."""
    edges = _split_edges(cell)
    if not any("." in head for head, _ in edges):
        return cell
    paths = list(islice(_paths(edges, above), MOST_PATHS + 1))
    if len(paths) > MOST_PATHS:
        raise ValueError(f"more than {MOST_PATHS} paths through empty nodes to one word")
    order = sorted(set(paths), key=lambda edge: (int(edge[0]) if edge[0].isdigit() else 0, edge[1]))
    return "|".join(f"{head}:{relation}" for head, relation in order) or "_"


def _paths(edges: Sequence[tuple[str, str]], above: Mapping[str, list[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """The edges, with those from empty nodes followed up to words."""
    waiting: list[tuple[str, str, tuple[str, ...]]] = [(head, relation, ()) for head, relation in edges]
    steps = 0
    while waiting:
        head, relation, passed = waiting.pop()
        steps += 1
        if steps > MOST_STEPS:
            raise ValueError(f"more than {MOST_STEPS:,} steps through empty nodes to one word")
        if "." not in head:
            yield head, relation
        elif head not in passed:
            waiting += [(upper, f"{name}>{relation}", (*passed, head)) for upper, name in above.get(head, ())]
