"""Convert documents with labelled spans to texts and states, and back: span 12 of a document has the id `m12`."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from aune.errors import InputError, Problem
from aune.tasks.entities.model import Document, Span, make_document
from aune.workbench.layout import MOST_SHOWN, WORD, Layout, WrittenDocument, layout_from_text, layout_from_words
from aune.workbench.model import Mention, State, Text, in_text_order
from aune.workbench.spacing import Follower

COPIED_FIELDS = ("length", "unit", "sentences", "words", "text", "attributes", "typology", "path", "line")


def layout(document: Document, follower: Follower | None = None) -> Layout:
    """The displayed text of a document; numbers if it has none, the strings if its entities are a list of strings."""
    if document.listed is not None and document.text is None and document.tokens is None:
        strings = [listed.string for listed in document.listed]
        return layout_from_words(strings, [], range(len(strings)), [False] * len(strings))
    if document.unit == "character" and document.text is not None:
        return _layout_from_characters(document.text, document)
    if document.tokens is not None:
        sentences = [] if document.sentences is None else document.sentences.tolist()
        words = list(document.tokens)
        gaps = follower.gaps(words) if follower else ()
        return layout_from_words(words, sentences, range(len(words)), [False] * len(words), gaps)
    if document.length > MOST_SHOWN:
        problem = Problem.in_file(
            "text.missing",
            document.path or document.id,
            document.line,
            found=f"entities up to position {document.length} without a text",
            expected=f"at most {MOST_SHOWN}",
            remedies=["add the text"],
        )
        raise InputError([problem])
    if document.unit == "character":
        return layout_from_text("_" * document.length, [], [], [])
    return layout_from_words(
        [str(place) for place in range(document.length)], [], range(document.length), [False] * document.length
    )


def _layout_from_characters(characters: str, document: Document) -> Layout:
    words = list(WORD.finditer(characters))
    starts = [word.start() for word in words]
    breaks = [] if document.sentences is None else document.sentences.tolist()
    firsts = {bisect_left(starts, place) for place in breaks} - {len(words)}
    return layout_from_text(characters, starts, [word.end() for word in words], sorted(firsts))


def bare(id: str, text_layout: Layout, typology: str = "") -> Document:
    """A document without entities."""
    return make_document(
        id, [], length=len(text_layout.characters), unit="character", text=text_layout.characters, typology=typology
    )


def text(document: Document, text_layout: Layout) -> Text:
    return Text(
        id=document.id,
        characters=text_layout.characters,
        tokens=text_layout.tokens(),
        sentences=text_layout.first_tokens(),
        task="entities",
        typology=str(document.typology),  # the value of an option carries more than its name, which JSON cannot encode
    )


def state(document: Document, text_layout: Layout) -> State:
    """The annotation of a document."""
    if document.listed is not None and not len(document):
        words = zip(text_layout.starts, text_layout.ends, strict=True)
        return State({
            f"m{number}": Mention(parts=(word,), label=listed.label)
            for number, (listed, word) in enumerate(zip(document.listed, words, strict=False))
        })  # fmt: skip
    mentions = {}
    for number, (start, end, label) in enumerate(document.triples()):
        parts, order = text_layout.parts(document.segments.get(number, ((start, end),)))
        mentions[f"m{number}"] = Mention(parts=parts, order=order, label=label)
    return State(mentions)


def apply_state(original: Document, text_layout: Layout, current: State, grouped: bool = True) -> WrittenDocument:
    """The document with the annotation of a state; entities are never grouped, so `grouped` has no effect."""
    before = state(original, text_layout)
    lost: Counter[str] = Counter({"relations": len(current.relations)})
    spans: list[Span] = []
    depths = original.depths
    for name in in_text_order(current.mentions):
        mention, old = current.mentions[name], before.mentions.get(name)
        lost["features"] += len(mention.features)
        if old is not None and (old.parts, old.label) == (mention.parts, mention.label) and original.listed is None:
            number = int(name[1:])
            start, end = original.spans[number].tolist()
            depth = 0 if depths is None else int(depths[number])
            line = 0 if original.lines is None else int(original.lines[number])
            column = 1 if original.columns is None else int(original.columns[number])
            spans.append(Span(start, end, mention.label, depth, original.segments.get(number, ()), line, column))
        elif places := _positions(text_layout, mention, lost):
            parts = tuple(places) if len(places) > 1 else ()
            depth = 0 if depths is None else _depth(current, name)
            spans.append(Span(places[0][0], places[-1][1], mention.label, depth, parts))
    copied = {field: getattr(original, field) for field in COPIED_FIELDS}
    if original.listed is not None and original.tokens is None:
        strings = [listed.string for listed in original.listed]
        copied |= {"words": strings.copy, "length": len(strings)}
    return WrittenDocument(make_document(original.id, spans, **copied), +lost)


def _positions(text_layout: Layout, mention: Mention, lost: Counter[str]) -> list[tuple[int, int]]:
    """The positions of the parts of a mention; empty if it has no position in the document."""
    positions: list[tuple[int, int]] = []
    for start, end in mention.parts:
        span = text_layout.span(start, end) if start < end else None
        if span is None:
            lost["entities without a word"] += 1
            return []
        lost["extents inside words"] += not span[1]
        if not positions or positions[-1] != span[0]:
            positions.append(span[0])
    return positions


def _depth(current: State, name: str) -> int:
    """The number of mentions around a mention: longer ones, and those of equal extent with a smaller id."""
    mention = current.mentions[name]
    return sum(
        candidate.start <= mention.start
        and mention.end <= candidate.end
        and ((candidate.start, candidate.end) != (mention.start, mention.end) or other < name)
        for other, candidate in current.mentions.items()
        if other != name
    )


def labels(typology_labels: Sequence[str], current: State) -> list[str]:
    """The labels to choose from: those of the typology, then those used in the text, the most frequent first."""
    used = Counter(mention.label for mention in current.mentions.values())
    return list(dict.fromkeys([*typology_labels, *(label for label, _ in used.most_common())]))
