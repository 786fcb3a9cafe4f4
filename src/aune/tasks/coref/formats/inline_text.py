"""Texts that language models rewrote with their mentions marked: a raw answer per document.

    {"id": "d1", "answer": "[Marie]1 dit que [[sa]1 sœur]2 viendra."}
    {"id": "d2", "answer": "[Marie](#cluster_1) dit que [sa](#cluster_1) sœur viendra."}
    {"id": "d3", "answer": "<m id='1'>Marie</m> dit que <m id='1'>sa</m> sœur viendra."}

The number (or name, such as `e2`) behind a closing bracket (`]1`, `]_1`, `]^1`, `]₁`) or in a mark is the chain. Marks
may nest. Brackets without one are text; a mark `<m id='1'>` or `<e1>` that is not closed is a problem, or stays text
under `--unreadable skip`. What the marks stand around is the response's own text: lay it on the key's with `--realign
words`. A warning is issued where no answer of a file has a mark.

Carries tokens; it cannot be written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import numpy as np

from aune.contract.format import JSON_LINES, Format
from aune.reading.source import Source
from aune.syntax.llm_answers import AnswerField, Model, Reading, Unreadable, answers, has_answers, may_have_answers
from aune.syntax.paired_marks import Mark, remove_marks
from aune.tasks.coref.model import Document, Mention, make_document

NAME = r"[A-Za-z]{0,8}_?\d+"
CHAIN = r"""(?:\s[^<>]*?)?\s(?:id|chain|cluster|coref|entity|ref)\s*=\s*["']?\#?(?P<of>[\w.:-]+)["']?[^<>]*"""
MARK = re.compile(
    r"(?P<open>\[)|\](?:[_\#^]?(?P<chain>[A-Za-z]{0,3}\d+|[₀-₉]+|[⁰¹²³⁴-⁹]+)|\(\#?(?P<link>[\w.:-]+)\)|\{\#?(?P<brace>[\w.:-]+)\})?"
    rf"|<(?P<tag>[A-Za-z]\w*){CHAIN}>|<(?P<number>{NAME})>|</(?P<close>[A-Za-z]\w*)>"
)
WORD = re.compile(r"\w+|[^\w\s]")


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    reading = Reading(source, unreadable)
    mention_count = 0
    for response in answers(source, answer, model):
        unmarked_text = remove_marks(response.text, map(_mark, MARK.finditer(response.text)))
        reading.refuse_text(response, unmarked_text)
        words = list(WORD.finditer(unmarked_text.text))
        mentions = [
            Mention(stretch.start, stretch.end, stretch.label, response.line)
            for stretch in unmarked_text.stretches
            if stretch.end > stretch.start
        ]
        mention_count += len(mentions)
        yield make_document(
            response.document, mentions, tokens=[word[0] for word in words], unit="character",
            positions=np.array([word.start() for word in words], np.int64), path=source.name, line=response.line,
        )  # fmt: skip
    reading.emit_notes()
    if not mention_count:
        source.warn("no mention was found: expected marks such as [Marie]1 or <m id='1'>Marie</m>")


def _mark(match: re.Match[str]) -> Mark:
    if match["tag"] or match["number"]:
        return Mark(*match.span(), match["tag"] or match["number"], opens=True, label=match["of"] or match["number"])
    if match["close"]:
        return Mark(*match.span(), match["close"], opens=False)
    chain = unicodedata.normalize("NFKC", match["chain"] or "") or match["link"] or match["brace"]
    return Mark(*match.span(), "[", opens=bool(match["open"]), label=chain, stays=True)


def _sniff(head: str) -> bool:
    return has_answers(head, lambda answer: bool(remove_marks(answer, map(_mark, MARK.finditer(answer))).stretches))


FORMAT = Format(read, _sniff, could_match=may_have_answers, boundaries=JSON_LINES)
