"""What writers of tagged texts refuse because it would come back as something else."""

from __future__ import annotations

from typing import NoReturn

from aune.core.errors import UsageError
from aune.tasks.tagging.model import Document


def refuse(form: str, what: str, document: Document) -> NoReturn:
    raise UsageError(f"{form} cannot hold {what} (document {document.id!r}): choose another format, such as jsonl")


def heading(document: Document, form: str) -> str:
    """The line that begins a document."""
    if not document.id or document.id != " ".join(document.id.split()):
        refuse(form, f"the name {document.id!r}, which does not fit in a line", document)
    return f"# newdoc id = {document.id}\n"


def one_cell(text: str, form: str, what: str, document: Document) -> str:
    """A cell between tabs, without blanks around it, which readers take away."""
    if text != text.strip() or any(sign in text for sign in "\t\n\r"):
        refuse(form, f"the {what} {text!r}, which is not one cell of a line", document)
    return text
