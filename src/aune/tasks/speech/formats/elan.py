"""ELAN's EAF: tiers of annotations over times.

    <ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="500"/>…</TIME_ORDER>
    <TIER TIER_ID="ann" PARTICIPANT="ann"><ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
      <ANNOTATION_VALUE>good morning</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>

Read are the tiers without a parent, where each has a participant of its own or there is only one of them; for others
say which: `--tier ann --tier ben`. A tier's participant, or its name, is the speaker. Everything in a file is one
text, named for the file; `group` keeps speakers apart, or segments with their times. A time slot without a value lies
evenly between its neighbours. Carries words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from aune.contract.format import Format
from aune.errors import Remedy
from aune.reading.source import Source
from aune.syntax.numbers import parse_number
from aune.tasks.speech.formats._segments import Group, SpeechSegment, TierField, group_segments
from aune.tasks.speech.model import Document

MOST_NAMED = 12


class ElanTier(NamedTuple):
    """A tier and who speaks in it."""

    name: str
    speaker: str
    has_parent: bool
    element: Element


def read(source: Source, *, tier: TierField = (), group: Group = "session") -> Iterator[Document]:
    try:
        root = ElementTree.fromstring(source.text)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        line, column = getattr(error, "position", (1, 0))
        source.add_problem(
            "xml.malformed", line, column + 1, found=f"broken XML ({error})", expected="EAF", remedies=["mend it"]
        )
        return
    slots = _time_slots(root)
    chosen = _choose_tiers(source, list(_tiers(root)), tier)
    annotations = {
        str(node.get("ANNOTATION_ID")): node
        for current in root.iter("TIER")
        for node in [*current.iter("ALIGNABLE_ANNOTATION"), *current.iter("REF_ANNOTATION")]
    }
    segments = [
        SpeechSegment(words, *_times(node, annotations, slots), current.speaker)
        for current in chosen
        for node in [*current.element.iter("ALIGNABLE_ANNOTATION"), *current.element.iter("REF_ANNOTATION")]
        if (words := (node.findtext("ANNOTATION_VALUE") or "").split())
    ]
    if chosen:
        yield from group_segments(source.stem, segments, group)


def _time_slots(root: Element) -> dict[str, float]:
    """The seconds of each slot; those without a value lie evenly between their neighbours."""
    names = [
        (str(slot.get("TIME_SLOT_ID")), parse_number(slot.get("TIME_VALUE", ""))) for slot in root.iter("TIME_SLOT")
    ]
    known = [place for place, (_, value) in enumerate(names) if value is not None]
    seconds: dict[str, float] = {}
    following = iter([*known, None])
    before, after = None, next(following)
    for place, (name, value) in enumerate(names):
        if value is not None:
            before, after = place, next(following)
            seconds[name] = value / 1000
        elif before is not None and after is not None:
            low, high = names[before][1] or 0.0, names[after][1] or 0.0
            seconds[name] = (low + (high - low) * (place - before) / (after - before)) / 1000
    return seconds


def _tiers(root: Element) -> Iterator[ElanTier]:
    for node in root.iter("TIER"):
        name = node.get("TIER_ID", "")
        yield ElanTier(name, node.get("PARTICIPANT") or name, bool(node.get("PARENT_REF")), node)


def _choose_tiers(source: Source, tiers: Sequence[ElanTier], wanted: Sequence[str]) -> list[ElanTier]:
    """The tiers with the words; none where a problem was reported."""
    names = [current.name for current in tiers]
    unknown = [name for name in wanted if name not in names]
    independent = [current for current in tiers if not current.has_parent]
    if wanted and not unknown:
        return [current for current in tiers if current.name in wanted]
    if not unknown and independent and len({current.speaker for current in independent}) == len(independent):
        return independent
    actual = (
        f"no tier {unknown[0]!r}"
        if unknown
        else f"{len(tiers)} tiers, several of one participant"
        if tiers
        else "no tier"
    )
    expected = f"one of {', '.join(names[:MOST_NAMED])}" if names else "a tier"
    remedies = [Remedy("name those with the words", (("tier", names[0]),))] if names else ["add a tier with the words"]
    source.add_problem("tier.unknown", 1, 1, found=actual, expected=expected, remedies=remedies)
    return []


def _times(
    node: Element, annotations: dict[str, Element], slots: dict[str, float]
) -> tuple[float | None, float | None]:
    """When an annotation begins and ends; one that refers to another has its times."""
    for _ in range(len(annotations) + 1):
        if node.tag == "ALIGNABLE_ANNOTATION":
            return slots.get(node.get("TIME_SLOT_REF1", "")), slots.get(node.get("TIME_SLOT_REF2", ""))
        parent = annotations.get(node.get("ANNOTATION_REF", ""))
        if parent is None:
            break
        node = parent
    return None, None


def sniff(head: str) -> bool:
    return "<ANNOTATION_DOCUMENT" in head


FORMAT = Format(read, sniff, carries=frozenset({"words"}), suffixes=(".eaf",))
