"""Plain lines: a transcript on each line, the same number of lines on both sides.

    good morning ladies and gentlemen
    thank you

Line n answers line n: the number is the name. An empty line is an empty transcript. Carries the words, and entities in
tags (`markup`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aune.contract.format import EVERY_LINE, Format
from aune.reading.source import Source
from aune.tasks.speech.formats._foreign import refuse_columns, refuse_foreign
from aune.tasks.speech.formats._markup import Markup, first_words, plain_utterance
from aune.tasks.speech.formats._writing import plain_text
from aune.tasks.speech.model import Utterance, iterate_utterances


def read(source: Source, *, markup: Markup = "none") -> Iterator[Utterance]:
    if refuse_foreign(source) or refuse_columns(source):
        return
    for line, text in source.lines():
        yield plain_utterance(source, str(line), text, line, markup)


def sniff(head: str) -> bool:
    """Anything that is text."""
    return bool(head) and "\0" not in head


def perhaps(head: str) -> bool:
    """Lines that begin with words such as `mp3` and `mp4`; names like that would be numbered from 0 or 1."""
    words = first_words(head)
    parts = [re.fullmatch(r"([^\W\d_]+)(\d\d?)", word) for word in words]
    numbers = [int(part[2]) for part in parts if part]
    numbered = len({part[1] for part in parts if part}) == 1 and numbers in (
        list(range(len(words))), list(range(1, len(words) + 1)),
    )  # fmt: skip
    return len(set(words)) > 1 and all(parts) and not numbered


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for utterance in iterate_utterances(documents):
        yield plain_text(utterance, "lines") + "\n"


FORMAT = Format(
    read,
    sniff,
    write,
    carries=frozenset({"words"}),
    suffixes=(".txt",),
    accepts_any_text=True,
    could_match=perhaps,
    boundaries=EVERY_LINE,
)
