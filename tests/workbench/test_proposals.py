"""Extents to mark: by hand, and how many keys marking LitBank's mentions takes."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from aune.reading.source import Source, file_source
from aune.workbench.files import texts
from aune.workbench.model import Part, State, Text, in_text_order
from aune.workbench.proposals import proposals
from tests.workbench.texts import text_of


def test_pronouns_names_and_phrases() -> None:
    text = text_of("Mr . Lee met her old dog in London , and it barked at the Queen of Spain . He left this old house")
    result = [text.characters[start:end] for start, end in proposals(text)]
    assert result == [
        "Mr . Lee", "her old dog", "her", "London", "it", "the Queen", "Queen", "Spain", "He", "this old house",
    ]  # fmt: skip
    heading = text_of("MR LEE MET HIS DOG . Lee met his dog")
    assert [heading.characters[start:end] for start, end in proposals(heading)][:3] == ["MR LEE", "HIS DOG", "HIS"]
    assert proposals(Text(id="e", characters="")) == []


def test_french_elision() -> None:
    """The elided article and its noun are one phrase, in texts whose words are cut at the apostrophe, too."""
    source = Source("conte.txt", "Il dit que l'homme a vu l’école, et qu'il aime d'autres enfants.".encode())
    ((text, _),) = texts(source, "coref", "text")
    result = [text.characters[start:end] for start, end in proposals(text)]
    assert {"l'homme", "l’école", "il"} <= set(result)
    assert not [words for words in result if words.startswith(("'", "’", "homme"))]


def keys_to_mark(text: Text, state: State) -> list[int]:
    """The keys for each mention, in the order of the text, as the page has them.

    `p` selects the next proposal behind the cursor, Shift+→ and Shift+← move the end of the selection by a word, `m`
    marks it and selects the next proposal. Where no proposal begins where a mention does, arrows move word by word
    from the nearest one before it, and Shift+→ selects.
    """
    words = list(text.words())
    starts = {start: number for number, (start, _) in enumerate(words)}
    ends = {end: number for number, (_, end) in enumerate(words)}
    offered: list[Part] = proposals(text)
    place, keys = 0, []
    for name in in_text_order(state.mentions):
        mention = state.mentions[name]
        first, last = starts[mention.start], ends[mention.end]
        skipped = 0
        while place < len(offered) and (offered[place][0], -offered[place][1]) < (mention.start, -mention.end):
            if offered[place][0] == mention.start:
                break  # the right beginning: only the end is to be moved
            place += 1
            skipped += 1
        if place < len(offered) and offered[place][0] == mention.start:
            keys.append(skipped + abs(last - ends[offered[place][1]]) + 1)
            place += 1
        else:
            before = starts[offered[place - 1][0]] if place else 0
            keys.append(skipped + abs(first - before) + (last - first) + 1)
    return keys


def test_marking_takes_few_keys(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys: list[int] = []
    for text, state in texts(file_source(data / "coref" / "litbank" / "key.conll.gz"), "coref", "conll2012"):
        keys += keys_to_mark(text, state)
    with capsys.disabled():
        mean = sum(keys) / len(keys)
        print(f"\nlitbank: marking a mention takes {median(keys)} keys in the median, {mean:.2f} in the mean")
    assert median(keys) <= 4
