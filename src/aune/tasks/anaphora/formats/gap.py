r"""GAP: a pronoun and two names per line, each name coreferent with the pronoun or not.

A key has the columns of the GAP corpus, named in its first line, separated by tabs:

    ID	Text	Pronoun	Pronoun-offset	A	A-offset	A-coref	B	B-offset	B-coref	URL

A response has an ID and a TRUE or FALSE for each name, with or without a line of names (`ID A-coref B-coref`). A table
of probabilities (`ID A B NEITHER`) is accepted: the largest of the three decides.

Every line is a document with one anaphor, `pronoun`, and the candidates `A` and `B`, the nearest before it last. The
gender of the pronoun and the number of characters to the right name are attributes.

>>> from aune.reading.corpus import Source
>>> [found] = read(Source("r.tsv", b"test-1\tTRUE\tFALSE\n"))
>>> found.id, found.anaphors[0].antecedents
('test-1', ('A',))
>>> print("".join(write([found])), end="")
test-1	TRUE	FALSE
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from aune.contract.format import Boundaries, Format, first_line_length
from aune.errors import UsageError
from aune.reading.source import Source
from aune.syntax import numbers
from aune.syntax.edits import Edits
from aune.syntax.field_roles import FIELD_AMBIGUOUS, SUBJECTS, field_role
from aune.syntax.splicing import pair_documents
from aune.tasks.anaphora.model import Anaphor, Candidate, Document, make_document

GENDERS = {
    "masculine": frozenset({"he", "him", "his", "himself"}),
    "feminine": frozenset({"she", "her", "hers", "herself"}),
}
NAMES = ("A", "B")
RESPONSE = ("ID", "A-coref", "B-coref")


def read(source: Source) -> Iterator[Document]:
    """A document per line."""
    for row in _rows(source):
        chosen = _coreferent_names(source, row.number, row.cells)
        if chosen is not None:
            yield _document(source, row.number, row.cells, chosen)


class _GapRow(NamedTuple):
    """A line of the table: its number, where it begins, its text, and its cells by column."""

    number: int
    start: int
    line: str
    cells: dict[str, str]


def _rows(source: Source) -> Iterator[_GapRow]:
    names: Sequence[str] = ()
    at = 0
    for number, line in source.lines():
        start, at = at, at + len(line) + 1
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if not names:
            heads = cells[0] == "ID" and not source.documents_before  # and is no line from the middle of a file
            names = cells if heads else RESPONSE
            if heads:
                if not _is_header(names):
                    source.add_problem(
                        "field.missing",
                        number,
                        1,
                        found=f"the columns {', '.join(names)[:80]}",
                        expected="ID, A-coref and B-coref",
                        remedies=["use those of the GAP corpus"],
                    )
                    return
                if rival := next((name for name in names if field_role(name, SUBJECTS["gap"])), None):
                    source.add_problem(
                        FIELD_AMBIGUOUS, number, 1, found=f"the column {rival!r} beside those of the GAP corpus",
                        expected="the answers of one side", remedies=["write each side into a file of its own"],
                    )  # fmt: skip
                    return
                continue
        if len(cells) < len(names) - ("URL" in names):
            source.add_problem(
                "columns.count",
                number,
                1,
                found=f"{len(cells)} columns",
                expected=f"{len(names)}",
                remedies=["separate them by tabs"],
            )
            continue
        yield _GapRow(number, start, line, dict(zip(names, cells, strict=False)))


def _is_header(names: Sequence[str]) -> bool:
    return set(RESPONSE) <= set(names) or {"ID", "A", "B", "NEITHER"} <= set(names)


def _coreferent_names(source: Source, number: int, row: dict[str, str]) -> tuple[str, ...] | None:
    """The names that corefer with the pronoun; None when the line does not say."""
    if "A-coref" not in row:
        return _likeliest(source, number, row)
    chosen = []
    for name in NAMES:
        value = row.get(f"{name}-coref", "").lower()
        if value not in ("true", "false"):
            source.add_problem(
                "field.wrong-type",
                number,
                1,
                found=f"{row.get(f'{name}-coref', '')[:40]!r} for {name}",
                expected="TRUE or FALSE",
                remedies=["correct the line"],
            )
            return None
        if value == "true":
            chosen.append(name)
    return tuple(chosen)


def _likeliest(source: Source, line: int, row: dict[str, str]) -> tuple[str, ...] | None:
    odds = [odd for name in (*NAMES, "NEITHER") if (odd := numbers.parse_number(row.get(name) or "")) is not None]
    if len(odds) < len(NAMES) + 1:
        source.add_problem(
            "field.missing",
            line,
            1,
            found="a line without three probabilities",
            expected="those of A, B and NEITHER",
            remedies=["mend it"],
        )
        return None
    best = max(odds)
    return tuple(name for name, value in zip(NAMES, odds, strict=False) if value == best > odds[2])[:1]


def _document(source: Source, number: int, row: dict[str, str], chosen: tuple[str, ...]) -> Document:
    pronoun = row.get("Pronoun", "")
    texts = {"pronoun": pronoun, "A": row.get("A", ""), "B": row.get("B", "")} if pronoun else {}
    places = {name: _offset(row.get(f"{name}-offset")) for name in ("A", "B", "Pronoun")}
    order = sorted(NAMES, key=lambda name: _nearness(places[name], places["Pronoun"]))
    attributes = {}
    if pronoun:
        gender = next((gender for gender, words in GENDERS.items() if pronoun.lower() in words), "")
        attributes = {"pronoun": pronoun.lower(), "gender": gender, "distance": _distance(places, chosen)}
    candidates = tuple(Candidate(name, True, texts.get(name, "")) for name in order)
    anaphor = Anaphor("pronoun", chosen, candidates, attributes, number)
    return make_document(
        row["ID"],
        [anaphor],
        kinds={"pronoun": "pronoun", "A": "name", "B": "name"},
        texts=texts,
        attributes={"title": _title(row["URL"])} if row.get("URL") else {},
        passage=row.get("Text", ""),
        offsets={"pronoun": places["Pronoun"], "A": places["A"], "B": places["B"]} if row.get("Text") else {},
        path=source.name,
        line=number,
    )


def _offset(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


def _nearness(name: int, pronoun: int) -> tuple[bool, int]:
    """Names before the pronoun are nearer than those after it, whatever the distance."""
    return name < pronoun, name if name < pronoun else -name


def _distance(places: dict[str, int], chosen: tuple[str, ...]) -> str:
    """How far the right name is, in hundreds of characters."""
    if not chosen:
        return ""
    distance = min(abs(places["Pronoun"] - places[name]) for name in chosen)
    return f"{distance // 100 * 100}–{distance // 100 * 100 + 99}" if distance < 300 else "300+"


def _title(address: str) -> str:
    """The title of the page at the end of its address."""
    return address.rpartition("/")[2].replace("_", " ")


def sniff(head: str) -> bool:
    """Whether the first line has GAP's names, or an ID and two truth values."""
    first = head.lstrip("\n").partition("\n")[0].split("\t")
    cells = [cell.strip() for cell in first]
    answers = len(cells) in (3, 4) and all(cell.lower() in ("true", "false") for cell in cells[1:3])
    return (cells[0] == "ID" and _is_header(cells)) or answers


def write(documents: Iterable[Document]) -> Iterator[str]:
    """Responses: an ID and a truth value for each name."""
    for document in documents:
        chosen = _answer(document)
        yield "\t".join([document.id, *(str(name in chosen).upper() for name in NAMES)]) + "\n"


def _answer(document: Document) -> tuple[str, ...]:
    """Which of the two names corefer with the pronoun; documents about anything else are refused."""
    others = [anaphor.mention for anaphor in document.anaphors if anaphor.mention != "pronoun"]
    strange = [name for anaphor in document.anaphors for name in anaphor.antecedents if name not in NAMES]
    if others or strange or not document.anaphors:
        content = (
            f"the anaphor {others[0]!r}" if others else f"the antecedent {strange[0]!r}" if strange else "no anaphor"
        )
        raise UsageError(
            f"document {document.id!r} has {content}, and gap holds one 'pronoun' with the names A and B, so that it "
            "cannot be written as gap: convert it to jsonlines or pairs"
        )
    return document.anaphors[0].antecedents


def splice(source: Source, documents: Sequence[Document]) -> bytes:
    """The table with other truth values."""
    edits = Edits(source)
    pairs = pair_documents(source, list(read(source)), documents, lambda document: document.texts)
    for row, (before, after) in zip(_rows(source), pairs, strict=True):
        chosen = _answer(after)
        if set(chosen) == set(_answer(before)):
            continue
        if "A-coref" not in row.cells:
            raise UsageError(f"{source.name} holds probabilities, in which an answer cannot be put: write a new file")
        for name in NAMES:
            place = row.start
            for column, cell in zip(row.cells, row.line.split("\t"), strict=False):
                if column == f"{name}-coref" and (name in chosen) != (cell.strip().lower() == "true"):
                    text = "TRUE" if name in chosen else "FALSE"
                    text = text if cell.isupper() else text.lower() if cell.islower() else text.capitalize()
                    edits.replace(place, place + len(cell), text)
                place += len(cell) + 1
    return edits.apply()


def _header(head: bytes) -> int:
    """The length of the line with the columns' names and of the empty ones before it, if there is one."""
    text = head.removeprefix(b"\xef\xbb\xbf")
    blank = len(head) - len(text.lstrip())
    return blank + first_line_length(head[blank:]) if head[blank:].partition(b"\t")[0].strip() == b"ID" else 0


BOUNDARIES = Boundaries((b"",), header=_header)
FORMAT = Format(read, sniff, write, frozenset(), (".gap", ".gap.tsv"), boundaries=BOUNDARIES, splice=splice)
