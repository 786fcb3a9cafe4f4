"""How transcripts are written, and what is refused because it would come back as something else."""

from __future__ import annotations

import re
from typing import NoReturn

from aune.core.errors import UsageError
from aune.tasks.speech.alignment.networks import NULL, Maybe, Tree
from aune.tasks.speech.model import Utterance


def refuse(form: str, what: str, utterance: Utterance) -> NoReturn:
    raise UsageError(f"{form} cannot hold {what} (utterance {utterance.id!r}): choose another format, such as manifest")


def one_word(text: str, form: str, what: str, utterance: Utterance) -> str:
    """A name or word that stands between blanks."""
    if len(text.split()) != 1 or text != text.strip():
        refuse(form, f"{what} {text!r}, which is not one word", utterance)
    return text


def plain_text(utterance: Utterance, form: str) -> str:
    """The words with single blanks between them."""
    return " ".join(one_word(word, form, "the word", utterance) for word in utterance.words)


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
    found = []
    for item in tree:
        if isinstance(item, list):
            found.append(f"{{ {' / '.join(' '.join(_items(part, form, utterance, True, True)) for part in item)} }}")
        else:
            found.append(nist_word(item, form, utterance, choices, inside))
    return found


def nist_word(word: str, form: str, utterance: Utterance, choices: bool, inside: bool = False) -> str:
    """A word, one that may be missing, or (among choices) one that is not there; `inside` braces slashes part words."""
    if choices and word == NULL:
        return NULL
    plain = one_word(word, form, "the word", utterance)
    if word == NULL or re.search(r"[{}]", word) or (inside and "/" in word) or re.fullmatch(r"\(.+\)", word):
        refuse(form, f"the word {word!r}, which has a meaning there", utterance)
    plain = plain.replace(";", "\\;")
    return f"({plain})" if isinstance(word, Maybe) else plain


def seconds(time: float) -> str:
    """A time as people write it, to the microsecond.

    >>> seconds(3.0), seconds(0.1 + 0.2), seconds(12345.678)
    ('3', '0.3', '12345.678')
    """
    return f"{time:.6f}".rstrip("0").rstrip(".")
