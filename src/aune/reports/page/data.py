"""The data of the page: a summary that is available from the start, and blocks that are unpacked when needed."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from aune.contract.views import Confusion, Counterpart, Span, View
from aune.numeric.arrays import Numbering
from aune.reports.page import tables
from aune.reports.page.packing import compact_json, compress_text, escape_json, pack_numbers
from aune.reports.page.schema import AlignedWords, Choice, Layer, PackedErrors, Sign, Spans, Summary, Text
from aune.reports.paper import Value, paper_tables, ranking_value
from aune.reports.tabular import value_label

if TYPE_CHECKING:
    from aune.explain.analysis import Study
    from aune.statistics.comparison import Comparisons

BLOCK_CHARACTERS = 60_000  # characters of text data that are unpacked together
SMALL_PAGE = 400_000  # size up to which data is not compressed
MAX_VALUES = 400  # an attribute with more values than this is not useful for selecting errors
MAX_GROUPS = 100  # an attribute with more values than this is no readable breakdown
FIELDS = ("kind", "key", "response")
SIGNS = {
    "substitution": Sign("S", "bad"),
    "deletion": Sign("D", "bad"),
    "insertion": Sign("I", "bad"),
    "silence": Sign("?", "open"),
    "wrong silence": Sign("?!", "bad"),
    "not evaluated": Sign("n", "left"),
}


class Block(NamedTuple):
    """A script element with data."""

    id: str
    type: str
    text: str


def page_data(
    study: Study, title: str, test: Comparisons | None, baselines: Sequence[str], most_errors: int
) -> tuple[Summary, dict[str, msgspec.Struct | list[Text]]]:
    """The summary, and the blocks by their names."""
    result = study.result
    names = list(dict.fromkeys(name for item in result for name in item.rows.attributes["document"]))
    main = ranking_value(result)
    values = [Value(item, name) for item in result.measures for name in item.values]
    ids = [f"{item.measure.name} {item.name}" for item in values]
    groups = _groups(study)
    measures = [item for item in result.measures if item.by in ("", "document")]
    has_errors = study.task.explaining.errors is not None
    facets = _facets(study) if has_errors else []
    layouts = _confusions(study) if has_errors else {}
    errors = [_errors(study, system, main, names, facets, most_errors) for system in result.systems if has_errors]
    texts, places, labels = _texts(study, names)
    blocks = {
        **_number_blocks("ranking", (tables.ranking(study, test, baselines, value) for value in values)),
        **_number_blocks("group", (tables.page_grid(paper_tables(result, by=attribute)[0]) for attribute in groups)),
        **_number_blocks("documents", (tables.documents(study, measure, names) for measure in measures)),
        **_number_blocks("errors", errors),
        **_number_blocks(
            "confusion", (_confusion(study, system, layouts[system]) for system in result.systems if layouts)
        ),
        **_number_blocks("texts", texts),
    }
    summary = Summary(
        title=title,
        systems=result.systems,
        documents=names,
        rankings=[
            Choice(name, value_label(value.measure, value.name), f"ranking-{place}")
            for place, (name, value) in enumerate(zip(ids, values, strict=True))
        ],
        main=f"{main.measure.name} {main.name}",
        groups=[Choice(attribute, attribute, f"group-{place}") for place, attribute in enumerate(groups)],
        measures=[
            Choice(f"{item.name} {item.headline}", value_label(item, item.headline), f"documents-{place}")
            for place, item in enumerate(measures)
        ],
        errors=has_errors,
        confusion=bool(layouts),
        facets=facets,
        labels=labels,
        texts=places,
        signs=SIGNS,
    )
    return summary, blocks


def _number_blocks(name: str, blocks: Iterable[Any]) -> dict[str, Any]:
    return {f"{name}-{place}": block for place, block in enumerate(blocks)}


def elements(blocks: Mapping[str, Any], plain: bool) -> Iterator[Block]:
    """The blocks as elements of the page: compressed, unless they are small or `plain` is set."""
    serialised = {
        name: compact_json(msgspec.to_builtins(data, enc_hook=_plain_string)) for name, data in blocks.items()
    }
    small = plain or sum(map(len, serialised.values())) <= SMALL_PAGE
    for name, text in serialised.items():
        yield (
            Block(name, "application/json", escape_json(text))
            if small
            else Block(name, "text/plain", compress_text(text))
        )


def _plain_string(value: Any) -> Any:
    """A string of another type, such as an item of an array, as a `str`."""
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{type(value).__name__} in a page")


def _groups(study: Study) -> list[str]:
    """The attributes that every measure has, with few values each, and more than one unit for some of them."""
    breakdowns: dict[str, None] = {}
    for name, values in study.result.scores[0].rows.attributes.items():
        known = all(name in scored.rows.attributes and scored.averaged_over in ("", name) for scored in study.result)
        groups = len(set(values))
        if (
            name not in ("document", "sentence", "utterance")
            and known
            and 1 < groups <= min(MAX_GROUPS, len(values) - 1)
        ):
            breakdowns[name] = None
    return sorted(breakdowns, key=lambda name: (name not in ("label", "tag"), name))


# Errors.


def _errors(
    study: Study, system: str, main: Value, names: Sequence[str], facets: Sequence[str], most: int
) -> PackedErrors:
    """All errors as columns of numbers; the context of those that are listed, sampled evenly."""
    cases = study.cases[system]
    codes = Numbering({"": 0})

    def encode(texts: Sequence[str]) -> str:
        return pack_numbers([codes[text] for text in texts])

    number = {name: place for place, name in enumerate(names)}
    columns = {
        "document": pack_numbers([number[case.document] for case in cases]),
        "start": pack_numbers([int(case.place[0]) for case in cases]),
        "end": pack_numbers([int(case.place[1]) for case in cases]),
        **{name: encode([getattr(case, name) for case in cases]) for name in FIELDS},
        "cost": encode([f"{case.cost:.4g}" for case in cases]),
    }
    attributes = dict.fromkeys([*facets, *(name for case in cases for name in case.attributes)])
    for name in attributes:
        columns[f"attribute.{name}"] = encode([case.attributes.get(name, "") for case in cases])
    listed = evenly(len(cases), most)
    return PackedErrors(
        total=len(cases),
        kinds=tables.kinds(study, system, main.measure),
        strings=list(codes),
        columns=columns,
        listed=listed,
        contexts=[cases[place].context for place in listed],
    )


def evenly(total: int, most: int) -> list[int]:
    """At most this many indices, spread evenly.

    >>> evenly(10, 4), evenly(3, 5)
    ([1, 3, 6, 8], [0, 1, 2])
    """
    if total <= most:
        return list(range(total))
    return [int((place + 0.5) * total / most) for place in range(most)]


def _facets(study: Study) -> list[str]:
    """The attributes by which errors can be selected, without those equivalent to another one, kind or document."""
    columns: dict[str, list[str]] = {}
    known = [case for cases in study.cases.values() for case in cases]
    for name in dict.fromkeys(name for case in known for name in case.attributes):
        columns[name] = [case.attributes.get(name, "") for case in known]
    seen = {_partition([case.kind for case in known]), _partition([case.document for case in known])}
    facets = []
    for name, values in columns.items():
        division = _partition(values)
        if name != "mentions" and 1 < len(set(values)) <= MAX_VALUES and division not in seen:
            seen.add(division)
            facets.append(name)
    return facets


def _partition(values: Sequence[str]) -> bytes:
    """Which values are equal, whatever they are."""
    codes: Numbering[str] = Numbering()
    return codes.codes(values, len(values)).tobytes()


def _confusion(study: Study, system: str, layout: Confusion) -> Any:
    return tables.confusion(system, study.cases[system], layout.right, layout.row, layout.column)


def _confusions(study: Study) -> dict[str, Confusion]:
    """The layout of the errors of each system as a matrix, with what is right; empty if they have no labels."""
    layouts: dict[str, Confusion] = {}
    for system, comparisons in study.comparisons.items():
        total: Counter[str] = Counter()
        layout: Confusion | None = None
        for comparison in comparisons:
            layout = study.task.explaining.confusion(comparison)
            if layout is None:
                return {}
            total.update({label: int(times) for label, times in layout.right.items()})
        if layout is None:
            return {}
        layouts[system] = layout._replace(right=total)
    return layouts


# Texts.


def _texts(study: Study, documents: Sequence[str]) -> tuple[list[list[Text]], list[tuple[int, int]], list[str]]:
    """Documents in blocks, the block and index of each, and the labels of all spans, frequent ones first."""
    view_of = study.task.explaining.view
    if view_of is None:
        return [], [], []
    texts: dict[str, Text] = {}
    labels: Counter[str] = Counter()
    for index, comparisons in enumerate(study.comparisons.values()):
        for comparison in comparisons:
            for view in view_of(comparison):
                if view.document not in texts:
                    texts[view.document] = _text(view)
                text = texts[view.document]
                text.layers[str(index)] = _layer(view, text)
                labels.update(span.label for span in (*view.key, *view.response))
    blocks: list[list[Text]] = []
    places: list[tuple[int, int]] = []
    size = BLOCK_CHARACTERS
    for name in documents:
        text = texts.get(name, Text())
        if size >= BLOCK_CHARACTERS:
            blocks.append([])
            size = 0
        places.append((len(blocks) - 1, len(blocks[-1])))
        blocks[-1].append(text)
        size += _size(text)
    return blocks, places, sorted((name for name in labels if name), key=lambda name: (-labels[name], name))


def _text(view: View) -> Text:
    return Text(
        words=list(view.words),
        sentences=[int(start) for start in view.sentences],
        names=list(view.names),
        tags=list(view.tags),
        places=[int(place) for place in view.places],
        key=_spans([span._replace(error="") for span in view.key]),
        layers={},
    )


def _layer(view: View, text: Text) -> Layer:
    other = list(view.words) != text.words
    return Layer(
        spans=_spans(view.response),
        columns=_columns(view),
        missed={str(place): span.error for place, span in enumerate(view.key) if span.error},
        words=list(view.words) if other else None,
        tags=list(view.tags) if other else None,
    )


def _spans(spans: Sequence[Span]) -> Spans | None:
    """Spans as columns; empty columns are left out."""
    if not spans:
        return None
    labelled, wrong = any(span.label for span in spans), any(span.error for span in spans)
    chained, minor = any(span.group >= 0 or span.twin >= 0 for span in spans), any(span.minor for span in spans)
    return Spans(
        start=[int(span.start) for span in spans],
        end=[int(span.end) for span in spans],
        group=[int(span.group) for span in spans] if chained else [],
        label=[span.label for span in spans] if labelled else [],
        twin=[int(span.twin) for span in spans] if chained else [],
        error=[span.error for span in spans] if wrong else [],
        minor=[span.minor for span in spans] if minor else [],
    )


def _columns(view: View) -> list[list[AlignedWords]]:
    """The columns of each sentence."""
    if not view.columns:
        return []
    starts = [column.start for column in view.columns]
    breaks = list(view.breaks) or [0, *(bisect_left(starts, first) for first in view.sentences[1:])]
    return [
        _runs(view, view.columns[first:last])
        for first, last in zip(breaks, [*breaks[1:], len(view.columns)], strict=True)
    ]


def _runs(view: View, columns: Sequence[Counterpart]) -> list[AlignedWords]:
    """Columns of words; a run of words that are the same on both sides only has its bounds."""
    runs: list[AlignedWords] = []
    for column in columns:
        start, end = int(column.start), int(column.end)
        if not _same(view, column):
            runs.append(AlignedWords(start, end, list(column.words), list(column.tags), column.error))
        elif runs and runs[-1].words is None and runs[-1].end == start:
            runs[-1].end = end
        else:
            runs.append(AlignedWords(start, end))
    return runs


def _same(view: View, column: Counterpart) -> bool:
    """Whether a column consists of words that both sides have, including tags."""
    start, end = column.start, column.end
    if column.error or not column.words or len(column.words) != end - start:
        return False
    tags = list(view.tags[start:end]) if view.tags else []
    return list(column.words) == list(view.words[start:end]) and list(column.tags) == tags


def _size(text: Text) -> int:
    """The approximate number of characters of a document's data."""
    words = sum(map(len, text.words)) + 3 * len(text.words)
    return words + sum(
        20 * len(layer.spans.start if layer.spans else ()) + 30 * sum(map(len, layer.columns))
        for layer in text.layers.values()
    )
