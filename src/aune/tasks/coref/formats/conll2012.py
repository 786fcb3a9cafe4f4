r"""CoNLL-2012: a token per line, mentions as brackets in the last column.

    #begin document (nw/wsj/0001); part 000
    nw/wsj/0001  0  0  Ann     (1
    nw/wsj/0001  0  1  Lee     1)
    nw/wsj/0001  0  2  met     -
    nw/wsj/0001  0  3  her     (1)|(2
    nw/wsj/0001  0  4  sister  2)

    #end document

Columns are separated by tabs (a token may then contain spaces) or by runs of blanks. There are two or more of them: the
last one holds the mentions, the fourth the token (in files of fewer than five columns, the one before the last); the
others are not kept. No mention is `-`, `_` or nothing. `(1` opens a mention of chain 1, `1)` closes the one opened last
in that chain, `(1)` does both; several are joined by `|` or by nothing. Chain names are made of anything but `(`, `)`,
`|` and blanks. A blank line ends a sentence but not a mention. A tab after the last column is allowed, `#end document`
may be missing, and a file without `#begin document` is one document, named as the file.

A document is named `name` when its part is 0, 000 or not given, and `name; part 1` for part 1 (or 001) and so on. The
genre is known when the name begins with one of OntoNotes's (`nw/…`).

Source: Pradhan et al. 2012, CoNLL-2012 shared task; the variants are those of real files.

>>> from aune.core.corpus import Source
>>> [found] = read(Source("a.conll", b"#begin document (a); part 0\nAnn (1\nLee 1)\nslept -\n"))
>>> found.id, found.tokens, found.clusters()
('a', ['Ann', 'Lee', 'slept'], [[(0, 2)]])
>>> print("".join(write([found])).expandtabs(5))
#begin document (a); part 000
a    0    0    Ann  -    -    -    -    -    -    *    (0
a    0    1    Lee  -    -    -    -    -    -    *    0)
a    0    2    slept     -    -    -    -    -    -    *    -
<BLANKLINE>
#end document
<BLANKLINE>
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from aune.core.corpus import Source
from aune.core.pieces import Boundaries
from aune.core.task import Format
from aune.syntax.edits import Edits
from aune.tasks.coref.formats._cells import Cell, added, new_cells, parsed, parts, removed
from aune.tasks.coref.formats._changes import chain_names, changes, file_order, spliced_documents
from aune.tasks.coref.formats._words import one_line, refuse_crossing, sentence_starts, word_spans, words
from aune.tasks.coref.model import Document, Mention, document

BEGIN = re.compile(r"#\s*begin document\b(.*)", re.IGNORECASE)
END = re.compile(r"#\s*end document\b", re.IGNORECASE)
NAME = re.compile(r"(?:\((.*)\)|([^;]*))[\s;]*(?:part\s*(\S+))?", re.IGNORECASE)
BRACKET = re.compile(r"\(([^()|\s]+)(\)?)|([^()|\s]+)\)")
CELL = re.compile(r"[-_]?|(?:\|*+(?:\([^()|\s]++\)?+|[^()|\s]++\)))++\|*")
GENRE = re.compile(r"(bc|bn|mz|nw|pt|tc|wb)/")
NO_MENTION = frozenset(("-", "_", ""))


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    for part in _parts(source):
        yield _document(source, part)


class _Part(NamedTuple):
    """The lines of one document."""

    id: str
    line: int
    """Where it begins."""
    first: int
    """The number of the first of its lines."""
    lines: Sequence[str]


def _parts(source: Source) -> Iterator[_Part]:
    """The file, cut at the lines that begin and end documents."""
    lines = source.text.split("\n")
    begun: tuple[str, int] | None = None
    first = 0
    marks = [(index, BEGIN.match(line)) for index, line in enumerate(lines) if _is_mark(line)]
    named = any(begin for _, begin in marks)
    for index, begin in [*marks, (len(lines), None)]:
        if begun:
            yield _Part(*begun, source.line(first + 1), lines[first:index])
        elif any(map(str.strip, lines[first:index])) and named:
            _tell_outside(source, lines, first, index)
        elif any(map(str.strip, lines[first:index])):
            yield _Part(source.stem, 1, source.line(first + 1), lines[first:index])
        begun = (document_id(begin[1]) or source.stem, source.line(index + 1)) if begin else None
        first = index + 1


def _is_mark(line: str) -> bool:
    return line[:1] == "#" and bool(BEGIN.match(line) or END.match(line))


def _tell_outside(source: Source, lines: Sequence[str], first: int, end: int) -> None:
    stray = [index for index in range(first, end) if lines[index].strip() and lines[index][0] != "#"]
    if stray:
        what = f"found {lines[stray[0]].strip()[:40]!r} outside a document, expected '#begin document (name)' before it"
        source.problem(source.line(stray[0] + 1), 1, f"{what}: add the line, or remove what is outside")


def document_id(title: str) -> str:
    """The name of a document from what follows `#begin document`.

    >>> document_id(" (a (draft) ); part 000"), document_id("(a); part 0012"), document_id("(a);")
    ('a (draft)', 'a; part 12', 'a')
    """
    found = NAME.match(title.strip())
    name, bare, part = found.groups() if found else (title, None, None)
    name = (name if name is not None else bare or "").strip()
    number = int(part) if part and part.isascii() and part.isdigit() and len(part) < 19 else part
    return f"{name}; part {number}" if number else name


def _document(source: Source, part: _Part) -> Document:
    tokens: list[str] = []
    sentences: list[int] = []
    brackets = _Brackets(source, part)
    for number, line, cells, at_start in _rows(source, part):
        cell = cells[-1]
        if at_start:
            sentences.append(len(tokens))
        if cell not in NO_MENTION:
            brackets.read(number, line, cell.strip(), len(tokens))
        tokens.append(cells[3] if len(cells) > 4 else cells[-2])
    genre = GENRE.match(part.id)
    return document(
        part.id, brackets.mentions(), tokens=tokens, sentences=sentences, path=source.name, line=part.line,
        attributes={"genre": genre[1]} if genre else {},
    )  # fmt: skip


def _rows(source: Source, part: _Part) -> Iterator[tuple[int, str, Sequence[str], bool]]:
    """The lines of tokens: number, text, columns, and whether a sentence begins."""
    at_start = True
    width, like = 0, ""
    for number, line in enumerate(part.lines, part.first):
        cells = line.split("\t") if "\t" in line else line.split()
        cell = cells[-1] if cells else ""
        if not cell:
            if not line or line.isspace():
                at_start = True
                continue
            width = width or _width(part.lines)
            cells = cells[:width]
        if line[0] == "#":
            like = like or _first_row(part.lines)
            if _is_comment(cells, line, like):
                continue
        if len(cells) < 2:
            what = f"found the one column {cells[-1][:40]!r}, expected a token and its mentions"
            source.problem(number, 1, f"{what}: add the missing columns, '-' is no mention")
            continue
        yield number, line, cells, at_start
        at_start = False


def _width(lines: Sequence[str]) -> int:
    """How many columns a document has whose cells may be empty: as many as the lines that end in a full one."""
    full = (line for line in lines if "\t" in line and line[0] != "#" and line[-1] != "\t")
    found = next((line.count("\t") + 1 for line in full), 0)
    return found or next((line.count("\t") for line in lines if "\t" in line and not line.isspace()), 2)


def _first_row(lines: Sequence[str]) -> str:
    return next((line for line in lines if line.strip() and line[0] != "#"), "#\t-")


def _is_comment(cells: Sequence[str], line: str, like: str) -> bool:
    """Whether a line that begins with # is a remark; a token can be #, too, but then in a row like the others."""
    columns = len(like.split("\t")) if "\t" in like else len(like.split())
    return len(cells) != columns or ("\t" in line) != ("\t" in like) or not CELL.fullmatch(cells[-1].strip())


class _Brackets:
    """The mentions of a document while its lines are read, in the order in which they open."""

    def __init__(self, source: Source, part: _Part) -> None:
        self.source = source
        self.part = part
        self.found: list[Mention] = []
        self.open: dict[str, list[int]] = defaultdict(list)
        """The mentions that are open in each chain."""

    def read(self, number: int, line: str, cell: str, token: int) -> None:
        """Open and close the mentions of a cell."""
        if cell in NO_MENTION:
            return
        if not CELL.fullmatch(cell):
            what = f"found the mentions {cell[:40]!r}, expected '-' or brackets such as '(1', '1)', '(1)|(2'"
            self.source.problem(number, line.rfind(cell) + 1, f"{what}: correct the last column")
            return
        for bracket in BRACKET.finditer(cell):
            opened, closed, ended = bracket.groups()
            if opened:
                if not closed:
                    self.open[opened].append(len(self.found))
                self.found.append(Mention(token, token + 1, opened, number))
            elif self.open[ended]:
                last = self.open[ended].pop()
                self.found[last] = self.found[last]._replace(end=token + 1)
            else:
                what = f"found '{ended})' where no mention of chain {ended} is open, expected '({ended}' before it"
                column = line.rfind(cell) + bracket.start() + 1
                self.source.problem(number, column, f"{what}: open the mention or remove the bracket")

    def mentions(self) -> list[Mention]:
        """All the mentions; those still open are a problem."""
        for name, numbers in self.open.items():
            for index in numbers:
                line = self.found[index].line
                column = self.part.lines[line - self.part.first].rfind(f"({name}") + 1
                what = f"found '({name}' that is never closed, expected '{name})' in the same document"
                self.source.problem(line, column, f"{what}: close the mention")
        return self.found


def sniff(head: str) -> bool:
    """Whether there is a `#begin document` line, or else lines that end in brackets or `-`."""
    if re.search(r"^#\s*begin document\b", head, re.MULTILINE | re.IGNORECASE):
        return True
    lines = [line for line in head.split("\n")[:200] if line.strip() and line[0] != "#"]
    rows = [line.split("\t") if "\t" in line else line.split() for line in lines]
    return (
        bool(rows)
        and "global.columns" not in head  # CoNLL-UA
        and not all(len(row) == 10 and row[0][:1].isdigit() for row in rows)  # CoNLL-U
        and all(len(row) > 1 and CELL.fullmatch(row[-1].strip()) for row in rows)
        and any(row[-1].strip() in ("-", "_") for row in rows)
    )


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Tab-separated, in twelve columns, chains numbered from 0 in each document."""
    for found in documents:
        yield "".join(_written(found))


def _written(document: Document) -> Iterator[str]:
    tokens = words(document, "conll2012")
    _refuse_crossing(document)
    cells = new_cells("|")
    for span, chain in zip(word_spans(document), map(str, document.chains.tolist()), strict=True):
        added(cells, *span, chain, chain)
    starts = frozenset(sentence_starts(document))
    name, semicolon, part = document.id.rpartition("; part ")
    name, number = (name, part) if semicolon and part.isdigit() else (document.id, "0")
    title = one_line(name)
    yield f"#begin document ({title}); part {number.zfill(3)}\n"
    column = title.replace(" ", "_") or "-"
    for index, token in enumerate(tokens):
        blank = "\n" if index and index in starts else ""
        cell = cells[index].text() if index in cells else "-"
        yield f"{blank}{column}\t{number}\t{index}\t{one_line(token)}\t-\t-\t-\t-\t-\t-\t*\t{cell}\n"
    yield "\n#end document\n"


def _refuse_crossing(document: Document) -> None:
    spans = zip(word_spans(document), document.chains.tolist(), strict=True)
    refuse_crossing(document, ((*span, chain) for span, chain in spans), "conll2012")


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The file with other mentions in its last column."""
    edits = Edits(source)
    begins = [0, *(match.end() for match in re.finditer("\n", source.text))]
    for part, (before, after) in zip(_parts(source), spliced_documents(FORMAT, source, documents), strict=True):
        places: list[tuple[int, str]] = []
        for number, line, columns, _ in _rows(source, part):
            cell = columns[-1].strip()
            column = sum(map(len, columns[:-1])) + len(columns) - 1 if "\t" in line else line.rindex(cell)
            places.append((begins[number - 1] + line.index(cell, column), cell))
        changed = _changed_cells(before, after, [cell for _, cell in places])
        signs = Counter(cell for _, cell in places if cell in NO_MENTION)
        absent = next((sign for sign in ("-", "_") if signs[sign]), "-")
        for token, new in changed.items():
            start, old = places[token]
            edits.replace(start, start + len(old), new.text() or absent)
    return edits.applied()


def _changed_cells(before: Document, after: Document, column: Sequence[str]) -> dict[int, Cell]:
    """The cells that change, by token."""
    _refuse_crossing(after)
    cells = [Cell(parsed(text, BRACKET) if text not in NO_MENTION else [], _joint(text)) for text in column]
    opened = parts(cells, str)
    order = file_order(before)
    change = changes(before, after)
    names = chain_names(before, after, change.chains, re.compile(r"[^()|\s]+"))
    spans, old_spans, numbers = word_spans(after), word_spans(before), after.chains.tolist()
    for old, new in change.pairs:
        was = (old_spans[old], opened[order[old]].name) if old is not None else None
        wanted = (spans[new], names[numbers[new]]) if new is not None else None
        if old is not None and was != wanted:
            removed(cells, [opened[order[old]]])
        if wanted and was != wanted:
            span, name = wanted
            added(cells, *span, name, name)
    return {token: cell for token, cell in enumerate(cells) if cell.touched}


def _joint(cell: str) -> str:
    """What stands between two brackets of a cell."""
    return "" if "|" not in cell and len(BRACKET.findall(cell)) > 1 else "|"


FORMAT = Format(
    read,
    sniff,
    write,
    splice=splice,
    carries=frozenset(("tokens", "sentences", "spans", "singletons")),
    suffixes=(".conll", "_conll", ".key", ".response"),
    boundaries=Boundaries((b"#begin document",)),
)
