"""Annotations of entities: violations of a typology, lanes to draw nested entities, and comparison of two states.

Metonymy is two labels on one extent, that is, two mentions. Pairs, kinds of error and costs are those of SER
(`aune explain entities.ser`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import msgspec
import numpy as np

from aune.tasks.entities.check import check
from aune.tasks.entities.comparison import compare
from aune.tasks.entities.measures.ser import costs_of, pair_slots
from aune.tasks.entities.pairing.spans import KINDS
from aune.workbench.comparison import PLAIN, Conventions, Score, restrict_to_passage, scores
from aune.workbench.documents import entities_document
from aune.workbench.model import Mention, State, Text, in_text_order


class RuleViolation(msgspec.Struct, frozen=True, kw_only=True):
    """A violation of a rule by a mention."""

    mention: str
    start: int
    end: int
    message: str
    severity: Literal["error", "warning"]


def rule_violations(text: Text, state: State) -> list[RuleViolation]:
    """The violations of the typology in an annotation, in text order: labels, crossing, positions of components."""
    made = entities_document(text, state)
    numbered = replace(made.document, lines=np.arange(1, len(made.mentions) + 1), columns=None)
    violations = []
    for problem in check([numbered]):
        name = made.mentions[problem.place.line - 1]  # the check identifies a span by its line
        mention = state.mentions[name]
        violations.append(
            RuleViolation(
                mention=name, start=mention.start, end=mention.end, message=problem.message, severity=problem.severity
            )
        )
    return sorted(
        violations, key=lambda violation: (violation.start, -violation.end, violation.mention, violation.message)
    )


def lanes(mentions: Mapping[str, Mention]) -> dict[str, int]:
    """A lane for every mention, so that mentions in one lane do not overlap; enclosing mentions get the upper lanes.

    >>> around, inside = Mention(parts=((0, 9),)), Mention(parts=((2, 5),))
    >>> lanes({"a": inside, "b": around, "c": Mention(parts=((9, 12),))})
    {'b': 0, 'a': 1, 'c': 0}
    """
    ends: list[int] = []
    lane_of: dict[str, int] = {}
    for name in in_text_order(mentions):
        mention = mentions[name]
        lane = next((number for number, end in enumerate(ends) if end <= mention.start), len(ends))
        ends[lane : lane + 1] = [max(mention.end, mention.start + 1)]
        lane_of[name] = lane
    return lane_of


class SpanPair(msgspec.Struct, frozen=True, kw_only=True):
    """A mention of the key and its counterpart in the response; one of them may be missing."""

    key: str | None
    response: str | None
    kind: str
    """correct, or an error kind of SER."""
    cost: float
    start: int
    end: int


class SpanComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a page displays about two annotations of entities."""

    scores: list[Score]
    twins: list[SpanPair]
    """All pairs, in text order."""
    disagreements: list[SpanPair]
    """The pairs that are not correct, the most costly first."""


def compare_spans(text: Text, key: State, response: State, conventions: Conventions = PLAIN) -> SpanComparison:
    """Two annotations of entities, compared."""
    states = [restrict_to_passage(state, conventions.start, conventions.end) for state in (key, response)]
    made = [entities_document(text, state) for state in states]
    comparison = compare([(made[0].document, made[1].document)])
    costs = costs_of(comparison)
    pairs = pair_slots(comparison, costs)
    missed, inserted = comparison.unpaired_spans(pairs)
    rows = [
        (key_span, response_span, KINDS[kind], costs[KINDS[kind]] if kind else 0.0)
        for key_span, response_span, kind in zip(
            pairs.key.tolist(), pairs.response.tolist(), pairs.kind.tolist(), strict=True
        )
    ]
    rows += [(key_span, None, "omission", costs["omission"]) for key_span in missed.tolist()]
    rows += [(None, response_span, "insertion", costs["insertion"]) for response_span in inserted.tolist()]
    span_pairs = []
    for key_span, response_span, kind, cost in rows:
        names = [
            None if item is None else made[side].mentions[item] for side, item in enumerate((key_span, response_span))
        ]
        mention = states[0].mentions[names[0]] if names[0] is not None else states[1].mentions[str(names[1])]
        span_pairs.append(
            SpanPair(key=names[0], response=names[1], kind=kind, cost=cost, start=mention.start, end=mention.end)
        )
    span_pairs.sort(key=lambda item: (item.start, -item.end, item.key or "", item.response or ""))
    wrong = sorted((span_pair for span_pair in span_pairs if span_pair.cost), key=lambda item: -item.cost)
    return SpanComparison(scores=scores(text, key, response, conventions), twins=span_pairs, disagreements=wrong)
