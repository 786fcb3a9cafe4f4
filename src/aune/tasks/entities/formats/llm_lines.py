r"""Entities as language models list them in plain text: a raw answer per document, an entity per line.

    {"id": "d1", "answer": "Laurent Blanc (PER)\nLyon (LOC)"}
    {"id": "d2", "answer": "no entities"}

A line is a string with its label in parentheses at the end; a bullet, a number or quotes around the string are taken
off. Other lines (headings, prose) are no items: they are passed over, and the answers that have some are counted.
Strings are placed on the key's text: see `--place`, and `--unplaced` for what becomes of those that it does not have.

Carries strings and labels; it cannot be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from aune.core.corpus import Source
from aune.core.pieces import JSON_LINES
from aune.core.task import Format
from aune.syntax import answers
from aune.syntax.answers import NOTHING, AnswerField, Model, Reading, Unreadable, shown
from aune.tasks.entities.model import Document, Listed, document

LINE = re.compile(r"\s*(?:[-*•–]\s+|\d+[.)]\s+)?(?P<string>\S.*?)\s+\((?P<label>[^()\s][^()]*?)\)\s*[.,;]?\s*")
QUOTED = re.compile(r"""(["'“«])(.+)(["'”»])""")


def read(
    source: Source, *, answer: AnswerField = "answer", model: Model = "", unreadable: Unreadable = "refuse"
) -> Iterator[Document]:
    reading = Reading(source, unreadable)
    for given in answers.answers(source, answer, model):
        lines = [line for line in given.text.split("\n") if line.strip()]
        matches = [match for line in lines if (match := LINE.fullmatch(line))]
        if not matches and not any(NOTHING.fullmatch(line.strip()) for line in lines):
            reading.refuse(given, f"found {shown(given.text)}, expected lines `string (LABEL)` or `no entities`")
        reading.others += bool(matches) and len(matches) < len(lines)
        listed = [
            Listed(_unquoted(match["string"]), match["label"].strip(), line=given.line, column=given.column)
            for match in matches
        ]
        yield replace(document(given.document, [], path=source.name, line=given.line), listed=tuple(listed))
    reading.say()


def _unquoted(string: str) -> str:
    match = QUOTED.fullmatch(string)
    return match[2] if match else string


def _sniff(head: str) -> bool:
    return answers.has_answers(
        head, lambda answer: any(LINE.fullmatch(line) for line in answer.split("\n")) or bool(NOTHING.fullmatch(answer))
    )


FORMAT = Format(read, _sniff, perhaps=answers.perhaps_answers, boundaries=JSON_LINES)
