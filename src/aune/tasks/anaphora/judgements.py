"""The judgements of annotators of anaphora, anaphor by anaphor."""

from __future__ import annotations

from collections.abc import Sequence

from aune.contract.task import Judgements
from aune.tasks.anaphora.model import Document, text_order

NOT_ANAPHORIC = "no antecedent"
REASON = "anaphoricity"
"""The attribute with the reason why an anaphor has no antecedent, if the file states it: none or expletive."""
WITHOUT_ANSWER = "anaphors that not every annotator has"


def judgements(documents: Sequence[Document | None]) -> list[list[str | None]]:
    """A row per anaphor that any annotator has, in text order; its values are the antecedents, joined by `|`.

    Annotators agree on an anaphor if they give it the same antecedents, or none. An anaphor that an annotator does not
    list was not judged by that annotator.
    """
    mentions = sorted(_mentions(documents), key=text_order)
    return [
        [None if document is None else _answer(document, mention) for document in documents] for mention in mentions
    ]


def count_unjudged(documents: Sequence[Document | None]) -> dict[str, int]:
    """The number of anaphors that the coefficients leave out because some annotator does not list them."""
    annotated = [document for document in documents if document is not None]
    shared = sum(all(mention in document.by_mention for document in annotated) for mention in _mentions(annotated))
    return {WITHOUT_ANSWER: len(_mentions(annotated)) - shared}


def listing_judgements(texts: Sequence[Sequence[Document | None]]) -> dict[str, list[Judgements]]:
    """If annotators list different anaphors: a row per anaphor that any of them has, with its antecedents as a set.

    An anaphor that an annotator does not list has the empty set, which differs from "no antecedent".
    """
    if not any(count_unjudged(documents)[WITHOUT_ANSWER] for documents in texts):
        return {}
    return {
        "anaphors": [
            [
                [None if document is None else _answers(document, mention) for document in documents]
                for mention in sorted(_mentions(documents), key=text_order)
            ]
            for documents in texts
        ]
    }


def _mentions(documents: Sequence[Document | None]) -> set[str]:
    return {mention for document in documents if document is not None for mention in document.by_mention}


def _answer(document: Document, mention: str) -> str | None:
    anaphor = document.by_mention.get(mention)
    if anaphor is None:
        return None
    return "|".join(sorted(anaphor.antecedents, key=text_order)) or anaphor.attributes.get(REASON, NOT_ANAPHORIC)


def _answers(document: Document, mention: str) -> frozenset[str]:
    anaphor = document.by_mention.get(mention)
    if anaphor is None:
        return frozenset()
    return frozenset(anaphor.antecedents) or frozenset([anaphor.attributes.get(REASON, NOT_ANAPHORIC)])
