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
from aune.tasks.entities.measures.ser import costs_of, paired
from aune.tasks.entities.pairing.spans import KINDS
from aune.workbench.comparison import PLAIN, Conventions, Score, scores, within
from aune.workbench.measured import entities_document
from aune.workbench.model import Mention, State, Text, in_text_order


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that a mention breaks."""

    mention: str
    start: int
    end: int
    message: str
    severity: Literal["error", "warning"]


def broken(text: Text, state: State) -> list[Broken]:
    """The rules that an annotation breaks, in the order of the text: labels, crossing, where components may stand."""
    made = entities_document(text, state)
    numbered = replace(made.document, lines=np.arange(1, len(made.mentions) + 1), columns=None)
    found = []
    for problem in check([numbered]):
        name = made.mentions[problem.line - 1]  # the rules tell a span by its line
        mention = state.mentions[name]
        found.append(
            Broken(
                mention=name, start=mention.start, end=mention.end, message=problem.message, severity=problem.severity
            )
        )
    return sorted(found, key=lambda one: (one.start, -one.end, one.mention, one.message))


def lanes(mentions: Mapping[str, Mention]) -> dict[str, int]:
    """A lane for every mention so that none in a lane overlap: those that lie around others above them.

    >>> around, inside = Mention(parts=((0, 9),)), Mention(parts=((2, 5),))
    >>> lanes({"a": inside, "b": around, "c": Mention(parts=((9, 12),))})
    {'b': 0, 'a': 1, 'c': 0}
    """
    ends: list[int] = []
    chosen: dict[str, int] = {}
    for name in in_text_order(mentions):
        mention = mentions[name]
        lane = next((number for number, end in enumerate(ends) if end <= mention.start), len(ends))
        ends[lane : lane + 1] = [max(mention.end, mention.start + 1)]
        chosen[name] = lane
    return chosen


class Twin(msgspec.Struct, frozen=True, kw_only=True):
    """A mention of the key with the one of the response that answers it; one of them may be missing."""

    key: str | None
    response: str | None
    kind: str
    """correct, or SER's kind of error."""
    cost: float
    start: int
    end: int


class ComparedSpans(msgspec.Struct, frozen=True, kw_only=True):
    """All that a page draws of two annotations of entities."""

    scores: list[Score]
    twins: list[Twin]
    """In the order of the text."""
    disagreements: list[Twin]
    """Those that are not correct, the dearest first."""


def compared_spans(text: Text, key: State, response: State, conventions: Conventions = PLAIN) -> ComparedSpans:
    """Two annotations of entities, side by side."""
    both = [within(state, conventions.start, conventions.end) for state in (key, response)]
    made = [entities_document(text, state) for state in both]
    found = compare([(made[0].document, made[1].document)])
    costs = costs_of(found)
    pairs = paired(found, costs)
    missed, inserted = found.alone(pairs)
    rows = [
        (left, right, KINDS[kind], costs[KINDS[kind]] if kind else 0.0)
        for left, right, kind in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.kind.tolist(), strict=True)
    ]
    rows += [(left, None, "omission", costs["omission"]) for left in missed.tolist()]
    rows += [(None, right, "insertion", costs["insertion"]) for right in inserted.tolist()]
    twins = []
    for left, right, kind, cost in rows:
        names = [None if one is None else made[side].mentions[one] for side, one in enumerate((left, right))]
        shown = both[0].mentions[names[0]] if names[0] is not None else both[1].mentions[str(names[1])]
        twins.append(Twin(key=names[0], response=names[1], kind=kind, cost=cost, start=shown.start, end=shown.end))
    twins.sort(key=lambda one: (one.start, -one.end, one.key or "", one.response or ""))
    wrong = sorted((twin for twin in twins if twin.cost), key=lambda one: -one.cost)
    return ComparedSpans(scores=scores(text, key, response, conventions), twins=twins, disagreements=wrong)
