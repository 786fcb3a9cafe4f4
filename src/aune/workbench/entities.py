"""Documents with labelled spans as texts and states, and back: span 12 of a document has the id `m12`."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from aune.core.errors import InputError, Problem
from aune.tasks.entities.model import Document, Span, document
from aune.workbench.layout import MOST_SHOWN, WORD, Layout, Written, of_text, of_words
from aune.workbench.model import Mention, State, Text, in_text_order
from aune.workbench.spacing import Follower

KEPT = ("length", "unit", "sentences", "words", "text", "attributes", "typology", "path", "line")


def layout(document: Document, follower: Follower | None = None) -> Layout:
    """The text of a document as people see it; numbers where it has none, the strings of an answer that is a list."""
    if document.listed is not None and document.text is None and document.tokens is None:
        strings = [listed.string for listed in document.listed]
        return of_words(strings, [], range(len(strings)), [False] * len(strings))
    if document.unit == "character" and document.text is not None:
        return _of_characters(document.text, document)
    if document.tokens is not None:
        sentences = [] if document.sentences is None else document.sentences.tolist()
        words = list(document.tokens)
        gaps = follower.gaps(words) if follower else ()
        return of_words(words, sentences, range(len(words)), [False] * len(words), gaps)
    if document.length > MOST_SHOWN:
        what = f"found entities up to position {document.length} without a text, expected at most {MOST_SHOWN}"
        raise InputError([Problem(document.path or document.id, document.line, 1, f"{what}: add the text")])
    if document.unit == "character":
        return of_text("_" * document.length, [], [], [])
    return of_words(
        [str(place) for place in range(document.length)], [], range(document.length), [False] * document.length
    )


def _of_characters(characters: str, document: Document) -> Layout:
    words = list(WORD.finditer(characters))
    starts = [word.start() for word in words]
    breaks = [] if document.sentences is None else document.sentences.tolist()
    firsts = {bisect_left(starts, place) for place in breaks} - {len(words)}
    return of_text(characters, starts, [word.end() for word in words], sorted(firsts))


def bare(id: str, laid: Layout, typology: str = "") -> Document:
    """A document without entities."""
    return document(id, [], length=len(laid.characters), unit="character", text=laid.characters, typology=typology)


def text(document: Document, laid: Layout) -> Text:
    return Text(
        id=document.id, characters=laid.characters, tokens=laid.tokens(), sentences=laid.first_tokens(),
        task="entities", typology=str(document.typology),  # an option's value is more than its name, and no JSON
    )  # fmt: skip


def state(document: Document, laid: Layout) -> State:
    """What a document says."""
    if document.listed is not None and not len(document):
        words = zip(laid.starts, laid.ends, strict=True)
        return State({
            f"m{number}": Mention(parts=(word,), label=listed.label)
            for number, (listed, word) in enumerate(zip(document.listed, words, strict=False))
        })  # fmt: skip
    mentions = {}
    for number, (start, end, label) in enumerate(document.triples()):
        parts, order = laid.parts(document.segments.get(number, ((start, end),)))
        mentions[f"m{number}"] = Mention(parts=parts, order=order, label=label)
    return State(mentions)


def written(original: Document, laid: Layout, current: State) -> Written:
    """The document as a state has it."""
    before = state(original, laid)
    lost: Counter[str] = Counter()
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
        elif places := _places(laid, mention, lost):
            parts = tuple(places) if len(places) > 1 else ()
            depth = 0 if depths is None else _enclosing(current, name)
            spans.append(Span(places[0][0], places[-1][1], mention.label, depth, parts))
    rest = {field: getattr(original, field) for field in KEPT}
    if original.listed is not None and original.tokens is None:
        strings = [listed.string for listed in original.listed]
        rest |= {"words": strings.copy, "length": len(strings)}
    return Written(document(original.id, spans, **rest), +lost)


def _places(laid: Layout, mention: Mention, lost: Counter[str]) -> list[tuple[int, int]]:
    """The positions of a span; none when the document has no place for it."""
    found: list[tuple[int, int]] = []
    for start, end in mention.parts:
        span = laid.span(start, end) if start < end else None
        if span is None:
            lost["entities without a word"] += 1
            return []
        lost["extents inside words"] += not span[1]
        if not found or found[-1] != span[0]:
            found.append(span[0])
    return found


def _enclosing(current: State, name: str) -> int:
    """How many mentions lie around one: the longer ones, and of equal extent those that come first."""
    mention = current.mentions[name]
    return sum(
        one.start <= mention.start
        and mention.end <= one.end
        and ((one.start, one.end) != (mention.start, mention.end) or other < name)
        for other, one in current.mentions.items()
        if other != name
    )


def labels(typology_labels: Sequence[str], current: State) -> list[str]:
    """The labels to choose from: those of a typology, then those that the text has already, the most frequent first."""
    used = Counter(mention.label for mention in current.mentions.values())
    return list(dict.fromkeys([*typology_labels, *(label for label, _ in used.most_common())]))
