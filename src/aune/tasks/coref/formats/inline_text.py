"""Texts that language models rewrote with their mentions marked: a raw answer per document.

    {"id": "d1", "answer": "[Marie]1 dit que [[sa]1 sœur]2 viendra."}

The number (or name, such as `e2`) behind a closing bracket is the chain; brackets may nest, and brackets without one
are text. What the marks stand around is the response's own text: lay it on the key's with `--realign words`.

Carries tokens; it cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax.answers import AnswerField, Model, Reading, Unreadable, answers, has_answers, perhaps_answers
from aune.syntax.marks import Mark, unmarked
from aune.tasks.coref.model import Document, Mention, document

MARK = re.compile(r"(?P<open>\[)|\](?:[_#(]?(?P<chain>[A-Za-z]{0,3}\d+)\)?)?")
WORD = re.compile(r"\w+|[^\w\s]")


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    reading = Reading(source, unreadable)
    for given in answers(source, answer, model):
        found = unmarked(given.text, map(_mark, MARK.finditer(given.text)))
        words = list(WORD.finditer(found.text))
        mentions = [Mention(it.start, it.end, it.label, given.line) for it in found.stretches if it.end > it.start]
        yield document(
            given.document, mentions, tokens=[word[0] for word in words], unit="character",
            positions=np.array([word.start() for word in words], np.int64), path=source.name, line=given.line,
        )  # fmt: skip
    reading.say()


def _mark(match: re.Match[str]) -> Mark:
    return Mark(*match.span(), "[", opens=bool(match["open"]), label=match["chain"], stays=True)


def _sniff(head: str) -> bool:
    return has_answers(head, lambda answer: bool(re.search(r"\[[^\[\]]+\][_#(]?[A-Za-z]{0,3}\d", answer)))


FORMAT = Format(read, _sniff, perhaps=perhaps_answers, boundaries=JSON_LINES)
