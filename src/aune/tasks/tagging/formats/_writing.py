"""What writers of tagged texts refuse because it would come back as something else."""

from __future__ import annotations

from typing import NoReturn

from aune.syntax import writing
from aune.tasks.tagging.model import Document


def refuse(form: str, content: str, document: Document) -> NoReturn:
    writing.refuse(form, content, f"document {document.id!r}", instead="jsonl")


def heading(document: Document, form: str) -> str:
    """The line that begins a document."""
    if not document.id or document.id != " ".join(document.id.split()):
        refuse(form, f"the name {document.id!r}, which does not fit in a line", document)
    return f"# newdoc id = {document.id}\n"


def one_cell(text: str, form: str, content: str, document: Document) -> str:
    """A cell between tabs, without blanks around it, which readers take away."""
    if not writing.is_one_line(text):
        refuse(form, f"the {content} {text!r}, which is not one cell of a line", document)
    return text
