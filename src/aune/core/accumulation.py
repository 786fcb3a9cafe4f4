"""Scores of what comes batch by batch, as in a training loop: nothing is kept of a batch but its totals.

    scores = aune.accumulate("speech", measures=["wer"])
    for key, response in batches:
        scores.add(key, response)
    print(scores.result())

Totals are exact in any order, so several accumulators (one per process, say) merge into the same values that scoring
everything at once would have given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from aune import __version__
from aune.core import registry
from aune.core.asked import asked_options, chosen_measures
from aune.core.calls import told
from aune.core.corpus import (
    CUT,
    Corpus,
    Input,
    Paired,
    Unpaired,
    documents_in,
    is_file_like,
    paired,
    reader_options,
    repeated,
    told_unpaired,
)
from aune.core.door import guarded
from aune.core.errors import InputError, NothingToScoreError, UsageError
from aune.core.measure import Layout, Measure, flatten, layout_of
from aune.core.notes import Note, as_note, merged, worded
from aune.core.options import options_of, shown, signed_options
from aune.core.result import Result, Scored
from aune.core.rows import Rows, attribute_named
from aune.core.shapes import check_same_number, refused
from aune.core.signature import signature
from aune.core.survey import Survey, disagrees
from aune.core.task import Batch, Comparison, renamed

EVERYTHING = "all"
POLICY = {"missing": "empty", "extra": "ignore"}  # what happens to documents that only one side of a batch has
SEVERAL = 20  # notes that are kept before they are merged


def accumulate(
    task: str, measures: str | Sequence[str | Measure] | None = None, convention: str | None = None, **options: Any
) -> Accumulator:
    """An accumulator for some measures of a task, under any of its options.

    >>> scores = accumulate("speech", measures=["wer"])
    >>> scores.add(["one two"], ["one too"]).add(["three"], ["three"]).result()["wer"].wer
    0.3333333333333333
    """
    return Accumulator(task, measures, convention, options)


class Accumulator:
    """Totals of batches. Small to pickle: it holds numbers and names, no documents."""

    def __init__(
        self,
        task: str,
        measures: str | Sequence[str | Measure] | None,
        convention: str | None,
        options: Mapping[str, Any],
    ) -> None:
        self.task = registry.task(task).name
        wanted = registry.split_names(measures) if isinstance(measures, str) else measures
        self.asked_for = (tuple(wanted) if wanted else None, convention, dict(options))
        self._prepare()
        self.reset()

    def _prepare(self) -> None:
        """Everything that is the same for every batch."""
        measures, convention, options = self.asked_for
        self._home = registry.task(self.task)
        self._measures = chosen_measures(self._home, measures)
        for measure in self._measures:
            measure.check_packages()
        asked = asked_options(self._home, self._measures, convention, options)
        self._reading = reader_options(self._home.documents, asked.given)
        self._comparing = asked.of(options_of(self._home.compare))
        self._counting = {measure.name: asked.of(measure.options) | dict(measure.given) for measure in self._measures}
        self._named = any(measure.by for measure in self._measures)
        plain = measures is not None and len(measures) == 1 and convention is None and not options
        self._batch = self._home.batches.get(self._measures[0].name) if plain else None

    def reset(self) -> Accumulator:
        """Begin again with nothing."""
        self.pairs = 0
        self.known: dict[str, frozenset[str]] = {}
        """What the first batch shows of what a corpus is asked: it decides for all."""
        self.signed: dict[str, Any] = {}
        self.usual: frozenset[str] = frozenset()
        self.totals: dict[str, dict[str, list[list[float]]]] = {}
        """By measure and group, the sum of each column: numbers that add up to it exactly."""
        self.layouts: dict[str, Layout] = {}
        self.parts: dict[str, list[Any]] = {}
        self.notes: list[Note] = []
        self.facts: Counter[Any] = Counter()
        self.held = (False, False)
        """Whether any key and any response held what is compared."""
        self.missing, self.extra = Unpaired(), Unpaired()
        """What had no counterpart in its batch."""
        self.cut = False
        """Whether any response had no document boundaries, and was cut like its key."""
        return self

    def add(self, key: Any, response: Any) -> Accumulator:
        """Count one batch: plain Python structures, as for `aune.score`."""
        if self._batch and self.pairs:  # the first one decides for all
            batch = self._batch(key, response)
            if batch and not disagrees(batch.seen, self.known):
                return self._taken(batch)
        home, batch_pairs = self._home, self._paired(key, response)
        pairs = batch_pairs.pairs
        if not pairs:
            return self
        survey = Survey(self.known)
        comparison = home.compare(pairs, survey, **self._comparing)
        counts = [measure.part(comparison, self._counting[measure.name]) for measure in self._measures]
        # Nothing is taken in before all of it was counted: a batch that is refused has left no trace.
        if home.usual and self.asked_for[0] is None:
            self.usual |= frozenset(home.usual([document for document, _ in pairs]))
        self.known = self.known or survey.seen
        self.pairs += len(pairs)
        self.signed = dict(comparison.signed)
        self.facts.update(comparison.facts)
        self._hold(home.held(pairs))
        self.missing, self.extra = self.missing.plus(batch_pairs.missing), self.extra.plus(batch_pairs.extra)
        self.cut |= batch_pairs.cut
        if home.told is None:
            self._note(map(as_note, comparison.warnings))
        for measure, of_batch in zip(self._measures, counts, strict=True):
            self._count(measure, comparison, of_batch)
        return self

    def _hold(self, held: tuple[bool, bool]) -> None:
        self.held = self.held[0] or held[0], self.held[1] or held[1]

    def _paired(self, key: Any, response: Any) -> Paired:
        """The documents of a batch, side by side."""
        keys, responses = (self._documents(side) for side in (key, response))
        check_same_number(keys, responses, f"{self._home.part}s")
        if [one.id for one in keys] == [one.id for one in responses]:
            both = Paired(list(zip(keys, responses, strict=True)))
        else:
            both = paired(self._home, Corpus(keys), Corpus(responses))
        if self._named and not isinstance(key, Mapping):
            numbered = enumerate(both.pairs, self.pairs + 1)
            return both._replace(pairs=[(renamed(one, str(place)), other) for place, (one, other) in numbered])
        return both

    def _documents(self, side: Any) -> list[Any]:
        """The documents of one side of a batch."""
        if is_file_like(side):
            raise refused(
                side, "a batch in Python, such as a list", "files are scored by aune.score(task, key, response)"
            )
        documents = documents_in(self._home, side, self._reading)
        if problems := repeated(documents, "the documents given"):
            raise InputError(problems)
        return documents

    def _count(self, measure: Measure, comparison: Comparison, counts: Any) -> None:
        """Add what a measure counted in a batch to its totals."""
        if measure.settle is not None:
            self.parts.setdefault(measure.name, []).append(counts)
            return
        self.layouts[measure.name] = layout_of(counts)
        matrix, groups = flatten(counts), self.totals.setdefault(measure.name, {})
        if not measure.by:
            _add(groups, EVERYTHING, matrix)
            return
        units = getattr(comparison, measure.units)
        names = units[attribute_named(measure.by, units)]
        for name in dict.fromkeys(names):
            _add(groups, name, matrix[np.array([one == name for one in names])])

    def _taken(self, batch: Batch) -> Accumulator:
        """Take in what a batch adds up to."""
        self.pairs += batch.documents
        self.facts.update(batch.facts)
        self._note(batch.notes)
        self._hold(batch.held)
        for sums, total in zip(self.totals[self._measures[0].name][EVERYTHING], batch.totals, strict=True):
            _grow(sums, float(total))
        return self

    def _note(self, notes: Iterable[Note]) -> None:
        """Keep notes, merged when they have become several."""
        self.notes += notes
        if len(self.notes) > SEVERAL:
            self.notes = merged(self.notes)

    def merge(self, other: Accumulator) -> Accumulator:
        """Take in what another accumulator of the same kind has counted."""
        if not isinstance(other, Accumulator) or (self.task, self.asked_for) != (other.task, other.asked_for):
            raise UsageError("accumulators merge when they are of the same task, measures and options")
        for name in self.signed.keys() & other.signed.keys():
            if self.signed[name] != other.signed[name]:
                found = f"{name} {shown(self.signed[name])} and {shown(other.signed[name])}"
                raise UsageError(f"the two decided otherwise ({found}): give the options by name")
        self.pairs += other.pairs
        self.known, self.signed = self.known or other.known, self.signed or other.signed
        self.usual |= other.usual
        self.layouts |= other.layouts
        for name, groups in other.totals.items():
            own = self.totals.setdefault(name, {})
            for group, columns in groups.items():
                mine = own.setdefault(group, [[] for _ in columns])
                for sums, more in zip(mine, columns, strict=True):
                    for number in more:
                        _grow(sums, number)
        for name, parts in other.parts.items():
            self.parts.setdefault(name, []).extend(parts)
        self.notes = merged([*self.notes, *other.notes])
        self.facts.update(other.facts)
        self._hold(other.held)
        self.missing, self.extra = self.missing.plus(other.missing), self.extra.plus(other.extra)
        self.cut |= other.cut
        return self

    @guarded
    def result(self, system: str = "response") -> Result:
        """The scores of everything so far."""
        if not self.pairs:
            raise NothingToScoreError("nothing was added yet: nothing to score")
        scores = []
        for measure in self._measures:
            if self.usual and measure.name.partition(".")[2] not in self.usual:
                continue
            options = self._counting[measure.name]
            policy = POLICY if self.pairs > 1 or self.missing.number or self.extra.number else {}
            shown = signed_options(self._home.compare, self._comparing)
            comparing = {name: value for name, value in shown.items() if name not in self._reading}
            own = {name: value for name, value in options.items() if name not in measure.given}
            printed = {
                **signed_options(self._home.documents, self._reading),
                **policy,
                **comparing,
                **self.signed,
                **own,
            }
            signed = signature(measure.name, printed, __version__)
            scores.append(Scored(system, measure.under(options), signed, self._rows(measure), options))
        inputs = [Input("key", None, None, None, self.pairs)]
        return told(Result(self.task, scores, inputs, self._warnings(system)))

    def _warnings(self, system: str) -> list[str]:
        """What there is to know of all batches, as of a corpus that is scored at once."""
        home = self._home
        notes = [*worded(merged(self.notes)), *(home.told(self.facts) if home.told else ())]
        answered = self.held[1] or self.missing.number == self.pairs  # else the response is said to be empty
        return [
            *([] if self.held[0] else [home.nothing_to_find]),
            *([f"the response: {CUT}"] if self.cut else []),
            *told_unpaired(home.part, "the response", self.pairs, self.missing, self.extra, *POLICY.values()),
            *(f"{system}: {text}" for text in ([] if answered else [home.nothing_given]) + notes),
        ]

    def _rows(self, measure: Measure) -> Rows:
        if measure.settle is not None:
            counts = measure.settle(self.parts[measure.name])
            total = np.concatenate([flatten(one) for one in counts])
            return Rows({"document": [EVERYTHING] * len(total)}, total, layout_of(counts[0]))
        groups = self.totals[measure.name]
        matrix = np.array([[math.fsum(sums) for sums in columns] for columns in groups.values()])
        return Rows(
            {"document": list(groups), measure.by or "document": list(groups)}, matrix, self.layouts[measure.name]
        )

    def __getstate__(self) -> dict[str, Any]:
        self.notes = merged(self.notes)
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __len__(self) -> int:
        return self.pairs


def _add(groups: dict[str, list[list[float]]], name: str, matrix: Any) -> None:
    """Add rows to the sums of a group."""
    columns = groups.get(name)
    if columns is None:
        columns = groups[name] = [[] for _ in range(matrix.shape[1])]
    whole = (matrix == np.floor(matrix)).all(axis=0).tolist()
    sums = matrix.sum(axis=0).tolist()
    for place, column in enumerate(columns):
        if whole[place]:
            _grow(column, sums[place])
        else:
            for number in matrix[:, place].tolist():
                _grow(column, number)


def _grow(sums: list[float], number: float) -> None:
    """Add a number to a sum that is kept exactly, as numbers that do not overlap (Shewchuk 1997)."""
    kept = 0
    for other in sums:
        larger, smaller = (number, other) if abs(number) >= abs(other) else (other, number)
        total = larger + smaller
        rest = smaller - (total - larger)
        if rest:
            sums[kept] = rest
            kept += 1
        number = total
    sums[kept:] = [number]
