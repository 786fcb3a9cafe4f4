"""Texts with layers of annotation, as in UIMA: spans with features, relations between spans, and chains.

INCEpTION and WebAnno, CorefAnnotator and other tools built on UIMA write them as XMI, as JSON (`syntax/uima.py`) and as
TSV (`syntax/webanno_tsv.py`). Positions are characters of the text; the files count UTF-16 code units, as Java does.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Annotated, NamedTuple, TypeAlias

from aune.contract.options import HiddenAtDefault
from aune.errors import Remedy
from aune.reading.source import Source
from aune.syntax.annotators import note_left_out

LayerName: TypeAlias = Annotated[
    str, "the layer with the chains, or with the links between mentions; coreference if none is named", HiddenAtDefault
]
ENTITY_LAYER = "NamedEntity"
TOKEN, SENTENCE = "Token", "Sentence"
LABEL_FEATURES = ("value", "label", "labels", "entity", "entity_type", "entitytype", "type", "class", "category", "tag")
"""Names of features that contain the label, in order of preference."""
MOST_NAMED = 12


class LayerSpan(NamedTuple):
    """An annotation of a stretch of text."""

    id: str
    layer: str
    """The full name of its type."""
    start: int
    end: int
    features: Mapping[str, str]
    line: int = 0
    column: int = 1


class LayerRelation(NamedTuple):
    """A link from one span to another, by their ids."""

    layer: str
    source: str
    target: str
    features: Mapping[str, str]


class LayerChain(NamedTuple):
    """A sequence of spans, by their ids."""

    layer: str
    members: Sequence[str]
    name: str = ""
    id: str = ""
    parts: Sequence[str] = ()
    """The ids of the chains that are its members."""


@dataclass
class LayeredText:
    """A text and the layers of its annotation."""

    name: str
    text: str = ""
    tokens: list[tuple[int, int]] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    """The characters at which sentences begin."""
    spans: dict[str, LayerSpan] = field(default_factory=dict)
    relations: list[LayerRelation] = field(default_factory=list)
    chains: list[LayerChain] = field(default_factory=list)
    layers: dict[str, list[str]] = field(default_factory=dict)
    """The layers of spans, each with its features."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Other content of the file, by kind."""
    parts: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """The parts of spans in several pieces, by the id of the span."""
    has_header: bool = False
    """Whether the file names its layers, including unused ones."""

    def of_layer(self, layer: str) -> Iterator[LayerSpan]:
        return (span for span in self.spans.values() if span.layer == layer)

    @cached_property
    def token_bounds(self) -> tuple[list[int], list[int]]:
        """Where tokens begin, and where they end; for complete texts."""
        return [start for start, _ in self.tokens], [end for _, end in self.tokens]

    def token_span(self, span: LayerSpan) -> tuple[int, int]:
        """The tokens that a span touches; for an empty span, the token in which or at which it lies."""
        starts, ends = self.token_bounds
        if span.start >= span.end:
            place = min(bisect_left(ends, span.start), max(len(ends) - 1, 0))
            return place, place + 1
        first = bisect_right(ends, span.start)
        return first, max(bisect_left(starts, span.end), first + 1)


def short_name(layer: str) -> str:
    """The last part of the full name of a layer.

    >>> short_name("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
    'NamedEntity'
    """
    return layer.rpartition(".")[2]


def utf16_places(text: str) -> list[int] | None:
    """The character at each UTF-16 code unit of a text; None if each character is a single unit.

    >>> utf16_places("a😀b")
    [0, 1, 1, 2, 3]
    """
    if all(sign <= "\uffff" for sign in text):
        return None
    return [place for place, sign in enumerate(text) for _ in range(1 + (sign > "\uffff"))] + [len(text)]


def utf16_offsets(text: str) -> list[int]:
    """The UTF-16 code unit at which each character begins, and the end."""
    return list(accumulate((1 + (sign > "\uffff") for sign in text), initial=0))


class LabelFeature(NamedTuple):
    """The feature of a layer that contains the labels; its name is empty if the layer itself is the label."""

    layer: str
    name: str


def choose_feature(source: Source, text: LayeredText, wanted: str) -> LabelFeature | None:
    """The layer and the feature with the labels of entities; None if a problem was reported.

    It is the one that the user names (by layer, by feature, or both with a dot between), the value of NamedEntity, or
    the only layer with spans. If one of several had to be guessed, a warning names it.
    """
    features = [LabelFeature(layer, name) for layer, names in text.layers.items() for name in names or [""]]
    if not features and not text.has_header:
        source.warn("no layer with annotations beside tokens and sentences: read as a text without entities")
        return LabelFeature("", "")
    if not features:
        source.add_problem(
            "layer.missing", 1, 1, found="no layer of spans", expected="a line #T_SP=… in the header",
            remedies=["export such a layer"],
        )  # fmt: skip
        return None
    known = ", ".join(f"{short_name(layer)}{'.' if name else ''}{name}" for layer, name in features[:MOST_NAMED])
    if wanted:
        chosen = [item for item in features if wanted in _names(item)]
        if not chosen:
            source.add_problem(
                "column.unknown", 1, 1, found=f"no feature {wanted!r}", expected=f"one of {known}",
                remedies=[Remedy("choose", (("feature", "FEATURE"),))],
            )  # fmt: skip
            return None
        return _label_feature([item for item in chosen if item.layer == chosen[0].layer])
    entity_layer = [item for item in features if short_name(item.layer) == ENTITY_LAYER]
    used = {span.layer for span in text.spans.values()}
    candidates = entity_layer or [item for item in features if item.layer in used] or features
    feature = _label_feature([item for item in candidates if item.layer == candidates[0].layer])
    if not entity_layer and len(candidates) > 1:
        label = f"{short_name(feature.layer)}{'.' if feature.name else ''}{feature.name}"
        source.warn(f"labels are read from {label}, one of {known}: choose with --feature")
    return feature


def _names(feature: LabelFeature) -> tuple[str, ...]:
    """The names that a user may give a feature."""
    layer = short_name(feature.layer)
    return (feature.name, f"{layer}.{feature.name}", f"{feature.layer}.{feature.name}", layer, feature.layer)


def _label_feature(features: Sequence[LabelFeature]) -> LabelFeature:
    """The feature of one layer that is most likely the label: by its name, otherwise the last one."""
    by_name = {item.name.lower(): item for item in reversed(features)}
    return next((by_name[name] for name in LABEL_FEATURES if name in by_name), features[-1])


def label_of(span: LayerSpan, feature: LabelFeature) -> str:
    """The label of a span: its feature, or the layer if the feature has no value."""
    return span.features.get(feature.name) or short_name(span.layer)


def note_other_layers(source: Source, text: LayeredText, layers: Sequence[str], *, read_relations: int = 0) -> None:
    """Note which parts of a text are not read: relations, chains, and the spans of other layers.

    `read_relations` of the relations, which belong to other layers than these, are read.
    """
    counts = Counter(text.left_out)
    for kind, items in (("relations", text.relations), ("chains", text.chains)):
        counts[kind] += sum(item.layer not in layers for item in items)
    counts["relations"] -= read_relations
    for span in text.spans.values():
        if span.layer not in layers:
            counts[f"annotations of the layer {short_name(span.layer)}"] += 1
    note_left_out(source, +counts)
