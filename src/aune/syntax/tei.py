"""TEI: the text of an edition with the marked names and references.

    <text><p><persName ref="#ann">Ann <hi>Lee</hi></persName> met <rs ref="#eva">her sister</rs>.</p></text>

The content of `text` is read, except registers (`listPerson`, `listPlace` …) and corrections beside the original
spelling (`corr`, `reg`, `expan` in a `choice`). Runs of blanks are joined; paragraphs, lines, headings and speeches
begin a new line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Annotated, TypeAlias

from aune.contract.options import HiddenAtDefault
from aune.reading.source import Source
from aune.syntax.markup import Tag, split_at_tags

NAMES = ("persName", "placeName", "orgName", "geogName", "name", "rs")
"""The elements that mark entities by default."""
ElementNames: TypeAlias = Annotated[tuple[str, ...], "the elements that mark entities or mentions", HiddenAtDefault]
ELEMENTS_OUTSIDE = "elements in the header, in registers or without text"
REGISTERS = frozenset((
    "listPerson", "listPlace", "listOrg", "listBibl", "listEvent", "listNym", "listRelation", "listObject", "standOff",
))  # fmt: skip
ALTERNATIVES = frozenset(("corr", "reg", "expan"))
BLOCKS = frozenset((
    "p", "l", "lg", "head", "div", "sp", "stage", "speaker", "ab", "item", "list", "row", "table", "opener", "closer",
    "salute", "signed", "dateline", "body", "front", "back", "lb", "quote", "desc", "byline", "trailer", "titlePage",
))  # fmt: skip
BLANKS = re.compile(r"\s+")


@dataclass
class TeiMark:
    """An element around a stretch of text, counted in characters."""

    name: str
    attributes: Mapping[str, str]
    line: int
    column: int
    start: int
    end: int = -1

    @property
    def type(self) -> str:
        return self.attributes.get("type", "").strip()

    @property
    def reference(self) -> str:
        """The target of the element's reference, without the characters of addresses."""
        for attribute in ("ref", "key", "corresp", "sameas", "ana"):
            if value := self.attributes.get(attribute, "").strip():
                return " ".join(part.rpartition("#")[2] or part for part in value.split())
        return ""


@dataclass
class TeiText:
    """The text of an edition while it is being read."""

    marks: list[TeiMark] = field(default_factory=list)
    elsewhere: Counter[str] = field(default_factory=Counter)
    """How many of the requested elements are outside the text that is read, or contain none."""
    lines: list[int] = field(default_factory=lambda: [0])
    """The characters at which lines begin."""
    _pieces: list[str] = field(default_factory=list)
    size: int = 0
    _after_blank: bool = True

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, text: str) -> None:
        """Add characters, with each run of blanks as a single one."""
        joined = BLANKS.sub(" ", text)
        joined = joined[1:] if self._after_blank and joined.startswith(" ") else joined
        if joined:
            self._pieces.append(joined)
            self.size += len(joined)
            self._after_blank = joined.endswith(" ")

    def begin_line(self) -> None:
        if self.size > self.lines[-1]:
            self._pieces.append("\n")
            self.size += 1
            self.lines.append(self.size)
        self._after_blank = True


def is_tei(head: str) -> bool:
    return re.search(r"<(?:tei:)?(?:TEI|TEI\.2|teiCorpus)[\s>]", head) is not None


def read_tei(source: Source, names: Iterable[str]) -> TeiText | None:
    """The text of an edition with the marks of some elements; None if there are problems, which are reported."""
    if re.search(r"<(?:tei:)?text[\s>]", source.text) is None:
        source.add_problem(
            "text.missing", 1, 1, found="XML without an element <text>", expected="a TEI document",
            remedies=["check the format"],
        )  # fmt: skip
        return None
    reading = TeiReading(source, frozenset(names))
    for tag, (start, end) in split_at_tags(source.text):
        if reading.is_read:
            reading.text.add(unescape(source.text[start:end]))
        if tag is None or not reading.take(tag):
            break
    for tag, _ in reading.waiting if not source.problems else ():
        source.add_problem(
            "tag.unclosed", tag.line, tag.column, found=f"<{tag.name}> that is never closed",
            expected=f"</{tag.name}>", remedies=["add it"],
        )  # fmt: skip
    _trim_marks(reading.text)
    return None if source.problems else reading.text


@dataclass
class TeiReading:
    """The state while the tags of an edition are being read."""

    source: Source
    wanted: frozenset[str]
    text: TeiText = field(default_factory=TeiText)
    waiting: list[tuple[Tag, TeiMark | None]] = field(default_factory=list)
    """The elements that are open."""
    _texts: int = 0
    _hidden: int = 0

    @property
    def is_read(self) -> bool:
        return self._texts > 0 and self._hidden == 0

    def take(self, tag: Tag) -> bool:
        """Process a tag; return whether reading can continue."""
        name = tag.name.rpartition(":")[2]
        if not name or tag.alone:
            if name == "lb" and self.is_read and tag.attributes.get("break") != "no":
                self.text.begin_line()
            self.text.elsewhere[name] += name in self.wanted
        elif not tag.closing:
            self._open(tag, name)
        elif self.waiting and self.waiting[-1][0].name == tag.name:
            self._close(name)
        else:
            expected = f"</{self.waiting[-1][0].name}>" if self.waiting else "an opening tag before it"
            self.source.add_problem(
                "tag.unopened", tag.line, tag.column, found=f"</{tag.name}>", expected=expected,
                remedies=["correct the tags"],
            )  # fmt: skip
            return False
        return True

    def _open(self, tag: Tag, name: str) -> None:
        if self.is_read and name in BLOCKS:
            self.text.begin_line()
        mark = TeiMark(name, tag.attributes, tag.line, tag.column, self.text.size) if name in self.wanted else None
        if mark is not None and self.is_read:
            self.text.marks.append(mark)
        elif mark is not None:
            self.text.elsewhere[name] += 1
        self.waiting.append((tag, mark))
        self._texts += name == "text"
        self._hidden += self._is_hidden(name)

    def _close(self, name: str) -> None:
        self._hidden -= self._is_hidden(name)
        mark = self.waiting.pop()[1]
        if mark is not None:
            mark.end = self.text.size
        if self.is_read and name in BLOCKS:
            self.text.begin_line()
        self._texts -= name == "text"

    def _is_hidden(self, name: str) -> bool:
        """Whether the content of the element that was opened last is not text."""
        is_alternative = name in ALTERNATIVES and any(tag.name.endswith("choice") for tag, _ in self.waiting)
        return name in REGISTERS or is_alternative


def _trim_marks(reading: TeiText) -> None:
    """Remove the blanks at the ends of marks; marks around nothing are counted and left out."""
    text = reading.text
    filled = []
    for mark in reading.marks:
        covered = text[mark.start : max(mark.end, mark.start)]
        mark.start += len(covered) - len(covered.lstrip())
        mark.end = mark.start + len(covered.strip())
        if mark.start < mark.end:
            filled.append(mark)
        else:
            reading.elsewhere[mark.name] += 1
    reading.marks = filled
