"""Kaldi's text: the name of the utterance, then its words.

    spk1-0001 good morning ladies and gentlemen
    spk1-0002

A name alone is an empty utterance. Carries the words, and entities in tags (`markup`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.speech.formats._markup import Markup, plain_utterance, sample
from aune.tasks.speech.model import Utterance, utterances


def read(source: Source, *, markup: Markup = "none") -> Iterator[Utterance]:
    for line, text in source.lines():
        name, *rest = text.split(maxsplit=1)[:2] or [""]
        if name:
            yield plain_utterance(source, name, rest[0] if rest else "", line, markup)


def sniff(head: str) -> bool:
    """Names are all different, and have a digit; words hardly ever do on every line."""
    lines = [line.split(maxsplit=1) for line in sample(head)]
    names = [line[0] for line in lines]
    return (
        bool(names)
        and head.lstrip()[:1] not in "[{"
        and len(set(names)) == len(names)
        and all(any(sign.isdigit() for sign in name) and not name.isdigit() for name in names)
        and any(len(line) > 1 for line in lines)
    )


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for one in utterances(documents):
        yield " ".join([one.id, *one.words]) + "\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words"}))
