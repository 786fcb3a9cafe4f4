"""ELAN's EAF."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.contract import registry
from aune.reading.corpus import read as read_corpus
from aune.tasks.speech.model import utterances
from tests.exports import EXPORTS, needs_exports
from tests.tasks.formats import messages
from tests.tasks.formats import read as read_text

SAMPLE = (Path(__file__).parent / "samples" / "elan-two.eaf").read_text()


def test_participants_and_times() -> None:
    [document] = read_text("speech", "elan", SAMPLE)
    assert list(document.words) == ["good", "morning", "hi", "&", "bye"]
    [meeting] = read_text("speech", "elan", SAMPLE, group="meeting")
    assert [(part.span, part.attributes["speaker"]) for part in meeting.utterances] == [
        ((0.5, 1.0), "ann"), ((1.0, 1.5), "ben"),
    ]  # fmt: skip


def test_tiers_by_name() -> None:
    [document] = read_text("speech", "elan", SAMPLE, tier=("note@A",))
    assert list(document.words) == ["greeting"]
    assert "found no tier 'x', expected one of A, B, note@A" in messages("speech", "elan", SAMPLE, tier=("x",))[0]


@needs_exports
@pytest.mark.parametrize(
    ("name", "tiers", "annotations"),
    [
        ("childproject_basic.eaf.gz", None, 296),
        ("sample_2.7.eaf.gz", ("text", "words-timesub", "gestures", "gest_included"), 4788),
    ],
)
def test_exports(name: str, tiers: tuple[str, ...] | None, annotations: int) -> None:
    """Annotations over times, of which the empty ones contain no words."""
    import gzip
    import re

    text = gzip.decompress((EXPORTS / "elan" / name).read_bytes()).decode()
    values = re.findall(r"<ALIGNABLE_ANNOTATION\b[^>]*>\s*<ANNOTATION_VALUE(?:/>|>([^<]*)<)", text)
    assert len(values) == annotations
    options = {"tier": tiers} if tiers else {}
    [document] = read_corpus(
        registry.task("speech"), str(EXPORTS / "elan" / name), group="meeting", **options
    ).documents
    parts = utterances([document])
    assert len(parts) == sum(bool(value.strip()) for value in values)
    assert all(part.span is not None for part in parts)
