"""Small texts for the tests of the workbench."""

from __future__ import annotations

from collections.abc import Iterable

from aune.workbench.model import Chain, Mention, State, Text


def text_of(characters: str) -> Text:
    """A text whose words stand between blanks."""
    tokens, place = [], 0
    for word in characters.split():
        place = characters.index(word, place)
        tokens += [place, place + len(word)]
        place += len(word)
    return Text(id="t", characters=characters, tokens=tokens)


def text_of_mentions(count: int) -> Text:
    """A text of so many words, each of which may be a mention."""
    return text_of(" ".join(f"w{number}" for number in range(1, count + 1)))


def partition(text: Text, chains: Iterable[Iterable[int]]) -> State:
    """A state whose mentions are words of a text, by their numbers from 1."""
    words = list(text.words())
    mentions, named = {}, {}
    for number, chain in enumerate(chains, 1):
        named[f"c{number}"] = Chain()
        for word in sorted(chain):
            mentions[f"m{word}"] = Mention(parts=(words[word - 1],), chain=f"c{number}")
    return State(mentions, named)
