"""The errors behind the scores, one by one: the pairs of SER that are not correct, what is missed and what is inserted.

Their kinds are SER's and their costs add up to SER's cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from aune.alignment.records import KINDS as PLACINGS
from aune.alignment.records import case as placing_case
from aune.core.cases import Case
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.measures.ser import costs_of, paired
from aune.tasks.entities.model import Document
from aune.tasks.entities.pairing.sides import SpanColumns
from aune.tasks.entities.pairing.spans import KINDS

ALL_KINDS = (*KINDS[1:], "omission", "insertion", *PLACINGS)
AROUND = {"token": 5, "character": 30}
"""How much text is shown on each side."""


def errors(comparison: Comparison) -> list[Case]:
    """Every error, in the order of the text.

    >>> from aune.tasks.entities.model import documents
    >>> from aune.tasks.entities.comparison import compare
    >>> pairs = list(zip(documents([(0, 2, "loc.fac")]), documents([(0, 2, "loc.oro"), (4, 5, "pers")])))
    >>> [(case.kind, case.key, case.response) for case in errors(compare(pairs))]
    [('subtype', 'loc.fac', 'loc.oro'), ('insertion', '', 'pers')]
    """
    return sorted(_cases(comparison), key=lambda case: (case.document, case.place, case.kind, case.key, case.response))


def _cases(comparison: Comparison) -> Iterator[Case]:
    costs = costs_of(comparison)
    pairs = paired(comparison, costs)
    missed, inserted = comparison.alone(pairs)
    for left, right, kind in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.kind.tolist(), strict=True):
        if kind:
            yield _case(comparison, left, right, KINDS[kind], costs[KINDS[kind]])
    for left in missed.tolist():
        yield _case(comparison, left, None, "omission", costs["omission"])
    for right in inserted.tolist():
        yield _case(comparison, None, right, "insertion", costs["insertion"])
    for number, record in enumerate(comparison.placements):
        for item in record.items:
            key, place = comparison.pairs[number][0], (item.placement.start, item.placement.end)
            around = _marked(key, *place, AROUND[key.unit])
            yield placing_case(key.id, item, key.length, key.quoted(*place), around)


def _case(comparison: Comparison, left: int | None, right: int | None, kind: str, cost: float) -> Case:
    side, index = (comparison.key, left) if left is not None else (comparison.response, right)
    assert index is not None
    number = int(side.document[index])
    document = comparison.pairs[number][0]
    if document.tokens is None and document.text is None:
        document = comparison.pairs[number][1]
    offset = int(comparison.offsets[number])
    place = int(side.start[index]) - offset, int(side.end[index]) - offset
    around = AROUND[document.unit]
    names = [_label(comparison, comparison.key, left), _label(comparison, comparison.response, right)]
    texts = [_text(comparison, comparison.key, left), _text(comparison, comparison.response, right)]
    key, response = (f"{name} “{text}”" if text else name for name, text in zip(names, texts, strict=True))
    return Case(
        comparison.pairs[number][0].id,
        place,
        kind,
        key,
        response,
        context=_marked(document, *place, around),
        cost=cost,
        attributes={
            "label": names[0] or names[1],
            "key_label": names[0],
            "response_label": names[1],
            "edge": _edge(comparison, left, right),
            "level": "component" if comparison.labels.component[int(side.label[index])] else "entity",
        },
    )


def _marked(document: Document, start: int, end: int, around: int) -> str:
    """The text around a place, which is marked with brackets."""
    before, inside, after = (
        document.quoted(*bounds) for bounds in ((max(0, start - around), start), (start, end), (end, end + around))
    )
    return " ".join(part for part in (before.rstrip(), f"[ {inside} ]", after.lstrip()) if part) if inside else ""


def _edge(comparison: Comparison, left: int | None, right: int | None) -> str:
    """Which boundary of a pair is wrong; '' where none is, or where there is no pair."""
    if left is None or right is None:
        return ""
    starts = comparison.key.start[left] != comparison.response.start[right]
    ends = comparison.key.end[left] != comparison.response.end[right]
    return {(True, True): "both", (True, False): "left", (False, True): "right"}.get((bool(starts), bool(ends)), "")


def _label(comparison: Comparison, side: SpanColumns, index: int | None) -> str:
    return "" if index is None else comparison.names[int(side.label[index])]


def _text(comparison: Comparison, side: SpanColumns, index: int | None) -> str:
    if index is None:
        return ""
    number = int(side.document[index])
    offset = int(comparison.offsets[number])
    start, end = int(side.start[index]) - offset, int(side.end[index]) - offset
    key, response = comparison.pairs[number]
    return key.quoted(start, end) or response.quoted(start, end)
