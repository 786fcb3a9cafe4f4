"""How transcripts are written, and what is refused because it would come back as something else."""

from __future__ import annotations

import re
from typing import NoReturn

from aune.syntax import writing
from aune.tasks.speech.alignment.networks import NULL_WORD, OptionalWord, Tree
from aune.tasks.speech.model import Utterance


def refuse(form: str, content: str, utterance: Utterance) -> NoReturn:
    writing.refuse(form, content, f"utterance {utterance.id!r}", instead="manifest")


def require_word(text: str, form: str, role: str, utterance: Utterance) -> str:
    """A name or word that stands between blanks."""
    if len(text.split()) != 1 or text != text.strip():
        refuse(form, f"{role} {text!r}, which is not one word", utterance)
    return text


def plain_text(utterance: Utterance, form: str) -> str:
    """The words with single blanks between them."""
    return " ".join(require_word(word, form, "the word", utterance) for word in utterance.words)


def nist_text(utterance: Utterance, form: str) -> str:
    """The words and choices in NIST's notation, which `_markup.nist_utterance` reads."""
    return " ".join(
        _items(
            utterance.tree if utterance.tree is not None else list(utterance.words),
            form,
            utterance,
            utterance.tree is not None,
        )
    )


def _items(tree: Tree, form: str, utterance: Utterance, choices: bool, inside: bool = False) -> list[str]:
    texts = []
    for item in tree:
        if isinstance(item, list):
            texts.append(f"{{ {' / '.join(' '.join(_items(part, form, utterance, True, True)) for part in item)} }}")
        else:
            texts.append(nist_word(item, form, utterance, choices, inside))
    return texts


def nist_word(word: str, form: str, utterance: Utterance, choices: bool, inside: bool = False) -> str:
    """A word, one that may be missing, or (among choices) one that is not there; `inside` braces slashes part words."""
    if choices and word == NULL_WORD:
        return NULL_WORD
    plain = require_word(word, form, "the word", utterance)
    if word == NULL_WORD or re.search(r"[{}]", word) or (inside and "/" in word) or re.fullmatch(r"\(.+\)", word):
        refuse(form, f"the word {word!r}, which has a meaning there", utterance)
    plain = plain.replace(";", "\\;")
    return f"({plain})" if isinstance(word, OptionalWord) else plain


def format_seconds(time: float) -> str:
    """A time as people write it, to the microsecond.

    >>> format_seconds(3.0), format_seconds(0.1 + 0.2), format_seconds(12345.678)
    ('3', '0.3', '12345.678')
    """
    return f"{time:.6f}".rstrip("0").rstrip(".")
