"""What the text of a transcript can hold beside words: choices, tags of words, entities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, TypeAlias

from aune.core.corpus import Source
from aune.tasks.speech.alignment.networks import first_wording, has_choices, parsed
from aune.tasks.speech.model import NO_ATTRIBUTES, Entity, Utterance

Markup: TypeAlias = Annotated[
    Literal["none", "inline"], "how entities stand in the text: none, or tags around them as in <LOC> new york </LOC>"
]
Optional: TypeAlias = Annotated[bool, "whether (word) means a word that may be missing, as in NIST's transcripts"]
TAG = re.compile(r"<(/?)([^\s<>/]+)>")
WORD_TAGS = re.compile(r"(?<!\\);\S*")


def plain_utterance(
    source: Source, name: str, text: str, line: int, markup: str, attributes: Mapping[str, str] = NO_ATTRIBUTES
) -> Utterance:
    """An utterance whose text is words, perhaps with entities in tags."""
    if markup == "none" or "<" not in text:
        return Utterance(name, text, attributes, line=line)
    words, entities = tagged(source, text, line)
    return Utterance(name, words, attributes, entities, line=line)


def tagged(source: Source, text: str, line: int) -> tuple[list[str], tuple[Entity, ...]]:
    """The words and entities of a text with tags around its entities; a tag that is never closed is a word.

    >>> tagged(Source("x", b""), "in <LOC>new york</LOC> <unk> ok", 1)
    (['in', 'new', 'york', '<unk>', 'ok'], (Entity(start=1, end=3, label='LOC'),))
    """
    closed = {label for slash, label in TAG.findall(text) if slash}
    words: list[str] = []
    opened: list[tuple[str, int]] = []
    entities: list[Entity] = []
    position = 0
    for mark in TAG.finditer(text):
        slash, label = mark.groups()
        if label not in closed:
            continue
        words += text[position : mark.start()].split()
        position = mark.end()
        if not slash:
            opened.append((label, len(words)))
        elif opened and opened[-1][0] == label:
            start = opened.pop()[1]
            if start < len(words):
                entities.append(Entity(start, len(words), label))
        else:
            found = f"found </{label}>, expected <{label}> before it and nothing left open between: mend the tags"
            source.problem(line, mark.start() + 1, found)
    words += text[position:].split()
    for label, _ in opened:
        source.problem(line, 1, f"found <{label}>, expected </{label}> after it: mend the tags")
    return words, tuple(entities)


def _untagged(text: str) -> str:
    """A text without the tags around its entities."""
    closed = {label for slash, label in TAG.findall(text) if slash}
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
        tree = parsed(text, optional)
    except ValueError as error:
        source.problem(line, 1, f"{error}: mend the braces")
        return Utterance(name, [], attributes, line=line)
    if not has_choices(tree):
        return plain_utterance(source, name, text, line, markup, attributes)
    if markup == "inline" and (bare := _untagged(text)) != text:
        source.warn(f"line {line}: entities left out, since the utterance has several wordings")
        tree = parsed(bare, optional)
    return Utterance(name, first_wording(tree), attributes, tree=tree, line=line)


def nist_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a file of NIST's that hold something, with their numbers; `;;` begins a comment."""
    return ((line, text) for line, text in source.lines() if text.strip() and not text.startswith(";;"))


def sample(head: str, most: int = 50) -> list[str]:
    """The first lines that hold something, without the last one, which may be cut."""
    lines = head.split("\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    return [line for line in whole if line.strip() and not line.startswith(";;")][:most]


def first_words(head: str) -> list[str]:
    """The first word of each line; nothing when no line has a second one."""
    lines = [line.split(maxsplit=1) for line in sample(head)]
    return [line[0] for line in lines] if any(len(line) > 1 for line in lines) else []
