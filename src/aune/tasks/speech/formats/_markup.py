"""What the text of a transcript can contain beside words: choices, tags of words, entities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, TypeAlias

from aune.reading.source import Source
from aune.tasks.speech.alignment.networks import BracesError, first_wording, has_choices, parse_alternatives
from aune.tasks.speech.model import NO_ATTRIBUTES, Entity, Utterance

Markup: TypeAlias = Annotated[
    Literal["none", "inline"], "how entities stand in the text: none, or tags around them as in <LOC> new york </LOC>"
]
OptionalWords: TypeAlias = Annotated[bool, "whether (word) means a word that may be missing, as in NIST's transcripts"]
TAG = re.compile(r"<(/?)([^\s<>/]+)>")
MEND_TAGS = ("mend the tags",)
WORD_TAGS = re.compile(r"(?<!\\);\S*")


def plain_utterance(
    source: Source, name: str, text: str, line: int, markup: str, attributes: Mapping[str, str] = NO_ATTRIBUTES
) -> Utterance:
    """An utterance whose text is words, perhaps with entities in tags."""
    if markup == "none" or "<" not in text:
        return Utterance(name, text, attributes, line=line)
    words, entities = parse_tags(source, text, line)
    return Utterance(name, words, attributes, entities, line=line)


def parse_tags(source: Source, text: str, line: int) -> tuple[list[str], tuple[Entity, ...]]:
    """The words and entities of a text with tags around its entities; a tag that is never closed is a word.

    >>> parse_tags(Source("x", b""), "in <LOC>new york</LOC> <unk> ok", 1)
    (['in', 'new', 'york', '<unk>', 'ok'], (Entity(start=1, end=3, label='LOC'),))
    """
    tags = EntityTags(source, closed_labels(text))
    words: list[str] = []
    position = 0
    for mark in tags.marks(text):
        words += text[position : mark.start()].split()
        position = mark.end()
        tags.take(mark, len(words), line)
    words += text[position:].split()
    return words, tags.entities(line)


def closed_labels(text: str) -> frozenset[str]:
    """The labels of tags that are closed somewhere: what looks like another tag is a word."""
    return frozenset(label for slash, label in TAG.findall(text) if slash)


class EntityTags:
    """Entities between tags, as their tags come; problems go to the source."""

    def __init__(self, source: Source, labels: frozenset[str], *, spans_lines: bool = False) -> None:
        self.source, self.labels = source, labels
        self.spans_lines = spans_lines
        self._open: list[tuple[str, int]] = []
        self._entities: list[Entity] = []

    def marks(self, text: str) -> Iterator[re.Match[str]]:
        """The tags in a text."""
        return (mark for mark in TAG.finditer(text) if mark[2] in self.labels)

    def take(self, mark: re.Match[str], place: int, line: int) -> None:
        """A tag before the word at a place."""
        slash, label = mark.groups()
        if not slash:
            self._open.append((label, place))
        elif self._open and self._open[-1][0] == label:
            start = self._open.pop()[1]
            if start < place:
                self._entities.append(Entity(start, place, label))
        else:
            self._report("tag.unopened", line, mark.start() + 1, f"</{label}>", f"<{label}> before it and nothing left "
                         "open between")  # fmt: skip

    def entities(self, line: int) -> tuple[Entity, ...]:
        """The entities of the whole text, which ends here."""
        for label, _ in self._open:
            self._report("tag.unclosed", line, 1, f"<{label}>", f"</{label}> after it")
        return tuple(self._entities)

    def _report(self, code: str, line: int, column: int, found: str, expected: str) -> None:
        """Report an unpaired tag; its partner may be in another piece of the file."""
        if self.spans_lines and self.source.is_piece:
            self.source.is_standalone = False
        else:
            self.source.add_problem(code, line, column, found=found, expected=expected, remedies=MEND_TAGS)


def _strip_tags(text: str) -> str:
    """A text without the tags around its entities."""
    closed = closed_labels(text)
    return TAG.sub(lambda mark: " " if mark[2] in closed else mark[0], text)


def nist_utterance(
    source: Source,
    name: str,
    text: str,
    line: int,
    optional: bool,
    attributes: Mapping[str, str] = NO_ATTRIBUTES,
    markup: str = "none",
) -> Utterance:
    """An utterance in NIST's notation: choices in braces, words that may be missing, tags after semicolons."""
    if ";" in text:
        text = WORD_TAGS.sub("", text).replace("\\;", ";")
    if "{" not in text and "}" not in text and "@" not in text and not (optional and "(" in text):
        return plain_utterance(source, name, text, line, markup, attributes)
    try:
        tree = parse_alternatives(text, optional)
    except BracesError as error:
        actual, expected = error.found, error.expected
        source.add_problem("braces.unpaired", line, 1, found=actual, expected=expected, remedies=["mend the braces"])
        return Utterance(name, [], attributes, line=line)
    if not has_choices(tree):
        return plain_utterance(source, name, text, line, markup, attributes)
    if markup == "inline" and (bare := _strip_tags(text)) != text:
        source.warn(f"line {line}: entities left out, since the utterance has several wordings")
        tree = parse_alternatives(bare, optional)
    return Utterance(name, first_wording(tree), attributes, tree=tree, line=line)


def nist_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a file of NIST's that hold something, with their numbers; `;;` begins a comment."""
    return ((line, text) for line, text in source.lines() if text.strip() and not text.startswith(";;"))


def sample_lines(head: str, most: int = 50) -> list[str]:
    """The first lines that hold something, without the last one, which may be cut."""
    lines = head.split("\n")
    complete = lines[:-1] if len(lines) > 1 else lines
    return [line for line in complete if line.strip() and not line.startswith(";;")][:most]


def first_words(head: str) -> list[str]:
    """The first word of each line; nothing when no line has a second one."""
    lines = [line.split(maxsplit=1) for line in sample_lines(head)]
    return [line[0] for line in lines] if any(len(line) > 1 for line in lines) else []
