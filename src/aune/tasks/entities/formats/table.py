"""Tables of words with tags, as spreadsheets save them: comma- or semicolon-separated values, a word per row.

    Sentence #,Word,POS,Tag
    Sentence: 1,Laurent,NNP,B-pers
    ,Blanc,NNP,I-pers

The word stands in the column `Word` (or `Token`, `Form`, `Text`), in the first one where none is called so; the tag in
the last column, or in the one that `--column` names: `--column Gold --response-column System` scores a table with both,
which is refused without these options.
A row that is empty, or another value in the column `Sentence`, begins a sentence; a value in the column `Document`
begins a document. Schemes and repairs are those of `conll`.

Carries tokens and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aune.contract.format import Format
from aune.errors import Remedy
from aune.reading.python_inputs import NAME_FIELDS, SENTENCE_COLUMNS
from aune.reading.source import Source
from aune.syntax.field_roles import SUBJECTS, choose_field
from aune.syntax.tables import Row, delimiter, rows
from aune.tasks.entities.formats._tag_sequences import (
    COLUMN_AMBIGUOUS,
    TaggedText,
    documents_of,
    report_rival_columns,
)
from aune.tasks.entities.formats.conll import LAST, TagColumn
from aune.tasks.entities.model import Document
from aune.tasks.entities.python_inputs import TAG, WORD, is_tag
from aune.tasks.entities.tags import Repair, Scheme
from aune.typologies.typology import TypologyName


class TableColumns(NamedTuple):
    """The columns of a table; None for one that it does not have."""

    word: int
    tag: int
    sentence: int | None
    document: int | None
    width: int


def read(
    source: Source,
    *,
    column: TagColumn = LAST,
    scheme: Scheme = "auto",
    repair: Repair = "conlleval",
    typology: TypologyName = "",
) -> Iterator[Document]:
    yield from documents_of(source, _texts(source, column), scheme, repair, typology)


def _texts(source: Source, column: str) -> list[TaggedText]:
    table = rows(source)
    header = [cell.strip() for cell in next(table, Row(1, [])).cells]
    if column == LAST and _report_roles(source, header):
        return []
    places = _find_columns(source, header, column)
    if places is None:
        return []
    texts: list[TaggedText] = []
    names = {"document": "", "sentence": ""}
    fresh = True  # whether the next word begins a sentence
    for line, row in table:
        if not any(cell.strip() for cell in row):
            fresh = True
            continue
        if len(row) != places.width:
            source.add_problem(
                "columns.count",
                line,
                1,
                found=f"a row of {len(row)}",
                expected=f"the {places.width} cells of the header",
                remedies=["quote text with separators"],
            )
            continue
        for field, place in (("sentence", places.sentence), ("document", places.document)):
            value = "" if place is None else row[place].strip()
            if value and value != names[field]:
                names[field], fresh = value, True
        name = names["document"] or source.stem
        if not texts or texts[-1].name != name:
            texts.append(TaggedText(name, line, [], [], [], []))
        text = texts[-1]
        if fresh or not text.words:
            text.sentences.append(len(text.words))
        fresh = False
        text.words.append(row[places.word])
        text.tags.append(row[places.tag].strip())
        text.lines.append(line)
    if column == LAST:
        columns = [cells for _, cells in rows(source)][1:]
        report_rival_columns(source, [cells for cells in columns if any(cell.strip() for cell in cells)], 1)
    return texts


def _report_roles(source: Source, header: Sequence[str]) -> bool:
    """Refuse a header that names a column of the key beside one of a response."""
    names = {name.lower(): name for name in header}
    choice = choose_field(names, TAG, SUBJECTS["entities"])
    if choice.rivals is None:
        return False
    columns = [names[name] for name in choice.rivals]
    source.add_problem(
        COLUMN_AMBIGUOUS, 1, 1, found=f"the columns {' and '.join(columns)}", expected="one column of tags",
        remedies=[Remedy("say which is meant", (("column", columns[0]), ("response_column", columns[1])))],
    )  # fmt: skip
    return True


def _find_columns(source: Source, header: Sequence[str], column: str) -> TableColumns | None:
    known = [re.sub(r"\W+", " ", name).strip().lower() for name in header]

    def place(names: Sequence[str]) -> int | None:
        return next((known.index(name) for name in names if name in known), None)

    if re.fullmatch(r"-?[1-9]\d*", column):
        number = int(column)
        tag = number - 1 if number > 0 else len(header) + number
    else:
        tag = header.index(column) if column in header else -1
    if not 0 <= tag < len(header):
        source.add_problem(
            "column.unknown", 1, 1,
            found=f"the columns {', '.join(header)}", expected=column,
            remedies=[Remedy("name the one with the tags", (("column", "COLUMN"),))],
        )  # fmt: skip
        return None
    return TableColumns(place(WORD) or 0, tag, place(SENTENCE_COLUMNS), place(NAME_FIELDS), len(header))


def sniff(head: str) -> bool:
    """A header of several names, no tags among them, and a tag somewhere in the rows below."""
    lines = [line for line in head.split("\n")[:200] if line.strip(' ,;"')]
    cells = [[cell.strip(' "') for cell in line.split(delimiter(head))] for line in lines]
    if len(cells) < 2 or len(cells[0]) < 2 or "\t" in lines[0] or not all(cells[0]) or any(map(is_tag, cells[0])):
        return False
    return head.lstrip()[:1] not in "{[<" and any(is_tag(row[-1]) for row in cells[1:])


FORMAT = Format(read, sniff, carries=frozenset({"tokens", "sentences"}), suffixes=(".csv",))
