"""Search for words, labels and chains in texts and their layers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from aune.workbench.model import State, Text, in_text_order, members, mention_text

CONTEXT = 40  # characters shown before and after a hit


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A position in a text, with its context and the reason for the hit."""

    start: int
    end: int
    before: str
    words: str
    after: str
    why: str = ""


def find_words(text: Text, query: str) -> Iterator[Hit]:
    """The occurrences of words in a text, regardless of case and white space.

    >>> [hit.words for hit in find_words(Text(id="t", characters="The old  Man met a man."), "old man")]
    ['old  Man']
    """
    pattern = r"\s+".join(map(re.escape, query.split()))
    if pattern:
        for match in re.finditer(pattern, text.characters, re.IGNORECASE):
            yield _hit(text, match.start(), match.end(), "")


def find_labels(text: Text, state: State, query: str) -> Iterator[Hit]:
    """The mentions whose label, or a feature (`kind`, `kind=pronoun`), contains the query."""
    wanted = query.strip().lower()
    for name in in_text_order(state.mentions) if wanted else ():
        mention = state.mentions[name]
        features = [f"{feature}={value}" for feature, value in mention.features.items() if value]
        why = next((known for known in (mention.label, *features) if wanted in known.lower()), "")
        if why:
            yield _hit(text, mention.start, mention.end, why)


def find_chains(text: Text, state: State, query: str) -> Iterator[Hit]:
    """The chains whose name, notes or mentions contain the query, each at its first mention."""
    wanted = " ".join(query.lower().split())
    for chain, names in members(state).items() if wanted else ():
        if not names:
            continue
        record, mentions = state.chains[chain], [state.mentions[name] for name in names]
        shown = [" ".join(mention_text(text, mention).split()) for mention in mentions]
        why = next((known for known in (record.name, record.notes, *shown) if wanted in known.lower()), None)
        if why is not None:
            size = f"{len(names)} mention{'s' * (len(names) != 1)}"
            yield _hit(text, mentions[0].start, mentions[0].end, f"{why}, {size}")


def _hit(text: Text, start: int, end: int, why: str) -> Hit:
    characters = text.characters
    return Hit(
        start=start,
        end=end,
        before=characters[max(0, start - CONTEXT) : start],
        words=characters[start:end] or "∅",
        after=characters[end : end + CONTEXT],
        why=why,
    )
