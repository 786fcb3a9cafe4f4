"""Values and counts of every unit (document, sentence, utterance…), as lines of JSON or as Parquet.

A line of JSON is a system and a unit, with the values and the counts of all measures over units of this kind:

    {"system": "A", "unit": {"document": "d1"}, "values": {"muc": {"recall": 0.5}}, "counts": {"muc": {"key_links": 2}}}

Parquet has the same content with a column for each of them: `system`, `unit.document`, `values.muc.recall`,
`counts.muc.key_links`. Units are written a few thousand at a time, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aune.contract.measure import Column
from aune.errors import UsageError
from aune.files import file_transaction
from aune.reports.json import chunk_objects, column_texts, json_text
from aune.results.result import Result, SystemScore
from aune.results.rows import iterate_units
from aune.results.storage import import_arrow

ENDINGS = (".jsonl", ".parquet")


def check_ending(path: Path) -> None:
    """Refuse, before any work is done, a file whose name indicates neither of the two formats."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(
            f"{path}: values per unit are written as {' or '.join(ENDINGS)}: end the name with one of them"
        )
    if path.suffix.lower() == ".parquet":
        import_arrow()


@contextmanager
def units_on_success(result: Result, path: Path) -> Iterator[None]:
    """Write the units of a result; the file appears once the `with` block has succeeded."""
    inputs = [Path(source.path) for source in result.inputs if source.path]
    with file_transaction(inputs) as files:
        (_write_parquet if path.suffix.lower() == ".parquet" else _write_lines)(result, files.new_file(path))
        yield


def _tables(result: Result) -> list[list[SystemScore]]:
    """The scores of each system whose rows are the same units."""
    tables: dict[tuple[str, int], list[SystemScore]] = {}
    for score in result:
        tables.setdefault((score.system, id(score.rows.attributes)), []).append(score)
    return list(tables.values())


def _unit_values(score: SystemScore, counts: Column) -> Mapping[str, Column]:
    """The values of each unit; none for an average over groups, which has none by unit."""
    return score.score_sums(counts, score.rows.layout) if not score.averaged_over else {}


def _write_lines(result: Result, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for scores in _tables(result):
            system = json_text(scores[0].system)
            for attributes, matrices in iterate_units([score.rows for score in scores]):
                units = [json_text(name).replace("%", "%%") + ": %s" for name in attributes]
                columns = [column_texts(values) for values in attributes.values()]
                objects = [
                    chunk_objects(score, _unit_values(score, counts), counts)
                    for score, counts in zip(scores, matrices, strict=True)
                ]
                names = [json_text(score.measure.short).replace("%", "%%") for score in scores]
                parts = ["{" + ", ".join(f"{name}: %s" for name in names) + "}"] * 2
                line = '{"system": ' + system.replace("%", "%%") + ', "unit": {' + ", ".join(units) + "}"
                template = f'{line}, "values": {parts[0]}, "counts": {parts[1]}}}\n'
                cells = [*columns, *(values for values, _ in objects), *(counts for _, counts in objects)]
                file.write("".join(template % row for row in zip(*cells, strict=True)))


def _write_parquet(result: Result, path: Path) -> None:
    arrow, parquet = import_arrow()
    tables = _tables(result)
    attributes = dict.fromkeys(name for scores in tables for name in scores[0].rows.attributes)
    numbers = dict.fromkeys(name for scores in tables for score in scores for name in _number_columns(score))
    fields = [("system", arrow.string()), *((f"unit.{name}", arrow.string()) for name in attributes)]
    schema = arrow.schema([*fields, *((name, arrow.float64()) for name in numbers)])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for scores in tables:
            for texts, matrices in iterate_units([score.rows for score in scores]):
                writer.write_table(_arrow_table(arrow, schema, scores, texts, matrices))


def _arrow_table(
    arrow: Any,
    schema: Any,
    scores: Sequence[SystemScore],
    texts: Mapping[str, Sequence[str | None]],
    matrices: Sequence[Column],
) -> Any:
    """Some units as an Arrow table; null if a column belongs to other measures, or a value is undefined."""
    size = len(matrices[0])
    columns: dict[str, Any] = {"system": [scores[0].system] * size}
    columns |= {f"unit.{name}": values for name, values in texts.items()}
    for score, matrix in zip(scores, matrices, strict=True):
        arrays = [*_unit_values(score, matrix).values(), *matrix.T]
        columns |= dict(zip(_number_columns(score), arrays, strict=True))
    arrays = [
        arrow.array(columns[field.name], field.type, from_pandas=True)
        if field.name in columns
        else arrow.nulls(size, field.type)
        for field in schema
    ]
    return arrow.Table.from_arrays(arrays, schema=schema)


def _number_columns(score: SystemScore) -> list[str]:
    """The columns of a score in Parquet: its values, then its counts."""
    values = () if score.averaged_over else score.measure.values
    short = score.measure.short
    return [
        *(f"values.{short}.{value}" for value in values),
        *(f"counts.{short}.{count}" for count in score.rows.layout.columns()),
    ]
