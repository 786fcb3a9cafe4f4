"""Which format a file is in: what its content shows for sure, then what its name says.

    1. formats that are sure of the content; where several are, the name's ending decides between them (a format that
       takes any text may say that this one could be its own all the same);
    2. no format is sure: those that take any text and have the name's ending, then whatever has the ending;
    3. no ending helps: a format that takes any text.

A file whose name has the ending of one format while its content might be in another, and is sure of none, is refused.

No format knows of another, and none is named here. What remains a guess is said, with the option that ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Protocol

from aune.compression import uncompressed_name
from aune.contract import registry
from aune.contract.format import Format
from aune.contract.task import Task
from aune.errors import InputError, Problem, Remedy

NAME_FORMAT_REMEDIES = (
    Remedy("name it", (("input_format", "FORMAT"),)),
    Remedy("name that of the responses", (("response_format", "FORMAT"),)),
)
NAME_FORMAT_HINT = ", or ".join(remedy.for_command_line() for remedy in NAME_FORMAT_REMEDIES)


DESCRIPTION_LENGTH = 2_000
DESCRIPTIONS = (
    (re.compile(r"\s*<(?:.*?<)?(?:\w+:)?typeSystemDescription\b", re.DOTALL),
     "a type system of UIMA", "give the XMI, JSON or TSV file of a text"),
    (re.compile(r'\s*\{\s*"(?:O|[BIESUL]-[^"]+)"\s*:\s*\d+\s*[,}]'),
     "the names of numbered tags", "give the rows, and this file with --tag-names"),
)  # fmt: skip
"""How files begin that describe others and contain no text: what they are, and what to give instead."""


class RecognisableInput(Protocol):
    """What must be known of an input: how it begins, and what it is called."""

    @property
    def name(self) -> str: ...

    @property
    def head(self) -> str: ...

    def warn(self, message: str) -> None: ...


def recognise_format(task: Task, source: RecognisableInput, among_many: bool = False) -> Format | None:
    """The format that an input is in, or an `InputError` that names the choices.

    Among many files of a folder, one that nothing is sure of may be a companion (a README, say): it is left out, and
    that is said, unless its name has the ending of a format.
    """
    if description := _description(source):
        if among_many:
            source.warn(f"not read: {description.found}")
            return None
        raise InputError([description])
    formats = registry.formats(task.name)
    chosen, others = choose_format(formats, uncompressed_name(source.name), source.head, among_many)
    if chosen is None and among_many and not others:
        source.warn("not read: in none of the known formats")
    elif chosen is None:
        names = ", ".join(form.name for form in others or formats)
        start = source.head.lstrip()[:40].split("\n")[0]
        problem = _unknown_format_problem(task, source.name, start, names) if start else _empty_problem(source.name)
        raise InputError([problem])
    elif others:
        names = " or ".join(form.name for form in others)
        source.warn(f"read as {chosen.name}, but it could be {names}: name the format with --input-format")
    return chosen


def _description(source: RecognisableInput) -> Problem | None:
    """The problem of a file that describes others, and has no text."""
    for beginning, found, remedy in DESCRIPTIONS:
        if beginning.match(source.head[:DESCRIPTION_LENGTH]):
            expected = "a text with its annotation"
            return Problem.in_file("format.unknown", source.name, found=found, expected=expected, remedies=[remedy])
    return None


def _unknown_format_problem(task: Task, path: str, start: str, names: str) -> Problem:
    actual = f"{start!r}, which is no known {task.name} format"
    return Problem.in_file(
        "format.unknown", path, found=actual, expected=f"one of {names}", remedies=NAME_FORMAT_REMEDIES
    )


def _empty_problem(path: str) -> Problem:
    expected, remedies = "a text with its annotation", ["check what wrote it"]
    return Problem.in_file("file.empty", path, found="an empty file", expected=expected, remedies=remedies)


def choose_format(
    formats: Sequence[Format], name: str, head: str, among_many: bool = False
) -> tuple[Format | None, list[Format]]:
    """The format that content and name speak for, if any, and those that they speak for as well."""
    named = [form for form in formats if form.suffixes and name.lower().endswith(form.suffixes)]
    sure = _sure_formats(named, head) or _sure_formats(formats, head)
    willing = [form for form in formats if form.accepts_any_text and form.sniff(head)]
    if sure:
        return sure[0], [*sure[1:], *(form for form in willing if form.could_match(head))]
    best = [form for form in willing if form in named] or named or ([] if among_many else willing)
    if not best:
        return None, []
    possible = [form for form in formats if form not in best and form.could_match(head)]
    if possible and best[0] not in willing:  # its name says one thing and its content another
        return None, possible
    return best[0], [*best[1:], *possible]


def _sure_formats(formats: Sequence[Format], head: str) -> list[Format]:
    return [form for form in formats if not form.accepts_any_text and form.sniff(head)]


def companion_names(formats: Sequence[Format], names: Sequence[str]) -> frozenset[str]:
    """The names of files that belong to other files of a folder, as the format of those declares.

    They are read together with another file or not at all, whatever their own content looks like.
    """
    by_uncompressed_name = {uncompressed_name(name): name for name in names}
    return frozenset(
        by_uncompressed_name[companion]
        for form in formats
        for suffix in form.suffixes
        for name in by_uncompressed_name
        if name.lower().endswith(suffix)
        for companion in _companions_of(form, PurePath(name), len(suffix))
        if companion in by_uncompressed_name
    )


def _companions_of(form: Format, path: PurePath, suffix_length: int) -> Iterator[str]:
    """The paths at which the companions of a file would be."""
    yield from (f"{str(path)[:-suffix_length]}{ending}" for ending in form.companion_endings)
    yield from (str(path.with_name(name)) for name in form.settings_files)
