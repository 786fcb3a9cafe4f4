"""CorefAnnotator's XMI: a text, its entities, and the mentions of each.

    <v2:MentionSurface xmi:id="5" sofa="1" begin="0" end="3" Mention="6"/>
    <v2:Mention xmi:id="6" Entity="7" Surface="5"/><v2:Entity xmi:id="7" Label="Ann" Color="0"/>
    <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Ann met her sister ."/>

Read are files of version 1 (a mention has its own place) and of version 2 (it has surfaces, several when it is
discontinuous), compressed or not (`.ca2` is the same). The label of an entity names its chain, a group of entities is
a split antecedent. An entity without a mention is no chain. Positions are characters; tokens are words, numbers and
single signs, unless the file has its own. Written is version 2, one document per file; comments and flags are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, pairwise

import numpy as np

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax.layers import utf16_offsets
from aune.syntax.uima import COREF_ANNOTATOR, is_xmi, read_layers, xmi_file
from aune.tasks.coref.formats._layers import layer_documents
from aune.tasks.coref.formats._tokenization import sentence_starts, text_layout
from aune.tasks.coref.model import SPLIT, Document, token_spans

NAMESPACES = {
    "v2": "http:///de/unistuttgart/ims/coref/annotator/api/v2.ecore",
    "segmentation": "http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore",
    "api": "http:///de/unistuttgart/ims/coref/annotator/api.ecore",
}
COLORS = (-16776961, -65536, -16744448, -8388480, -32768, -16744320)
"""Colours of entities as the tool stores them, in turn."""


def read(source: Source) -> Iterator[Document]:
    yield from layer_documents(source, read_layers(source), "", unit="character")


def sniff(head: str) -> bool:
    return is_xmi(head) and COREF_ANNOTATOR.replace(".", "/") in head


def write(documents: Iterable[Document]) -> Iterator[str]:
    for index, document in enumerate(documents):
        if index:
            raise UsageError("coref_annotator has one document per file, and there are several: convert to a folder")
        text, starts, ends = text_layout(document, "coref_annotator")
        yield xmi_file(NAMESPACES, list(_elements(document, text, starts, ends)), text)


def _elements(
    document: Document, text: str, starts: list[int], ends: list[int]
) -> Iterator[tuple[str, dict[str, str]]]:
    """The elements of a file, in whose order ids are counted from 2: the text has 1."""
    ids = count(2)
    units = utf16_offsets(text)
    firsts = [starts[place] for place in sentence_starts(document) if place < len(starts)]
    for name, places in (
        ("Sentence", pairwise([*firsts, len(text)] if firsts else [])), ("Token", zip(starts, ends, strict=True)),
    ):  # fmt: skip
        for start, end in places:
            place = {"begin": str(units[start]), "end": str(units[end])}
            yield f"segmentation:{name}", {"xmi:id": str(next(ids)), "sofa": "1", **place}
    labels = document.labels or [str(number) for number in range(document.chain_count)]
    entity_ids = [str(next(ids)) for _ in range(document.chain_count)]
    members = document.members()
    chains = document.chains.tolist()
    groups: dict[int, list[str]] = {}
    for kind, source, target in document.relations:
        if kind == SPLIT:
            groups.setdefault(chains[source], []).append(entity_ids[chains[target]])
    for number, (name, label) in enumerate(zip(entity_ids, labels, strict=True)):
        group = {"Members": " ".join(dict.fromkeys(groups[number]))} if number in groups else {}
        color = str(COLORS[number % len(COLORS)])
        yield "v2:Entity", {"xmi:id": name, "Label": label, "Color": color, "Hidden": "false", **group}
    for number, mentions in enumerate(members):
        for mention in mentions:
            parts = list(document.segments.get(mention) or [tuple(document.spans[mention].tolist())])
            if document.unit != "character":
                places = token_spans(document, np.asarray(parts)).tolist()
                parts = [(starts[start], ends[end - 1]) for start, end in places]
            name, surfaces = str(next(ids)), [str(next(ids)) for _ in parts]
            yield "v2:Mention", {"xmi:id": name, "Entity": entity_ids[number], "Surface": " ".join(surfaces)}
            for surface, (start, end) in zip(surfaces, parts, strict=True):
                place = {"begin": str(units[start]), "end": str(units[end])}
                yield "v2:MentionSurface", {"xmi:id": surface, "sofa": "1", **place, "Mention": name}


FORMAT = Format(
    read, sniff, write, suffixes=(".xmi", ".ca2"),
    carries=frozenset(("tokens", "sentences", "discontinuous", "singletons", "spans")),
)  # fmt: skip
