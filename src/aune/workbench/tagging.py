"""Convert tagged documents to texts and states, and back.

A tag is a mention of one word with a label. Several tags of one word are several mentions (GRACE's ambiguity), and a
compound is a mention of several words. A token that represents several words (`du`) has their tags joined by `+`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from aune.tasks.tagging.model import (
    NO_TAG,
    Compound,
    Document,
    Vocabulary,
    alternatives,
    first_filled_column,
    make_document,
)
from aune.workbench.layout import Layout, WrittenDocument, layout_from_gaps, layout_from_words
from aune.workbench.model import Mention, Part, State, Text
from aune.workbench.spacing import Follower

JOINER = "+"
"""Joins the tags of the words that one token represents."""
UNIVERSAL = "upos"
"""The name of the tagset, and of the column, of Universal Dependencies."""


def layout(document: Document, follower: Follower | None = None) -> Layout:
    """The text of a document as it is displayed: with its own blanks, or else its tokens, one line per sentence."""
    tokens = document.surface.values()
    if document.gaps is not None:
        places, firsts = range(len(tokens)), _first_tokens(document)
        return layout_from_gaps(tokens, firsts, places, [False] * len(tokens), document.gaps)
    gaps = follower.gaps(tokens) if follower else ()
    return layout_from_words(tokens, _first_tokens(document), range(len(tokens)), [False] * len(tokens), gaps)


def _first_tokens(document: Document) -> list[int]:
    """The first token of every sentence."""
    firsts = [first for first in document.sentences.tolist() if first < len(document)]
    return firsts if document.owner is None else document.owner[firsts].tolist()


def bare(id: str, words: Sequence[str], text_layout: Layout, tagset: str = "") -> Document:
    """A document without tags."""
    column = UNIVERSAL if tagset == UNIVERSAL else "tag"
    return make_document(id, words, {column: ["_"] * len(words)}, sentences=text_layout.sentences)


def text(document: Document, text_layout: Layout, tagset: str = "") -> Text:
    return Text(
        id=document.id,
        characters=text_layout.characters,
        tokens=text_layout.tokens(),
        sentences=text_layout.first_tokens(),
        task="tagging",
        typology=tagset or (UNIVERSAL if tag_column(document) == UNIVERSAL else ""),
    )


def tag_column(document: Document) -> str:
    """The annotated column: the first one with a tag, or the default for the tagset."""
    usual = UNIVERSAL if UNIVERSAL in document.columns and "tag" not in document.columns else "tag"
    return first_filled_column(document) or usual


def state(document: Document, text_layout: Layout) -> State:
    """The annotation of a document."""
    ranges = list(zip(text_layout.starts, text_layout.ends, strict=True))
    tags = [(ranges[token], label) for token, labels in enumerate(_labels(document)) for label in labels]
    for compound in document.compounds:
        first, last = _token_of(document, compound.start), _token_of(document, compound.end - 1)
        extent = ranges[first][0], ranges[last][1]
        tags += [(extent, label) for label in alternatives(compound.tags)]
    return State({f"m{number}": Mention(parts=(extent,), label=label) for number, (extent, label) in enumerate(tags)})


def _token_of(document: Document, word: int) -> int:
    return word if document.owner is None else int(document.owner[word])


def _labels(document: Document) -> Iterator[list[str]]:
    """The labels of every token."""
    name = tag_column(document)
    cells = document.column(name).values()
    for words in _words_by_token(document):
        if len(words) == 1:
            yield list(alternatives(cells[words[0]], name))
        elif any(cells[word] in NO_TAG for word in words):
            yield []
        else:
            yield [JOINER.join(cells[word] for word in words)]


def _words_by_token(document: Document) -> list[list[int]]:
    if document.owner is None:
        return [[word] for word in range(len(document))]
    words: list[list[int]] = [[] for _ in document.surface.codes]
    for word, token in enumerate(document.owner.tolist()):
        words[token].append(word)
    return words


class _TokenSpan(NamedTuple):
    """A mention in tokens: the first token, and the one after the last."""

    start: int
    end: int


def apply_state(original: Document, text_layout: Layout, current: State, grouped: bool = True) -> WrittenDocument:
    """The document with the annotation of a state; tags are never grouped, so `grouped` has no effect."""
    lost: Counter[str] = Counter()
    by_token: dict[int, list[str]] = defaultdict(list)
    by_span: dict[_TokenSpan, list[str]] = defaultdict(list)
    for mention in current.mentions.values():
        lost["features"] += len(mention.features)
        span = _token_span(text_layout, mention, lost)
        if span is not None and span.end - span.start == 1:
            by_token[span.start].append(mention.label)
        elif span is not None:
            by_span[span].append(mention.label)
    lost["relations"] += len(current.relations)
    name = tag_column(original)
    cells = original.column(name).values()
    for words, before, after in zip(
        _words_by_token(original),
        _labels(original),
        map(by_token.__getitem__, range(len(original.surface.codes))),
        strict=True,
    ):
        if sorted(before) != sorted(after):
            _set_cells(cells, words, after, lost)
    compounds = _compounds(original, by_span, lost)
    columns = {**original.columns, name: Vocabulary().encode(cells)}
    written = replace(original, columns=columns, compounds=compounds, gaps=text_layout.gaps())
    return WrittenDocument(written, +lost)


def _token_span(text_layout: Layout, mention: Mention, lost: Counter[str]) -> _TokenSpan | None:
    """The tokens of a mention; None if it has no token."""
    if len(mention.parts) > 1:
        lost["tags of several parts"] += 1
    touched = [_touched_tokens(text_layout, part) for part in mention.parts]
    spans = [span for span in touched if span is not None]
    if not spans:
        lost["tags without a word"] += 1
        return None
    exact = text_layout.starts[spans[0].start] == mention.start and text_layout.ends[spans[-1].end - 1] == mention.end
    lost["extents inside words"] += not exact
    return _TokenSpan(spans[0].start, spans[-1].end)


def _touched_tokens(text_layout: Layout, part: Part) -> _TokenSpan | None:
    span = text_layout.token_span(*part)
    return None if span is None else _TokenSpan(*span)


def _set_cells(cells: list[str], words: Sequence[int], labels: Sequence[str], lost: Counter[str]) -> None:
    """Set the tags of the words of a token from its labels."""
    if len(words) == 1:
        cells[words[0]] = "|".join(dict.fromkeys(labels)) or "_"
        return
    tags = labels[0].split(JOINER) if labels else ["_"] * len(words)
    lost["tags of tokens that stand for several words"] += len(labels) > 1 or len(tags) != len(words)
    if len(tags) == len(words):
        for word, tag in zip(words, tags, strict=True):
            cells[word] = tag


def _compounds(
    document: Document, by_span: Mapping[_TokenSpan, Sequence[str]], lost: Counter[str]
) -> tuple[Compound, ...]:
    """The compounds of a document, without those that overlap an earlier one."""
    words = _words_by_token(document)
    compounds: list[Compound] = []
    for span in sorted(by_span):
        compound = Compound(words[span.start][0], words[span.end - 1][-1] + 1, "|".join(dict.fromkeys(by_span[span])))
        if compounds and compound.start < compounds[-1].end:
            lost["compounds across another one"] += 1
        else:
            compounds.append(compound)
    return tuple(compounds)


def tagged_document(text: Text, current: State) -> Document:
    """The tags of a state as a document whose words are the tokens of the text."""
    words = [text.characters[start:end] for start, end in text.words()]
    document = make_document(text.id, words, {"tag": ["_"] * len(words)}, sentences=text.sentences)
    text_layout = Layout(text.characters, text.tokens[::2], text.tokens[1::2], np.arange(len(words)).tolist())
    tagged: Document = apply_state(document, text_layout, current).document
    return tagged
