"""Annotations of entities: the rules of a typology as you go, lanes to draw nested ones, and two states side by side.

Metonymy is two labels on one extent: two mentions. Pairs and their kinds of error are SER's (`aune explain
entities.ser`), and so are the costs.
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
    """A rule that a mention breaks."""

    mention: str
    start: int
    end: int
    message: str
    severity: Literal["error", "warning"]


def rule_violations(text: Text, state: State) -> list[RuleViolation]:
    """The rules that an annotation breaks, in the order of the text: labels, crossing, where components may stand."""
    made = entities_document(text, state)
    numbered = replace(made.document, lines=np.arange(1, len(made.mentions) + 1), columns=None)
    violations = []
    for problem in check([numbered]):
        name = made.mentions[problem.place.line - 1]  # the rules tell a span by its line
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
    """A lane for every mention so that none in a lane overlap: those that lie around others above them.

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
    """A mention of the key with the one of the response that answers it; one of them may be missing."""

    key: str | None
    response: str | None
    kind: str
    """correct, or SER's kind of error."""
    cost: float
    start: int
    end: int


class SpanComparison(msgspec.Struct, frozen=True, kw_only=True):
    """All that a page draws of two annotations of entities."""

    scores: list[Score]
    twins: list[SpanPair]
    """In the order of the text."""
    disagreements: list[SpanPair]
    """Those that are not correct, the dearest first."""


def compare_spans(text: Text, key: State, response: State, conventions: Conventions = PLAIN) -> SpanComparison:
    """Two annotations of entities, side by side."""
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
