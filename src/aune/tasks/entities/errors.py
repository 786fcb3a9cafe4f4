"""The individual errors behind the scores: pairs of SER that are not correct, missed entities and inserted ones.

Their kinds are those of SER, and their costs add up to the cost of SER.
"""

from __future__ import annotations

from collections.abc import Iterator

from aune.alignment.placement_records import KINDS as PLACINGS
from aune.alignment.placement_records import placement_case as placing_case
from aune.contract.error_record import ErrorRecord
from aune.tasks.entities.comparison import Comparison
from aune.tasks.entities.measures.ser import costs_of, pair_slots
from aune.tasks.entities.model import Document
from aune.tasks.entities.pairing.span_columns import SpanColumns
from aune.tasks.entities.pairing.spans import KINDS

ALL_KINDS = (*KINDS[1:], "omission", "insertion", *PLACINGS)
AROUND = {"token": 5, "character": 30}
"""The amount of context shown on each side."""


def errors(comparison: Comparison) -> list[ErrorRecord]:
    """Every error, in the order of the text.

    >>> from aune.tasks.entities.model import documents
    >>> from aune.tasks.entities.comparison import compare
    >>> pairs = list(zip(documents([(0, 2, "loc.fac")]), documents([(0, 2, "loc.oro"), (4, 5, "pers")])))
    >>> [(case.kind, case.key, case.response) for case in errors(compare(pairs))]
    [('subtype', 'loc.fac', 'loc.oro'), ('insertion', '', 'pers')]
    """
    places = {key.id: place for place, (key, _) in enumerate(comparison.pairs)}
    return sorted(
        _cases(comparison),
        key=lambda case: (places[case.document], case.place, case.kind, case.key, case.response),
    )


def _cases(comparison: Comparison) -> Iterator[ErrorRecord]:
    costs = costs_of(comparison)
    pairs = pair_slots(comparison, costs)
    missed, inserted = comparison.unpaired_spans(pairs)
    for key_index, response_index, kind in zip(
        pairs.key.tolist(), pairs.response.tolist(), pairs.kind.tolist(), strict=True
    ):
        if kind:
            yield _case(comparison, key_index, response_index, KINDS[kind], costs[KINDS[kind]])
    for key_index in missed.tolist():
        yield _case(comparison, key_index, None, "omission", costs["omission"])
    for response_index in inserted.tolist():
        yield _case(comparison, None, response_index, "insertion", costs["insertion"])
    for number, record in enumerate(comparison.placements):
        for item in record.items:
            key, place = comparison.pairs[number][0], (item.placement.start, item.placement.end)
            around = _bracketed_context(key, *place, AROUND[key.unit])
            yield placing_case(key.id, item, key.length, key.excerpt(*place), around)


def _case(
    comparison: Comparison, key_index: int | None, response_index: int | None, kind: str, cost: float
) -> ErrorRecord:
    side, index = (comparison.key, key_index) if key_index is not None else (comparison.response, response_index)
    assert index is not None
    number = int(side.document[index])
    document = comparison.pairs[number][0]
    if document.tokens is None and document.text is None:
        document = comparison.pairs[number][1]
    offset = int(comparison.offsets[number])
    place = int(side.start[index]) - offset, int(side.end[index]) - offset
    around = AROUND[document.unit]
    names = [_label(comparison, comparison.key, key_index), _label(comparison, comparison.response, response_index)]
    texts = [_text(comparison, comparison.key, key_index), _text(comparison, comparison.response, response_index)]
    key, response = (f"{name} “{text}”" if text else name for name, text in zip(names, texts, strict=True))
    return ErrorRecord(
        comparison.pairs[number][0].id,
        place,
        kind,
        key,
        response,
        context=_bracketed_context(document, *place, around),
        cost=cost,
        attributes={
            "label": names[0] or names[1],
            "key_label": names[0],
            "response_label": names[1],
            "edge": _edge(comparison, key_index, response_index),
            "level": "component" if comparison.labels.component[int(side.label[index])] else "entity",
        },
    )


def _bracketed_context(document: Document, start: int, end: int, around: int) -> str:
    """The text around a stretch, which is marked with brackets."""
    before, inside, after = (
        document.excerpt(*bounds) for bounds in ((max(0, start - around), start), (start, end), (end, end + around))
    )
    return " ".join(part for part in (before.rstrip(), f"[ {inside} ]", after.lstrip()) if part) if inside else ""


def _edge(comparison: Comparison, key_index: int | None, response_index: int | None) -> str:
    """Which boundary of a pair is wrong; '' if both are right or there is no pair."""
    if key_index is None or response_index is None:
        return ""
    starts = comparison.key.start[key_index] != comparison.response.start[response_index]
    ends = comparison.key.end[key_index] != comparison.response.end[response_index]
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
    return key.excerpt(start, end) or response.excerpt(start, end)
