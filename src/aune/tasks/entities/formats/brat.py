"""brat standoff: an `.ann` file of annotations over the characters of the `.txt` file beside it.

    T1	pers.ind 0 13	Laurent Blanc
    T2	loc.fac 20 24;30 36	gare Rungis

Only text-bound annotations (T…) are read; spans in several pieces are kept so. Notes, relations, events and attributes
are left out. The text beside gives the lines, which are sentences, and a warning where it is not what the annotation
quotes. Labels may be paths with dots.

Carries text, pieces and nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from aune.core.corpus import Source
from aune.core.errors import InputError
from aune.core.task import Format
from aune.tasks.entities.model import Document, Segments, Span, document
from aune.tasks.entities.typology import TypologyName

PLACES = re.compile(r"\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*")
OTHERS = ("#", "A", "M", "R", "E", "N", "*")


def read(source: Source, *, typology: TypologyName = "") -> Iterator[Document]:
    text = _text_beside(source)
    spans, wrong = [], 0
    for number, line in source.lines():
        if not line.strip() or line.startswith(OTHERS):
            continue
        cells = line.split("\t")
        found = _span(source, number, cells)
        if found is None:
            continue
        if text is not None and found.end > len(text):
            what = f"found the end {found.end}, expected at most {len(text)}, the length of the text: mend the offsets"
            source.problem(number, len(cells[0]) + 2, what)
            continue
        spans.append(found)
        parts = found.segments or ((found.start, found.end),)
        quoted = None if text is None or len(cells) < 3 else " ".join(text[start:end] for start, end in parts)
        wrong += quoted is not None and quoted.split() != cells[2].split()
    if wrong:
        source.warn(f"{wrong} annotations quote another text than the one at their offsets")
    sentences = None
    if text is not None:
        sentences = np.asarray(
            [0] + [mark.end() for mark in re.finditer("\n", text) if mark.end() < len(text)], np.int64
        )
    yield document(
        Path(source.name).stem, spans, length=len(text or ""), unit="character", text=text, sentences=sentences,
        typology=typology, path=source.name,
    )  # fmt: skip


def _text_beside(source: Source) -> str | None:
    beside = source.path and source.path.with_suffix(".txt")
    if not beside or not beside.is_file() or beside == source.path:
        return None
    try:
        return Source(str(beside), beside.read_bytes()).text
    except (OSError, InputError):
        source.warn(f"{beside} cannot be read: the annotations are taken without their text")
        return None


def _span(source: Source, number: int, cells: list[str]) -> Span | None:
    """The span of a line T…, or None with a problem told."""
    label, _, places = cells[1].partition(" ") if len(cells) > 1 else ("", "", "")
    if not re.fullmatch(r"T\d+", cells[0]) or not label or not PLACES.fullmatch(places):
        found = "\t".join(cells)[:60]
        source.problem(
            number, 1, f"found {found!r}, expected such as 'T1⇥pers 0 4⇥text' with tabs for ⇥: mend the line"
        )
        return None
    parts: Segments = tuple((int(a), int(b)) for a, b in (place.split(" ") for place in places.split(";")))
    if any(start > end for start, end in parts):
        column = len(cells[0]) + len(label) + 3
        source.problem(number, column, f"found {places!r}, expected each start before its end: mend the offsets")
        return None
    start, end = min(start for start, _ in parts), max(end for _, end in parts)
    segments = tuple(sorted(parts)) if len(parts) > 1 else ()
    return Span(start, end, label, 0, segments, number, len(cells[0]) + 2)


def sniff(head: str) -> bool:
    return re.match(r"(?:[#AMREN*]\S*\t.*\n)*T\d+\t\S+ \d+ \d+", head) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One document's annotations (the text goes in a file of its own)."""
    for found in documents:
        offsets = _offsets(found)
        for number, (start, end, label) in enumerate(found.triples(), 1):
            parts = found.segments.get(number - 1, ((start, end),))
            placed = [(offsets[a][0], offsets[b - 1][1]) if offsets else (a, b) for a, b in parts if b > a]
            places = ";".join(f"{a} {b}" for a, b in placed)
            quoted = " ".join(found.quoted(a, b) for a, b in parts).replace("\n", " ")
            yield f"T{number}\t{label.replace(' ', '_')} {places}\t{quoted}\n"


def _offsets(found: Document) -> list[tuple[int, int]]:
    """The characters of each token, joined by single blanks; nothing for documents over characters."""
    if found.unit == "character":
        return []
    places, start = [], 0
    for token in found.tokens or ["_"] * found.length:
        places.append((start, start + len(token)))
        start += len(token) + 1
    return places


FORMAT = Format(read, sniff, write, carries=frozenset({"text", "pieces", "nesting"}), suffixes=(".ann",))
