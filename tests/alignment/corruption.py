"""Texts damaged in known ways, with where each token of the damaged text comes from."""

from __future__ import annotations

import html
import random
import unicodedata
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

Spans = list[tuple[int, int]]


class Damaged(NamedTuple):
    """Tokens, and for each the token of the original that it comes from; −1 for one that was put in."""

    tokens: list[str]
    origin: list[int]

    def carried(self, spans: Spans) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Spans of the damaged text with those of the original that they are; lost ones are left out."""
        places: dict[int, int] = {origin: place for place, origin in enumerate(self.origin) if origin >= 0}
        pairs = []
        for start, end in spans:
            remaining = [token for token in range(start, end) if token in places]
            if remaining:
                pairs.append(((places[remaining[0]], places[remaining[-1]] + 1), (remaining[0], remaining[-1] + 1)))
        return pairs


def change_words(tokens: Sequence[str], share: float, seed: int) -> Damaged:
    """A share of the words replaced by another word of the text, misspelt, left out, or preceded by another word."""
    generator = random.Random(seed)
    out: list[str] = []
    origin: list[int] = []
    for place, token in enumerate(tokens):
        if generator.random() >= share or not token[0].isalnum():
            out.append(token)
            origin.append(place)
            continue
        how = generator.choice(("replaced", "misspelt", "dropped", "preceded"))
        if how == "dropped":
            continue
        if how == "preceded":
            out.append(generator.choice(tokens))
            origin.append(-1)
        out.append({"replaced": generator.choice(tokens), "misspelt": misspelt(token, generator)}.get(how, token))
        origin.append(place)
    return Damaged(out, origin)


def misspelt(word: str, generator: random.Random) -> str:
    place = generator.randrange(len(word))
    return word[:place] + generator.choice("aeiourst") + word[place + generator.randrange(2) :]


def with_paragraphs_replaced(tokens: Sequence[str], other: Sequence[str], size: int = 200) -> Damaged:
    """Every second stretch of `size` tokens replaced by one of another text."""
    out: list[str] = []
    origin: list[int] = []
    for number, start in enumerate(range(0, len(tokens), size)):
        if number % 2:
            foreign = [other[(start + offset) % len(other)] for offset in range(size)]
            out += foreign
            origin += [-1] * size
        else:
            out += tokens[start : start + size]
            origin += range(start, min(start + size, len(tokens)))
    return Damaged(out, origin)


QUOTES = {'"': "”", "'": "’", "-": "–", "``": "“", "''": "”", "--": "—"}


def rewritten(tokens: Sequence[str]) -> list[str]:
    """The same words with other quotes and dashes, decomposed accents and no capitals."""
    return [unicodedata.normalize("NFD", QUOTES.get(token, token.replace("'", "’"))).lower() for token in tokens]


def retokenise_text(tokens: Sequence[str], edges: Collection[int]) -> tuple[list[str], list[int]]:
    """Long words cut in two, every third token joined to the one before but at `edges`; and where each now begins."""
    out: list[str] = []
    begins = []
    for place, token in enumerate(tokens):
        if place % 3 == 2 and place not in edges:
            out[-1] += token
            begins.append(len(out) - 1)
        else:
            begins.append(len(out))
            out += [token[: len(token) // 2], token[len(token) // 2 :]] if len(token) > 5 else [token]
    return out, [*begins, len(out)]


SPELLINGS = {
    "as it is": lambda text: text,
    "composed": lambda text: unicodedata.normalize("NFC", text),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "escaped": html.escape,
    "in capitals": lambda text: text.upper(),
}
SPELT_IN_MANY_WAYS = [
    "café", "Zoé", "Ådåmś", "हिन्दी", "दिल्ली", "ภาษาไทย", "ปักกิ่ง", "قُرآنٌ", "AT&T", "<cnn>", "d'été", "北京", "한국", "é",
]  # fmt: skip


def spelt(words: Sequence[str], spelling: str) -> tuple[str, Spans]:
    """Words in one of the spellings with a blank between them, and where each lies among the characters."""
    written = [SPELLINGS[spelling](word) for word in words]
    ends = [*accumulate(len(word) + 1 for word in written)]
    return " ".join(written), [(end - 1 - len(word), end - 1) for word, end in zip(written, ends, strict=True)]
