"""Chains in texts with layers of annotation: those of a chain layer, or what relations between spans tie together."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from aune.errors import Remedy
from aune.numeric.union_find import UnionFind
from aune.reading.source import Source
from aune.syntax.layers import MOST_NAMED, LayeredText, LayerSpan, note_other_layers, short_name
from aune.tasks.coref.formats._tokenization import Tokens, sentences_of, text_columns
from aune.tasks.coref.model import SPLIT, Document, Mention, Relation, make_document

IDENTITY = re.compile(
    r"coref.*|ident.*|equiv.*|same(?:[-_ ]?as)?|ana(?:ph.*)?|cata(?:ph.*)?|appos.*|pred(?:icat.*)?|disc(?:ourse.*)?"
    r"|koreferen.*|", re.IGNORECASE
)  # fmt: skip
"""What links between mentions of one thing are called; a link without a name is one. Others are relations."""
COREF_LAYER = re.compile(r"coref|anaph|chain|identity|koref", re.IGNORECASE)


def layer_document(source: Source, text: LayeredText, wanted: str, *, unit: str) -> Document | None:
    """The document of a text with layers; None where it has no chains, which is reported."""
    layer = _choose_layer(source, text, wanted)
    if layer is None:
        return None
    chains, relations, layers = _chains_of(text, layer)
    note_other_layers(source, text, layers)
    place = {name: number for number, name in enumerate(chains)}
    columns = _columns(text, unit)
    mentions = [_mention(text, text.spans[name], chain, unit) for name, chain in chains.items()]
    links = [Relation(kind, place[start], place[end]) for kind, start, end in relations if {start, end} <= place.keys()]
    return make_document(text.name, mentions, relations=links, unit=unit, path=source.name, **columns)


def _choose_layer(source: Source, text: LayeredText, wanted: str) -> str | None:
    """The layer of the chains, or of the relations that make chains."""
    chain_layers = list(dict.fromkeys(item.layer for item in text.chains))
    relation_layers = list(dict.fromkeys(item.layer for item in text.relations))
    layers = list(dict.fromkeys([*chain_layers, *relation_layers, *text.layers]))
    if wanted:
        layer = next((name for name in layers if wanted in (name, short_name(name))), None)
        if layer is None:
            names = ", ".join(map(short_name, layers[:MOST_NAMED])) or "a file with such layers"
            source.add_problem(
                "layer.unknown", 1, 1, found=f"no layer {wanted!r}", expected=f"one of {names}",
                remedies=[Remedy("choose", (("layer", "LAYER"),))],
            )  # fmt: skip
        return layer
    named = [name for name in relation_layers if COREF_LAYER.search(short_name(name))]
    candidates = chain_layers or named or relation_layers or [name for name in text.layers if COREF_LAYER.search(name)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        names = ", ".join(map(short_name, candidates[:MOST_NAMED]))
        source.add_problem(
            "layer.ambiguous", 1, 1, found=f"{len(candidates)} layers that may be coreference ({names})",
            expected="one of them", remedies=[Remedy("choose", (("layer", short_name(candidates[0])),))],
        )  # fmt: skip
        return None
    if not text.layers:
        source.warn("no layer with annotations beside tokens and sentences: read as a text without chains")
        return ""
    known = ", ".join(map(short_name, list(text.layers)[:MOST_NAMED]))
    source.add_problem(
        "layer.missing", 1, 1, found=f"no chains and no relations, only the layers {known}",
        expected="a layer of chains, or one of relations between mentions",
        remedies=["export it", Remedy("read each span of a layer as a chain of its own", (("layer", "LAYER"),))],
    )  # fmt: skip
    return None


def _chains_of(
    text: LayeredText, layer: str
) -> tuple[dict[str, str], list[tuple[str, str, str]], tuple[str, ...]]:  # fmt: skip
    """The chain of every mention, the other relations between mentions, and the layers that are read."""
    rows = [chain for chain in text.chains if chain.layer == layer]
    if rows:
        chains = {name: str(number) for number, chain in enumerate(rows) for name in chain.members}
        chains |= {span.id: f"alone {span.id}" for span in text.of_layer(layer) if span.id not in chains}
        first = {chain.id: chain.members[0] for chain in rows if chain.id}
        groups = [(SPLIT, chain.members[0], first[part]) for chain in rows for part in chain.parts if part in first]
        labels = [chain.name for chain in rows]
        if all(labels) and len(set(labels)) == len(rows) == len(set(chains.values())):
            return {name: labels[int(chain)] for name, chain in chains.items()}, groups, (layer,)
        return _number_chains(text, chains), groups, (layer,)
    relations = [relation for relation in text.relations if relation.layer == layer]
    ends = {end for item in relations for end in (item.source, item.target)}
    span_layers = {text.spans[end].layer for end in ends if end in text.spans} or {layer}
    names = [name for name, span in text.spans.items() if span.layer in span_layers]
    ties = UnionFind(names)
    others = []
    for relation in relations:
        kind = _kind(relation.features)
        if IDENTITY.fullmatch(kind) and {relation.source, relation.target} <= text.spans.keys():
            ties.union(relation.source, relation.target)
        else:
            others.append((kind, relation.target, relation.source))
    return _number_chains(text, {name: ties.find(name) for name in names}), others, (layer, *span_layers)


def _number_chains(text: LayeredText, chains: Mapping[str, str]) -> dict[str, str]:
    """The chains of mentions, numbered in the order of the text."""
    numbers: dict[str, str] = {}
    for name in sorted(chains, key=lambda name: (text.spans[name].start, text.spans[name].end)):
        numbers.setdefault(chains[name], str(len(numbers) + 1))
    return {name: numbers[chain] for name, chain in chains.items()}


def _kind(features: Mapping[str, str]) -> str:
    """What kind of link a relation is: the feature whose name says so, else the first one."""
    values = {name.lower(): value for name, value in features.items()}
    usual = ("type", "value", "label", "relation", "kind", "linkart")
    return next((values[name] for name in usual if name in values), next(iter(features.values()), ""))


def _mention(text: LayeredText, span: LayerSpan, chain: str, unit: str) -> Mention:
    parts = text.parts.get(span.id, ())
    start, end = span.start, span.end
    if unit == "token":
        start, end = text.token_span(span)
    features = {name: value for name, value in span.features.items() if value.strip()}
    return Mention(start, max(end, start + 1), chain, span.line, segments=parts, features=features)


def _columns(text: LayeredText, unit: str) -> dict[str, Any]:
    """The tokens of a text and the sentences, by the names that a document gives them."""
    if not text.tokens:
        return text_columns(text.text)
    words = [text.text[start:end] for start, end in text.tokens]
    tokens = Tokens(words, *map(_array, zip(*text.tokens, strict=True)))
    sentences = sentences_of(text.sentences or [0], tokens)
    positions = {} if unit == "token" else {"positions": np.asarray(tokens.starts, np.int64)}
    return {"tokens": words, "sentences": sentences, **positions}


def _array(values: Sequence[int]) -> array[int]:
    return array("q", values)


def layer_documents(source: Source, text: LayeredText | None, layer: str, *, unit: str) -> Iterator[Document]:
    """The document of a text with layers, unless something is wrong with it."""
    document = None if text is None else layer_document(source, text, layer, unit=unit)
    if document is not None:
        yield document
