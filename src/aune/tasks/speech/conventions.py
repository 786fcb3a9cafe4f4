"""The published scoring conventions for transcripts, by name and version: normalisation and alignment.

`plain` leaves the words unchanged. `open-asr@2026-08` is the Open ASR Leaderboard for English since April 2026, with
compounds joined; `open-asr@2025` is its earlier version; `open-asr-multilingual` is its part for other languages.
`whisper` and `whisper-basic` are Whisper's normalisers with the usual alignment. `sclite` ignores case and aligns with
NIST's weights; `jiwer` splits words as jiwer does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BASIC = (
    "whisper-basic", "whisper-basic-no-diacritics", "whisper-basic-letters", "whisper-basic-no-diacritics-letters",
    "open-asr-multilingual", "open-asr-multilingual-diacritics",
)  # fmt: skip
CONVENTIONS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "open-asr@2026-08": {"normalise": "open-asr@2026-08", "compounds": True},
    "open-asr@2025": {"normalise": "open-asr@2025"},
    **{name: {"normalise": name} for name in (*BASIC, "whisper")},
    "sclite": {"normalise": "case", "alignment": "sclite"},
    "jiwer": {"normalise": "jiwer"},
}
"""All of these but `sclite` align words with the fewest errors."""
