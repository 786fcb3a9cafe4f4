"""Texts that language models rewrote with their entities marked: a raw answer per document.

    {"id": "d1", "answer": "<PER>Laurent Blanc</PER> joue à <LOC>Lyon</LOC>"}
    {"id": "d2", "answer": "[Laurent Blanc](PER) joue à [Lyon](LOC)"}
    {"id": "d3", "answer": "<entity type='PER'>Laurent Blanc</entity> joue à Lyon"}
    {"id": "d4", "answer": "@@Laurent Blanc## joue à Lyon"}

What the marks stand around is the response's own text, seldom the key's to the letter: lay it there with `--realign
words`. Marks may nest. `@@x##` says no label: it is `--mark-label`. Brackets without a label behind them are text. A
mark that is not closed, closes nothing or crosses another is a problem, or stays text under `--unreadable skip`. So are
marks of a list (`<entities>`, `<text>`, `<type>`), which name the parts of an item and no label.

Carries text and nesting; it cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, TypeAlias

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax.answers import AnswerField, Model, Reading, Unreadable, answers, has_answers, perhaps_answers
from aune.syntax.marks import Mark, unmarked
from aune.tasks.entities.model import Document, Span, document

MarkLabel: TypeAlias = Annotated[str, "the label of entities marked as @@x##"]
LABEL = r"[A-Za-z][\w.:-]*"
OF_LISTS = frozenset(("entities", "text", "type", "label", "string", "start", "end"))
TYPE = rf"""(?:\s[^<>]*?)?\s(?:type|label|class|category)\s*=\s*["']?(?P<type>{LABEL})["']?[^<>]*"""
MARK = re.compile(
    rf"<(?P<open>{LABEL})(?:{TYPE})?>|</(?P<close>{LABEL})>|(?P<at>@@)|(?P<hash>\#\#)|(?P<bracket>\[)|\](?:\((?P<link>{LABEL})\))?"
)


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse",
    mark_label: MarkLabel = "PER",
) -> Iterator[Document]:  # fmt: skip
    reading = Reading(source, unreadable)
    for given in answers(source, answer, model):
        found = unmarked(given.text, (_mark(match, mark_label) for match in MARK.finditer(given.text)))
        listed = sorted({stretch.label for stretch in found.stretches} & OF_LISTS)
        if listed:
            reading.refuse(given, f"found marks of a list (<{listed[0]}>), expected a text with its entities marked")
            found = found._replace(stretches=[])
        else:
            reading.refuse_text(given, found)
        spans = [Span(*stretch, line=given.line, column=given.column) for stretch in found.stretches]
        yield document(
            given.document, [span for span in spans if span.end > span.start], length=len(found.text),
            unit="character", text=found.text, path=source.name, line=given.line,
        )  # fmt: skip
    reading.say()


def _mark(match: re.Match[str], mark_label: str) -> Mark:
    start, end = match.span()
    if match["open"]:
        return Mark(start, end, match["open"], opens=True, label=match["type"] or "")
    if match["close"]:
        return Mark(start, end, match["close"], opens=False, label=match["close"])
    if match["at"] or match["hash"]:
        return Mark(start, end, "@@", opens=bool(match["at"]), label=mark_label)
    return Mark(start, end, "[", opens=bool(match["bracket"]), label=match["link"], stays=True)


def _sniff(head: str) -> bool:
    return has_answers(
        head,
        lambda answer: bool(re.search(rf"<({LABEL})(?:{TYPE})?>.*?</\1>|@@.*?\#\#|\[[^\]]*\]\({LABEL}\)", answer)),
    )


FORMAT = Format(read, _sniff, perhaps=perhaps_answers, boundaries=JSON_LINES)
