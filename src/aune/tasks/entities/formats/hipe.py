"""The TSV of the HIPE campaigns: a header, a line per token, several columns of IOB tags, comments that name documents.

    TOKEN	NE-COARSE-LIT	NE-COARSE-METO	NE-FINE-LIT	…	MISC
    # hipe2022:document_id = lestragdies_0064
    Euripide	B-pers	O	B-pers.author	…	EndOfSentence

`--columns` says which columns' entities count (NE-COARSE-LIT unless said otherwise), by header or by number from 1;
with several, all their entities are taken together, nested or over the same text as they are. `_` and an empty cell are
O. A sentence ends at a token marked `EndOfSentence` and at blank lines. A row whose token begins with `#` is left out
with a warning, as by the HIPE scorer, which takes it for a comment. `--scheme` and `--repair` are as in the `conll`
format. The entry of a knowledge base that an entity is linked to (NEL-LIT, or NEL-METO for metonymy) is its feature.

Carries tokens, sentences and features.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from aune.contract.format import Boundaries, Format, first_line_length
from aune.errors import Remedy, UsageError
from aune.numeric.arrays import Ints
from aune.reading.source import Source
from aune.syntax.columns import BLANK, COMMENT, ROW, Lines, column_of, kind_of
from aune.syntax.edits import Edits
from aune.syntax.field_roles import FIELD_AMBIGUOUS, SUBJECTS, field_role
from aune.tasks.entities.formats._splicing import Pair, changed_tags, splice_file
from aune.tasks.entities.formats._tag_sequences import evidence_collector, report_bad_tag, report_illegal_tags
from aune.tasks.entities.model import Document, Features, Span, make_document
from aune.tasks.entities.tags import DecodedTags, Repair, Scheme, decode_tags, tag_numbers
from aune.typologies.typology import TypologyName

Columns: TypeAlias = Annotated[
    tuple[str, ...], "the columns with the entities to take, by their names in the header or by number"
]
DEFAULT_COLUMNS = ("NE-COARSE-LIT",)
NAME = re.compile(r"#\s*(?:[\w-]+:)?document_id\s*=\s*(.*\S)\s*")


NO_LINK = ("", "_", "-", "O")
HASH_ROWS = "rows whose token begins with #"


def _hash_rows_note(counts: Mapping[str, int], line: int) -> str:
    number = counts["rows"]
    rows = f"{number} row{'s' if number > 1 else ''} whose token begins with #"
    return f"{rows} left out, as the HIPE scorer does (first at line {line})"


class DocumentLines(NamedTuple):
    """A document's lines: their numbers and cells."""

    name: str
    line: int
    rows: list[tuple[int, list[str]]]
    breaks: set[int]
    """The rows that a blank line comes before."""


def read(
    source: Source,
    *,
    columns: Columns = DEFAULT_COLUMNS,
    scheme: Scheme = "auto",
    repair: Repair = "conlleval",
    typology: TypologyName = "",
) -> Iterator[Document]:
    header, parts = _parts(source)
    if columns == DEFAULT_COLUMNS and _report_roles(source, header):
        return
    places = [place for name in columns if (place := _place(source, header, name)) is not None]
    layers = [_column_spans(source, parts, header, place, scheme, repair) for place in places]
    base = 0
    for part in parts:
        end = base + len(part.rows)
        spans = [
            span._replace(start=span.start - base, end=span.end - base)
            for layer in layers
            for span in layer[slice(*(bisect_left(layer, bound, key=_start) for bound in (base, end)))]
        ]
        words = [cells[0] for _, cells in part.rows]
        yield make_document(
            part.name, spans, length=len(part.rows), sentences=_sentences(part, len(header)), words=words.copy,
            typology=typology, path=source.name, line=part.line,
        )  # fmt: skip
        base = end


def _report_roles(source: Source, header: Sequence[str]) -> bool:
    """Whether columns of the key or of a response stand beside the usual ones, which is reported."""
    rival = next((name for name in header if field_role(name, SUBJECTS["hipe"])), None)
    if rival is not None:
        usual, choice = DEFAULT_COLUMNS[0], ("columns", "response_columns")
        source.add_problem(
            FIELD_AMBIGUOUS, 1, 1 + len("\t".join(header[: header.index(rival)])) + bool(header.index(rival)),
            found=f"both `{usual}` and `{rival}`", expected="one of them",
            remedies=[Remedy("say which is meant", tuple(zip(choice, (usual, rival), strict=True)))],
        )  # fmt: skip
    return rival is not None


def _place(source: Source, header: Sequence[str], name: str) -> int | None:
    """The place of a column that is named by its header or its number from 1."""
    if name in header:
        return header.index(name)
    if name.isdecimal() and 1 < int(name) <= len(header):
        return int(name) - 1
    source.add_problem(
        "column.unknown", 1, 1,
        found=f"no column {name!r}", expected=f"one of {', '.join(header[1:])}",
        remedies=[Remedy("choose", (("columns", "COLUMN"),))],
    )  # fmt: skip
    return None


def _start(span: Span) -> int:
    return span.start


def _parts(source: Source) -> tuple[list[str], list[DocumentLines]]:
    lines = source.lines()
    _, first = next(lines, (1, ""))
    header = [cell.strip() for cell in first.split("\t")]
    parts = [DocumentLines(source.stem, 2, [], set())]
    for number, line in lines:
        kind = kind_of(line)
        if kind == ROW and line.startswith("#"):
            source.add_note(HASH_ROWS, _hash_rows_note, {"rows": 1}, number)
        elif kind == COMMENT:
            if mark := NAME.fullmatch(line):
                fresh = DocumentLines(mark[1], number, [], set())
                parts = [*parts, fresh] if parts[0].rows or len(parts) > 1 else [fresh]
        elif kind == BLANK:
            parts[-1].breaks.add(len(parts[-1].rows))
        else:
            cells = line.split("\t")
            if len(cells) > len(header):
                source.add_problem(
                    "columns.count",
                    number,
                    1,
                    found=f"{len(cells)} cells",
                    expected=f"{len(header)} as in the header",
                    remedies=["mend the line"],
                )
            parts[-1].rows.append((number, cells + ["_"] * (len(header) - len(cells))))
    return header, parts


def _sentences(part: DocumentLines, width: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    ends = [index + 1 for index, (_, cells) in enumerate(part.rows) if "EndOfSentence" in cells[width - 1]]
    starts = {0, *ends, *part.breaks} - {len(part.rows)}
    return np.asarray(sorted(starts), np.int64)


def _column_spans(
    source: Source, parts: Sequence[DocumentLines], header: Sequence[str], place: int, scheme: str, repair: str
) -> list[Span]:
    """The entities of one column, over the tokens of all documents; they run over sentence ends, mere marks here."""
    rows = [row for part in parts for row in part.rows]
    decoding, tags, codes = _decode_column(parts, place, scheme, repair, evidence_collector(source, header[place]))
    for index in np.flatnonzero(np.isin(codes, decoding.unreadable)).tolist() if decoding.unreadable else ():
        number, cells = rows[index]
        report_bad_tag(source, number, "\t".join(cells), tags[int(codes[index])])
    lines = [number for number, _ in rows]
    report_illegal_tags(source, decoding, repair, lines, tags, codes)
    metonymy = header[place].endswith("METO")
    links = [(number, name) for number, name in enumerate(header) if name == ("NEL-METO" if metonymy else "NEL-LIT")]
    return [
        Span(
            start,
            end,
            decoding.names[label],
            line=lines[start],
            column=column_of(rows[start][1], place),
            features=_link(rows[start][1], links),
        )
        for (start, end), label in zip(decoding.spans.tolist(), decoding.labels.tolist(), strict=True)
    ]


def _link(cells: Sequence[str], columns: Sequence[tuple[int, str]]) -> Features:
    """The entry of a knowledge base that an entity is linked to, in the column beside its own."""
    return tuple((name, cells[number].strip()) for number, name in columns if cells[number].strip() not in NO_LINK)


def _decode_column(
    parts: Sequence[DocumentLines], place: int, scheme: str, repair: str,
    collect_evidence: Callable[[set[str]], Collection[str]] | None = None,
) -> tuple[DecodedTags, list[str], Ints]:  # fmt: skip
    """The entities of a column, its different tags, and the number of each token's tag."""
    cells = [row[place].strip() or "_" for part in parts for _, row in part.rows]
    tags, codes = tag_numbers(cells, len(cells))
    base, breaks = 0, {0}
    for part in parts:
        breaks |= {base, *(base + index for index in part.breaks)}
        base += len(part.rows)
    return decode_tags(codes, tags, np.asarray(sorted(breaks), np.int64), scheme, repair, collect_evidence), tags, codes


def sniff(head: str) -> bool:
    return head.startswith("TOKEN\t")


def splice(
    source: Source,
    documents: Sequence[Document],
    *,
    columns: Columns = ("NE-COARSE-LIT",),
    scheme: Scheme = "auto",
    repair: Repair = "conlleval",
    typology: TypologyName = "",
) -> bytes:
    """The file with other entities in one of its columns: only the tags that change are written."""
    if len(columns) != 1:
        raise UsageError(f"--columns {' '.join(columns)}: expected one column to put entities into")

    def write_changes(pairs: Sequence[Pair], thorough: bool) -> bytes:
        edits, lines = Edits(source), Lines(source.text)
        header, parts = _parts(source)
        column = _place(source, header, columns[0]) or 0
        used = _decode_column(parts, column, scheme, repair)[0].scheme
        for pair, part in zip(pairs, parts, strict=True):
            for token, tag in changed_tags(pair, used, {0, *part.breaks}, "hipe", thorough):
                edits.replace(*lines.cell(part.rows[token][0], column), tag)
        return edits.apply()

    reading = partial(read, columns=columns, scheme=scheme, repair=repair, typology=typology)
    return splice_file(source, documents, reading, write_changes)


MARKS = tuple(f"# {campaign}document_id".encode() for campaign in ("", "hipe2022:", "hipe2020:"))
FORMAT = Format(read, sniff, carries=frozenset({"tokens", "sentences", "features"}), suffixes=(".tsv",), splice=splice,
                boundaries=Boundaries(MARKS, header=first_line_length))  # fmt: skip
