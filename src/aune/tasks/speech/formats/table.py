"""Tables: comma- or tab-separated values with a header.

    id,speaker,text
    u1,ann,good morning

One column holds the text and one the names, found by the names in the header (`text_field`, `id_field`) as in a
manifest; without a column of names the number of the row is the name. Other columns become attributes. Carries words,
names and fields.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from aune.contract.format import HEADED_LINES, Format
from aune.reading.source import Source
from aune.syntax.tables import Row, delimiter, rows
from aune.tasks.speech.formats._markup import Markup, plain_utterance
from aune.tasks.speech.formats._writing import plain_text, refuse
from aune.tasks.speech.formats.manifest import DOCUMENT, ID, TEXT, TEXT_FIELD_REMEDY, DocumentField, IdField
from aune.tasks.speech.model import Utterance, iterate_utterances
from aune.tasks.speech.text_roles import TextField, report_two_roles, text_roles


def read(
    source: Source,
    *,
    text_field: TextField = (),
    id_field: IdField = (),
    document_field: DocumentField = (),
    markup: Markup = "none",
) -> Iterator[Utterance]:
    table = rows(source)
    names = [name.strip() for name in next(table, Row(1, [])).cells]
    if not text_field and (roles := text_roles(dict.fromkeys(names, ""))):
        report_two_roles(source, 1, 1, roles)
        return
    text = next((names.index(name) for name in text_field or TEXT if name in names), None)
    if text is None:
        expected = f"one of {', '.join(text_field or TEXT)}"
        actual = f"the columns {names}"
        source.add_problem("field.missing", 1, 1, found=actual, expected=expected, remedies=[TEXT_FIELD_REMEDY])
        return
    name_column = next((names.index(name) for name in id_field or ID if name in names), None)
    document_column = next((names.index(name) for name in document_field or DOCUMENT if name in names), None)
    others = {i: name for i, name in enumerate(names) if i not in (text, name_column)}
    for number, (line, row) in enumerate(table, source.file_line(2) - 1):
        if not row:
            continue
        if len(row) != len(names):
            actual, expected = f"{len(row)} columns", f"the {len(names)} of the header"
            remedies = ["quote text that has commas"]
            source.add_problem("columns.count", line, 1, found=actual, expected=expected, remedies=remedies)
            continue
        attributes = {name: row[i] for i, name in others.items()}
        if document_column is not None:
            attributes["document"] = row[document_column]
        name = row[name_column] if name_column is not None else str(number)
        yield plain_utterance(source, name, row[text], line, markup, attributes)


def sniff(head: str) -> bool:
    """A header with more than one column, one of them for a text."""
    first = head.partition("\n")[0]
    names = {name.strip().strip('"') for name in first.split(delimiter(head))}
    return len(names) > 1 and bool(names & set(TEXT)) and "{" not in first


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    names: set[str] = set()
    for utterance in iterate_utterances(documents):
        if reserved := sorted({"id", "text"} & utterance.attributes.keys()):
            refuse("table", f"the field {reserved[0]!r}, which is the utterance's own", utterance)
        names.update(utterance.attributes)
    fields = sorted(names)
    yield _row(["id", "text", *fields])
    for utterance in iterate_utterances(documents):
        cells = [utterance.id, plain_text(utterance, "table")]
        yield _row([*cells, *(utterance.attributes.get(name, "") for name in fields)])


def _row(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, delimiter="\t", lineterminator="\n").writerow(cells)
    return line.getvalue()


CARRIES = frozenset({"words", "names", "capitals in names", "fields", "speakers", "labels", "documents"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".csv", ".tsv"), boundaries=HEADED_LINES)
