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
others are not kept. In files with the columns of CoNLL-U or SemEval under `#begin document`, where the first column is
the word's number and the third is not a number, the second holds the token. No mention is `-`, `_` or nothing. `(1`
opens a mention of chain 1, `1)` closes the one opened last in that chain, `(1)` does both; several are joined by `|` or
by nothing. Chain names are made of anything but `(`, `)`, `|` and blanks. A blank line ends a sentence but not a
mention. A tab after the last column is allowed, `#end document` may be missing, and a file without `#begin document` is
one document, named as the file.

A document is named `name` when its part is 0, 000 or not given, and `name; part 1` for part 1 (or 001) and so on. The
genre is known when the name begins with one of OntoNotes's (`nw/…`).

Source: Pradhan et al. 2012, CoNLL-2012 shared task; the variants are those of real files.

>>> from aune.reading.corpus import Source
>>> [found] = read(Source("a.conll", b"#begin make_document (a); part 0\nAnn (1\nLee 1)\nslept -\n"))
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

from aune.contract.format import Boundaries, Format
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.tasks.coref.formats._bracket_cells import (
    Cell,
    add_brackets,
    mention_parts,
    new_cells,
    parse_brackets,
    remove_brackets,
)
from aune.tasks.coref.formats._changes import chain_names, changes, file_order, spliced_documents
from aune.tasks.coref.formats._tokenization import (
    document_words,
    refuse_crossing,
    sentence_starts,
    single_line,
    word_spans,
)
from aune.tasks.coref.model import Document, Mention, make_document

BEGIN = re.compile(r"#\s*begin document\b(.*)", re.IGNORECASE)
END = re.compile(r"#\s*end document\b", re.IGNORECASE)
NAME = re.compile(r"(?:\((.*)\)|([^;]*))[\s;]*(?:part\s*(\S+))?", re.IGNORECASE)
BRACKET = re.compile(r"\(([^()|\s]+)(\)?)|([^()|\s]+)\)")
CELL = re.compile(r"[-_]?|(?:\|*+(?:\([^()|\s]++\)?+|[^()|\s]++\)))++\|*")
GENRE = re.compile(r"(bc|bn|mz|nw|pt|tc|wb)/")
NUMBER = re.compile(r"\d+(?:[-.]\d+)?")
NO_MENTION = frozenset(("-", "_", ""))


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    for part in _cut_documents(source):
        yield _document(source, part)


class _DocumentLines(NamedTuple):
    """The lines of one document."""

    id: str
    line: int
    """Where it begins."""
    first: int
    """The number of the first of its lines."""
    lines: Sequence[str]


def _cut_documents(source: Source) -> Iterator[_DocumentLines]:
    """The file, cut at the lines that begin and end documents."""
    lines = source.text.split("\n")
    current: tuple[str, int] | None = None
    first = 0
    marks = [(index, BEGIN.match(line)) for index, line in enumerate(lines) if _is_mark(line)]
    named = any(begin for _, begin in marks)
    for index, begin in [*marks, (len(lines), None)]:
        if current:
            yield _DocumentLines(*current, source.file_line(first + 1), lines[first:index])
        elif any(map(str.strip, lines[first:index])) and named:
            _report_outside(source, lines, first, index)
        elif any(map(str.strip, lines[first:index])):
            yield _DocumentLines(source.stem, 1, source.file_line(first + 1), lines[first:index])
        current = (document_id(begin[1]) or source.stem, source.file_line(index + 1)) if begin else None
        first = index + 1


def _is_mark(line: str) -> bool:
    return line[:1] == "#" and bool(BEGIN.match(line) or END.match(line))


def _report_outside(source: Source, lines: Sequence[str], first: int, end: int) -> None:
    stray = [index for index in range(first, end) if lines[index].strip() and lines[index][0] != "#"]
    if stray:
        source.add_problem(
            "line.outside-document",
            source.file_line(stray[0] + 1),
            1,
            found=f"{lines[stray[0]].strip()[:40]!r} outside a document",
            expected="'#begin document (name)' before it",
            remedies=["add the line, or remove what is outside"],
        )


def document_id(title: str) -> str:
    """The name of a document from what follows `#begin document`.

    >>> document_id(" (a (draft) ); part 000"), document_id("(a); part 0012"), document_id("(a);")
    ('a (draft)', 'a; part 12', 'a')
    """
    match = NAME.match(title.strip())
    name, bare, part = match.groups() if match else (title, None, None)
    name = (name if name is not None else bare or "").strip()
    number = int(part) if part and part.isascii() and part.isdigit() and len(part) < 19 else part
    return f"{name}; part {number}" if number else name


def _document(source: Source, part: _DocumentLines) -> Document:
    tokens: list[str] = []
    sentences: list[int] = []
    brackets = _BracketReader(source, part)
    for number, line, cells, at_start in _rows(source, part):
        cell = cells[-1]
        if at_start:
            sentences.append(len(tokens))
        if cell not in NO_MENTION:
            brackets.read(number, line, cell.strip(), len(tokens))
        tokens.append(cells[_word_column(cells)])
    genre = GENRE.match(part.id)
    return make_document(
        part.id, brackets.mentions(), tokens=tokens, sentences=sentences, path=source.name, line=part.line,
        attributes={"genre": genre[1]} if genre else {},
    )  # fmt: skip


def _word_column(cells: Sequence[str]) -> int:
    """The place of the token: the fourth, or the second in rows that begin with their number, as in CoNLL-U.

    >>> _word_column("d 0 3 Ann NNP (1)".split()), _word_column("4 Ann Ann PROPN (1)".split())
    (3, 1)
    """
    if len(cells) <= 4:
        return -2
    return 1 if NUMBER.fullmatch(cells[0]) and not NUMBER.fullmatch(cells[2]) else 3


def _rows(source: Source, part: _DocumentLines) -> Iterator[tuple[int, str, Sequence[str], bool]]:
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
            source.add_problem(
                "columns.missing",
                number,
                1,
                found=f"the one column {cells[-1][:40]!r}",
                expected="a token and its mentions",
                remedies=["add the missing columns, '-' is no mention"],
            )
            continue
        yield number, line, cells, at_start
        at_start = False


def _width(lines: Sequence[str]) -> int:
    """How many columns a document has whose cells may be empty: as many as the lines that end in a full one."""
    full = (line for line in lines if "\t" in line and line[0] != "#" and line[-1] != "\t")
    width = next((line.count("\t") + 1 for line in full), 0)
    return width or next((line.count("\t") for line in lines if "\t" in line and not line.isspace()), 2)


def _first_row(lines: Sequence[str]) -> str:
    return next((line for line in lines if line.strip() and line[0] != "#"), "#\t-")


def _is_comment(cells: Sequence[str], line: str, like: str) -> bool:
    """Whether a line that begins with # is a remark; a token can be #, too, but then in a row like the others."""
    columns = len(like.split("\t")) if "\t" in like else len(like.split())
    return len(cells) != columns or ("\t" in line) != ("\t" in like) or not CELL.fullmatch(cells[-1].strip())


class _BracketReader:
    """The mentions of a document while its lines are read, in the order in which they open."""

    def __init__(self, source: Source, part: _DocumentLines) -> None:
        self.source = source
        self.part = part
        self.opened_mentions: list[Mention] = []
        self.open: dict[str, list[int]] = defaultdict(list)
        """The mentions that are open in each chain."""

    def read(self, number: int, line: str, cell: str, token: int) -> None:
        """Open and close the mentions of a cell."""
        if cell in NO_MENTION:
            return
        if not CELL.fullmatch(cell):
            self.source.add_problem(
                "mention.malformed",
                number,
                line.rfind(cell) + 1,
                found=f"the mentions {cell[:40]!r}",
                expected="'-' or brackets such as '(1', '1)', '(1)|(2'",
                remedies=["correct the last column"],
            )
            return
        for bracket in BRACKET.finditer(cell):
            opened, closed, ended = bracket.groups()
            if opened:
                if not closed:
                    self.open[opened].append(len(self.opened_mentions))
                self.opened_mentions.append(Mention(token, token + 1, opened, number))
            elif self.open[ended]:
                last = self.open[ended].pop()
                self.opened_mentions[last] = self.opened_mentions[last]._replace(end=token + 1)
            else:
                self.source.add_problem(
                    "mention.unopened",
                    number,
                    line.rfind(cell) + bracket.start() + 1,
                    found=f"'{ended})' where no mention of chain {ended} is open",
                    expected=f"'({ended}' before it",
                    remedies=["open the mention or remove the bracket"],
                )

    def mentions(self) -> list[Mention]:
        """All the mentions; those still open are a problem."""
        for name, numbers in self.open.items():
            for index in numbers:
                line = self.opened_mentions[index].line
                column = self.part.lines[line - self.part.first].rfind(f"({name}") + 1
                self.source.add_problem(
                    "mention.unclosed",
                    line,
                    column,
                    found=f"'({name}' that is never closed",
                    expected=f"'{name})' in the same document",
                    remedies=["close the mention"],
                )
        return self.opened_mentions


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
    for document in documents:
        yield "".join(_format_document(document))


def _format_document(document: Document) -> Iterator[str]:
    tokens = document_words(document, "conll2012")
    _refuse_crossing(document)
    cells = new_cells("|")
    for span, chain in zip(word_spans(document), map(str, document.chains.tolist()), strict=True):
        add_brackets(cells, *span, chain, chain)
    starts = frozenset(sentence_starts(document))
    name, semicolon, part = document.id.rpartition("; part ")
    name, number = (name, part) if semicolon and part.isdigit() else (document.id, "0")
    title = single_line(name)
    yield f"#begin document ({title}); part {number.zfill(3)}\n"
    column = title.replace(" ", "_") or "-"
    for index, token in enumerate(tokens):
        blank = "\n" if index and index in starts else ""
        cell = cells[index].text() if index in cells else "-"
        yield f"{blank}{column}\t{number}\t{index}\t{single_line(token)}\t-\t-\t-\t-\t-\t-\t*\t{cell}\n"
    yield "\n#end document\n"


def _refuse_crossing(document: Document) -> None:
    spans = zip(word_spans(document), document.chains.tolist(), strict=True)
    refuse_crossing(document, ((*span, chain) for span, chain in spans), "conll2012")


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The file with other mentions in its last column."""
    edits = Edits(source)
    begins = [0, *(match.end() for match in re.finditer("\n", source.text))]
    for part, (before, after) in zip(_cut_documents(source), spliced_documents(FORMAT, source, documents), strict=True):
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
    return edits.apply()


def _changed_cells(before: Document, after: Document, column: Sequence[str]) -> dict[int, Cell]:
    """The cells that change, by token."""
    _refuse_crossing(after)
    cells = [Cell(parse_brackets(text, BRACKET) if text not in NO_MENTION else [], _separator(text)) for text in column]
    opened = mention_parts(cells, str)
    order = file_order(before)
    change = changes(before, after)
    names = chain_names(before, after, change.chains, re.compile(r"[^()|\s]+"))
    spans, old_spans, numbers = word_spans(after), word_spans(before), after.chains.tolist()
    for old, new in change.pairs:
        old_mention = (old_spans[old], opened[order[old]].name) if old is not None else None
        new_mention = (spans[new], names[numbers[new]]) if new is not None else None
        if old is not None and old_mention != new_mention:
            remove_brackets(cells, [opened[order[old]]])
        if new_mention and old_mention != new_mention:
            span, name = new_mention
            add_brackets(cells, *span, name, name)
    return {token: cell for token, cell in enumerate(cells) if cell.is_changed}


def _separator(cell: str) -> str:
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
