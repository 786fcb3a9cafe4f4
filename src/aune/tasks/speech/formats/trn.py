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

from aune.contract.format import EVERY_LINE, Format
from aune.reading.source import Source
from aune.tasks.speech.formats._markup import Markup, OptionalWords, nist_lines, nist_utterance, sample_lines
from aune.tasks.speech.formats._writing import nist_text, refuse
from aune.tasks.speech.model import Utterance, iterate_utterances

LINE = re.compile(r"^(.*?)\(([^()]*)\)\s*$", re.DOTALL)
Ids = Annotated[Literal["spu", "wsj", "none"], "where the speaker is in the name: up to - or _ (spu), 3 letters (wsj)"]


def read(
    source: Source, *, ids: Ids = "spu", optional: OptionalWords = True, markup: Markup = "none"
) -> Iterator[Utterance]:
    for line, text in nist_lines(source):
        start = text.rfind("(")
        end = text.rstrip()
        if start < 0 or end[-1] != ")":
            source.add_problem(
                "name.missing",
                line,
                len(end) + 1,
                found=f"{_short(text)!r}",
                expected="the utterance's name in parentheses at the end",
                remedies=["add (name)"],
            )
            continue
        name = end[start + 1 : -1].strip().lower()
        if not name:
            remedies = ["write it in the parentheses"]
            source.add_problem(
                "name.missing", line, start + 1, found="()", expected="the utterance's name", remedies=remedies
            )
            continue
        speaker = speaker_of(name, ids)
        attributes = {"speaker": speaker} if speaker else {}
        yield nist_utterance(source, name, text[:start].rstrip(), line, optional, attributes, markup)


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
    lines = sample_lines(head)
    return bool(lines) and all(LINE.match(line) for line in lines)


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for utterance in iterate_utterances(documents):
        if re.search(r"[()\n]", utterance.id) or utterance.id != utterance.id.strip() or not utterance.id:
            refuse("trn", f"the name {utterance.id!r}, which must stand between parentheses", utterance)
        yield f"{nist_text(utterance, 'trn')} ({utterance.id})\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words", "alternatives", "names"}), suffixes=(".trn",),
                boundaries=EVERY_LINE)  # fmt: skip
