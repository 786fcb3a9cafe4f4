"""NIST's trn: a transcript on each line, with the name of the utterance in parentheses at its end.

    good morning { ladies / lady } and (uh) gentlemen (spk1_0001)

Lines that begin with `;;` are comments. Braces hold alternatives, `@` in them stands for nothing; a word in parentheses
may be missing; what follows a semicolon in a word is a tag and left out. The part of the name before the first `_` or
`-` is the speaker (`ids`). Names are the same whatever the case of their letters. Carries words, alternatives, names in
small letters, and reads entities in tags (`markup`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from aune.core.corpus import Source
from aune.core.pieces import EVERY_LINE
from aune.core.task import Format
from aune.tasks.speech.formats._markup import Markup, Optional, nist_lines, nist_utterance, sample
from aune.tasks.speech.formats._writing import nist_text, refuse
from aune.tasks.speech.model import Utterance, utterances

LINE = re.compile(r"^(.*?)\(([^()]*)\)\s*$", re.DOTALL)
Ids = Annotated[Literal["spu", "wsj", "none"], "where the speaker is in the name: up to - or _ (spu), 3 letters (wsj)"]


def read(
    source: Source, *, ids: Ids = "spu", optional: Optional = True, markup: Markup = "none"
) -> Iterator[Utterance]:
    for line, text in nist_lines(source):
        start = text.rfind("(")
        end = text.rstrip()
        if start < 0 or end[-1] != ")":
            found = f"found {_short(text)!r}, expected the utterance's name in parentheses at the end: add (name)"
            source.problem(line, len(end) + 1, found)
            continue
        name = end[start + 1 : -1].strip().lower()
        if not name:
            source.problem(line, start + 1, "found (), expected the utterance's name: write it in the parentheses")
            continue
        speaker = speaker_of(name, ids)
        attributes = {"speaker": speaker} if speaker else {}
        yield nist_utterance(source, name, text[:start], line, optional, attributes, markup)


def speaker_of(name: str, ids: str) -> str:
    """The speaker that the name of an utterance tells.

    >>> speaker_of("spk1_0001", "spu"), speaker_of("4T0C0201", "wsj"), speaker_of("x", "spu")
    ('spk1', '4T0', '')
    """
    if ids == "wsj":
        return name[:3]
    parts = re.split(r"[-_]", name, maxsplit=1) if ids == "spu" else [name]
    return parts[0] if len(parts) > 1 else ""


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def sniff(head: str) -> bool:
    lines = sample(head)
    return bool(lines) and all(LINE.match(line) for line in lines)


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for one in utterances(documents):
        if re.search(r"[()\n]", one.id) or one.id != one.id.strip() or not one.id:
            refuse("trn", f"the name {one.id!r}, which must stand between parentheses", one)
        yield f"{nist_text(one, 'trn')} ({one.id})\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words", "alternatives", "names"}), suffixes=(".trn",),
                boundaries=EVERY_LINE)  # fmt: skip
