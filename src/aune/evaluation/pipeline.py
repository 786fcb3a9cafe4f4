"""From a key and responses to scores, in one direction: read, pair, compare, count, add, score.

The input comes in chunks: pieces of files, or documents in memory. An engine counts them, in this process or elsewhere;
the counts are merged, and the values do not depend on how the input is cut or ordered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aune import __version__
from aune.contract.measure import Measure, flatten, layout_of
from aune.contract.notes import merge_notes, note_texts
from aune.contract.options import check_known
from aune.contract.signature import signature
from aune.contract.survey import unite_answers
from aune.errors import InputError, NothingToScoreError
from aune.evaluation.counting import (
    Engine,
    SystemShare,
    Tally,
    count_chunks,
    cut_pairs,
    lazy_comparisons,
    raise_problems,
)
from aune.evaluation.pairing import pair
from aune.evaluation.plan import Inputs, Plan, open_inputs, read_inputs, resolve_plan, signed_reading_options
from aune.reading.corpus import OpenedFiles
from aune.results.result import Result, SystemScore
from aune.results.rows import Block, Rows, join_attributes, reorder_blocks, resolve_attribute, shrink_type


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A result, and the comparisons behind it if they were requested."""

    result: Result
    comparisons: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By system, in the order of the key."""
    make_comparisons: Mapping[str, Callable[[Measure], Sequence[Any]]] = field(default_factory=dict)
    """By system, a function that makes the comparisons again for a measure, one at a time, for callers that look at
    each once."""


def evaluate(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str | Path], **options: Any) -> Result:
    """The result of `run_evaluation` without comparisons; its warnings are part of it and are not issued."""
    return run_evaluation(task, key, systems, **options).result


def run_evaluation(
    task: str, key: Any, systems: Mapping[str, Any] | Sequence[str | Path], **options: Any
) -> Evaluation:
    """Compute the scores of responses against a key, as every command and function does; options: see `resolve_plan`.

    With `keep`, the comparisons are returned with the result. A response with several annotators becomes a
    response for each.
    """
    plan = resolve_plan(task, key, systems, **options)
    try:
        return _carry_out(plan)
    except InputError as error:
        from aune.reading.annotator_split import split_after  # noqa: PLC0415 - few files have several annotators

        reading_options = plan.job.read_options[1]
        split = split_after(error, plan.task, plan.systems, plan.formats[1], **reading_options)
        if split is None or plan.run_of:
            raise
    return _carry_out(resolve_plan(task, key, split, **options))


def _carry_out(plan: Plan) -> Evaluation:
    with plan.open_engine() as run:
        inputs = open_inputs(plan)
        tallies = _tally_streams(plan, inputs, run) or tally_in_memory(plan, inputs, run)
    return _make_evaluation(plan, inputs, tallies)


def _tally_streams(plan: Plan, inputs: Inputs, run: Engine) -> Mapping[str, Tally] | None:
    """The counts of long files, read in pieces; None for other inputs, and for files that cannot be cut."""
    key = inputs.key
    are_files = all(isinstance(response, OpenedFiles) for response in inputs.responses.values())
    if plan.job.keep or not are_files or not isinstance(key, OpenedFiles):
        return None
    from aune.evaluation import streaming  # noqa: PLC0415 - only files are read in pieces

    return streaming.tally_streams(plan, inputs, run) if key.size > streaming.PIECE else None


def tally_in_memory(plan: Plan, inputs: Inputs, run: Engine) -> dict[str, Tally]:
    """The counts of each system; all documents are read before any is compared."""
    expected, responses = read_inputs(plan, inputs)
    pairings = {
        system: pair(plan.task, expected, response, missing=plan.job.missing, extra=plan.job.extra)
        for system, response in responses.items()
    }
    for system, (pairs, _) in pairings.items():
        if not pairs:
            raise NothingToScoreError(f"{system}: no document left to score")
    job = plan.job
    chunks = cut_pairs({system: pairs for system, (pairs, _) in pairings.items()})
    results = count_chunks(job, [chunks], run, plan.progress)
    raise_problems(results)
    answers = [result.seen for result in results if result.seen]
    known = unite_answers(answers) if answers else {}
    tallies = {}
    for system, response in responses.items():
        system_results = [result for result in results if system in result.shares]
        pairs, notes = pairings[system]
        tallies[system] = Tally(
            response.input_record("response", system),
            [result.shares[system] for result in system_results],
            response.warnings,
            notes,
            len(pairs),
            frozenset().union(*(result.usual for result in system_results)),
            partial(lazy_comparisons, replace(job, known=known), system, pairs),
            expected.input_record("key"),
            expected.warnings,
        )
    return tallies


def _make_evaluation(plan: Plan, inputs: Inputs, tallies: Mapping[str, Tally]) -> Evaluation:
    """Turn counts into scores. Values are computed now, so that errors are raised here and not in a report."""
    first = next(iter(tallies.values()))
    key_record = first.key_record._replace(version=plan.key_version or first.key_record.version)
    result = Result(plan.task.name, [], [key_record], [*plan.notes, *first.key_warnings])
    fitting = frozenset().union(*(tally.usual for tally in tallies.values()))
    only_fitting = plan.has_usual_measures and plan.task.comparing.usual_measures is not None
    selected = [measure for measure in plan.measures if not only_fitting or measure.name.partition(".")[2] in fitting]
    if not any(share.has_annotation[0] for tally in tallies.values() for share in tally.shares):
        result.warnings.append(plan.task.empty_key_message)
    for system, tally in tallies.items():
        result.inputs.append(tally.input_record)
        counted_notes = [note for share in tally.shares for note in share.notes]
        notes = note_texts(merge_notes(counted_notes)) if counted_notes else []
        if plan.task.comparing.fact_texts and (facts := _merge_facts(tally.shares)):
            notes += plan.task.comparing.fact_texts(facts)
        if tally.input_record.documents and not any(share.has_annotation[1] for share in tally.shares):
            notes = [plan.task.empty_response_message, *notes]
        result.warnings.extend([*tally.warnings, *tally.unpaired_notes, *(f"{system}: {text}" for text in notes)])
        options = signed_reading_options(plan, inputs.key, inputs.responses[system])
        if tally.documents > 1 or tally.unpaired_notes:
            options |= {"missing": plan.job.missing, "extra": plan.job.extra}
        for scored in _score_measures(plan, system, tally, selected, options):
            scored.values  # noqa: B018 - raises an error now if it cannot be scored
            result.scores.append(scored)
    makers = {system: tally.details for system, tally in tallies.items()}
    return Evaluation(result, _kept_comparisons(plan, tallies), makers)


def _merge_facts(shares: Sequence[SystemShare]) -> dict[Any, int]:
    """The facts of all chunks, added up, in the order of the documents that they name."""
    numbers: Counter[Any] = Counter()
    places: dict[Any, int] = {}
    for share in shares:
        for fact, (number, place) in share.facts.items():
            numbers[fact] += number
            places[fact] = min(place, places.get(fact, place))
    return {fact: numbers[fact] for fact in sorted(numbers, key=places.__getitem__)}


def _kept_comparisons(plan: Plan, tallies: Mapping[str, Tally]) -> dict[str, list[Any]]:
    return {system: [share.comparison for share in tally.shares] for system, tally in tallies.items() if plan.job.keep}


def _score_measures(
    plan: Plan, system: str, tally: Tally, measures: Sequence[Measure], reading: Mapping[str, Any]
) -> Iterator[SystemScore]:
    shares = [share for share in tally.shares if share.blocks]
    tables: dict[tuple[str, ...], _SystemRows] = {}
    for measure in measures:
        names = tuple(share.block_of(measure) for share in shares)
        if names not in tables:
            tables[names] = _SystemRows.from_shares(shares, names)
        table = tables[names]
        if measure.settle is None:
            rows = Rows(table.attributes, table.measure_columns(measure.name), shares[0].layouts[measure.name])
        else:
            settled = measure.settle([share.parts[measure.name] for share in shares])
            matrix = flatten(settled[0]) if len(settled) == 1 else np.concatenate(list(map(flatten, settled)))
            rows = Rows(table.attributes, matrix if table.order is None else matrix[table.order], layout_of(settled[0]))
        if not len(rows):
            raise NothingToScoreError(f"{system}: the key contains nothing that is counted: nothing to score")
        if measure.by:
            check_known([resolve_attribute(measure.by, rows.attributes)], rows.attributes, "attribute to average over")
        options = plan.job.count_options[measure.name]
        printed = {
            **reading,
            **{name: value for name, value in plan.signed_options[system].items() if name not in reading},
            **shares[0].signed,
            **measure.signed_options(options),
        }
        comparisons = (
            partial(tally.details, measure)
            if not plan.job.keep
            else partial(list, [share.comparison for share in shares])
        )
        explain = partial(_explain_score, measure, comparisons, options) if measure.details else None
        full_signature = signature(measure.name, printed, __version__)
        yield SystemScore(
            system,
            measure.with_options(options),
            full_signature,
            rows,
            options,
            explain,
            run_of=plan.run_of.get(system, ""),
        )


def _explain_score(measure: Measure, comparisons: Callable[[], Sequence[Any]], options: Mapping[str, Any]) -> Any:
    assert measure.details is not None
    return measure.details(comparisons(), **measure._options_for(measure.details, options))


class _SystemRows(NamedTuple):
    """The rows of a system over some units, in the order of the key."""

    blocks: Sequence[Block]
    attributes: Mapping[str, Sequence[str]]
    order: Any = None
    """The permutation that put the rows of all chunks in order, if they were not."""

    @classmethod
    def from_shares(cls, shares: Sequence[SystemShare], names: Sequence[str]) -> _SystemRows:
        """The rows in the blocks with these names, one from each share."""
        blocks = [share.blocks[name] for share, name in zip(shares, names, strict=True)]
        orders = [share.orders for share in shares]
        if _are_in_order(orders):
            return cls(blocks, join_attributes(blocks))
        rows = []
        for share, name, block in zip(shares, names, blocks, strict=True):
            owner = share.owners.get(name)
            assert share.orders is not None
            rows.append(share.orders[owner] if owner is not None else np.full(block.size, share.orders[0]))
        order = np.argsort(np.concatenate(rows), kind="stable")
        combined = reorder_blocks(blocks, shrink_type(order))
        return cls([combined], join_attributes([combined]), order)

    def measure_columns(self, measure: str) -> list[list[Any]]:
        return [block.measure_columns(measure) for block in self.blocks]


def _are_in_order(orders: Sequence[Any]) -> bool:
    """Whether every share comes after the one before it in the corpus."""
    bounds = [(int(order.min()), int(order.max())) for order in orders if order is not None and len(order)]
    return all(before[1] < after[0] for before, after in pairwise(bounds))
