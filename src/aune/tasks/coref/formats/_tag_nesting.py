"""Mentions as markup in running text, as MUC and SACR have them: where new tags go so that all of them nest."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from aune.syntax.edits import Edits
from aune.syntax.markup import BareText
from aune.tasks.coref.formats._tokenization import Tokens


class TagPlace(NamedTuple):
    """A tag of the text, a mention's or another: where it begins and ends, and where its other half begins."""

    start: int
    end: int
    opening: bool
    partner: int | None


class TaggedMention(NamedTuple):
    """A mention of the file: its tokens, from the first to the one after the last, and where its tags stand."""

    start: int
    end: int
    opening: tuple[int, int]
    closing: int


class NewTags(NamedTuple):
    """The tags of a mention that shall stand around some tokens, from the first to the one after the last."""

    start: int
    end: int
    opening: str
    closing: str


def with_tags(tokens: Sequence[str], tags: Iterable[NewTags]) -> list[str]:
    """Tokens with the tags of mentions around them, those of the wider mention outside, or of the first of two alike.

    >>> with_tags(["a", "b"], [NewTags(0, 1, "{", "}"), NewTags(0, 2, "[", "]")])
    ['[{a}', 'b]']
    """
    tagged = list(tokens)
    for _, mention in sorted(enumerate(tags), key=lambda item: (item[1].end - item[1].start, -item[0])):
        tagged[mention.start] = mention.opening + tagged[mention.start]
        tagged[mention.end - 1] += mention.closing
    return tagged


def change_tags(
    edits: Edits,
    text: BareText[Any],
    tokens: Tokens,
    marks: Sequence[TagPlace],
    changed: Iterable[tuple[TaggedMention | None, NewTags | None]],
) -> None:
    """Put the tags of mentions after in the place of those before; marks are all tags of the text, in its order."""
    gone: set[int] = set()
    new = []
    for old, tags in changed:
        if old and tags and old[:2] == tags[:2]:
            edits.replace(*old.opening, tags.opening)
            continue
        if old:
            gone |= {old.opening[0], old.closing}
        if tags:
            new.append(tags)
    places = [text.source_span(*bounds) for bounds in zip(tokens.starts, tokens.ends, strict=True)]
    _replace_tags(edits, places, marks, gone, new)


def _replace_tags(
    edits: Edits,
    tokens: Sequence[tuple[int, int]],
    marks: Sequence[TagPlace],
    gone: Collection[int],
    new: Sequence[NewTags],
) -> None:
    """Take the tags that begin at some places out of a text and put others in.

    Tokens are where they begin and end in the source; marks are in the order of the text. A new mention encloses what
    begins and ends with it, and stays inside what goes on around it.
    """
    for mark in marks:
        if mark.start in gone:
            edits.replace(mark.start, mark.end, "")
    remaining = [mark for mark in marks if mark.start not in gone]
    starts, ends = [mark.start for mark in remaining], [mark.end for mark in remaining]
    for number, mention in enumerate(new):
        first, last = tokens[mention.start][0], tokens[mention.end - 1][1]
        before = tokens[mention.start - 1][1] if mention.start else 0
        after = tokens[mention.end][0] if mention.end < len(tokens) else max([last, *ends[-1:]]) + 1
        index = bisect_right(ends, first) - 1
        while index >= 0 and remaining[index].start >= before and _closes_before(remaining[index], after):
            first = remaining[index].start
            index -= 1
        index = bisect_left(starts, last)
        while index < len(remaining) and remaining[index].end <= after and _opened_after(remaining[index], first):
            last = remaining[index].end
            index += 1
        edits.insert(last, mention.closing, (0, -mention.start, -number))
        edits.insert(first, mention.opening, (1, -mention.end, number))


def _closes_before(mark: TagPlace, place: int) -> bool:
    return mark.opening and mark.partner is not None and mark.partner < place


def _opened_after(mark: TagPlace, place: int) -> bool:
    return not mark.opening and mark.partner is not None and mark.partner >= place
