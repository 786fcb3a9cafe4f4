"""CoNLL-U: ten columns separated by tabs, a word per line, an empty line after each sentence.

    # sent_id = 1
    1-2	Aux	_	_	_	_	_	_	_	_
    1	À	à	ADP	P	_	3	case	_	_
    2	les	le	DET	D	Definite=Def|Number=Plur	3	det	_	_
    3	États	état	NOUN	NC	Gender=Masc|Number=Plur	0	root	_	SpaceAfter=No

aune reads the word, lemma, UPOS, XPOS, features, head and relation, multiword tokens (`1-2`), and skips empty nodes
(`8.1`). Trees need not be valid: a head that is no word of the sentence is no head, and said to be so. The whole file
is one document, whatever its `# newdoc` lines, for taggers drop or invent them; `documents:newdoc` makes one of each.

Enhanced dependencies are read; edges from empty nodes are not, unless `empty_nodes:collapse` puts the paths through
them in their place, as the IWPT shared tasks do before they score.

Carries: lemma, feats, xpos, heads, deps, multiword, sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np

from aune.contract.format import NEWDOC_LINES, Format
from aune.contract.options import HiddenAtDefault
from aune.numeric.arrays import Ints, Mask
from aune.reading.source import Source
from aune.syntax.columns import Lines
from aune.syntax.edits import Edits
from aune.tasks.tagging.document_starts import Documents, document_starts
from aune.tasks.tagging.enhanced import collapse_empty_nodes
from aune.tasks.tagging.formats._splicing import change_cell, pair_with_file
from aune.tasks.tagging.formats._writing import heading, one_cell
from aune.tasks.tagging.model import NO_HEAD, NO_TAG, ROOT, CodedColumn, Document, Vocabulary, alternatives

WIDTH = 10
BLOCK_LINES = 50_000  # lines split at once: fast enough, and their cells are soon forgotten
FIRST_COLUMNS = ("words", "lemma", "upos", "xpos", "feats")  # the columns after the number
LAST_COLUMNS = (
    "head",
    "deprel",
    "deps",
)  # after them, and looked up by themselves; miscellany is not read
WORD = re.compile(r"[1-9]\d{0,8}", re.ASCII)
RANGE = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})", re.ASCII)
HEAD = re.compile(r"\d{1,9}", re.ASCII)
NO_WORD = 10**9  # a head that is no number is no word either
EMPTY_NODE = re.compile(r"\d+\.\d+", re.ASCII)
EmptyNodes: TypeAlias = Annotated[
    Literal["ignore", "collapse"],
    "edges from empty nodes: left out, or replaced by the paths that lead through them",
    HiddenAtDefault,
]


def read(source: Source, *, documents: Documents = "file", empty_nodes: EmptyNodes = "ignore") -> Iterator[Document]:
    lines = source.text.split("\n")
    places = np.fromiter(source.line_numbers(len(lines)), np.int64, len(lines))
    kinds = np.array([0 if not line or line.isspace() else 1 if line[0] == "#" else 2 for line in lines], np.int8)
    numbers = _well_formed(source, lines, np.flatnonzero(kinds == 2), places)
    ids, columns = _columns(lines, numbers)
    rows = _number_rows(source, ids, places[numbers], np.cumsum(kinds == 0)[numbers])
    if source.problems or (not len(rows.words) and documents == "file"):  # else there may be documents without a word
        return
    heads = _heads(source, columns.pop("head"), rows)
    if empty_nodes == "collapse":
        columns["deps"] = _collapse(source, ids, columns["deps"], places[numbers], np.cumsum(kinds == 0)[numbers])
    begins = [(int(places[line]), id) for line, id in document_starts(source, lines, kinds, documents)]
    before = source.documents_before if documents == "file" else 0
    yield from _cut_documents(source, begins, places[numbers], rows, columns, heads, before)


def _well_formed(source: Source, lines: Sequence[str], numbers: Ints, places: Ints) -> Ints:
    """The data lines that have ten columns and a form; what is wrong with the others."""
    tabs = np.fromiter(map(str.count, map(lines.__getitem__, numbers.tolist()), repeat("\t")), np.int64, len(numbers))
    for number, tab_count in zip(numbers[tabs != 9].tolist(), tabs[tabs != 9].tolist(), strict=True):
        source.add_problem(
            "columns.count",
            int(places[number]),
            1,
            found=f"{tab_count + 1} columns",
            expected=f"{WIDTH} separated by tabs",
            remedies=["write _ in the empty ones"],
        )
    return np.asarray(numbers[tabs == 9])


def _columns(lines: Sequence[str], numbers: Ints) -> tuple[CodedColumn, dict[str, CodedColumn]]:
    """The columns that aune reads. Form to features are looked up together, since most lines repeat an earlier one."""
    ids, entries, later = Vocabulary(), Vocabulary(), {name: Vocabulary() for name in LAST_COLUMNS}
    id_codes, entry_codes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    later_codes: dict[str, list[Ints]] = {name: [np.zeros(0, np.int64)] for name in LAST_COLUMNS}
    for start in range(0, len(numbers), BLOCK_LINES):
        block = [lines[number].rsplit("\t", 4) for number in numbers[start : start + BLOCK_LINES].tolist()]
        for place, name in enumerate(LAST_COLUMNS, 1):
            later_codes[name].append(later[name].encode([cells[place] or _empty(name) for cells in block]).codes)
        beginnings = [cells[0] for cells in block]
        tabs = list(map(str.index, beginnings, repeat("\t")))
        id_codes.append(ids.encode([line[:tab] for line, tab in zip(beginnings, tabs, strict=True)]).codes)
        entry_codes.append(entries.encode([line[tab + 1 :] for line, tab in zip(beginnings, tabs, strict=True)]).codes)
    cells = [entry.split("\t") for entry in entries]
    codes = np.concatenate(entry_codes)
    columns = {}
    for place, name in enumerate(FIRST_COLUMNS):
        distinct = Vocabulary().encode([row[place] or _empty(name) for row in cells])
        columns[name] = CodedColumn(distinct.codes[codes], distinct.names)
    for name in LAST_COLUMNS:
        columns[name] = CodedColumn(np.concatenate(later_codes[name]), later[name].names)
    return CodedColumn(np.concatenate(id_codes), ids.names), columns


def _empty(column: str) -> str:
    """What an empty cell says: nothing, as one with `_`; but a word must have a form."""
    return "" if column == "words" else "_"


class Rows(NamedTuple):
    """Which data lines are words and which tokens."""

    words: Ints
    """Data lines that are words."""
    tokens: Ints
    """Data lines that are tokens: ranges, and words outside ranges."""
    owner: Ints
    """(words,): the token of each word."""
    multiword: Mask
    """(tokens,)"""
    sentences: Ints
    """The first word of every sentence."""


def _number_rows(source: Source, ids: CodedColumn, numbers: Ints, sentence: Ints) -> Rows:
    """Words, ranges and sentences, after checking that words are numbered from 1 in each sentence."""
    first, last = _parsed_ids(source, ids, numbers)
    is_word, is_range = (last == 0) & (first > 0), last > 0
    words = np.flatnonzero(is_word)
    starts = np.flatnonzero(np.diff(sentence[words], prepend=-1)) if len(words) else np.zeros(0, np.int64)
    of_sentence = np.repeat(starts, np.diff(np.append(starts, len(words))))
    expected = np.arange(len(words)) - of_sentence + 1
    for row in np.flatnonzero(first[words] != expected).tolist():
        source.add_problem(
            "word.bad-number",
            int(numbers[words[row]]),
            1,
            found=f"word number {first[words[row]]}",
            expected=f"{expected[row]}",
            remedies=["number the words of a sentence from 1"],
        )
    ranges = np.flatnonzero(is_range)
    lengths = last[ranges] - first[ranges] + 1
    covered = _in_ranges(source, numbers, sentence, words, ranges, first[ranges], lengths, expected)
    if source.problems:
        nothing = np.zeros(0, np.int64)
        return Rows(nothing, nothing, nothing, nothing.astype(bool), nothing)
    tokens = np.sort(np.concatenate([ranges, words[~covered]]))
    heads = words.copy()
    heads[covered] = np.repeat(ranges, lengths)
    return Rows(words, tokens, np.searchsorted(tokens, heads), is_range[tokens], starts)


def _heads(source: Source, cells: CodedColumn, rows: Rows) -> Ints:
    """The head of each word, as a number among all words; ROOT for 0, NO_HEAD for what is no word of the sentence."""
    numbers = [int(name) if HEAD.fullmatch(name) else -1 if name in NO_TAG else NO_WORD for name in cells.names]
    head_numbers = np.array(numbers or [-1])[cells.codes][rows.words]
    starts = np.append(rows.sentences, len(rows.words))
    sizes = np.diff(starts)
    first, size = np.repeat(rows.sentences, sizes), np.repeat(sizes, sizes)
    heads = np.where(
        head_numbers == 0,
        ROOT,
        np.where((head_numbers > 0) & (head_numbers <= size), first + head_numbers - 1, NO_HEAD),
    )
    if outside := int((head_numbers > size).sum()):
        source.add_note("heads", _heads_message, {"heads": outside})
    return heads


def _collapse(source: Source, ids: CodedColumn, cells: CodedColumn, places: Ints, sentence: Ints) -> CodedColumn:
    """The enhanced dependencies with edges from empty nodes replaced by the paths through them."""
    names, values = ids.values(), cells.values()
    lines: dict[int, list[int]] = {}
    for line, number in enumerate(sentence.tolist()):
        lines.setdefault(number, []).append(line)
    for rows in lines.values():
        empty_nodes = {names[row]: values[row] for row in rows if EMPTY_NODE.fullmatch(names[row])}
        if empty_nodes:
            try:
                collapsed = collapse_empty_nodes([values[row] for row in rows], empty_nodes)
            except ValueError as error:
                source.add_problem(
                    "line.malformed", int(places[rows[0]]), 1, found=str(error), expected="fewer",
                    remedies=["correct the edges of the empty nodes"],
                )  # fmt: skip
                continue
            for row, cell in zip(rows, collapsed, strict=True):
                values[row] = cell
    return Vocabulary().encode(values)


def _heads_message(counts: Mapping[str, int], line: int) -> str:
    return f"{counts['heads']} heads are no words of their sentence: counted as missing"


def _parsed_ids(source: Source, ids: CodedColumn, numbers: Ints) -> tuple[Ints, Ints]:
    """First and last word number of each line: last is 0 for a word, both are 0 for an empty node."""
    bounds = []
    for name in ids.names:
        span = RANGE.fullmatch(name)
        if span or WORD.fullmatch(name):
            bounds.append((int(span[1]), int(span[2])) if span else (int(name), 0))
        else:
            bounds.append((0, 0) if EMPTY_NODE.fullmatch(name) else (-1, -1))
    first, last = np.array(bounds or [(0, 0)], np.int64)[ids.codes].T if len(ids.codes) else np.zeros((2, 0), np.int64)
    for row in np.flatnonzero(first < 0).tolist():
        identifier = ids.names[int(ids.codes[row])]
        source.add_problem(
            "word.bad-number",
            int(numbers[row]),
            1,
            found=f"the word number {identifier!r}",
            expected="such as 3, 3-4 or 3.1",
            remedies=["mend the first column"],
        )
    return first, last


def _in_ranges(
    source: Source, numbers: Ints, sentence: Ints, words: Ints, ranges: Ints, first: Ints, lengths: Ints, expected: Ints
) -> Mask:
    """The words inside ranges, after checking that each range stands before its words and none crosses another."""
    start = np.searchsorted(words, ranges)  # the word after each range line
    end = start + np.maximum(lengths, 0)
    is_possible = (lengths > 0) & (end <= len(words))
    last = words[np.where(is_possible, end - 1, 0)] if len(words) else np.zeros(len(ranges), np.int64)
    fits = is_possible & (sentence[last] == sentence[ranges]) & (np.append(expected, 0)[start] == first)
    is_disjoint = np.append(0, np.maximum.accumulate(end))[:-1] <= start
    for row in np.flatnonzero(~fits | ~is_disjoint).tolist():
        name = f"{first[row]}-{first[row] + lengths[row] - 1}"
        actual, wanted, remedy = f"the range {name} across another", "them apart", "remove one"
        if not fits[row]:
            actual, wanted, remedy = f"the range {name}", "its words on the next lines", "mend the range"
        line = int(numbers[ranges[row]])
        source.add_problem("range.malformed", line, 1, found=actual, expected=wanted, remedies=[remedy])
    change = np.bincount(start[fits], minlength=len(words) + 1) - np.bincount(end[fits], minlength=len(words) + 1)
    return np.asarray(np.cumsum(change)[: len(words)] > 0)


def _cut_documents(
    source: Source,
    begins: list[tuple[int, str]],
    numbers: Ints,
    rows: Rows,
    columns: dict[str, CodedColumn],
    heads: Ints,
    before: int,
) -> Iterator[Document]:
    """The documents, each a slice of the columns; lines are numbers in the file."""
    is_blank = np.fromiter((not name.strip() for name in columns["words"].names), bool)
    for row in np.flatnonzero(is_blank[columns["words"].codes]).tolist():
        source.add_problem(
            "word.empty",
            int(numbers[row]),
            1,
            found="a word without a character",
            expected="a form",
            remedies=["write the word"],
        )
    words, tokens = (
        CodedColumn(columns["words"].codes[row_numbers], columns["words"].names)
        for row_numbers in (rows.words, rows.tokens)
    )
    word_columns = {
        name: CodedColumn(cells.codes[rows.words], cells.names) for name, cells in columns.items() if name != "words"
    }
    cuts = np.searchsorted(numbers[rows.words], [line for line, _ in begins]).tolist()
    plain = len(rows.words) == len(rows.tokens) and not rows.multiword.any()
    for (line, id), start, end in zip(begins, cuts, [*cuts[1:], len(rows.words)], strict=True):
        if start == end and not id:
            continue  # nothing before the first document
        first, after = (int(rows.owner[start]), int(rows.owner[end - 1]) + 1) if end > start else (0, 0)
        sentences = rows.sentences[(rows.sentences >= start) & (rows.sentences < end)] - start
        yield Document(
            id or source.stem,
            words.slice(start, end),
            {name: column.slice(start, end) for name, column in word_columns.items()},
            None if plain else tokens.slice(first, after),
            None if plain else rows.owner[start:end] - first,
            None if plain else rows.multiword[first:after],
            sentences,
            heads=np.where(heads[start:end] >= 0, heads[start:end] - start, heads[start:end]),
            lines=numbers[rows.words[start:end]],
            path=source.name,
            line=line,
            sentences_before=before,
        )


def sniff(head: str) -> bool:
    for line in head.split("\n"):
        if line and not line.startswith("#"):
            return line.count("\t") == WIDTH - 1 and line.partition("\t")[0].replace("-", "").replace(".", "").isdigit()
    return False


def write(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        yield heading(document, "conllu")
        words, surface = document.words.values(), document.surface.values()
        columns = [document.column(name).values() for name in FIRST_COLUMNS[1:]]
        relations, edges = document.column("deprel").values(), document.column("deps").values()
        if document.columns.get("upos") is None and "tag" in document.columns:
            columns[FIRST_COLUMNS.index("xpos") - 1] = [
                "|".join(alternatives(tags)) for tags in document.column("tag").values()
            ]
        owner = np.arange(len(words)) if document.owner is None else document.owner
        sizes = np.bincount(owner, minlength=len(surface)).tolist()
        starts = set(document.sentences.tolist())
        spacing = _Spacing(document, surface, owner)
        number = 0
        for index, word in enumerate(words):
            if index in starts:
                yield "\n" * bool(index) + spacing.text_line(index)
            number = 1 if index in starts else number + 1
            token = int(owner[index])
            first_of_token = index == 0 or int(owner[index - 1]) != token
            if first_of_token and document.multiword is not None and document.multiword[token]:
                form = one_cell(surface[token], "conllu", "token", document)
                yield f"{number}-{number + sizes[token] - 1}\t{form}" + "\t_" * 7 + f"\t{spacing.after(token)}\n"
            row = [word, *(column[index] or "_" for column in columns), _head(document, index, index - number + 1)]
            row += [relations[index] or "_", edges[index] or "_"]
            cells = "\t".join(one_cell(cell, "conllu", "cell", document) for cell in row)
            is_token = document.multiword is None or not document.multiword[token]
            yield f"{number}\t{cells}\t{spacing.after(token) if is_token else '_'}\n"
        yield "\n"


class _Spacing:
    """The comments `# text` and the cells `SpaceAfter=No`, where a document has the characters between its tokens."""

    def __init__(self, document: Document, surface: Sequence[str], owner: Ints) -> None:
        self.surface, self.gaps = surface, document.gaps
        firsts = [int(owner[word]) for word in document.sentences.tolist() if word < len(owner)]
        self.ends = dict(zip(firsts, [*firsts[1:], len(surface)], strict=False))  # a text may have no word
        self.first_token = dict(zip(document.sentences.tolist(), firsts, strict=False))

    def text_line(self, word: int) -> str:
        """The comment with the text of the sentence that begins with a word."""
        if self.gaps is None:
            return ""
        first = self.first_token[word]
        tokens = range(first, self.ends[first])
        text = "".join(self.gaps[token] + self.surface[token] for token in tokens)
        return f"# text = {' '.join(text.split())}\n"

    def after(self, token: int) -> str:
        """The last cell of a token: nothing, or that no blank follows it."""
        is_last = token == len(self.surface) - 1
        return "SpaceAfter=No" if self.gaps is not None and not is_last and not self.gaps[token + 1] else "_"


def _head(document: Document, word: int, first: int) -> str:
    """The head of a word as the file writes it; `first` is the first word of the sentence."""
    head = NO_HEAD if document.heads is None else int(document.heads[word])
    return "_" if head == NO_HEAD else "0" if head == ROOT else str(head - first + 1)


def splice(
    source: Source, after: Sequence[Document], /, *, documents: Documents = "file", empty_nodes: EmptyNodes = "ignore"
) -> bytes:
    """The file with other lemmas, tags, features, heads and relations: only the cells that change are written."""
    edits, lines = Edits(source), Lines(source.text)
    for old, new in pair_with_file(source, list(read(source, documents=documents, empty_nodes=empty_nodes)), after):
        assert old.lines is not None
        firsts = np.repeat(old.sentences, np.diff([*old.sentences, len(old)])).tolist()
        cells = {
            place: (old.column(name).values(), new.column(name).values())
            for place, name in ((2, "lemma"), (3, "upos"), (4, "xpos"), (5, "feats"), (7, "deprel"), (8, "deps"))
        }
        heads = [[_head(document, word, first) for word, first in enumerate(firsts)] for document in (old, new)]
        cells[6] = heads[0], heads[1]
        for place, (old_values, new_values) in cells.items():
            for line, old_value, value in zip(old.lines.tolist(), old_values, new_values, strict=True):
                if old_value != value:
                    change_cell(edits, lines, line, place, old_value, one_cell(value or "_", "conllu", "cell", new))
    return edits.apply()


CARRIES = frozenset({"lemma", "feats", "xpos", "heads", "deps", "multiword", "sentences"})
FORMAT = Format(read, sniff, write, CARRIES, (".conllu",), splice=splice, boundaries=NEWDOC_LINES)
