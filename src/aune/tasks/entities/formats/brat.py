"""brat standoff: an `.ann` file of annotations over the characters of the `.txt` file beside it.

    T1	pers.ind 0 13	Laurent Blanc
    T2	loc.fac 20 24;30 36	gare Rungis

Spans (T…) may have several pieces. Attributes (A…, M…), notes of annotators (#…), normalizations (N…) and names of
chains are features of spans; relations (R…), the arguments of events (E…) and equivalences (*) are relations between
them. The text beside gives the lines, which are sentences, and a warning where it is not what the annotation quotes.
Labels may be paths with dots.

Carries text, pieces, nesting, features, relations and features of relations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from aune.contract.format import Format
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax import brat
from aune.syntax.annotators import note_left_out
from aune.syntax.edits import Edits
from aune.tasks.entities.formats._brat_links import Links, LinkWriter, feature_lines, read_links
from aune.tasks.entities.formats._splicing import changes, span_content, splice_file
from aune.tasks.entities.formats._writing import character_offsets, refuse, text_of
from aune.tasks.entities.model import MAX_POSITION, Document, Relation, Segments, Span, make_document, spans_of
from aune.typologies.typology import TypologyName

SPAN_NAME = re.compile(r"T[0-9]{1,10}")


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
    inside = [
        span for span in annotations.spans.values() if span.bounds[1] <= (MAX_POSITION if text is None else len(text))
    ]
    links = read_links(annotations, {span.name: number for number, span in enumerate(inside)})
    note_left_out(source, links.left_out)
    spans = [_span(span)._replace(features=tuple(links.features.get(span.name, ()))) for span in inside]
    sentences = None
    if text is not None:
        sentences = np.asarray(
            [0] + [mark.end() for mark in re.finditer("\n", text) if mark.end() < len(text)], np.int64
        )
    yield make_document(
        source.stem, spans, length=len(text or ""), unit="character", text=text,
        sentences=sentences, typology=typology, path=source.name,
        relations=[relation for _, relation in links.relations],
    )  # fmt: skip


def _span(span: brat.Span) -> Span:
    segments = span.parts if len(span.parts) > 1 else ()
    return Span(*span.bounds, span.label, 0, segments, span.line.number, len(span.name) + 2, id=span.name)


def sniff(head: str) -> bool:
    return re.match(r"(?:[#AMREN*]\S*\t.*\n)*T\d+\t\S+ \d+ \d+", head) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    """One document's annotations; its text goes in a file beside (`beside`)."""
    for document in _single_document(documents):
        offsets, quoted = character_offsets(document, "brat"), text_of(document)
        names = _span_names(document)
        spans = spans_of(document)
        for name, span in zip(names, spans, strict=True):
            if re.search(r"\s", span.label) or not span.label:
                refuse("brat", f"the label {span.label!r}, which is not one word", document)
            parts = span.segments or ((span.start, span.end),)
            placed = [(offsets[a][0], offsets[b - 1][1]) if offsets else (a, b) for a, b in parts]
            if any(start >= end for start, end in placed):
                refuse("brat", f"a span {span.label} over words without a character", document)
            quote = " ".join(quoted[a:b] for a, b in placed) if quoted is not None else ""
            yield _line(name, span.label, tuple(placed), quote)
        writer = LinkWriter()
        for name, span in zip(names, spans, strict=True):
            yield from writer.features(name, span.features)
        yield from writer.relations(document.relations, dict(enumerate(names)), document)


def _span_names(document: Document) -> list[str]:
    """The names of the spans: their own if each has one as brat gives them, otherwise T1, T2 …"""
    names = [document.ids.get(number, "") for number in range(len(document))]
    is_named = all(SPAN_NAME.fullmatch(name) for name in names) and len(set(names)) == len(names)
    return names if is_named else [f"T{number}" for number in range(1, len(names) + 1)]


def _line(name: str, label: str, parts: Segments, quote: str) -> str:
    places = ";".join(f"{start} {end}" for start, end in parts)
    return f"{name}\t{label} {places}\t{' '.join(quote.splitlines())}\n"


def _single_document(documents: Iterable[Document]) -> list[Document]:
    listed = list(documents)
    if len(listed) > 1:
        raise UsageError("brat has one document per file, and there are several: convert them one by one")
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
    removed_lines = _lines_to_remove(source, annotations, removed)
    names = _names_after(annotations, new, removed)
    links = read_links(annotations, {span.name: number for number, span in enumerate(annotations.spans.values())})
    removed_lines += [line for line in _outdated_lines(annotations, links, new, names) if line not in removed_lines]
    for line in removed_lines:
        edits.replace(line.start, min(line.start + len(line.text) + 1, len(source.text)), "")
    text = "" if new.text is None else new.text
    fresh = ""
    for span in added:
        if re.search(r"\s", span.label) or not span.label:
            refuse("brat", f"the label {span.label!r}, which is not one word", new)
    new_spans = spans_of(new)
    for number, name in sorted(names.items(), key=lambda item: (len(item[1]), item[1])):
        if name not in annotations.spans:
            span = new_spans[number]
            parts = span.segments or ((span.start, span.end),)
            fresh += _line(name, span.label, parts, " ".join(text[start:end] for start, end in parts))
    fresh += "".join(_new_links(annotations, links, new, names))
    if fresh and source.text and not source.text.endswith("\n"):
        fresh = "\n" + fresh
    edits.insert(len(source.text), fresh)
    return edits.apply()


def _names_after(annotations: brat.BratFile, new: Document, removed: Sequence[Span]) -> dict[int, str]:
    """The name of every span of the new document: that of the file, or a new number."""
    gone = {span.line for span in removed}
    by_content: dict[tuple[object, ...], list[str]] = {}
    for entry in reversed(list(annotations.spans.values())):
        if entry.line.number not in gone:
            by_content.setdefault(span_content(_span(entry)), []).append(entry.name)
    numbers = [int(name[1:]) for name in annotations.spans if name[1:].isdecimal() and len(name) < 12]
    names: dict[int, str] = {}
    last = max(numbers, default=0)
    for number, span in enumerate(spans_of(new)):
        known = by_content.get(span_content(span))
        if known:
            names[number] = known.pop()
        else:
            last += 1
            names[number] = f"T{last}"
    return names


def _outdated_lines(
    annotations: brat.BratFile, links: Links, new: Document, names: Mapping[int, str]
) -> Iterator[brat.Line]:
    """The lines of features and relations that the new document does not have."""
    triggers = {event.name: event.trigger for event in annotations.events}
    wanted = {(names[number], *item) for number, items in new.features.items() for item in items}
    relation_names = {link.name for link in annotations.links if isinstance(link, brat.Relation)}
    for item in feature_lines(annotations):
        span = triggers.get(item.target, item.target)
        if item.target not in relation_names and (span, item.name, item.value) not in wanted:
            yield item.line
    wanted_relations = {_relation_content(relation, names) for relation in new.relations}
    old_names = dict(enumerate(annotations.spans))
    outdated = {
        line.number: line for line, relation in links.relations
        if _relation_content(relation, old_names) not in wanted_relations
    }  # fmt: skip
    for line in outdated.values():
        if not line.text.startswith("R"):
            raise UsageError(f"line {line.number} of the file is about a relation that goes ({line.text!r}): mend it")
        yield line
        yield from (item.line for item in feature_lines(annotations) if item.target == line.text.partition("\t")[0])


def _new_links(
    annotations: brat.BratFile, links: Links, new: Document, names: Mapping[int, str]
) -> Iterator[str]:  # fmt: skip
    """The lines of features and relations that the file does not have."""
    used = [line.text.partition("\t")[0] for line in annotations.lines]
    writer = LinkWriter(name for name in used if name[:1] in "AMRNE#" and name)
    for number, features in new.features.items():
        known = set(links.features.get(names[number], ()))
        yield from writer.features(names[number], tuple(item for item in features if item not in known))
    old_names = dict(enumerate(annotations.spans))
    known_relations = {_relation_content(relation, old_names) for _, relation in links.relations}
    relations = [relation for relation in new.relations if _relation_content(relation, names) not in known_relations]
    yield from writer.relations(relations, names, new)


def _relation_content(relation: Relation, names: Mapping[int, str]) -> tuple[object, ...]:
    return relation.kind, names[relation.source], names[relation.target], relation.features


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


CARRIES = frozenset({"text", "pieces", "nesting", "features", "relations", "features of relations"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".ann",), companion_endings=(".txt",),
                settings_files=brat.SETTINGS_FILES, beside=beside, splice=splice)  # fmt: skip
