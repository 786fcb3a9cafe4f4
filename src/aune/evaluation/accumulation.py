"""Scores of data that comes in batches, as in a training loop: only totals are stored.

    scores = aune.accumulate("speech", measures=["wer"])
    for key, response in batches:
        scores.add(key, response)
    print(scores.result())

Totals are exact in any order, so several accumulators (one per process, say) can be merged. The merged values are those
of scoring all data in one call.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from aune import __version__
from aune.contract import registry
from aune.contract.measure import Layout, Measure, flatten, layout_of
from aune.contract.notes import Note, as_note, merge_notes, note_texts
from aune.contract.options import format_value, options_of, signed_options
from aune.contract.signature import signature
from aune.contract.survey import Survey, disagrees
from aune.contract.task import Batch, Comparison, rename_document
from aune.errors import InputError, NothingToScoreError, UsageError
from aune.evaluation.alternatives import choose_answers
from aune.evaluation.counting import compare_by
from aune.evaluation.pairing import PairedDocuments, UnpairedDocuments, pair_corpora, unpaired_warnings
from aune.evaluation.plan import resolve_options, select_usable_measures
from aune.reading.argument_checks import validate_call
from aune.reading.corpus import Corpus, InputRecord, documents_in, reader_options, repeated_name_problems
from aune.reading.python_inputs import TagSentences, all_of_kind, check_same_number, refusal, to_plain
from aune.reading.source import is_file_like
from aune.results.result import Result, SystemScore, emit_warnings
from aune.results.rows import Rows, resolve_attribute

EVERYTHING = "all"
UNPAIRED_POLICY = {"missing": "empty", "extra": "ignore"}  # what happens to documents that only one side of a batch has
MOST_NOTES = 20  # notes that are stored before they are merged


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
    """Totals of batches. Small to pickle: it contains numbers and names, no documents."""

    def __init__(
        self,
        task: str,
        measures: str | Sequence[str | Measure] | None,
        convention: str | None,
        options: Mapping[str, Any],
    ) -> None:
        self.task = registry.task(task).name
        names = registry.split_names(measures) if isinstance(measures, str) else measures
        self.settings = (tuple(names) if names else None, convention, dict(options))
        self._prepare()
        self.reset()

    def _prepare(self) -> None:
        """Resolve the options, which are the same for every batch."""
        measures, convention, options = self.settings
        self._task_definition = registry.task(self.task)
        self._measures, self._left_out = select_usable_measures(self._task_definition, measures, options)
        for measure in self._measures:
            measure.check_packages()
        resolved_options = resolve_options(self._task_definition, self._measures, convention, options)
        self._reading = reader_options(self._task_definition.reading.documents, resolved_options.explicit)
        self._comparing = resolved_options.values_for(options_of(self._task_definition.comparing.compare))
        self._counting = {
            measure.name: resolved_options.values_for(measure.options) | dict(measure.fixed_options)
            for measure in self._measures
        }
        self._needs_names = any(measure.by for measure in self._measures)
        is_plain = measures is not None and len(measures) == 1 and convention is None and not options
        self._count_batch = self._task_definition.comparing.batches.get(self._measures[0].name) if is_plain else None

    def reset(self) -> Accumulator:
        """Remove the totals of all batches."""
        self.pairs = 0
        self.answers: dict[str, frozenset[str]] = {}
        """The answers of the first batch to the questions about a corpus: they are used for all batches."""
        self.signed: dict[str, Any] = {}
        self.usual: frozenset[str] = frozenset()
        self.totals: dict[str, dict[str, list[list[float]]]] = {}
        """By measure and group, the sum of each column: floats that add up to it exactly."""
        self.layouts: dict[str, Layout] = {}
        self.parts: dict[str, list[Any]] = {}
        self.notes: list[Note] = []
        self.facts: Counter[Any] = Counter()
        self.has_annotation = (False, False)
        """Whether any key and any response had annotation."""
        self.missing, self.extra = UnpairedDocuments(), UnpairedDocuments()
        """Documents without a counterpart in their batch."""
        self.was_cut = False
        """Whether any response had no document boundaries, and was cut like its key."""
        return self

    def add(self, key: Any, response: Any) -> Accumulator:
        """Count one batch of plain Python structures, as `aune.score` takes them.

        If the task has tags, a list of lists of strings is always sentences of tags; (word, tag) pairs are tuples.

        >>> accumulate("pos", measures=["accuracy"]).add([["N", "V"]], [["N", "D"]]).result()["accuracy"].accuracy
        0.5
        """
        if self._count_batch and self.pairs:  # the first batch decides for all
            batch = self._count_batch(key, response)
            if batch and not disagrees(batch.seen, self.answers):
                return self._add_totals(batch)
        task_definition, pairing = self._task_definition, self._pair_batch(key, response)
        pairs = pairing.pairs
        if not pairs:
            return self
        survey = Survey(self.answers)
        compare = compare_by(task_definition, survey, self._comparing)
        selections, notes = choose_answers(task_definition, pairs, self._measures, self._counting, compare)
        comparisons = [(selection.measures, compare(selection.pairs)) for selection in selections]
        counts = [
            (measure, comparison, measure.count_part(comparison, self._counting[measure.name]))
            for measures, comparison in comparisons
            for measure in measures
        ]
        comparison = comparisons[0][1]
        # Totals change only once all measures have counted: a batch that is refused leaves no trace.
        if task_definition.comparing.usual_measures and self.settings[0] is None:
            self.usual |= frozenset(task_definition.comparing.usual_measures([document for document, _ in pairs]))
        self.answers = self.answers or survey.seen
        self.pairs += len(pairs)
        self.signed = dict(comparison.signed)
        self.facts.update(comparison.facts)
        self._record_annotation(task_definition.has_annotation(pairs))
        self.missing, self.extra = self.missing.plus(pairing.missing), self.extra.plus(pairing.extra)
        self.was_cut |= pairing.was_cut
        self._note(notes)
        if task_definition.comparing.fact_texts is None:
            self._note(map(as_note, comparison.warnings))
        for measure, measured, batch_counts in counts:
            self._count(measure, measured, batch_counts)
        return self

    def _record_annotation(self, sides: tuple[bool, bool]) -> None:
        self.has_annotation = self.has_annotation[0] or sides[0], self.has_annotation[1] or sides[1]

    def _pair_batch(self, key: Any, response: Any) -> PairedDocuments:
        """The documents of a batch, paired."""
        keys, responses = (self._documents(side) for side in (key, response))
        check_same_number(keys, responses, f"{self._task_definition.reading.part}s")
        if [document.id for document in keys] == [document.id for document in responses]:
            pairing = PairedDocuments(list(zip(keys, responses, strict=True)))
        else:
            pairing = pair_corpora(self._task_definition, Corpus(keys), Corpus(responses))
        if self._needs_names and not isinstance(key, Mapping):
            numbered = enumerate(pairing.pairs, self.pairs + 1)
            return pairing._replace(
                pairs=[
                    (rename_document(document, str(number)), counterpart)
                    for number, (document, counterpart) in numbered
                ]
            )
        return pairing

    def _documents(self, side: Any) -> list[Any]:
        """The documents of one side of a batch."""
        if is_file_like(side):
            raise refusal(
                side, "a batch in Python, such as a list", "files are scored by aune.score(task, key, response)"
            )
        if self._task_definition.reading.has_tag_sentences:
            side = _as_tag_sentences(side)
        documents = documents_in(self._task_definition, side, self._reading)
        if problems := repeated_name_problems(documents, "the documents given"):
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
            _add_rows(groups, EVERYTHING, matrix)
            return
        units = getattr(comparison, measure.units)
        names = units[resolve_attribute(measure.by, units)]
        for name in dict.fromkeys(names):
            _add_rows(groups, name, matrix[np.array([value == name for value in names])])

    def _add_totals(self, batch: Batch) -> Accumulator:
        """Add the totals of a batch."""
        self.pairs += batch.documents
        self.facts.update(batch.facts)
        self._note(batch.notes)
        self._record_annotation(batch.has_annotation)
        for sums, total in zip(self.totals[self._measures[0].name][EVERYTHING], batch.totals, strict=True):
            _add_exactly(sums, float(total))
        return self

    def _note(self, notes: Iterable[Note]) -> None:
        """Store notes, and merge them when there are many."""
        self.notes += notes
        if len(self.notes) > MOST_NOTES:
            self.notes = merge_notes(self.notes)

    def merge(self, other: Accumulator) -> Accumulator:
        """Add the totals of another accumulator of the same task, measures and options."""
        if not isinstance(other, Accumulator) or (self.task, self.settings) != (other.task, other.settings):
            raise UsageError("accumulators merge when they are of the same task, measures and options")
        for name in self.signed.keys() & other.signed.keys():
            if self.signed[name] != other.signed[name]:
                choices = f"{name} {format_value(self.signed[name])} and {format_value(other.signed[name])}"
                raise UsageError(
                    f"the two accumulators read their batches differently ({choices}): give these options by name"
                )
        self.pairs += other.pairs
        self.answers, self.signed = self.answers or other.answers, self.signed or other.signed
        self.usual |= other.usual
        self.layouts |= other.layouts
        for name, groups in other.totals.items():
            own_groups = self.totals.setdefault(name, {})
            for group, columns in groups.items():
                own_columns = own_groups.setdefault(group, [[] for _ in columns])
                for sums, column in zip(own_columns, columns, strict=True):
                    for number in column:
                        _add_exactly(sums, number)
        for name, parts in other.parts.items():
            self.parts.setdefault(name, []).extend(parts)
        self.notes = merge_notes([*self.notes, *other.notes])
        self.facts.update(other.facts)
        self._record_annotation(other.has_annotation)
        self.missing, self.extra = self.missing.plus(other.missing), self.extra.plus(other.extra)
        self.was_cut |= other.was_cut
        return self

    @validate_call
    def result(self, system: str = "response") -> Result:
        """The scores of all batches so far."""
        if not self.pairs:
            raise NothingToScoreError("nothing was added yet: nothing to score")
        scores = []
        for measure in self._measures:
            if self.usual and measure.name.partition(".")[2] not in self.usual:
                continue
            options = self._counting[measure.name]
            policy = UNPAIRED_POLICY if self.pairs > 1 or self.missing.number or self.extra.number else {}
            compare_options = signed_options(self._task_definition.comparing.compare, self._comparing)
            unread_options = {name: value for name, value in compare_options.items() if name not in self._reading}
            printed = {
                **signed_options(self._task_definition.reading.documents, self._reading),
                **policy,
                **unread_options,
                **self.signed,
                **measure.signed_options(options),
            }
            full_signature = signature(measure.name, printed, __version__)
            scores.append(
                SystemScore(system, measure.with_options(options), full_signature, self._rows(measure), options)
            )
        inputs = [InputRecord("key", None, None, None, self.pairs)]
        return emit_warnings(Result(self.task, scores, inputs, self._warnings(system)))

    compute = result
    """The same, under the name that torchmetrics and evaluate use."""

    def _warnings(self, system: str) -> list[str]:
        """The warnings about all batches, as if a single corpus had been scored."""
        task_definition = self._task_definition
        notes = [
            *note_texts(merge_notes(self.notes)),
            *(task_definition.comparing.fact_texts(self.facts) if task_definition.comparing.fact_texts else ()),
        ]
        has_answer = (
            self.has_annotation[1] or self.missing.number == self.pairs
        )  # otherwise the warning about missing documents reports it
        return [
            *self._left_out,
            *([] if self.has_annotation[0] else [task_definition.empty_key_message]),
            *([f"the response: {task_definition.comparing.split_message}"] if self.was_cut else []),
            *unpaired_warnings(
                task_definition.reading.part,
                "the response",
                self.pairs,
                self.missing,
                self.extra,
                *UNPAIRED_POLICY.values(),
            ),
            *(f"{system}: {text}" for text in ([] if has_answer else [task_definition.empty_response_message]) + notes),
        ]

    def _rows(self, measure: Measure) -> Rows:
        if measure.settle is not None:
            counts = measure.settle(self.parts[measure.name])
            total = np.concatenate([flatten(chunk_counts) for chunk_counts in counts])
            return Rows({"document": [EVERYTHING] * len(total)}, total, layout_of(counts[0]))
        groups = self.totals[measure.name]
        matrix = np.array([[math.fsum(sums) for sums in columns] for columns in groups.values()])
        return Rows(
            {"document": list(groups), measure.by or "document": list(groups)}, matrix, self.layouts[measure.name]
        )

    def __getstate__(self) -> dict[str, Any]:
        self.notes = merge_notes(self.notes)
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __len__(self) -> int:
        return self.pairs

    def __repr__(self) -> str:
        names = ", ".join(measure.short for measure in self._measures)
        part = self._task_definition.reading.part
        return f"<aune.Accumulator of {self.task} ({names}): {self.pairs:,} {part}{'' if self.pairs == 1 else 's'}>"


def _as_tag_sentences(side: Any) -> Any:
    """One side of a batch with lists of strings marked as sentences of tags; words with tags are tuples.

    The structure alone decides, so that the lengths of sentences and the tags do not change how a batch is read.
    """
    items = to_plain(side)
    is_marked = isinstance(items, list) and items and all_of_kind(items, list)
    return TagSentences(items) if is_marked and all(all_of_kind(item, str) for item in items) else side


def _add_rows(groups: dict[str, list[list[float]]], name: str, matrix: Any) -> None:
    """Add rows to the sums of a group."""
    columns = groups.get(name)
    if columns is None:
        columns = groups[name] = [[] for _ in range(matrix.shape[1])]
    is_whole = (matrix == np.floor(matrix)).all(axis=0).tolist()
    sums = matrix.sum(axis=0).tolist()
    for index, column in enumerate(columns):
        if is_whole[index]:
            _add_exactly(column, sums[index])
        else:
            for number in matrix[:, index].tolist():
                _add_exactly(column, number)


def _add_exactly(sums: list[float], number: float) -> None:
    """Add a number to a sum that is stored exactly, as numbers that do not overlap (Shewchuk 1997)."""
    size = 0
    for partial in sums:
        larger, smaller = (number, partial) if abs(number) >= abs(partial) else (partial, number)
        total = larger + smaller
        error = smaller - (total - larger)
        if error:
            sums[size] = error
            size += 1
        number = total
    sums[size:] = [number]
