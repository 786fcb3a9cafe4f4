"""NIST's ctm: what was recognised, a word on each line with its time.

    file1 A 0.05 0.24 they 0.98
    file1 A 1.02 0.29 pride

Columns: recording, channel, begin, duration, word, perhaps a confidence. Lines that begin with `;;` are comments. The
lines `<ALT_BEGIN>`, `<ALT>` and `<ALT_END>` hold alternatives, `@` stands for nothing, and a word in parentheses may be
missing (`optional`). Each channel of each recording is one document, whose words are put in the order of their times.
Carries words, times, confidences (where every word has one, and there are no alternatives), alternatives and names.
Words without times of their own are written spread over their segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aune.core.corpus import Source
from aune.core.pieces import RECORDINGS
from aune.core.task import Format
from aune.syntax.numbers import number
from aune.tasks.speech.alignment.networks import Maybe, Tree, first_wording, has_choices, in_parentheses
from aune.tasks.speech.alignment.sharing import middle, timed
from aune.tasks.speech.formats._markup import WORD_TAGS, Optional, nist_lines, sample
from aune.tasks.speech.formats._writing import nist_word, one_word, refuse, seconds
from aune.tasks.speech.model import Document, Recording, Utterance, utterances

BEGIN, NEXT, END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"


class _Channel:
    """The words of one channel as they come."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.items: Tree = []
        self.times: list[tuple[float, float]] = []
        self.confidences: list[float | None] = []
        self.choices: list[Tree] | None = None
        self.opened = line
        self.begin = float("inf")
        self.middle = 0.0

    def add(self, word: str, begin: float, end: float, confidence: float | None) -> None:
        if self.choices is not None:
            self.choices[-1].append(word)
            self.begin, self.middle = min(self.begin, begin), max(self.middle, middle(begin, end))
        else:
            self.items.append(word)
            self.times.append((begin, end))
            self.confidences.append(confidence)

    def close(self) -> None:
        """Alternatives begin with their first word, and are in the middle where the last of their middles is.

        Those without a word have no time: they stay where they are, behind the item before.
        """
        begin = min(self.begin, self.middle)
        wordless = not any(self.choices or ())
        self.items.append(self.choices or [[]])
        self.times.append(self.times[-1] if wordless and self.times else (begin, 2 * self.middle - begin))
        self.choices, self.begin, self.middle = None, float("inf"), 0.0

    def utterance(self, name: str) -> Utterance:
        order = sorted(range(len(self.items)), key=lambda place: self.times[place])
        items, times = [self.items[place] for place in order], [self.times[place] for place in order]
        attributes = {"document": name}
        if has_choices(items):
            return Utterance(name, first_wording(items), attributes, times=times, tree=items, line=self.line)
        known = [sure for place in order if (sure := self.confidences[place]) is not None]
        return Utterance(name, items, attributes, times=times, line=self.line,  # type: ignore[arg-type] # only words
                         confidences=known if known and len(known) == len(items) else None)  # fmt: skip


def read(source: Source, *, optional: Optional = True) -> Iterator[Utterance]:
    channels: dict[str, _Channel] = {}
    for line, text in nist_lines(source):
        columns = text.split()
        if len(columns) < 5:
            what = f"found {len(columns)} columns, expected recording, channel, begin, duration and word: add them"
            source.problem(line, 1, what)
            continue
        name, channel, begin, duration, word = columns[:5]
        spoken = channels.setdefault(f"{name}/{channel}".lower(), _Channel(line))
        if word.upper() in (BEGIN, NEXT, END):
            _alternative(source, line, spoken, word.upper())
            continue
        start, length = number(begin), number(duration)
        if start is None or length is None or length < 0:
            what = f"found the times {begin!r} and {duration!r}, expected a begin and a duration in seconds: mend them"
            source.problem(line, 1, what)
            continue
        sure = number(columns[5]) if len(columns) > 5 else None
        if said := _word(word, optional):  # else nothing but a tag
            spoken.add(said, start, start + length, sure)
    for name, spoken in channels.items():
        if spoken.choices is not None:
            _tell(source, spoken.opened, f"found {BEGIN} in {name}, expected {END} after it: close it")
        else:
            yield spoken.utterance(name)


def _word(word: str, optional: bool) -> str:
    if ";" in word:
        word = WORD_TAGS.sub("", word).replace("\\;", ";")
    return Maybe(word[1:-1]) if optional and in_parentheses(word) else word


def _alternative(source: Source, line: int, spoken: _Channel, mark: str) -> None:
    if (mark == BEGIN) == (spoken.choices is not None):
        expected = f"{END} before the next {BEGIN}" if mark == BEGIN else f"{BEGIN} before it"
        _tell(source, line, f"found {mark}, expected {expected}: mend the alternatives")
    elif mark == BEGIN:
        spoken.choices, spoken.opened = [[]], line
    elif mark == NEXT:
        assert spoken.choices is not None
        spoken.choices.append([])
    else:
        spoken.close()


def _tell(source: Source, line: int, problem: str) -> None:
    """Say what is missing; from a piece, it may be in another one, behind a line of another recording."""
    if source.is_piece:
        source.alone = False
    else:
        source.problem(line, 1, problem)


def sniff(head: str) -> bool:
    rows = [line.split() for line in sample(head)]
    return bool(rows) and all(
        len(row) >= 5 and all(part == "*" or number(part) is not None for part in row[2:4]) for row in rows
    )


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        for one in utterances([document]):
            if one.times is None and one.span is None and one.words:
                refuse("ctm", "words without times", one)
        first = document.utterances[0] if isinstance(document, Recording) else document
        recording, _, channel = document.id.rpartition("/")
        if not recording or document.id.startswith(";;"):
            refuse("ctm", f"the name {document.id!r}, where 'recording/channel' is expected", first)
        start = f"{one_word(recording, 'ctm', 'the name', first)} {one_word(channel, 'ctm', 'the channel', first)}"
        words = timed(document)
        if not words:
            refuse("ctm", "a recording without words", first)
        for item, begin, end, confidence in words:
            times = f"{seconds(begin)} {seconds(end - begin)}"
            sure = "" if confidence is None else f" {confidence!r}"
            yield from (f"{start} {rest}{sure}\n" for rest in _lines(item, times, first))


def _lines(item: str | list[Tree], times: str, utterance: Utterance) -> Iterator[str]:
    """What follows the channel, for a word or for a choice."""
    if isinstance(item, str):
        yield f"{times} {_written(item, utterance)}"
        return
    for place, choice in enumerate(item):
        yield f"* * {NEXT if place else BEGIN}"
        for word in choice:
            if isinstance(word, list):
                refuse("ctm", "alternatives inside alternatives", utterance)
            yield f"{times} {_written(word, utterance)}"
    yield f"* * {END}"


def _written(word: str, utterance: Utterance) -> str:
    if word.upper() in (BEGIN, NEXT, END):
        refuse("ctm", f"the word {word!r}, which has a meaning there", utterance)
    return nist_word(word, "ctm", utterance, utterance.tree is not None)


CARRIES = frozenset({"words", "times", "confidences", "alternatives", "names"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".ctm",), boundaries=RECORDINGS)
