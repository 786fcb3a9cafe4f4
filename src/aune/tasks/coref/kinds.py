"""The kind of each mention (name, noun, pronoun, or the corpus's own), for measures and restrictions that ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aune.tasks.coref.comparison import Comparison


def mention_kinds(comparison: Comparison, side: int) -> list[str]:
    """A kind per mention of the key (side 0) or the response (side 1), '' where nothing is known.

    A response that says nothing of kinds takes the key's for the mentions they share.
    """
    mine = (comparison.key, comparison.response)[side]
    found = [
        _kind(comparison.pairs[owner][side].features.get("kind"), mention)
        for owner, mention in zip(mine.owner.tolist(), mine.mention.tolist(), strict=True)
    ]
    if side == 1 and not any(found):
        theirs = mention_kinds(comparison, 0)
        for key, response in zip(*(matched.tolist() for matched in comparison.matched), strict=True):
            found[response] = theirs[key]
    return found


def _kind(column: object, mention: int) -> str:
    return str(column[mention]) if column else ""  # type: ignore[index]
