"""Text with tags in it: what inline formats share."""

from __future__ import annotations

import bisect
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from aune.numeric.grouping import key_positions
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.syntax.markup import BareText, Tag, tags, without_comments
from aune.tasks.entities.formats._splicing import changes
from aune.tasks.entities.model import Document, Others, Span, make_document, spans_of

NAME = r"[A-Za-z][\w.:-]*"
TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass
class TaggedEntity:
    """An entity with its tags, and where it lies in the text without tags."""

    label: str
    opening: Tag
    start: int
    closing: Tag | None = None
    end: int = -1
    depth: int = 0


class TokenEntity(NamedTuple):
    """An entity over tokens, with its two tags."""

    span: Span
    opening: Tag
    closing: Tag


@dataclass
class InlineText(BareText[TaggedEntity]):
    """A document in the making: its text without tags, and the entities found in it, by character."""

    start: int = 0
    """Where it begins in the source."""

    def close(self, source: Source, tag: Tag) -> None:
        """End the innermost entity of that name, and say so when it is not the innermost of all."""
        place = len(self.open) - 1
        while place >= 0 and self.open[place].opening.name != tag.name:
            place -= 1
        if place < 0:
            source.add_problem(
                "tag.unopened",
                tag.line,
                tag.column,
                found=f"</{tag.name}> without its opening tag",
                expected=f"<{tag.name}> before it",
                remedies=["add it or remove this one"],
            )
            return
        if place < len(self.open) - 1:
            inner = self.open[-1].opening
            source.add_problem(
                "tag.unopened", tag.line, tag.column,
                found=f"</{tag.name}> inside <{inner.name}> of line {inner.line}", expected=f"</{inner.name}> first",
                remedies=["entities may nest but not cross"],
            )  # fmt: skip
        entity = self.open.pop(place)
        entity.closing, entity.end, entity.depth = tag, self.size, len(self.open)
        self.marks.append(entity)

    def finish(self, source: Source) -> None:
        for tag in (entity.opening for entity in self.open):
            source.add_problem(
                "tag.unclosed",
                tag.line,
                tag.column,
                found=f"<{tag.name}> that is never closed",
                expected=f"</{tag.name}>",
                remedies=["add it"],
            )

    @cached_property
    def starts(self) -> array[int]:
        """Where each token begins in the text without tags."""
        return array("q", (match.start() for match in TOKEN.finditer(self.text)))

    @cached_property
    def ends(self) -> array[int]:
        """Where each token ends there."""
        return array("q", (match.end() for match in TOKEN.finditer(self.text)))

    def place(self, token: int) -> tuple[int, int]:
        """Where a token begins and ends in the source."""
        return self.source_span(self.starts[token], self.ends[token])

    @cached_property
    def entities(self) -> list[TokenEntity]:
        """The entities over tokens; a boundary inside a token counts as one around it."""
        placed = []
        for entity in self.marks:
            first, after = bisect.bisect_right(self.ends, entity.start), bisect.bisect_left(self.starts, entity.end)
            span = Span(first, after, entity.label, entity.depth, (), entity.opening.line, entity.opening.column)
            if entity.closing:
                placed.append(TokenEntity(span, entity.opening, entity.closing))
        return placed

    def document(
        self, source: Source, others: Callable[[Span, Tag], Others] = lambda span, tag: (), **rest: Any
    ) -> Document:
        """The document; `others` gives what a key may as well have in the place of a span, from its opening tag."""
        spans = []
        for span, tag, _ in self.entities:
            if span.start < span.end:
                spans.append(span._replace(others=others(span, tag)))
            else:
                source.add_problem(
                    "mention.empty",
                    tag.line,
                    tag.column,
                    found=f"<{tag.name}> without a word in it",
                    expected="text",
                    remedies=["remove it or give it its text"],
                )
        words = TOKEN.findall(self.text)
        return make_document(
            self.id,
            spans,
            length=len(words),
            sentences=_lines(self.text, self.starts),
            words=words.copy,
            line=self.line,
            path=source.name,
            **rest,
        )


class TagPair(NamedTuple):
    """How an entity of a label is tagged."""

    opening: str
    closing: str


def splice_tags(
    source: Source,
    texts: Sequence[InlineText],
    pairs: Iterable[tuple[Document, Document]],
    tagging: Callable[[str], TagPair],
) -> bytes:
    """The file with other entities: the tags of those that are gone are taken out, and those of new ones put in."""
    edits = Edits(source)
    for text, (old, new) in zip(texts, pairs, strict=True):
        removed, added = (Counter(map(_content, spans)) for spans in changes(old, new))
        remaining: list[TokenEntity] = []
        for entity in sorted(text.entities, key=lambda entity: (entity.span.depth, entity.opening.start)):
            if removed[_content(entity.span)] > 0:
                removed[_content(entity.span)] -= 1
                for tag in (entity.opening, entity.closing):
                    edits.replace(tag.start, tag.end, "")
            else:
                remaining.append(entity)
        _insert_tags(edits, text, remaining, new, added, tagging)
    return edits.apply()


def _content(span: Span) -> tuple[int, int, str]:
    return span.start, span.end, span.label


def _insert_tags(
    edits: Edits,
    text: InlineText,
    remaining: list[TokenEntity],
    new: Document,
    added: Counter[Any],
    tagging: Callable[[str], TagPair],
) -> None:
    """Put in the tags of the new entities, inside those of the entities around them and outside of the others."""
    order = key_positions(map(_content, spans_of(new)))
    numbered = [(order[_content(entity.span)].pop(0), entity) for entity in remaining]
    for content, count in added.items():
        start, end, label = content
        tags = tagging(label)
        for number in order[content][:count]:
            same_start = [(other, entity) for other, entity in numbered if entity.span.start == start]
            same_end = [(other, entity) for other, entity in numbered if entity.span.end == end]
            outer = [entity.opening.end for other, entity in same_start if other < number]
            inner = [entity.opening.start for other, entity in same_start if other > number]
            first = max(outer) if outer else min(inner) if inner else text.place(start)[0]
            edits.insert(first, tags.opening, (1, number))
            outer = [entity.closing.start for other, entity in same_end if other < number]
            inner = [entity.closing.end for other, entity in same_end if other > number]
            last = max(inner) if inner else min(outer) if outer else text.place(end - 1)[1]
            edits.insert(last, tags.closing, (0, -number))


def _lines(text: str, starts: Sequence[int]) -> Any:
    """The first token of each line that has one."""
    places = [0] + [match.end() for match in re.finditer("\n", text)]
    firsts = {bisect.bisect_left(starts, place) for place in places}
    return np.asarray(sorted(firsts - {len(starts)}) or [0], np.int64)


def inline_texts(
    source: Source, begins: Callable[[Tag], str | None], label: Callable[[Tag], str | None], name: str
) -> list[InlineText]:
    """The documents of a source: `begins` names a document that a tag begins, `label` the entity that a tag opens."""
    text = without_comments(source.text)
    documents = [InlineText(name, 1)]
    position = 0
    entities: set[str] = set()
    for tag in tags(text, source.file_line):
        documents[-1].add(text[position : tag.start], position)
        position = tag.end
        if not tag.name:  # a declaration
            continue
        fresh = None if tag.closing else begins(tag)
        if fresh is not None:
            documents[-1].finish(source)
            documents.append(InlineText(fresh, tag.line, start=tag.start))
        elif tag.closing and tag.name in entities:
            documents[-1].close(source, tag)
        elif not tag.closing and (kind := label(tag)) is not None:
            entities.add(tag.name)
            if tag.alone:
                source.add_problem(
                    "mention.empty",
                    tag.line,
                    tag.column,
                    found=f"the empty entity <{tag.name}/>",
                    expected="text in it",
                    remedies=["remove it"],
                )
            else:
                documents[-1].open.append(TaggedEntity(kind, tag, documents[-1].size))
        elif tag.closing and label(tag) is not None:
            documents[-1].close(source, tag)
    documents[-1].add(text[position:], position)
    documents[-1].finish(source)
    started = (
        documents if documents[0].marks or documents[0].text.strip() else documents[1:]
    )  # before the first document
    return started or documents
