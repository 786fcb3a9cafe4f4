"""Words and sentences of plain texts: abbreviations, apostrophes, languages."""

from __future__ import annotations

from itertools import pairwise

import pytest

from aune.errors import UsageError
from aune.reading.source import Source
from aune.workbench.files import PLAIN, export_file, texts
from aune.workbench.model import Mention, State
from aune.workbench.segmentation import Segmentation, join_words, segment, split_word, toggle_sentence


def cut_text(text: str, language: str = "") -> tuple[list[str], list[str]]:
    """The words of a text, and its sentences."""
    words, sentences = segment(text, language)
    bounds = [*(words[first][0] for first in sentences), len(text)]
    return (
        [text[start:end] for start, end in words],
        [text[start:end].strip() for start, end in pairwise(bounds)],
    )


@pytest.mark.parametrize(
    ("text", "language", "sentences"),
    [
        ("Mr. Smith met J. R. Roy. He left.", "english", ["Mr. Smith met J. R. Roy.", "He left."]),
        ("It was late... it seemed. See p. 12. Fine.", "", ["It was late... it seemed.", "See p. 12.", "Fine."]),
        ("M. Roy dort. Mme Roy aussi.", "french", ["M. Roy dort.", "Mme Roy aussi."]),
        ("Am 3. Mai kam Dr. Wolf. Er blieb.", "german", ["Am 3. Mai kam Dr. Wolf.", "Er blieb."]),
        ("El Sr. López duerme. ¿Y usted?", "spanish", ["El Sr. López duerme.", "¿Y usted?"]),
        ("He wrote no. Then he left.", "english", ["He wrote no.", "Then he left."]),
        ("一。二！", "", ["一。", "二！"]),
    ],
)  # fmt: skip
def test_a_full_stop_does_not_always_end_a_sentence(text: str, language: str, sentences: list[str]) -> None:
    assert cut_text(text, language)[1] == sentences


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("l'ami qu’il aujourd'hui", "french", ["l'", "ami", "qu’", "il", "aujourd'hui"]),
        ("didn't Ann's O'Brien 'no'", "english", ["did", "n't", "Ann", "'s", "O'Brien", "'", "no", "'"]),
        ("dell'uomo", "italian", ["dell'", "uomo"]),
        ("rock'n'roll", "other", ["rock'n'roll"]),
    ],
)  # fmt: skip
def test_apostrophes_belong_to_words(text: str, language: str, words: list[str]) -> None:
    assert cut_text(text, language)[0] == words


def test_a_text_that_is_open_keeps_its_words() -> None:
    """Whatever the rules are when it is exported: those of its day count."""
    source = Source("a.txt", b"Ann didn't go.\n")
    remaining = Segmentation([(0, 3), (4, 10), (11, 13), (13, 14)], [0])
    [(text, _)] = texts(source, "tagging", PLAIN, segmentation=remaining)
    state = State({"m": Mention(parts=((4, 10),), label="V")})
    rows = export_file(source, "tagging", PLAIN, {text.id: state}, to="tsv", segmentation=remaining).data
    assert rows.startswith(b"Ann\t_\ndidn't\tV\n")


def test_words_and_sentences_are_corrected() -> None:
    text = "Ann left. Ben didn't."
    known = segment(text, "english")
    joined = join_words(known, 14, 20)
    assert [text[start:end] for start, end in joined.words][-2:] == ["didn't", "."] and joined.sentences == [0, 3]
    assert split_word(joined, 17) == known
    document = toggle_sentence(known, 10)
    assert document.sentences == [0] and toggle_sentence(document, 10) == known
    for wrong in (lambda: join_words(known, 0, 8), lambda: join_words(known, 0, 3), lambda: split_word(known, 3)):
        with pytest.raises(UsageError):
            wrong()
    with pytest.raises(UsageError):
        toggle_sentence(known, 0)
