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

from aune.contract.format import JSON_LINES, Format
from aune.reading.source import Source
from aune.syntax.llm_answers import AnswerField, Model, Reading, Unreadable, answers, has_answers, may_have_answers
from aune.syntax.paired_marks import Mark, remove_marks
from aune.tasks.entities.model import Document, Span, make_document

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
    for raw_answer in answers(source, answer, model):
        marked = remove_marks(raw_answer.text, (_mark(match, mark_label) for match in MARK.finditer(raw_answer.text)))
        listed = sorted({stretch.label for stretch in marked.stretches} & OF_LISTS)
        if listed:
            reading.refuse(raw_answer, f"marks of a list (<{listed[0]}>)", "a text with its entities marked")
            marked = marked._replace(stretches=[])
        else:
            reading.refuse_text(raw_answer, marked)
        spans = [Span(*stretch, line=raw_answer.line, column=raw_answer.column) for stretch in marked.stretches]
        yield make_document(
            raw_answer.document, [span for span in spans if span.end > span.start], length=len(marked.text),
            unit="character", text=marked.text, path=source.name, line=raw_answer.line,
        )  # fmt: skip
    reading.emit_notes()


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


FORMAT = Format(read, _sniff, could_match=may_have_answers, boundaries=JSON_LINES)
