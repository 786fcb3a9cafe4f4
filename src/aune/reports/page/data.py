"""What the page knows: a summary that is there from the start, and blocks of texts and errors unpacked when needed."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from aune.core.cases import Case
from aune.core.measure import Measure
from aune.core.views import Column, Confusion, Span, View
from aune.reports.page.packing import dumped, escaped, packed
from aune.reports.tabular import notes

if TYPE_CHECKING:
    from aune.explain.analysis import Study

BLOCK = 60_000  # characters of text data that are unpacked together
SMALL = 400_000  # texts and errors up to here are left as they are
DIGITS = 6
MOST_LABELS = 40  # labels without errors that a matrix keeps
MOST_VALUES = 400  # an attribute with more values than this is no help for choosing errors


class Block(NamedTuple):
    """A script element with data."""

    id: str
    type: str
    text: str


def summary_of(
    study: Study, title: str, test: Any, most_errors: int
) -> tuple[dict[str, Any], list[list[Any]], list[Any]]:
    """What the page shows at once, the documents in blocks, and the errors of each system."""
    result = study.result
    systems = result.systems
    documents = list(dict.fromkeys(name for one in result for name in one.rows.attributes["document"]))
    texts, places, labels = _texts(study, documents)
    listed = study.task.errors is not None
    cases = [_cases(study.cases[system], documents, most_errors) for system in systems] if listed else []
    confusion, right = _confusion(study) if listed else (None, [])
    main = next((one for one in result.measures if one.short == study.task.ranking), result.measures[0])
    return (
        {
            "title": title,
            "task": result.task,
            "systems": systems,
            "documents": documents,
            "main": main.name,
            "measures": [_measure(one) for one in result.measures],
            "scores": _by_measure(result, lambda one: {name: _rounded(value) for name, value in one.values.items()}),
            "intervals": _by_measure(result, lambda one: {k: _bounds(v) for k, v in one.intervals.items() if v}),
            "byDocument": {one.name: _by_document(study, one, documents) for one in result.measures},
            "signatures": list(notes(result)),
            "test": dict(test.settings) if test else None,
            "orders": _orders(test),
            "pairs": [_pair(pair) for pair in test.pairs] if test else [],
            "listed": listed,
            "cases": [len(study.cases[system]) for system in systems] if listed else [],
            "kinds": [_kinds(study, system, main) for system in systems] if listed else [],
            "facets": _facets(study) if listed else [],
            "confusion": confusion,
            "right": right,
            "labels": labels,
            "blocks": places,
        },
        texts,
        cases,
    )


def blocks_of(texts: Sequence[Any], cases: Sequence[Any], plain: bool) -> Iterator[Block]:
    """The data as elements of the page: compressed, unless it is small or asked to be plain."""
    named = {f"texts-{index}": one for index, one in enumerate(texts)} | {
        f"cases-{i}": one for i, one in enumerate(cases)
    }
    written = {name: dumped(data) for name, data in named.items()}
    small = plain or sum(map(len, written.values())) <= SMALL
    for name, text in written.items():
        yield Block(name, "application/json", escaped(text)) if small else Block(name, "text/plain", packed(text))


# Scores.


def _measure(one: Measure) -> dict[str, Any]:
    return {
        "name": one.name,
        "short": one.short,
        "values": list(one.values),
        "headline": one.headline,
        "better": {value: one.better_of(value) for value in one.values},
        "range": {value: [_finite(end) for end in one.range_of(value)] for value in one.values},
        "percent": one.percent,
    }


def _by_measure(result: Any, values: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for one in result:
        found.setdefault(one.name, {})[one.system] = values(one)
    return found


def _by_document(study: Study, measure: Measure, documents: Sequence[str]) -> dict[str, list[float | None]]:
    """The headline value of each system on each document."""
    if measure.by not in ("", "document"):
        return {}
    found = {}
    for system in study.result.systems:
        values = study.result[system, measure.name].by("document")
        found[system] = [_rounded(values.get(name, {}).get(measure.headline)) for name in documents]
    return found


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _bounds(interval: Sequence[float]) -> list[float]:
    return [round(bound, DIGITS) for bound in interval]


def _orders(test: Any) -> dict[str, Any]:
    if not test:
        return {}
    return {
        f"{order.measure} {order.value}": {"ranks": [rank._asdict() for rank in order.ranks], "groups": order.groups}
        for order in test.orders
    }


def _pair(pair: Any) -> dict[str, Any]:
    kept = ("measure", "value", "a", "b", "difference", "p_holm")
    return {name: value for name, value in pair._asdict().items() if name in kept}


# Errors.


def _kinds(study: Study, system: str, measure: Measure) -> list[dict[str, Any]]:
    return [
        {name: _rounded(value) if isinstance(value, float) else value for name, value in kind._asdict().items()}
        for kind in study.kinds(system, measure.name)
    ]


def _cases(cases: Sequence[Case], documents: Sequence[str], most: int) -> dict[str, Any]:
    """The errors as columns."""
    number = {name: index for index, name in enumerate(documents)}
    kinds = list(dict.fromkeys(case.kind for case in cases))
    place = {kind: index for index, kind in enumerate(kinds)}
    kept = cases[:most]
    names = list(dict.fromkeys(name for case in kept for name in case.attributes))
    return {
        "kinds": kinds,
        "document": [number[case.document] for case in kept],
        "start": [int(case.place[0]) for case in kept],
        "end": [int(case.place[1]) for case in kept],
        "kind": [place[case.kind] for case in kept],
        "key": [case.key for case in kept],
        "response": [case.response for case in kept],
        "context": [case.context for case in kept],
        "cost": [round(float(case.cost), DIGITS) for case in kept],
        "attributes": {name: [case.attributes.get(name) for case in kept] for name in names},
    }


def _facets(study: Study) -> list[str]:
    """The attributes that errors can be chosen by."""
    values: dict[str, set[str]] = {}
    for cases in study.cases.values():
        for case in cases:
            for name, value in case.attributes.items():
                values.setdefault(name, set()).add(value)
    return [name for name, found in values.items() if 1 < len(found) <= MOST_VALUES]


def _confusion(study: Study) -> tuple[dict[str, str] | None, list[dict[str, int]]]:
    """What the rows and columns of the confusion matrix are, and the diagonal of each system's."""
    right: list[dict[str, int]] = []
    layout: Confusion | None = None
    for system, comparisons in study.comparisons.items():
        total: Counter[str] = Counter()
        for comparison in comparisons:
            layout = study.task.confusion(comparison)
            if layout is None:
                return None, []
            total.update({label: int(times) for label, times in layout.right.items()})
        right.append(_kept(total, study.cases[system], layout.row if layout else ""))
    return ({"row": layout.row, "column": layout.column} if layout else None), right


def _kept(right: Counter[str], cases: Sequence[Case], row: str) -> dict[str, int]:
    """The labels that have errors, and the most frequent others: a matrix of all words of a language helps nobody."""
    wrong = {case._asdict().get(row, case.attributes.get(row, "")) for case in cases}
    frequent = {label for label, _ in right.most_common(MOST_LABELS)}
    return {label: times for label, times in right.items() if times and (label in wrong or label in frequent)}


# Texts.


def _texts(study: Study, documents: Sequence[str]) -> tuple[list[list[Any]], list[list[int]], list[str]]:
    """Documents in blocks, the block and place of each, and the labels of all spans, frequent ones first."""
    viewed = study.task.view
    if viewed is None:
        return [], [], []
    found: dict[str, dict[str, Any]] = {}
    labels: dict[str, int] = {}
    for index, comparisons in enumerate(study.comparisons.values()):
        for comparison in comparisons:
            for view in viewed(comparison):
                text = found.setdefault(view.document, _text(view))
                text["r"][str(index)] = _layer(view, text)
                for span in (*view.key, *view.response):
                    labels[span.label] = labels.get(span.label, 0) + 1
    blocks: list[list[Any]] = []
    places: list[list[int]] = []
    size = BLOCK
    for name in documents:
        text = found.get(name, {"w": [], "s": [], "n": [], "g": [], "k": [], "p": [], "r": {}})
        if size >= BLOCK:
            blocks.append([])
            size = 0
        places.append([len(blocks) - 1, len(blocks[-1])])
        blocks[-1].append(text)
        size += _size(text)
    return blocks, places, sorted((name for name in labels if name), key=lambda name: (-labels[name], name))


def _text(view: View) -> dict[str, Any]:
    return {
        "w": list(view.words),
        "s": [int(start) for start in view.sentences],
        "n": list(view.names),
        "g": list(view.tags),
        "k": _spans([span._replace(error="") for span in view.key]),
        "p": [int(place) for place in view.places],
        "r": {},
    }


def _layer(view: View, text: Mapping[str, Any]) -> dict[str, Any]:
    """What one response says of a text; with the key's words where it saw others (one of several wordings)."""
    layer = {"s": _spans(view.response), "c": _columns(view), "k": _key_errors(view)}
    if list(view.words) != text["w"]:
        own = _text(view)
        layer |= {name: own[name] for name in ("w", "g")}
    return {name: value for name, value in layer.items() if value}


def _key_errors(view: View) -> list[list[Any]]:
    """What this system has wrong of the key's spans."""
    return [[index, span.error] for index, span in enumerate(view.key) if span.error]


def _spans(spans: Sequence[Span]) -> list[list[Any]]:
    """Spans as rows; the last cell only where it says something."""
    return [
        [int(one.start), int(one.end), int(one.group), one.label, int(one.twin), one.error, *([1] if one.minor else [])]
        for one in spans
    ]


def _columns(view: View) -> list[list[list[Any]]]:
    """The columns of each sentence; a run of words that are the same on both sides is only its bounds."""
    if not view.columns:
        return []
    starts = [column.start for column in view.columns]
    breaks = list(view.breaks) or [0, *(bisect_left(starts, first) for first in view.sentences[1:])]
    return [
        _runs(view, view.columns[first:last])
        for first, last in zip(breaks, [*breaks[1:], len(view.columns)], strict=True)
    ]


def _runs(view: View, columns: Sequence[Column]) -> list[list[Any]]:
    found: list[list[Any]] = []
    for column in columns:
        start, end = int(column.start), int(column.end)
        if not _same(view, column):
            found.append([start, end, list(column.words), list(column.tags), column.error])
        elif found and len(found[-1]) == 2 and found[-1][1] == start:
            found[-1][1] = end
        else:
            found.append([start, end])
    return found


def _same(view: View, column: Column) -> bool:
    """Whether a column is one word that both sides have, tag and all."""
    if column.error or column.end - column.start != 1 or len(column.words) != 1:
        return False
    tags = [view.tags[column.start]] if view.tags else []
    return column.words[0] == view.words[column.start] and list(column.tags) == tags


def _size(text: Mapping[str, Any]) -> int:
    """About how many characters the data of a document takes."""
    words = sum(map(len, text["w"])) + 3 * len(text["w"])
    return words + sum(
        20 * len(layer.get("s", ())) + 30 * sum(map(len, layer.get("c", ()))) for layer in text["r"].values()
    )
