"""Columns of tokens and tags, one token per line, a blank line after each sentence (CoNLL-2002, CoNLL-2003, WNUT…).

    U.N.      NNP  I-NP  I-ORG
    official  NN   I-NP  O

Columns are separated by tabs where the first line has one, and by blanks otherwise. The tag stands in the last column;
`--column` names another one, by number (from 1, or from the end with -1, -2…) or by its name when the first line is a
header. Where two columns have tags with the same labels, such as gold and predicted ones, it must be named.
Tags are in IOB1, IOB2, IOE1, IOE2, BIOES or BILOU; the scheme is detected and reported, or forced with `--scheme`.
`--repair` says what happens to entities with illegal tag sequences: `conlleval` (an orphan I- starts an entity),
`discard` or `error`. Lines that begin with `-DOCSTART-` or `# newdoc id = NAME` begin a document; other lines that
begin with `#` and hold no tag are comments.

Carries tokens and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.contract.format import SENTENCE_ENDS, Boundaries, Format
from aune.errors import UsageError
from aune.numeric.arrays import Ints, Numbering
from aune.reading.source import Source
from aune.syntax import columns
from aune.syntax.columns import column_of
from aune.syntax.edits import Edits
from aune.tasks.entities.formats._splicing import Pair, changed_tags, splice_file
from aune.tasks.entities.formats._tag_sequences import (
    evidence_collector,
    report_bad_tag,
    report_illegal_tags,
    report_rival_columns,
)
from aune.tasks.entities.formats._writing import one_line, over_words, refuse, sentence_starts, tokens_of
from aune.tasks.entities.model import Document, Tags, document_from_columns
from aune.tasks.entities.tags import OUTSIDE, PREFIXES, Repair, Scheme, decode_tags
from aune.typologies.typology import TypologyName

TagColumn: TypeAlias = Annotated[str, "the column with the tags: a number, negative from the end, or a header's name"]
BLOCK_SIZE = 2_000_000  # characters split into lines at once: enough for speed, few enough for memory
BLANK = "\n"  # stands for the tag of a blank line, which no line can have
LAST = "-1"
HEAD_SIZE = 100_000  # characters that show what the columns are
SNIFF_SIZE = 10_000  # characters are enough to see columns
MAX_TAG_BYTES = 64  # bytes of a tag; files with longer cells are read the slow way
NEWLINE, TAB, SPACE = b"\n\t "
FACTOR = np.uint64(0x9E3779B97F4A7C15)
MARKS = ("-DOCSTART-", "# newdoc")
DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id)?\s*=\s*(.+)|-DOCSTART-\s*(?:\((.+?)\))?.*")


def read(
    source: Source,
    *,
    column: TagColumn = LAST,
    scheme: Scheme = "auto",
    repair: Repair = "conlleval",
    typology: TypologyName = "",
) -> Iterator[Document]:
    text = source.text.rstrip("\n")
    if not text and not source.is_piece:
        return
    where = _locate_tags(text, column)
    if column == LAST and report_rival_columns(source, _first_cells(text, where.separator), 1):
        return
    separators = source.survey.ask(f"separators in {source.name}", {where.separator or " "} if text else ())
    source.is_standalone &= len(separators) < 2 and not (where.header and source.is_piece)
    rows = _rows(text, where)
    table = _classify_lines(source, rows, where.header, scheme, text)
    source.raise_problems()
    decoding = decode_tags(table.codes, rows.tags, table.sentences, scheme, repair, evidence_collector(source))
    report_illegal_tags(source, decoding, repair, table.lines, rows.tags, table.codes)
    if scheme == "auto" and decoding.scheme != "IOB2":
        source.warn(f"the tags are in {decoding.scheme}")
    words = Words(text, where.separator, table.skipped)
    cells = tuple(rows.tags)
    names = [(name or source.stem, line) for name, _, line in table.documents]
    bounds = [first for _, first, _ in table.documents] + [len(table.codes)]
    within = not table.documents[0].line
    for (name, line), (start, end) in zip(names, pairwise(bounds), strict=True):
        inside = slice(*np.searchsorted(decoding.spans[:, 0], [start, end]).tolist())
        sentences = slice(*np.searchsorted(table.sentences, [start, end]).tolist())
        yield document_from_columns(
            name,
            decoding.spans[inside] - start,
            decoding.labels[inside],
            decoding.names,
            length=end - start,
            sentences=table.sentences[sentences] - start,
            words=partial(words.between, start, end),
            tags=Tags(table.codes[start:end], cells),
            lines=table.lines[decoding.spans[inside, 0]],
            columns=_tag_columns(text, table.rows[decoding.spans[inside, 0]], where) if typology else None,
            typology=typology,
            path=source.name,
            line=line or (int(table.lines[start]) if start < len(table.lines) else 1),
            sentences_before=source.documents_before if within else 0,
        )


def _first_cells(text: str, separator: str | None) -> list[list[str]]:
    """The cells of the first lines, without comments and the marks of documents."""
    lines = text[:HEAD_SIZE].split("\n")[: None if len(text) <= HEAD_SIZE else -1]
    return [line.split(separator) for line in lines if line.strip() and not line.startswith(("#", *MARKS))]


def _tag_columns(text: str, lines: Ints, where: TagPosition) -> Ints:
    """Where the tag stands in each of these lines: `aune validate` says so when a typology does not know a label."""
    cells = [re.split(r"\t" if where.separator else r"\s", line) for line in _lines_at(text, lines)]
    return np.asarray([column_of(row, _tag_cell(row, where)) for row in cells], np.int64)


def _tag_cell(cells: list[str], where: TagPosition) -> int:
    """The place of the tag among cells parted by single characters, where several blanks in a row part only once."""
    return where.place if where.separator else [i for i, cell in enumerate(cells) if cell][where.place]


class TagPosition(NamedTuple):
    """How to find the tag in a line."""

    separator: str | None
    place: int
    header: bool


def _locate_tags(text: str, column: str) -> TagPosition:
    """The separator and the number of the tag column, from the first line with content."""
    lines = [line for line in text[:HEAD_SIZE].split("\n") if line.strip()]
    first = next((line for line in lines if not line.startswith("#")), "") or _hash_token(lines)
    separator = "\t" if "\t" in first else None
    cells = first.split(separator)
    if re.fullmatch(r"-?\d+", column):
        number = int(column)
        if number == 0:
            raise UsageError("--column 0: expected a number from 1, or a negative one from the end")
        return TagPosition(separator, number - 1 if number > 0 else number, False)
    if column not in cells:
        raise UsageError(f"--column {column}: expected a number, or a name in the first line ({', '.join(cells)})")
    return TagPosition(separator, cells.index(column), True)


def _hash_token(lines: Sequence[str]) -> str:
    """The first line of a token that begins with `#`, between tabs, where there are only such lines and comments."""
    return next((line for line in lines if "\t" in line and _is_tag(line.rpartition("\t")[2].strip(), "")), "")


class Rows(NamedTuple):
    """Every line of a file as the number of its tag; 0 for a blank line."""

    codes: Ints
    tags: list[str]


def _rows(text: str, where: TagPosition) -> Rows:
    numbers = Numbering({BLANK: 0})
    blocks = [_block_codes(block, where, numbers) for block in _blocks(text)]
    return Rows(np.concatenate(blocks) if blocks else np.zeros(0, np.int32), list(numbers))


def _blocks(text: str) -> Iterator[str]:
    """The text in pieces of whole lines."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + BLOCK_SIZE)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _block_codes(block: str, where: TagPosition, numbers: Numbering[str]) -> NDArray[np.int32]:
    if where.place == -1:
        codes = last_cells(block.encode(), where.separator, numbers)
        if codes is not None:
            return codes
    lines = block.split("\n")
    tags = [_cell(line.split(where.separator), where.place) if line.strip() else BLANK for line in lines]
    return np.fromiter(map(numbers.__getitem__, tags), np.int32, len(lines))


def _cell(cells: list[str], place: int) -> str:
    return cells[place].strip() if -len(cells) <= place < len(cells) else ""


def last_cells(data: bytes, separator: str | None, numbers: Numbering[str]) -> NDArray[np.int32] | None:
    """The number of the last cell of every line, without a Python object per line; None where blanks end a line.

    A cell is known by a 64-bit number made from its bytes, and its text looked up once for each number.
    """
    raw = np.frombuffer(data, np.uint8)
    ends = np.append(np.flatnonzero(raw == NEWLINE), len(raw))
    starts = np.append(0, ends[:-1] + 1)
    gaps = np.flatnonzero(raw == TAB) if separator else np.flatnonzero((raw == TAB) | (raw == SPACE))
    last = np.append(-1, gaps)[np.searchsorted(gaps, ends)]
    first = np.maximum(last + 1, starts)
    length = ends - first
    full = ends > starts
    if (length > MAX_TAG_BYTES).any() or (full & (length == 0)).any() or _blank_at_end(raw, ends[full]):
        return None
    short = np.where(full, raw[np.minimum(first, len(raw) - 1)], 0) if len(raw) else np.zeros(1, np.uint8)
    if (full & (short == 0)).any():
        return None
    lookup = np.zeros(256, np.int32)  # a cell of one character (O, most of the time) is its own number; 0: a blank line
    is_short = length <= 1
    for byte in np.flatnonzero(np.bincount(short[is_short], minlength=256)).tolist():
        lookup[byte] = numbers[chr(byte) if byte else BLANK]
    codes = lookup[short]
    long = rest = np.flatnonzero(~is_short)
    code = np.zeros(len(ends), np.uint64)
    for step in range(MAX_TAG_BYTES):
        code[rest] = (code[rest] + raw[first[rest] + step] + np.uint64(1)) * FACTOR
        rest = rest[length[rest] > step + 1]
        if not len(rest):
            break
    _, place, inverse = np.unique(code[long], return_index=True, return_inverse=True)
    texts = [data[first[line] : ends[line]].decode() for line in long[place].tolist()]
    codes[long] = np.asarray([numbers[text] for text in texts], np.int32)[inverse]
    return codes


def _blank_at_end(raw: NDArray[np.uint8], ends: Ints) -> bool:
    closing = raw[ends - 1]
    return bool(((closing == SPACE) | (closing == TAB)).any())


class DocumentStart(NamedTuple):
    """The beginning of a document: its name, its first token, and the line that says so (0 where none does)."""

    name: str
    first: int
    line: int = 0


class Tokens(NamedTuple):
    """The tokens among the lines."""

    codes: Ints
    rows: Ints
    """The line of each token in the text, from 0."""
    lines: Ints
    """The line of each token in the file, from 1."""
    sentences: Ints
    """The first token of each sentence."""
    documents: list[DocumentStart]
    skipped: Ints
    """The lines, from 0, that are no tokens."""


def _classify_lines(source: Source, rows: Rows, header: bool, scheme: str, text: str) -> Tokens:
    """Tokens apart from blank lines, comments and document starts; what is none of them is a problem."""
    odd = np.asarray([not _is_tag(tag, scheme) for tag in rows.tags], bool)
    token = ~odd[rows.codes] if len(rows.codes) else np.zeros(0, bool)
    suspect = np.flatnonzero(~token & (rows.codes > 0))
    if "-DOCSTART-" in text:  # its cells may look like a token's
        suspect = np.flatnonzero(rows.codes > 0)
    suspects = [
        (number, line)
        for number, line in zip(suspect.tolist(), _lines_at(text, suspect), strict=True)
        if not token[number] or line.startswith("-DOCSTART-")
    ]
    starts: list[tuple[str, int]] = []
    for index, line in suspects:
        if mark := DOCUMENT.fullmatch(line.rstrip()):
            starts.append((mark[1] or mark[2] or "", index))
            token[index] = False
            source.is_standalone &= line.startswith(MARKS)  # else the numbers of documents are not known
        elif not line.startswith("#") and not (header and index == suspects[0][0]):
            report_bad_tag(source, source.file_line(index + 1), line, rows.tags[int(rows.codes[index])])
    token_rows = np.flatnonzero(token)
    first = np.ones(len(token_rows), bool)
    first[1:] = np.diff(token_rows) > 1
    return Tokens(
        rows.codes[token_rows].astype(np.int64),
        token_rows,
        np.fromiter(source.line_numbers(len(rows.codes)), np.int64, len(rows.codes))[token_rows],
        np.flatnonzero(first),
        _documents(source, starts, token_rows),
        np.flatnonzero(~token),
    )


def _documents(source: Source, starts: Sequence[tuple[str, int]], token_rows: Ints) -> list[DocumentStart]:
    """The documents with their first token; those between two marks without a token are still documents."""
    if not starts:
        return [DocumentStart("", 0)]
    numbered = source.number_records((source.file_line(row + 1), name) for name, row in starts)
    named = [
        DocumentStart(name or str(number), int(np.searchsorted(token_rows, row)), line)
        for (number, line, name), (_, row) in zip(numbered, starts, strict=True)
    ]
    return named if named[0].first == 0 else [DocumentStart("0", 0), *named]


def _is_tag(tag: str, scheme: str) -> bool:
    if tag in OUTSIDE:
        return True
    prefix, dash, label = tag.partition("-")
    return (prefix in PREFIXES and bool(label or not dash)) or (scheme == "IO" and tag != "")


def _lines_at(text: str, numbers: Ints) -> list[str]:
    """Some lines of a text by their numbers from 0, in order."""
    if not len(numbers):
        return []
    selected: list[str] = []
    base = taken = 0
    for block in _blocks(text):
        lines = block.split("\n")
        end = int(np.searchsorted(numbers, base + len(lines)))
        selected += [lines[number - base] for number in numbers[taken:end].tolist()]
        base, taken = base + len(lines), end
    return selected


@dataclass(frozen=True)
class Words:
    """The tokens of a file, split from its lines when somebody wants to see them."""

    text: str
    separator: str | None
    skipped: Ints

    def between(self, start: int, end: int) -> list[str]:
        return self._all[start:end]

    @cached_property
    def _all(self) -> list[str]:
        gone = set(self.skipped.tolist())
        lines = (line for number, line in enumerate(self.text.split("\n")) if number not in gone)
        return [(line.split(self.separator, 1) or [""])[0] for line in lines]


def sniff(head: str) -> bool:
    """Lines of the same number of cells, the last one O or a tag."""
    start = head[:SNIFF_SIZE]
    lines = [
        line for line in start.split("\n")[:-1] or [start] if line.strip() and not line.startswith(("#", "-DOCSTART-"))
    ]
    cells = [line.split("\t" if "\t" in lines[0] else None) for line in lines[:200]]
    good = sum(1 for row in cells if len(row) > 1 and _is_tag(row[-1].strip(), ""))
    return (
        bool(cells)
        and good >= 0.8 * len(cells)
        and lines[0].split("\t")[0] != "TOKEN"
        and not head.startswith("#FORMAT=WebAnno")
    )


def write(documents: Iterable[Document]) -> Iterator[str]:
    """IOB2, tab-separated; of nested spans the outermost. A sentence end inside an entity is left out."""
    for document in documents:
        yield f"# newdoc id = {one_line(document.id, 'conll', 'name', document)}\n"
        document = over_words(document, "conll")
        tokens = tokens_of(document, "conll")
        tags = ["O"] * document.length
        reach = 0
        for start, end, label in document.triples():
            if start >= reach:
                one_line(label, "conll", "label", document)
                tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
                reach = end
        breaks = sentence_starts(document)
        for place, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
            if token.startswith("-DOCSTART-") or token != one_line(token, "conll", "token", document):
                refuse("conll", f"the token {token!r}, which begins a document there", document)
            yield ("\n" if place in breaks and tag[0] != "I" else "") + f"{token}\t{tag}\n"
        yield "\n"


def splice(
    source: Source,
    documents: Sequence[Document],
    *,
    column: TagColumn = LAST,
    scheme: Scheme = "auto",
    repair: Repair = "conlleval",
    typology: TypologyName = "",
) -> bytes:
    """The file with other entities: only the tags that change are written, in the scheme of the file."""

    def write_changes(pairs: Sequence[Pair], thorough: bool) -> bytes:
        text, edits = source.text.rstrip("\n"), Edits(source)
        where = _locate_tags(text, column)
        rows, lines = _rows(text, where), columns.Lines(text)
        table = _classify_lines(source, rows, where.header, scheme, text)
        used = decode_tags(table.codes, rows.tags, table.sentences, scheme, repair).scheme
        breaks = set(table.sentences.tolist())
        for pair, (_, first, _) in zip(pairs, table.documents, strict=True):
            for token, tag in changed_tags(pair, used, {place - first for place in breaks}, "conll", thorough):
                edits.replace(*_cell_at(lines, int(table.lines[first + token]), where), tag)
        return edits.apply()

    reading = partial(read, column=column, scheme=scheme, repair=repair, typology=typology)
    return splice_file(source, documents, reading, write_changes)


def _cell_at(lines: columns.Lines, line: int, where: TagPosition) -> tuple[int, int]:
    """Where the tag of a line stands in the text."""
    text = lines.lines[line - 1]
    cells = text.split("\t") if where.separator else re.split(r"\s", text)
    place = _tag_cell(cells, where) % len(cells)
    start = lines.starts[line - 1] + column_of(cells, place) - 1 + len(cells[place]) - len(cells[place].lstrip())
    return start, start + len(cells[place].strip())


CARRIES = frozenset({"tokens", "sentences"})
BOUNDARIES = Boundaries(tuple(mark.encode() for mark in MARKS), part_marks=SENTENCE_ENDS)
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".conll", ".iob", ".bio"), splice=splice,
                boundaries=BOUNDARIES)  # fmt: skip
