"""WebAnno TSV 3: a token per line, and columns for the features of layers, read as layers of annotation.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=webanno.custom.Span|value                          spans with a feature
    #T_CH=webanno.custom.Coref|referenceRelation|referenceType    chains
    #T_RL=webanno.custom.Relation|value|BT_webanno.custom.Span    relations between spans

    1-1	0-3	Ann	PER[1]	ana->1-1	*[2]	_	_

In cells, `|` separates annotations, `[1]` after an annotation is its number, `*` has no value, `_` means none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from aune.reading.source import Source
from aune.syntax.columns import column_of
from aune.syntax.layers import TOKEN, LayerChain, LayeredText, LayerRelation, LayerSpan, short_name
from aune.syntax.writing import refuse

MAGIC = "#FORMAT=WebAnno TSV 3"
OLDER = re.compile(r"(?:\s*#[^\n]*\n)*?\s*# ?(?:webanno\.custom\.|de\.tudarmstadt\.|id=\S+\s*\n#text=)")
"""How files of the versions 1 and 2 begin."""
ROW = re.compile(r"(\d+)-(\d+)(\.\d+)?")
OFFSETS = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
ITEM = re.compile(r"((?:\\.|[^\\])*?)(?:\[(\d+)\])?", re.DOTALL)
LINK = re.compile(r"((?:\\.|[^\\])*?)->(\d+)-(\d+)", re.DOTALL)
GOVERNOR = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)(?:_(\d+))?\])?")
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
ESCAPED = {"t": "\t", "n": "\n", "r": "\r"}
SPECIAL = re.compile(r"[\\\[\]|_;*\t\n\r]|->")
LINE_SIGNS = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
SIGNS = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "->": "\\->"}


class LayerColumns(NamedTuple):
    """The columns of a layer."""

    kind: str
    """SP, CH or RL."""
    layer: str
    features: tuple[str, ...]
    """One for each column; empty for that of a layer without features."""
    first: int
    """The first of the columns, counted after the token."""
    base: str = ""
    """Of a relation: the layer that it connects."""


@dataclass
class TsvRow:
    """A line of a token, or of a part of one."""

    number: int
    name: str
    sentence: str
    start: int
    end: int
    cells: Sequence[str]
    is_part: bool = False
    spans: dict[tuple[str, str], str] = field(default_factory=dict)
    """The ids of the spans that begin or continue here, by layer and number."""


def unescape(cell: str) -> str:
    r"""The text of a cell.

    >>> unescape(r"a\|b\_")
    'a|b_'
    """
    return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), cell)


def escape(text: str) -> str:
    r"""A text in the notation of a cell.

    >>> escape("a|b_")
    'a\\|b\\_'
    """
    return SPECIAL.sub(lambda match: SIGNS.get(match[0], f"\\{match[0]}"), text)


def layer_columns(text: str) -> list[LayerColumns]:
    """The columns that the header names."""
    columns: list[LayerColumns] = []
    place = 0
    for line in text.split("\n"):
        match = re.match(r"#T_(SP|CH|RL)=(.*)", line)
        if match:
            layer, *names = match[2].strip().split("|")
            base = next((name.removeprefix("BT_") for name in names if name.startswith("BT_")), "")
            columns.append(LayerColumns(match[1], layer, tuple(names) or ("",), place, base))
            place += max(len(names), 1)
        elif line and not line.startswith("#"):
            break
    return columns


def read_layers(source: Source) -> LayeredText:
    """The text of a file with its layers; problems of a line are reported."""
    if OLDER.match(source.text):
        source.add_problem(
            "format.unknown", 1, 1, found="WebAnno TSV 1 or 2", expected="WebAnno TSV 3",
            remedies=["export it as WebAnno TSV 3"],
        )  # fmt: skip
        return LayeredText(source.stem)
    columns = layer_columns(source.text)
    rows = list(_rows(source))
    text = LayeredText(source.stem, has_header=True)
    _place_rows(source, rows, text)
    for column in columns:
        if column.kind == "SP":
            text.layers[column.layer] = [name for name in column.features if name and not _is_slot(column, name)]
    for column in columns:
        if column.kind == "SP":
            _add_spans(rows, column, text)
        elif column.kind == "CH":
            _add_chains(rows, column, text)
    for column in columns:
        if column.kind == "RL" and short_name(column.base) == TOKEN:
            ends = column.first + len(column.features) + 2
            text.left_out["relations between tokens"] += sum(
                len(row.cells) > ends and row.cells[ends] not in ("_", "") for row in rows
            )  # fmt: skip
        elif column.kind == "RL":
            _add_relations(source, rows, column, text)
    text.left_out = +text.left_out
    return text


def _is_slot(column: LayerColumns, name: str) -> bool:
    """Whether a column contains roles of slots, or their fillers, which come after the roles."""
    place = column.features.index(name)
    return name.startswith("ROLE_") or (place > 0 and column.features[place - 1].startswith("ROLE_"))


def _rows(source: Source) -> Iterator[TsvRow]:
    for number, line in source.lines():
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        row, offsets = ROW.fullmatch(cells[0]), OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
        if row is None or offsets is None:
            source.add_problem(
                "line.malformed", number, 1, found=f"{line[:40]!r}",
                expected="such as '1-1⇥0-7⇥word' with tabs for ⇥", remedies=["mend the line"],
            )  # fmt: skip
        else:
            yield TsvRow(number, cells[0], row[1], int(offsets[1]), int(offsets[2]), cells, row[3] is not None)


def _place_rows(source: Source, rows: list[TsvRow], text: LayeredText) -> None:
    """Build the text from the tokens, and give the rows positions in it, counted in characters.

    Offsets count UTF-16 code units, or characters if only those fit the words. If neither fits, or offsets decrease, a
    problem is reported.
    """
    tokens = [row for row in rows if not row.is_part]
    by_units = all(row.end - row.start == _units(row.cells[2]) for row in tokens)
    by_characters = all(row.end - row.start == len(row.cells[2]) for row in tokens)
    pieces: list[str] = []
    size = units = 0
    sentence = ""
    origin, word = 0, ""
    for row in rows:
        limit = 2 * units + len(source.text) + 100
        if not row.is_part:
            gap, token = row.start - units, row.cells[2]
            if gap < 0 or row.start > limit or not (by_units or by_characters):
                source.add_problem(
                    "token.misplaced", row.number, len(row.name) + 2, found=f"{token[:20]!r} at {row.cells[1]}",
                    expected=f"{units} or more, and as many characters as the word has",
                    remedies=["correct the offsets"],
                )  # fmt: skip
                gap = max(gap, 0) if row.start <= limit else 1
            is_first, sentence = row.sentence != sentence, row.sentence
            pieces += ["\n" if is_first and pieces and gap else "", " " * (gap - bool(is_first and pieces and gap))]
            size += gap
            if is_first:
                text.sentences.append(size)
            pieces.append(token)
            text.tokens.append((size, size + len(token)))
            origin, word, units = row.start, token, row.end
            row.start, row.end = size, size + len(token)
            size += len(token)
        elif word:
            begin = size - len(word)
            row.start, row.end = (
                begin + _characters(word, place - origin, by_units) for place in (row.start, row.end)
            )  # fmt: skip
    text.text = "".join(pieces)


def _units(word: str) -> int:
    return len(word) + sum(sign > "\uffff" for sign in word)


def _characters(word: str, units: int, by_units: bool) -> int:
    """How many characters the first units of a word are."""
    if not by_units:
        return min(max(units, 0), len(word))
    count = 0
    for place, sign in enumerate(word):
        if count >= units:
            return place
        count += 1 + (sign > "\uffff")
    return len(word)


def split_items(cell: str) -> list[tuple[str, str]]:
    r"""The annotations of a cell, each with its number.

    >>> split_items(r"a\|b[1]|*[2]"), split_items("_")
    ([('a\\|b', '1'), ('*', '2')], [])
    """
    cell = cell.strip(" ")
    if cell in ("_", ""):
        return []
    matches = (ITEM.fullmatch(part) for part in re.split(r"(?<!\\)(?:\\\\)*\|", cell))
    return [(match[1], match[2] or "") for match in matches if match]


def _value(text: str) -> str:
    return "" if text == "*" else unescape(text)


def _layer_cells(row: TsvRow, column: LayerColumns) -> list[list[tuple[str, str]]]:
    """The annotations in each column of a layer."""
    cells = row.cells[3 + column.first : 3 + column.first + len(column.features)]
    return [split_items(cell) for cell in cells]


def _add_spans(rows: Sequence[TsvRow], column: LayerColumns, text: LayeredText) -> None:
    for row in rows:
        cells = _layer_cells(row, column)
        for place in range(max(map(len, cells), default=0)):
            number = next((items[place][1] for items in cells if place < len(items) and items[place][1]), "")
            features = {
                name: value for name, items in zip(column.features, cells, strict=False)
                if name in text.layers[column.layer] and place < len(items) and (value := _value(items[place][0]))
            }  # fmt: skip
            slots = [items for name, items in zip(column.features, cells, strict=False) if name.startswith("ROLE_")]
            text.left_out["slots"] += sum(len(items[place][0].split(";")) for items in slots if items[place:]
                                          and items[place][0] not in ("*", "_"))  # fmt: skip
            _extend_span(text, row, column, number or f"{row.name}|{place}", features)
    text.left_out = +text.left_out


def _extend_span(text: LayeredText, row: TsvRow, column: LayerColumns, number: str, features: dict[str, str]) -> None:
    """Add a span that begins in a row, or extend it."""
    name = f"{column.layer}#{number}"
    span = text.spans.get(name)
    if span is None:
        place = column_of(row.cells, min(3 + column.first, len(row.cells) - 1))
        span = LayerSpan(name, column.layer, row.start, row.end, features, row.number, place)
    text.spans[name] = span._replace(start=min(span.start, row.start), end=max(span.end, row.end))
    row.spans.setdefault((column.layer, number if number.isdigit() else ""), name)


def _add_chains(rows: Sequence[TsvRow], column: LayerColumns, text: LayeredText) -> None:
    members: dict[str, dict[int, str]] = {}
    for row in rows:
        cells = [*_layer_cells(row, column), [], []]
        if any(LINK.fullmatch(item) for item, _ in cells[1]):  # the header names the columns the other way round
            cells[:2] = cells[1], cells[0]
        for place, (item, _) in enumerate(cells[0]):
            link = LINK.fullmatch(item)
            if link is None:
                continue
            kind = _value(cells[1][place][0]) if place < len(cells[1]) else ""
            features = {"referenceType": kind, "referenceRelation": _value(link[1])}
            number = f"{link[2]}-{link[3]}"
            _extend_span(text, row, column, number, {name: value for name, value in features.items() if value})
            members.setdefault(link[2], {})[int(link[3])] = f"{column.layer}#{number}"
    text.chains += [
        LayerChain(column.layer, [links[place] for place in sorted(links)]) for links in members.values()
    ]  # fmt: skip


def _add_relations(source: Source, rows: Sequence[TsvRow], column: LayerColumns, text: LayeredText) -> None:
    by_name = {row.name: row for row in rows}
    ends_place = next((place for place, name in enumerate(column.features) if name.startswith("BT_")), 0)
    for row in rows:
        cell = row.cells[3 + column.first + ends_place] if len(row.cells) > 3 + column.first + ends_place else "_"
        labels = _layer_cells(row, column)
        for place, part in enumerate(part for part in cell.strip().split("|") if part not in ("_", "*", "")):
            match = GOVERNOR.fullmatch(part)
            numbers = [(match[2] or "0"), (match[3] or "0")] if match else []
            governor = by_name.get(match[1]) if match else None
            ends = [_span_at(text, end, column.base, number)
                    for end, number in zip((governor, row), numbers, strict=False)]  # fmt: skip
            if len(ends) < 2 or None in ends:
                source.add_problem(
                    "mention.unknown", row.number, column_of(row.cells, 3 + column.first + ends_place),
                    found=f"{part[:40]!r}", expected="the row of an annotation, and the numbers of two of them",
                    remedies=["correct the relation"],
                )  # fmt: skip
                continue
            features = {
                name: value for name, items in zip(column.features[:ends_place], labels, strict=False)
                if place < len(items) and (value := _value(items[place][0]))
            }  # fmt: skip
            text.relations.append(LayerRelation(column.layer, str(ends[0]), str(ends[1]), features))


def _span_at(text: LayeredText, row: TsvRow | None, layer: str, number: str) -> str | None:
    """The span of a layer in a row that has a number (0: the only one)."""
    if row is None:
        return None
    if number != "0" and f"{layer}#{number}" in text.spans:
        return f"{layer}#{number}"
    wanted = "" if number == "0" else number
    exact = row.spans.get((layer, wanted))
    return exact or next((name for (_, other), name in row.spans.items() if wanted in ("", other)), None)


def write_sentences(
    words: Sequence[str], starts: Sequence[int], rows: Sequence[Sequence[str]], form: str, owner: str
) -> Iterator[str]:
    """The sentences of a text: each word with its position, and the cells of its row."""
    bounds = [*sorted({0, *starts}), len(words)]
    offset = 0
    for number, (first, last) in enumerate(pairwise(bounds), 1):
        sentence = words[first:last]
        text = " ".join(sentence)
        yield f"\n#Text={text.translate(LINE_SIGNS)}\n"
        for place, word in enumerate(sentence, 1):
            if not word or word != word.strip() or any(sign in word for sign in "\t\n\r"):
                refuse(form, f"the word {word!r}, which is not one cell of a line", owner, instead="jsonlines")
            end = offset + _units(word)
            yield "\t".join([f"{number}-{place}", f"{offset}-{end}", word, *rows[first + place - 1]]) + "\t\n"
            offset = end + 1
