"""From a key and responses to scores: read, pair, compare, count, add, score. One direction, no way back.

What is evaluated comes in chunks: pieces of files, or documents that are in memory already. An engine counts them, here
or elsewhere; what comes back is merged, and the values are the same whatever the cut and the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aune import __version__
from aune.core import registry
from aune.core.asked import RESPONSE, asked_options, chosen_measures
from aune.core.corpus import (
    Corpus,
    Extra,
    Missing,
    Opened,
    check_policies,
    system_names,
)
from aune.core.counting import Counted, Job, Recipe, Share, counted
from aune.core.errors import NothingToScoreError, UsageError
from aune.core.measure import Measure, flatten, layout_of
from aune.core.notes import merged, worded
from aune.core.options import check_known, options_of, signed_options
from aune.core.plans import Engine, Inputs, Plan, Progress, Tally, check_inputs, check_systems, inputs_of, of_system
from aune.core.result import Result, Scored
from aune.core.rows import Block, Rows, attribute_named, attributes_of, reordered, smallest
from aune.core.signature import signature
from aune.core.streams import streamed
from aune.core.tallies import in_memory


@dataclass(frozen=True)
class Evaluation:
    """A result, and the comparisons behind it where they were asked for."""

    result: Result
    comparisons: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """By system, in the order of the key."""


def evaluate(task: str, key: Any, systems: Mapping[str, Any] | Sequence[str | Path], **options: Any) -> Result:
    """The scores of one or several systems against one key; its warnings stand in the result (see `aune.evaluate`)."""
    return evaluated(task, key, systems, **options).result


def evaluated(
    task: str,
    key: Any,
    systems: Mapping[str, Any] | Sequence[str | Path],
    *,
    measures: str | Sequence[str | Measure] | None = None,
    convention: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    missing: Missing = "empty",
    extra: Extra = "ignore",
    progress: Progress | None = None,
    engine: Any = None,
    workers: int = 1,
    keep: bool = False,
    **options: Any,
) -> Evaluation:
    """As `evaluate`, with the comparisons (`keep`) for those who want more than scores."""
    home = registry.task(task)
    if not systems:
        raise UsageError("expected at least one response to score")
    named = {str(name): systems[name] for name in systems} if isinstance(systems, Mapping) else system_names(systems)
    if not all(map(str.strip, named)):
        raise UsageError("found a system without a name, expected one for each: write {'name': response}")
    chosen = chosen_measures(home, measures)
    for one in chosen:
        one.check_packages()
    asked = asked_options(home, chosen, convention, options)
    check_systems(named, asked.given)
    check_policies(missing, extra)
    plan = Plan(home, chosen, asked, not measures, missing, extra, keep, progress or (lambda what, share: None))
    with _engine(None if keep else engine, workers, registry.modules(home.name, chosen)) as run:
        inputs = inputs_of(home, key, named, key_format, response_format, asked.given)
        check_inputs(plan, inputs)
        tallies = (None if keep else streamed(plan, inputs, run)) or in_memory(plan, inputs, run)
    return _evaluation(plan, inputs, tallies)


def here(job: Job, recipes: Iterable[Recipe]) -> Iterator[Counted]:
    """The engine that counts in this process."""
    return (counted(job, recipe) for recipe in recipes)


def _engine(engine: Any, workers: int, modules: Sequence[str]) -> AbstractContextManager[Engine]:
    """The engine that was asked for: by name, `name=address`, as a function, or by the number of workers."""
    if workers < 1:
        raise UsageError(f"workers {workers}: expected a number of processes from 1")
    if engine is None:
        engine = "processes" if workers > 1 else "here"
    if isinstance(engine, str):
        name, _, address = engine.partition("=")
        found: AbstractContextManager[Engine] = registry.engine(name)(workers, address, modules)
        return found
    if hasattr(engine, "submit") and hasattr(engine, "scheduler"):  # a client of Dask
        return registry.engine("dask")(workers, engine, modules)  # type: ignore[no-any-return]
    if not callable(engine):
        raise UsageError(f"engine {engine!r}: expected here, processes, dask=ADDRESS, a Dask client, or a function")
    return nullcontext(engine)


def _evaluation(plan: Plan, inputs: Inputs, tallies: Mapping[str, Tally]) -> Evaluation:
    """What was counted, as scores. Values are computed here, so that what is refused is refused now."""
    first = next(iter(tallies.values()))
    result = Result(plan.home.name, [], [first.key], list(first.key_warnings))
    fitting = frozenset().union(*(tally.usual for tally in tallies.values()))
    limited = plan.usual and plan.home.usual is not None
    chosen = [one for one in plan.chosen if not limited or one.name.partition(".")[2] in fitting]
    if not any(share.held[0] for tally in tallies.values() for share in tally.shares):
        result.warnings.append(plan.home.nothing_to_find)
    for system, tally in tallies.items():
        result.inputs.append(tally.input)
        notes = worded(merged(note for share in tally.shares for note in share.notes))
        notes += plan.home.told(_facts(tally.shares)) if plan.home.told else []
        if tally.input.documents and not any(share.held[1] for share in tally.shares):
            notes = [plan.home.nothing_given, *notes]
        result.warnings.extend([*tally.warnings, *tally.told, *(f"{system}: {text}" for text in notes)])
        options = {
            **_reading(inputs.key, inputs.responses[system], plan.asked.given),
            **({"missing": plan.missing, "extra": plan.extra} if tally.documents > 1 or tally.told else {}),
        }
        for scored in _scores(plan, system, tally, chosen, options):
            scored.values  # noqa: B018 - what cannot be scored is refused now, and not in a writer
            result.scores.append(scored)
    return Evaluation(result, _kept(plan, tallies))


def _facts(shares: Sequence[Share]) -> dict[Any, int]:
    """The facts of all chunks, added up, in the order of the documents that they name."""
    numbers: Counter[Any] = Counter()
    places: dict[Any, int] = {}
    for share in shares:
        for fact, (number, place) in share.facts.items():
            numbers[fact] += number
            places[fact] = min(place, places.get(fact, place))
    return {fact: numbers[fact] for fact in sorted(numbers, key=places.__getitem__)}


def _kept(plan: Plan, tallies: Mapping[str, Tally]) -> dict[str, list[Any]]:
    return {system: [share.comparison for share in tally.shares] for system, tally in tallies.items() if plan.keep}


def _scores(
    plan: Plan, system: str, tally: Tally, measures: Sequence[Measure], reading: Mapping[str, Any]
) -> Iterator[Scored]:
    shares = [share for share in tally.shares if share.blocks]
    compare = plan.home.compare
    comparing = signed_options(compare, of_system(system, plan.asked.of(options_of(compare))))
    tables = {units: _Rows.of(shares, units) for units in {one.units for one in measures}}
    for measure in measures:
        table = tables[measure.units]
        if measure.settle is None:
            rows = Rows(table.attributes, table.columns(measure.name), shares[0].layouts[measure.name])
        else:
            settled = measure.settle([share.parts[measure.name] for share in shares])
            matrix = flatten(settled[0]) if len(settled) == 1 else np.concatenate(list(map(flatten, settled)))
            rows = Rows(table.attributes, matrix if table.order is None else matrix[table.order], layout_of(settled[0]))
        if not len(rows):
            raise NothingToScoreError(f"{system}: the key holds nothing that counts: nothing to score")
        if measure.by:
            check_known([attribute_named(measure.by, rows.attributes)], rows.attributes, "attribute to average over")
        options = plan.options(measure)
        printed = {
            **reading,
            **{name: value for name, value in comparing.items() if name not in reading},
            **shares[0].signed,
            **{name: value for name, value in options.items() if name not in measure.given},
        }
        made = tally.details if not plan.keep else partial(list, [share.comparison for share in shares])
        explain = partial(_explained, measure, made, options) if measure.details else None
        sign = signature(measure.name, printed, __version__)
        yield Scored(system, measure.under(options), sign, rows, options, explain)


def _explained(measure: Measure, comparisons: Callable[[], Sequence[Any]], options: Mapping[str, Any]) -> Any:
    assert measure.details is not None
    return measure.details(comparisons(), **measure._taken(measure.details, options))


class _Rows(NamedTuple):
    """The rows of a system over some units, in the order of the key."""

    blocks: Sequence[Block]
    attributes: Mapping[str, Sequence[str]]
    order: Any = None
    """How the rows of all chunks were put in order, where they were not."""

    @classmethod
    def of(cls, shares: Sequence[Share], units: str) -> _Rows:
        blocks = [share.blocks[units] for share in shares]
        orders = [share.orders for share in shares]
        if _in_order(orders):
            return cls(blocks, attributes_of(blocks))
        rows = []
        for share, block in zip(shares, blocks, strict=True):
            owner = share.owners.get(units)
            assert share.orders is not None
            rows.append(share.orders[owner] if owner is not None else np.full(block.size, share.orders[0]))
        order = np.argsort(np.concatenate(rows), kind="stable")
        whole = reordered(blocks, smallest(order))
        return cls([whole], attributes_of([whole]), order)

    def columns(self, measure: str) -> list[list[Any]]:
        return [block.picked(measure) for block in self.blocks]


def _in_order(orders: Sequence[Any]) -> bool:
    """Whether every share lies behind the one before it."""
    bounds = [(int(order.min()), int(order.max())) for order in orders if order is not None and len(order)]
    return all(before[1] < after[0] for before, after in pairwise(bounds))


def _reading(key: Opened | Corpus, response: Opened | Corpus, given: Mapping[str, Any]) -> dict[str, Any]:
    """How both sides were read, for the signature: as the key, and what was given for the response alone."""
    found = dict(key.options)
    for name, value in response.options.items():
        if RESPONSE + name in given:
            found[RESPONSE + name] = value
        elif name in given:
            found.setdefault(name, value)
    return found
