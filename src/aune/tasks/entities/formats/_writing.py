"""How documents are written, and what is refused because it would come back as something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from aune.core.errors import UsageError
from aune.tasks.entities.model import Document


def refuse(form: str, what: str, document: Document) -> NoReturn:
    raise UsageError(f"{form} cannot hold {what} (document {document.id!r}): choose another format, such as jsonl")


def tokens_of(document: Document, form: str) -> Sequence[str]:
    if document.tokens is None or document.unit != "token":
        refuse(form, f"a text without its tokens, over {document.unit}s", document)
    return document.tokens


def one_line(text: str, form: str, what: str, document: Document) -> str:
    """A cell or name that stands on one line between tabs."""
    if not text.strip() or text != text.strip() or any(sign in text for sign in "\t\n\r"):
        refuse(form, f"the {what} {text!r}, which is not one cell of a line", document)
    return text


def sentence_starts(document: Document) -> set[int]:
    """The first positions of the sentences after the first one."""
    return set(([] if document.sentences is None else document.sentences.tolist())[1:])
