"""TEI: editions whose names and references (`persName`, `rs` …) point to persons, places and things.

    <text><body><p><persName ref="#ann">Ann</persName> met <rs ref="#eva">her sister</rs>.</p></body></text>

A mention is an element persName, placeName, orgName, geogName, name or rs in the text; `element` names others. What its
`ref` (or `key`, `corresp`, `sameAs`, `ana`) says is its chain; without one it is alone. The name of the element and its
`type` are features. Registers (`listPerson` …) and the header are not text; what they contain is counted. Positions are
characters of the text without tags; tokens are words, numbers and single signs, paragraphs and lines are sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aune.contract.format import Format
from aune.reading.source import Source
from aune.syntax.annotators import note_left_out
from aune.syntax.tei import ELEMENTS_OUTSIDE, NAMES, ElementNames, TeiMark, is_tei, read_tei
from aune.tasks.coref.formats._tokenization import text_columns
from aune.tasks.coref.model import Document, Mention, make_document


def read(source: Source, *, element: ElementNames = ()) -> Iterator[Document]:
    if not source.text.strip():
        return
    reading = read_tei(source, element or NAMES)
    if reading is None:
        return
    mentions = [
        Mention(mark.start, mark.end, mark.reference or f"alone {number}", mark.line, features=_features(mark))
        for number, mark in enumerate(reading.marks)
    ]  # fmt: skip
    note_left_out(source, Counter({ELEMENTS_OUTSIDE: n} if (n := reading.elsewhere.total()) else {}))
    yield make_document(source.stem, mentions, unit="character", path=source.name, **text_columns(reading.text))


def _features(mark: TeiMark) -> dict[str, str]:
    return {"element": mark.name} | ({"etype": mark.type} if mark.type else {})


def sniff(head: str) -> bool:
    return is_tei(head)


FORMAT = Format(read, sniff, suffixes=(".xml", ".tei"))
