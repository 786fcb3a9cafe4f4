"""NIST's ctm: what was recognised, a word on each line with its time.

    file1 A 0.05 0.24 they 0.98
    file1 A 1.02 0.29 pride

Columns: recording, channel, begin, duration, word, perhaps a confidence. Lines that begin with `;;` are comments. The
lines `<ALT_BEGIN>`, `<ALT>` and `<ALT_END>` hold alternatives, `@` stands for nothing, and a word in parentheses may be
missing (`optional`). With `markup inline` tags around entities stand beside the words or on lines of their own, whose
times say nothing:

    file1 A 0.05 0.24 <LOC>saint 0.98
    file1 A 0.29 0.31 malo</LOC> 0.97

Each channel of each recording is one document, whose words are put in the order of their begins;
those that begin together stay in the order of the file, and durations may be negative, as in sclite.
Carries words, times, confidences (where every word has one, and there are no alternatives), alternatives and names.
Words without times of their own are written spread over their segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aune.contract.format import RECORDINGS, Format
from aune.reading.source import Source
from aune.syntax.numbers import parse_number
from aune.tasks.speech.alignment.networks import OptionalWord, Tree, first_wording, has_choices, in_parentheses
from aune.tasks.speech.alignment.recordings import middle, timed_words
from aune.tasks.speech.formats._foreign import refuse_foreign
from aune.tasks.speech.formats._markup import (
    TAG,
    WORD_TAGS,
    EntityTags,
    Markup,
    OptionalWords,
    closed_labels,
    nist_lines,
    sample_lines,
)
from aune.tasks.speech.formats._writing import format_seconds, nist_word, refuse, require_word
from aune.tasks.speech.model import Document, Entity, Recording, Utterance, utterances

BEGIN, NEXT, END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"


class _Channel:
    """The words of one channel as they come."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.items: Tree = []
        self.times: list[tuple[float, float]] = []
        self.confidences: list[float | None] = []
        self.lines: list[int] = []
        """The line of each item."""
        self.choices: list[Tree] | None = None
        self.opened_at = line
        self.begin = float("inf")
        self.middle = 0.0

    def add(self, word: str, begin: float, end: float, confidence: float | None, line: int) -> None:
        if self.choices is not None:
            self.choices[-1].append(word)
            self.begin, self.middle = min(self.begin, begin), max(self.middle, middle(begin, end))
        else:
            self.items.append(word)
            self.times.append((begin, end))
            self.confidences.append(confidence)
            self.lines.append(line)

    def close(self) -> None:
        """Alternatives begin with their first word, and are in the middle where the last of their middles is.

        Those without a word have no time: they stay where they are, behind the item before.
        """
        begin = min(self.begin, self.middle)
        wordless = not any(self.choices or ())
        self.items.append(self.choices or [[]])
        self.confidences.append(None)
        self.lines.append(self.opened_at)
        self.times.append(self.times[-1] if wordless and self.times else (begin, 2 * self.middle - begin))
        self.choices, self.begin, self.middle = None, float("inf"), 0.0

    def take_entities(self, source: Source) -> tuple[Entity, ...]:
        """The entities between tags, which are then no words any more; places are those in the file."""
        plain = " ".join(item for item in self.items if isinstance(item, str))
        tags = EntityTags(source, closed_labels(plain), spans_lines=True)
        items: Tree = []
        rows: list[int] = []
        for number, item in enumerate(self.items):
            word = item if isinstance(item, list) else self._bare_word(tags, item, len(items), self.lines[number])
            if word:
                items.append(word)
                rows.append(number)
        self.items, self.times = items, [self.times[row] for row in rows]
        self.confidences = [self.confidences[row] for row in rows]
        entities = tags.entities(self.line)
        if entities and has_choices(items):
            source.warn(f"line {self.line}: entities left out, since the recording has several wordings")
            return ()
        return entities

    @staticmethod
    def _bare_word(tags: EntityTags, word: str, place: int, line: int) -> str:
        """A word without its tags; a tag inside of it belongs to its beginning or its end."""
        marks = list(tags.marks(word))
        if not marks:
            return word
        before, position = "", 0
        for mark in marks:
            before += word[position : mark.start()]
            position = mark.end()
            is_after = bool(before) and (bool(mark[1]) or not TAG.sub("", word[position:]))
            tags.take(mark, place + is_after, line)
        return before + word[position:]

    def utterance(self, name: str, entities: tuple[Entity, ...] = ()) -> Utterance:
        order = sorted(range(len(self.items)), key=lambda place: self.times[place][0])
        items, times = [self.items[place] for place in order], [self.times[place] for place in order]
        attributes = {"document": name}
        if has_choices(items):
            return Utterance(name, first_wording(items), attributes, times=times, tree=items, line=self.line)
        known = [sure for place in order if (sure := self.confidences[place]) is not None]
        moved = _moved_entities(entities, order)
        return Utterance(name, items, attributes, moved, times, line=self.line,  # type: ignore[arg-type] # only words
                         confidences=known if known and len(known) == len(items) else None)  # fmt: skip


def read(source: Source, *, optional: OptionalWords = True, markup: Markup = "none") -> Iterator[Utterance]:
    if refuse_foreign(source):
        return
    channels: dict[str, _Channel] = {}
    for line, text in nist_lines(source):
        columns = text.split()
        if len(columns) < 5:
            actual, expected = f"{len(columns)} columns", "recording, channel, begin, duration and word"
            source.add_problem("columns.missing", line, 1, found=actual, expected=expected, remedies=["add them"])
            continue
        name, channel, begin, duration, word = columns[:5]
        stream = channels.setdefault(f"{name}/{channel}".lower(), _Channel(line))
        if word.upper() in (BEGIN, NEXT, END):
            _read_alternative(source, line, stream, word.upper())
            continue
        start, length = parse_number(begin), parse_number(duration)
        if start is None or length is None:
            actual, expected = f"the times {begin!r} and {duration!r}", "a begin and a duration in seconds"
            source.add_problem("time.malformed", line, 1, found=actual, expected=expected, remedies=["mend them"])
            continue
        confidence = parse_number(columns[5]) if len(columns) > 5 else None
        if token := _word(word, optional):  # else nothing but a tag
            stream.add(token, start, start + length, confidence, line)
    for name, stream in channels.items():
        if stream.choices is not None:
            unclosed = f"{BEGIN} in {name}"
            _report_alternative(source, stream.opened_at, unclosed, f"{END} after it", "close it")
        else:
            entities = stream.take_entities(source) if markup == "inline" else ()
            yield stream.utterance(name, entities)


def _moved_entities(entities: Sequence[Entity], order: Sequence[int]) -> tuple[Entity, ...]:
    """Entities after their words were put in order; one whose words were parted holds what came between."""
    places = {before: after for after, before in enumerate(order)}
    extents = [sorted(places[place] for place in range(entity.start, entity.end)) for entity in entities]
    return tuple(
        entity._replace(start=extent[0], end=extent[-1] + 1) for entity, extent in zip(entities, extents, strict=True)
    )


def _word(word: str, optional: bool) -> str:
    if ";" in word:
        word = WORD_TAGS.sub("", word).replace("\\;", ";")
    return OptionalWord(word[1:-1]) if optional and in_parentheses(word) else word


def _read_alternative(source: Source, line: int, stream: _Channel, mark: str) -> None:
    if (mark == BEGIN) == (stream.choices is not None):
        expected = f"{END} before the next {BEGIN}" if mark == BEGIN else f"{BEGIN} before it"
        _report_alternative(source, line, mark, expected, "mend the alternatives")
    elif mark == BEGIN:
        stream.choices, stream.opened_at = [[]], line
    elif mark == NEXT:
        assert stream.choices is not None
        stream.choices.append([])
    else:
        stream.close()


def _report_alternative(source: Source, line: int, found: str, expected: str, remedy: str) -> None:
    """Report an unpaired mark; its partner may be in another piece, behind a line of another recording."""
    if source.is_piece:
        source.is_standalone = False
    else:
        source.add_problem("alternative.unpaired", line, 1, found=found, expected=expected, remedies=[remedy])


def sniff(head: str) -> bool:
    rows = [line.split() for line in sample_lines(head)]
    return bool(rows) and all(
        len(row) >= 5 and all(part == "*" or parse_number(part) is not None for part in row[2:4]) for row in rows
    )


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        for utterance in utterances([document]):
            if utterance.times is None and utterance.span is None and utterance.words:
                refuse("ctm", "words without times", utterance)
        first = document.utterances[0] if isinstance(document, Recording) else document
        recording, _, channel = document.id.rpartition("/")
        if not recording or document.id.startswith(";;"):
            refuse("ctm", f"the name {document.id!r}, where 'recording/channel' is expected", first)
        start = (
            f"{require_word(recording, 'ctm', 'the name', first)} {require_word(channel, 'ctm', 'the channel', first)}"
        )
        words = timed_words(document)
        if not words:
            refuse("ctm", "a recording without words", first)
        for item, begin, end, confidence, *_ in words:
            times = f"{format_seconds(begin)} {format_seconds(end - begin)}"
            suffix = "" if confidence is None else f" {confidence!r}"
            yield from (f"{start} {line}{suffix}\n" for line in _lines(item, times, first))


def _lines(item: str | list[Tree], times: str, utterance: Utterance) -> Iterator[str]:
    """What follows the channel, for a word or for a choice."""
    if isinstance(item, str):
        yield f"{times} {_word_text(item, utterance)}"
        return
    for place, choice in enumerate(item):
        yield f"* * {NEXT if place else BEGIN}"
        for word in choice:
            if isinstance(word, list):
                refuse("ctm", "alternatives inside alternatives", utterance)
            yield f"{times} {_word_text(word, utterance)}"
    yield f"* * {END}"


def _word_text(word: str, utterance: Utterance) -> str:
    if word.upper() in (BEGIN, NEXT, END):
        refuse("ctm", f"the word {word!r}, which has a meaning there", utterance)
    return nist_word(word, "ctm", utterance, utterance.tree is not None)


CARRIES = frozenset({"words", "times", "confidences", "alternatives", "names"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".ctm",), boundaries=RECORDINGS)
