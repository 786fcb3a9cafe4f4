"""NIST's ctm: what was recognised, a word on each line with its time.

    file1 A 0.05 0.24 they 0.98
    file1 A 1.02 0.29 pride

Columns: recording, channel, begin, duration, word, perhaps a confidence. Lines that begin with `;;` are comments. The
lines `<ALT_BEGIN>`, `<ALT>` and `<ALT_END>` hold alternatives, and `@` stands for nothing. Each channel of each
recording is one document, its words in the order of their times. Carries words and times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.speech.alignment.networks import Tree, first_wording, has_choices
from aune.tasks.speech.alignment.sharing import middle
from aune.tasks.speech.formats._markup import WORD_TAGS, number, sample
from aune.tasks.speech.model import Utterance

BEGIN, NEXT, END = "<ALT_BEGIN>", "<ALT>", "<ALT_END>"


class _Channel:
    """The words of one channel as they come."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.items: Tree = []
        self.times: list[tuple[float, float]] = []
        self.choices: list[Tree] | None = None
        self.begin = float("inf")
        self.middle = 0.0

    def add(self, word: str, begin: float, end: float) -> None:
        if self.choices is not None:
            self.choices[-1].append(word)
            self.begin, self.middle = min(self.begin, begin), max(self.middle, middle(begin, end))
        else:
            self.items.append(word)
            self.times.append((begin, end))

    def close(self) -> None:
        """Alternatives begin with their first word, and are in the middle where the last of their middles is."""
        begin = min(self.begin, self.middle)
        self.items.append(self.choices or [[]])
        self.times.append((begin, 2 * self.middle - begin))
        self.choices, self.begin, self.middle = None, float("inf"), 0.0

    def in_time(self) -> None:
        """Put the words in the order of their times, whatever the order of the lines."""
        order = sorted(range(len(self.times)), key=self.times.__getitem__)
        self.items, self.times = [self.items[place] for place in order], [self.times[place] for place in order]


def read(source: Source) -> Iterator[Utterance]:
    channels: dict[str, _Channel] = {}
    for line, text in source.lines():
        if not text.strip() or text.startswith(";;"):
            continue
        columns = text.split()
        if len(columns) < 5:
            what = f"found {len(columns)} columns, expected recording, channel, begin, duration and word: add them"
            source.problem(line, 1, what)
            continue
        name, channel, begin, duration, word = columns[:5]
        own = channels.setdefault(f"{name}/{channel}".lower(), _Channel(line))
        if word.upper() in (BEGIN, NEXT, END):
            _alternative(source, line, own, word.upper())
            continue
        start, length = number(begin), number(duration)
        if start is None or length is None or length < 0:
            what = f"found the times {begin!r} and {duration!r}, expected a begin and a duration in seconds: mend them"
            source.problem(line, 1, what)
            continue
        own.add(WORD_TAGS.sub("", word).replace("\\;", ";") if ";" in word else word, start, start + length)
    for name, own in channels.items():
        own.in_time()
        if own.choices is not None:
            source.problem(own.line, 1, f"found {BEGIN} in {name}, expected {END} after it: close it")
        elif has_choices(own.items):
            words = first_wording(own.items)
            yield Utterance(name, words, {"document": name}, times=own.times, tree=own.items, line=own.line)
        else:
            yield Utterance(name, own.items, {"document": name}, times=own.times, line=own.line)  # type: ignore[arg-type]


def _alternative(source: Source, line: int, own: _Channel, mark: str) -> None:
    if (mark == BEGIN) == (own.choices is not None):
        expected = f"{END} before the next {BEGIN}" if mark == BEGIN else f"{BEGIN} before it"
        source.problem(line, 1, f"found {mark}, expected {expected}: mend the alternatives")
    elif mark == BEGIN:
        own.choices = [[]]
    elif mark == NEXT:
        assert own.choices is not None
        own.choices.append([])
    else:
        own.close()


def sniff(head: str) -> bool:
    rows = [line.split() for line in sample(head)]
    return bool(rows) and all(
        len(row) >= 5 and all(part == "*" or number(part) is not None for part in row[2:4]) for row in rows
    )


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for one in documents:
        name, _, channel = one.id.rpartition("/")
        for word, (begin, end) in zip(one.words, one.times or [(0.0, 0.0)] * len(one.words), strict=True):
            yield f"{name or one.id} {channel or '1'} {begin:g} {end - begin:g} {word}\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words", "times"}), suffixes=(".ctm",))
