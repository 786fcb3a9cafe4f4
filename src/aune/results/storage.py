"""Rows of counts on disk: a folder that can be scored, grouped, resampled and swept again without the documents.

rows/result.json       the scores, their signatures and the places of their columns
rows/table-0.parquet   a row per unit: its attributes, and every column that some measure counts, each once
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from importlib import import_module
from operator import index
from pathlib import Path
from typing import IO, Any, get_type_hints

import numpy as np

from aune.compression import check_ratio
from aune.contract import expressions, registry
from aune.contract.measure import Layout, Measure
from aune.contract.options import format_value, options_of
from aune.contract.signature import parse_signature
from aune.errors import InputError, Place, Problem, Remedy, UsageError
from aune.files import file_transaction, fill_folder, parse_json, read_bytes, read_text
from aune.reading.corpus import InputRecord
from aune.results.result import SCHEMA_VERSION, Result, SystemScore
from aune.results.rows import Attribute, CodedColumn, PackedStrings, Rows, encode_column, shrink_type

ROW_GROUP_SIZE = 1 << 18  # rows that are read together
VERSION = 1
CHECK_PATH = (Remedy("check the path"),)
RUN_KEY = "run"
"""An identifier of scores and tables that were written together: a killed writer may leave files of two runs."""


def save(result: Result, folder: str | Path) -> None:
    """Write the rows of a result as Parquet, in a folder; or the result with a row per document, in a `.json` file."""
    with save_on_success(result, folder):
        pass


@contextmanager
def save_on_success(result: Result, folder: str | Path) -> Iterator[None]:
    """Write the rows of a result; the files appear once the `with` block has succeeded."""
    if str(folder).lower().endswith(".json"):
        with file_transaction() as files:
            files.write(Path(folder), result.to_json(by="document").encode())
            yield
        return
    arrow, parquet = import_arrow()
    tables: dict[int, _TableWriter] = {}
    scores = []
    for score in result:
        table = tables.setdefault(id(score.rows.attributes), _TableWriter(len(tables), score.rows.attributes))
        scores.append(
            {
                "system": score.system,
                **({"run_of": score.run_of} if score.run_of else {}),
                "measure": score.name,
                "signature": str(score.signature),
                "options": {name: format_value(value) for name, value in score.options.items()},
                "table": table.number,
                "columns": table.place_columns(score.rows),
                "layout": _describe_layout(score.rows.layout),
            }
        )
    record = {
        "version": VERSION,
        "task": result.task,
        "inputs": [list(source if source.version else source[:-1]) for source in result.inputs],
        "warnings": result.warnings,
        "tables": [{"aliases": table.aliases, "distinct": table.distinct} for table in tables.values()],
        "scores": scores,
    }
    record[RUN_KEY] = sha256(json.dumps(record).encode()).hexdigest()
    inputs = [Path(source.path) for source in result.inputs if source.path]
    with fill_folder(Path(folder)) as home, file_transaction(inputs) as files:
        for table in tables.values():
            data, names = table.to_arrow(arrow)
            parquet.write_table(
                data.replace_schema_metadata({RUN_KEY: record[RUN_KEY]}),
                files.new_file(home / f"table-{table.number}.parquet"),
                row_group_size=ROW_GROUP_SIZE,
                compression="zstd",
                use_dictionary=[name for name in names if name not in table.distinct],
                column_encoding=dict.fromkeys(table.distinct, "DELTA_BYTE_ARRAY") or None,
            )
        files.write(home / "result.json", f"{json.dumps(record, ensure_ascii=False, indent=1)}\n".encode())
        yield


def load(source: str | Path | IO[str], modules: Collection[str] = ()) -> Result:
    """A saved result: the same values, and intervals, groups and comparisons from its rows.

    `source` is a folder of rows, or a JSON file (or an open one) with a row per document. `modules` are the modules of
    user-defined measures, if the rows need them: nothing is imported because a file names it.
    """
    if not isinstance(source, str | Path):
        return _parse_envelope(str(getattr(source, "name", "the JSON given")), source.read(), modules)
    home = Path(source)
    if home.is_file():
        return _parse_envelope(str(home), read_bytes(home), modules)
    if not home.exists():
        expected = "a result written with --json, or a folder written with --rows"
        raise InputError([Problem("result.missing", Place(str(home)), "nothing there", expected, CHECK_PATH)])
    try:
        record = parse_json(read_text(home / "result.json"))
        if record["version"] != VERSION:
            found = f"rows of version {record['version']}"
            remedy = Remedy("read them with the version of aune that wrote them")
            raise InputError(
                [Problem("result.version", Place(str(home / "result.json")), found, f"{VERSION}", (remedy,))]
            )
        return _load_folder(home, record, modules)
    except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        place, expected = Place(str(home / "result.json")), "a folder written with --rows"
        found = f"no rows that aune wrote ({error})"
        raise InputError([Problem("result.malformed", place, found, expected, CHECK_PATH)]) from None


def _parse_envelope(name: str, text: str | bytes, modules: Collection[str]) -> Result:
    """The result in a JSON envelope."""
    try:
        envelope = parse_json(text)
        if envelope["schema"] not in (1, SCHEMA_VERSION):
            raise ValueError(f"schema {envelope['schema']}")
        documents: dict[tuple[str, str], dict[str, Mapping[str, float]]] = {}
        for entry in document_records(envelope):
            documents.setdefault((entry["system"], entry["measure"]), {})[entry["document"]] = entry["counts"]
        scores = [
            _parse_entry(entry, documents.get((entry["system"], entry["measure"]), {}), envelope["task"], modules)
            for entry in envelope["scores"]
        ]
        inputs = [InputRecord(**{"system": None, **entry}) for entry in envelope["inputs"]]
        return Result(envelope["task"], scores, inputs, list(envelope["warnings"]))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        found, expected = f"no result that aune wrote ({error})", "one written with --format json"
        raise InputError([Problem("result.malformed", Place(name), found, expected, CHECK_PATH)]) from None


def document_records(envelope: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The values and counts by document in an envelope: always present in schema 1, on request in schema 2."""
    if envelope["schema"] == 1:
        return list(envelope["documents"])
    return [entry for entry in envelope.get("groups", ()) if "document" in entry]


def _parse_entry(
    entry: Mapping[str, Any], documents: Mapping[str, Mapping[str, float]], task: str, modules: Collection[str]
) -> SystemScore:
    """One score, with a row per document; a single row with its totals if there are no documents."""
    measure = _stored_measure(entry["measure"], task, modules)
    entry_signature = parse_signature(entry["signature"])
    known = {**options_of(measure.count), **options_of(measure.score)}
    options = {name: known[name].convert(value) for name, value in entry_signature.options.items() if name in known}
    counts = documents or {"all": entry["counts"]}
    columns = list(entry["counts"])
    layout = _restore_layout(_layout_from_columns(columns), measure)
    matrix = np.array([[row[column] for column in columns] for row in counts.values()], float)
    rows = Rows({"document": list(counts)}, matrix.reshape(len(counts), len(columns)), layout)
    values = {name: None if value is None else float(value) for name, value in entry["values"].items()}
    intervals = {name: None if pair is None else (pair[0], pair[1]) for name, pair in entry.get("ci", {}).items()}
    details = partial(entry.get, "details") if "details" in entry else None
    return SystemScore(
        entry["system"],
        measure.with_options(options),
        entry_signature,
        rows,
        options | dict(measure.fixed_options),
        details,
        intervals,
        stored=values,
        run_of=entry.get("run_of", ""),
    )


def _layout_from_columns(columns: Sequence[str]) -> dict[str, Any]:
    """The same as `_describe_layout` returns for a layout whose columns have these names."""
    shapes: dict[str, Any] = {}
    inner: dict[str, list[str]] = {}
    for column in columns:
        name, dot, rest = column.partition(".")
        if dot and "[" not in name:
            inner.setdefault(name, []).append(rest)
            shapes[name] = {}
        else:
            name, _, place = column.partition("[")
            indices = [int(number) + 1 for number in place.rstrip("]").split(",")] if place else []
            shapes[name] = [max(pair) for pair in zip(shapes.get(name, indices), indices, strict=True)]
    fields = [_layout_from_columns(inner[name]) if name in inner else shape for name, shape in shapes.items()]
    return {"names": list(shapes), "fields": fields}


def _load_folder(home: Path, record: Mapping[str, Any], modules: Collection[str]) -> Result:
    tables = [_TableReader(home / f"table-{number}.parquet", **entry) for number, entry in enumerate(record["tables"])]
    for table in tables:
        if (table.file.schema_arrow.metadata or {}).get(RUN_KEY.encode(), b"").decode() != record.get(RUN_KEY, ""):
            raise ValueError(f"{table.path.name} is of another result: their writer was stopped halfway")
    scores = []
    for entry in record["scores"]:
        measure = _stored_measure(entry["measure"], record["task"], modules)
        known = {**options_of(measure.count), **options_of(measure.score)}
        options = {name: known[name].convert(value) for name, value in entry["options"].items() if name in known}
        table, layout = tables[entry["table"]], _restore_layout(entry["layout"], measure)
        if len(entry["columns"]) != layout.width:
            raise ValueError(f"{len(entry['columns'])} columns for {measure.name}, which has {layout.width}")
        rows = Rows(table.attributes, _StoredBlocks(table, entry["columns"]), layout)
        scores.append(
            SystemScore(
                entry["system"],
                measure.with_options(options),
                parse_signature(entry["signature"]),
                rows,
                options,
                run_of=entry.get("run_of", ""),
            )
        )
    return Result(record["task"], scores, [InputRecord(*entry) for entry in record["inputs"]], record["warnings"])


def _stored_measure(name: str, task: str, modules: Collection[str]) -> Measure:
    """The measure of some rows; a user-defined one only if the user names its module."""
    if unnamed := sorted(registry.user_modules(name) - set(modules)):
        raise UsageError(
            f"the rows are of the measure {name}: its module {unnamed[0]} is imported only if you name it, with -m or "
            "as load(…, modules=[…])"
        )
    return registry.measure(name, task)


def import_arrow() -> tuple[Any, Any]:
    """Import the packages that write and read Parquet."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError("Parquet needs the package pyarrow: pip install 'aune[parquet]'") from None


class _TableWriter:
    """The rows that several scores share, before they are written to a file."""

    def __init__(self, number: int, attributes: Mapping[str, Sequence[str]]) -> None:
        self.number = number
        self.attributes: dict[str, Sequence[CodedColumn]] = {}
        self.aliases: dict[str, str] = {}
        """Attributes that have the same values as another one."""
        unique: dict[str, Attribute] = {}
        for name, values in attributes.items():
            attribute = values if isinstance(values, Attribute) else Attribute([encode_column(values)])
            same = next((other for other, candidate in unique.items() if candidate.same_as(attribute)), None)
            if same:
                self.aliases[name] = same
            else:
                unique[name] = attribute
                self.attributes[name] = attribute.parts
        self.columns: dict[str, Sequence[Any]] = {}
        self.names: dict[tuple[int, ...], str] = {}

    @property
    def distinct(self) -> list[str]:
        """The attributes whose values are different in every row of some block."""
        return [f"@{name}" for name, parts in self.attributes.items() if any(part.codes is None for part in parts)]

    def place_columns(self, rows: Rows) -> list[str]:
        """The names of the columns of some rows in the file."""
        names = []
        for place in range(rows.layout.width):
            parts = [block[place] for block in rows.blocks]
            same = tuple(map(id, parts))
            if same not in self.names:
                self.names[same] = f"c{len(self.columns)}"
                self.columns[self.names[same]] = parts
            names.append(self.names[same])
        return names

    def to_arrow(self, arrow: Any) -> tuple[Any, list[str]]:
        columns = {
            f"@{name}": arrow.chunked_array([_arrow_strings(arrow, part) for part in parts], arrow.string())
            for name, parts in self.attributes.items()
        }
        for name, parts in self.columns.items():
            kind = np.result_type(*parts)
            columns[name] = arrow.chunked_array([arrow.array(part.astype(kind, copy=False)) for part in parts])
        return arrow.table(columns), list(columns)


def _arrow_strings(arrow: Any, part: CodedColumn) -> Any:
    """The values of a part as Arrow arrays; null for a missing value."""
    ends = np.concatenate([np.zeros(1, np.int32), part.names.ends.astype(np.int32)])
    names = arrow.StringArray.from_buffers(len(part.names), arrow.py_buffer(ends), arrow.py_buffer(part.names.data))
    if part.codes is None:
        return names
    codes = part.codes.astype(np.int64)
    return names.take(arrow.array(codes, mask=codes >= len(part.names)))


class _TableReader:
    """A table on disk, whose row groups are read when they are needed and not stored."""

    def __init__(self, path: Path, aliases: Mapping[str, str], distinct: Sequence[str] = ()) -> None:
        _, parquet = import_arrow()
        self.path = path
        with self._readable():
            self.file = parquet.ParquetFile(path)
            self._check_size()
        names = [name.removeprefix("@") for name in self.file.schema_arrow.names if name.startswith("@")]
        size = int(self.file.metadata.num_rows)
        attributes = {
            name: Attribute(_StoredParts(self, f"@{name}", distinct=f"@{name}" in distinct), size) for name in names
        }
        self.attributes = attributes | {name: attributes[other] for name, other in aliases.items()}

    def read_group(self, number: Any, names: Sequence[str]) -> Any:
        place = range(self.group_count)[number]
        with self._readable():
            return self.file.read_row_group(place, columns=list(dict.fromkeys(names)), use_threads=False)

    @property
    def group_count(self) -> int:
        """How many row groups the table is stored in."""
        return int(self.file.num_row_groups)

    def _check_size(self) -> None:
        """Refuse hostile tables: row groups larger than aune writes, or more data than their bytes can contain."""
        groups = [self.file.metadata.row_group(number) for number in range(self.group_count)]
        if any(group.num_rows > ROW_GROUP_SIZE for group in groups):
            raise ValueError(f"more than {ROW_GROUP_SIZE:,} rows together")
        check_ratio(self.path.stat().st_size, sum(group.total_byte_size for group in groups), str(self.path))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, LookupError) as error:
            found, expected = f"no readable Parquet ({error})", "a table written with --rows"
            remedy = Remedy("check the folder")
            raise InputError([Problem("result.malformed", Place(str(self.path)), found, expected, (remedy,))]) from None


class _StoredBlocks(Sequence[Sequence[Any]]):
    """The columns of a score on disk."""

    def __init__(self, table: _TableReader, names: Sequence[str]) -> None:
        if unknown := set(names) - {name for name in table.file.schema_arrow.names if not name.startswith("@")}:
            raise ValueError(f"no column of counts {min(unknown)}")
        self.table, self.names = table, names

    def __len__(self) -> int:
        return self.table.group_count

    def __getitem__(self, number: Any) -> Any:
        data = self.table.read_group(number, self.names)
        return [data.column(name).to_numpy() for name in self.names]


class _StoredParts(Sequence[CodedColumn]):
    """An attribute on disk."""

    def __init__(self, table: _TableReader, name: str, *, distinct: bool) -> None:
        self.table, self.name, self.distinct = table, name, distinct

    def __len__(self) -> int:
        return self.table.group_count

    def __getitem__(self, number: Any) -> Any:
        data = self.table.read_group(number, [self.name]).column(0).combine_chunks()
        if self.distinct and not data.null_count:
            return CodedColumn(_packed_strings(data))
        encoded = data.dictionary_encode()
        codes = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy()
        return CodedColumn(_packed_strings(encoded.dictionary), shrink_type(codes))


def _packed_strings(strings: Any) -> PackedStrings:
    """The strings of an Arrow array, which stores them as concatenated bytes too."""
    _, offsets, data = strings.buffers()
    ends = np.frombuffer(offsets, np.int32)[strings.offset : strings.offset + len(strings) + 1] if offsets else [0]
    return PackedStrings(bytes(data[int(ends[0]) : int(ends[-1])]) if data else b"", np.diff(ends))


def _describe_layout(layout: Layout) -> dict[str, Any]:
    """A layout as plain data: the names of its counts, and for each a shape or another layout."""
    fields = [_describe_layout(part) if isinstance(part, Layout) else list(part) for part in layout.fields]
    return {"names": list(layout.names), "fields": fields}


def _restore_layout(described: Mapping[str, Any], measure: Measure) -> Layout:
    """The layout for the type of counts that the measure declares, from plain data."""
    mean_counts: Any = expressions.counts_type(len(measure.parts))
    if measure.counts is not mean_counts:
        return _fill_layout(described, measure.counts)
    _check_names(described, mean_counts)
    parts = zip(described["fields"], measure.parts, strict=True)
    return Layout(mean_counts, mean_counts._fields, tuple(_restore_layout(field, part) for field, part in parts))


def _fill_layout(described: Mapping[str, Any], kind: Any) -> Layout:
    _check_names(described, kind)
    types = get_type_hints(kind)
    fields = [
        _fill_layout(field, types[name]) if hasattr(types[name], "_fields") else tuple(map(index, field))
        for name, field in zip(kind._fields, described["fields"], strict=True)
    ]
    return Layout(kind, kind._fields, tuple(fields))


def _check_names(described: Mapping[str, Any], kind: Any) -> None:
    if tuple(described["names"]) != kind._fields:
        raise ValueError(f"counts {', '.join(map(str, described['names']))}, but now {', '.join(kind._fields)}")
