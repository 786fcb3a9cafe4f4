"""Rows of counts on disk: a folder that can be scored, grouped, resampled and swept again without the data.

rows/result.json       the scores, their signatures and where their columns are
rows/table-0.parquet   a row per unit: what is known of it, and every column that some measure counts, each once
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from aune.core import registry
from aune.core.corpus import Input
from aune.core.errors import InputError, Problem, UsageError
from aune.core.files import json_of, text_of
from aune.core.measure import Layout
from aune.core.options import options_of, shown
from aune.core.result import Result, Scored
from aune.core.rows import Attribute, Coded, Names, Rows, packed
from aune.core.signature import parse

GROUP = 1 << 18  # rows that are read together
VERSION = 1


def save(result: Result, folder: str | Path) -> None:
    """Write the rows of a result as Parquet."""
    arrow, parquet = _arrow(), import_module("pyarrow.parquet")
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
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
    for table in tables.values():
        data, names = table.data(arrow)
        parquet.write_table(
            data, home / f"table-{table.number}.parquet", row_group_size=GROUP, compression="zstd",
            use_dictionary=[name for name in names if name not in table.distinct],
            column_encoding=dict.fromkeys(table.distinct, "DELTA_BYTE_ARRAY") or None,
        )  # fmt: skip
    record = {
        "version": VERSION,
        "task": result.task,
        "inputs": [list(one) for one in result.inputs],
        "warnings": result.warnings,
        "tables": [{"aliases": table.aliases} for table in tables.values()],
        "scores": scores,
    }
    (home / "result.json").write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def load(folder: str | Path) -> Result:
    """The result whose rows are in a folder: the same values, and intervals, groups and sweeps from them."""
    home = Path(folder)
    try:
        record = json_of(text_of(home / "result.json"))
        if record["version"] != VERSION:
            raise ValueError(f"version {record['version']}")
        return _result(home, record)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, ImportError) as error:
        what = f"found no rows that aune wrote ({error}), expected a folder written with --rows: check the path"
        raise InputError([Problem(str(home / "result.json"), 1, 1, what)]) from None


def _result(home: Path, record: Mapping[str, Any]) -> Result:
    tables = [_Stored(home / f"table-{number}.parquet", one["aliases"]) for number, one in enumerate(record["tables"])]
    scores = []
    for one in record["scores"]:
        measure = registry.measure(one["measure"], record["task"])
        table = tables[one["table"]]
        known = {**options_of(measure.count), **options_of(measure.score)}
        options = {name: known[name].checked(value) for name, value in one["options"].items() if name in known}
        rows = Rows(table.attributes, [table.columns(one["columns"])], _layout(one["layout"], measure.count.__module__))
        scores.append(Scored(one["system"], measure, parse(one["signature"]), rows, options))
    return Result(record["task"], scores, [Input(*one) for one in record["inputs"]], record["warnings"])


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
        for name, values in attributes.items():
            parts = values.parts if isinstance(values, Attribute) else [packed(values)]
            same = next((other for other, own in self.attributes.items() if _same(own, parts)), None)
            if same:
                self.aliases[name] = same
            else:
                self.attributes[name] = parts
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


def _same(parts: Sequence[Coded], others: Sequence[Coded]) -> bool:
    return len(parts) == len(others) and all(one is other for one, other in zip(parts, others, strict=True))


def _strings(arrow: Any, part: Coded) -> Any:
    """The values of a part, as Arrow has them; null where there is none."""
    ends = np.concatenate([np.zeros(1, np.int32), part.names.ends.astype(np.int32)])
    names = arrow.StringArray.from_buffers(len(part.names), arrow.py_buffer(ends), arrow.py_buffer(part.names.data))
    if part.codes is None:
        return names
    codes = part.codes.astype(np.int64)
    return names.take(arrow.array(codes, mask=codes >= len(part.names)))


class _Stored:
    """A table on disk."""

    def __init__(self, path: Path, aliases: Mapping[str, str]) -> None:
        self.arrow = _arrow()
        try:
            self.file = import_module("pyarrow.parquet").ParquetFile(path)
        except (OSError, ValueError) as error:
            what = f"found no readable Parquet ({error}), expected a table written with --rows: check the folder"
            raise InputError([Problem(str(path), 1, 1, what)]) from None
        names = [name.removeprefix("@") for name in self.file.schema_arrow.names if name.startswith("@")]
        attributes = {name: Attribute(_Parts(self.file, f"@{name}")) for name in names}
        self.attributes = attributes | {name: attributes[other] for name, other in aliases.items()}
        self.kept: dict[str, Any] = {}

    def columns(self, names: Sequence[str]) -> list[Any]:
        missing = [name for name in dict.fromkeys(names) if name not in self.kept]
        if missing:
            data = self.file.read(columns=missing)
            self.kept |= {name: data.column(name).to_numpy() for name in missing}
        return [self.kept[name] for name in names]


class _Parts(Sequence[Coded]):
    """An attribute on disk, read in groups of rows and not kept."""

    def __init__(self, file: Any, name: str) -> None:
        self.file, self.name = file, name

    def __len__(self) -> int:
        return int(self.file.num_row_groups)

    def __getitem__(self, number: Any) -> Any:
        data = self.file.read_row_group(range(len(self))[number], columns=[self.name]).column(0).to_pylist()
        return packed(data) if data else Coded(Names.of([]))


def _described(layout: Layout) -> dict[str, Any]:
    """A layout as plain data: the type of its counts by name, and its fields."""
    kind: Any = layout.kind
    fields = [_described(part) if isinstance(part, Layout) else list(part) for part in layout.fields]
    return {"counts": f"{kind.__module__}:{kind.__qualname__}", "fields": fields}


def _layout(described: Mapping[str, Any], home: str) -> Layout:
    """The layout again; types of counts come from aune, or from the module of the measure itself."""
    module, _, name = described["counts"].partition(":")
    if module != home and not module.startswith("aune."):
        raise UsageError(f"counts of {module}: expected those of aune, or of {home}")
    kind = getattr(import_module(module), name)
    fields = tuple(
        _layout(field, home) if isinstance(field, Mapping) else tuple(field) for field in described["fields"]
    )
    return Layout(kind, kind._fields, fields)
