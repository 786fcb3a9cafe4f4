"""The differences between two states of one annotation, mention by mention: a proposal as a list of edits.

Mentions and chains keep their ids within a layer, so the same id before and after means the same object. A chain is
identified by its first other mention, because ids mean nothing to readers.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from aune.workbench.model import Mention, Part, State, Text, members, mention_text

Kind: TypeAlias = Literal["added", "removed", "extent", "chain", "label", "features"]


class MentionView(msgspec.Struct, frozen=True, kw_only=True):
    """A mention in one of the two states."""

    parts: list[Part]
    order: int
    label: str
    words: str
    companion: str = msgspec.field(default="", name="with")
    """The words of the first other mention of its chain."""
    features: dict[str, str] = {}


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """One difference."""

    kind: Kind
    mention: str
    before: MentionView | None
    after: MentionView | None
    start: int
    end: int


def edits(text: Text, before: State, after: State) -> list[Edit]:
    """The differences in text order; a mention that changed in two ways appears twice."""
    companions = _companions(before), _companions(after)
    changes = []
    for name in {**before.mentions, **after.mentions}:
        pair = before.mentions.get(name), after.mentions.get(name)
        sides = [
            None if item is None else _mention_view(text, state, item, companion.get(name))
            for item, state, companion in zip(pair, (before, after), companions, strict=True)
        ]
        place = pair[1] or pair[0]
        assert place is not None  # one of the two exists
        changes += [
            Edit(kind=kind, mention=name, before=sides[0], after=sides[1], start=place.start, end=place.end)
            for kind in _kinds(*pair)
        ]
    return sorted(changes, key=lambda item: (item.start, -item.end, item.mention))


def _kinds(before: Mention | None, after: Mention | None) -> list[Kind]:
    if before is None:
        return ["added"]
    if after is None:
        return ["removed"]
    changed: list[tuple[Kind, bool]] = [
        ("extent", (before.parts, before.order) != (after.parts, after.order)),
        ("label", before.label != after.label),
        ("chain", before.chain != after.chain),
        ("features", before.features != after.features),
    ]
    return [kind for kind, is_so in changed if is_so]


def _companions(state: State) -> dict[str, str]:
    """For every mention of a chain with several mentions, the first other mention."""
    return {
        name: names[1] if name == names[0] else names[0]
        for names in members(state).values()
        if len(names) > 1
        for name in names
    }


def _mention_view(text: Text, state: State, mention: Mention, companion: str | None) -> MentionView:
    return MentionView(
        parts=list(mention.parts), order=mention.order, label=mention.label, words=mention_text(text, mention),
        companion="" if companion is None else mention_text(text, state.mentions[companion]), features=mention.features,
    )  # fmt: skip
