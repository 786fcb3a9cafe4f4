"""Recognise the format of a file: by what its content shows for certain, then by its name.

    1. formats that are certain about the content; if there are several, the suffix of the name decides between them (a
       format that takes any text may report that the file could be in it all the same);
    2. no format is certain: formats that take any text and have the suffix, then any format with the suffix;
    3. no format has the suffix: a format that takes any text.

A file with the suffix of one format whose content might be in another, and is certainly in none, is refused.

No format refers to another, and none is named here. If a guess remains, a note names the option that avoids it.
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
"""How descriptions of other files begin, which contain no text: what they are, and what to give instead."""


class RecognisableInput(Protocol):
    """What must be known of an input: its beginning, and its name."""

    @property
    def name(self) -> str: ...

    @property
    def head(self) -> str: ...

    def warn(self, message: str) -> None: ...


def recognise_format(task: Task, source: RecognisableInput, among_many: bool = False) -> Format | None:
    """The format of an input; raises an `InputError` that names the choices.

    In a folder of several files, a file that no format is certain about may belong to others (a README, say): it is
    left out with a note, unless its name has the suffix of a format.
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
    """The problem of a file that describes others and contains no text."""
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
    """The format that content and name indicate, if any, and the other formats that they indicate as well."""
    named = [form for form in formats if form.suffixes and name.lower().endswith(form.suffixes)]
    named.sort(key=lambda form: -len(form.carries))  # where only the name decides: the format that can contain most
    sure = _sure_formats(named, head) or _sure_formats(formats, head)
    willing = [form for form in formats if form.accepts_any_text and form.sniff(head)]
    if sure:
        return sure[0], [*sure[1:], *(form for form in willing if form.could_match(head))]
    best = [form for form in willing if form in named] or named or ([] if among_many else willing)
    if not best:
        return None, []
    possible = [form for form in formats if form not in best and form.could_match(head)]
    if possible and best[0] not in willing:  # its name indicates one format and its content another
        return None, possible
    return best[0], [*best[1:], *possible]


def _sure_formats(formats: Sequence[Format], head: str) -> list[Format]:
    return [form for form in formats if not form.accepts_any_text and form.sniff(head)]


def companion_names(formats: Sequence[Format], names: Sequence[str]) -> frozenset[str]:
    """The names of files that belong to other files of a folder, as the formats of those declare.

    They are read together with another file or not at all, whatever their content looks like.
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
