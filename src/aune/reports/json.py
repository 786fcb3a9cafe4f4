"""The JSON envelope, the same as JSON lines, and values per group or unit as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aune.contract.measure import Column
from aune.errors import JOINERS
from aune.reports.runs import run_records
from aune.results.result import Result, SystemScore, plain_value
from aune.results.rows import plain_number


def to_json(record: Any, indent: int | None = None) -> str:
    r"""Plain data as JSON that cannot control a terminal: `json` alone keeps characters that some obey, such as U+009B.

    >>> print(to_json({"name": "é\x9b2J"}), end="")
    {"name": "é\u009b2J"}
    """
    return _escape(json.dumps(record, ensure_ascii=False, indent=indent) + "\n")


def _escape(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in JOINERS + "\n" else json.dumps(character)[1:-1]
        for character in text
    )


def iterate_parts(result: Result, by: str | None = None) -> Iterator[str]:
    """One object, the same bytes on every run; with `by`, it contains the breakdown beside the scores."""
    text = to_json({**result.to_dict(), **run_records(result)}, indent=1)
    if not by:
        yield text
        return
    yield text.removesuffix("\n}\n") + ',\n "groups": ['
    separator = "\n  "
    for lines in _group_lines(result, by, "{"):
        yield separator + ",\n  ".join(lines)
        separator = ",\n  "
    yield "\n ]\n}\n"


def iterate_lines(result: Result, by: str | None = None) -> Iterator[str]:
    """A line for the run, then one per score and group; `record` is the kind of each."""
    envelope = result.to_dict()
    yield to_json(
        {"record": "run", **{name: envelope[name] for name in ("schema", "tool", "task", "inputs", "warnings")}}
    )
    yield from (to_json({"record": "score", **score}) for score in envelope["scores"])
    for lines in _group_lines(result, by, '{"record": "group", ') if by else ():
        yield "\n".join(lines) + "\n"
    for name, entries in run_records(result).items():
        yield from (to_json({"record": name, **entry}) for entry in entries)


def _group_lines(result: Result, by: str, start: str) -> Iterator[list[str]]:
    """The groups of every score as JSON objects, a few thousand at a time; all begin with the same text."""
    for score in result:
        named = f'{start}"system": {json_text(score.system)}, "measure": {json_text(score.name)}, {json_text(by)}: '
        template = named.replace("%", "%%") + '%s, "values": %s, "counts": %s}'
        for chunk in score.iterate_groups(by):
            columns = column_texts(chunk.names), *chunk_objects(score, chunk.values, chunk.counts)
            yield [template % row for row in zip(*columns, strict=True)]


def json_text(value: Any) -> str:
    """A value on one line of JSON."""
    return to_json(value).removesuffix("\n")


def column_texts(column: Sequence[Any]) -> list[str]:
    """Every value of a column as JSON, encoded together, since there may be very many."""
    if not column:
        return []
    text = json.dumps(list(column), ensure_ascii=False, separators=("\n", ":"))[1:-1]
    return _escape(text).split("\n")


def chunk_objects(score: SystemScore, values: Mapping[str, Column], counts: Column) -> tuple[list[str], list[str]]:
    """The values and the counts of each of some groups, as JSON objects."""
    value_columns = [list(map(plain_value, column.tolist())) for column in values.values()]
    count_columns = [list(map(plain_number, column)) for column in counts.T.tolist()]
    size = len(counts)
    return _objects(list(values), value_columns, size), _objects(score.rows.layout.columns(), count_columns, size)


def _objects(names: Sequence[str], columns: Sequence[Sequence[Any]], size: int) -> list[str]:
    """An object for each row of some columns of numbers."""
    if not names:
        return ["{}"] * size
    template = "{" + ", ".join(f"{json_text(name)}: ".replace("%", "%%") + "%s" for name in names) + "}"
    return [template % row for row in zip(*map(column_texts, columns), strict=True)]
