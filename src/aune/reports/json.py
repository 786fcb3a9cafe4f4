"""The JSON envelope, and the same as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from aune.errors import JOINERS
from aune.results.result import Result


def to_json(record: Any, indent: int | None = None) -> str:
    r"""Plain data as JSON that cannot steer a terminal: `json` alone lets pass what some obey, such as U+009B.

    >>> print(to_json({"name": "é\x9b2J"}), end="")
    {"name": "é\u009b2J"}
    """
    text = json.dumps(record, ensure_ascii=False, indent=indent) + "\n"
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in JOINERS + "\n" else json.dumps(character)[1:-1]
        for character in text
    )


def write(result: Result, by: str | None = None) -> str:
    """One object, the same bytes from run to run; with `by`, the breakdown stands beside the scores."""
    envelope = result.to_dict()
    if by and by != "document":
        envelope["groups"] = list(_groups(result, by))
    return to_json(envelope, indent=1)


def write_lines(result: Result, by: str | None = None) -> str:
    """A line for the run, then one per score, document and group; `record` says which."""
    envelope = result.to_dict()
    records: list[dict[str, Any]] = [
        {"record": "run", **{name: envelope[name] for name in ("schema", "tool", "task", "inputs", "warnings")}},
        *({"record": "score", **score} for score in envelope["scores"]),
        *({"record": "document", **document} for document in envelope["documents"]),
    ]
    if by and by != "document":
        records += [{"record": "group", **group} for group in _groups(result, by)]
    return "".join(map(to_json, records))


def _groups(result: Result, by: str) -> Iterator[dict[str, Any]]:
    for scored in result:
        counts = scored.counts_by(by)
        for name, values in scored.by(by).items():
            yield {
                "system": scored.system,
                "measure": scored.name,
                by: name,
                "values": values,
                "counts": counts[name],
            }
