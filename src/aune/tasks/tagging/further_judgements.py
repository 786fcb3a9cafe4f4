"""What annotators of tagged text decide beyond the judged column: words, sentences, other columns, trees, compounds.

Values are sets, so that annotators who agree in part of a value (features, edges of an enhanced graph) agree in part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from aune.contract.task import Judgements
from aune.tasks.tagging.enhanced import parse_edges
from aune.tasks.tagging.judgements import WITHOUT_TAG, JudgedColumn, Place, count_unjudged, judged_columns, word_places
from aune.tasks.tagging.model import NO_HEAD, NO_TAG, Document, alternatives

Values: TypeAlias = Iterable[frozenset[Any]]
"""The value of each word of a document."""
Reader: TypeAlias = Callable[[Document, Sequence[Place]], Values | None]
"""Reads the values of a document, given the places of its words; None if the document does not have such values."""
NOTHING: frozenset[Any] = frozenset()
SENTENCE = "begins a sentence"
ROOT = "root"


def further_judgements(
    texts: Sequence[Sequence[Document | None]], *, column: JudgedColumn = "auto"
) -> dict[str, list[Judgements]]:
    """A row per word, as in `judgements`, for everything in which annotators differ beyond the judged column.

    - `words`: the cuts into words and sentences; a word that an annotator cut differently has the empty set;
    - `column=NAME`: the other columns and the heads, unless a column is named; and the judged column if only some
      annotators give a word a value there. A word without a value has the empty set;
    - `compounds`: words that also form one unit, with the tags of the unit.
    """
    judged = {name for documents in texts for name in judged_columns(documents, column) if name}
    are_untagged = any(count_unjudged(documents, column=column)[WITHOUT_TAG] for documents in texts)
    names = {name for documents in texts for document in documents if document is not None for name in document.columns}
    others = [*names - judged, "head"] if column == "auto" else []
    readers: dict[str, Reader] = {"words": _cuts, "compounds": _compounds}
    for name in sorted([*others, *(judged if are_untagged else ())]):
        readers[f"column={name}"] = READERS.get(name) or partial(_cells, name=name)
    places = [[[] if document is None else word_places(document) for document in documents] for documents in texts]
    tables = {name: list(map(partial(_table, read=read), texts, places)) for name, read in readers.items()}
    return {name: by_text for name, by_text in tables.items() if any(map(_has_difference, by_text))}


def _table(documents: Sequence[Document | None], places: Sequence[Sequence[Place]], read: Reader) -> Judgements:
    """The values of each word that any annotator has; None where an annotator has no such word or no such column.

    For the cuts themselves, a word that an annotator does not have has the empty set.
    """
    by_annotator: list[dict[Place, frozenset[Any]] | None] = []
    for document, words in zip(documents, places, strict=True):
        values = None if document is None else read(document, words)
        by_annotator.append(None if values is None else dict(zip(words, values, strict=True)))
    missing = NOTHING if read is _cuts else None
    return [
        [None if values is None else values.get(word, missing) for values in by_annotator]
        for word in sorted({word for words in places for word in words})
    ]


def _has_difference(table: Judgements) -> bool:
    return any(len({value for value in row if value is not None}) > 1 for row in table)


def _cuts(document: Document, places: Sequence[Place]) -> Values:
    starts = set(document.sentences.tolist())
    for number, place in enumerate(places):
        yield frozenset([place, SENTENCE] if number in starts else [place])


def _compounds(document: Document, places: Sequence[Place]) -> Values:
    units: dict[int, set[Any]] = {}
    for compound in document.compounds:
        tags = frozenset(alternatives(compound.tags))
        units.setdefault(compound.start, set()).add((places[compound.end - 1], tags))
    return (frozenset(units.get(number, ())) for number in range(len(places)))


def _cells(document: Document, places: Sequence[Place], name: str) -> Values | None:
    """The alternatives in each cell of a column."""
    return _split_cells(document, name, partial(alternatives, column=name))


def _features(document: Document, places: Sequence[Place]) -> Values | None:
    return _split_cells(document, "feats", lambda cell: () if cell in NO_TAG else cell.split("|"))


def _split_cells(document: Document, name: str, split: Callable[[str], Iterable[str]]) -> Values | None:
    if name not in document.columns:
        return None
    codes, names = document.columns[name]
    sets = [frozenset(split(cell)) for cell in names]
    return map(sets.__getitem__, codes.tolist())


def _heads(document: Document, places: Sequence[Place]) -> Values | None:
    """The head of each word as its place in the text."""
    if document.heads is None:
        return None
    return (
        NOTHING if head == NO_HEAD else frozenset([ROOT if head < 0 else places[head]])
        for head in document.heads.tolist()
    )


def _edges(document: Document, places: Sequence[Place]) -> Values | None:
    """The edges of the enhanced graph at each word, with how often it has each."""
    if "deps" not in document.columns:
        return None
    cells = document.columns["deps"].values()
    bounds = pairwise([*document.sentences.tolist(), len(document)])
    return (_edges_of(cell, places[start:end]) for start, end in bounds for cell in cells[start:end])


def _edges_of(cell: str, sentence: Sequence[Place]) -> frozenset[Any]:
    """The edges in a cell, with the place of the other word; 0 is the root."""
    return frozenset(
        Counter(
            (sentence[head - 1] if 0 < head <= len(sentence) else head, relation)
            for head, relation in parse_edges(cell)
        ).items()
    )


READERS: dict[str, Reader] = {"feats": _features, "head": _heads, "deps": _edges}
