"""The kinds of mentions (name, noun, pronoun, or those of the corpus), for measures and restrictions that use them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from aune.tasks.coref.mentions.traits import RULES, kinds_by_rule

if TYPE_CHECKING:
    from aune.tasks.coref.comparison import Comparison
    from aune.tasks.coref.model import Document

Kinds: TypeAlias = Annotated[
    Literal["format", "key", "english", "french", "whole"],
    "where the kinds of mentions come from: both files, the key's for a response without any (format); the key alone "
    "(key); a rule over the words (english, french); or the key's, each class against whole response chains (whole)",
]


def mention_kinds(comparison: Comparison, side: int, source: str = "format") -> list[str]:
    """The kind of each mention of the key (side 0) or the response (side 1); '' if it is unknown.

    In a response document without kinds, mentions that match a key mention have its kind.
    """
    mentions = (comparison.key, comparison.response)[side]
    by_document = [_document_kinds(pair[side], side, source) for pair in comparison.pairs]
    silent = [not any(kinds) for kinds in by_document]
    if all(silent) and side == 0:
        return [""] * len(mentions.owner)
    known_kinds = [
        by_document[owner][mention]
        for owner, mention in zip(mentions.owner.tolist(), mentions.mention.tolist(), strict=True)
    ]
    if side == 1 and any(silent):
        key_kinds = mention_kinds(comparison, 0, source)
        owners = mentions.owner.tolist()
        for key, response in zip(*(matched.tolist() for matched in comparison.matched), strict=True):
            if silent[owners[response]]:
                known_kinds[response] = key_kinds[key]
    return known_kinds


UNKNOWN_KINDS = "kinds unknown"


def note_unknown_kinds(comparison: Comparison, measure: str, source: str = "format") -> None:
    """Count the documents without any known kind, for a measure that weighs kinds."""
    if source not in RULES:
        silent = sum(
            len(key) + len(response) > 0 and not any(document.features.get("kind") for document in (key, response))
            for key, response in comparison.pairs
        )
        comparison.facts[UNKNOWN_KINDS, measure] = silent  # assigned, not added: the count may be repeated


def unknown_kind_notes(facts: Mapping[Hashable, int]) -> list[str]:
    """A note for each measure that lacks kinds."""
    return [
        f"{fact[1]} weighs mentions by kind, and nothing is known of kinds in {count} document{'s' * (count != 1)}: "
        "choose --kinds english or french"
        for fact, count in facts.items()
        if isinstance(fact, tuple) and fact[0] == UNKNOWN_KINDS and count
    ]


def has_no_kinds(comparison: Comparison, source: str) -> bool:
    """Whether a source provides no kinds at all."""
    if source in RULES:
        return False
    keys = any("kind" in key.features for key, _ in comparison.pairs)
    return not keys and not (
        source == "format" and any("kind" in response.features for _, response in comparison.pairs)
    )


def _document_kinds(document: Document, side: int, source: str) -> Sequence[str]:
    if source in RULES:
        return kinds_by_rule(document, source)
    kinds = document.features.get("kind") if side == 0 or source == "format" else None
    return kinds or [""] * len(document)
