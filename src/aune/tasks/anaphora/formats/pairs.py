r"""Pairs: a tab-separated table of anaphors and their antecedents, one pair per line.

    document	anaphor	antecedent	pronoun	gender
    d1	12	3-4	he	masculine
    d1	20	-	it

Mentions are names, the same in key and response: a token number, `first-last` token, or anything without a tab. No
antecedent (`-`, `_` or nothing) says that the mention is not anaphoric, or was not resolved. An anaphor with several
antecedents has several lines.

The first line names the columns in any order; `document` may be missing. The column `kind` says what the anaphor is
(name, noun, pronoun…), `antecedent_kind` what its antecedent is, `text` and `antecedent_text` give their words, and
every other column is an attribute of the anaphor, to break scores down by (`pronoun` is its text, unless given).
A table with the antecedents of both sides, such as `antecedent` and `predicted_antecedent`, is refused until
`antecedent_field` and `response_antecedent_field` name them. Without such a line there are two columns (anaphor,
antecedent) or three (document first). Lines that begin with `#` are remarks.

>>> from aune.reading.corpus import Source
>>> [found] = read(Source("a.tsv", b"he\tClinton\nhis\the\n"))
>>> [(one.mention, one.antecedents) for one in found.anaphors]
[('he', ('Clinton',)), ('his', ('he',))]
>>> print("".join(write([found])), end="")
document	anaphor	antecedent
document	he	Clinton
document	his	he
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from aune.contract.format import Boundaries, Format, first_line_length
from aune.errors import Remedy, UsageError
from aune.reading.source import Source
from aune.syntax.edits import Edits
from aune.syntax.field_roles import FIELD_AMBIGUOUS
from aune.syntax.splicing import pair_documents
from aune.tasks.anaphora.model import NO_ANTECEDENT, Anaphor, Document, make_document, mention_name, text_order
from aune.tasks.anaphora.python_inputs import AntecedentField, choose_antecedent

COLUMNS = {
    "document": "document", "doc": "document", "doc_id": "document", "doc_key": "document", "file": "document",
    "anaphor": "anaphor", "anaphora": "anaphor", "antecedent": "antecedent", "kind": "kind",
    "antecedent_kind": "antecedent_kind", "text": "text", "antecedent_text": "antecedent_text",
}  # fmt: skip
PLAIN = {2: ("anaphor", "antecedent"), 3: ("document", "anaphor", "antecedent")}
CUTTABLE_WIDTH = 3  # columns of a file without their names that can be cut
OTHER_ANTECEDENT = "antecedent of the other side"
KNOWN_COLUMNS = frozenset((*COLUMNS.values(), OTHER_ANTECEDENT))


def read(source: Source, *, antecedent_field: AntecedentField = ()) -> Iterator[Document]:
    """The documents of a file, in the order in which they begin."""
    documents: dict[str, _DocumentRows] = {}
    for row in _rows(source, antecedent_field):
        if row.document not in documents:
            documents[row.document] = _DocumentRows(row.document, row.number, list(row.cells))
        documents[row.document].add(row.cells, row.number)
    for document in documents.values():
        yield document.document(source)
    repeated = sum(document.repeated for document in documents.values())
    if repeated:
        source.add_note("repeated", _repetition_note, {"pairs": repeated})


def _repetition_note(counts: Mapping[str, int], line: int) -> str:
    return f"{counts['pairs']} pair{'s' * (counts['pairs'] > 1)} written twice, counted once"


class _PairRow(NamedTuple):
    """A line of the table: its number, where it begins, its text, and its cells by column."""

    number: int
    start: int
    line: str
    cells: dict[str, str]

    @property
    def document(self) -> str:
        return self.cells.get("document") or "document"

    @property
    def antecedent(self) -> str:
        name = self.cells.get("antecedent", "")
        return "" if name in NO_ANTECEDENT else mention_name(name)

    def with_cells(self, new: Mapping[str, str]) -> str:
        """The line with other cells; those that are not named keep their characters."""
        cells = self.line.split("\t")
        cells += [""] * (len(self.cells) - len(cells))
        return "\t".join(new.get(name, cell) for name, cell in zip(self.cells, cells, strict=True)).rstrip("\t")


def _rows(source: Source, antecedent_field: Sequence[str] = ()) -> Iterator[_PairRow]:
    names: Sequence[str] | None = None
    at = 0
    for number, line in source.lines():
        start, at = at, at + len(line) + 1
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if names is None:
            heads = None if source.documents_before else _header(cells)  # no line from the middle of a file
            names = heads or PLAIN.get(CUTTABLE_WIDTH if source.documents_before else len(cells))
            if names is None:
                source.add_problem(
                    "columns.count",
                    number,
                    1,
                    found=f"{len(cells)} column{'s' * (len(cells) != 1)}",
                    expected="two or three, or a line of names",
                    remedies=["separate anaphor and antecedent by a tab"],
                )
                return
            if heads:
                names = _with_one_antecedent(source, number, cells, heads, antecedent_field)
                if not names:
                    return
                continue
        if len(cells) > len(names) or len(cells) < min(len(names), names.index("antecedent") + 1, 2):
            source.add_problem(
                "columns.count",
                number,
                1,
                found=f"{len(cells)} columns",
                expected=f"{len(names)} ({', '.join(names)})",
                remedies=["separate them by tabs"],
            )
            continue
        row = dict.fromkeys(names, "") | dict(zip(names, cells, strict=False))
        if not row.get("anaphor"):
            source.add_problem(
                "field.empty",
                number,
                1,
                found="no anaphor",
                expected="a mention",
                remedies=["fill the column"],
            )
            continue
        yield _PairRow(number, start, line, row)


def _with_one_antecedent(
    source: Source, number: int, cells: Sequence[str], names: Sequence[str], wanted: Sequence[str]
) -> Sequence[str]:
    """The names of the columns, the one with the antecedents called `antecedent`; nothing where it must be named."""
    choice = choose_antecedent(names, wanted)
    if choice.rivals:
        rival = next(rival for rival in choice.rivals if rival != "antecedent")
        source.add_problem(
            FIELD_AMBIGUOUS, number, 1 + len("\t".join(cells[: names.index(rival)])) + bool(names.index(rival)),
            found=f"both `{choice.rivals[0]}` and `{choice.rivals[1]}`", expected="one of them",
            remedies=[choice.remedy("antecedent_field")],
        )  # fmt: skip
        return ()
    if choice.name is None:
        source.add_problem(
            "column.unknown", number, 1, found=f"no column {wanted[0]!r}", expected=f"one of {', '.join(cells)}",
            remedies=[Remedy("choose", (("antecedent_field", "COLUMN"),))],
        )  # fmt: skip
        return ()
    renamed = {"antecedent": OTHER_ANTECEDENT, choice.name: "antecedent"}
    return [renamed.get(name, name) for name in names]


class _DocumentRows:
    """The lines of one document."""

    def __init__(self, name: str, line: int, columns: Sequence[str]) -> None:
        self.name, self.line = name, line
        self.others = [column for column in columns if column not in KNOWN_COLUMNS]
        self.anaphors: list[Anaphor] = []
        self.kinds: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.seen_pairs: set[tuple[str, str]] = set()
        self.repeated = 0

    def add(self, row: dict[str, str], line: int) -> None:
        anaphor, antecedent = mention_name(row["anaphor"]), row.get("antecedent", "")
        antecedent = "" if antecedent in NO_ANTECEDENT else mention_name(antecedent)
        self.repeated += (anaphor, antecedent) in self.seen_pairs
        self.seen_pairs.add((anaphor, antecedent))
        attributes = {name: row[name] for name in self.others if row.get(name)}
        if row.get("text") and row.get("kind", "pronoun") == "pronoun":
            attributes.setdefault("pronoun", row["text"].lower())
        self.anaphors.append(Anaphor(anaphor, (antecedent,) if antecedent else (), attributes=attributes, line=line))
        for known, name in ((self.kinds, "kind"), (self.texts, "text")):
            if row.get(name):
                known[anaphor] = row[name]
            if antecedent and row.get(f"antecedent_{name}"):
                known[antecedent] = row[f"antecedent_{name}"]

    def document(self, source: Source) -> Document:
        return make_document(
            self.name, self.anaphors, kinds=self.kinds, texts=self.texts, path=source.name, line=self.line
        )


def _header(cells: Sequence[str]) -> list[str] | None:
    """The columns' names, if the line gives them."""
    names = [COLUMNS.get(cell.lower().replace("-", "_").replace(" ", "_"), cell) for cell in cells]
    named = "anaphor" in names and "antecedent" in names and len(set(names)) == len(names)
    return names if named else None


def sniff(head: str) -> bool:
    """Whether the first line names the columns, or all lines have two or three that are not GAP's TRUE and FALSE."""
    lines = [line.split("\t") for line in head.split("\n")[:200] if line.strip() and not line.startswith("#")]
    if not lines:
        return False
    if _header([cell.strip() for cell in lines[0]]):
        return True
    plain = len(lines[0]) in PLAIN and all(len(line) == len(lines[0]) for line in lines[: max(1, len(lines) - 1)])
    return plain and not any(cell.strip().lower() in ("true", "false") for line in lines for cell in line)


def write(documents: Iterable[Document]) -> Iterator[str]:
    """A line per pair, with the attributes of the anaphor, its kind and words, when they are known."""
    names: set[str] = set()
    kinds = texts = False
    for document in documents:
        names.update(name for anaphor in document.anaphors for name in anaphor.attributes)
        kinds, texts = kinds or bool(document.kinds), texts or bool(document.texts)
    fields = sorted(names)
    extra = [*(["kind"] if kinds else []), *(["text"] if texts else [])]
    extra += [f"antecedent_{name}" for name in extra]
    yield "\t".join(["document", "anaphor", "antecedent", *extra, *fields]) + "\n"
    for document in documents:
        for anaphor in document.anaphors:
            for antecedent in anaphor.antecedents or ("-",):
                known = {
                    "kind": document.kinds.get(anaphor.mention, ""),
                    "text": document.texts.get(anaphor.mention, ""),
                }
                known |= {"antecedent_kind": document.kinds.get(antecedent, "")}
                known |= {"antecedent_text": document.texts.get(antecedent, "")}
                cells = [known[name] for name in extra] + [anaphor.attributes.get(name, "") for name in fields]
                yield "\t".join(map(_cell, [document.id, anaphor.mention, antecedent, *cells])) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split())


def splice(source: Source, documents: Sequence[Document], *, antecedent_field: AntecedentField = ()) -> bytes:
    """The table with other antecedents; new pairs come after those of their anaphor, new anaphors after the others."""
    edits = Edits(source)
    rows = list(_rows(source, antecedent_field))
    before = list(read(source, antecedent_field=antecedent_field))
    for _, after in pair_documents(source, before, documents, lambda document: document.id):
        document_rows = [row for row in rows if row.document == after.id]
        if not after.anaphors:
            raise UsageError(
                f"document {after.id!r} has no anaphor left, and a table cannot represent it without a line"
            )
        for name in dict.fromkeys(mention_name(row.cells["anaphor"]) for row in document_rows):
            lines = [row for row in document_rows if mention_name(row.cells["anaphor"]) == name]
            _change_rows(edits, source.text, lines, after.by_mention.get(name))
        known = {mention_name(row.cells["anaphor"]) for row in document_rows}
        for anaphor in after.anaphors:
            if anaphor.mention not in known:
                cells = dict.fromkeys(document_rows[-1].cells, "") | {"document": after.id, "anaphor": anaphor.mention}
                cells |= {name: value for name, value in anaphor.attributes.items() if name in cells}
                lacking = [name for name in anaphor.attributes if name not in cells]
                if lacking:
                    raise UsageError(
                        f"{source.name} has no column {lacking[0]!r}, so that it cannot be put there: add it"
                    )
                for antecedent in anaphor.antecedents or ("-",):
                    _add_row(edits, source.text, document_rows[-1], cells | {"antecedent": antecedent})
    return edits.apply()


def _change_rows(edits: Edits, text: str, rows: Sequence[_PairRow], anaphor: Anaphor | None) -> None:
    """Bring the lines of an anaphor to its antecedents."""
    after = set(anaphor.antecedents) if anaphor else set()
    before = {row.antecedent for row in rows if row.antecedent}
    if anaphor and after == before:
        return  # lines that stand twice, or say nothing beside others, stay too
    new = sorted(after - before, key=text_order)
    free = [row for row in rows if row.antecedent not in after]
    for number, row in enumerate(free):
        end = row.start + len(row.line)
        if anaphor and new:
            edits.replace(row.start, end, row.with_cells({"antecedent": new.pop(0)}))
        elif anaphor and not after and number == 0:
            if row.antecedent:
                edits.replace(row.start, end, row.with_cells({"antecedent": "-"}))
        else:
            edits.replace(row.start, min(end + 1, len(text)), "")
    for antecedent in new:
        _add_row(edits, text, rows[-1], {"antecedent": antecedent})


def _add_row(edits: Edits, text: str, row: _PairRow, cells: Mapping[str, str]) -> None:
    """A line like another one, after it."""
    end = row.start + len(row.line)
    line = row.with_cells(cells)
    edits.insert(min(end + 1, len(text)), f"{line}\n" if end < len(text) else f"\n{line}")


def _names_of_columns(head: bytes) -> int:
    """The length of the first line where it names the columns."""
    return first_line_length(head) if _header(_first_cells(head)) else 0


def _is_by_document(head: bytes) -> bool:
    """Whether the first line is no remark, and lines begin with the names of documents."""
    cells = _first_cells(head)
    names = _header(cells) or PLAIN.get(len(cells), ())
    return not cells[0].startswith("#") and tuple(names[:1]) == ("document",)


def _first_cells(head: bytes) -> list[str]:
    return [
        cell.strip() for cell in head[: first_line_length(head)].decode(errors="replace").lstrip("\ufeff").split("\t")
    ]


BOUNDARIES = Boundaries(header=_names_of_columns, is_cuttable=_is_by_document, by_first_word=True)
FORMAT = Format(read, sniff, write, frozenset({"kinds", "attributes", "texts"}), (".tsv", ".pairs"), splice=splice,
                boundaries=BOUNDARIES)  # fmt: skip
