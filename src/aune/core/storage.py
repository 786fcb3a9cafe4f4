"""Rows of counts on disk: a folder that can be scored, grouped, resampled and swept again without the data.

rows/result.json       the scores, their signatures and where their columns are
rows/table-0.parquet   a row per unit: what is known of it, and every column that some measure counts, each once
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

from aune.core import registry
from aune.core.corpus import Input
from aune.core.errors import InputError, Problem, UsageError
from aune.core.expressions import counts_of
from aune.core.files import bytes_of, filling, json_of, text_of, together
from aune.core.measure import Layout, Measure
from aune.core.options import options_of, shown
from aune.core.result import SCHEMA, Result, Scored
from aune.core.rows import Attribute, Coded, Names, Rows, packed, smallest
from aune.core.signature import parse
from aune.core.unpacking import check_ratio

GROUP = 1 << 18  # rows that are read together
VERSION = 1
RUN = "run"
"""Which scores and tables were written together: a writer that is killed may leave some of two runs."""


def save(result: Result, folder: str | Path) -> None:
    """Write the rows of a result as Parquet, in a folder; or the result with a row per document, in a `.json` file."""
    with saving(result, folder):
        pass


@contextmanager
def saving(result: Result, folder: str | Path) -> Iterator[None]:
    """Write the rows of a result, which are there once what is done meanwhile has succeeded."""
    if str(folder).endswith(".json"):
        with together() as files:
            files.write(Path(folder), result.to_json().encode())
            yield
        return
    arrow, parquet = _arrow(), import_module("pyarrow.parquet")
    tables: dict[int, _Table] = {}
    scores = []
    for score in result:
        table = tables.setdefault(id(score.rows.attributes), _Table(len(tables), score.rows.attributes))
        scores.append(
            {
                "system": score.system,
                "measure": score.name,
                "signature": str(score.signature),
                "options": {name: shown(value) for name, value in score.options.items()},
                "table": table.number,
                "columns": table.placed(score.rows),
                "layout": _described(score.rows.layout),
            }
        )
    record = {
        "version": VERSION,
        "task": result.task,
        "inputs": [list(one) for one in result.inputs],
        "warnings": result.warnings,
        "tables": [{"aliases": table.aliases, "distinct": table.distinct} for table in tables.values()],
        "scores": scores,
    }
    record[RUN] = sha256(json.dumps(record).encode()).hexdigest()
    inputs = [Path(one.path) for one in result.inputs if one.path]
    with filling(Path(folder)) as home, together(inputs) as files:
        for table in tables.values():
            data, names = table.data(arrow)
            parquet.write_table(
                data.replace_schema_metadata({RUN: record[RUN]}),
                files.beside(home / f"table-{table.number}.parquet"), row_group_size=GROUP, compression="zstd",
                use_dictionary=[name for name in names if name not in table.distinct],
                column_encoding=dict.fromkeys(table.distinct, "DELTA_BYTE_ARRAY") or None,
            )  # fmt: skip
        files.write(home / "result.json", f"{json.dumps(record, ensure_ascii=False, indent=1)}\n".encode())
        yield


def load(source: str | Path | IO[str], modules: Collection[str] = ()) -> Result:
    """A saved result: the same values, and intervals, groups and comparisons from its rows.

    `source` is a folder of rows, or a JSON file (or an open one), which has a row per document. `modules` are those of
    your own measures, if the rows are theirs: nothing is imported because a file names it.
    """
    if not isinstance(source, str | Path):
        return _of_envelope(str(getattr(source, "name", "the JSON given")), source.read(), modules)
    home = Path(source)
    if home.is_file():
        return _of_envelope(str(home), bytes_of(home), modules)
    if not home.exists():
        what = "found nothing there, expected a result written with --json, or a folder written with --rows"
        raise InputError([Problem(str(home), 1, 1, f"{what}: check the path")])
    try:
        record = json_of(text_of(home / "result.json"))
        if record["version"] != VERSION:
            what = f"found rows of version {record['version']}, expected {VERSION}: read them with that aune"
            raise InputError([Problem(str(home / "result.json"), 1, 1, what)])
        return _loaded(home, record, modules)
    except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"found no rows that aune wrote ({error}), expected a folder written with --rows: check the path"
        raise InputError([Problem(str(home / "result.json"), 1, 1, what)]) from None


def _of_envelope(name: str, text: str | bytes, modules: Collection[str]) -> Result:
    """The result in a JSON envelope."""
    try:
        envelope = json_of(text)
        if envelope["schema"] != SCHEMA:
            raise ValueError(f"schema {envelope['schema']}")
        documents: dict[tuple[str, str], dict[str, Mapping[str, float]]] = {}
        for one in envelope["documents"]:
            documents.setdefault((one["system"], one["measure"]), {})[one["document"]] = one["counts"]
        scores = [
            _of_entry(one, documents.get((one["system"], one["measure"]), {}), envelope["task"], modules)
            for one in envelope["scores"]
        ]
        inputs = [Input(**{"system": None, **one}) for one in envelope["inputs"]]
        return Result(envelope["task"], scores, inputs, list(envelope["warnings"]))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"found no result that aune wrote ({error}), expected one written with --format json: check the path"
        raise InputError([Problem(name, 1, 1, what)]) from None


def _of_entry(
    entry: Mapping[str, Any], documents: Mapping[str, Mapping[str, float]], task: str, modules: Collection[str]
) -> Scored:
    """One score, with a row per document; a single row with its totals where no document is told."""
    measure = _measure(entry["measure"], task, modules)
    signed = parse(entry["signature"])
    known = {**options_of(measure.count), **options_of(measure.score)}
    options = {name: known[name].checked(value) for name, value in signed.options.items() if name in known}
    counts = documents or {"all": entry["counts"]}
    columns = list(entry["counts"])
    layout = _layout(_described_by(columns), measure)
    matrix = np.array([[one[column] for column in columns] for one in counts.values()], float)
    rows = Rows({"document": list(counts)}, matrix.reshape(len(counts), len(columns)), layout)
    values = {name: None if value is None else float(value) for name, value in entry["values"].items()}
    bounds = {name: None if pair is None else (pair[0], pair[1]) for name, pair in entry.get("ci", {}).items()}
    details = partial(entry.get, "details") if "details" in entry else None
    return Scored(
        entry["system"],
        measure.under(options),
        signed,
        rows,
        options | dict(measure.given),
        details,
        bounds,
        stored=values,
    )


def _described_by(columns: Sequence[str]) -> dict[str, Any]:
    """What `_described` would say of a layout whose columns have these names."""
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
    fields = [_described_by(inner[name]) if name in inner else shape for name, shape in shapes.items()]
    return {"names": list(shapes), "fields": fields}


def _loaded(home: Path, record: Mapping[str, Any], modules: Collection[str]) -> Result:
    tables = [_Stored(home / f"table-{number}.parquet", **one) for number, one in enumerate(record["tables"])]
    for table in tables:
        if (table.file.schema_arrow.metadata or {}).get(RUN.encode(), b"").decode() != record.get(RUN, ""):
            raise ValueError(f"{table.path.name} is of another result: their writer was stopped halfway")
    scores = []
    for one in record["scores"]:
        measure = _measure(one["measure"], record["task"], modules)
        known = {**options_of(measure.count), **options_of(measure.score)}
        options = {name: known[name].checked(value) for name, value in one["options"].items() if name in known}
        table, layout = tables[one["table"]], _layout(one["layout"], measure)
        if len(one["columns"]) != layout.width:
            raise ValueError(f"{len(one['columns'])} columns for {measure.name}, which has {layout.width}")
        rows = Rows(table.attributes, _Blocks(table, one["columns"]), layout)
        scores.append(Scored(one["system"], measure.under(options), parse(one["signature"]), rows, options))
    return Result(record["task"], scores, [Input(*one) for one in record["inputs"]], record["warnings"])


def _measure(name: str, task: str, modules: Collection[str]) -> Measure:
    """The measure of some rows; one of the user's own only where the user names its module."""
    if unnamed := sorted(registry.own_modules(name) - set(modules)):
        raise UsageError(
            f"the rows are of the measure {name}: its module {unnamed[0]} is imported only if you name it, with -m or "
            "as load(…, modules=[…])"
        )
    return registry.measure(name, task)


def _arrow() -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        raise UsageError("rows on disk need the package pyarrow: pip install 'aune[parquet]'") from None


class _Table:
    """The rows that several scores share, on their way to a file."""

    def __init__(self, number: int, attributes: Mapping[str, Sequence[str]]) -> None:
        self.number = number
        self.attributes: dict[str, Sequence[Coded]] = {}
        self.aliases: dict[str, str] = {}
        """Attributes that are the same as another one."""
        kept: dict[str, Attribute] = {}
        for name, values in attributes.items():
            attribute = values if isinstance(values, Attribute) else Attribute([packed(values)])
            same = next((other for other, own in kept.items() if own.same_as(attribute)), None)
            if same:
                self.aliases[name] = same
            else:
                kept[name] = attribute
                self.attributes[name] = attribute.parts
        self.columns: dict[str, Sequence[Any]] = {}
        self.known: dict[tuple[int, ...], str] = {}

    @property
    def distinct(self) -> list[str]:
        """The attributes that are different in every row of some block."""
        return [f"@{name}" for name, parts in self.attributes.items() if any(part.codes is None for part in parts)]

    def placed(self, rows: Rows) -> list[str]:
        """The names that the columns of some rows get in the file."""
        names = []
        for place in range(rows.layout.width):
            parts = [block[place] for block in rows.blocks]
            same = tuple(map(id, parts))
            if same not in self.known:
                self.known[same] = f"c{len(self.columns)}"
                self.columns[self.known[same]] = parts
            names.append(self.known[same])
        return names

    def data(self, arrow: Any) -> tuple[Any, list[str]]:
        columns = {
            f"@{name}": arrow.chunked_array([_strings(arrow, part) for part in parts], arrow.string())
            for name, parts in self.attributes.items()
        }
        for name, parts in self.columns.items():
            kind = np.result_type(*parts)
            columns[name] = arrow.chunked_array([arrow.array(part.astype(kind, copy=False)) for part in parts])
        return arrow.table(columns), list(columns)


def _strings(arrow: Any, part: Coded) -> Any:
    """The values of a part, as Arrow has them; null where there is none."""
    ends = np.concatenate([np.zeros(1, np.int32), part.names.ends.astype(np.int32)])
    names = arrow.StringArray.from_buffers(len(part.names), arrow.py_buffer(ends), arrow.py_buffer(part.names.data))
    if part.codes is None:
        return names
    codes = part.codes.astype(np.int64)
    return names.take(arrow.array(codes, mask=codes >= len(part.names)))


class _Stored:
    """A table on disk, whose groups of rows are read when they are needed and not kept."""

    def __init__(self, path: Path, aliases: Mapping[str, str], distinct: Sequence[str] = ()) -> None:
        _arrow()
        self.path = path
        with self._readable():
            self.file = import_module("pyarrow.parquet").ParquetFile(path)
            self._check_size()
        names = [name.removeprefix("@") for name in self.file.schema_arrow.names if name.startswith("@")]
        size = int(self.file.metadata.num_rows)
        attributes = {
            name: Attribute(_Parts(self, f"@{name}", distinct=f"@{name}" in distinct), size) for name in names
        }
        self.attributes = attributes | {name: attributes[other] for name, other in aliases.items()}

    def group(self, number: Any, names: Sequence[str]) -> Any:
        place = range(len(self))[number]
        with self._readable():
            return self.file.read_row_group(place, columns=list(dict.fromkeys(names)), use_threads=False)

    def __len__(self) -> int:
        return int(self.file.num_row_groups)

    def _check_size(self) -> None:
        """Refuse what a hostile table says: groups that we never write, or more than its bytes can hold."""
        groups = [self.file.metadata.row_group(number) for number in range(len(self))]
        if any(group.num_rows > GROUP for group in groups):
            raise ValueError(f"more than {GROUP:,} rows together")
        check_ratio(self.path.stat().st_size, sum(group.total_byte_size for group in groups), str(self.path))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, LookupError) as error:
            what = f"found no readable Parquet ({error}), expected a table written with --rows: check the folder"
            raise InputError([Problem(str(self.path), 1, 1, what)]) from None


class _Blocks(Sequence[Sequence[Any]]):
    """The columns of a score on disk."""

    def __init__(self, table: _Stored, names: Sequence[str]) -> None:
        if unknown := set(names) - {name for name in table.file.schema_arrow.names if not name.startswith("@")}:
            raise ValueError(f"no column of counts {min(unknown)}")
        self.table, self.names = table, names

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, number: Any) -> Any:
        data = self.table.group(number, self.names)
        return [data.column(name).to_numpy() for name in self.names]


class _Parts(Sequence[Coded]):
    """An attribute on disk."""

    def __init__(self, table: _Stored, name: str, *, distinct: bool) -> None:
        self.table, self.name, self.distinct = table, name, distinct

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, number: Any) -> Any:
        data = self.table.group(number, [self.name]).column(0).combine_chunks()
        if self.distinct and not data.null_count:
            return Coded(_names(data))
        found = data.dictionary_encode()
        codes = found.indices.fill_null(len(found.dictionary)).to_numpy()
        return Coded(_names(found.dictionary), smallest(codes))


def _names(strings: Any) -> Names:
    """The strings of Arrow, which has them as bytes behind each other too."""
    _, offsets, data = strings.buffers()
    ends = np.frombuffer(offsets, np.int32)[strings.offset : strings.offset + len(strings) + 1] if offsets else [0]
    return Names(bytes(data[int(ends[0]) : int(ends[-1])]) if data else b"", np.diff(ends))


def _described(layout: Layout) -> dict[str, Any]:
    """A layout as plain data: the names of its counts, and for each its shape or its own layout."""
    fields = [_described(part) if isinstance(part, Layout) else list(part) for part in layout.fields]
    return {"names": list(layout.names), "fields": fields}


def _layout(described: Mapping[str, Any], measure: Measure) -> Layout:
    """The layout again, for the type of counts that the measure itself declares."""
    of_a_mean: Any = counts_of(len(measure.parts))
    if measure.counts is not of_a_mean:
        return _filled(described, measure.counts)
    _check_names(described, of_a_mean)
    parts = zip(described["fields"], measure.parts, strict=True)
    return Layout(of_a_mean, of_a_mean._fields, tuple(_layout(field, part) for field, part in parts))


def _filled(described: Mapping[str, Any], kind: Any) -> Layout:
    _check_names(described, kind)
    types = get_type_hints(kind)
    fields = [
        _filled(field, types[name]) if hasattr(types[name], "_fields") else tuple(map(index, field))
        for name, field in zip(kind._fields, described["fields"], strict=True)
    ]
    return Layout(kind, kind._fields, tuple(fields))


def _check_names(described: Mapping[str, Any], kind: Any) -> None:
    if tuple(described["names"]) != kind._fields:
        raise ValueError(f"counts {', '.join(map(str, described['names']))}, but now {', '.join(kind._fields)}")
