"""TEI: editions in which names (`persName`, `placeName`, `rs` …) are marked.

    <text><body><p><persName ref="#ann">Ann Lee</persName> ran to <rs type="place">the sea</rs>.</p></body></text>

An entity is an element persName, placeName, orgName, geogName, name or rs in the text; `element` names others, such as
date. Its label is its `type` where it is a name or an rs that has one, else the name of the element. Registers
(`listPerson` …) and the header are not text; what they contain is counted. Positions are characters of the text without
tags, paragraphs and lines are sentences. The other attributes (`ref`, `key`, `cert` …) are features.

Carries text, sentences, nesting and features.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax.annotators import note_left_out
from aune.syntax.tei import ELEMENTS_OUTSIDE, NAMES, ElementNames, TeiMark, is_tei, read_tei
from aune.tasks.entities.model import Document, Features, Span, make_document
from aune.typologies.typology import TypologyName

ID = "xml:id"
TYPED = ("name", "rs", "seg")
"""Elements that say by their type what they mark."""


def read(source: Source, *, element: ElementNames = (), typology: TypologyName = "") -> Iterator[Document]:
    if not source.text.strip():
        return
    reading = read_tei(source, element or NAMES)
    if reading is None:
        return
    spans = [
        Span(
            mark.start, mark.end, _label(mark), line=mark.line, column=mark.column, features=_features(mark),
            id=mark.attributes.get(ID, ""),
        )
        for mark in reading.marks
    ]  # fmt: skip
    note_left_out(source, Counter({ELEMENTS_OUTSIDE: n} if (n := reading.elsewhere.total()) else {}))
    text = reading.text
    starts = [start for start in reading.lines if start < len(text)] or [0]
    yield make_document(
        source.stem, spans, length=len(text), unit="character", text=text, sentences=np.asarray(starts, np.int64),
        typology=typology, path=source.name,
    )  # fmt: skip


def _label(mark: TeiMark) -> str:
    return mark.type if mark.name in TYPED and mark.type else mark.name


def _features(mark: TeiMark) -> Features:
    """The attributes of an element, without that which is its label."""
    label = "type" if mark.name in TYPED and mark.type else ID
    return tuple((name, value) for name, value in mark.attributes.items() if name not in (label, ID) and value.strip())


def sniff(head: str) -> bool:
    return is_tei(head)


FORMAT = Format(read, sniff, carries=frozenset({"text", "sentences", "nesting", "features"}), suffixes=(".xml", ".tei"))
