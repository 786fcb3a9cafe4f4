r"""brat: standoff annotation in a file of lines, over the characters of a text in a file beside it.

    T1	Person 0 7	Ann Lee
    T2	Thing 16 19;24 30	dog … collar
    R1	Coreference Arg1:T2 Arg2:T1
    *	Coref T1 T2
    A1	kind T2 pronoun
    #1	AnnotatorNotes T1	sure

`read` returns the lines as records, with their line numbers; a task interprets them. Lines of another form, spans
that end before they start or lie beyond the text, and repeated names are problems. A `COREF T1 name` line, which some
corpora add, puts a span into a chain.

Positions count the characters of the text as in its file. If line ends have been changed since (`\r\n` for `\n`), the
quotations decide: the version of the text that they fit is used.

Source: Stenetorp et al. 2012, brat: a web-based tool for NLP-assisted text annotation.

>>> from aune.reading.corpus import Source
>>> found = read(Source("a.ann", b"T1\tPer 0 3;4 7\tAnn Lee\nA1\tSure T1\n"))
>>> found.spans["T1"].parts, found.attributes[0].value
(((0, 3), (4, 7)), 'true')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from aune.compression import decompress
from aune.errors import InputError
from aune.numeric.ranges import have_overlap
from aune.reading.source import Source

Parts: TypeAlias = tuple[tuple[int, int], ...]

SETTINGS_FILES = ("annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf")
"""The files that configure brat (types, colours and keys), in the folder of the annotated files."""

SPAN = re.compile(r"(T\S*)\t(\S+) +(\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)(?:\t(.*))?", re.ASCII | re.DOTALL)
RELATION = re.compile(r"(R\S*)\t(\S+)\s+([^\s:]+):(\S+)\s+([^\s:]+):(\S+)\s*")
EQUIVALENCE = re.compile(r"\*\t(\S+)((?:\s+\S+)+)\s*")
ATTRIBUTE = re.compile(r"([AM]\S*)\t(\S+) +(\S+)(?: +(.*))?")
CHAIN = re.compile(r"COREF\s+(\S+)\s+(\S.*)")
NOTE = re.compile(r"#\S*\t(\S+) +(\S+)(?:\t(.*))?")
EVENT = re.compile(r"(E\S*)\t([^\s:]+):(\S+)((?:\s+[^\s:]+:\S+)*)\s*")
NORMALIZATION = re.compile(r"N\S*\t(\S+) +(\S+) +(\S+:\S+)(?:\t(.*))?")
EXPECTED = {
    "T": "'T1<tab>Type 0 5<tab>text'",
    "R": "'R1<tab>Coreference Arg1:T1 Arg2:T2'",
    "*": "'*<tab>Coref T1 T2'",
    "A": "'A1<tab>Name T1 value'",
    "M": "'M1<tab>Name T1'",
    "C": "'COREF<tab>T1<tab>name'",
}
OTHER_KINDS = ("E", "N", "W")
ENDINGS = (".gz", ".xz", ".zst", ".ann")


class Line(NamedTuple):
    """A line of the file, and where it begins in its text."""

    number: int
    start: int
    text: str


class Span(NamedTuple):
    """A `T` line: a label and some characters of the text."""

    line: Line
    name: str
    label: str
    parts: Parts
    """Half-open, in order."""
    quoted: str
    column: int
    """The column of its positions in the line, from 1."""

    @property
    def bounds(self) -> tuple[int, int]:
        return self.parts[0][0], max(end for _, end in self.parts)


class Relation(NamedTuple):
    """An `R` line: a labelled link from one span to another, with the names of its two roles."""

    line: Line
    label: str
    source: str
    target: str
    roles: tuple[str, str]

    @property
    def name(self) -> str:
        return self.line.text.partition("\t")[0]


class Equivalence(NamedTuple):
    """A `*` line: equivalent spans."""

    line: Line
    label: str
    members: list[str]


class Attribute(NamedTuple):
    """An `A` or `M` line: an attribute of a span; `true` without a value."""

    line: Line
    name: str
    target: str
    value: str


class Chain(NamedTuple):
    """A `COREF` line: the name of the chain that a span is in."""

    line: Line
    member: str
    name: str


class Note(NamedTuple):
    """A `#` line about an annotation."""

    line: Line
    target: str
    kind: str = ""
    text: str = ""


class Event(NamedTuple):
    """An `E` line: a type, the span or event that triggers it, and its arguments with their roles."""

    line: Line
    name: str
    label: str
    trigger: str
    arguments: list[tuple[str, str]]


class Normalization(NamedTuple):
    """An `N` line: the entry of a resource that an annotation refers to."""

    line: Line
    target: str
    kind: str
    reference: str
    text: str


@dataclass
class BratFile:
    """The records of a file, each kind in the order of the file."""

    lines: list[Line] = field(default_factory=list)
    spans: dict[str, Span] = field(default_factory=dict)
    links: list[Relation | Equivalence | Chain] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    normalizations: list[Normalization] = field(default_factory=list)
    others: list[Line] = field(default_factory=list)
    """Lines on events and normalisations."""
    text: str | None = None
    """The text beside the file, if there is one."""


def read(source: Source) -> BratFile:
    """The records of a file by kind, and the text beside it."""
    file = BratFile()
    position = 0
    for number, text in source.lines():
        line = Line(number, position, text)
        position += len(text) + 1
        file.lines.append(line)
        if text.strip():
            _add_line(source, file, line)
    file.text = _text(source, file)
    if file.text is not None:
        _check_text(source, file, file.text)
    return file


def _add_line(source: Source, file: BratFile, line: Line) -> None:
    """Store the record of one line."""
    letter, text = line.text[0], line.text
    if letter == "T" and (match := SPAN.fullmatch(text)):
        _add_span(source, file, line, match)
    elif letter == "R" and (match := RELATION.fullmatch(text)):
        file.links.append(Relation(line, match[2], match[4], match[6], (match[3], match[5])))
    elif letter == "*" and (match := EQUIVALENCE.fullmatch(text)):
        file.links.append(Equivalence(line, match[1], match[2].split()))
    elif letter in "AM" and (match := ATTRIBUTE.fullmatch(text)):
        file.attributes.append(Attribute(line, match[2], match[3], (match[4] or "true").strip()))
    elif letter == "C" and (match := CHAIN.fullmatch(text)):
        file.links.append(Chain(line, match[1], match[2].strip()))
    elif letter == "#":
        if match := NOTE.fullmatch(text):
            file.notes.append(Note(line, match[2], match[1], match[3] or ""))
    elif letter in OTHER_KINDS:
        file.others.append(line)
        if match := EVENT.fullmatch(text):
            arguments = [argument.partition(":")[::2] for argument in match[4].split()]
            file.events.append(Event(line, match[1], match[2], match[3], arguments))
        elif match := NORMALIZATION.fullmatch(text):
            file.normalizations.append(Normalization(line, match[2], match[1], match[3], match[4] or ""))
    else:
        expected = EXPECTED.get(letter, "a line that begins with T, R, *, A, M, E, N or #")
        source.add_problem(
            "line.malformed",
            line.number,
            1,
            found=f"{text[:40].expandtabs(1)!r}",
            expected=expected,
            remedies=["correct the line"],
        )


def _add_span(source: Source, file: BratFile, line: Line, match: re.Match[str]) -> None:
    name, label, places, quoted = match.groups()
    pairs = [place.split() for place in places.split(";")]
    parts = tuple(sorted((int(start), int(end)) for start, end in pairs))
    if name in file.spans:
        source.add_problem(
            "mention.repeated",
            line.number,
            1,
            found=f"{name} a second time",
            expected="every mention once",
            remedies=["give it another number"],
        )
    elif any(start >= end for start, end in parts):
        source.add_problem(
            "mention.reversed",
            line.number,
            match.start(3) + 1,
            found=f"the characters {places!r}",
            expected="a start before its end",
            remedies=["correct them"],
        )
    elif have_overlap(parts):
        source.add_problem(
            "mention.overlapping",
            line.number,
            match.start(3) + 1,
            found=f"the characters {places!r}",
            expected="pieces that do not overlap",
            remedies=["correct them"],
        )
    else:
        file.spans[name] = Span(line, name, label, parts, quoted or "", match.start(3) + 1)


def path_beside(path: Path) -> Path:
    """The path of the text of an annotation: `a.txt` for `a.ann`."""
    name = path.name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return path.with_name(f"{name}.txt")


def _text(source: Source, file: BratFile) -> str | None:
    """The annotated text, if the file exists: the version of it that the quotations fit best."""
    if source.path is None or path_beside(source.path) == source.path:
        return None
    beside = path_beside(source.path)
    if beside.exists() and not beside.is_file():
        source.add_problem(
            "file.device",
            1,
            1,
            found=f"a device, a pipe or a folder at {beside.name}",
            expected="the text",
            remedies=["remove it"],
        )
        return None
    try:
        raw = decompress(beside.read_bytes(), str(beside)).decode("utf-8")
    except OSError:
        return None
    except (UnicodeDecodeError, InputError):
        source.warn(f"{beside} cannot be read: the annotations are taken without their text")
        return None
    plain = raw.removeprefix("\ufeff")
    readings = dict.fromkeys([plain, plain.replace("\r\n", "\n"), raw])
    return min(readings, key=lambda text: count_misquoted(file, text)) if len(readings) > 1 else plain


def count_misquoted(file: BratFile, text: str) -> int:
    """The number of spans whose quotation differs from the text at their positions."""
    covered_text = {name: " ".join(text[start:end] for start, end in span.parts) for name, span in file.spans.items()}
    return sum(span.quoted.split() != covered_text[name].split() for name, span in file.spans.items())


def _check_text(source: Source, file: BratFile, text: str) -> None:
    """Report spans beyond the text as problems, and warn of quotations that differ from the text."""
    for name, span in file.spans.items():
        if span.bounds[1] > len(text):
            source.add_problem(
                "mention.outside-text",
                span.line.number,
                span.column,
                found=f"{name} up to character {span.bounds[1]}",
                expected=f"at most {len(text)}, the length of the text",
                remedies=["check that the text is the right one"],
            )
    misquoted_count = count_misquoted(file, text)
    if misquoted_count:
        who = "1 annotation quotes" if misquoted_count == 1 else f"{misquoted_count} annotations quote"
        source.warn(f"{who} other words than the text beside the file has there")
