"""Small texts for the tests of the workbench."""

from __future__ import annotations

from aune.workbench.model import Text


def text_of(characters: str) -> Text:
    """A text whose words stand between blanks."""
    tokens, place = [], 0
    for word in characters.split():
        place = characters.index(word, place)
        tokens += [place, place + len(word)]
        place += len(word)
    return Text(id="t", characters=characters, tokens=tokens)
