"""brat standoff: an `.ann` file of annotations over the characters of the `.txt` file beside it.

    T1	pers.ind 0 13	Laurent Blanc
    T2	loc.fac 20 24;30 36	gare Rungis

Only text-bound annotations (T…) are taken; spans in several pieces are kept so. Notes, relations, events and attributes
are left out. The text beside gives the lines, which are sentences, and a warning where it is not what the annotation
quotes. Labels may be paths with dots.

Carries text, pieces and nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax import brat
from aune.syntax.edits import Edits
from aune.tasks.entities.formats._splicing import changes, splice_file
from aune.tasks.entities.formats._writing import character_offsets, refuse, text_of
from aune.tasks.entities.model import MAX_POSITION, Document, Segments, Span, make_document, spans_of
from aune.typologies.typology import TypologyName


def read(source: Source, *, typology: TypologyName = "") -> Iterator[Document]:
    annotations = brat.read(source)
    text = annotations.text
    for span in annotations.spans.values():
        if text is None and span.bounds[1] > MAX_POSITION:
            source.add_problem(
                "mention.outside-text",
                span.line.number,
                span.column,
                found=f"the end {span.bounds[1]} without a text",
                expected=f"at most {MAX_POSITION}",
                remedies=["put the text beside, or mend it"],
            )
    spans = [
        _span(span)
        for span in annotations.spans.values()
        if span.bounds[1] <= (MAX_POSITION if text is None else len(text))
    ]
    sentences = None
    if text is not None:
        sentences = np.asarray(
            [0] + [mark.end() for mark in re.finditer("\n", text) if mark.end() < len(text)], np.int64
        )
    yield make_document(
        source.stem, spans, length=len(text or ""), unit="character", text=text,
        sentences=sentences, typology=typology, path=source.name,
    )  # fmt: skip


def _span(span: brat.Span) -> Span:
    segments = span.parts if len(span.parts) > 1 else ()
    return Span(*span.bounds, span.label, 0, segments, span.line.number, len(span.name) + 2)


def sniff(head: str) -> bool:
    return re.match(r"(?:[#AMREN*]\S*\t.*\n)*T\d+\t\S+ \d+ \d+", head) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One document's annotations; its text goes in a file beside (`beside`)."""
    for document in _single_document(documents):
        offsets, quoted = character_offsets(document, "brat"), text_of(document)
        for number, span in enumerate(spans_of(document), 1):
            if re.search(r"\s", span.label) or not span.label:
                refuse("brat", f"the label {span.label!r}, which is not one word", document)
            parts = span.segments or ((span.start, span.end),)
            placed = [(offsets[a][0], offsets[b - 1][1]) if offsets else (a, b) for a, b in parts]
            if any(start >= end for start, end in placed):
                refuse("brat", f"a span {span.label} over words without a character", document)
            quote = " ".join(quoted[a:b] for a, b in placed) if quoted is not None else ""
            yield _line(number, span.label, tuple(placed), quote)


def _line(number: int, label: str, parts: Segments, quote: str) -> str:
    places = ";".join(f"{start} {end}" for start, end in parts)
    return f"T{number}\t{label} {places}\t{' '.join(quote.splitlines())}\n"


def _single_document(documents: Iterable[Document]) -> list[Document]:
    listed = list(documents)
    if len(listed) > 1:
        raise UsageError("brat holds one document per file, and there are several: convert them one by one")
    return listed


def beside(documents: Iterable[Document]) -> dict[str, str]:
    """The text that the offsets are counted in."""
    texts = [text for document in _single_document(documents) if (text := text_of(document)) is not None]
    return {".txt": texts[0]} if texts else {}


def splice(source: Source, documents: Sequence[Document], *, typology: TypologyName = "") -> bytes:
    """The file with other entities: lines of those that are gone go, new ones come last, all others stay."""
    return splice_file(
        source, documents, partial(read, typology=typology), lambda pairs, _: _rewrite(source, *pairs[0])
    )


def _rewrite(source: Source, old: Document, new: Document) -> bytes:
    removed, added = changes(old, new)
    annotations = brat.read(source)
    edits = Edits(source)
    for line in _lines_to_remove(source, annotations, removed):
        edits.replace(line.start, min(line.start + len(line.text) + 1, len(source.text)), "")
    numbers = [int(name[1:]) for name in annotations.spans if name[1:].isdecimal() and len(name) < 12]
    last = max(numbers, default=0)
    text = "" if new.text is None else new.text
    fresh = "" if not added or source.text.endswith("\n") or not source.text else "\n"
    for number, span in enumerate(added, last + 1):
        if re.search(r"\s", span.label) or not span.label:
            refuse("brat", f"the label {span.label!r}, which is not one word", new)
        parts = span.segments or ((span.start, span.end),)
        fresh += _line(number, span.label, parts, " ".join(text[start:end] for start, end in parts))
    edits.insert(len(source.text), fresh)
    return edits.apply()


def _lines_to_remove(source: Source, annotations: brat.BratFile, removed: Sequence[Span]) -> list[brat.Line]:
    """The lines to delete with removed spans: their own, and those of their notes, attributes, chains and relations.

    A relation is also about another span, so relations are counted in `source.dropped`. Refuses spans that an
    equivalence or an event refers to.
    """
    numbers = {span.line for span in removed}
    gone = {name for name, span in annotations.spans.items() if span.line.number in numbers}
    groups = [
        link.line for link in annotations.links if isinstance(link, brat.Equivalence) and gone & set(link.members)
    ]
    events = [line for line in annotations.others if gone & set(re.findall(r"T[^\s:]*", line.text))]
    if groups or events:
        line = (groups + events)[0]
        raise UsageError(f"line {line.number} of the file is about an entity that goes ({line.text!r}): mend it first")
    relations = [
        link.line for link in annotations.links if isinstance(link, brat.Relation) and gone & {link.source, link.target}
    ]
    if relations:
        source.dropped["relations"] = len(relations)
    chains = [link.line for link in annotations.links if isinstance(link, brat.Chain) and link.member in gone]
    attributes = [attribute.line for attribute in annotations.attributes if attribute.target in gone]
    notes = [note.line for note in annotations.notes if note.target in gone]
    return [*(annotations.spans[name].line for name in gone), *relations, *chains, *attributes, *notes]


CARRIES = frozenset({"text", "pieces", "nesting"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".ann",), companion_endings=(".txt",),
                settings_files=brat.SETTINGS_FILES, beside=beside, splice=splice)  # fmt: skip
