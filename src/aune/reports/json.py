"""The JSON envelope, and the same as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from aune.core.result import Result


def write(result: Result, by: str | None = None) -> str:
    """One object, the same bytes from run to run; with `by`, the breakdown stands beside the scores."""
    envelope = result.to_dict()
    if by and by != "document":
        envelope["groups"] = list(_groups(result, by))
    return json.dumps(envelope, ensure_ascii=False, indent=1) + "\n"


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
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


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
