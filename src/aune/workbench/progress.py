"""The progress of a project: which annotators are done, who is waited for, and which texts can be adjudicated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime

import msgspec

UNASSIGNED, WAITING, READY, ADJUDICATING, ADJUDICATED = (
    "unassigned", "waiting", "ready", "adjudicating", "adjudicated",
)  # fmt: skip


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """The work of one annotator on one text."""

    layer: str
    text: str
    annotator: str
    is_begun: bool
    is_done: bool
    mentions: int
    seconds: int
    """The time between its events, excluding pauses."""
    changed: datetime | None = None
    due: date | None = None

    def is_overdue(self, today: date) -> bool:
        return self.due is not None and self.due < today and not self.is_done


class TextStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The next step for a text."""

    state: str
    waits_for: tuple[str, ...] = ()
    """The annotators who are not done yet."""


def text_status(work: Sequence[Work], keys_done: Sequence[bool]) -> TextStatus:
    """The status of a text, from its annotations and from whether each of its keys is done.

    >>> text_status([], []).state
    'unassigned'
    """
    if keys_done:
        return TextStatus(state=ADJUDICATED if any(keys_done) else ADJUDICATING)
    if not work:
        return TextStatus(state=UNASSIGNED)
    waits_for = tuple(item.annotator for item in work if not item.is_done)
    if waits_for:
        return TextStatus(state=WAITING, waits_for=waits_for)
    return TextStatus(state=READY)


class PersonSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of one annotator in a project."""

    annotator: str
    texts: int
    begun: int
    done: int
    overdue: int
    mentions: int
    seconds: int
    changed: datetime | None
    blocks: int
    """The texts that wait for this annotator only: all others are done."""


def summarize_people(work: Iterable[Work], today: date) -> list[PersonSummary]:
    """A summary of each annotator, by name."""
    items = list(work)
    open_by_text: dict[str, list[Work]] = {}
    shared_texts = {item.text for item in items if item.is_done}
    for item in items:
        if not item.is_done:
            open_by_text.setdefault(item.text, []).append(item)
    by_person: dict[str, list[Work]] = {}
    for item in items:
        by_person.setdefault(item.annotator, []).append(item)
    return [
        PersonSummary(
            annotator=annotator,
            texts=len(own_work),
            begun=sum(item.is_begun and not item.is_done for item in own_work),
            done=sum(item.is_done for item in own_work),
            overdue=sum(item.is_overdue(today) for item in own_work),
            mentions=sum(item.mentions for item in own_work),
            seconds=sum(item.seconds for item in own_work),
            changed=max((item.changed for item in own_work if item.changed), default=None),
            blocks=sum(open_by_text.get(item.text) == [item] and item.text in shared_texts for item in own_work),
        )
        for annotator, own_work in sorted(by_person.items())
    ]


def order_open_work(work: Iterable[Work]) -> list[Work]:
    """The open texts of an annotator: those that were begun, the latest first, then the others by due date."""
    open_work = [item for item in work if not item.is_done]
    begun = sorted((item for item in open_work if item.is_begun), key=_last_change, reverse=True)
    fresh = sorted((item for item in open_work if not item.is_begun), key=lambda item: item.due or date.max)
    return [*begun, *fresh]


def _last_change(item: Work) -> float:
    return item.changed.timestamp() if item.changed else 0.0
