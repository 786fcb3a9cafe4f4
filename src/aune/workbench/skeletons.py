"""Skeletons: texts of fictitious mentions with a typed key and response, to explore the behaviour of measures.

A partition is typed as classes of numbers: `1 2 / 3-5`, `{1, 2} {3, 4, 5}`, or one class per line. A mention outside
all classes is a class of its own. Popescu-Belis 1999 (§6.1) tests his measures in this way; see `EXAMPLES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from aune.contract import registry
from aune.reading.conversion import convert_documents
from aune.tasks.coref import model as coref
from aune.workbench.comparison import PLAIN, Conventions, StateComparison, compare_states
from aune.workbench.model import Chain, Mention, State, Text

MAX_MENTIONS = 2_000  # per skeleton
MENTIONS_PER_LINE = 20
ITEM = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")
CLASS_SEPARATOR = re.compile(r"[/;|\n]+|\}\s*,?\s*\{?|\{")
BLANK = re.compile(r"[\s,]*")


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A key and a response over a number of mentions."""

    name: str
    mentions: int
    key: str
    response: str
    note: str = ""


def _runs(sizes: Iterable[int]) -> str:
    """Classes of consecutive mentions with the given sizes."""
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    return " / ".join(f"{start + 1}-{end}" for start, end in pairwise(ends))


MUC_6 = (46, 32, 30, 7, 5, 5, 4, 4, 2, 2, 2, 2, 2, 2, 2)
MADE_UP = "147 mentions in 15 classes, as the paper says of the text of MUC-6; the sizes of the classes are made up"
PRONOUNS = "2-27 48-60 80-84 110-113 117-118"
EXAMPLES = (
    Example(
        name="1", mentions=17, key="1-2 / 3-5 / 6-12 / 13-17", response="1-2 6-10 / 3-5 11-16 / 17",
        note="figure 1: the text of §1.2",
    ),
    Example(name="2a", mentions=10, key="1-5 / 6-10", response="", note="nothing is resolved"),
    Example(name="2b", mentions=10, key="1-5 / 6-10", response="1-10", note="everything is one class"),
    Example(name="3a", mentions=147, key=_runs(MUC_6), response="", note=f"{MADE_UP}; nothing is resolved"),
    Example(name="3b", mentions=147, key=_runs(MUC_6), response="1-147", note=f"{MADE_UP}; everything is one class"),
    Example(
        name="3c", mentions=147, key=_runs(MUC_6),
        response=(
            f"1 28-46 / 47 61-78 / 79 85-108 / 109 114-115 / 116 119-120 / 121-125 / 126-129 / 130-133 / 134-135 / "
            f"136-137 / 138-139 / 140-141 / 142-143 / 144-145 / 146-147 / {PRONOUNS}"
        ),
        note=f"{MADE_UP}; the 50 pronouns of five classes are one class",
    ),
)  # fmt: skip
"""The examples of tables 2 and 3 in the paper."""


class ParsedClasses(msgspec.Struct, frozen=True):
    """The parsed classes, and the problems of the input."""

    classes: list[list[int]]
    problems: list[str]


def parse_classes(typed: str, mentions: int) -> ParsedClasses:
    """Parse classes in the notations that users type.

    >>> parse_classes("1 2 / 3-5", 6).classes
    [[1, 2], [3, 4, 5]]
    >>> parse_classes("{1, 9} {1}", 3).problems
    ['found 9, expected numbers from 1 to 3', 'found 1 in two classes, expected every mention once']
    >>> parse_classes("9" * 5000, 3).problems
    ['found 99999999999999999999, expected numbers from 1 to 3']
    """
    classes: list[list[int]] = []
    problems: list[str] = []
    seen: set[int] = set()
    for piece in CLASS_SEPARATOR.split(typed):
        numbers = list(_numbers(piece, mentions, seen, problems))
        if numbers:
            classes.append(numbers)
    return ParsedClasses(classes, problems)


def _numbers(piece: str, mentions: int, seen: set[int], problems: list[str]) -> Iterable[int]:
    rest = ITEM.sub("", piece)
    if strange := BLANK.sub("", rest):
        problems.append(f"found {strange[:20]!r}, expected numbers such as 1 2 / 3-5")
    for item in ITEM.finditer(piece):
        ends = item[1], item[2] or item[1]
        first, last = (int(digits) for digits in ends) if max(map(len, ends)) < 10 else (0, 0)
        if not 1 <= first <= last <= mentions:
            problems.append(f"found {item[0][:20]}, expected numbers from 1 to {mentions}")
            continue
        for number in range(first, last + 1):
            if number in seen:
                problems.append(f"found {number} in two classes, expected every mention once")
            else:
                seen.add(number)
                yield number


def skeleton(mentions: int) -> Text:
    """A text of fictitious mentions, ER1 to ERn, several per line."""
    count = max(0, min(mentions, MAX_MENTIONS))
    characters, tokens, sentences = "", [], []
    for number in range(1, count + 1):
        if number % MENTIONS_PER_LINE == 1:
            sentences.append(number - 1)
            characters += "\n" if characters else ""
        elif characters:
            characters += " "
        tokens += [len(characters), len(characters) + len(f"ER{number}")]
        characters += f"ER{number}"
    return Text(id="skeleton", characters=characters, tokens=tokens, sentences=sentences)


def partition(text: Text, classes: Sequence[Sequence[int]]) -> State:
    """A state of a skeleton with all its mentions; those outside all classes are singletons."""
    words = list(text.words())
    chains = {number: f"c{place}" for place, numbers in enumerate(classes, 1) for number in numbers}
    alone = {number: f"s{number}" for number in range(1, len(words) + 1) if number not in chains}
    homes = chains | alone
    return State(
        {f"m{number}": Mention(parts=(words[number - 1],), chain=homes[number]) for number in sorted(homes)},
        {name: Chain() for name in dict.fromkeys(homes[number] for number in sorted(homes))},
    )


class SkeletonComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The data that the page shows while a user types."""

    text: Text
    key: State
    response: State
    problems: dict[str, list[str]]
    """The problems of the `key` and of the `response`; the valid rest is scored."""
    compared: StateComparison


def compare_skeleton(mentions: int, key: str, response: str, conventions: Conventions = PLAIN) -> SkeletonComparison:
    """Compare the typed key and response."""
    text = skeleton(mentions)
    count = len(text.tokens) // 2
    parses = {"key": parse_classes(key, count), "response": parse_classes(response, count)}
    states = {side: partition(text, parse.classes) for side, parse in parses.items()}
    problems = {side: parse.problems for side, parse in parses.items() if parse.problems}
    if mentions > MAX_MENTIONS:
        problems.setdefault("key", []).append(f"found {mentions} mentions, expected at most {MAX_MENTIONS}")
    comparison = compare_states(text, states["key"], states["response"], conventions)
    return SkeletonComparison(
        text=text, key=states["key"], response=states["response"], problems=problems, compared=comparison
    )


def sgml(text: Text, state: State, name: str = "skeleton") -> bytes:
    """A skeleton as SGML with COREF tags."""
    words = list(text.words())
    place = {start: number for number, (start, _) in enumerate(words)}
    mentions = [
        coref.Mention(place[mention.start], place[mention.start] + 1, mention.chain)
        for mention in state.mentions.values()
    ]
    tokens = [text.characters[start:end] for start, end in words]
    document = coref.make_document(name, mentions, tokens=tokens, sentences=list(text.sentences))
    task = registry.task("coref")
    return convert_documents(task, registry.format("coref", "muc"), [document], f"{name}.sgml").data
