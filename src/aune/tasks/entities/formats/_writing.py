"""How documents are written, and what is refused because it would come back as something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from aune.syntax import writing
from aune.tasks.entities.model import Document


def refuse(form: str, content: str, document: Document) -> NoReturn:
    writing.refuse(form, content, f"document {document.id!r}", instead="jsonl")


def tokens_of(document: Document, form: str) -> Sequence[str]:
    if document.tokens is None or document.unit != "token":
        refuse(form, f"a text without its tokens, over {document.unit}s", document)
    return document.tokens


def one_line(text: str, form: str, kind: str, document: Document) -> str:
    """A cell or name that stands on one line between tabs."""
    return writing.one_line(text, form, kind, f"document {document.id!r}", instead="jsonl")


def sentence_starts(document: Document) -> set[int]:
    """The first positions of the sentences after the first one."""
    return set(([] if document.sentences is None else document.sentences.tolist())[1:])
