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

from aune.core.corpus import Source
from aune.core.pieces import HEADED_LINES
from aune.core.task import Format
from aune.syntax.tables import Row, delimiter, rows
from aune.tasks.speech.formats._markup import Markup, plain_utterance
from aune.tasks.speech.formats._writing import plain_text, refuse
from aune.tasks.speech.formats.manifest import DOCUMENT, ID, TEXT, DocumentField, IdField, TextField
from aune.tasks.speech.model import Utterance, utterances


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
    text = next((names.index(name) for name in text_field or TEXT if name in names), None)
    if text is None:
        wanted = ", ".join(text_field or TEXT)
        source.problem(1, 1, f"found the columns {names}, expected one of {wanted}: name it with --text-field")
        return
    named = next((names.index(name) for name in id_field or ID if name in names), None)
    document = next((names.index(name) for name in document_field or DOCUMENT if name in names), None)
    others = {i: name for i, name in enumerate(names) if i not in (text, named)}
    for number, (line, row) in enumerate(table, source.line(2) - 1):
        if not row:
            continue
        if len(row) != len(names):
            what = f"found {len(row)} columns, expected the {len(names)} of the header: quote text that has commas"
            source.problem(line, 1, what)
            continue
        attributes = {name: row[i] for i, name in others.items()}
        if document is not None:
            attributes["document"] = row[document]
        name = row[named] if named is not None else str(number)
        yield plain_utterance(source, name, row[text], line, markup, attributes)


def sniff(head: str) -> bool:
    """A header with more than one column, one of them for a text."""
    first = head.partition("\n")[0]
    names = {name.strip().strip('"') for name in first.split(delimiter(head))}
    return len(names) > 1 and bool(names & set(TEXT)) and "{" not in first


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    given = utterances(documents)
    names = sorted({name for one in given for name in one.attributes})
    for one in given:
        if taken := sorted({"id", "text"} & one.attributes.keys()):
            refuse("table", f"the field {taken[0]!r}, which is the utterance's own", one)
    page = io.StringIO()
    table = csv.writer(page, delimiter="\t", lineterminator="\n")
    table.writerow(["id", "text", *names])
    for one in given:
        table.writerow([one.id, plain_text(one, "table"), *(one.attributes.get(name, "") for name in names)])
    yield page.getvalue()


CARRIES = frozenset({"words", "names", "capitals in names", "fields", "speakers", "labels", "documents"})
FORMAT = Format(read, sniff, write, carries=CARRIES, suffixes=(".csv", ".tsv"), boundaries=HEADED_LINES)
