"""One word per line, with one or several tags: `word TAB tag|tag|…`.

    par	Sp	B-Rgp
    exemple	Ncms	I-Rgp
    la	Da-fs-d|Pp3fs--

An empty line ends a sentence. A third column marks compounds: `B-` and the compound's tags on its first word, `I-` on
the others, `O`, `_` or nothing elsewhere, so that a compound is tagged both as a unit and by its parts. A fourth
may contain the agreement that `aune combine` writes; it is not scored. Lines that start with `#` and have no tab are
comments; `# newdoc id = …` begins a document under `documents:newdoc`. `_` or nothing stands for no tag.

Carries: sentences, compounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

import numpy as np

from aune.contract.format import NEWDOC_LINES, Format
from aune.numeric.arrays import Ints
from aune.reading.source import Source
from aune.syntax import columns
from aune.syntax.edits import Edits
from aune.tasks.tagging.document_starts import Documents, document_starts
from aune.tasks.tagging.formats._splicing import change_cell, pair_with_file
from aune.tasks.tagging.formats._writing import heading, one_cell, refuse
from aune.tasks.tagging.model import Compound, Document, Vocabulary, choose_column

MAX_COLUMNS = 4
OUTSIDE = ("", "_", "O")


def read(source: Source, *, documents: Documents = "file") -> Iterator[Document]:
    lines = source.text.split("\n")
    places = np.fromiter(source.line_numbers(len(lines)), np.int64, len(lines))
    tabs = np.fromiter(map(str.count, lines, repeat("\t")), np.int64, len(lines))
    kinds = columns.kinds(lines, len(lines))
    numbers = _well_formed(source, lines, tabs, np.flatnonzero(kinds == columns.ROW), places)
    cells = "\t".join(_to_width(lines[number], 2) for number in numbers.tolist()).split("\t") if len(numbers) else []
    _check_words(source, places[numbers], cells[::2])
    marked = _compounds(source, lines, numbers[tabs[numbers] > 1], numbers, places)
    words, tags = Vocabulary().encode(cells[::2]), Vocabulary().encode([tag.strip() for tag in cells[1::2]])
    if source.problems or (not cells and documents == "file"):  # else there may be documents without a word
        return
    blanks = np.cumsum(kinds == columns.BLANK)[numbers]
    begins = document_starts(source, lines, kinds, documents)
    cuts = np.searchsorted(numbers, [line for line, _ in begins]).tolist()
    sentences = np.flatnonzero(np.diff(blanks, prepend=-1))
    for (line, id), start, end in zip(begins, cuts, [*cuts[1:], len(numbers)], strict=True):
        if start == end and not id:
            continue  # nothing before the first document
        sentence_starts = sentences[(sentences >= start) & (sentences < end)] - start
        yield Document(
            id or source.stem,
            words.slice(start, end),
            {"tag": tags.slice(start, end)},
            sentences=np.unique(np.append(sentence_starts, 0)),
            compounds=tuple(
                Compound(compound.start - start, compound.end - start, compound.tags)
                for compound in marked
                if start <= compound.start < end
            ),
            lines=places[numbers[start:end]],
            path=source.name,
            line=int(places[line]),
            sentences_before=source.documents_before if documents == "file" else 0,
        )


def _well_formed(source: Source, lines: Sequence[str], tabs: Ints, numbers: Ints, places: Ints) -> Ints:
    """The lines with a word and a tag; what is wrong with the others."""
    for number in numbers[tabs[numbers] == 0].tolist():
        source.add_problem(
            "line.malformed",
            int(places[number]),
            1,
            found=f"{lines[number][:40]!r}",
            expected="'word<tab>tag'",
            remedies=["put a tab between them"],
        )
    for number in numbers[tabs[numbers] >= MAX_COLUMNS].tolist():
        source.add_problem(
            "columns.count",
            int(places[number]),
            1,
            found=f"{tabs[number] + 1} columns",
            expected="word, tags, compound and agreement",
            remedies=["remove the others"],
        )
    return numbers[(tabs[numbers] > 0) & (tabs[numbers] < MAX_COLUMNS)]


def _to_width(line: str, width: int) -> str:
    """The first columns of a line."""
    return line if line.count("\t") == width - 1 else "\t".join(line.split("\t")[:width])


def _check_words(source: Source, numbers: Ints, words: Sequence[str]) -> None:
    for number, word in zip(numbers.tolist(), words, strict=True):
        if not word or word.isspace():
            source.add_problem(
                "word.empty",
                number,
                1,
                found="a tag without a word",
                expected="'word<tab>tag'",
                remedies=["write the word"],
            )


def _compounds(source: Source, lines: Sequence[str], numbers: Ints, words: Ints, places: Ints) -> list[Compound]:
    """The compounds that the third column marks, over all words of the file."""
    compounds: list[Compound] = []
    goes_on = -1  # the word that a compound may go on with
    for number, word in zip(numbers.tolist(), np.searchsorted(words, numbers).tolist(), strict=True):
        mark = lines[number].split("\t")[2].strip()
        if mark in OUTSIDE:
            continue
        column = lines[number].find("\t", lines[number].find("\t") + 1) + 2
        if mark.startswith("B-") and len(mark) > 2:
            compounds.append(Compound(word, word + 1, mark[2:]))
        elif mark != "I" and not mark.startswith("I-"):
            source.add_problem(
                "compound.malformed",
                int(places[number]),
                column,
                found=f"{mark!r}",
                expected="B-tags, I-tags or _",
                remedies=["mend the compound's mark", "write the tags of each side into a file of its own"],
            )
            continue
        elif word != goes_on:
            source.add_problem(
                "compound.malformed",
                int(places[number]),
                column,
                found=f"{mark!r} after no B-",
                expected="a compound to go on",
                remedies=["begin it with B-"],
            )
            continue
        else:
            compounds[-1] = compounds[-1]._replace(end=word + 1)
        goes_on = word + 1
    units = [compound for compound in compounds if compound.end - compound.start > 1]
    if single := len(compounds) - len(units):
        source.warn(f"{single} compounds of one word in the third column: not read, a compound has at least two")
    return units


def sniff(head: str) -> bool:
    lines = [line for line in head.split("\n")[:50] if columns.kind_of(line) == columns.ROW]
    return bool(lines) and all(0 < line.count("\t") < MAX_COLUMNS for line in lines[:-1] or lines)


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        if len(documents) > 1:  # a single one is named after its file
            yield heading(document, "tsv")
        marks = _marks(document)
        agreement = document.columns.get("agreement")
        shares = agreement.values() if agreement else None
        starts = set(document.sentences.tolist())
        tags = document.column(choose_column(document)).values()
        for index, (word, tag) in enumerate(zip(document.words.values(), tags, strict=True)):
            row = [
                word,
                tag or "_",
                *([marks.get(index, "_")] if marks or shares else []),
                *([shares[index]] if shares else []),
            ]
            cells = [one_cell(cell, "tsv", "cell", document) for cell in row]
            yield ("\n" if index in starts and index else "") + "\t".join(cells) + "\n"
        yield "\n"


def _marks(document: Document) -> dict[int, str]:
    marks: dict[int, str] = {}
    for start, end, tags in document.compounds:
        if not tags:
            refuse("tsv", "a compound without a tag", document)
        marks |= {index: ("B-" if index == start else "I-") + tags for index in range(start, end)}
    return marks


def splice(source: Source, after: Sequence[Document], /, *, documents: Documents = "file") -> bytes:
    """The file with other tags and compounds: only the cells that change are written."""
    edits, lines = Edits(source), columns.Lines(source.text)
    for old, new in pair_with_file(source, list(read(source, documents=documents)), after):
        assert old.lines is not None
        tags = zip(old.column("tag").values(), new.column(choose_column(new)).values(), strict=True)
        marks = [_marks(document) for document in (old, new)]
        for index, (line, (old_tag, new_tag)) in enumerate(zip(old.lines.tolist(), tags, strict=True)):
            change_cell(edits, lines, line, 1, old_tag, one_cell(new_tag, "tsv", "cell", new))
            change_cell(edits, lines, line, 2, *(one_cell(mark.get(index, "_"), "tsv", "cell", new) for mark in marks))
    return edits.apply()


CARRIES = frozenset({"sentences", "compounds", "alternatives"})
FORMAT = Format(read, sniff, write, CARRIES, (".tsv", ".tab", ".tt"), splice=splice,
                boundaries=NEWDOC_LINES)  # fmt: skip
