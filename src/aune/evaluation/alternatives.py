"""Keys with several right answers: for each document and measure, the answer with the best main value.

Every right answer of a document is compared and counted as a separate document, and scored by the measure itself, so
that no measure knows about alternatives. Up to `MOST_COMBINATIONS` right answers of a document are all tried. Beyond,
one alternative is changed at a time while this improves the value, starting from the annotation of the document: the
value is then at least that of the document as annotated, and no single change improves it.

Among right answers with the same value, the one with the least to find wins, then the one with the smallest counts,
then the first by its content. A document in which a measure counts nothing on either side is perfect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from aune.contract.alternatives import KeyChoices
from aune.contract.measure import Column, Layout, Measure, flatten, layout_of, mean_of_defined
from aune.contract.notes import Note
from aune.contract.task import Pair, Task, rename_document
from aune.numeric.arrays import Ints
from aune.results.rows import encode_values, resolve_attribute

MOST_COMBINATIONS = 1024
"""All right answers of a document are tried up to this number."""
MOST_AT_ONCE = 2048  # right answers that are compared together
DIGITS = 12  # decimals to which values are rounded before they are compared

Answer: TypeAlias = tuple[int, tuple[int, ...]]
"""One right answer: the key of its document, and the alternative taken at each choice, as numbers."""
Rank: TypeAlias = tuple[float, ...]
"""The rank of an answer for a measure; the highest is the best."""


class MeasuredPairs(NamedTuple):
    """Pairs of documents, and the measures for which these right answers are the best."""

    measures: Sequence[Measure]
    pairs: Sequence[Pair]


class OpenKey(NamedTuple):
    """A document whose key has several right answers."""

    place: int
    """Its index among the pairs."""
    keys: Sequence[KeyChoices]
    response: Any

    @property
    def is_small(self) -> bool:
        """Whether all right answers are tried."""
        return sum(key.combinations for key in self.keys) <= MOST_COMBINATIONS

    def make(self, answer: Answer) -> Any:
        number, alternatives = answer
        return self.keys[number].make(alternatives)

    def answers(self) -> Iterator[Answer]:
        for number, key in enumerate(self.keys):
            yield from ((number, alternatives) for alternatives in product(*map(range, key.sizes)))

    def neighbours(self, answer: Answer) -> Iterator[Answer]:
        """The answers that differ in one choice."""
        number, alternatives = answer
        for place, size in enumerate(self.keys[number].sizes):
            for other in range(size):
                if other != alternatives[place]:
                    yield number, (*alternatives[:place], other, *alternatives[place + 1 :])

    def starts(self) -> list[Answer]:
        return [(number, (0,) * len(key.sizes)) for number, key in enumerate(self.keys)]


def open_keys(task: Task, pairs: Sequence[Pair]) -> list[OpenKey]:
    """The pairs whose keys have several right answers."""
    make_choices = task.comparing.key_choices
    if make_choices is None:
        return []
    choices = ((place, make_choices(key), response) for place, (key, response) in enumerate(pairs))
    return [OpenKey(*row) for row in choices if row[1]]


def choose_answers(
    task: Task,
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    options: Mapping[str, Mapping[str, Any]],
    compare: Callable[[Sequence[Pair]], Any],
) -> tuple[list[MeasuredPairs], list[Note]]:
    """The pairs with the right answers that are best for each measure, and notes for the user about the choice.

    `options` are those of each measure, by its name; `compare` compares pairs, each time with the same survey.
    """
    keys = open_keys(task, pairs)
    if not keys:
        return [MeasuredPairs(measures, pairs)], []
    search = _Search(task, keys, measures, options, compare)
    search.show_everything()
    best = {measure.name: search.best_answers(measure) for measure in measures}
    groups: dict[tuple[Answer, ...], list[Measure]] = {}
    for measure in measures:
        groups.setdefault(tuple(best[measure.name]), []).append(measure)
    groups = groups or {tuple(key.starts()[0] for key in keys): []}
    selections = [MeasuredPairs(group, _replace_keys(pairs, keys, answers)) for answers, group in groups.items()]
    return selections, _notes(pairs, keys)


def _replace_keys(pairs: Sequence[Pair], keys: Sequence[OpenKey], answers: Sequence[Answer]) -> list[Pair]:
    chosen = list(pairs)
    for key, answer in zip(keys, answers, strict=True):
        chosen[key.place] = (key.make(answer), key.response)
    return chosen


def _notes(pairs: Sequence[Pair], keys: Sequence[OpenKey]) -> list[Note]:
    large = [pairs[key.place][0].id for key in keys if not key.is_small]
    return [Note("alternatives", _large_key_text, {"documents": len(large)}, large[0])] if large else []


def _large_key_text(counts: Mapping[str, int], first: str) -> str:
    number = counts["documents"]
    documents = f"{number} documents, first {first}," if number > 1 else f"document {first}"
    has = "have" if number > 1 else "has"
    return (
        f"{documents} {has} more than {MOST_COMBINATIONS:,} right answers: alternatives are changed one by one while "
        "that improves the value, and the one taken may not be the best"
    )


class _Search:
    """The right answers of some documents, with the rank of each for each measure."""

    def __init__(
        self,
        task: Task,
        keys: Sequence[OpenKey],
        measures: Sequence[Measure],
        options: Mapping[str, Mapping[str, Any]],
        compare: Callable[[Sequence[Pair]], Any],
    ) -> None:
        self.task, self.keys, self.measures, self.options, self.compare = task, keys, measures, options, compare
        self.ranks: dict[str, dict[tuple[int, Answer], Rank]] = {measure.name: {} for measure in measures}

    def show_everything(self) -> None:
        """Show every alternative to the survey once, so that its answers do not depend on the choice."""
        variants = [
            (number, answer)
            for number, key in enumerate(self.keys)
            for start in key.starts()
            for answer in (start, *key.neighbours(start))
        ]
        for first in range(0, len(variants), MOST_AT_ONCE):
            self.compare(self._pairs(variants[first : first + MOST_AT_ONCE]))

    def best_answers(self, measure: Measure) -> list[Answer]:
        """The best right answer of each document."""
        small = [number for number, key in enumerate(self.keys) if key.is_small]
        self._rank((number, answer) for number in small for answer in self.keys[number].answers())
        return [
            self._best(measure, number, key.answers() if key.is_small else self._ascend(measure, number))
            for number, key in enumerate(self.keys)
        ]

    def _best(self, measure: Measure, number: int, answers: Iterable[Answer]) -> Answer:
        ranks = self.ranks[measure.name]
        candidates = list(answers)
        highest = max(ranks[number, answer] for answer in candidates)
        best = [answer for answer in candidates if ranks[number, answer] == highest]
        key = self.keys[number]
        return best[0] if len(best) == 1 else min(best, key=lambda answer: key.keys[answer[0]].order(key.make(answer)))

    def _ascend(self, measure: Measure, number: int) -> Iterator[Answer]:
        """Starting from each key of a document, the answer that no change of one alternative improves."""
        ranks, key = self.ranks[measure.name], self.keys[number]
        for start in key.starts():
            answer = start
            while True:
                neighbours = [answer, *key.neighbours(answer)]
                self._rank((number, neighbour) for neighbour in neighbours)
                best = self._best(measure, number, neighbours)
                if ranks[number, best] <= ranks[number, answer]:
                    break
                answer = best
            yield answer

    def _pairs(self, variants: Sequence[tuple[int, Answer]]) -> list[Pair]:
        """Right answers as documents with separate names."""
        pairs = []
        for place, (number, answer) in enumerate(variants):
            key, response = self.keys[number].make(answer), self.keys[number].response
            name = f"{key.id} [{place}]"
            pairs.append((rename_document(key, name), rename_document(response, name)))
        return pairs

    def _rank(self, variants: Iterable[tuple[int, Answer]]) -> None:
        """Rank answers for all measures, unless they are ranked already."""
        known = next(iter(self.ranks.values()), {})
        pending = [variant for variant in dict.fromkeys(variants) if variant not in known]
        for first in range(0, len(pending), MOST_AT_ONCE):
            batch = pending[first : first + MOST_AT_ONCE]
            pairs = self._pairs(batch)
            comparison = self.compare(pairs)
            for measure in self.measures:
                rank = partial(_ranks, self.task, measure, self.options[measure.name])
                if measure.settle is None:
                    rows = rank(comparison, pairs)
                else:  # a measure that is computed over the corpus is computed for each answer alone
                    rows = [row for pair in pairs for row in rank(self.compare([pair]), [pair])]
                self.ranks[measure.name].update(zip(batch, rows, strict=True))


def _ranks(
    task: Task, measure: Measure, options: Mapping[str, Any], comparison: Any, pairs: Sequence[Pair]
) -> list[Rank]:
    """The rank of each document of a comparison for a measure."""
    counts = measure.count_comparison(comparison, options)
    matrix, layout = flatten(counts), layout_of(counts)
    units = getattr(comparison, measure.units)
    owners = row_owners(task, units, pairs) if len(pairs) > 1 else np.zeros(len(matrix), np.int64)
    sums = _sum_rows(matrix, owners, len(pairs))
    values = _main_values(measure, options, layout, _Rows(matrix, owners, units), sums)
    perfect = float(measure.goodness(np.asarray(measure.perfect_of(measure.headline))))
    goodness = np.where((sums == 0).all(axis=1), perfect, _goodness(measure, values)).round(DIGITS)
    columns = layout.columns()
    support = [columns.index(name) for name in measure.support_counts if name in columns]
    ranks = np.column_stack([goodness, -sums[:, support].sum(axis=1), -sums])
    return list(map(tuple, ranks.tolist()))


class _Rows(NamedTuple):
    matrix: Column
    owners: Ints
    """The index of the document of each row."""
    units: Mapping[str, Sequence[Any]]


def _sum_rows(matrix: Column, owners: Ints, size: int) -> Column:
    return np.stack([np.bincount(owners, column, size) for column in matrix.T], axis=1)


def _main_values(measure: Measure, options: Mapping[str, Any], layout: Layout, rows: _Rows, sums: Column) -> Column:
    """The main value of each document; for an average over groups, the mean over its groups."""
    score_options = measure._options_for(measure.score, options)
    by = resolve_attribute(measure.by, rows.units) if measure.by else ""
    if by in rows.units and by != "document":
        names, codes = encode_values(rows.units[by])
        cells = rows.owners * len(names) + codes
        by_group = _sum_rows(rows.matrix, cells, len(sums) * len(names))
        is_present = np.bincount(cells, minlength=len(by_group)) > 0
        is_present &= np.tile([name is not None for name in names], len(sums))
        score = measure.name_values(measure.score(layout.unflatten(by_group), **score_options))
        grouped = np.where(is_present, score[measure.headline], np.nan).reshape(len(sums), len(names))
        return np.asarray(mean_of_defined(grouped))
    return np.asarray(measure.name_values(measure.score(layout.unflatten(sums), **score_options))[measure.headline])


def _goodness(measure: Measure, values: Column) -> Column:
    """Values with the sign that makes higher better; an undefined value becomes the worst possible one."""
    is_higher_better = measure.better_of(measure.headline) == "higher"
    worst = measure.range_of(measure.headline).low if is_higher_better else -np.inf
    return np.where(np.isnan(values), worst, measure.goodness(values))


def row_owners(task: Task, units: Mapping[str, Sequence[str]], pairs: Sequence[Pair]) -> Ints:
    """The pair that each row belongs to."""
    numbers = {name: number for number, (key, _) in enumerate(pairs) for name in task.reading.parts(key)}
    return np.fromiter((numbers[name] for name in units[task.reading.part]), np.int64, len(units[task.reading.part]))
