"""What a transcript loses when it is written to a file and read back."""

from __future__ import annotations

from collections import Counter

from aune.tasks.speech.model import Document, content_counts, utterances


def lost_content(before: Document, after: Document) -> dict[str, int]:
    """What a document contains and its version that was written and read back does not, by kind, with counts.

    Speakers are compared by attribute: some formats store them in utterance names alone, which other readers ignore.

    >>> from aune.tasks.speech.model import Utterance
    >>> lost_content(Utterance("ann-1", ["yes"], {"speaker": "ann"}), Utterance("ann-1", ["yes"]))
    {'speakers': 1}
    """
    missing = Counter(content_counts([before])) - Counter(content_counts([after]))
    missing["speakers"] = (_speakers(before) - _speakers(after)).total()
    return {name: count for name, count in missing.items() if count}


def _speakers(document: Document) -> Counter[str]:
    """The number of utterances of each speaker, ignoring the case of names."""
    named = (utterance.attributes.get("speaker", "").lower() for utterance in utterances([document]))
    return Counter(name for name in named if name)
