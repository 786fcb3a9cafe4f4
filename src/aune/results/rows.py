"""Rows of counts at the finest unit, and the two operations on them: adding up and grouping.

Rows are stored in blocks, one per counted chunk: attributes of the units as codes into packed names, the counts in
the smallest type that fits. They become float64 or lists of strings only on access.

Sums do not depend on the order of the rows, down to the last digit: whole numbers are exact in any order, and other
columns are summed exactly (`math.fsum`) or in sorted order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import is_
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from aune.contract.measure import Column, Counts, Layout, flatten, layout_of
from aune.contract.options import check_known
from aune.errors import UsageError
from aune.numeric.arrays import Ints, Numbering, distinct, ranges
from aune.numeric.digests import digest_bytes, digests

NO_VALUE = "-"  # how a missing value of an attribute is shown
SMALL_TYPES = (np.uint8, np.uint16, np.uint32)


class PackedStrings(Sequence[str]):
    """Strings in one array of bytes.

    >>> list(PackedStrings.from_strings(["a", "", "né"]))
    ['a', '', 'né']
    """

    __slots__ = ("data", "sizes")

    def __init__(self, data: bytes, sizes: NDArray[Any]) -> None:
        self.data = data
        self.sizes = shrink_type(sizes)

    @classmethod
    def from_strings(cls, values: Sequence[str]) -> PackedStrings:
        encoded = [value.encode(errors="surrogatepass") for value in values]
        return cls(b"".join(encoded), np.fromiter(map(len, encoded), np.uint32, len(encoded)))

    @property
    def ends(self) -> Ints:
        return np.cumsum(self.sizes, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.sizes)

    def take(self, order: NDArray[Any]) -> PackedStrings:
        """The same strings in another order; they are copied a few at a time, to save memory."""
        text, starts = np.frombuffer(self.data, np.uint8), self.ends - self.sizes
        parts = []
        for first in range(0, len(order), ROWS_AT_ONCE // 8):
            selected = order[first : first + ROWS_AT_ONCE // 8]
            parts.append(text[ranges(starts[selected], self.sizes[selected].astype(np.int64))].tobytes())
        return PackedStrings(b"".join(parts), self.sizes[order])

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        number = range(len(self))[index]
        start = int(self.sizes[:number].sum(dtype=np.int64))
        return self.data[start : start + int(self.sizes[number])].decode(errors="surrogatepass")

    def __iter__(self) -> Iterator[str]:
        start = 0
        for end in self.ends.tolist():
            yield self.data[start:end].decode(errors="surrogatepass")
            start = end

    def slices(self, size: int) -> Iterator[list[str]]:
        """The strings, in slices of at most this size."""
        ends, start = self.ends, 0
        for first in range(0, len(ends), size):
            strings = []
            for end in ends[first : first + size].tolist():
                strings.append(self.data[start:end].decode(errors="surrogatepass"))
                start = end
            yield strings


class CodedColumn(NamedTuple):
    """One attribute of the rows of a block: the distinct names, and the code of each row, an index into them.

    Without codes every row has a different name, in order. The code after the last name means that a row has no value.
    """

    names: PackedStrings
    codes: NDArray[Any] | None = None

    @property
    def size(self) -> int:
        return len(self.names) if self.codes is None else len(self.codes)

    def values(self) -> list[str]:
        if self.codes is None:
            return list(self.names)
        labels = [*self.names, NO_VALUE]
        return [labels[code] for code in self.codes.tolist()]


def encode_column(values: Sequence[str | None]) -> CodedColumn:
    """A compact column for one attribute; None means no value."""
    if len(set(values)) == len(values) and None not in values:
        return CodedColumn(PackedStrings.from_strings(values))  # type: ignore[arg-type] # no None among them
    names, codes = encode_values(values)  # type: ignore[arg-type] # None gets its own code just below
    if None in names:
        place = names.index(None)  # type: ignore[arg-type]
        codes = np.where(codes == place, len(names), codes)
        codes -= codes > place
        names.pop(place)
    return CodedColumn(PackedStrings.from_strings(names), shrink_type(codes))


class Attribute(Sequence[str]):
    """One attribute of all rows, block after block; '' for blocks that do not have it."""

    def __init__(self, parts: Sequence[CodedColumn], size: int | None = None) -> None:
        """`size` is the number of rows, if it is known without reading the parts."""
        self.parts = parts
        self._size = size

    def __len__(self) -> int:
        if self._size is None:
            self._size = sum(part.size for part in self.parts)
        return self._size

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(part.values() for part in self.parts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        index = range(len(self))[index]
        for part in self.parts:
            if index < part.size:
                code = index if part.codes is None else int(part.codes[index])
                return part.names[code] if code < len(part.names) else NO_VALUE
            index -= part.size
        raise IndexError(index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def same_as(self, other: object) -> bool:
        """Whether another attribute seems to have the same values, without comparing them."""
        if self is other or not isinstance(other, Attribute):
            return self is other
        parts, others = self.parts, other.parts
        return parts is others or (
            isinstance(parts, list)
            and isinstance(others, list)
            and len(parts) == len(others)
            and all(map(is_, parts, others))
        )

    @property
    def is_distinct(self) -> bool:
        """Whether every row has a different name, as far as digests show: False may come from a collision."""
        if any(part.codes is not None for part in self.parts):
            return False
        hashes = np.concatenate([_digest_column(part) for part in self.parts])
        hashes.sort()
        return not (hashes[1:] == hashes[:-1]).any()

    def has_same_names(self, other: Attribute) -> bool:
        """Whether every row has the same name as in another attribute, as far as digests show."""
        if self.same_as(other):
            return True
        hashes, others = (np.concatenate([_digest_column(part) for part in side.parts]) for side in (self, other))
        return np.array_equal(hashes, others)

    @property
    def distinct_count(self) -> int:
        """The number of different names, by their digests."""
        return len(distinct(np.concatenate([distinct(_digest_column(part)) for part in self.parts])))

    def has_at_least(self, number: int) -> bool:
        """Whether there are at least this many names; no more parts are read than necessary."""
        several: set[int] = set()
        for part in self.parts:
            several.update(distinct(_digest_column(part))[:number].tolist())
            if len(several) >= number:
                return True
        return number <= 0

    @cached_property
    def block_numbers(self) -> NDArray[np.uint16] | None:
        """The block that each row is assigned to by the digest of its name; None if there are few names."""
        numbers = np.empty(len(self), np.uint16)
        several: set[int] = set()
        start = 0
        for part in self.parts:
            digested = _digest_column(part)
            if len(several) <= MOST_UNITS:
                several.update(np.unique(digested)[: MOST_UNITS + 1].tolist())
            numbers[start : start + len(digested)] = digested % np.uint64(BLOCK_COUNT)
            start += len(digested)
        return numbers if len(several) > MOST_UNITS else None

    def encode(self) -> tuple[list[str], Ints]:
        """The distinct names in order of first appearance, and the number of each row's name; -1 for no value."""
        numbers: Numbering[str] = Numbering()
        codes = []
        for part in self.parts:
            part_codes = numbers.codes(part.names, len(part.names))
            codes.append(part_codes if part.codes is None else np.append(part_codes, -1)[part.codes])
        all_codes = np.concatenate(codes) if codes else np.zeros(0, np.int64)
        names, order = list(numbers), np.arange(len(numbers))
        used = np.unique(all_codes[all_codes >= 0], return_index=True)  # names are in the order of blocks, not of rows
        if len(used[0]) < len(names) or (np.diff(used[1]) < 0).any():
            ranked = used[0][np.argsort(used[1], kind="stable")]
            order = np.full(len(numbers) + 1, -1)
            order[ranked] = np.arange(len(ranked))
            names, all_codes = [names[number] for number in ranked.tolist()], order[all_codes]
        return names, all_codes


class Block(NamedTuple):
    """The rows of one chunk: their attributes, and every column that some measure counts, each once."""

    attributes: Mapping[str, CodedColumn]
    columns: Sequence[Column]
    columns_by_measure: Mapping[str, tuple[int, ...]]
    """The columns of each measure, by its name."""

    @property
    def size(self) -> int:
        return next(iter(self.attributes.values())).size

    def measure_columns(self, measure: str) -> list[Column]:
        return [self.columns[number] for number in self.columns_by_measure[measure]]


def make_block(units: Mapping[str, Sequence[str | None]], matrices: Mapping[str, Column]) -> Block:
    """A block from the units of a chunk and the counts of each measure as a matrix."""
    columns: list[Column] = []
    known: dict[tuple[Any, ...], int] = {}
    columns_by_measure = {}
    for measure, matrix in matrices.items():
        numbers = []
        for column in np.ascontiguousarray(matrix.T):
            small = shrink_type(column)
            content = (small.dtype.str, small.tobytes())
            if content not in known:
                known[content] = len(columns)
                columns.append(small)
            numbers.append(known[content])
        columns_by_measure[measure] = tuple(numbers)
    same_values: dict[int, CodedColumn] = {}
    attributes = {}
    for name, values in units.items():
        if id(values) not in same_values:
            same_values[id(values)] = encode_column(values)
        attributes[name] = same_values[id(values)]
    if "utterance" in attributes and attributes["document"].codes is None and units["document"] == units["utterance"]:
        attributes["utterance"] = attributes["document"]  # utterances without a document are documents themselves
    return Block(attributes, columns, columns_by_measure)


def shrink_type(column: Column) -> Column:
    """A column in the smallest type that represents it exactly."""
    if not len(column):
        return column.astype(np.uint8)
    if column.dtype.kind == "f" and not (column == np.floor(column)).all():
        return column
    least, most = column.min(), column.max()
    if least >= 0:
        for kind in SMALL_TYPES:
            if most <= np.iinfo(kind).max:
                return column.astype(kind)
    return column.astype(np.int64) if abs(least) < 2**62 and abs(most) < 2**62 else column


def reorder_blocks(blocks: Sequence[Block], order: Ints) -> Block:
    """All rows of some blocks as one block, in another order."""
    names = dict.fromkeys(name for block in blocks for name in block.attributes)
    attributes: dict[str, CodedColumn] = {}
    finished: list[tuple[Attribute, CodedColumn]] = []
    for name in names:
        attribute = join_attribute(blocks, name)
        known = next((column for other, column in finished if attribute.same_as(other)), None)
        attributes[name] = known or _reorder_attribute(attribute, order)
        finished.append((attribute, attributes[name]))
    columns: list[Column] = []
    columns_by_measure = {}
    shared: dict[tuple[tuple[int, ...], ...], int] = {}
    for measure in blocks[0].columns_by_measure:
        if not all(measure in block.columns_by_measure for block in blocks):
            continue
        numbers = []
        for place in range(len(blocks[0].columns_by_measure[measure])):
            same = tuple((block.columns_by_measure[measure][place],) for block in blocks)
            if same not in shared:
                shared[same] = len(columns)
                joined = np.concatenate([block.columns[block.columns_by_measure[measure][place]] for block in blocks])
                columns.append(joined[order])
            numbers.append(shared[same])
        columns_by_measure[measure] = tuple(numbers)
    return Block(attributes, columns, columns_by_measure)


def _reorder_attribute(attribute: Attribute, order: Ints) -> CodedColumn:
    """The values of all rows in another order."""
    if all(part.codes is None for part in attribute.parts):  # a different name for each row, and perhaps very many
        data = b"".join(part.names.data for part in attribute.parts)
        return CodedColumn(
            PackedStrings(data, np.concatenate([part.names.sizes for part in attribute.parts])).take(order)
        )
    known, codes = attribute.encode()
    return CodedColumn(PackedStrings.from_strings(known), shrink_type(np.where(codes < 0, len(known), codes)[order]))


def join_attribute(blocks: Sequence[Block], name: str) -> Attribute:
    return Attribute([block.attributes.get(name) or _blank_column(block.size) for block in blocks])


def _blank_column(size: int) -> CodedColumn:
    return CodedColumn(PackedStrings.from_strings([""]), np.zeros(size, np.uint8))


def join_attributes(blocks: Sequence[Block]) -> dict[str, Attribute]:
    """The attributes of the rows of all blocks: the document first, the rest by name; those without values left out."""
    names = {name for block in blocks for name in block.attributes}
    attributes = {}
    for name in sorted(names, key=lambda name: (name != "document", name)):
        attribute = join_attribute(blocks, name)
        if name == "document" or any(len(part.names) for part in attribute.parts):
            attributes[name] = attribute
    return attributes


class Rows:
    """A row of counts per unit, with the attributes of each unit (its document, speaker, genre…)."""

    def __init__(
        self, attributes: Mapping[str, Sequence[str]], counts: Column | Sequence[Sequence[Column]], layout: Layout
    ) -> None:
        """`counts` is a matrix, or the columns of every block."""
        self.attributes = attributes
        self.layout = layout
        self.blocks: Sequence[Sequence[Column]] = [list(counts.T)] if isinstance(counts, np.ndarray) else counts
        """The columns of every block."""
        self._matrix = counts if isinstance(counts, np.ndarray) else None

    def __len__(self) -> int:
        return len(next(iter(self.attributes.values()))) if self._matrix is None else len(self._matrix)

    @property
    def matrix(self) -> Column:
        """(rows, columns) as float64: computed on access, and not stored."""
        if self._matrix is not None:
            return self._matrix
        matrix = np.empty((len(self), self.layout.width))
        start = 0
        for block in self.blocks:
            size = len(block[0]) if block else 0
            for place, column in enumerate(block):
                matrix[start : start + size, place] = column
            start += size
        return matrix

    @cached_property
    def total(self) -> Column:
        """The sums of the columns; they do not depend on cuts and order."""
        sums = [0] * self.layout.width
        broken: set[int] = set()
        for block in self.blocks:
            for place, column in enumerate(block):
                if column.dtype.kind in "ui":
                    sums[place] += int(column.sum(dtype=np.int64))
                else:
                    broken.add(place)
        exact = {place: math.fsum(chain.from_iterable(block[place].tolist() for block in self.blocks))
                 for place in broken}  # fmt: skip
        return np.array([exact.get(place, float(number)) for place, number in enumerate(sums)], float)

    @property
    def counts(self) -> Counts:
        """All rows, as the measure's `Counts`."""
        return self.layout.unflatten(self.matrix)


class LateRows(Rows):
    """Rows of which the total is known, and which are counted when somebody looks at them."""

    def __init__(self, total: Column, layout: Layout, count: Callable[[], Rows]) -> None:
        self.total = total
        self.layout = layout
        self._count = count

    def __getattr__(self, name: str) -> Any:
        if name not in ("attributes", "blocks", "_matrix"):
            raise AttributeError(name)
        rows = self._count()
        self.attributes, self.blocks, self._matrix = rows.attributes, rows.blocks, rows._matrix
        return getattr(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (self.attributes, self.blocks, self.layout)


def make_rows(units: Mapping[str, Sequence[str]], chunks: Sequence[Counts]) -> Rows:
    """The counts of one or several chunks as rows."""
    return Rows(units, np.concatenate([flatten(counts) for counts in chunks]), layout_of(chunks[0]))


def join_units(chunks: Sequence[Mapping[str, Sequence[str | None]]]) -> Mapping[str, Sequence[str]]:
    """The attributes of the units of several chunks, concatenated; '' where a chunk lacks one."""
    return join_attributes([make_block(chunk, {}) for chunk in chunks])


def column_totals(matrix: Column) -> Column:
    """The sum of each column, independent of the order of the rows.

    >>> column_totals(np.array([[0.1, 1], [0.2, 2], [0.3, 3]])).tolist()
    [0.6, 6.0]
    """
    sums: Column = matrix.sum(axis=0)
    for index in np.flatnonzero(~whole_columns(matrix)):
        sums[index] = math.fsum(matrix[:, index].tolist())
    return sums


def whole_columns(matrix: Column) -> NDArray[np.bool_]:
    """Which columns contain only whole numbers."""
    return np.asarray((matrix == np.floor(matrix)).all(axis=0))


def resolve_attribute(word: str, known: Collection[str]) -> str:
    """The attribute that a word means: some formats call `type` what others call `label`."""
    return {"type": "label", "label": "type"}.get(word, word) if word not in known else word


def group(rows: Rows, by: str) -> Rows:
    """One row per value of an attribute, in order of first appearance; rows without a value belong to no group."""
    check_known([by], rows.attributes, "attribute to group by")
    names, codes = encode_values(rows.attributes[by])
    if len(names) == len(rows):
        return rows
    names, codes, valid = _valid_groups(names, codes)
    attributes = rows.attributes
    if valid is not None:
        attributes = {name: _take_values(values, valid) for name, values in attributes.items()}
    first = np.unique(codes, return_index=True)[1]
    same = first[codes]
    constant = {
        other: column for other, column in attributes.items() if other == by or _is_constant_within(column, same)
    }
    grouped = {other: _take_values(column, first) for other, column in constant.items()}
    return Rows(grouped, sum_groups(rows, codes, len(names), valid), rows.layout)


def iterate_groups(rows: Rows, by: str) -> Iterator[tuple[list[str], Column]]:
    """The names and the sums of the groups of `group`, a few thousand at a time; if every row is a separate group, no
    more than these are in memory.
    """
    check_known([by], rows.attributes, "attribute to group by")
    attribute = rows.attributes[by]
    if isinstance(attribute, Attribute) and attribute.is_distinct:
        yield from _iterate_rows(rows, attribute)
        return
    names, codes = encode_values(attribute)
    if len(names) == len(rows):
        sums = rows.matrix
    else:
        names, codes, valid = _valid_groups(names, codes)
        sums = sum_groups(rows, codes, len(names), valid)
    for first in range(0, len(names), GROUPS_AT_ONCE):
        yield names[first : first + GROUPS_AT_ONCE], sums[first : first + GROUPS_AT_ONCE]


GROUPS_AT_ONCE = 1 << 13  # groups whose names are strings and whose sums are float64 at the same time


def _iterate_rows(rows: Rows, names: Attribute) -> Iterator[tuple[list[str], Column]]:
    """The rows with their names, in slices of a fixed size whatever the blocks: values do not depend on blocks."""
    pending: list[str] = []
    matrices: list[Column] = []
    for texts, matrix in zip(_iterate_names(names), _iterate_counts(rows, names), strict=True):
        pending += texts
        matrices.append(matrix)
        while len(pending) >= GROUPS_AT_ONCE:
            joined = np.concatenate(matrices)
            yield pending[:GROUPS_AT_ONCE], joined[:GROUPS_AT_ONCE]
            pending, matrices = pending[GROUPS_AT_ONCE:], [joined[GROUPS_AT_ONCE:]]
    if pending:
        yield pending, np.concatenate(matrices)


def _iterate_names(names: Attribute) -> Iterator[list[str]]:
    for part in names.parts:
        yield from part.names.slices(GROUPS_AT_ONCE)


def _iterate_counts(rows: Rows, names: Attribute) -> Iterator[Column]:
    """The counts of the rows in slices that match those of their names, as float64."""
    start = 0
    blocks = iter(rows.blocks) if len(rows.blocks) == len(names.parts) else None
    for part in names.parts:
        block = next(blocks) if blocks else [column[start : start + part.size] for column in rows.blocks[0]]
        for first in range(0, part.size, GROUPS_AT_ONCE):
            size = min(GROUPS_AT_ONCE, part.size - first)
            matrix = np.empty((size, rows.layout.width))
            for place, column in enumerate(block):
                matrix[:, place] = column[first : first + size]
            yield matrix
        start += part.size


def iterate_units(tables: Sequence[Rows]) -> Iterator[tuple[dict[str, list[str | None]], list[Column]]]:
    """A few thousand units at a time: their attributes, and their counts in each of some rows of these units."""
    attributes = tables[0].attributes
    columns = {name: values for name, values in attributes.items() if isinstance(values, Attribute)}
    if len(columns) < len(attributes) or len({len(column.parts) for column in columns.values()}) > 1:
        columns = {name: Attribute([encode_column(list(values))]) for name, values in attributes.items()}
    sizes = next(iter(columns.values()))
    names = zip(*map(_iterate_values, columns.values()), strict=True)
    for texts, *matrices in zip(names, *(_iterate_counts(rows, sizes) for rows in tables), strict=True):
        yield dict(zip(columns, texts, strict=True)), matrices


def _iterate_values(attribute: Attribute) -> Iterator[list[str | None]]:
    """The values in slices; None where a row has no value."""
    for part in attribute.parts:
        if part.codes is None:
            yield from part.names.slices(GROUPS_AT_ONCE)  # type: ignore[misc] # a list of strings is only read
            continue
        labels = [*part.names, None]
        for first in range(0, part.size, GROUPS_AT_ONCE):
            yield [labels[code] for code in part.codes[first : first + GROUPS_AT_ONCE].tolist()]


def _valid_groups(names: list[str], codes: Ints) -> tuple[list[str], Ints, Ints | None]:
    """The groups and the rows that have a value, with the indices of these rows; one group if no row has a value."""
    if not names:
        return [NO_VALUE], np.zeros(len(codes), np.int64), None
    if (codes < 0).any():
        valid = np.flatnonzero(codes >= 0)
        return names, codes[valid], valid
    return names, codes, None


def sum_groups(rows: Rows, codes: Ints, groups: int, valid: Ints | None = None) -> Column:
    """The sums of the (valid) rows of each group, column by column."""
    columns: list[list[Column]] = [[] for _ in range(rows.layout.width)]
    for block in rows.blocks:
        for place, column in enumerate(block):
            columns[place].append(column)
    sums = np.zeros((groups, rows.layout.width))
    for place, parts in enumerate(columns):
        column = np.concatenate(parts)
        column = column if valid is None else column[valid]
        if column.dtype.kind in "ui" or (column == np.floor(column)).all():
            sums[:, place] = np.bincount(codes, column, groups)
        else:
            starts = np.searchsorted(np.sort(codes), np.arange(groups))
            sums[:, place] = np.add.reduceat(column[np.lexsort((column, codes))], starts)
    return sums


MOST_UNITS = 20_000  # units that are drawn one by one; larger numbers of units are drawn in blocks
BLOCK_COUNT = 2_000
ROWS_AT_ONCE = 1 << 18  # rows that are added up together


def group_into_blocks(rows: Rows, unit: str) -> Rows | None:
    """Blocks for very many units, by the digests of their names and independent of their order; else None."""
    if len(rows) <= MOST_UNITS:
        return None
    values = rows.attributes[unit]
    numbers = (values if isinstance(values, Attribute) else Attribute([encode_column(values)])).block_numbers
    if numbers is None:
        return None
    sums, sizes = np.zeros((BLOCK_COUNT, rows.layout.width)), np.zeros(BLOCK_COUNT, np.int64)
    start = 0
    for block in rows.blocks:
        size = len(block[0]) if len(block) else 0
        for first in range(0, size, ROWS_AT_ONCE):
            chunk_numbers = numbers[start + first : start + min(first + ROWS_AT_ONCE, size)]
            sizes += np.bincount(chunk_numbers, minlength=BLOCK_COUNT)
            for place, column in enumerate(block):
                sums[:, place] += np.bincount(chunk_numbers, column[first : first + ROWS_AT_ONCE], BLOCK_COUNT)
        start += size
    used = np.flatnonzero(sizes)
    return Rows({unit: [f"{BLOCK_PREFIX}{number}" for number in used.tolist()]}, sums[used], rows.layout)


BLOCK_PREFIX = "block "  # prefix of the names of blocks of units


def _digest_column(part: CodedColumn) -> NDArray[np.uint64]:
    hashes = digest_bytes(part.names.data, part.names.sizes)
    return hashes if part.codes is None else np.append(hashes, digests([NO_VALUE]))[part.codes]


def encode_values(values: Sequence[str]) -> tuple[list[str], Ints]:
    """The distinct values in order of first appearance, and each value's number among them (-1 for no value)."""
    if isinstance(values, Attribute):
        return values.encode()
    names = list(dict.fromkeys(values))
    numbers = dict(zip(names, range(len(names)), strict=True))
    return names, np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))


def is_within(finer: Sequence[str], coarser: Sequence[str]) -> bool:
    """Whether rows with the same value of one attribute always have the same value of another.

    >>> is_within(["a1", "a2", "b1"], ["a", "a", "b"]), is_within(["a", "a", "b"], ["a1", "a2", "b1"])
    (True, False)
    """
    if isinstance(finer, Attribute) and isinstance(coarser, Attribute) and len(finer.parts) == len(coarser.parts):
        chunks = [
            np.unique(np.stack([_digest_column(first), _digest_column(second)], axis=1), axis=0)
            for first, second in zip(finer.parts, coarser.parts, strict=True)
        ]
        pairs = np.unique(np.concatenate(chunks), axis=0)
    else:
        pairs = np.unique(np.stack([encode_values(finer)[1], encode_values(coarser)[1]], axis=1), axis=0)
    return len(pairs) == len(np.unique(pairs[:, 0]))


def _take_values(values: Sequence[str], places: Ints) -> list[str]:
    names, codes = encode_values(values)
    names.append(NO_VALUE)
    return [names[code] for code in codes[places].tolist()]


def _is_constant_within(values: Sequence[str], same: Ints) -> bool:
    """Whether an attribute has one value per group (that of the group's first row), so that it applies to the group."""
    codes = encode_values(values)[1]
    return bool((codes == codes[same]).all())


def group_sums(matrix: Column, codes: Ints, groups: int) -> Column:
    """The sums of the rows of each group (every group has at least one row)."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(groups))
    sums = np.add.reduceat(matrix[order], starts, axis=0) if groups else np.zeros((0, matrix.shape[1]))
    for index in np.flatnonzero(~whole_columns(matrix)):
        column = matrix[:, index]
        sums[:, index] = np.add.reduceat(column[np.lexsort((column, codes))], starts)
    return sums


def pivot_rows(rows: Rows, unit: str, by: str) -> tuple[list[str], list[str], Rows]:
    """Rows per unit with another axis for the groups of `by`, from which a macro average is computed."""
    check_known([unit, by], rows.attributes, "attribute to group by")
    units, unit_codes = encode_values(rows.attributes[unit])
    groups, group_codes = encode_values(rows.attributes[by])
    valid = np.flatnonzero((unit_codes >= 0) & (group_codes >= 0))
    cells, inverse = np.unique(unit_codes[valid] * len(groups) + group_codes[valid], return_inverse=True)
    width = rows.layout.width
    if len(units) * len(groups) * width > 100_000_000:
        raise UsageError(f"a macro average over {len(groups)} values of {by!r} and {len(units)} units is too large")
    dense = np.zeros((len(units) * len(groups), width))
    dense[cells] = group_sums(rows.matrix[valid], inverse, len(cells))
    stacked = dense.reshape(len(units), len(groups), -1)
    layout = _add_axis(rows.layout, len(groups))
    return units, groups, Rows({unit: units}, flatten(rows.layout.unflatten(stacked)), layout)


def _add_axis(layout: Layout, groups: int) -> Layout:
    fields = tuple(_add_axis(part, groups) if isinstance(part, Layout) else (groups, *part) for part in layout.fields)
    return Layout(layout.kind, layout.names, fields)


def plain_number(value: Any) -> Any:
    """A number as JSON shows it: whole numbers without a point, undefined ones as None.

    >>> plain_number(2.0), plain_number(0.5), plain_number(float("nan"))
    (2, 0.5, None)
    """
    number = float(value)
    if math.isnan(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def length_bucket(size: int) -> str:
    """The range that a length belongs to, so that scores can be broken down by it.

    >>> [length_bucket(size) for size in (0, 3, 6, 20, 150)]
    ['0', '1–5', '6–10', '11–20', '101–200']
    """
    if size <= 0:
        return "0"
    low, high, steps = 0, 5, (2.0, 2.0, 2.5)
    step = 0
    while size > high:
        low, high, step = high, int(high * steps[step % 3]), step + 1
    return f"{low + 1}–{high}"
