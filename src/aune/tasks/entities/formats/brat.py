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
from itertools import accumulate
from pathlib import Path

import numpy as np

from aune.core.corpus import Source
from aune.core.errors import InputError, UsageError
from aune.core.task import Format
from aune.tasks.entities.formats._writing import refuse, sentence_starts, spans_of
from aune.tasks.entities.model import FARTHEST, Document, Segments, Span, document
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
        found = _span(source, number, cells, None if text is None else len(text))
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


def _span(source: Source, number: int, cells: list[str], size: int | None) -> Span | None:
    """The span of a line T…, or None with a problem told."""
    label, _, places = cells[1].partition(" ") if len(cells) > 1 else ("", "", "")
    if not re.fullmatch(r"T\d+", cells[0]) or not label or not PLACES.fullmatch(places):
        found = "\t".join(cells)[:60]
        source.problem(
            number, 1, f"found {found!r}, expected such as 'T1⇥pers 0 4⇥text' with tabs for ⇥: mend the line"
        )
        return None
    parts: Segments = tuple((int(a), int(b)) for a, b in (place.split(" ") for place in places.split(";")))
    column = len(cells[0]) + len(label) + 3
    if any(start >= end for start, end in parts):
        source.problem(number, column, f"found {places!r}, expected each start before its end: mend the offsets")
        return None
    if size is None and any(end > FARTHEST for _, end in parts):
        what = f"found {places!r} without a text, expected offsets up to {FARTHEST}: put the text beside, or mend them"
        source.problem(number, column, what)
        return None
    start, end = min(start for start, _ in parts), max(end for _, end in parts)
    segments = tuple(sorted(parts)) if len(parts) > 1 else ()
    return Span(start, end, label, 0, segments, number, len(cells[0]) + 2)


def sniff(head: str) -> bool:
    return re.match(r"(?:[#AMREN*]\S*\t.*\n)*T\d+\t\S+ \d+ \d+", head) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One document's annotations; its text goes in a file beside (`beside`)."""
    for found in _only(documents):
        offsets, quoted = _offsets(found), text_of(found)
        for number, span in enumerate(spans_of(found), 1):
            if re.search(r"\s", span.label) or not span.label:
                refuse("brat", f"the label {span.label!r}, which is not one word", found)
            parts = span.segments or ((span.start, span.end),)
            placed = [(offsets[a][0], offsets[b - 1][1]) if offsets else (a, b) for a, b in parts]
            quote = " ".join(quoted[a:b] for a, b in placed) if quoted is not None else ""
            yield _line(number, span.label, tuple(placed), quote)


def _line(number: int, label: str, parts: Segments, quote: str) -> str:
    places = ";".join(f"{start} {end}" for start, end in parts)
    return f"T{number}\t{label} {places}\t{' '.join(quote.splitlines())}\n"


def _only(documents: Iterable[Document]) -> list[Document]:
    listed = list(documents)
    if len(listed) > 1:
        raise UsageError("brat holds one document per file, and there are several: convert them one by one")
    return listed


def beside(documents: Iterable[Document]) -> dict[str, str]:
    """The text that the offsets are counted in."""
    texts = [text for found in _only(documents) if (text := text_of(found)) is not None]
    return {".txt": texts[0]} if texts else {}


def text_of(found: Document) -> str | None:
    """The text of a document; that of tokens has a blank between them and a line for each sentence."""
    if found.unit == "character" or found.tokens is None:
        return found.text
    breaks = sentence_starts(found)
    signs = ["" if place == 0 else "\n" if place in breaks else " " for place in range(found.length)]
    return "".join(sign + token for sign, token in zip(signs, found.tokens, strict=True))


def _offsets(found: Document) -> list[tuple[int, int]]:
    """The characters of each token in `text_of`; nothing for documents over characters."""
    if found.unit == "character":
        return []
    if found.tokens is None:
        refuse("brat", "a text without its tokens", found)
    starts = list(accumulate((len(token) + 1 for token in found.tokens), initial=0))
    return [(start, start + len(token)) for start, token in zip(starts, found.tokens, strict=False)]


CARRIES = frozenset({"text", "pieces", "nesting"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".ann",), beside=beside)
