"""Write documents: content that does not fit a format is refused, so that nothing is read back differently.

A writer checks each name, word and label that it writes with `one_line` or `one_word`, and calls `refuse` for
other content that its format cannot represent.
"""

from __future__ import annotations

from typing import NoReturn

from aune.errors import UsageError


def refuse(form: str, content: str, owner: str, instead: str) -> NoReturn:
    """Refuse to write content that a format cannot represent; `owner` is its owner, `instead` a format that can.

    >>> refuse("tsv", "the name 'a b'", "document 'd'", instead="jsonl")
    Traceback (most recent call last):
    aune.errors.UsageError: tsv cannot represent the name 'a b' (document 'd'): choose another format, such as jsonl
    """
    raise UsageError(f"{form} cannot represent {content} ({owner}): choose another format, such as {instead}")


def is_one_line(text: str) -> bool:
    r"""Whether a text can be a cell between tabs, without blanks around it, which readers remove.

    >>> is_one_line("New York"), is_one_line(" a"), is_one_line("a\tb"), is_one_line("")
    (True, False, False, True)
    """
    return text == text.strip() and not any(sign in text for sign in "\t\n\r")


def one_line(text: str, form: str, role: str, owner: str, instead: str) -> str:
    """A name or label in a single line that is not empty; anything else is refused."""
    if not text or not is_one_line(text):
        refuse(form, f"the {role} {text!r}, which is not one cell of a line", owner, instead)
    return text


def one_word(text: str, form: str, role: str, owner: str, instead: str) -> str:
    """A name or word between blanks; anything else is refused."""
    if text.split() != [text]:
        refuse(form, f"the {role} {text!r}, which is not one word", owner, instead)
    return text
