"""Plain lines: a transcript on each line, the same number of lines on both sides.

    good morning ladies and gentlemen
    thank you

Line n answers line n: the number is the name. An empty line is an empty transcript. Carries the words, and entities in
tags (`markup`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aune.core.corpus import Source
from aune.core.pieces import EVERY_LINE
from aune.core.task import Format
from aune.tasks.speech.formats._markup import Markup, plain_utterance
from aune.tasks.speech.formats._writing import plain_text
from aune.tasks.speech.model import Utterance, utterances


def read(source: Source, *, markup: Markup = "none") -> Iterator[Utterance]:
    for line, text in source.lines():
        yield plain_utterance(source, str(line), text, line, markup)


def sniff(head: str) -> bool:
    """Anything that is text."""
    return bool(head) and "\0" not in head


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for one in utterances(documents):
        yield plain_text(one, "lines") + "\n"


FORMAT = Format(
    read, sniff, write, carries=frozenset({"words"}), suffixes=(".txt",), anything=True, boundaries=EVERY_LINE
)
