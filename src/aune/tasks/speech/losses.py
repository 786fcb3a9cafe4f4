"""What a transcript loses on its way through a file."""

from __future__ import annotations

from collections import Counter

from aune.tasks.speech.model import Document, content_counts, utterances


def lost_content(before: Document, after: Document) -> dict[str, int]:
    """What a document says that another version of it, written and read back, does not say, by kind, with counts.

    Speakers are compared by what they are called: some formats have them in names alone, which others do not look at.

    >>> from aune.tasks.speech.model import Utterance
    >>> lost_content(Utterance("ann-1", ["yes"], {"speaker": "ann"}), Utterance("ann-1", ["yes"]))
    {'speakers': 1}
    """
    missing = Counter(content_counts([before])) - Counter(content_counts([after]))
    missing["speakers"] = (_speakers(before) - _speakers(after)).total()
    return {name: count for name, count in missing.items() if count}


def _speakers(document: Document) -> Counter[str]:
    """How many utterances each speaker has, whatever the case of names."""
    named = (utterance.attributes.get("speaker", "").lower() for utterance in utterances([document]))
    return Counter(name for name in named if name)
