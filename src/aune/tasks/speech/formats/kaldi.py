"""Kaldi's text: the name of the utterance, then its words.

    spk1-0001 good morning ladies and gentlemen
    spk1-0002

A name alone is an empty utterance. Carries the words, and entities in tags (`markup`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aune.contract.format import EVERY_LINE, Format
from aune.reading.source import Source
from aune.tasks.speech.formats._foreign import refuse_foreign
from aune.tasks.speech.formats._markup import Markup, first_words, plain_utterance
from aune.tasks.speech.formats._writing import plain_text, require_word
from aune.tasks.speech.model import Utterance, iterate_utterances

NAME = re.compile(
    r"[^\W\d_][^\s\[\]{}()\"',:;]*\d"  # a letter first, a digit last
    r"|(?=.*\d)(?!\d+[-_]\D+$)(?:[^\W_]|\.)+(?:[-_/]+(?:[^\W_]|\.)+)+"  # parts joined by hyphens, not as in 19-year-old
    r"|(?=.*\d)(?=.*[^\W\d_])\w{8,}"  # long, with letters and digits
)

FEWEST_SORTED = 6
"""Lines whose first words are in order by chance once in 720 texts."""

OTHER_FILES = (
    "segments", "utt2spk", "spk2utt", "spk2gender", "wav.scp", "reco2dur", "utt2dur", "utt2num_frames", "feats.scp",
    "cmvn.scp", "reco2file_and_channel", "spk2age", "utt2lang", "stm", "glm",
)  # fmt: skip
"""Files of a data folder of Kaldi that contain no transcripts."""


def read(source: Source, *, markup: Markup = "none") -> Iterator[Utterance]:
    if refuse_foreign(source):
        return
    for line, text in source.lines():
        name, *rest = text.split(maxsplit=1)[:2] or [""]
        if name:
            yield plain_utterance(source, name, rest[0] if rest else "", line, markup)


def sniff(head: str) -> bool:
    """Several lines whose first words are all different and made like names: `spk1-0001`, `1089-0003`, `u12`."""
    names = first_words(head)
    return len(names) > 1 and len(set(names)) == len(names) and all(map(NAME.fullmatch, names))


def perhaps(head: str) -> bool:
    """A single line that begins like a name, or several whose first words hold digits (`3pm`, `12`) or are sorted."""
    names = first_words(head)
    if len(names) < 2:
        return bool(names) and NAME.fullmatch(names[0]) is not None
    if len(set(names)) < len(names):
        return False
    is_sorted = len(names) >= FEWEST_SORTED and names == sorted(names)  # as Kaldi wants them, and texts hardly ever are
    return is_sorted or all(re.fullmatch(r"[\w.:/-]*\d[\w.:/-]*", name) for name in names)


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    for utterance in iterate_utterances(documents):
        text = plain_text(utterance, "kaldi")
        yield require_word(utterance.id, "kaldi", "the name", utterance) + (f" {text}" if text else "") + "\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words", "names"}), could_match=perhaps, boundaries=EVERY_LINE,
                suffixes=("/text",), settings_files=OTHER_FILES)  # fmt: skip
