"""What annotators of anaphora said, anaphor by anaphor."""

from __future__ import annotations

from collections.abc import Sequence

from aune.tasks.anaphora.model import Document, text_order

NOT_ANAPHORIC = "no antecedent"
REASON = "anaphoricity"
"""The attribute that says why an anaphor has no antecedent, where files have it: none or expletive."""
WITHOUT_ANSWER = "anaphors that not every annotator has"


def judgements(documents: Sequence[Document | None]) -> list[list[str | None]]:
    """A row per anaphor that anyone has, in the order of the text; its value is the antecedents, joined by `|`.

    Annotators agree on an anaphor where they give it the same antecedents, or none. What an annotator does not list as
    an anaphor was not judged by that one.
    """
    mentions = sorted(_mentions(documents), key=text_order)
    return [
        [None if document is None else _answer(document, mention) for document in documents] for mention in mentions
    ]


def count_unjudged(documents: Sequence[Document | None]) -> dict[str, int]:
    """How many anaphors of a document the coefficients leave out, because an annotator does not list them."""
    annotated = [document for document in documents if document is not None]
    shared = sum(all(mention in document.by_mention for document in annotated) for mention in _mentions(annotated))
    return {WITHOUT_ANSWER: len(_mentions(annotated)) - shared}


def _mentions(documents: Sequence[Document | None]) -> set[str]:
    return {mention for document in documents if document is not None for mention in document.by_mention}


def _answer(document: Document, mention: str) -> str | None:
    anaphor = document.by_mention.get(mention)
    if anaphor is None:
        return None
    return "|".join(sorted(anaphor.antecedents, key=text_order)) or anaphor.attributes.get(REASON, NOT_ANAPHORIC)
