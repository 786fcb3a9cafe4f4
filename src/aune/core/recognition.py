"""Which format a file is in: what its content shows for sure, then what its name says.

    1. formats that are sure of the content; where several are, the name's ending decides between them (a format that
       takes any text may say that this one could be its own all the same);
    2. no format is sure: those that take any text and have the name's ending, then whatever has the ending;
    3. no ending helps: a format that takes any text.

A file whose name has the ending of one format while its content might be in another, and is sure of none, is refused.

No format knows of another, and none is named here. What remains a guess is said, with the option that ends it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aune.core import registry
from aune.core.errors import InputError, Problem
from aune.core.task import Format, Task

NAME_IT = "name it with --input-format (--response-format for responses)"
EMPTY = "found an empty file, expected a text with its annotation: check what wrote it"
COMPRESSED = (".gz", ".xz", ".zst")


class Input(Protocol):
    """What must be known of an input: how it begins, and what it is called."""

    @property
    def name(self) -> str: ...

    @property
    def head(self) -> str: ...

    def warn(self, message: str) -> None: ...


def recognised(task: Task, source: Input, among_many: bool = False) -> Format | None:
    """The format that an input is in, or an `InputError` that names the choices.

    Among many files of a folder, one that nothing is sure of may be a companion (a README, say): it is left out, and
    that is said, unless its name has the ending of a format.
    """
    formats = registry.formats(task.name)
    chosen, others = chosen_format(formats, plain_name(source.name), source.head, among_many)
    if chosen is None and among_many and not others:
        source.warn("not read: in none of the known formats")
    elif chosen is None:
        names = ", ".join(form.name for form in others or formats)
        start = source.head.lstrip()[:40].split("\n")[0]
        what = f"found {start!r}, which is no known {task.name} format, expected one of {names}: {NAME_IT}"
        raise InputError([Problem(source.name, 1, 1, what if start else EMPTY)])
    elif others:
        names = " or ".join(form.name for form in others)
        source.warn(f"read as {chosen.name}, but it could be {names}: name the format with --input-format")
    return chosen


def chosen_format(
    formats: Sequence[Format], name: str, head: str, among_many: bool = False
) -> tuple[Format | None, list[Format]]:
    """The format that content and name speak for, if any, and those that they speak for as well."""
    named = [form for form in formats if form.suffixes and name.endswith(form.suffixes)]
    seen = [form for form in formats if form.sniff(head)]
    sure = [form for form in seen if not form.anything]
    if sure:
        best = [form for form in sure if form in named] or sure
        return best[0], [*best[1:], *(form for form in seen if form.anything and form.perhaps(head))]
    willing = [form for form in seen if form.anything]
    best = [form for form in willing if form in named] or named or ([] if among_many else willing)
    if not best:
        return None, []
    possible = [form for form in formats if form not in best and form.perhaps(head)]
    if possible and best[0] not in seen:  # its name says one thing and its content another
        return None, possible
    return best[0], [*best[1:], *possible]


def plain_name(name: str) -> str:
    """A file's name without the ending that says how it is compressed.

    >>> plain_name("data/gold.conll.gz")
    'data/gold.conll'
    """
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name
